"""The figures of a race, and comparisons of every two servers."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from samewire.race.entrants import AnyOf, Entrant, Selector
from samewire.race.floors import Floor, floor_of
from samewire.race.metric import AT_LEAST, AT_MOST
from samewire.race.statistics import Interval, holm, ratio_interval, ratio_p
from samewire.race.verdicts import A_HIGHER, B_HIGHER, STAND_IN, UNDECIDED, Comparison


@dataclass(frozen=True)
class Figures:
    """The figures of a race: by server and metric, the value of each round (None where it was not measured).

    Nothing is decided on those of servers in `doubts`, which says why. `bounds` are the metrics of a server whose
    figures are bounds: "≥" where the true one is at least the figure, "≤" where it is at most, both where neither is
    known.
    """

    entrants: Mapping[str, Entrant]
    ranked: Mapping[str, bool]
    values: Mapping[str, Mapping[str, Mapping[int, float | None]]]
    doubts: Mapping[str, str] = field(default_factory=dict)
    bounds: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def rounds(self, server: str, metric: str) -> dict[int, float]:
        """The rounds of a server in which the metric was measured."""
        measured = self.values.get(server, {}).get(metric, {})
        return {number: value for number, value in sorted(measured.items()) if value is not None}

    def open_ends(self, metric: str, a: Iterable[str], b: Iterable[str] = (), metric_of_b: str = "") -> str:
        """Which ends of the ratio of `a` to `b`, or of the mean of `a`, are open since figures are bounds."""
        above, below = (
            [self.bounds.get(server, {}).get(key, "") for server in group]
            for group, key in ((a, metric), (b, metric_of_b or metric))
        )
        return open_ends(above, below)

    def matching(self, selector: Selector | AnyOf) -> list[str]:
        """The entrants that a selector means, by id."""
        return [name for name, entrant in self.entrants.items() if selector.matches(entrant)]

    def floors(self, servers: Iterable[str]) -> dict[str, str]:
        """The floors of those of the servers that have one in the race, by server; all by id."""
        found = {}
        for name in servers:
            load = self.entrants[name].load
            there = {id_: one.server for id_, one in self.entrants.items() if one.load == load}
            programs = [one for one in there.values() if isinstance(one, Floor)]
            if floor := floor_of(self.entrants[name].server, programs):
                found[name] = next(id_ for id_, one in there.items() if one is floor)
        return found

    def paired(
        self, metric: str, a: Sequence[str], b: Sequence[str], metric_of_b: str = ""
    ) -> tuple[list[float], list[float]] | None:
        """Geometric means of two groups in the rounds that all have; None without such a round, or with a zero."""
        rounds = [self.rounds(one, key) for group, key in ((a, metric), (b, metric_of_b or metric)) for one in group]
        common = [number for number in rounds[0] if all(number in others for others in rounds)]
        if not common or any(values[number] <= 0 for values in rounds for number in common):
            return None

        def mean(group: Sequence[dict[int, float]], number: int) -> float:
            return math.exp(math.fsum(math.log(values[number]) for values in group) / len(group))

        split = len(a)
        return (
            [mean(rounds[:split], number) for number in common],
            [mean(rounds[split:], number) for number in common],
        )


def comparisons(figures: Figures, metrics: Sequence[str]) -> list[Comparison]:
    """Every two servers in every metric; a server on a stand-in is compared with none.

    Those of a metric are decided together, by Holm's levels: in at least 95 of 100 races of
    equal servers none is called higher.
    """
    return [one for metric in metrics for one in _compared(figures, metric)]


def _compared(figures: Figures, metric: str) -> Iterator[Comparison]:
    pairs = list(combinations(figures.entrants, 2))
    on_stand_in = {pair for pair in pairs if not all(figures.ranked[server] for server in pair)}
    paired = {
        (a, b): rounds for a, b in pairs if (a, b) not in on_stand_in and (rounds := figures.paired(metric, [a], [b]))
    }
    levels = dict(zip(paired, holm([ratio_p(*rounds) for rounds in paired.values()]), strict=True))
    for a, b in pairs:
        if rounds := paired.get((a, b)):
            confidence = 1 - levels[a, b]
            ratio = ratio_interval(*rounds, confidence)
            higher = 0 if {a, b} & figures.doubts.keys() else side(ratio, figures.open_ends(metric, [a], [b]))
            verdict = {1: A_HIGHER, -1: B_HIGHER}.get(higher, UNDECIDED)
            yield Comparison(metric, a, b, ratio, verdict, confidence)
        else:
            yield Comparison(metric, a, b, None, STAND_IN if (a, b) in on_stand_in else UNDECIDED)


def open_ends(a: Iterable[str], b: Iterable[str]) -> str:
    """Which ends of a ratio are open, by the bounds of what is above and of what is below."""
    turned = "".join(b).translate(str.maketrans(AT_LEAST + AT_MOST, AT_MOST + AT_LEAST))
    return "".join(sorted({*"".join(a), *turned}))


def ends(interval: Interval, open_ends: str) -> tuple[float | None, float | None]:
    """The ends of an interval, of which some are open; both None without an interval."""
    if interval.low is None or interval.high is None:
        return None, None
    return -math.inf if AT_MOST in open_ends else interval.low, math.inf if AT_LEAST in open_ends else interval.high


def side(ratio: Interval, open_ends: str) -> int:
    """1 above 1, -1 below, 0 if that is not decided."""
    low, high = ends(ratio, open_ends)
    return 0 if low is None or high is None else (low > 1) - (high < 1)
