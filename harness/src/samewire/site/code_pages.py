"""Pages of files that are no Markdown, with numbered lines, and of folders without a README."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pygments.lexers import find_lexer_class_for_filename

from samewire.site.places import Places, relative

_HEAD = "---\nsearch:\n  exclude: true\nhide:\n  - navigation\n  - toc\n---\n"
"""The search does not find these pages: there is much code, and few words in it are looked for."""


def all_pages(places: Places) -> Iterator[tuple[Path, str]]:
    """Every page that something leads to, with the file or folder that it shows; listings lead to more files."""
    done: set[Path] = set()
    while left := (places.code | places.listings) - done:
        for path in sorted(left):
            yield path, _listing(path, places) if path in places.listings else _code_page(path, places)
        done |= left


def fenced(path: Path, code: str, options: str = "") -> str:
    """A block of code in Markdown, in the language that the file's name tells."""
    longest = max(map(len, re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    lexer = find_lexer_class_for_filename(path.name)
    language = lexer.aliases[0] if lexer and lexer.aliases else "text"
    return f"{fence}{language}{options}\n{code}\n{fence}"


def _code_page(path: Path, places: Places) -> str:
    text = path.read_text().rstrip("\n")
    code = fenced(path, text, ' linenums="1"') if text else "The file is empty."
    return f"{_HEAD}# `{path.name}`\n\n{_where(path, places)}\n\n{code}\n"


def _listing(folder: Path, places: Places) -> str:
    """Its files, and those of its folders that have a README."""
    page = places.of(folder)
    inner = sorted(one for one in places.folders if one.parent == folder and one / "README.md" in places.files)
    files = sorted(one for one in places.files if one.parent == folder)
    lines = [f"- [`{one.name}/`]({_link(one, page, places)})" for one in inner]
    lines += [f"- [`{one.name}`]({_link(one, page, places)})" for one in files]
    return "\n".join([f"{_HEAD}# `{folder.name}/`", "", _where(folder, places), "", *lines, ""])


def _where(path: Path, places: Places) -> str:
    """The path, and a link to the nearest README above it."""
    page = places.of(path)
    shown = f"`{path.relative_to(places.root).as_posix()}`"
    above = [folder / "README.md" for folder in path.parents if folder.is_relative_to(places.root)]
    readme = next((one for one in above if one in places.files), None)
    return f"{shown} · [about its folder]({_link(readme, page, places)})" if readme else shown


def _link(target: Path, page: PurePosixPath, places: Places) -> str:
    return relative(places.of(target), page)
