"""Jobs that take long, some at once, each with a line on the terminal."""

import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event

import psutil
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from samewire.cli.output import console
from samewire.process import kill_tree

CORES = len(os.sched_getaffinity(0))
"""How many jobs this machine has room for at once."""


def with_progress(
    jobs: Mapping[str, Callable[[], object]], at_once: int = 1, passed_over: type[Exception] | tuple[()] = ()
) -> dict[str, Exception]:
    """Run the jobs, so many at once; a line shows that each runs, and at its end how long it took.

    The first problem is raised, and no other job is begun, unless it is one to be passed over: those are returned, by
    the job's name. Side by side they may do nothing but run commands: whichever still run when a problem is raised, or
    when this is interrupted, are killed.
    """
    problems: dict[str, Exception] = {}
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    ended, under_way = Event(), set()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:

        def run(name: str, job: Callable[[], object]) -> None:
            # First this, then the question: so whoever ends it all sees every job that goes on.
            under_way.add(name)
            task, started = progress.add_task(name, total=None), time.monotonic()
            try:
                if ended.is_set():
                    return
                job()
            except passed_over as problem:
                problems[name] = problem
                progress.console.print(f"[red]✗[/] {name} ({time.monotonic() - started:.1f} s)", highlight=False)
                return
            except BaseException:
                ended.set()
                raise
            finally:
                progress.remove_task(task)
                under_way.discard(name)
            progress.console.print(f"[green]✓[/] {name} ({time.monotonic() - started:.1f} s)", highlight=False)

        if at_once == 1:
            for name, job in jobs.items():
                run(name, job)
            return problems
        with ThreadPoolExecutor(at_once) as pool:
            # An interruption may also come while the jobs are handed over.
            try:
                for done in as_completed([pool.submit(run, name, job) for name, job in jobs.items()]):
                    done.result()
            except BaseException:
                ended.set()
                # Again and again: who has begun may be just about to start a command.
                while under_way:
                    for command in psutil.Process().children():
                        kill_tree(command.pid)
                    time.sleep(0.1)
                raise
    return problems
