"""The navigation, made of the pages that there are."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

from samewire.idioms.steps import Step
from samewire.manifest import Server
from samewire.site import findings, services
from samewire.site.places import FRONT, README

IDIOMS = PurePosixPath("docs/idioms")
IDIOMS_INDEX = IDIOMS / "README.md"


def navigation(
    pages: Iterable[PurePosixPath], servers: Sequence[Server], steps: Sequence[Step], order: str
) -> list[dict[str, object]]:
    """MkDocs' `nav` of these files; `order` is the text of docs/README.md, whose order of pages is kept.

    Markdown that has no section of its own is in Reference. Pages of code are in none: links lead to them.
    """
    left = dict.fromkeys(sorted(pages))

    def take(*wanted: PurePosixPath) -> list[str]:
        found = [page for page in wanted if page in left]
        for page in found:
            del left[page]
        return [page.as_posix() for page in found]

    def below(folder: str) -> list[str]:
        place = PurePosixPath(folder)
        found = [page for page in left if page.is_relative_to(place)]
        return take(*sorted(found, key=lambda page: (_position(page, order), page.name != "README.md", page)))

    sections = {
        "Home": take(FRONT) + below("docs/tutorial") + take(README, PurePosixPath("docs/README.md")),
        "Services": [*_titled("All services", take(services.INDEX)), *_services(servers, take, below),
                     *_titled("The rules of all services", take(PurePosixPath("contract-tests/README.md")))],
        "Idioms": _titled("All steps", take(IDIOMS_INDEX))
        + [entry for step in steps for entry in _titled(step.title, take(IDIOMS / step.page))],
        "Atlas": below("contract-tests/atlas") + below("contract-tests/attacks"),
        "Findings": _titled("The ledger", take(PurePosixPath("bench/records/README.md")))
        + take(findings.REPORTS) + below("bench/experiments") + below("bench/floor") + below("bench/kernels"),
        "Models": below("docs/models"),
        "Labs": below("docs/labs") + below("bench/labs"),
        "How-to": below("docs/how-to"),
        "Reference": below("docs/reference"),
        "Explanation": below("docs/explanation"),
        "Decisions": below("docs/decisions"),
        "Glossary": take(PurePosixPath("docs/glossary.md")),
    }  # fmt: skip
    sections["Reference"] += take(*left)
    return [{title: entries} for title, entries in sections.items() if entries]


def _services(
    servers: Sequence[Server], take: Callable[..., list[str]], below: Callable[[str], list[str]]
) -> list[dict[str, object]]:
    """A part for each service: its page, its contract, and its servers."""
    parts = []
    for service in services.find_services():
        own = [PurePosixPath(server.id) for server in servers if server.service == service]
        entries = take(services.page_of(service)) + below(f"contract-tests/{service}")
        parts.append({service: entries + [page for folder in own for page in below(folder.as_posix())]})
    return parts


def _titled(title: str, pages: Sequence[str]) -> list[dict[str, str]]:
    return [{title: page} for page in pages]


def _position(page: PurePosixPath, order: str) -> int:
    """Where a page of docs is linked in the order; what is not comes last."""
    parts = page.parts[1:] if page.parts[0] == "docs" else ("..", *page.parts)
    place = order.find(f"]({'/'.join(parts)}")
    return place if place >= 0 else len(order)
