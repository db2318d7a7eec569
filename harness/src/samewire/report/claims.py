"""A finding's claim as a small chart: what it allows, and where our figure is."""

from markupsafe import Markup

from samewire.race.experiment import Finding
from samewire.race.verdicts import Ours
from samewire.report import axes
from samewire.report.axes import Axis
from samewire.report.charts import tag

_HEIGHT = 20
_CORRELATION = Axis(lambda value: (value + 1) / 2, ((-1, "-1"), (0, "0"), (1, "1")))


def chart(finding: Finding, ours: Ours) -> str:
    """The claim as an area, our interval as a line, our figure as a point; empty where they have no axis in common."""
    ends = [end for end in (finding.at_least, finding.at_most) if end is not None]
    low, high = (ours.value if end is None else end for end in (ours.low, ours.high))
    if not (axis := _axis(finding, ours, [ours.value, low, high, *ends])):
        return ""
    least = 0.0 if finding.at_least is None else axis.at(finding.at_least)
    most = 1.0 if finding.at_most is None else axis.at(finding.at_most)
    drawn = [tag("line", class_="tick", x1=_percent(at), x2=_percent(at), y1=0, y2=_HEIGHT) for at in _ticks(axis)]
    if ends:
        drawn.append(
            tag("rect", class_="claim", x=_percent(least), width=_percent(most - least), y=2, height=_HEIGHT - 4)
        )
    across = {"x1": _percent(axis.at(low)), "x2": _percent(axis.at(high))}
    drawn.append(tag("line", class_="interval", y1=_HEIGHT / 2, y2=_HEIGHT / 2, **across))
    drawn.append(tag("circle", class_="dot", cx=_percent(axis.at(ours.value)), cy=_HEIGHT / 2, r=4))
    labels = [label for _, label in sorted(axis.ticks) if label]
    return Markup('<span class="chart">{}<small>{} … {}{}</small></span>').format(
        tag("svg", *drawn, height=_HEIGHT, aria_hidden="true"), labels[0], labels[-1], f" {ours.unit}".rstrip()
    )


def _axis(finding: Finding, ours: Ours, values: list[float]) -> Axis | None:
    if finding.relation == "correlate":
        return _CORRELATION
    if ours.unit == "×":
        return axes.ratio(min(values), max(values)) if min(values) > 0 else None
    return axes.linear(max(values)) if min(values) >= 0 and max(values) > 0 else None


def _ticks(axis: Axis) -> list[float]:
    return [axis.at(value) for value, _ in axis.ticks]


def _percent(place: float) -> str:
    return f"{100 * min(max(place, 0.0), 1.0):.2f}%"
