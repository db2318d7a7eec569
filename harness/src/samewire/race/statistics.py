"""Intervals for few rounds.

All are Student's t intervals (Student, "The Probable Error of a Mean", Biometrika 6, 1908): with the mean m and the
standard deviation s of n values, m ± t · s / √n, where t is the 97.5 % quantile of the t distribution with n − 1
degrees of freedom. A bootstrap of five rounds is much too narrow: `tests/test_race_statistics.py` shows it.

Times, rates and sizes are positive and their noise is multiplicative, so they are taken on the logarithmic scale, where
a mean is the logarithm of the geometric mean and a difference that of a ratio (Bland & Altman, "The use of
transformation when comparing two means", BMJ 312, 1996).
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache

from scipy import stats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean of `n` rounds and its 95 % interval; `low` and `high` are None for a single round."""

    mean: float
    low: float | None
    high: float | None
    n: int

    def as_dict(self) -> dict[str, float | int | None]:
        """The interval as run.json holds it."""
        return asdict(self)


@cache
def _quantile(n: int) -> float:
    return float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))


def _t_interval(values: Sequence[float]) -> tuple[float, float | None, float | None]:
    n = len(values)
    mean = math.fsum(values) / n
    if n == 1:
        return mean, None, None
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = _quantile(n) * deviation / math.sqrt(n)
    return mean, mean - half, mean + half


def mean_interval(values: Sequence[float]) -> Interval:
    """The mean of rounds: geometric, by t on logarithms, if all values are positive; else arithmetic, by plain t.

    Shares may be zero, and only they. Raises ValueError without values.
    """
    if not values:
        raise ValueError("no rounds")
    if min(values) > 0:
        mean, low, high = _t_interval([math.log(value) for value in values])
        return Interval(math.exp(mean), *(None if end is None else math.exp(end) for end in (low, high)), len(values))
    return Interval(*_t_interval(values), len(values))


def ratio_interval(a: Sequence[float], b: Sequence[float]) -> Interval:
    """The ratio a / b of rounds taken in pairs: t on the logarithms of the ratios of each round.

    Pairing takes out what changes from round to round for both alike. Raises ValueError unless all values are positive
    and there are as many of `a` as of `b`.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} rounds against {len(b)}")
    if min(*a, *b) <= 0:
        raise ValueError("a ratio needs positive values")
    return mean_interval([x / y for x, y in zip(a, b, strict=True)])


def correlation_interval(values: Sequence[float]) -> Interval:
    """The mean of the correlations of rounds: t on their transforms z = artanh r, which are nearly normal.

    Fisher, "On the probable error of a coefficient of correlation deduced from a small sample", Metron 1, 1921. A
    correlation of exactly ±1, whose z is infinite, is taken as the nearest number below it. Raises ValueError without
    values.
    """
    if not values:
        raise ValueError("no rounds")
    nearly_one = math.nextafter(1.0, 0.0)
    z = _t_interval([math.atanh(max(-nearly_one, min(nearly_one, value))) for value in values])
    return Interval(*(None if end is None else math.tanh(end) for end in z), len(values))
