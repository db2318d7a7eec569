"""Verdicts on a study's findings, and comparisons of servers with each other."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from samewire.race.experiment import Entrant, Finding, Selector
from samewire.race.statistics import Interval, mean_interval, ratio_interval

HOLDS = "holds"
FAILS = "does not hold"
UNDECIDED = "undecided"
STAND_IN = "not comparable: stand-in"
NOT_TESTED = "not tested"


@dataclass(frozen=True)
class Figures:
    """The figures of a race: by server and metric, the value of each round (None where it was not measured)."""

    entrants: Mapping[str, Entrant]
    ranked: Mapping[str, bool]
    values: Mapping[str, Mapping[str, Mapping[int, float | None]]]

    def rounds(self, server: str, metric: str) -> dict[int, float]:
        """The rounds of a server in which the metric was measured."""
        measured = self.values.get(server, {}).get(metric, {})
        return {number: value for number, value in sorted(measured.items()) if value is not None}

    def matching(self, selector: Selector) -> list[str]:
        """The entrants that a selector means, by id."""
        return [name for name, entrant in self.entrants.items() if selector.matches(entrant)]

    def ratio(self, metric: str, a: Sequence[str], b: Sequence[str]) -> Interval | None:
        """The ratio of two groups (geometric means) over the rounds that all have; None without one, or with a zero."""
        rounds = [self.rounds(server, metric) for server in (*a, *b)]
        common = [number for number in rounds[0] if all(number in others for others in rounds)]
        if not common or any(values[number] <= 0 for values in rounds for number in common):
            return None

        def mean(group: Sequence[dict[int, float]], number: int) -> float:
            return math.exp(math.fsum(math.log(values[number]) for values in group) / len(group))

        split = len(a)
        return ratio_interval(
            [mean(rounds[:split], number) for number in common], [mean(rounds[split:], number) for number in common]
        )


def comparisons(figures: Figures, metrics: Sequence[str]) -> list[dict]:
    """Every two servers in every metric; a server on a stand-in is compared with none."""
    rows = []
    for metric in metrics:
        for a, b in combinations(figures.entrants, 2):
            row = {"metric": metric, "a": a, "b": b, "ratio": None, "verdict": UNDECIDED}
            if not (figures.ranked[a] and figures.ranked[b]):
                row["verdict"] = STAND_IN
            elif ratio := figures.ratio(metric, [a], [b]):
                row["ratio"] = ratio.as_dict()
                if ratio.low is not None and ratio.low > 1:
                    row["verdict"] = "a higher"
                elif ratio.high is not None and ratio.high < 1:
                    row["verdict"] = "b higher"
            rows.append(row)
    return rows


@dataclass(frozen=True)
class _Test:
    """One interval against a claim; `text` says of what."""

    interval: Interval
    text: str
    at_least: float | None
    at_most: float | None
    unit: str

    @property
    def verdict(self) -> str:
        low, high = self.interval.low, self.interval.high
        if low is None or high is None:
            return UNDECIDED
        floor = -math.inf if self.at_least is None else self.at_least
        ceiling = math.inf if self.at_most is None else self.at_most
        if floor <= low and high <= ceiling:
            return HOLDS
        return FAILS if high < floor or low > ceiling else UNDECIDED

    @property
    def margin(self) -> float:
        """How far the mean is inside the claim; the smallest of several decides what is shown."""
        mean = self.interval.mean
        return min(
            math.inf if self.at_least is None else mean - self.at_least,
            math.inf if self.at_most is None else self.at_most - mean,
        )

    def ours(self) -> dict:
        """Our value as run.json holds it."""
        interval = self.interval
        return {
            "value": interval.mean, "low": interval.low, "high": interval.high, "unit": self.unit,
            "text": f"{self.text}: {describe(interval, self.unit)}",
        }  # fmt: skip


def describe(interval: Interval, unit: str) -> str:
    """An interval in words, such as `1.42 × (1.31 to 1.54)`."""
    mean = f"{interval.mean:.3g} {unit}".rstrip()
    if interval.low is None or interval.high is None:
        return f"{mean} (one round, no interval)"
    return f"{mean} ({interval.low:.3g} to {interval.high:.3g})"


def judge(finding: Finding, figures: Figures) -> dict:
    """The verdict on a finding, with our value and the reason, as run.json holds it."""
    row = {"id": finding.id, "text": finding.text, "published": finding.published, "ours": None}
    groups = _groups(finding, figures)
    if missing := [selector for selector, group in groups if not group]:
        lacking = "; none has ".join(map(str, missing))
        return row | {"verdict": NOT_TESTED, "why": f"no server in this race has {lacking}"}
    involved = list(dict.fromkeys(server for _, group in groups for server in group))
    if unmeasured := [server for server in involved if not figures.rounds(server, finding.metric)]:
        return row | {"verdict": NOT_TESTED, "why": f"no figures of {', '.join(unmeasured)}"}
    if stand_ins := [server for server in involved if not figures.ranked[server]]:
        return row | {"verdict": STAND_IN, "why": f"on a stand-in for the database: {', '.join(stand_ins)}"}
    tests = _tests(finding, figures, [group for _, group in groups])
    if tests is None:
        return row | {"verdict": NOT_TESTED, "why": "a figure is zero, or no round has all of the figures"}
    verdicts = {test.verdict for test in tests}
    verdict = FAILS if FAILS in verdicts else UNDECIDED if UNDECIDED in verdicts else HOLDS
    # What is shown is the test on which the verdict hangs.
    decisive = min((test for test in tests if test.verdict == verdict), key=lambda test: test.margin)
    return row | {"ours": decisive.ours(), "verdict": verdict, "why": _why(verdict, tests, decisive)}


def _groups(finding: Finding, figures: Figures) -> list[tuple[Selector, list[str]]]:
    """The servers that a finding is about: the subject and the others, or one group for each place of an order."""
    if finding.order:
        return [(selector, figures.matching(selector)) for selector in finding.order]
    assert finding.subject
    subject = figures.matching(finding.subject)
    groups = [(finding.subject, subject)]
    if finding.others:
        groups.append((finding.others, [name for name in figures.matching(finding.others) if name not in subject]))
    return groups


def _tests(finding: Finding, figures: Figures, groups: list[list[str]]) -> list[_Test] | None:
    """The claims of a finding with our intervals; None when one of them cannot be had."""
    metric, bounds = finding.metric, (finding.at_least, finding.at_most)
    if finding.order:
        pairs = [(groups[place], groups[place + 1]) for place in range(len(groups) - 1)]
        bounds = (1.0, None)
    elif finding.others:
        pairs = _pairs(finding, figures, *groups)
    else:
        intervals = [(server, mean_interval(list(figures.rounds(server, metric).values()))) for server in groups[0]]
        return [_Test(interval, server, *bounds, unit="") for server, interval in intervals]
    tests = []
    for a, b in pairs:
        ratio = figures.ratio(metric, a, b)
        if ratio is None:
            return None
        tests.append(_Test(ratio, f"{_named(a)} to {_named(b)}", *bounds, unit="×"))
    return tests


def _pairs(
    finding: Finding, figures: Figures, subject: list[str], others: list[str]
) -> list[tuple[list[str], list[str]]]:
    if finding.compare == "mean":
        return [(subject, others)]
    if finding.compare == "each":
        return [(subject, [other]) for other in others]

    def mean(server: str) -> float:
        return mean_interval(list(figures.rounds(server, finding.metric).values())).mean

    extreme = min if finding.compare == "lowest" else max
    return [(subject, [extreme(others, key=mean)])]


def _named(group: list[str]) -> str:
    return group[0] if len(group) == 1 else f"mean of {len(group)} servers"


def _why(verdict: str, tests: list[_Test], decisive: _Test) -> str:
    bounds = [
        f"at least {decisive.at_least:g}" if decisive.at_least is not None else "",
        f"at most {decisive.at_most:g}" if decisive.at_most is not None else "",
    ]
    claim = " and ".join(filter(None, bounds))
    if verdict == UNDECIDED and decisive.interval.low is None:
        return "one round gives no interval"
    ways = {
        HOLDS: f"the whole interval is {claim}",
        FAILS: f"no part of the interval is {claim}",
        UNDECIDED: f"only a part of the interval is {claim}",
    }
    others = len(tests) - 1
    return ways[verdict] + (f"; the closest of {others + 1} comparisons is shown" if others else "")
