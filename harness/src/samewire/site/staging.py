"""The folder that MkDocs makes the site of: all Markdown of the checkout in its layout, and generated pages."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from samewire import readme
from samewire.digests import source_files
from samewire.idioms import IdiomsError, load_steps, site_pages
from samewire.idioms.steps import Step
from samewire.manifest import Server, find_servers
from samewire.models import pages as models
from samewire.models.lanes import DATA, LanesError
from samewire.paths import CHECKOUT, STATE
from samewire.race import RaceError
from samewire.report.model import ReportError
from samewire.site import SiteError, findings, services, style
from samewire.site.code_pages import all_pages
from samewire.site.dialect import adapted, with_links
from samewire.site.front import front_page
from samewire.site.navigation import IDIOMS, IDIOMS_INDEX, navigation
from samewire.site.places import FRONT, DeadLinkError, Places, html_of
from samewire.site.servers import facts

_WIDE = "---\nhide:\n  - navigation\n  - toc\n---\n"
"""The head of a page that needs the whole width."""
_WAYS = {
    "bench/records/README.md": f"[The same with charts and filters](../../{findings.LEDGER}), by study, verdict and "
    "stack. [The reports](../../reports/index.md) of the kept races.",
    "contract-tests/atlas/README.md": f"**[The atlas itself](../../{findings.ATLAS})**: every odd input and what each "
    "stack answers, with a search.",
}
"""Markdown file → a paragraph below its title, with the way to the page that needs the whole width."""


@dataclass
class Staged:
    """What was put into the folder: MkDocs' `nav`, and of what file of the checkout each page of the site is made."""

    folder: Path
    nav: list[dict[str, object]] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)

    def write(self, page: PurePosixPath, text: str, source: str = "") -> None:
        """Write a page; `source` is a path in the checkout, or what to call a page that has none."""
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.sources[html_of(page).as_posix()] = source or f"{page} (generated)"


def stage(folder: Path) -> Staged:
    """Write everything anew. Raises SiteError with a line `FILE:LINE: LINK: what is wrong` for each dead link."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return _stage(Staged(folder))
    except (IdiomsError, LanesError, models.PageError, RaceError, ReportError, DeadLinkError) as error:
        raise SiteError(str(error)) from error


def _stage(staged: Staged) -> Staged:
    folder, servers, steps = staged.folder, find_servers(), load_steps()
    idioms = {CHECKOUT / IDIOMS_INDEX} | {CHECKOUT / IDIOMS / step.page for step in steps}
    fresh = generated()
    tracked = {path for path in source_files(CHECKOUT) if not path.is_relative_to(STATE)} | idioms | fresh.keys()
    places = Places(CHECKOUT, tracked - {path for path, text in fresh.items() if text is None})

    def below(path: Path) -> str:
        """What the site adds to a page."""
        server = of_readme.get(path)
        return facts(server, servers, steps, places.of(path)) if server else ""

    of_readme = {server.folder / "README.md": server for server in servers}
    problems = [
        problem
        for path in sorted(places.files - idioms)
        if path.suffix == ".md"
        for problem in _stage_markdown(path, fresh.get(path) or path.read_text(), staged, places, below(path))
    ]
    if problems:
        raise SiteError("\n".join(problems))
    staged.write(FRONT, front_page(servers, steps, places))
    _stage_services(staged, servers, steps, places)
    _stage_idioms(staged, servers, steps, places)
    staged.write(findings.REPORTS, findings.index(places))
    for page, html in findings.pages(servers, places, STATE / "site/scratch"):
        staged.write(page, html)
    pages = [PurePosixPath(path.relative_to(folder).as_posix()) for path in folder.rglob("*.md")]
    order = (CHECKOUT / "docs/README.md").read_text()
    staged.nav = navigation(pages, servers, steps, order)
    # Last, when all that leads to code is known; it is in no section.
    for path, text in all_pages(places):
        staged.write(places.of(path), text, path.relative_to(CHECKOUT).as_posix())
    for path in places.copies:
        copy = folder / places.of(path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(text.encode() if (text := fresh.get(path)) else path.read_bytes())
    style.write(folder)
    return staged


def generated() -> Mapping[Path, str | None]:
    """What is written into the checkout from the manifests and records, as it is now; None for what is to go.

    So a server that is gone is on no page.
    """
    return readme.written(find_servers(), load_steps()) | (models.written() if DATA.exists() else {})


def _stage_markdown(path: Path, text: str, staged: Staged, places: Places, below: str) -> list[str]:
    """Write the page of a Markdown file with this text, and more below it; its dead links."""
    source, page = path.relative_to(CHECKOUT).as_posix(), places.of(path)
    text, dead = with_links(text, lambda target: places.lead(target, path, page))
    if way := _WAYS.get(source):
        title, _, rest = text.partition("\n")
        text = f"{title}\n\n{way}\n{rest}"
    staged.write(page, adapted(text + below), source)
    return [f"{source}:{problem}" for problem in dead]


def _stage_services(staged: Staged, servers: Sequence[Server], steps: Sequence[Step], places: Places) -> None:
    staged.write(services.INDEX, services.index(servers, places))
    for service in services.find_services():
        staged.write(services.page_of(service), services.service_page(service, servers, steps, places))


def _stage_idioms(staged: Staged, servers: Sequence[Server], steps: Sequence[Step], places: Places) -> None:
    def link(path: Path, line: int) -> str:
        return places.address(path, line, IDIOMS_INDEX)

    for name, text in site_pages(servers, steps, link).items():
        page = IDIOMS / name
        head = "" if page == IDIOMS_INDEX or text.startswith("---\n") else _WIDE
        staged.write(page, head + text, "docs/steps.toml")
