"""What a model of concurrency costs: the figures of its servers in the kept records, as tables in Markdown."""

import gzip
import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from samewire.manifest import Server
from samewire.models.lanes import Model
from samewire.models.tables import link, table
from samewire.paths import RECORDS
from samewire.race.experiment import find_experiments
from samewire.race.metrics import metric
from samewire.report import kept
from samewire.report.entrants import Entrant
from samewire.report.ledger import facts
from samewire.report.model import Race, check
from samewire.report.numbers import Estimate

_COSTS = ("cpu_us_per_request", "cpu_us_per_delivery", "threads_peak", "pss_peak_bytes")
"""The columns after what servers are ranked by; those that nobody has are left out."""
_HOW_TO_READ = (
    "A figure is the median of the rounds; the lowest and the highest stand in brackets. "
    "≥, ≤ and ~ stand before [bounds](../explanation/measuring.md#bounds). "
    "Set figures beside others of the same record only."
)


@dataclass(frozen=True)
class Kept:
    """A race whose record is kept, and the record's name."""

    name: str
    race: Race


def newest(records: Path = RECORDS) -> list[Kept]:
    """The newest kept record of each experiment, in the order of their names; none of a server against itself."""
    found: dict[str, Kept] = {}
    for name in kept.names_in(records):
        race = Race(check(json.loads(gzip.decompress(kept.file_of(name, records).read_bytes())), name))
        if not race.same:
            found[race.data["experiment"]["name"]] = Kept(name, race)
    return [found[experiment] for experiment in find_experiments() if experiment in found]


def figures(model: Model, servers: Iterable[Server], records: Sequence[Kept]) -> str:
    """A table for each record that has servers of the model, with what it is of, when and where it was measured.

    Servers and variants that are no longer there are left out, as in the ledger.
    """
    there = {server.id: server for server in servers}
    tables = [
        f"{_heading(one)}\n\n{_table(one.race, found, there)}"
        for one in records
        if (found := [entrant for entrant in one.race.entrants if _term(entrant, there) == model.term])
    ]
    return "\n\n".join([_HOW_TO_READ, *tables]) if tables else "No kept record has a server of this model."


def _server(entrant: Entrant, there: Mapping[str, Server]) -> Server | None:
    """The server of an entrant, in its variant."""
    server = None if entrant.floor else there.get(entrant.server)
    known = server and (not entrant.variant or entrant.variant in server.variants)
    return server.in_variant(entrant.variant) if server and known else None


def _term(entrant: Entrant, there: Mapping[str, Server]) -> str:
    server = _server(entrant, there)
    return server.concurrency if server else ""


def _heading(one: Kept) -> str:
    experiment = one.race.data["experiment"]
    return (
        f"**[{experiment['title']}](../../bench/experiments/{experiment['name']}.toml)**: {facts(one.race)}. "
        f"[Record](../../bench/records/{kept.file_of(one.name).name})."
    )


def _table(race: Race, entrants: Sequence[Entrant], there: Mapping[str, Server]) -> str:
    keys = [
        key
        for key in dict.fromkeys((race.ranking.metric, *_COSTS))
        if any(figure(entrant, key).mean is not None for entrant in entrants)
    ]
    header = [", ".join(filter(None, (metric(key).name, metric(key).unit))) for key in keys]
    return table(
        ["server", *header],
        ([_who(entrant, there), *(_cell(figure(entrant, key)) for key in keys)] for entrant in entrants),
    )


def figure(entrant: Entrant, key: str) -> Estimate:
    """The median of a metric over the rounds, in the unit in which it is shown, with its lowest and highest value.

    It is a bound where the record says so.
    """
    values = [value for run in entrant.runs if (value := run.metrics.get(key)) is not None]
    if not values:
        return Estimate()
    of_rounds = Estimate(statistics.median(values), min(values), max(values), len(values), entrant.bounds.get(key, ""))
    return of_rounds.scaled(metric(key).scale)


def _who(entrant: Entrant, there: Mapping[str, Server]) -> str:
    doubts = [
        *([f"load `{entrant.load}`"] if entrant.load else []),
        *([] if entrant.ranked else ["on a stand-in, not ranked"]),
        *(["not steady"] if any(run.warming and not run.warming.steady for run in entrant.runs) else []),
    ]
    return ", ".join([link(_server(entrant, there)), *doubts])


def _cell(estimate: Estimate) -> str:
    if estimate.mean is None or estimate.low == estimate.high:
        return estimate.mean_text()
    return f"{estimate.mean_text()} ({estimate.interval_text()})"
