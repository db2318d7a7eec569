"""Tables for the terminal, that fit in 80 columns."""

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from samewire.outcomes import BEHIND_TLS, LAYERS, SUITE

_OUTCOMES = {"passed": "green", "failed": "red bold", "skipped": "yellow"}


def new_table(title: str, first: str, *others: str) -> Table:
    """A table whose first column is never broken."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    for column in others:
        table.add_column(column, overflow="fold")
    return table


def outcome_text(counts: Mapping[str, int]) -> str:
    """`12`: how many passed; `12/1/0`: how many passed, failed and were skipped, if not all passed."""
    if not counts:
        return "–"
    if not counts.get("failed") and not counts.get("skipped"):
        return f"[{_OUTCOMES['passed']}]{counts.get('passed', 0)}[/]"
    colours = {kind: colour if counts.get(kind) else "dim" for kind, colour in _OUTCOMES.items()}
    return "/".join(f"[{colours[kind]}]{counts.get(kind, 0)}[/]" for kind in _OUTCOMES)


def print_outcomes(console: Console, last: Mapping[str, Any]) -> None:
    """Print server × layer with the numbers of tests by outcome, contracts, databases, and why tests were skipped.

    `last` is what `outcomes.last_outcomes` gives.
    """
    outcomes: Mapping[str, Mapping[str, Mapping[str, int]]] = last["outcomes"]
    servers = {name: counts for name, counts in sorted(outcomes.items()) if name != SUITE}
    layers = [layer for layer in LAYERS if any(layer in counts for counts in servers.values())]
    table = new_table("The contract suite, server × layer: passed, or passed/failed/skipped", "server", *layers)
    for name, counts in servers.items():
        table.add_row(name, *(outcome_text(counts.get(layer, {})) for layer in layers))
    if servers:
        console.print(table)
    if SUITE in outcomes:
        console.print(f"faults that the suite must catch: {outcome_text(outcomes[SUITE]['faults'])}", highlight=False)
    for service, version in sorted(last["contracts"].items()):
        console.print(f"contract of {service}: {version}", highlight=False)
    for store, label in sorted(last["databases"].items()):
        console.print(f"{store}: {label}", highlight=False)
    if last["narrowed"]:
        console.print(f"a part of the suite: {escape(' '.join(last['narrowed']))}", highlight=False)
    for name, told in sorted(last["tls"].items()):
        console.print(f"{name}: {told}. {BEHIND_TLS}", highlight=False)
    for reason, number in sorted(last["reasons"].items()):
        console.print(f"[yellow]{number} skipped[/] {escape(reason)}", highlight=False)
