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
from samewire.report.signs import SHAPES

_WIDTH = 1000  # of the stretched inner viewport; heights are in pixels
_LABEL_GAP = 16
_MARKS = 6  # at least so many on a line of as many points


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An SVG element; `class_` and the like lose their underscore, others in the middle become hyphens."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{written}>{''.join(escape(child) for child in children)}</{name}>")


@dataclass(frozen=True)
class Line:
    """A line of (x, y) points with its direct label; `band` is (x, low, high); `dash` and `shape` set it apart.

    `marks` are points of their own on the line, each with its interval: (x, y, low, high). A line without has its shape
    at some of its points.
    """

    label: str
    hue: int
    shape: int
    points: Sequence[tuple[float, float]]
    label_at: float
    band: Sequence[tuple[float, float, float]] = ()
    dash: str = ""  # "dashed", "dotted", "dotted dashed"
    marks: Sequence[tuple[float, float, float, float]] = ()


def lines(
    drawn: Sequence[Line], x: Axis, y: Axis, *, alternative: str, height: int = 230, spans: Sequence[tuple] = ()
) -> Markup:
    """A line chart. `alternative` tells in words what it shows; `spans` are (from, to, label) parts of the x axis."""
    gutter = 32 + 6.5 * max((len(_short(line.label)) for line in drawn), default=0)
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
            "svg", *parts, *_frame(x, y, height), inner,
            *(_marks(line, turn / len(drawn), x, y, height) for turn, line in enumerate(drawn)),
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


def mark(shape: int, x: str, y: str, radius: float, kind: str) -> Markup:
    """A mark of a shape at a place, either of which may be in per cent."""
    corners = SHAPES[shape]
    if not corners:
        return tag("circle", class_=kind, cx=x, cy=y, r=radius)
    points = " ".join(f"{radius * a:.1f},{radius * b:.1f}" for a, b in corners)
    return tag("svg", tag("polygon", points=points), class_=kind, x=x, y=y)


def key(line: Line) -> Markup:
    """The stroke and the mark of a line, for a legend."""
    kind = f"line {line.dash}".rstrip()
    stroke = [tag("line", class_=kind, x2=26, y1=6, y2=6)] if line.points else []
    return tag("svg", *stroke, mark(line.shape, "13", "6", 3.5, "dot"), width=26, height=12)


def _marks(line: Line, turn: float, x: Axis, y: Axis, height: int) -> Markup:
    """The marks of a line. Those that only tell it apart begin at its turn, so that none hides another."""
    hue = f"hue-{line.hue}"
    drawn = []
    for a, _, low, high in line.marks:
        if low < high:
            ends = {"y1": _px(y, low, height), "y2": _px(y, high, height)}
            drawn.append(tag("line", class_=f"interval {hue}", x1=_percent(x, a), x2=_percent(x, a), **ends))
    step = max(1, len(line.points) // _MARKS)
    places = [place[:2] for place in line.marks] or line.points[int(turn * step) :: step]
    drawn += [mark(line.shape, _percent(x, a), _px(y, b, height), 3, f"dot {hue}") for a, b in places]
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
            + mark(line.shape, "19", f"{place:.1f}", 3, f"dot hue-{line.hue}")
            + tag("text", _short(line.label), class_=f"label hue-{line.hue}", x=28, y=f"{place:.1f}", dy="0.32em")
            for (want, line), place in zip(wanted, places, strict=True)
        ),
        x="100%", class_="labels",
    )  # fmt: skip


@dataclass(frozen=True)
class Point:
    """A point of a scatter, with the few characters that stand in it."""

    label: str
    hue: int
    shape: int
    x: float
    y: float


def scatter(points: Sequence[Point], x: Axis, y: Axis, *, alternative: str, height: int = 300) -> Markup:
    """A scatter of labelled points; what their hues mean has to be said beside it."""
    drawn = (
        mark(one.shape, _percent(x, one.x), _px(y, one.y, height), 7.5, f"ring hue-{one.hue}")
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
class Row:
    """One row of a strip: a point with its interval, and perhaps a second, hollow point."""

    hue: int | None
    shape: int
    estimate: Estimate
    other: Estimate | None = None
    hollow: bool = False


def strip(row: Row, axis: Axis, height: int = 26) -> Markup:
    """A row of a dot plot: grid, interval as a bar, mean as a point. The row's text says the same in figures."""
    hue = "neutral" if row.hue is None else f"hue-{row.hue}"
    middle = height / 2
    drawn = _grid(axis, height)
    if row.other and row.other.mean is not None:
        if row.estimate.mean is not None:
            ends = {"x1": _percent(axis, row.other.mean), "x2": _percent(axis, row.estimate.mean)}
            drawn.append(tag("line", class_=f"link {hue}", y1=middle, y2=middle, **ends))
        drawn.append(mark(row.shape, _percent(axis, row.other.mean), f"{middle:g}", 3.5, f"dot hollow {hue}"))
    if row.estimate.has_interval:
        ends = {"x1": _percent(axis, row.estimate.low), "x2": _percent(axis, row.estimate.high)}
        drawn.append(tag("line", class_=f"interval {hue}", y1=middle, y2=middle, **ends))
    if row.estimate.mean is not None:
        kind = "dot hollow" if row.hollow else "dot"
        drawn.append(mark(row.shape, _percent(axis, row.estimate.mean), f"{middle:g}", 4, f"{kind} {hue}"))
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
