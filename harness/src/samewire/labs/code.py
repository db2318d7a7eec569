"""The code of a lab's servers, side by side: the regions of its steps."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.special import TextLexer

from samewire.idioms.pages import lexer
from samewire.idioms.regions import Region, find_regions
from samewire.idioms.steps import load_steps
from samewire.labs.lab import Lab, Trial
from samewire.paths import CHECKOUT


@dataclass(frozen=True)
class ShownRegion:
    """A region as the page has it: the title of its step, where it is, and its lines, coloured."""

    step: str
    where: str
    code: Markup


@dataclass(frozen=True)
class Shown:
    """What a server has of the steps, once for all the trials that run it."""

    labels: tuple[str, ...]
    regions: tuple[ShownRegion, ...]


def side_by_side(lab: Lab, trials: Sequence[Trial]) -> list[Shown]:
    """The regions of the lab's steps, by server."""
    titles = {step.name: step.title for step in load_steps()}
    shown = []
    for server in {trial.entrant.server.id: trial.entrant.server for trial in trials}.values():
        found, _ = find_regions(server.folder)
        regions = tuple(
            ShownRegion(titles.get(name, name), f"{one.path.relative_to(CHECKOUT)}, line {one.line}", coloured(one))
            for name in lab.steps
            for one in found.get(name, [])
        )
        shown.append(Shown(tuple(trial.label for trial in trials if trial.entrant.server.id == server.id), regions))
    return shown


def coloured(region: Region) -> Markup:
    """The code with the classes of Pygments."""
    return Markup(highlight(region.code, lexer(region.path) or TextLexer(), HtmlFormatter()))


def styles() -> str:
    """The colours of the code, for light and dark."""
    light, dark = (HtmlFormatter(style=style).get_style_defs(".highlight") for style in ("default", "github-dark"))
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n"
