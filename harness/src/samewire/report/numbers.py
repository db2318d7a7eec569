"""How figures are written: three significant digits, thousands apart, an interval as exact as its mean."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from samewire.race.same import Rate

ABSENT = "–"
NO_BOUND = "~"
"""Stands before a figure that may be too high or too low."""


@dataclass(frozen=True)
class Estimate:
    """A mean over `n` rounds with its 95 % interval; whatever could not be measured is None.

    `bound` is "≥" where the true mean is at least this one, "≤" where it is at most, both where neither is known.
    """

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    bound: str = ""

    @classmethod
    def of(cls, data: Mapping[str, Any] | None) -> Self:
        """Read {"mean", "low", "high", "n"}; null and NaN both mean "not measured"."""
        data = data or {}
        return cls(_finite(data.get("mean")), _finite(data.get("low")), _finite(data.get("high")), data.get("n", 0))

    @property
    def has_interval(self) -> bool:
        return self.mean is not None and self.low is not None and self.high is not None

    def scaled(self, factor: float) -> Self:
        """The same in another unit."""
        mean, low, high = (None if x is None else x * factor for x in (self.mean, self.low, self.high))
        return replace(self, mean=mean, low=low, high=high)

    def mean_text(self) -> str:
        """The mean, after a sign if it is a bound, or a dash."""
        if self.mean is None:
            return ABSENT
        sign = NO_BOUND if len(self.bound) > 1 else self.bound
        return f"{sign} {number(self.mean, self._decimals())}".lstrip()

    def interval_text(self) -> str:
        """`low–high`, or a dash when there is no interval."""
        if not self.has_interval:
            return ABSENT
        return f"{number(self.low, self._decimals())}–{number(self.high, self._decimals())}"

    def _decimals(self) -> int:
        there = [value for value in (self.mean, self.low, self.high) if value is not None]
        whole = all(math.isclose(value, round(value), rel_tol=1e-9) for value in there)
        return 0 if whole else decimals_for(self.mean)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def decimals_for(value: float) -> int:
    """Decimals that leave three significant digits, never more than three."""
    if value == 0:
        return 0
    return min(3, max(0, 2 - math.floor(math.log10(abs(value)))))


def number(value: float, decimals: int | None = None) -> str:
    """A number with thousands apart and, unless told otherwise, three significant digits."""
    text = f"{value:,.{decimals_for(value) if decimals is None else decimals}f}"
    return text.replace("-", "−")


def bytes_text(value: float) -> str:
    """A size in bytes with two or three digits: `4 B`, `5.4 kB`, `157 kB`."""
    unit = next((unit for unit, power in (("MB", 6), ("kB", 3)) if value >= 0.9995 * 10**power), "B")
    size = value / {"MB": 1e6, "kB": 1e3, "B": 1}[unit]
    return f"{size:.1f} {unit}" if size < 9.95 and unit != "B" else f"{size:.0f} {unit}"


def count(value: int, noun: str) -> str:
    """`1 round`, `5 rounds`."""
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


def moment(iso: str) -> str:
    """An ISO time as `21 November 2026, 03:43 UTC`; a text that is no time comes back as it is."""
    try:
        time = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{time.day} {time:%B %Y, %H:%M} {time.tzname() or ''}".rstrip()


def elapsed(start: str, end: str) -> str:
    """The time between two ISO times as `6 min 12 s`, or nothing when they are no times."""
    try:
        seconds = round((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
    except (TypeError, ValueError):
        return ""
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def enumeration(texts: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def rate_text(rate: Rate) -> str:
    """How often something happened, with its interval: `4 %; 95 % interval 2 to 7 %`."""
    share, low, high = (f"{100 * part:.0f}" for part in (rate.false / rate.races, *rate.interval))
    return f"{share} %; 95 % interval {low} to {high} %"
