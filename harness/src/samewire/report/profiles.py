"""The profiles of two servers of a race: in which functions the time goes that makes them differ."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from samewire.report.entrants import Comparison, Entrant
from samewire.report.model import Race


@dataclass(frozen=True)
class Profiles:
    """The two sides of a race's largest ratio: their comparison, a flame graph of each if there is one, and the command
    that makes both.
    """

    pair: Comparison
    sides: Sequence[tuple[Entrant, str]]
    command: str


def of_largest_ratio(race: Race, report: Path, results: Path) -> Profiles | None:
    """Those of the two servers that differ most in what the race ranks by, with links from the report.

    None where no two are told apart, or where servers take part with several loads: a profile has one.
    """
    decided = [one for one in race.pairs(race.ranking.metric) if one.verdict != "undecided" and one.ratio.mean]
    if not decided or race.same or any(entrant.load for entrant in race.entrants):
        return None
    pair = max(decided, key=lambda one: max(one.ratio.mean, 1 / one.ratio.mean))
    both = [next(entrant for entrant in race.entrants if entrant.id == name) for name in (pair.a, pair.b)]
    experiment = race.data["experiment"]["name"]
    names = [entrant.id.rpartition("/")[2] for entrant in both]
    return Profiles(
        pair,
        [(entrant, _flame(race, entrant, report, results)) for entrant in both],
        f"samewire profile {names[0]} {experiment} --against {names[1]}",
    )


def _flame(race: Race, entrant: Entrant, report: Path, results: Path) -> str:
    """A link to the newest flame graph of the same files under the same load; empty if there is none."""
    for path in sorted(results.glob("*-profile-*/profile.json"), reverse=True):
        flame = path.with_name("flame.html")
        if flame.exists() and _is_of(json.loads(path.read_text()), race, entrant):
            return quote(os.path.relpath(flame, report.parent))
    return ""


def _is_of(profile: dict[str, Any], race: Race, entrant: Entrant) -> bool:
    server, raced = profile["server"], entrant.record["digest"]
    same_files = isinstance(raced, dict) and all(
        server["digest"][key] == raced.get(key) for key in ("files", "artefacts")
    )
    return (
        same_files and server["id"] == entrant.id and profile["experiment"]["name"] == race.data["experiment"]["name"]
    )
