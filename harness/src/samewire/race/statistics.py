"""Intervals for few rounds, and the levels at which several are judged together.

Intervals of means and ratios are Student's t intervals (Student, "The Probable Error of a Mean", Biometrika 6, 1908):
with the mean m and the standard deviation s of n values, m ± t · s / √n, where t is the quantile of the t distribution
with n − 1 degrees of freedom, the 97.5 % quantile for 95 %. A bootstrap of five rounds is much too narrow:
`tests/test_race_statistics.py` shows it.

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
    """A mean of `n` rounds, or a correlation of `n` pairs; the ends of its interval are None for a single round."""

    mean: float
    low: float | None
    high: float | None
    n: int

    def as_dict(self) -> dict[str, float | int | None]:
        """The interval as run.json holds it."""
        return asdict(self)


@cache
def _quantile(n: int, confidence: float) -> float:
    return float(stats.t.ppf((1 + confidence) / 2, n - 1))


def _t_interval(values: Sequence[float], confidence: float) -> tuple[float, float | None, float | None]:
    n = len(values)
    mean = math.fsum(values) / n
    if n == 1:
        return mean, None, None
    half = _quantile(n, confidence) * float(stats.sem(values))
    return mean, mean - half, mean + half


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The mean of rounds: geometric, by t on logarithms, if all values are positive; else arithmetic, by plain t.

    Shares may be zero, and only they. An interval that has all numbers in it is none. Raises ValueError without values.
    """
    if not values:
        raise ValueError("no rounds")
    if min(values) > 0:
        mean, low, high = _t_interval([math.log(value) for value in values], confidence)
        try:
            ends = [None if end is None else math.exp(end) for end in (low, high)]
        except OverflowError:
            # Two rounds that differ, at a high confidence: all numbers are in it.
            ends = [None, None]
        return Interval(math.exp(mean), *ends, len(values))
    return Interval(*_t_interval(values, confidence), len(values))


def _ratios(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """The ratios of rounds taken in pairs: that takes out what changes from round to round for both alike."""
    if len(a) != len(b):
        raise ValueError(f"{len(a)} rounds against {len(b)}")
    if min(*a, *b) <= 0:
        raise ValueError("a ratio needs positive values")
    return [x / y for x, y in zip(a, b, strict=True)]


def ratio_interval(a: Sequence[float], b: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The ratio a / b of rounds taken in pairs: t on the logarithms of the ratios of each round.

    Raises ValueError unless all values are positive and there are as many of `a` as of `b`.
    """
    return mean_interval(_ratios(a, b), confidence)


def ratio_p(a: Sequence[float], b: Sequence[float]) -> float:
    """The two-sided p-value of t for the hypothesis that the ratio a / b is 1; 1 of a single round.

    An interval of `ratio_interval` holds 1 unless this is below 1 − its confidence. Raises ValueError as that does.
    """
    logarithms = [math.log(ratio) for ratio in _ratios(a, b)]
    mean = abs(math.fsum(logarithms) / len(logarithms))
    if len(logarithms) == 1 or mean == 0:
        return 1.0
    error = float(stats.sem(logarithms))
    return 2 * float(stats.t.sf(mean / error, len(logarithms) - 1)) if error else 0.0


def holm(p_values: Sequence[float], alpha: float = 1 - CONFIDENCE) -> list[float]:
    """The level at which each of several hypotheses is tested, so that with `alpha` at most any is rejected wrongly.

    The smallest of m p-values is tested at alpha / m, the next at alpha / (m − 1), and so on. From the first on that
    is above its level none is rejected, and the level of all others is that one's: Holm, "A simple sequentially
    rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
    """
    levels, level, rejecting = [0.0] * len(p_values), alpha, True
    for place, number in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if rejecting:
            level = alpha / (len(p_values) - place)
            rejecting = p_values[number] <= level
        levels[number] = level
    return levels


def correlation_interval(x: Sequence[float], y: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Pearson's correlation of pairs, with the interval of so many pairs by Fisher's z, artanh r.

    Fisher, "On the probable error of a coefficient of correlation deduced from a small sample", Metron 1, 1921. Of
    three pairs or fewer it is from −1 to 1. Raises ValueError where one of the two does not vary.
    """
    if len(set(x)) < 2 or len(set(y)) < 2:
        raise ValueError("no correlation with what does not vary")
    found = stats.pearsonr(x, y)
    low, high = map(float, found.confidence_interval(confidence))
    return Interval(float(found.statistic), low, high, len(x))
