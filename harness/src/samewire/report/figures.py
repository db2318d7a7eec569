"""The charts of the page: which figures of a race go where."""

import itertools
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from samewire.race.metrics import metric
from samewire.race.workloads import Kind
from samewire.report import axes, charts, histograms
from samewire.report.entrants import Comparison, Entrant, Group
from samewire.report.model import Race, ReportError
from samewire.report.numbers import Estimate, bytes_text, number

_NARROWEST = 45
"""Characters of labels that fit below a chart on a page of 360 pixels."""

_DASHES = {"polling": "dotted", "socket.io-batched": "dashed"}


# Line charts


@dataclass(frozen=True)
class Panel:
    """A chart of one group with the lines in it."""

    group: Group
    title: str
    chart: Markup
    lines: list[charts.Line]


def over_time(race: Race) -> list[Panel]:
    """The rate over time: the mean over the rounds and, behind it, the least and the greatest of them."""
    seconds = {entrant.id: _per_second(race.kind, entrant) for entrant in race.entrants}
    top = max((max(rates) for each in seconds.values() for rates in each.values()), default=0)
    last = max((second for each in seconds.values() for second in each), default=1)
    drawn = {}
    for entrant in race.entrants:
        if each := seconds[entrant.id]:
            # A row tells of the second that ends with it: its middle is half a second earlier.
            points = [(second - 0.5, statistics.fmean(rates)) for second, rates in each.items()]
            band = [(second - 0.5, min(rates), max(rates)) for second, rates in each.items()] if race.rounds > 1 else ()
            usual = statistics.median(rate for _, rate in points)
            drawn[entrant.id] = _line(race, entrant, points, usual, band)

    def tell(entrant: Entrant) -> str:
        return f"{entrant.name} mostly about {number(drawn[entrant.id].label_at)} per second"

    spans = _ramps(race.data["parameters"], last)
    title = f"{race.kind.rate} over {last} seconds"
    return _panels(race, drawn, axes.linear(last, steps=6), axes.linear(top), title, tell, spans)


def _per_second(kind: Kind, entrant: Entrant) -> dict[int, list[int]]:
    """The right answers, or the deliveries, in each second, one number for each round."""
    rates: dict[int, list[int]] = {}
    for run in entrant.runs:
        for row in run.load.series:
            rates.setdefault(round(row["t_s"]), []).append(kind.counted(row))
    return dict(sorted(rates.items()))


def _ramps(parameters: Mapping[str, Any], last: float) -> list[tuple[float, float, str]]:
    """The ramps of the load as parts of the time axis, as far as the parameters tell them."""
    up, hold, down = (parameters.get(key) for key in ("ramp_up_s", "hold_s", "ramp_down_s"))
    if not all(isinstance(part, int | float) for part in (up, hold, down)):
        return []
    spans = [(0, min(up, last), "up"), (up + hold, min(up + hold + down, last), "down")]
    return [(start, end, label) for start, end, label in spans if start < end]


def distributions(race: Race) -> list[Panel]:
    """Latency against the share of requests or deliveries, all rounds merged."""
    merged = {}
    for entrant in race.entrants:
        try:
            distribution = histograms.merge((run.load.hdr, run.load.hdr_unit) for run in entrant.runs)
        except ValueError as error:
            raise ReportError(f"run.json: latency histogram of {entrant.id}: {error}") from error
        if distribution:
            merged[entrant.id] = distribution
    points = {server: _curve(distribution) for server, distribution in merged.items()}
    range_ms = charts.bounds(value for curve in points.values() for _, value in curve if value > 0)
    if not range_ms:
        return []
    drawn = {
        entrant.id: _line(race, entrant, curve, curve[-1][1])
        for entrant in race.entrants
        if (curve := [(share, max(value, range_ms[0])) for share, value in points.get(entrant.id, ())])
    }

    def tell(entrant: Entrant) -> str:
        told = ((share, merged[entrant.id].percentile(share)) for share in (0.5, 0.9, 0.99, 0.999))
        return f"{entrant.name} {', '.join(f'{number(value)} ms at {100 * share:g} %' for share, value in told)}"

    return _panels(race, drawn, axes.percentiles(), axes.logarithmic(*range_ms), "Latency by percentile", tell)


def _curve(distribution: histograms.Distribution) -> list[tuple[float, float]]:
    """Points from 10 % to 99.9 %, evenly spaced along the axis; it ends before a single one would be the share."""
    start, end = -math.log10(0.9), min(3.0, math.log10(distribution.count))
    shares = [1 - 10 ** -(start + (end - start) * i / 80) for i in range(81)]
    return [(share, distribution.percentile(share)) for share in shares]


def _line(
    race: Race,
    entrant: Entrant,
    points: Sequence[tuple[float, float]],
    label_at: float,
    band: Sequence[tuple] = (),
    marks: Sequence[tuple] = (),
) -> charts.Line:
    """The line of an entrant: dashed for a variant, and for a second store where both are ranked and share a panel.

    A stack may have several transports, in one hue: the line of polling is dotted (of a variant: dashed and dotted),
    that of batches dashed.
    """
    stores = sorted({other.store for other in race.comparable})
    second = bool(entrant.variant) or (entrant.ranked and stores.index(entrant.store) > 0)
    dash = " ".join(dict.fromkeys(filter(None, (_DASHES.get(entrant.transport), "dashed" if second else ""))))
    return charts.Line(entrant.name, entrant.hue, entrant.shape, points, label_at, band, dash, marks)


