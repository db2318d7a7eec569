"""Axes of the charts: where a value lies (0 to 1 along the axis) and where the ticks go."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Axis:
    """`at` maps a value to its place, 0 at the origin and 1 at the far end; ticks are (value, label).

    The tick at `base` is the one from which lengths or ratios are read.
    """

    at: Callable[[float], float]
    ticks: tuple[tuple[float, str], ...]
    base: float | None = None


def linear(high: float, steps: int = 4) -> Axis:
    """From 0 to a round number that is not below `high`, in about so many round steps."""
    high = high if high > 0 else 1.0
    magnitude = 10 ** math.floor(math.log10(high / steps))
    step = next(m * magnitude for m in (1, 2, 2.5, 5, 10) if m * magnitude * steps >= high * 0.999)
    top = math.ceil(high / step - 1e-9) * step
    ticks = tuple((i * step, _label(i * step)) for i in range(round(top / step) + 1))
    return Axis(lambda value: value / top, ticks, base=0)


def logarithmic(low: float, high: float, room: float = math.inf) -> Axis:
    """From a round number at or below `low` to one at or above `high`, both positive.

    Ticks are at 1, 2 and 5, or only at powers of ten where there would be many or their labels, side by side, have no
    room: so many characters along the axis.
    """
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    marks = [mark * 10.0**exponent for exponent in exponents for mark in (1, 2, 5)]
    start = max(mark for mark in marks if mark <= low * 1.0001)
    end = min(mark for mark in [*marks, marks[-1] * 2] if mark >= high * 0.9999 and mark > start)
    span = math.log(end / start)
    inside = [mark for mark in marks if start <= mark <= end]
    powers = [mark for mark in inside if math.isclose(math.log10(mark) % 1, 0, abs_tol=1e-9)]
    choices = [inside] * (len(inside) <= 8) + [powers[::step] for step in range(1, len(powers) + 1)]
    ticks = next((choice for choice in choices if _have_room(choice, room / span)), inside)
    return Axis(lambda value: math.log(value / start) / span, tuple((mark, _label(mark)) for mark in ticks))


def _have_room(ticks: Sequence[float], room: float) -> bool:
    """Whether the labels of ticks, with a blank between them, have room: so many characters for a factor of e."""
    return all(
        math.log(b / a) * room >= (len(_label(a)) + len(_label(b))) / 2 + 1 for a, b in itertools.pairwise(ticks)
    )


_RATIOS = (
    (0.9, 0.95, 1.05, 1.1), (0.8, 0.9, 1.1, 1.25), (0.7, 0.8, 1.25, 1.4), (0.5, 0.7, 1.4, 2), (0.3, 0.5, 2, 3),
    (0.2, 0.5, 2, 5), (0.1, 0.3, 3, 10), (0.05, 0.2, 5, 20), (0.02, 0.1, 10, 50), (0.01, 0.1, 10, 100),
)  # fmt: skip
"""Ticks of axes of ratios, left and right of 1; the outer ones have labels."""


def ratio(low: float, high: float) -> Axis:
    """A logarithmic axis with 1 in the middle, wide enough for `low` and `high`, both positive."""
    reach = max(high, 1 / low)
    power = math.ceil(math.log10(reach) - 1e-9)
    far = (10.0**-power, 0.1, 10, 10.0**power)
    ticks = next((ticks for ticks in _RATIOS if max(ticks[-1], 1 / ticks[0]) >= reach * 0.9999), far)
    end = max(ticks[-1], 1 / ticks[0])
    inner = tuple((tick, "") for tick in ticks[1:-1])
    outer = tuple((tick, _label(tick)) for tick in (ticks[0], 1.0, ticks[-1]))
    return Axis(lambda value: 0.5 + math.log(value) / math.log(end) / 2, inner + outer, base=1)


def percentiles(low: float = 0.1, high: float = 0.999) -> Axis:
    """Shares of requests on a scale that gives each further nine the same room."""

    def nines(share: float) -> float:
        return -math.log10(1 - share)

    ticks = tuple((share, f"{100 * share:g}") for share in (0.1, 0.5, 0.9, 0.99, 0.999) if low <= share <= high)
    return Axis(lambda share: (nines(share) - nines(low)) / (nines(high) - nines(low)), ticks)


def places(labels: Sequence[str]) -> Axis:
    """One place after another, 1 for the first label, with some room at either end."""
    margin = 0.4
    span = len(labels) - 1 + 2 * margin
    return Axis(lambda value: (value - 1 + margin) / span, tuple(enumerate(labels, start=1)))


def _label(value: float) -> str:
    """All digits of a tick, which has few, but for what binary fractions add: `0.001`, `2.5`, `1,000`."""
    return f"{Decimal(f'{value:.10g}'):,f}"
