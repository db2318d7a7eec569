"""The table of attacks as the page of the atlas shows it: attacks down, stacks or servers across."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from samewire.attack import results, rows
from samewire.attack.judge import OTHERS
from samewire.attack.results import Result
from samewire.attack.rows import Attack, Step
from samewire.contract.wire import Part
from samewire.manifest import Server

WITHSTANDS, FALLS, WAITS = "withstands", "does not withstand", "others wait"
_KINDS = {WITHSTANDS: 0, FALLS: 1, WAITS: 2}
_NAME = "hostile-clients"

Columns = Mapping[str, Sequence[Server]]
"""Name of a column → the servers in it."""


def level(columns: Columns, services: Sequence[str]) -> dict:
    """All attacks on all stacks, a theme for each file of attacks: a level of `samewire.atlas.page`."""
    known = {server.id: results.read(server) for servers in columns.values() for server in servers}
    every: dict[str, Attack] = {}
    for service in services:
        every |= {one.id: one for one in _in_full(service) if one.id not in every}
    in_order = sorted(every.values(), key=lambda one: one.row.partition("/")[0])
    themes = [
        {"name": name, "about": several[0].about, "cases": _cases(several, columns, known)}
        for name, group in groupby(in_order, key=lambda one: one.row.partition("/")[0])
        if (several := list(group))
    ]
    title = "Hostile clients: what becomes of each stack"
    return {"name": _NAME, "title": title, "columns": list(columns), "themes": themes}


def theme(columns: Columns, service: str) -> dict:
    """The attacks on the servers of one service: a theme of `samewire.atlas.page`."""
    known = {server.id: results.read(server) for servers in columns.values() for server in servers}
    about = "What becomes of each server under thousands of them"
    return {"name": _NAME, "about": about, "cases": _cases(_in_full(service), columns, known)}


def of_server(server: Server) -> list[tuple[str, str, str, str]]:
    """Attack, outcome, why, and figures: a row for each attack that was made on the server in full."""
    known = {server.id: results.read(server)}
    found = [(one, _cell(one, [server], known)) for one in _in_full(server.service)]
    return [(one.id, cell[0], cell[1], cell[3]) for one, cell in found if cell]


def _in_full(service: str) -> list[Attack]:
    return [one for _, full in rows.load(service) for one in full]


def _cases(attacks: Sequence[Attack], columns: Columns, known: Mapping[str, Mapping[str, Result]]) -> list[dict]:
    return [
        {
            "id": row,
            "why": sizes[0].why,
            "client": "",
            "rows": [
                [
                    one.id.partition("[")[2].rstrip("]"),
                    [f"each client: {'; '.join(map(told, one.steps))}"],
                    [_cell(one, servers, known) for servers in columns.values()],
                ]
                for one in sizes
            ],
        }
        for row, group in groupby(attacks, key=lambda one: one.row)
        if (sizes := list(group))
    ]


def _cell(one: Attack, servers: Sequence[Server], known: Mapping[str, Mapping[str, Result]]) -> list[Any] | None:
    """`[outcome, why, kind, figures]`: the worst of these servers; None if nothing is known."""
    found = [(server, result) for server in servers if (result := known[server.id].get(one.id))]
    if not found:
        return None
    falls: dict[str, list[str]] = {}
    for server, result in found:
        for problem in dict.fromkeys(map(_brief, result.problems)):
            falls.setdefault(problem, []).append(server.folder.name)
    waits = [server.limits.get(one.row, "") for server, result in found if result.excused]
    outcome = FALLS if falls else WAITS if waits else WITHSTANDS
    fallen = "; ".join(f"{', '.join(names)}: {problem}" for problem, names in falls.items())
    why = fallen or " ".join(dict.fromkeys(waits))
    slowest = max(result.others_seconds for _, result in found)
    growth = max(result.memory_mib for _, result in found)
    at_once = max(result.at_once for _, result in found)
    shared = f"; up to {at_once} servers at once" if at_once > 1 else ""
    return [outcome, why, _KINDS[outcome], f"others {slowest:.2f} s, +{growth} MiB{shared}"]


def _brief(problem: str) -> str:
    """How long others waited stands in the figures."""
    return "others wait too long" if problem.startswith(f"{OTHERS} took") else problem


def told(step: Step) -> str:
    """What a client does in a step, in words."""
    match step:
        case {"send": parts}:
            return f"sends {_bytes(parts)}"
        case {"exchange": parts, "seconds": seconds}:
            return f"sends {_bytes(parts)} and reads for {seconds} s at most"
        case {"drip": drip}:
            return f"sends {drip['bytes']!r} every {drip['every']} s, {drip['times']} times"
        case {"sip": sip}:
            return f"reads {sip['bytes']} bytes every {sip['every']} s, {sip['times']} times"
        case {"read": limits}:
            return f"reads for {limits['seconds']} s at most"
        case {"wait": seconds}:
            return f"waits {seconds} s"
        case {"arrived": True}:
            return "waits until all has arrived"
        case {"half_close": True}:
            return "ends its side"
        case {"reset": True}:
            return "resets the connection"
    raise ValueError(step)


def _bytes(parts: Sequence[Part]) -> str:
    data = b"".join(part for part in parts if isinstance(part, bytes))
    start = data[:48].decode("latin-1").encode("unicode_escape").decode("ascii")
    return f"{start}{'…' if len(data) > 48 else ''} ({len(data):,} bytes)"
