"""Charts as inline SVG without script. Colours come from the page's style sheet, so one drawing serves every theme.

Positions along x are percentages and lines are drawn in a stretched inner viewport, so a chart fills whatever width it
gets while its text keeps its size: the same drawing reads on a telephone and on paper.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from samewire.report.axes import Axis
from samewire.report.numbers import Estimate

_WIDTH = 1000  # of the stretched inner viewport; heights are in pixels
_LABEL_GAP = 16


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An SVG element; `class_` and the like lose their underscore, others in the middle become hyphens."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{written}>{''.join(escape(child) for child in children)}</{name}>")


@dataclass(frozen=True)
class Line:
    """A line of (x, y) points with its direct label; `band` is (x, low, high); `dash` sets one of two alike apart.

    `marks` are points of their own on the line, each with its interval: (x, y, low, high).
    """

    label: str
    hue: int
    points: Sequence[tuple[float, float]]
    label_at: float
    band: Sequence[tuple[float, float, float]] = ()
    dash: str = ""  # "dashed", "dotted", "dotted dashed"
    marks: Sequence[tuple[float, float, float, float]] = ()


def lines(
    drawn: Sequence[Line], x: Axis, y: Axis, *, alternative: str, height: int = 230, spans: Sequence[tuple] = ()
) -> Markup:
    """A line chart. `alternative` tells in words what it shows; `spans` are (from, to, label) parts of the x axis."""
    gutter = 20 + 6.5 * max((len(_short(line.label)) for line in drawn), default=0)
    parts = [
        tag("rect", class_="span", x=_percent(x, start), width=_length(x, start, end), y=0, height=height)
        + tag("text", label, class_="span-label middle", x=_percent(x, (start + end) / 2), y=-5)
        for start, end, label in spans
    ]
    inner = tag(
        "svg",
        *(_band(line, x, y, height) for line in drawn if line.band),
        *(_stroke(line, x, y, height) for line in drawn),
        viewBox=f"0 0 {_WIDTH} {height}", preserveAspectRatio="none", width="100%", height=height,
    )  # fmt: skip
    return tag(
        "div",
        tag(
            "svg", *parts, *_frame(x, y, height), inner, *(_marks(line, x, y, height) for line in drawn),
            _labels(drawn, y, height), height=height, aria_hidden="true",
        ),
        class_="plot", role="img", aria_label=alternative, style=f"--gutter:{gutter:.0f}px",
    )  # fmt: skip


def _frame(x: Axis, y: Axis, height: int) -> list[Markup]:
    """The grid of the y axis and the ticks of the x axis, with their labels; one at the foot may have several lines."""
    grid = [
        tag("line", class_=_weight(y, value), x1=0, x2="100%", y1=_px(y, value, height), y2=_px(y, value, height))
        + tag("text", label, class_="tick end", x=-8, y=_px(y, value, height), dy="0.32em")
        for value, label in y.ticks
    ]
    foot = [
        tag("line", class_="tick-mark", x1=_percent(x, value), x2=_percent(x, value), y1=height, y2=height + 4)
        + tag("text", first, class_="tick middle", x=_percent(x, value), y=height + 17)
        + Markup().join(
            tag("text", line, class_="tick middle below", x=_percent(x, value), y=height + 17 + 14 * row)
            for row, line in enumerate(below, start=1)
        )
        for value, label in x.ticks
        for first, *below in [label.split("\n")]
    ]
    return grid + foot


def _marks(line: Line, x: Axis, y: Axis, height: int) -> Markup:
    hue = f"hue-{line.hue}"
    drawn = []
    for a, b, low, high in line.marks:
        if low < high:
            ends = {"y1": _px(y, low, height), "y2": _px(y, high, height)}
            drawn.append(tag("line", class_=f"interval {hue}", x1=_percent(x, a), x2=_percent(x, a), **ends))
        drawn.append(tag("circle", class_=f"dot {hue}", cx=_percent(x, a), cy=_px(y, b, height), r=2))
    return Markup().join(drawn)


def _stroke(line: Line, x: Axis, y: Axis, height: int) -> Markup:
    corners = " ".join(f"{x.at(a) * _WIDTH:.1f},{_px(y, b, height)}" for a, b in line.points)
    kind = f"line hue-{line.hue} {line.dash}".rstrip()
    return tag("polyline", class_=kind, points=corners, vector_effect="non-scaling-stroke")


def _band(line: Line, x: Axis, y: Axis, height: int) -> Markup:
    there = [(a, low) for a, low, _ in line.band]
    back = [(a, high) for a, _, high in reversed(line.band)]
    corners = " ".join(f"{x.at(a) * _WIDTH:.1f},{_px(y, b, height)}" for a, b in there + back)
    return tag("polygon", class_=f"band hue-{line.hue}", points=corners)


def _labels(drawn: Sequence[Line], y: Axis, height: int) -> Markup:
    """Direct labels at the right edge, each as near to its line as its neighbours allow, tied to it by a leader."""
    wanted = sorted(((float(_px(y, line.label_at, height)), line) for line in drawn), key=lambda pair: pair[0])
    places = spread([place for place, _ in wanted], _LABEL_GAP, height)
    return tag(
        "svg",
        *(
            tag("polyline", class_=f"leader hue-{line.hue}", points=f"2,{want:.1f} 12,{place:.1f}")
            + tag("text", _short(line.label), class_=f"label hue-{line.hue}", x=16, y=f"{place:.1f}", dy="0.32em")
            for (want, line), place in zip(wanted, places, strict=True)
        ),
        x="100%", class_="labels",
    )  # fmt: skip


@dataclass(frozen=True)
class Point:
    """A point of a scatter, with the few characters that stand in it."""

    label: str
    hue: int
    x: float
    y: float


def scatter(points: Sequence[Point], x: Axis, y: Axis, *, alternative: str, height: int = 300) -> Markup:
    """A scatter of labelled points; what their hues mean has to be said beside it."""
    drawn = (
        tag("circle", class_=f"ring hue-{one.hue}", cx=_percent(x, one.x), cy=_px(y, one.y, height), r=7.5)
        + tag(
            "text", one.label, class_=f"label middle hue-{one.hue}", x=_percent(x, one.x), y=_px(y, one.y, height),
            dy="0.35em",
        )
        for one in points
    )  # fmt: skip
    return tag(
        "div",
        tag("svg", *_frame(x, y, height), *drawn, height=height, aria_hidden="true"),
        class_="plot scatter", role="img", aria_label=alternative, style="--gutter:12px",
    )  # fmt: skip


def _short(label: str) -> str:
    return label if len(label) <= 22 else f"{label[:21]}…"


def spread(wanted: Sequence[float], gap: float, limit: float) -> list[float]:
    """Ascending places, at least `gap` apart, below `limit` where they fit, near to the ascending wanted ones."""
    places: list[float] = []
    for want in wanted:
        places.append(max(want, places[-1] + gap) if places else want)
    below = limit
    for i in reversed(range(len(places))):
        places[i] = min(places[i], below)
        below = places[i] - gap
    return places


@dataclass(frozen=True)
class Mark:
    """One row of a strip: a point with its interval, and perhaps a second, hollow point."""

    hue: int | None
    estimate: Estimate
    other: Estimate | None = None
    hollow: bool = False


def strip(mark: Mark, axis: Axis, height: int = 26) -> Markup:
    """A row of a dot plot: grid, interval as a bar, mean as a point. The row's text says the same in figures."""
    hue = "neutral" if mark.hue is None else f"hue-{mark.hue}"
    middle = height / 2
    drawn = _grid(axis, height)
    if mark.other and mark.other.mean is not None:
        if mark.estimate.mean is not None:
            ends = {"x1": _percent(axis, mark.other.mean), "x2": _percent(axis, mark.estimate.mean)}
            drawn.append(tag("line", class_=f"link {hue}", y1=middle, y2=middle, **ends))
        drawn.append(tag("circle", class_=f"dot hollow {hue}", cx=_percent(axis, mark.other.mean), cy=middle, r=3.5))
    if mark.estimate.has_interval:
        ends = {"x1": _percent(axis, mark.estimate.low), "x2": _percent(axis, mark.estimate.high)}
        drawn.append(tag("line", class_=f"interval {hue}", y1=middle, y2=middle, **ends))
    if mark.estimate.mean is not None:
        kind = "dot hollow" if mark.hollow else "dot"
        drawn.append(tag("circle", class_=f"{kind} {hue}", cx=_percent(axis, mark.estimate.mean), cy=middle, r=4))
    return tag("svg", *drawn, class_="strip", height=height, aria_hidden="true")


