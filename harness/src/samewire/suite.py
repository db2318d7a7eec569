"""The contract suite, run: a session of pytest for each service, as many side by side as there are cores for."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event

import pytest
from rich.console import Console

from samewire.build import BuildError, build
from samewire.manifest import SelectionError, Server, find_servers, select
from samewire.outcomes import keep_outcomes, last_outcomes, nothing
from samewire.paths import CHECKOUT, CONTRACTS, STATE
from samewire.table import print_outcomes
from samewire.toolchains import ToolMissing, missing

WORKERS = 5
"""Tests that run side by side on every two cores: they wait for much of their time, and their servers do, too."""
WORKERS_OF_ONE = 6
"""At least so many where one server is judged, for whom more of the tests wait."""


def run_suite(
    console: Console,
    names: Sequence[str] = (),
    *,
    urls: Sequence[str] = (),
    service: str | None = None,
    compose: bool = False,
    layers: Sequence[str] = (),
    expression: str | None = None,
    workers: int | None = None,
    faults: bool | None = None,
    table: bool = True,
) -> int:
    """Judge servers, by name or as `NAME=URL`: 0 when all passed, 1 when something failed, 2 for a wrong call.

    Each service has a session of its own; one at a time in compose and with one worker. `workers` is how many tests of
    a session run side by side, by default as many as there are cores for. `faults` says whether the suite itself is
    judged as well, by default where no names are given. `last_outcomes` has what came of all of it.

    Raises SelectionError when there is no such server or test, ToolMissing, and KeyboardInterrupt when interrupted,
    after all that was started has been stopped.
    """
    options = [f"--layer={layer}" for layer in layers] + (["-k", expression] if expression else [])
    sessions: dict[str, list[str]] = {}
    broken: Mapping[str, BuildError] = {}
    if urls:
        chosen = select(find_servers(), names) if names else []
        given = [f"--url={url}" for url in urls] + ([f"--service={service}"] if service else [])
        sessions[service or ""] = [*given, *(f"--servers={name}" for name in names), *options]
    else:
        chosen = select(find_servers(), names)
        for server in [] if compose else chosen:
            if lacking := missing(server.needs):
                raise ToolMissing(f"{server.id} needs {lacking[0].name}, which is missing: {lacking[0].hint}")
        chosen, broken = (chosen, {}) if compose else _built(console, chosen)
        options += ["--compose"] if compose else []
        options += ["--faults"] if (not names if faults is None else faults) else []
        for server in sorted(chosen, key=lambda one: one.service):
            sessions.setdefault(server.service, list(options)).append(f"--servers={server.id}")
    at_once, fitting = side_by_side(len(os.sched_getaffinity(0)), len(sessions), len(urls) + len(chosen))
    if compose or workers == 1:
        at_once = 1
    statuses = _run_all(console, sessions, fitting if workers is None else workers, at_once)
    status = whole_status(statuses, narrowed=bool(layers or expression))
    if broken:
        status = max(status, 1)
        told = [f"{name} does not build: {str(error).splitlines()[0]}" for name, error in broken.items()]
        keep_outcomes([last_outcomes(), nothing() | {"failures": told}])
    if table:
        print_outcomes(console, last_outcomes())
    return status


def _built(console: Console, servers: Sequence[Server]) -> tuple[list[Server], dict[str, BuildError]]:
    """Those that build, and by id what is wrong with the others, which is printed."""
    good, broken = [], {}
    for server in servers:
        try:
            build(server)
            good.append(server)
        except BuildError as error:
            broken[server.id] = error
            console.print(f"[red]✗[/] {server.id} does not build; the others are judged", highlight=False)
            console.print(str(error), markup=False, highlight=False)
    return good, broken


def side_by_side(cores: int, sessions: int, servers: int) -> tuple[int, int]:
    """How many sessions, over so many servers in all, fit on so many cores at once, and how many workers each has."""
    pairs = max(1, cores // 2)
    at_once = max(1, min(pairs, sessions))
    workers = WORKERS * (pairs // at_once)
    return at_once, max(workers, WORKERS_OF_ONE) if servers == 1 else workers


def whole_status(statuses: Sequence[int], *, narrowed: bool) -> int:
    """The status of several sessions, of which some may have had no tests if only some tests were asked for."""
    without = [status for status in statuses if status == pytest.ExitCode.NO_TESTS_COLLECTED]
    if without and (not narrowed or len(without) == len(statuses)):
        raise SelectionError(
            "no test was run: nothing is called that, or has that layer (docs/how-to/run-one-layer-or-case.md)"
        )
    left = {*statuses} - {*without}
    # Any other status is of a call that pytest has found wrong, and explained.
    return 0 if left <= {pytest.ExitCode.OK} else 1 if left <= {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED} else 2


def _run_all(console: Console, sessions: Mapping[str, Sequence[str]], workers: int, at_once: int) -> list[int]:
    """The statuses of sessions with these arguments, by service; keeps what came of them as that of one."""
    started: list[subprocess.Popen[str]] = []
    interrupted = Event()
    mark = max(map(len, sessions), default=0) + 1

    def run(service: str) -> int:
        arguments = [*sessions[service], f"--outcomes={folder}/{service}.json"]
        if at_once == 1:
            if service:
                console.print(f"[bold]{service}[/]", highlight=False)
            process = _start(arguments, workers)
        else:
            process = _start(arguments, workers, width=console.width - mark, colour=console.is_terminal)
        started.append(process)
        if interrupted.is_set():
            process.send_signal(signal.SIGINT)
        if process.stdout:
            _relay(console, service.ljust(mark), process.stdout)
        return process.wait()

    with tempfile.TemporaryDirectory(dir=STATE, prefix="suite-") as folder, ThreadPoolExecutor(at_once) as pool:
        runs = [pool.submit(run, service) for service in sessions]
        while True:
            try:
                wait(runs)
                break
            except KeyboardInterrupt:
                # The suite stops what it has started when it is interrupted; it is given the time for that.
                interrupted.set()
                for waiting in runs:
                    waiting.cancel()
                for process in started:
                    process.send_signal(signal.SIGINT)
        statuses = [pytest.ExitCode.INTERRUPTED if one.cancelled() else one.result() for one in runs]
        if interrupted.is_set() or pytest.ExitCode.INTERRUPTED in statuses:
            raise KeyboardInterrupt
        keep_outcomes(last_outcomes(Path(folder, f"{service}.json")) for service in sessions)
    return statuses


def _start(
    arguments: Sequence[str], workers: int, width: int | None = None, *, colour: bool = False
) -> subprocess.Popen[str]:
    """A pytest of its own over the suite; with a `width`, what it prints is in lines so long, and can be read."""
    argv = [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", "--force-short-summary"]
    argv += ["-c", str(CONTRACTS / "pytest.ini"), str(CONTRACTS)]
    argv += [f"-n{workers}", "--dist=load", "--maxschedchunk=1"] if workers > 1 else []
    argv += ["--color=yes"] if colour else []
    # Each worker of pytest-xdist loads the suite again: compiled once, below .samewire and not beside the sources.
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(STATE / "pycache")}
    environment |= {"COLUMNS": str(width)} if width else {}
    output = subprocess.PIPE if width else None
    return subprocess.Popen(
        [*argv, *arguments], cwd=CHECKOUT, env=environment, stdout=output, text=True, errors="replace"
    )


def _relay(console: Console, mark: str, output: Iterable[str]) -> None:
    """Print a session's progress as it comes, line by line with a mark, and its report in one piece."""
    report: list[str] = []
    for line in output:
        if report or "=====" in line:
            report.append(line)
        elif line.strip():
            console.out(mark, line, sep="", end="", highlight=False)
    if report:
        console.out(mark, "\n", *report, sep="", end="", highlight=False)
