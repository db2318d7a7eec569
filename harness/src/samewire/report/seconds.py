"""What servers use from second to second, as charts: users, processor, memory, threads, context switches, bytes."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from samewire.report import axes
from samewire.report.entrants import Entrant
from samewire.report.figures import Panel, line, panels, ramps, shown_seconds
from samewire.report.model import Race
from samewire.report.numbers import number
from samewire.report.record import Row, Run

_MIB = 2.0**-20


@dataclass(frozen=True)
class _Quantity:
    """Something that was read every second: in which rows of a run, and what of a row; None where it was not read."""

    title: str
    rows: Callable[[Run], list[Row]]
    of: Callable[[Row], float | None]


def _load(run: Run) -> list[Row]:
    return list(run.load.series)


def _server(run: Run) -> list[Row]:
    return list(run.processes.get("server", ()))


def _sum(row: Row, *names: str) -> float | None:
    known = [row.get(name) for name in names]
    return None if None in known else sum(known)


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


_QUANTITIES = (
    _Quantity("Users", _load, lambda row: row.get("users")),
    _Quantity("CPU of the server, cores", _server, lambda row: row.get("cpu_s")),
    _Quantity("Memory of the server, RSS, MiB", _server, lambda row: _scaled(row.get("rss_bytes"), _MIB)),
    _Quantity("Threads of the server", _server, lambda row: row.get("threads")),
    _Quantity(
        "Context switches of the server, per second",
        _server,
        lambda row: _sum(row, "voluntary_switches", "involuntary_switches"),
    ),
    _Quantity(
        "Bytes of users and server, kB/s", _server, lambda row: _scaled(_sum(row, "bytes_in", "bytes_out"), 0.001)
    ),
)


def used(race: Race) -> list[Panel]:
    """A chart of each quantity that was read; as long as that of the rate.

    None of a run that goes through samples, since their order differs from round to round.
    """
    if race.samples:
        return []
    end = shown_seconds(race)
    return [panel for quantity in _QUANTITIES for panel in _used(race, quantity, end)]


def _used(race: Race, quantity: _Quantity, end: int) -> list[Panel]:
    drawn = {}
    for entrant in race.entrants:
        seconds = _per_second(entrant, quantity, end)
        if not seconds:
            continue
        points = [(second - 0.5, statistics.fmean(values)) for second, values in seconds.items()]
        band = [(second - 0.5, min(values), max(values)) for second, values in seconds.items()]
        usual = statistics.median(value for _, value in points)
        drawn[entrant.id] = line(race, entrant, points, usual, band if race.rounds > 1 else ())
    top = max((max(high for _, high in each.points) for each in drawn.values()), default=0)
    top = max([top, *(high for each in drawn.values() for _, _, high in each.band)])
    title = f"{quantity.title}, over {end} seconds"

    def tell(entrant: Entrant) -> str:
        return f"{entrant.name} mostly about {number(drawn[entrant.id].label_at)}"

    spans = ramps(race.data["parameters"], end)
    return panels(race, drawn, axes.linear(end, steps=6), axes.linear(top), title, tell, spans, heading=quantity.title)


def _per_second(entrant: Entrant, quantity: _Quantity, end: int) -> dict[int, list[float]]:
    """What was read in each second, one number for each round that has it."""
    seconds: dict[int, list[float]] = {}
    for run in entrant.runs:
        for row in quantity.rows(run):
            value, second = quantity.of(row), round(row["t_s"])
            if value is not None and 1 <= second <= end:
                seconds.setdefault(second, []).append(value)
    return dict(sorted(seconds.items()))
