"""The short table for the terminal."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from samewire.race.claims import describe
from samewire.race.metrics import metric
from samewire.race.verdicts import NOT_TESTED
from samewire.report.compare import changes, differences
from samewire.report.entrants import Entrant, Group
from samewire.report.model import Race
from samewire.report.numbers import count
from samewire.report.record import Finding
from samewire.report.verdict import verdict

_LONGEST = 88
_STYLES = {"holds": "green", "does not hold": "red", "undecided": "yellow"}


def print_summary(run: dict[str, Any], console: Console, report: Path | None = None) -> None:
    """Print a race in a width of 80: verdict, ranked servers, those on stand-ins apart, findings, warnings, path."""
    race = Race(run)
    console.print()
    console.print(escape(verdict(race)), style="bold", highlight=False)
    for group in race.groups:
        console.print()
        console.print(escape(group.title), style="italic", highlight=False)
        console.print(_table(race, group))
    console.print()
    if race.findings:
        console.print(_findings(race.findings))
    in_runs = sum(len(entrant.warnings) for entrant in race.entrants)
    for warning in race.warnings + [f"{count(in_runs, 'warning')} in single runs: see the report"] * bool(in_runs):
        console.print(f"[yellow]warning:[/] {escape(warning)}", highlight=False)
    if report:
        console.print(f"report: {escape(str(report))}", highlight=False, soft_wrap=True)


def print_changes(first: Race, second: Race, console: Console) -> None:
    """Print what was different about two races, and how the figures of servers that were in both changed."""
    for race, name in ((first, "first"), (second, "second")):
        console.print(f"{name}: {race.data['started_at']}, {count(race.rounds, 'round')}", highlight=False)
    table = Table(title="What was different", title_justify="left", box=None, padding=(0, 1, 0, 0))
    for heading in ("", "first", "second"):
        table.add_column(heading, overflow="fold", max_width=44)
    for one in differences(first, second):
        table.add_row(one.name, *(_short(value) for value in (one.first, one.second)))
    console.print()
    console.print(table if table.rows else "Nothing was different about the two that is recorded.")
    table = Table(title="What changed", title_justify="left", box=None, padding=(0, 1, 0, 0))
    for heading in ("metric", "server"):
        table.add_column(heading)
    for heading in ("first", "second", "second ÷ first"):
        table.add_column(heading, justify="right", no_wrap=True)
    for change in (found := changes(first, second)):
        ratio = describe(change.ratio, "")
        style = "" if change.decided else "dim"
        table.add_row(change.metric, change.server, change.first, change.second, ratio, style=style)
    console.print()
    console.print(table)
    undecided = sum(not change.decided for change in found)
    console.print(f"Dim: {undecided} of {len(found)} are undecided.", highlight=False)


def _short(value: object) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _findings(findings: Sequence[Finding]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    untested = sum(finding.verdict == NOT_TESTED for finding in findings)
    for finding in findings:
        if finding.verdict != NOT_TESTED:
            table.add_row(Text(finding.verdict, style=_STYLES.get(finding.verdict, "dim")), Text(finding.text))
    if untested:
        table.add_row(Text(NOT_TESTED, style="dim"), Text(f"{count(untested, 'finding')}: the report says why"))
    return table


def _table(race: Race, group: Group) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("rank", no_wrap=True)
    table.add_column("server", overflow="ellipsis", no_wrap=True, max_width=26)
    for key in race.kind.brief:
        table.add_column(metric(key).short, justify="right", no_wrap=True)
    for entrant in group.entrants:
        figures = (_cell(race, entrant, key) for key in race.kind.brief)
        table.add_row(race.rank(entrant), escape(entrant.name), *figures)
    return table


def _cell(race: Race, entrant: Entrant, key: str) -> str:
    estimate = entrant.estimate(key)
    if key == race.ranking.metric and estimate.has_interval:
        return f"{estimate.mean_text()}\n[dim]{estimate.interval_text()}[/]"
    return estimate.mean_text()
