"""What changed from one race to another: figures with intervals, and what was different about the two."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scipy import stats

from samewire.race.comparisons import open_ends, side
from samewire.race.metrics import metric
from samewire.race.statistics import Interval, holm
from samewire.report.entrants import Entrant
from samewire.report.model import Race, ReportError

_FACTS = "profile", "parameters", "machine", "hosts", "placement", "images", "generator", "databases"


@dataclass(frozen=True)
class Change:
    """The ratio of a server's figure in the second race to that in the first; `decided` is whether it changed."""

    server: str
    metric: str
    first: str
    second: str
    ratio: Interval
    decided: bool


@dataclass(frozen=True)
class Difference:
    """Something that was not the same in the two races; `first` or `second` is None where it was not there."""

    name: str
    first: Any
    second: Any


def differences(first: Race, second: Race) -> list[Difference]:
    """What differed: parameters, machine, versions, placement, and of servers the digests of what they are made of."""
    a, b = ({key: race.data.get(key, {}) for key in _FACTS} for race in (first, second))
    found = [one for one in _different("", a, b) if not one.name.endswith(".load_s")]
    digests, others = ({one.server: one.record["digest"] for one in race.entrants} for race in (first, second))
    for server in sorted({*digests, *others}):
        if server not in digests or server not in others:
            found.append(Difference(server, *("there" if server in one else None for one in (digests, others))))
        elif changed := [one.name for one in _different("", digests[server], others[server])]:
            found.append(Difference(server, "", f"another digest of: {', '.join(changed)}"))
    return found


def _different(name: str, first: Any, second: Any) -> Iterator[Difference]:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in dict.fromkeys((*first, *second)):
            yield from _different(f"{name}.{key}".lstrip("."), first.get(key), second.get(key))
    elif first != second:
        yield Difference(name, first, second)


def changes(first: Race, second: Race) -> list[Change]:
    """How the figures of every server that was in both changed, those of a metric decided together, by Holm's levels.

    Raises ReportError if the races are not of the same experiment.
    """
    names = [race.data["experiment"]["name"] for race in (first, second)]
    if len(set(names)) > 1:
        raise ReportError(f"races of two experiments cannot be compared: {names[0]} and {names[1]}")
    return [change for key in first.compared for change in _changes(key, first, second)]


def _changes(key: str, first: Race, second: Race) -> Iterator[Change]:
    others = {entrant.id: entrant for entrant in second.entrants}
    pairs = [(one, others[one.id]) for one in first.entrants if one.id in others]
    values = {one.id: (_values(one, key), _values(other, key)) for one, other in pairs}
    rounds = {name: both for name, both in values.items() if all(len(one) > 1 and min(one) > 0 for one in both)}
    levels = dict(zip(rounds, holm([_p(*both) for both in rounds.values()]), strict=True))
    for one, other in pairs:
        if one.id in rounds:
            ratio = _ratio(*rounds[one.id], 1 - levels[one.id])
            bounds = [entrant.bounds.get(key, "") for entrant in (other, one)]
            decided = side(ratio, open_ends(bounds[:1], bounds[1:])) != 0 and not _doubtful(first, one, second, other)
            figures = (entrant.estimate(key).mean_text() for entrant in (one, other))
            yield Change(one.name, metric(key).name, *figures, ratio, decided)


def _doubtful(first: Race, one: Entrant, second: Race, other: Entrant) -> bool:
    """Whether either race decides nothing, or the server was not steady in any of its runs."""
    unsteady = any(run.warming and not run.warming.steady for run in (*one.runs, *other.runs))
    return unsteady or any(race.data.get("doubt") for race in (first, second))


def _values(entrant: Entrant, key: str) -> list[float]:
    return [value for run in entrant.runs if (value := run.metrics.get(key)) is not None]


def _p(first: list[float], second: list[float]) -> float:
    if _constant(first, second):
        return 1.0 if first[0] == second[0] else 0.0
    return float(stats.ttest_ind(*_logarithms(first, second), equal_var=False).pvalue)


def _constant(first: list[float], second: list[float]) -> bool:
    """Whether neither varies: of such there is no test."""
    return len(set(first)) == len(set(second)) == 1


def _ratio(first: list[float], second: list[float], confidence: float) -> Interval:
    """The ratio of the second's geometric mean to the first's, with Welch's interval: their rounds are no pairs.

    Welch, "The generalization of 'Student's' problem when several different population variances are involved",
    Biometrika 34, 1947.
    """
    x, y = _logarithms(first, second)
    if _constant(first, second):
        return Interval(*[second[0] / first[0]] * 3, min(len(x), len(y)))
    found = stats.ttest_ind(y, x, equal_var=False).confidence_interval(confidence)
    mean = math.fsum(y) / len(y) - math.fsum(x) / len(x)
    return Interval(math.exp(mean), math.exp(found.low), math.exp(found.high), min(len(x), len(y)))


def _logarithms(first: list[float], second: list[float]) -> tuple[list[float], list[float]]:
    return [math.log(value) for value in first], [math.log(value) for value in second]
