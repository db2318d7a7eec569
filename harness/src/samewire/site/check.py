"""Whether the site is whole: each link leads to a page and an anchor that are there, and to each page leads a link."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

START = "index.html"

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:|//")
_LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


@dataclass(frozen=True)
class Page:
    """The anchors of a page, the links in it, and what it loads, as they are written."""

    anchors: frozenset[str]
    links: tuple[str, ...]
    loaded: tuple[str, ...]


def problems(folder: Path, sources: Mapping[str, str]) -> list[str]:
    """A line `FILE: LINK: what is wrong` for each dead link, each address from which a page loads something, and each
    page that is not reached from the front page.

    `sources` says of what file a page is made.
    """
    pages = {path.relative_to(folder).as_posix(): read(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    found = [
        f"{sources.get(name, name)}: {link}: {wrong}"
        for name, page in pages.items()
        for link, wrong in _wrong(name, page, pages, there)
    ]
    orphans = pages.keys() - _reached(pages)
    return found + [f"{sources.get(name, name)}: no link leads to its page {name}" for name in sorted(orphans)]


def read(html: str) -> Page:
    """What a page has and wants."""
    anchors, links, loaded = {"", "top"}, [], []
    for node in LexborHTMLParser(html).css("[id], [name], [href], [src]"):
        attributes = node.attributes
        anchors |= {attributes.get("id") or "", attributes.get("name") or ""}
        if node.tag == "a" and attributes.get("href"):
            links.append(attributes["href"])
        elif (name := _LOADING.get(node.tag)) and attributes.get(name):
            loaded.append(attributes[name])
    return Page(frozenset(anchors), tuple(dict.fromkeys(links)), tuple(dict.fromkeys(loaded)))


def _wrong(name: str, page: Page, pages: Mapping[str, Page], there: set[str]) -> Iterator[tuple[str, str]]:
    for link in page.loaded:
        if not link.startswith("data:") and _ADDRESS.match(link):
            yield link, "is loaded from elsewhere"
        elif not _ADDRESS.match(link) and _target(name, link)[0] not in there:
            yield link, "no such file"
    for link in page.links:
        if _ADDRESS.match(link):
            continue
        target, anchor = _target(name, link)
        if target not in there:
            yield link, "no such page"
        elif target in pages and anchor not in pages[target].anchors:
            yield link, "no such heading or line"


def _target(name: str, link: str) -> tuple[str, str]:
    """The file that a link on a page leads to, and the anchor in it."""
    path, _, anchor = link.partition("#")
    path = unquote(path.partition("?")[0])
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    return target, unquote(anchor)


def _reached(pages: Mapping[str, Page]) -> set[str]:
    reached, ahead = set(), [START]
    while ahead:
        name = ahead.pop()
        if name in pages and name not in reached:
            reached.add(name)
            ahead += [_target(name, link)[0] for link in pages[name].links if not _ADDRESS.match(link)]
    return reached
