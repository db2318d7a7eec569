"""A claim of a finding with our interval: whether it holds, and what is told of it."""

import math
from dataclasses import dataclass, replace

from samewire.race.comparisons import ends, side
from samewire.race.statistics import Interval
from samewire.race.verdicts import FAILS, HOLDS, UNDECIDED, Ours


@dataclass(frozen=True)
class Claim:
    """One interval against a claim; `text` says of what."""

    interval: Interval
    text: str
    at_least: float | None
    at_most: float | None
    unit: str
    open_ends: str = ""

    @property
    def verdict(self) -> str:
        low, high = ends(self.interval, self.open_ends)
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

    def ours(self) -> Ours:
        """Our value."""
        interval = self.interval
        text = f"{self.text}: {describe(interval, self.unit)}"
        return Ours(interval.mean, interval.low, interval.high, self.unit, text, self.open_ends)

    def why(self) -> str:
        """Why the verdict is what it is."""
        bounds = (("at least", self.at_least), ("at most", self.at_most))
        claim = " and ".join(f"{words} {bound:g}" for words, bound in bounds if bound is not None)
        ways = {
            HOLDS: f"the whole interval is {claim}",
            FAILS: f"no part of the interval is {claim}",
            UNDECIDED: f"only a part of the interval is {claim}",
        }
        if self.open_ends:
            return f"{ways[self.verdict]}, which is open on one side or both: a figure in it is a bound"
        return ways[self.verdict]


@dataclass(frozen=True)
class Agreement:
    """Two ratios of the same servers against the claim that both are above 1, or both below; `text` says of what."""

    first: Interval
    second: Interval
    metrics: tuple[str, ...]
    text: str
    open_ends: tuple[str, str] = ("", "")

    @property
    def verdict(self) -> str:
        sides = {side(self.first, self.open_ends[0]), side(self.second, self.open_ends[1])}
        if 0 in sides:
            return UNDECIDED
        return HOLDS if len(sides) == 1 else FAILS

    @property
    def margin(self) -> float:
        """How far the one that is closer to 1 is from it, on the logarithmic scale; negative if the sides differ."""
        logarithms = math.log(self.first.mean), math.log(self.second.mean)
        return math.copysign(min(map(abs, logarithms)), math.prod(logarithms))

    def ours(self) -> Ours:
        """Our value: the second ratio, with the first in words."""
        ours = Claim(self.second, f"{self.text}, {self.metrics[1]}", None, None, "×", self.open_ends[1]).ours()
        return replace(ours, text=f"{ours.text}; {self.metrics[0]}: {describe(self.first, '×')}")

    def why(self) -> str:
        """Why the verdict is what it is."""
        ways = {
            HOLDS: "both intervals are on the same side of 1",
            FAILS: "the two intervals are on different sides of 1",
            UNDECIDED: "one of the two intervals includes 1",
        }
        return ways[self.verdict]


def describe(interval: Interval, unit: str) -> str:
    """An interval in words, such as `1.42 × (1.31 to 1.54)`."""
    mean = f"{interval.mean:.3g} {unit}".rstrip()
    if interval.low is None or interval.high is None:
        return f"{mean} (one round, no interval)"
    return f"{mean} ({interval.low:.3g} to {interval.high:.3g})"
