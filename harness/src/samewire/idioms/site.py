"""The pages of the site, on which the reader chooses stacks that stand side by side.

They are Markdown, with the code as HTML that `assets/idioms.css` and `assets/idioms.js` of the site lay out. Pygments'
classes colour it as the site's theme does.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.special import TextLexer

from samewire.idioms.pages import INDEX, index, lexer, render
from samewire.idioms.regions import Region
from samewire.idioms.steps import Step, pages_of
from samewire.manifest import Server


def site_pages(servers: Sequence[Server], steps: Sequence[Step], link: Callable[[Path, int], str]) -> dict[str, str]:
    """The Markdown of each page by its name, the index among them; `link` gives the address of a file's line.

    Raises IdiomsError.
    """
    pages = pages_of(servers, steps)
    values = {"link": link, "coloured": _coloured}
    return {INDEX: index(pages)} | {page.step.page: render("site.md.jinja", page=page, **values) for page in pages}


def _coloured(region: Region) -> Markup:
    """The code as HTML with Pygments' classes."""
    return Markup(highlight(region.code, lexer(region.path) or TextLexer(), HtmlFormatter(wrapcode=True)))
