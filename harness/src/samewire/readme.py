"""What is written into README.md: the newest result of the main race, and one step on two stacks."""

import os
from collections.abc import Sequence
from pathlib import Path

from samewire.idioms.pages import fenced
from samewire.idioms.pair import pair
from samewire.idioms.steps import Step
from samewire.manifest import Server
from samewire.models import costs
from samewire.models.pages import fill
from samewire.models.tables import page_of, table
from samewire.paths import CHECKOUT, RECORDS
from samewire.race.metrics import metric
from samewire.report import kept
from samewire.report.entrants import short_names
from samewire.report.ledger import facts

PAGE = CHECKOUT / "README.md"

_SHOWN_EXPERIMENT = "shortener"
_SHOWN_STEP = "todo.create"
_COLUMNS = ("throughput_rps", "latency_p99_ms", "cpu_us_per_request", "pss_peak_bytes")


def written(servers: Sequence[Server], steps: Sequence[Step], page: Path = PAGE) -> dict[Path, str | None]:
    """README.md with its two blocks. Raises PageError if they have no place."""
    return {page: fill(page, {"results": _result(servers), "snippets": _snippets(servers, steps)})}


def _result(servers: Sequence[Server], records: Path = RECORDS) -> str:
    """The servers as they are, of the newest kept race: means with their intervals, the best first."""
    found = next(
        (one for one in costs.newest(records) if one.race.data["experiment"]["name"] == _SHOWN_EXPERIMENT), None
    )
    if not found:
        return f"No race of `{_SHOWN_EXPERIMENT}` is kept."
    there = {server.id: server for server in servers}
    entrants = [one for one in found.race.comparable if one.server in there and not one.variant]
    rows = []
    for one in entrants:
        server = there[one.server]
        name = f"[{short_names([server.name], server.service)[server.name]}]({page_of(server)})"
        shown = (one.estimate(key) for key in _COLUMNS)
        figures = (
            f"{each.mean_text()} ({each.interval_text()})" if each.has_interval else each.mean_text() for each in shown
        )
        rows.append([name, server.concurrency, *figures])
    header = [
        "server",
        "concurrency",
        *(", ".join(filter(None, (metric(key).name, metric(key).unit))) for key in _COLUMNS),
    ]
    record = os.path.relpath(kept.file_of(found.name, records), CHECKOUT)
    return (
        f"{found.race.data['experiment']['title']}:\n\n{table(header, rows)}\n\n"
        f"{facts(found.race)}. Means, in brackets their 95 % intervals; ≥, ≤ or ~ before a figure marks a "
        f"[bound](docs/explanation/measuring.md#bounds). [Record]({record})."
    )


def _snippets(servers: Sequence[Server], steps: Sequence[Step]) -> str:
    found = pair(servers, steps, _SHOWN_STEP)
    if not found:
        return "No step stands in two languages."
    parts = [f"{found.step.title}. {found.step.text} [All stacks](docs/idioms/{found.step.page})."]
    for server, regions in zip(found.servers, found.regions, strict=True):
        parts.append(f"**{server.language}**, [{server.folder.name}]({page_of(server)}), {server.concurrency}:")
        parts += [fenced(region) for region in regions]
    return "\n\n".join(parts)
