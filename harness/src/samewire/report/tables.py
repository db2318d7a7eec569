"""The data as CSV (RFC 4180, UTF-8, a header line): for spreadsheets and for statistics of one's own."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from samewire.race.metric import CONVERSATION
from samewire.report.entrants import Entrant
from samewire.report.model import Race, measured

_WHO = ("server", "store", "database", "ranked")


def all_tables(race: Race) -> dict[str, str]:
    """The tables by name: summary.csv, runs.csv, series.csv, and of a conversation server-log.csv.

    Units are those of run.json and stand in the names of columns.
    """
    found = {"summary.csv": summary(race), "runs.csv": runs(race), "series.csv": series(race)}
    return found | ({"server-log.csv": server_log(race)} if race.kind.name == CONVERSATION else {})


def summary(race: Race) -> str:
    """One line for each server and metric: mean, 95 % interval, the number of rounds, and whether it is a bound."""
    lines = [
        {**_who(entrant), "metric": key, **asdict(entrant.summary[key]), "bound": entrant.bounds.get(key, "")}
        for entrant in race.entrants
        for key in measured(race)
        if key in entrant.summary
    ]
    return _csv((*_WHO, "metric", "mean", "low", "high", "n", "bound"), lines)


def runs(race: Race) -> str:
    """One line for each run, in the order in which they ran."""
    lines, by_id = [], {entrant.id: entrant for entrant in race.entrants}
    for run in race.runs:
        place = {"round": run.round, "position": run.position, "started_at": run.started_at}
        line = {**_who(by_id[run.server]), **place, "requests": run.load.requests, **run.load.conversation}
        line |= {f"errors_{kind}": number for kind, number in run.load.hold_errors.items()}
        line |= {f"status_{status}": number for status, number in run.load.statuses.items()}
        line |= run.metrics
        lines.append(line | {"warnings": " | ".join(run.warnings)})
    return _csv(_columns(_WHO, lines, last="warnings"), lines)


def series(race: Race) -> str:
    """One line for each second of each run and each of its parts: load, server, database, generator.

    Where a run goes through samples, seconds of the load are those of one sample's, which is named.
    """
    lines, by_id = [], {entrant.id: entrant for entrant in race.entrants}
    for run in race.runs:
        who = {**_who(by_id[run.server]), "round": run.round}
        for name, rows in run.load.series_of_samples.items():
            lines += [{**who, "of": "load", "sample": name, **row} for row in rows]
        parts = {"load": run.load.series, **run.processes}
        lines += [{**who, "of": part, **row} for part, rows in parts.items() for row in rows]
    return _csv(_columns((*_WHO, "round", "of", "t_s"), lines), lines)


def server_log(race: Race) -> str:
    """One line for each second of a conversation: users, the server's memory and CPU, messages in all and in it."""
    lines, by_id = [], {entrant.id: entrant for entrant in race.entrants}
    for run in race.runs:
        who = {**_who(by_id[run.server]), "round": run.round}
        # The generator counts by its clock, the sampler by its own, and both begin with the first user.
        used = {round(row["t_s"]): row for row in run.processes.get("server", ())}
        messages = 0
        for row in run.load.series:
            messages += row.get("sends", 0)
            second = used.get(row["t_s"], {})
            figures = {key: second.get(key) for key in ("rss_bytes", "cpu_s")}
            counted = {"t_s": row["t_s"], "users": row.get("users"), **figures}
            lines.append({**who, **counted, "messages": messages, "messages_in_second": row.get("sends")})
    columns = ("t_s", "users", "rss_bytes", "cpu_s", "messages", "messages_in_second")
    return _csv((*_WHO, "round", *columns), lines)


def _who(entrant: Entrant) -> dict[str, Any]:
    return {
        "server": entrant.id,
        "store": entrant.store,
        "database": entrant.database,
        "ranked": "yes" if entrant.ranked else "no",
    }


def _columns(first: Sequence[str], lines: Iterable[Mapping[str, Any]], last: str = "") -> list[str]:
    """The columns of all lines in the order of their first appearance."""
    seen = dict.fromkeys(first) | dict.fromkeys(key for line in lines for key in line)
    return [key for key in seen if key != last] + [last] * bool(last)


def _csv(columns: Sequence[str], lines: Iterable[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()
