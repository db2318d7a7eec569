"""Server against server: the ratios of their figures, as matrices and as lists with their intervals."""

from dataclasses import dataclass

from markupsafe import Markup

from samewire.race.metrics import metric
from samewire.report import axes, charts
from samewire.report.entrants import Comparison, Entrant
from samewire.report.model import Race

_SIGNS = {"higher": "▲", "lower": "▼", "undecided": "≈"}


@dataclass(frozen=True)
class Ratio:
    """A cell of a matrix: a row's server to a column's, the verdict with its sign, and all of it in words."""

    column: int
    text: str
    verdict: str
    sign: str
    told: str


@dataclass(frozen=True)
class Matrix:
    """Servers by servers in one metric: rows of (server, cells), a cell being None where two are not compared."""

    title: str
    rows: list[tuple[Entrant, list[Ratio | None]]]


def matrices(race: Race) -> list[Matrix]:
    """The ratios of each metric in which ranked servers were compared, those by request last."""
    return [matrix for key in _compared(race) if (matrix := _matrix(race, key))]


def _matrix(race: Race, key: str) -> Matrix | None:
    servers = race.comparable
    rows = [
        (a, [_ratio(race, column, race.pair(key, a, b)) for column, b in enumerate(servers, start=1)]) for a in servers
    ]
    return Matrix(metric(key).name, rows) if any(cell for _, cells in rows for cell in cells) else None


def _ratio(race: Race, column: int, pair: Comparison | None) -> Ratio | None:
    if not pair:
        return None
    text = pair.ratio.mean_text()
    interval = f" ({pair.ratio.interval_text()})" if pair.ratio.has_interval else ""
    told = f"{race.name(pair.a)} ÷ {race.name(pair.b)}: {text}{interval}, {pair.verdict}"
    return Ratio(column, text, pair.verdict, _SIGNS.get(pair.verdict, ""), told)


def _compared(race: Race) -> list[str]:
    return [*race.kind.compared, *(key for key in race.compared if " of " in key)]


@dataclass(frozen=True)
class Forest:
    """Ratios of all pairs of ranked servers in one metric: rows of (comparison, names, strip, verdict)."""

    title: str
    rows: list[tuple[Comparison, tuple[str, str], Markup, str]]
    scale: Markup


def forests(race: Race) -> list[Forest]:
    """The ratios of each metric in which ranked servers were compared, those by request last."""
    return [forest for key in _compared(race) if (forest := _forest(race, key))]


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
