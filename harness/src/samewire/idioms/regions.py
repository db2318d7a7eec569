"""Code that comments mark: `#region NAME` … `#endregion NAME`, in the comment syntax of each language.

A step may have several regions, in one file or in several: a route in one, its SQL in another.
"""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from samewire.digests import source_files

_MARKER = re.compile(
    r"#(?P<end>end)?region (?P<name>[\w.-]+)(?:[ \t]*(?:\*/|-->|-?#\}|(?:--)?\}\}))*[ \t]*$", re.MULTILINE
)
# In templates a comment may span lines: one of Twig and Jinja, of Mustache and Handlebars, of HTML and Thymeleaf.
_COMMENT = re.compile(r"\{#.*?#\}|\{\{!.*?\}\}|<!--.*?-->", re.DOTALL)


class IdiomsError(Exception):
    """Steps that lack a key; regions that are missing or unclosed. The message has a line for each."""


@dataclass(frozen=True)
class Region:
    """The code of a step in one server: its file, the line it starts at (from 1), and the code without indentation."""

    path: Path
    line: int
    code: str


@dataclass(frozen=True)
class _Marker:
    """A marker in a file, with the first and the last line of its comment (from 1)."""

    name: str
    ends: bool
    first: int
    last: int


def find_regions(folder: Path) -> tuple[dict[str, list[Region]], list[str]]:
    """The regions in a folder's files by name, in the order of the files' paths and of the lines.

    And a line for each one that is unclosed or unopened.
    """
    regions: dict[str, list[Region]] = {}
    problems = []
    for path in source_files(folder):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        found, wrong = _regions(path, text)
        problems += wrong
        for name, region in found:
            regions.setdefault(name, []).append(region)
    return regions, problems


def _regions(path: Path, text: str) -> tuple[list[tuple[str, Region]], list[str]]:
    """The regions of one file with their names, and its problems."""
    problems = []
    opened: dict[str, _Marker] = {}
    closed: list[tuple[str, Region]] = []
    markers = _markers(text)
    for marker in markers:
        if not marker.ends:
            if marker.name in opened:
                problems.append(f"{path}:{marker.first}: region {marker.name} inside itself")
            opened[marker.name] = marker
        elif marker.name not in opened:
            problems.append(f"{path}:{marker.first}: #endregion {marker.name} without a #region")
        else:
            numbers = range(opened.pop(marker.name).last + 1, marker.first)
            closed.append((marker.name, _region(path, text, numbers, markers)))
    problems += [f"{path}:{marker.first}: region {name} is not closed" for name, marker in opened.items()]
    return closed, problems


def _region(path: Path, text: str, numbers: range, markers: list[_Marker]) -> Region:
    """The lines of these numbers, but for markers of other regions, and blank lines at either end."""
    # Not splitlines: an editor and a link count no form feed and no U+2028.
    lines = text.split("\n")
    marked = {number for one in markers for number in range(one.first, one.last + 1)}
    inner = [number for number in numbers if number not in marked]
    while inner and not lines[inner[0] - 1].strip():
        inner.pop(0)
    code = "\n".join(lines[number - 1] for number in inner)
    return Region(path, inner[0] if inner else numbers.start, textwrap.dedent(code).rstrip())


def _markers(text: str) -> list[_Marker]:
    """The markers of a file, in their order."""
    comments = [comment.span() for comment in _COMMENT.finditer(text)]
    markers = []
    for found in _MARKER.finditer(text):
        start, end = next((one for one in comments if one[0] < found.start() < one[1]), found.span())
        first, last = (text.count("\n", 0, place) + 1 for place in (start, end))
        markers.append(_Marker(found["name"], bool(found["end"]), first, last))
    return markers