def _panels(
    race: Race,
    drawn: Mapping[str, charts.Line],
    x: axes.Axis,
    y: axes.Axis,
    title: str,
    tell: Callable[[Entrant], str],
    spans: Sequence[tuple[float, float, str]] = (),
    heading: str = "",
) -> list[Panel]:
    """One chart for each group, below a heading where there are several of a group.

    The axes are the same, so that the eye does not take different sizes for equal ones.
    """
    panels = []
    for group in race.groups:
        shown = [entrant for entrant in group.entrants if entrant.id in drawn]
        if shown:
            lines = [drawn[entrant.id] for entrant in shown]
            alternative = f"{title}, {group.title}: {'; '.join(map(tell, shown))}."
            chart = charts.lines(lines, x, y, alternative=alternative, spans=spans)
            panels.append(Panel(group, _title(race, group, heading), chart, lines))
    return panels


def _title(race: Race, group: Group, heading: str) -> str:
    """The heading of a chart, if it has one, with the group unless there is no other."""
    return heading if heading and len(race.groups) == 1 else ", ".join(filter(None, (heading, group.title)))


# Charts by sample


def by_sample(race: Race) -> list[Panel]:
    """Each metric that is told by sample: the figures of every server, from one sample to the next."""
    return [panel for key, logarithmic in race.kind.by_sample for panel in _by_sample(race, key, logarithmic)]


def _by_sample(race: Race, key: str, logarithmic: bool) -> list[Panel]:
    estimates = {
        entrant.id: {
            place: figure
            for place, figure in enumerate(of_samples(race, entrant, key), start=1)
            if figure.mean is not None and (figure.mean > 0 or not logarithmic)
        }
        for entrant in race.entrants
    }
    ends = [end for each in estimates.values() for one in each.values() for end in (one.mean, one.low, one.high)]
    reach = charts.bounds(end for end in ends if end is not None and end > 0)
    if not reach:
        return []
    lowest = reach[0] if logarithmic else 0.0
    shown = [entrant for entrant in race.entrants if estimates[entrant.id]]
    drawn = {}
    for turn, entrant in enumerate(shown):
        # Side by side, so that one interval does not hide another.
        aside = (turn - (len(shown) - 1) / 2) * min(0.12, 0.6 / len(shown))
        marks = [
            (place + aside, one.mean, *((max(one.low, lowest), one.high) if one.has_interval else (one.mean, one.mean)))
            for place, one in estimates[entrant.id].items()
        ]
        drawn[entrant.id] = _line(race, entrant, [mark[:2] for mark in marks], marks[-1][1], marks=marks)
    known = metric(key)
    title = f"{known.name}, {known.unit}" if known.unit else known.name

    def tell(entrant: Entrant) -> str:
        told = (
            f"{one.mean_text()} at {race.samples[place - 1]['name']}" for place, one in estimates[entrant.id].items()
        )
        return f"{entrant.name} {', '.join(told)}"

    y = axes.logarithmic(*reach) if logarithmic else axes.linear(reach[1])
    return _panels(race, drawn, _sample_axis(race), y, f"{title}, by sample", tell, heading=title)


def of_samples(race: Race, entrant: Entrant, key: str) -> list[Estimate]:
    """The figures of a server in a metric, one for each sample."""
    return [entrant.estimate(f"{key} of sample {sample['name']}") for sample in race.samples]


def _sample_axis(race: Race) -> axes.Axis:
    """A place for each sample, labelled with its name, the mean size and, for want of room below that, its unit."""
    return axes.places(["\n".join((one["name"], *bytes_text(one["mean_bytes"]).split())) for one in race.samples])


def variability(race: Race) -> list[Panel]:
    """The coefficient of variation of latency against context switches per second, by server and sample."""
    found: dict[str, list[charts.Point]] = {}
    for entrant in race.entrants:
        pairs = zip(of_samples(race, entrant, "switches_per_s"), of_samples(race, entrant, "latency_cv"), strict=True)
        found[entrant.id] = [
            charts.Point(sample["name"], entrant.hue, entrant.shape, switches.mean, cv.mean)
            for sample, (switches, cv) in zip(race.samples, pairs, strict=True)
            if switches.mean and cv.mean is not None
        ]
    rates = charts.bounds(point.x for points in found.values() for point in points)
    if not rates:
        return []
    x = axes.logarithmic(*rates, room=_NARROWEST)
    y = axes.linear(max(point.y for points in found.values() for point in points))
    panels = []
    for group in race.groups:
        shown = [entrant for entrant in group.entrants if found[entrant.id]]
        if shown:
            told = (
                f"{entrant.name} {', '.join(f'{number(one.y)} at {number(one.x)}' for one in found[entrant.id])}"
                for entrant in shown
            )
            alternative = f"Variability at so many context switches per second, {group.title}: {'; '.join(told)}."
            points = [point for entrant in shown for point in found[entrant.id]]
            lines = [charts.Line(entrant.name, entrant.hue, entrant.shape, (), 0) for entrant in shown]
            title = _title(race, group, metric("latency_cv").name)
            panels.append(Panel(group, title, charts.scatter(points, x, y, alternative=alternative), lines))
    return panels


