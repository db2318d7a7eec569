"""What a race says of samples, such as uploads of different sizes: charts, and figures for tables."""

import itertools
from operator import itemgetter

from samewire.race.metrics import metric
from samewire.report import axes, charts
from samewire.report.entrants import Entrant
from samewire.report.figures import Panel, line, panels, title_of
from samewire.report.model import Race
from samewire.report.numbers import Estimate, bytes_text, count, enumeration, number

_NARROWEST = 45
"""Characters of labels that fit below a chart on a page of 360 pixels."""


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
        drawn[entrant.id] = line(race, entrant, [mark[:2] for mark in marks], marks[-1][1], marks=marks)
    known = metric(key)
    title = f"{known.name}, {known.unit}" if known.unit else known.name

    def tell(entrant: Entrant) -> str:
        told = (
            f"{one.mean_text()} at {race.samples[place - 1]['name']}" for place, one in estimates[entrant.id].items()
        )
        return f"{entrant.name} {', '.join(told)}"

    y = axes.logarithmic(*reach) if logarithmic else axes.linear(reach[1])
    return panels(race, drawn, _sample_axis(race), y, f"{title}, by sample", tell, heading=title)


def of_samples(race: Race, entrant: Entrant, key: str) -> list[Estimate]:
    """The figures of a server in a metric, one for each sample."""
    return [entrant.estimate(f"{key} of sample {sample['name']}") for sample in race.samples]


def _sample_axis(race: Race) -> axes.Axis:
    """A place for each sample, labelled with its name; below it are the mean size of its files and, for want of room
    below that, its unit."""
    sizes = (bytes_text(one["mean_bytes"]).split() if "mean_bytes" in one else () for one in race.samples)
    return axes.places(["\n".join((one["name"], *size)) for one, size in zip(race.samples, sizes, strict=True)])


def variability(race: Race) -> list[Panel]:
    """The coefficient of variation of latency against context switches per second, by server and sample of files."""
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
    drawn = []
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
            title = title_of(race, group, metric("latency_cv").name)
            drawn.append(Panel(group, title, charts.scatter(points, x, y, alternative=alternative), lines))
    return drawn


def users_of_samples(race: Race) -> str:
    """How many users the samples have: `400 users in samples 1 to 8 and 10 users in sample 9`."""
    told = []
    for users, alike in itertools.groupby(race.samples, key=itemgetter("users")):
        first, *others = [sample["name"] for sample in alike]
        where = f"samples {first} to {others[-1]}" if others else f"sample {first}"
        told.append(f"{count(users, 'user')} in {where}")
    return enumeration(told) if told else ""
