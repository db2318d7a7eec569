"""A check: what it runs, how it went, and whether it is left out since nothing has changed."""

import os
import re
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from samewire.build import BuildError
from samewire.paths import STATE
from samewire.table import new_table
from samewire.toolchains import ToolMissing

CORES = len(os.sched_getaffinity(0))
LAST_LINES = 12
"""Of what a check that failed has printed, at the end."""


@dataclass(frozen=True)
class Check:
    """Something that was run: what it was, how long it took, and the problem, if there is one."""

    name: str
    seconds: float
    problem: str = ""
    unchanged: bool = False
    """Whether it was left out because it has passed on the very same files."""


@dataclass(frozen=True)
class Job:
    """A check to be made; `run` is None when it has passed on the very same files."""

    name: str
    run: Callable[[], object] | None


def carry_out(job: Job) -> Check:
    """Run a job, and say how it went."""
    name, started = job.name, time.monotonic()
    if job.run is None:
        return Check(name, 0.0, unchanged=True)
    try:
        job.run()
    except (BuildError, ToolMissing) as error:
        return Check(name, time.monotonic() - started, str(error))
    return Check(name, time.monotonic() - started)


def run_all(console: Console, jobs: Iterable[Job]) -> list[Check]:
    """Run jobs, as many at once as there are cores, with a line for each as it ends."""
    checks = []
    with ThreadPoolExecutor(CORES) as pool:
        for check in pool.map(carry_out, jobs):
            show(console, check)
            checks.append(check)
    return checks


def show(console: Console, check: Check) -> None:
    """Print a check that has ended: a line, and its problem if there is one."""
    mark = "[red]✗[/]" if check.problem else "[green]✓[/]"
    took = "unchanged since it passed" if check.unchanged else f"{check.seconds:.1f} s"
    console.print(f"{mark} {check.name} ({took})", highlight=False)
    if check.problem:
        console.print(check.problem, markup=False, highlight=False)


def print_checks(console: Console, checks: Iterable[Check]) -> None:
    """Print what was run, how long it took, and whether it is well."""
    table = new_table("Checks", "check", "seconds", "verdict")
    table.columns[1].justify = "right"
    for check in checks:
        reason = "see above" if "\n" in check.problem else escape(check.problem)
        passed = f"[green]passed[/]{', unchanged since' if check.unchanged else ''}"
        table.add_row(check.name, f"{check.seconds:.1f}", f"[red bold]failed[/]: {reason}" if check.problem else passed)
    console.print(table)


def once(name: str, inputs: str, run: Callable[[], object]) -> Job:
    """A job that is left out when it has passed on the very same `inputs` (a digest)."""
    stamp = STATE / "checks" / re.sub(r"\W+", "-", name)
    if stamp.exists() and stamp.read_text() == inputs:
        return Job(name, None)

    def run_and_stamp() -> None:
        run()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(inputs)

    return Job(name, run_and_stamp)
