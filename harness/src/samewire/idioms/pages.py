"""The pages as Markdown, which a repository shows by itself: docs/idioms."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import jinja2
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

from samewire.idioms.regions import Region
from samewire.idioms.steps import Page, Step, pages_of
from samewire.manifest import Server
from samewire.paths import CHECKOUT

FOLDER = CHECKOUT / "docs/idioms"
INDEX = "README.md"

# By a file's name: what Pygments does not know.
_LANGUAGES = {"application.conf": "hocon", "fpm.conf": "ini"}


def files(servers: Sequence[Server], steps: Sequence[Step], folder: Path = FOLDER) -> dict[Path, str | None]:
    """The text of each page and of their index; None for a file in `folder` that is neither. Raises IdiomsError."""

    def link(path: Path, line: int) -> str:
        return f"{Path(os.path.relpath(path, folder)).as_posix()}#L{line}"

    pages = pages_of(servers, steps)
    texts = {folder / page.step.page: render("step.md.jinja", page=page, link=link) for page in pages}
    texts[folder / INDEX] = index(pages)
    return texts | {path: None for path in sorted(folder.glob("*")) if path not in texts}


def index(pages: Sequence[Page]) -> str:
    """The page that lists the pages."""
    return render("index.md.jinja", pages=pages)


def render(template: str, **values: object) -> str:
    """The text that a template of this package makes. What ends in `.html.jinja` escapes its values."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        undefined=jinja2.StrictUndefined,
        autoescape=lambda name: bool(name) and name.endswith(".html.jinja"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals |= {"fenced": fenced, "index": INDEX}
    return made.get_template(template).render(values)


def lexer(path: Path) -> Lexer | None:
    """What colours a file, None if it is of a language that Pygments does not know."""
    try:
        # PHP is only coloured after its opening tag, which regions do not hold.
        options = {"startinline": True} if path.suffix == ".php" else {}
        return get_lexer_for_filename(path.name, **options)
    except ClassNotFound:
        return None


def fenced(region: Region) -> str:
    """The code between fences that are longer than any in it, with its language."""
    known = lexer(region.path)
    # Of html+twig the part behind: the part before it is what the template makes.
    language = known.aliases[0].rpartition("+")[2] if known else _LANGUAGES.get(region.path.name, "")
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`{3,}", region.code))])
    return f"{fence}{language}\n{region.code}\n{fence}"
