"""What is written into docs/models: drawings, and the blocks of pages between `<!-- NAME -->` and `<!-- /NAME -->`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from samewire.manifest import Server, find_servers
from samewire.models import costs, drawing, tables
from samewire.models.lanes import DATA, PAGES, Model, load
from samewire.paths import CHECKOUT, RECORDS

OVERVIEW = "README.md"


class PageError(Exception):
    """A page without a place for what is written into it; the message names the page and the lines that it needs."""


def written(
    pages: Path = PAGES, records: Path = RECORDS, servers: Sequence[Server] | None = None
) -> dict[Path, str | None]:
    """The files of docs/models that follow from data, with their contents; None for a drawing of nothing.

    Raises LanesError, and PageError.
    """
    servers = find_servers() if servers is None else servers
    models, kept = load(pages / DATA.name), costs.newest(records)
    files: dict[Path, str | None] = dict.fromkeys(pages.glob("*.svg"))
    files |= {pages / one.file: drawing.svg(one) for model in models for one in model.drawings}
    blocks = {pages / model.page: _of_model(model, servers, kept) for model in models}
    blocks[pages / OVERVIEW] = {
        "models": tables.across_services(models, servers),
        "comparisons": tables.comparisons(models, servers),
    }
    return files | {path: fill(path, content) for path, content in blocks.items()}


def _of_model(model: Model, servers: Sequence[Server], kept: Sequence[costs.Kept]) -> dict[str, str]:
    return {
        "servers": tables.of_model(model, servers),
        "figures": costs.figures(model, servers, kept),
        "limits": tables.limits(model, servers),
    }


def fill(path: Path, blocks: Mapping[str, str]) -> str:
    """The text of a page with these blocks in place of its own. Raises PageError if a block has no place, or two."""
    shown = path.relative_to(CHECKOUT) if path.is_relative_to(CHECKOUT) else path
    try:
        text = path.read_text()
    except OSError as error:
        raise PageError(f"{shown}: {error.strerror}: write the page as the others of its folder") from error
    for name, content in blocks.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
            raise PageError(f"{shown}: needs the lines <!-- {name} --> and <!-- /{name} --> once, in this order")
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{content}\n{end}{rest.partition(end)[2]}"
    return text