def stack(hue: int, parts: Sequence[tuple[str, float]], axis: Axis, height: int = 26) -> Markup:
    """A stacked bar of (class, length) parts, from 0."""
    drawn, start = _grid(axis, height), 0.0
    for kind, length in parts:
        size = {"x": _percent(axis, start), "width": _length(axis, start, start + length)}
        drawn.append(tag("rect", class_=f"part {kind} hue-{hue}", y=6, height=height - 12, **size))
        start += length
    return tag("svg", *drawn, class_="strip", height=height, aria_hidden="true")


def scale(axis: Axis) -> Markup:
    """The labels of an axis below strips."""
    texts = [
        tag("text", label, class_=f"tick {_anchor(axis.at(value))}", x=_percent(axis, value), y=12)
        for value, label in axis.ticks
    ]
    return tag("svg", *texts, class_="strip", height=16, aria_hidden="true")


def _grid(axis: Axis, height: float) -> list[Markup]:
    return [
        tag("line", class_=_weight(axis, value), x1=_percent(axis, value), x2=_percent(axis, value), y1=0, y2=height)
        for value, _ in axis.ticks
    ]


def _weight(axis: Axis, value: float) -> str:
    return "grid base" if value == axis.base else "grid"


def _anchor(place: float) -> str:
    return "start" if place < 0.02 else "end" if place > 0.98 else "middle"


def _percent(axis: Axis, value: float) -> str:
    return f"{100 * axis.at(value):.2f}%"


def _length(axis: Axis, start: float, end: float) -> str:
    return f"{100 * (axis.at(end) - axis.at(start)):.2f}%"


def _px(axis: Axis, value: float, height: int) -> str:
    return f"{height * (1 - axis.at(value)):.1f}"


def bounds(values: Iterable[float | None]) -> tuple[float, float] | None:
    """The least and the greatest of the values that are there and finite; None when none is."""
    there = [value for value in values if value is not None and math.isfinite(value)]
    return (min(there), max(there)) if there else None
