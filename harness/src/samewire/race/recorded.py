"""The figures of races and profiles as their records hold them, so that claims can be tested on them again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from samewire.manifest import Server
from samewire.race.comparisons import Figures
from samewire.race.entrants import Entrant
from samewire.race.floors import find_floors


def figures_of(run: Mapping[str, Any], servers: Iterable[Server]) -> Figures:
    """The figures of a checked run.json, without those of servers that are not among these."""
    there = {server.id: server for server in [*servers, *find_floors()]}
    told = {one["id"]: one for one in run["servers"]}
    entrants = {
        name: Entrant(there[server], one.get("variant", ""), one.get("copy", 0), one.get("load", ""))
        for name, one in told.items()
        if (server := name.partition(":")[0].partition("@")[0].partition("#")[0]) in there
    }
    values: dict[str, dict[str, dict[int, float | None]]] = {name: {} for name in entrants}
    doubts = dict.fromkeys(entrants, run["doubt"]) if run.get("doubt") else {}
    for one in run["runs"]:
        if (name := one["server"]) not in entrants:
            continue
        for metric, value in one["metrics"].items():
            values[name].setdefault(metric, {})[one["round"]] = value
        if not one.get("warming", {}).get("steady", True):
            doubts.setdefault(name, f"not steady when it was measured: {name}")
    return Figures(
        entrants,
        {name: told[name]["ranked"] for name in entrants},
        values,
        doubts,
        {name: told[name].get("bounds", {}) for name in entrants},
    )


def figures_of_profiles(profiles: Sequence[Mapping[str, Any]], servers: Iterable[Server]) -> Figures:
    """The figures of several profile.json, each of which is a round of its server."""
    there = {server.id: server for server in servers}
    entrants: dict[str, Entrant] = {}
    values: dict[str, dict[str, dict[int, float | None]]] = defaultdict(lambda: defaultdict(dict))
    for number, one in enumerate(profiles, 1):
        server, _, variant = (name := one["server"]["id"]).partition(":")
        if server in there:
            entrants[name] = Entrant(there[server], variant)
            for metric, share in one["metrics"].items():
                values[name][metric][number] = share
    return Figures(entrants, dict.fromkeys(entrants, True), values)
