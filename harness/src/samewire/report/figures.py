"""The charts of the page: which figures of a race go where. Those by sample are in `samples`, ratios in `ratios`."""

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
from samewire.report.entrants import Entrant, Group
from samewire.report.model import Race, ReportError
from samewire.report.numbers import Estimate, count, number

_DASHES = {"polling": "dotted", "socket.io-batched": "dashed"}


# Line charts


@dataclass(frozen=True)
class Panel:
    """A chart of one group with the lines in it, and a note on what it does not show."""

    group: Group
    title: str
    chart: Markup
    lines: list[charts.Line]
    note: str = ""


def over_time(race: Race) -> list[Panel]:
    """The rate over time: the mean over the rounds and, behind it, the least and the greatest of them.

    Seconds in which a few servers still wait for the last of their answers are left out, and told of.
    """
    seconds = {entrant.id: _per_second(race.kind, entrant) for entrant in race.entrants}
    end = shown_seconds(race)
    shown = {server: {t: rates for t, rates in each.items() if t <= end} for server, each in seconds.items()}
    top = max((max(rates) for each in shown.values() for rates in each.values()), default=0)
    drawn = {}
    for entrant in race.entrants:
        if each := shown[entrant.id]:
            # A row tells of the second that ends with it: its middle is half a second earlier.
            points = [(second - 0.5, statistics.fmean(rates)) for second, rates in each.items()]
            band = [(second - 0.5, min(rates), max(rates)) for second, rates in each.items()] if race.rounds > 1 else ()
            usual = statistics.median(rate for _, rate in points)
            drawn[entrant.id] = line(race, entrant, points, usual, band)

    def tell(entrant: Entrant) -> str:
        return f"{entrant.name} mostly about {number(drawn[entrant.id].label_at)} per second"

    def beyond(entrants: Sequence[Entrant]) -> str:
        return _beyond(end, {entrant.name: seconds[entrant.id] for entrant in entrants}, race.kind.below.lower())

    spans = ramps(race.data["parameters"], end)
    title = f"{race.kind.rate} over {end} seconds"
    return panels(race, drawn, axes.linear(end, steps=6), axes.linear(top), title, tell, spans, note=beyond)


def shown_seconds(race: Race) -> int:
    """How many seconds the axes of time show."""
    seconds = [_per_second(race.kind, entrant) for entrant in race.entrants]
    return time_end([{second: sum(rates) for second, rates in each.items()} for each in seconds])


def time_end(counts: Iterable[Mapping[int, int]]) -> int:
    """Where the axis of time ends, given what each server answered in each second: the last second, or an earlier one.

    It is the second by which each server has given 99 % of its answers, but no more than twice what is usual, and not
    sooner than half of the servers end. So a straggler does not stretch the axis. Nothing is cut to save a tenth.
    """
    counts = [each for each in counts if each]
    if not counts:
        return 1
    lasts = [max(each) for each in counts]
    ends = []
    for each in counts:
        seconds = sorted(each)
        so_far = itertools.accumulate(each[second] for second in seconds)
        enough = 0.99 * sum(each.values())
        ends.append(next(second for second, answers in zip(seconds, so_far, strict=True) if answers >= enough))
    end = max(min(max(ends), 2 * statistics.median_low(ends)), statistics.median_low(lasts))
    return end if end < 0.9 * max(lasts) else max(lasts)


def _beyond(end: int, seconds: Mapping[str, Mapping[int, Sequence[int]]], answers: str) -> str:
    """What is beyond the end of the axis: how many lines, whose, how far they go, and how much of their answers."""
    cut = {name: each for name, each in seconds.items() if each and max(each) > end}
    if not cut:
        return ""
    told = []
    for name, each in cut.items():
        points = [sum(rates) for second, rates in each.items() if second > end]
        whole = sum(map(sum, each.values()))
        share = f"{sum(points):,} of its {whole:,} {answers}"
        told.append(f"{name} with {count(len(points), 'point')}, to {max(each)} s, and {share}")
    return f"{count(len(cut), 'line')} {'goes' if len(cut) == 1 else 'go'} on beyond {end} s: {'; '.join(told)}."


def _per_second(kind: Kind, entrant: Entrant) -> dict[int, list[int]]:
    """The right answers, or the deliveries, in each second, one number for each round."""
    rates: dict[int, list[int]] = {}
    for run in entrant.runs:
        for row in run.load.series:
            rates.setdefault(round(row["t_s"]), []).append(kind.counted(row))
    return dict(sorted(rates.items()))


def ramps(parameters: Mapping[str, Any], last: float) -> list[tuple[float, float, str]]:
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
        entrant.id: line(race, entrant, curve, curve[-1][1])
        for entrant in race.entrants
        if (curve := [(share, max(value, range_ms[0])) for share, value in points.get(entrant.id, ())])
    }

    def tell(entrant: Entrant) -> str:
        told = ((share, merged[entrant.id].percentile(share)) for share in (0.5, 0.9, 0.99, 0.999))
        return f"{entrant.name} {', '.join(f'{number(value)} ms at {100 * share:g} %' for share, value in told)}"

    return panels(race, drawn, axes.percentiles(), axes.logarithmic(*range_ms), "Latency by percentile", tell)


def _curve(distribution: histograms.Distribution) -> list[tuple[float, float]]:
    """Points from 10 % to 99.9 %, evenly spaced along the axis; it ends before a single one would be the share."""
    start, end = -math.log10(0.9), min(3.0, math.log10(distribution.count))
    shares = [1 - 10 ** -(start + (end - start) * i / 80) for i in range(81)]
    return [(share, distribution.percentile(share)) for share in shares]


def line(
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
    second = (
        bool(entrant.variant)
        or entrant.load != race.entrants[0].load
        or (entrant.ranked and stores.index(entrant.store) > 0)
    )
    dash = " ".join(dict.fromkeys(filter(None, (_DASHES.get(entrant.transport), "dashed" if second else ""))))
    return charts.Line(entrant.name, entrant.hue, entrant.shape, points, label_at, band, dash, marks)


def panels(
    race: Race,
    drawn: Mapping[str, charts.Line],
    x: axes.Axis,
    y: axes.Axis,
    title: str,
    tell: Callable[[Entrant], str],
    spans: Sequence[tuple[float, float, str]] = (),
    heading: str = "",
    note: Callable[[Sequence[Entrant]], str] = lambda _: "",
) -> list[Panel]:
    """One chart for each group, below a heading where there are several of a group.

    The axes are the same, so that the eye does not take different sizes for equal ones.
    """
    found = []
    for group in race.groups:
        shown = [entrant for entrant in group.entrants if entrant.id in drawn]
        if shown:
            lines = [drawn[entrant.id] for entrant in shown]
            missing = note(shown)
            alternative = f"{title}, {group.title}: {'; '.join(map(tell, shown))}. {missing}".rstrip()
            chart = charts.lines(lines, x, y, alternative=alternative, spans=spans)
            found.append(Panel(group, title_of(race, group, heading), chart, lines, missing))
    return found


def title_of(race: Race, group: Group, heading: str) -> str:
    """The heading of a chart, if it has one, with the group unless there is no other."""
    return heading if heading and len(race.groups) == 1 else ", ".join(filter(None, (heading, group.title)))


# Charts that are tables


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
