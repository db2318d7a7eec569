"""The ledger, the atlas and the reports of kept races: pages that need nothing else, put in as they are.

Their links are led to places on the site, and a line at their head leads back.
"""

import gzip
import json
import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape, unescape
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from samewire.atlas import page as atlas
from samewire.manifest import Server
from samewire.paths import CHECKOUT, RECORDS
from samewire.report import kept, ledger
from samewire.report.model import Race, check
from samewire.report.numbers import moment
from samewire.report.page import render
from samewire.site.places import FRONT, DeadLinkError, Places, html_of, relative
from samewire.site.words import cells

LEDGER = PurePosixPath(ledger.PAGE.relative_to(CHECKOUT).as_posix())
ATLAS = PurePosixPath((atlas.FOLDER / "index.html").relative_to(CHECKOUT).as_posix())
REPORTS = PurePosixPath("reports/index.md")

_HREF = re.compile(r'href="(?!#|[a-z]+:)([^"]+)"')


def pages(servers: Sequence[Server], places: Places, scratch: Path) -> Iterator[tuple[PurePosixPath, str]]:
    """Every such page with its HTML; `scratch` is a folder that is written to."""
    yield LEDGER, _adopted(ledger.page(ledger.chapters()), LEDGER, places)
    yield ATLAS, _adopted(atlas.write(servers, scratch).read_text(), ATLAS, places)
    for name, race in races().items():
        page = report_of(name)
        there = {entrant.server: CHECKOUT / entrant.server for entrant in race.entrants}
        folders = {
            server: places.address(folder, None, page) for server, folder in there.items() if folder in places.folders
        }
        yield page, _headed(render(race, page.as_posix(), folders), page, "All reports", REPORTS)


@cache
def races() -> dict[str, Race]:
    """The races that are kept, by the names of their records, the newest first."""
    found = {}
    for name in reversed(kept.names_in(RECORDS)):
        data = json.loads(gzip.decompress(kept.file_of(name).read_bytes()))
        found[name] = Race(check(data, name))
    return found


def report_of(name: str) -> PurePosixPath:
    """The report of a record, by its name."""
    return REPORTS.parent / name / "index.html"


def record_of(name: str, places: Places, page: PurePosixPath) -> str:
    """A link from a page to a record itself."""
    return relative(places.of(kept.file_of(name)), page)


def machine(race: Race) -> str:
    """On what it ran: `AMD EPYC, 2 cores`."""
    told = race.data["machine"]
    return f"{told.get('cpu_model', 'unknown processor')}, {told.get('cores', '?')} cores"


def index(places: Places) -> str:
    """The page of all reports, with the records that they are made of."""
    lines = [
        "# Reports", "",
        "A race that is kept has a report. It says what was measured, on which machine, and with which versions. "
        "[How we measure](../docs/explanation/measuring.md) explains the intervals. "
        "[The ledger](../bench/records/README.md) says what the reports mean for each finding.", "",
    ]  # fmt: skip
    if not races():
        return "\n".join([*lines, "No race is kept. `samewire report --keep` keeps one.", ""])
    lines += ["| experiment | profile | date | machine | report | record |", "|---|---|---|---|---|---|"]
    for name, race in races().items():
        about = race.data["experiment"]
        toml = CHECKOUT / f"bench/experiments/{about['name']}.toml"
        title = f"[{about['title']}]({relative(places.of(toml), REPORTS)})" if toml in places.files else about["title"]
        links = f"[report]({relative(report_of(name), REPORTS)})", f"[{name}]({record_of(name, places, REPORTS)})"
        lines.append(cells(title, race.data["profile"], moment(race.data["started_at"]), machine(race), *links))
    return "\n".join([*lines, ""])


def _adopted(html: str, page: PurePosixPath, places: Places) -> str:
    """A page of the checkout with its links led to places on the site. Raises DeadLinkError, with the link."""

    def one(match: re.Match[str]) -> str:
        path = Path(os.path.normpath(CHECKOUT / page.parent / unquote(unescape(match[1]))))
        try:
            return f'href="{escape(places.address(path, None, page))}"'
        except DeadLinkError as error:
            raise DeadLinkError(f"{page}: {match[1]}: {error}") from error

    return _headed(_HREF.sub(one, html), page, "Samewire", FRONT)


def _headed(html: str, page: PurePosixPath, text: str, to: PurePosixPath) -> str:
    """The page with a way back at its head."""
    back = f'<p class="site"><a href="{relative(html_of(to), page)}">← {text}</a></p>\n'
    head, body, rest = re.split(r"(<body[^>]*>\n?|(?=<h1>))", html, maxsplit=1)
    return f"{head}{body}{back}{rest}"
