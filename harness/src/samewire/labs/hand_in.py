"""The page to hand in: figures, seed, machine, prediction and own words, as Markdown and as one file of HTML."""

from collections.abc import Mapping
from typing import Any

import jinja2


def _environment(*, autoescape: bool) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def markdown(found: Mapping[str, Any], words: str, template: str = "hand-in.md.jinja") -> str:
    """The page as Markdown. `words` are the reader's own."""
    quoted = "\n".join(f"> {line}".rstrip() for line in words.strip().splitlines()) or "> (nothing written)"
    return _environment(autoescape=False).get_template(template).render(found=found, words=quoted)


def html(found: Mapping[str, Any], words: str, template: str = "hand-in.html.jinja") -> str:
    """The page as HTML, which needs no other file."""
    return _environment(autoescape=True).get_template(template).render(found=found, words=words.strip())
