"""The figures that a teacher may expect of a lab, written into its page in docs/labs: those of kept results."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from samewire.labs.lab import find_labs, load
from samewire.models.pages import fill
from samewire.models.tables import table
from samewire.paths import CHECKOUT, RECORDS
from samewire.report.numbers import decimals_for, number

KEPT = RECORDS / "labs"
PAGES = CHECKOUT / "docs/labs"


def keep(result: Path, folder: Path = KEPT) -> Path:
    """Keep the file of a result; its path there."""
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(result, folder / result.name))


def written(pages: Path = PAGES, folder: Path = KEPT) -> dict[Path, str | None]:
    """The pages of all labs, with the figures of kept results. Raises PageError, LabError."""
    return {
        pages / f"{name}.md": fill(pages / f"{name}.md", {"figures": _figures(_kept(name, folder))})
        for name in find_labs()
    }


def _kept(name: str, folder: Path) -> list[Mapping[str, Any]]:
    """The kept results of a lab as it is declared, with its knobs where they are by default, the oldest first."""
    defaults = load(name).values()
    found = [json.loads(path.read_text()) for path in sorted(folder.glob(f"*-{name}.json"))]
    return [one for one in found if one["lab"] == name and one["knobs"] == defaults and not one["small"]]


def _figures(results: Sequence[Mapping[str, Any]]) -> str:
    """A table: of each trial and metric the median of what the runs found, with the lowest and the highest."""
    if not results:
        return "No result of this lab is kept yet: `samewire lab NAME --keep` keeps one."
    last = results[-1]
    labels = [trial["label"] for trial in last["trials"]]
    keys = list(last["figures"])
    rows = [[label, *(_spread(key, label, results) for key in keys)] for label in labels]
    names = [f"{about['name']}{', ' * bool(about['unit'])}{about['unit']}" for about in last["figures"].values()]
    machine = last["machine"]
    days = sorted({one["started_at"][:10] for one in results})
    told = (
        f"{len(results)} runs of {last['rounds']} rounds" if len(results) > 1 else f"One run of {last['rounds']} rounds"
    )
    ratios = sorted(one["prediction"]["ratio"]["mean"] for one in results if one["prediction"].get("ratio"))
    factor = f" The factor of the prediction was {_range(ratios)}." if ratios else ""
    signs = any(sign in cell for row in rows for cell in row for sign in "≥≤")
    bound = " ≥ is at least, ≤ is at most: a [bound](../glossary.md#bound)." if signs else ""
    when = " to ".join(dict.fromkeys((days[0], days[-1])))
    return (
        f"{table(['', *names], rows)}\n\n{told}, {when}, on {machine['cores']} cores ({machine['cpu_model']}), "
        f"knobs at their defaults. Each figure is the median of the runs' means; in brackets the lowest and the "
        f"highest.{bound}{factor} [The results](../../bench/records/labs) have every round."
    )


def _spread(key: str, label: str, results: Sequence[Mapping[str, Any]]) -> str:
    rows = [row for one in results if key in one["figures"] for row in one["figures"][key]["rows"]]
    means = sorted(row["mean"] for row in rows if row["label"] == label and row["mean"] is not None)
    signs = {row["bound"] for row in rows if row["label"] == label and row["bound"]}
    return f"{'/'.join(sorted(signs))} {_range(means)}".strip() if means else "–"


def _range(values: Sequence[float]) -> str:
    """The median of sorted values, and the two ends in brackets."""
    middle = median(values)
    places = decimals_for(middle)
    told = number(middle, places)
    return told if len(values) == 1 else f"{told} ({number(values[0], places)}–{number(values[-1], places)})"
