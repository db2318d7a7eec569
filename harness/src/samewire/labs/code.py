"""The code of a lab's servers, side by side: the regions of its steps."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.special import TextLexer

from samewire.idioms.pages import lexer
from samewire.idioms.regions import Region, find_regions
from samewire.idioms.steps import load_steps
from samewire.labs.changes import Change, plant
from samewire.labs.lab import Trial
from samewire.paths import CHECKOUT


@dataclass(frozen=True)
class ShownRegion:
    """A region as the page has it: the title of its step or its name, where it is, and its lines, coloured."""

    step: str
    where: str
    code: Markup


@dataclass(frozen=True)
class Shown:
    """What a server has of the steps, once for all the trials that run it."""

    labels: tuple[str, ...]
    regions: tuple[ShownRegion, ...]


def side_by_side(trials: Sequence[Trial]) -> list[Shown]:
    """The regions of the trials' steps, by server and steps."""
    titles = {step.name: step.title for step in load_steps()}
    alike: dict[Any, list[Trial]] = {}
    for trial in trials:
        alike.setdefault((trial.entrant.server.id, trial.steps, trial.planted), []).append(trial)
    shown = []
    for (_, steps, planted), those in alike.items():
        found = _regions(those[0].entrant.server.folder, planted)
        regions = tuple(
            ShownRegion(titles.get(name, name), f"{one.path.relative_to(CHECKOUT)}, line {one.line}", coloured(one))
            for name in steps
            for one in found.get(name, [])
        )
        shown.append(Shown(tuple(trial.label for trial in those), regions))
    return shown


def _regions(folder: Path, planted: Sequence[Change]) -> Mapping[str, Sequence[Region]]:
    """The regions of a server by name, with what is planted in its files."""
    regions, _ = find_regions(folder)
    if not planted:
        return regions
    with tempfile.TemporaryDirectory() as changed:
        for file in {one.file for one in planted}:
            Path(changed, file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / file, Path(changed, file))
        plant(planted, Path(changed))
        found, _ = find_regions(Path(changed))
        wrong = {(name, one.path.relative_to(changed)): one for name, several in found.items() for one in several}
    return {
        name: [replace(wrong.get((name, one.path.relative_to(folder)), one), path=one.path) for one in of_name]
        for name, of_name in regions.items()
    }


def coloured(region: Region) -> Markup:
    """The code with the classes of Pygments."""
    return Markup(highlight(region.code, lexer(region.path) or TextLexer(), HtmlFormatter()))


def styles() -> str:
    """The colours of the code, for light and dark."""
    light, dark = (HtmlFormatter(style=style).get_style_defs(".highlight") for style in ("default", "github-dark"))
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n"
