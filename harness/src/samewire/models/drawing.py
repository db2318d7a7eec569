"""A drawing as SVG: lanes from the top to the bottom, time from left to right.

It is 360 units wide, the width of a telephone in pixels, and shown a third larger where there is room. Colours follow
the reader's light or dark scheme. What a lane does is told by a pattern, too.
"""

from collections import Counter
from collections.abc import Iterable

from markupsafe import Markup

from samewire.models.lanes import KINDS, Drawing, LanesError, Message, Span
from samewire.report.charts import tag

WIDTH = 360
_SHOWN = 4 / 3
_MARGIN, _ABOVE = 12, 4
_NAME_AT = _MARGIN + 16
"""Where names of lanes begin: beside messages of the very begin."""
_LANE = 46
_BAR_AT, _BAR = 18, 22
"""Where in its lane a bar begins, and how high it is; the lane's name stands above it."""
_FONT = 12
_CHARACTER = 0.6 * _FONT
"""More than the mean width of a character, whatever sans-serif there is."""
_PADDING = 2
_APART = 4
"""Between messages of the same time."""
_LEGEND = 34

_STYLE = """
svg { --paper: #fdfcfa; --ink: #1f2226; --soft: #5c6167; --runs: #1d4f86; --on-runs: #ffffff; --held: #fbe3cd;
  --held-line: #f0c79c; --on-held: #783800; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #17191c; --ink: #e6e4df; --soft: #a3a7ad; --runs: #8dbdf0; --on-runs: #0d1f33; --held: #46290d;
    --held-line: #6b431c; --on-held: #fbc38c; }
}
.paper { fill: var(--paper); }
.lane { fill: var(--ink); font-weight: 600; stroke: var(--paper); stroke-width: 3; paint-order: stroke; }
.base { stroke: var(--soft); stroke-opacity: .35; }
.runs { fill: var(--runs); }
.blocked { fill: url(#held); stroke: var(--on-held); stroke-width: .75; }
.waits { fill: var(--paper); stroke: var(--soft); stroke-dasharray: 2 2; }
text.runs { fill: var(--on-runs); }
text.blocked { fill: var(--on-held); stroke: var(--held); stroke-width: 3; paint-order: stroke; }
text.waits, .legend { fill: var(--ink); stroke: none; }
.held { fill: var(--held); }
.held-line { stroke: var(--held-line); stroke-width: 2; }
.message { stroke: var(--ink); marker-end: url(#head); }
.head { fill: var(--ink); }
"""
_DEFINITIONS = Markup(
    '<defs><pattern id="held" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect class="held" width="6" height="6"/><line class="held-line" x1="0" y1="0" x2="0" y2="6"/></pattern>'
    '<marker id="head" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto">'
    '<path class="head" d="M0 0 6 3 0 6z"/></marker></defs>'
)


def svg(drawing: Drawing) -> str:
    """The whole SVG file. Raises LanesError when a label does not fit into its span."""
    height = _ABOVE + len(drawing.lanes) * _LANE + _LEGEND
    parts = [
        tag("title", drawing.title, id="title"),
        tag("desc", drawing.text, id="text"),
        tag("style", Markup(_STYLE)),
        _DEFINITIONS,
        tag("rect", class_="paper", width=WIDTH, height=height),
        *_lines(drawing),
        *(_message(drawing, one, place) for one, place in _places(drawing.messages)),
        *(part for span in drawing.spans for part in _span(drawing, span)),
        # After the messages, which pass behind the names.
        *(tag("text", name, class_="lane", x=_NAME_AT, y=_top(drawing, name) - 5) for name in drawing.lanes),
        *_legend(drawing, height),
    ]
    size = {"width": f"{WIDTH * _SHOWN:g}", "height": f"{height * _SHOWN:g}"}
    opening = tag(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {height}", role="img",
        aria_labelledby="title text", **size,
    ).removesuffix("</svg>")  # fmt: skip
    return "\n".join((opening, *parts, "</svg>", ""))


def _x(drawing: Drawing, time: float) -> float:
    return _MARGIN + (WIDTH - 2 * _MARGIN) * time / drawing.end


def _top(drawing: Drawing, lane: str) -> int:
    """Where a lane's bars begin."""
    return _ABOVE + drawing.lanes.index(lane) * _LANE + _BAR_AT


def _lines(drawing: Drawing) -> list[Markup]:
    """The line of each lane, on which it does nothing."""
    middles = (_top(drawing, lane) + _BAR / 2 for lane in drawing.lanes)
    return [tag("line", class_="base", x1=_MARGIN, x2=WIDTH - _MARGIN, y1=f"{y:g}", y2=f"{y:g}") for y in middles]


def _span(drawing: Drawing, span: Span) -> list[Markup]:
    left, right, top = _x(drawing, span.start), _x(drawing, span.end), _top(drawing, span.lane)
    if len(span.label) * _CHARACTER + 2 * _PADDING > right - left:
        raise LanesError(
            f"{drawing.where}: the label {span.label!r} is too long for its span of lane {span.lane!r}: "
            f"{int((right - left - 2 * _PADDING) / _CHARACTER)} characters fit"
        )
    size = {"x": f"{left:.1f}", "y": top, "width": f"{right - left:.1f}", "height": _BAR}
    bar = tag("rect", class_=span.kind, rx=2, **size)
    if not span.label:
        return [bar]
    middle = {"x": f"{(left + right) / 2:.1f}", "y": top + _BAR / 2, "dy": "0.35em", "text_anchor": "middle"}
    return [bar, tag("text", span.label, class_=span.kind, **middle)]


def _places(messages: Iterable[Message]) -> list[tuple[Message, int]]:
    """Each message with its number among those of the same time."""
    found, taken = [], Counter[float]()
    for one in messages:
        found.append((one, taken[one.at]))
        taken[one.at] += 1
    return found


def _message(drawing: Drawing, one: Message, place: int) -> Markup:
    start, end = _top(drawing, one.sender), _top(drawing, one.receiver)
    down = start < end
    # At the right edge there is no room to the right.
    across = _x(drawing, one.at) + (place if one.at < drawing.end else -place) * _APART
    ends = {"y1": start + _BAR * down, "y2": end + _BAR * (not down)}
    return tag("line", class_="message", x1=f"{across:.1f}", x2=f"{across:.1f}", **ends)


def _legend(drawing: Drawing, height: int) -> list[Markup]:
    """What the patterns mean, of those that are there, and where time goes."""
    found: list[Markup] = []
    left, y = _MARGIN, height - 12
    for kind in KINDS:
        if any(span.kind == kind for span in drawing.spans):
            found.append(tag("rect", class_=kind, x=left, y=y - 10, width=14, height=12, rx=2))
            found.append(tag("text", kind, class_="legend", x=left + 19, y=y))
            left += 19 + round(len(kind) * _CHARACTER) + 14
    return [*found, tag("text", "time →", class_="legend", x=WIDTH - _MARGIN, y=y, text_anchor="end")]
