"""Where on the site a file or a folder of the checkout is.

The site has the layout of the checkout. Markdown has its page, a picture its copy. Other text has a page that shows it,
what is large or no text a copy; both only where something leads there.
"""

import os
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

FRONT = PurePosixPath("index.md")
README = PurePosixPath("about.md")
"""The page of the checkout's own README, as the front page is another one."""
MOST_BYTES = 200_000
"""A longer text is copied and not shown."""

_PICTURES = {".gif", ".jpg", ".jpeg", ".png", ".svg", ".webp"}


class DeadLinkError(ValueError):
    """A link to what is not in the checkout, or what git ignores."""


class Places:
    """The files of a checkout; what leads to one of them adds it to `code`, `copies` or `listings`."""

    def __init__(self, root: Path, files: Iterable[Path]):
        self.root = root
        self.files = frozenset(files)
        self.folders = {folder for path in self.files for folder in path.parents if folder.is_relative_to(root)}
        self.code: set[Path] = set()
        self.copies: set[Path] = set()
        self.listings: set[Path] = set()

    def of(self, target: Path) -> PurePosixPath:
        """The file in MkDocs' folder for a file or folder of the checkout. Raises DeadLinkError."""
        if target in self.folders:
            readme = target / "README.md"
            if readme in self.files:
                return self.of(readme)
            self.listings.add(target)
            return self._relative(target) / "index.md"
        if target not in self.files:
            raise DeadLinkError("no such file" if not target.exists() else "git ignores it, so the site has it not")
        if target.suffix == ".md":
            return README if target == self.root / "README.md" else self._relative(target)
        if target.suffix in _PICTURES or not _is_short_text(target):
            self.copies.add(target)
            return self._relative(target)
        self.code.add(target)
        return self._relative(target).with_name(f"{target.name}.md")

    def lead(self, target: str, source: Path, page: PurePosixPath) -> str:
        """The target of a link in a Markdown file of the checkout, as it is right on a page. Raises DeadLinkError.

        `#L12` after code is its line 12.
        """
        path, sign, anchor = target.partition("#")
        found = Path(os.path.normpath(source.parent / unquote(path)))
        link = relative(self.of(found), page)
        if found in self.code and (line := re.match(r"L(\d+)", anchor)):
            anchor = line_anchor(int(line[1]))
        return f"{link}{sign}{anchor}"

    def address(self, target: Path, line: int | None, page: PurePosixPath) -> str:
        """A link in HTML from a page, named by its file in MkDocs' folder, to a file, or a line of it, or a folder.

        Raises DeadLinkError.
        """
        path = quote(relative(html_of(self.of(target)), page))
        return f"{path}#{line_anchor(line)}" if line and target in self.code else path

    def _relative(self, path: Path) -> PurePosixPath:
        return PurePosixPath(path.relative_to(self.root).as_posix())


def line_anchor(line: int) -> str:
    """The anchor of a line of code, as pymdownx.highlight names it where a page has one block of code."""
    return f"__codelineno-0-{line}"


def html_of(staged: PurePosixPath) -> PurePosixPath:
    """The file that MkDocs makes of a file in its folder: a README is the index of its folder."""
    if staged.suffix != ".md":
        return staged
    return staged.with_name("index.html") if staged.name == "README.md" else staged.with_suffix(".html")


def relative(target: PurePosixPath, page: PurePosixPath) -> str:
    """The way from a page's folder to a file."""
    return posixpath.relpath(target.as_posix(), page.parent.as_posix())


def _is_short_text(path: Path) -> bool:
    if path.stat().st_size > MOST_BYTES:
        return False
    try:
        path.read_text()
    except UnicodeDecodeError:
        return False
    return True
