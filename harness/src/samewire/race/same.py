"""Races of a server against itself, as they are kept: whatever they decide is decided falsely.

What is kept are the figures of their rounds. So the rate of false decisions is always that of the rules that hold now.
"""

import csv
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from scipy import stats

from samewire.paths import RECORDS
from samewire.race.statistics import CONFIDENCE, ratio_p

KEPT = RECORDS / "same.csv"
_COLUMNS = ("started_at", "experiment", "profile", "server", "seed", "ranking", "metric", "round", "first", "second")


@dataclass(frozen=True)
class Rate:
    """Of so many `races` that many decided something falsely."""

    races: int
    false: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share.

        Clopper & Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
        Biometrika 26, 1934.
        """
        low, high = stats.binomtest(self.false, self.races).proportion_ci(CONFIDENCE)
        return float(low), float(high)


@dataclass(frozen=True)
class FalseDecisions:
    """How often kept races of a server against itself decided the order of the two, and any of their metrics."""

    order: Rate
    any: Rate
    metrics: int
    rounds: int


def keep(folder: Path, kept: Path = KEPT) -> None:
    """Add the rounds of the race in a run folder, in the metrics in which servers are compared."""
    run = json.loads((folder / "run.json").read_text())
    experiment = run["experiment"]
    (server,) = {one["id"].partition("#")[0] for one in run["servers"]}
    ranking = experiment.get("ranking", {}).get("metric", "throughput_rps")
    facts = (run["started_at"], experiment["name"], run["profile"], server, run["seed"], ranking)
    values = {(one["server"], one["round"]): one["metrics"] for one in run["runs"]}
    rounds = sorted({number for _, number in values})
    rows = [
        (*facts, metric, number, *(values[copy, number].get(metric) for copy in (one["a"], one["b"])))
        for one in run["comparisons"]
        for metric in [one["metric"]]
        for number in rounds
    ]
    kept.parent.mkdir(exist_ok=True)
    new = not kept.exists()
    with kept.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(_COLUMNS)
        writer.writerows(rows)


def false_decisions(kept: Path = KEPT) -> FalseDecisions | None:
    """How often the races that are kept decided something; None if there is none."""
    if not kept.exists():
        return None
    races: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    ranking: dict[str, str] = {}
    with kept.open(newline="") as file:
        for row in csv.DictReader(file):
            race = f"{row['started_at']} {row['server']}"
            ranking[race] = row["ranking"]
            if row["first"] and row["second"]:
                races[race][row["metric"]].append((float(row["first"]), float(row["second"])))
    decided = {race: {metric for metric, pairs in found.items() if _decided(pairs)} for race, found in races.items()}
    return FalseDecisions(
        Rate(len(races), sum(ranking[race] in metrics for race, metrics in decided.items())),
        Rate(len(races), sum(map(bool, decided.values()))),
        max(map(len, races.values())),
        min(len(pairs) for found in races.values() for pairs in found.values()),
    )


def _decided(pairs: list[tuple[float, float]]) -> bool:
    """Whether one of the two is called higher: there is one pair of servers, so Holm's level is the whole of it."""
    first, second = zip(*pairs, strict=True)
    return min(*first, *second) > 0 and ratio_p(first, second) < 1 - CONFIDENCE