# Charts that are tables


@dataclass(frozen=True)
class Forest:
    """Ratios of all pairs of ranked servers in one metric: rows of (comparison, names, strip, verdict)."""

    title: str
    rows: list[tuple[Comparison, tuple[str, str], Markup, str]]
    scale: Markup


def forests(race: Race) -> list[Forest]:
    """The ratios of each metric in which ranked servers were compared, those by request last."""
    by_request = [key for key in race.compared if " of " in key]
    return [forest for key in (*race.kind.compared, *by_request) if (forest := _forest(race, key))]


def _forest(race: Race, key: str) -> Forest | None:
    pairs = race.pairs(key)
    reach = charts.bounds(value for pair in pairs for value in (pair.ratio.mean, pair.ratio.low, pair.ratio.high))
    if not reach:
        return None
    axis = axes.ratio(*reach)
    rows = []
    for pair in pairs:
        names = race.name(pair.a), race.name(pair.b)
        undecided = pair.verdict == "undecided"
        drawn = charts.strip(charts.Row(None, 0, pair.ratio, hollow=undecided), axis)
        rows.append((pair, names, drawn, "undecided" if undecided else f"{names[0]} {pair.verdict}"))
    return Forest(metric(key).name, rows, charts.scale(axis))


@dataclass(frozen=True)
class DotTable:
    """Figures of every server with a chart in each row: for each group its rows of (entrant, strip, figures)."""

    title: str
    unit: str
    legend: tuple[tuple[str, str], ...]
    groups: list[tuple[Group, list[tuple[Entrant, Markup, list[Estimate]]]]]
    scale: Markup


def resources(race: Race) -> list[DotTable]:
    """CPU, memory, threads, context switches and, where they were measured, bytes and waits for a disk."""
    unit = race.kind.unit
    parts = {"server": "", "database": "database_", "generator": "generator_"}
    bars = [(f"part {part}", part, f"{prefix}cpu_us_per_{unit}") for part, prefix in parts.items()]
    memory = [("dot hollow", "idle", "pss_idle_bytes"), ("dot", "peak", "pss_peak_bytes")]
    threads = [("dot hollow", "idle", "threads_idle"), ("dot", "peak", "threads_peak")]
    operations = [("dot hollow", "send", "bytes_per_send"), ("dot", "receive", "bytes_per_receive")]
    single = (f"switches_per_{unit}", "switches_per_s", "iowait_share", "uploaded_bytes_per_s", "bytes_per_s")
    tables = (
        _dot_table(race, f"CPU per {unit}", bars, _bar, sum),
        _dot_table(race, "Memory, PSS", memory, _dots, max),
        _dot_table(race, "Threads", threads, _dots, max),
        *(_dot_table(race, metric(key).name, [("dot", "", key)], _dots, max) for key in single),
        _dot_table(race, "Bytes of an operation", operations, _dots, max, steps=2),
    )
    return [table for table in tables if table]


def _bar(entrant: Entrant, kinds: Sequence[str], figures: Sequence[Estimate], axis: axes.Axis) -> Markup:
    lengths = [(kind, figure.mean or 0.0) for kind, figure in zip(kinds, figures, strict=True)]
    return charts.stack(entrant.hue, lengths, axis)


def _dots(entrant: Entrant, kinds: Sequence[str], figures: Sequence[Estimate], axis: axes.Axis) -> Markup:
    *before, last = figures
    return charts.strip(charts.Row(entrant.hue, entrant.shape, last, *before), axis)


def _dot_table(
    race: Race,
    title: str,
    columns: Sequence[tuple[str, str, str]],
    draw: Callable[[Entrant, Sequence[str], Sequence[Estimate], axes.Axis], Markup],
    reach: Callable[[Iterable[float]], float],
    steps: int = 4,
) -> DotTable | None:
    """A table of the (class, name, metric) columns that were measured at all; `reach` tells how far a row's go.

    Where figures are long, the labels of fewer `steps` of the axis fit a telephone.
    """
    there = [any(entrant.estimate(key).mean is not None for entrant in race.entrants) for _, _, key in columns]
    if not any(there):
        return None
    kinds, names, keys = zip(*itertools.compress(columns, there), strict=True)
    figures = {entrant.id: [entrant.estimate(key) for key in keys] for entrant in race.entrants}
    axis = axes.linear(max(reach(one.high or one.mean or 0.0 for one in row) for row in figures.values()), steps)
    groups = [
        (group, [(one, draw(one, kinds, figures[one.id], axis), figures[one.id]) for one in group.entrants])
        for group in race.groups
    ]
    legend = tuple(zip(kinds, names, strict=True)) if any(names) else ()
    return DotTable(title, metric(keys[0]).unit, legend, groups, charts.scale(axis))
