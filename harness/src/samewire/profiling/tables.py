"""What a profile tells in the terminal."""

from rich.console import Console
from rich.markup import escape

from samewire.profiling.record import Profiled, share_key
from samewire.profiling.stacks import differences
from samewire.table import new_table

MOST = 20
"""How many functions a table has."""


def print_profile(profiled: Profiled, console: Console) -> None:
    """Print the functions with the highest self shares, and what a reader has to know."""
    held, functions = profiled.content, profiled.stacks.functions()
    how = held["profiler"]
    title = f"{profiled.name}, {held['experiment']['name']}: share of samples, in percent; unranked"
    table = new_table(escape(title), "self", "total", "function")
    for name, share in list(functions.items())[:MOST]:
        table.add_row(_percent(share.self_), _percent(share.total), escape(name))
    console.print(table)
    idle = f", {held['idle_samples']:,} more of threads that waited" if held["idle_samples"] else ""
    told = f"{held['samples']:,} samples in {held['seconds']:.1f} s{idle}"
    told += f", by {how['name']} {how['version']} ({how['event']}, every {how['interval_us'] / 1000:g} ms)"
    console.print(told, highlight=False, soft_wrap=True)
    for warning in held["warnings"]:
        console.print(f"[yellow]{escape(warning)}", highlight=False, soft_wrap=True)


def print_shares(profiles: list[Profiled], patterns: tuple[str, ...], console: Console) -> None:
    """Print the share of each pattern in each profile."""
    table = new_table("share of samples with such a frame, in percent", "pattern", *(one.name for one in profiles))
    for pattern in patterns:
        table.add_row(escape(pattern), *(_percent(one.content["metrics"][share_key(pattern)]) for one in profiles))
    console.print(table)


def print_differences(first: Profiled, second: Profiled, console: Console) -> None:
    """Print the functions whose self shares differ most."""
    title = f"from {first.name} to {second.name}: share of samples, in percent; unranked"
    table = new_table(escape(title), "self", "total", "function")
    for one in differences(first.stacks, second.stacks)[:MOST]:
        self_ = f"{_percent(one.first.self_)} → {_percent(one.second.self_)}"
        table.add_row(self_, f"{_percent(one.first.total)} → {_percent(one.second.total)}", escape(one.name))
    console.print(table)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
