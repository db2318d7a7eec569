"""The contract suite, run: a session of pytest for each service, as many side by side as there are cores for."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest
from rich.console import Console
from rich.markup import escape

from samewire.build import BuildError, build
from samewire.contract.services import openapi, services
from samewire.databases import needs as database_needs
from samewire.manifest import SelectionError, Server, broken_manifests, find_servers, select
from samewire.outcomes import keep_outcomes, last_outcomes, nothing
from samewire.paths import CHECKOUT, CONTRACTS, INSTALLED, STATE
from samewire.preflight import look, tls_of
from samewire.table import print_outcomes
from samewire.toolchains import DatabaseMissing, ToolMissing, missing

WORKERS = 5
"""Tests that run side by side on every two cores: they wait for much of their time, and their servers do, too."""
WORKERS_OF_ONE = 6
"""At least so many where one server is judged, for whom more of the tests wait."""
_EVERYWHERE = {"cases", "differential", "wire", "atlas"}
"""The layers that need no process, browser or hostile clients."""


@dataclass(frozen=True)
class Around:
    """What there is beside a server at a URL: commands that stop and start it, and the first port of its upstreams."""

    stop_command: str = ""
    restart_command: str = ""
    upstream_port: int = 0


def run_suite(
    console: Console,
    names: Sequence[str] = (),
    *,
    urls: Sequence[str] = (),
    service: str | None = None,
    compose: bool = False,
    layers: Sequence[str] = (),
    expression: str | None = None,
    only: Sequence[str] = (),
    known_failing: Path | None = None,
    exit_first: bool = False,
    trace: bool = False,
    workers: int | None = None,
    faults: bool | None = None,
    table: bool = True,
    around: Around | None = None,
) -> int:
    """Judge servers, by name or as `NAME=URL`: 0 when all passed, 1 when something failed, 2 for a wrong call.

    Each service has a session of its own; one at a time in compose and with one worker. `workers` is how many tests of
    a session run side by side, by default as many as there are cores for. `faults` says whether the suite itself is
    judged as well, by default where no names are given. Of the tests, `only` those of these names run; those that the
    file `known_failing` names must fail; with `exit_first` the first failure ends the run; with `trace` all exchanges
    are printed, and tests run one after the other. `around` says what is there beside a server at a URL.
    `last_outcomes` has what came of all of it.

    Raises SelectionError when there is no such server or test, NotJudged when no such server answers at a URL,
    ToolMissing, and KeyboardInterrupt when interrupted, after all that was started has been stopped.
    """
    STATE.mkdir(parents=True, exist_ok=True)
    # What any server can be asked is the whole suite for one at a URL.
    part = [] if urls and {*layers} >= _EVERYWHERE else [f"--layer {layer}" for layer in layers]
    part += [f"-k {shlex.quote(expression)}"] if expression else []
    part += [f"--only {name}" for name in only] if len(only) < 4 else [f"--only ({len(only)} names)"]
    options = [f"--layer={layer}" for layer in layers] + (["-k", expression] if expression else [])
    options += [f"--only={name}" for name in only] + ([f"--known-failing={known_failing}"] if known_failing else [])
    options += ["--exitfirst"] if exit_first else []
    if exit_first:
        # One after the other: the first failure is then the simplest.
        workers = workers or 1
    if trace:
        options += ["--wire-trace", "--capture=no", "--verbose"]
        workers = 1
    sessions: dict[str, list[str]] = {}
    broken: Mapping[str, Exception] = {}
    tls: dict[str, str] = {}
    if urls:
        chosen = select(find_servers(), names) if names else []
        for name, equals, url in (given.partition("=") for given in urls):
            if equals and service in services():
                look(url.rstrip("/"), service)
                if told := tls_of(url):
                    tls[name] = told
        given = [f"--url={url}" for url in urls] + ([f"--service={service}"] if service else [])
        sessions[service or ""] = [*given, *(f"--servers={name}" for name in names), *options]
        if service in services() and openapi(service)["info"].get("x-clients-meet"):
            # Two tests at a time would hear each other.
            workers = 1
        if around and around.upstream_port:
            # The upstreams are in the process of the tests.
            sessions[service or ""].append(f"--upstream-port={around.upstream_port}")
            workers = 1
        if around and around.stop_command:
            sessions[service or ""] += ["-m", "not alone"]
            # On its own, afterwards: all other tests need the server.
            commands = [f"--stop-command={around.stop_command}", f"--restart-command={around.restart_command}"]
            sessions[f"{service}, stopped and started"] = [*given, *options, *commands, "-m", "alone"]
    else:
        chosen = select(find_servers(), names)
        if not chosen:
            raise SelectionError("no server is here. Give the folder of one, or a service and a URL")
        for server in [] if compose else chosen:
            if lacking := missing(server.needs):
                raise ToolMissing(f"{server.id} needs {lacking[0].name}, which is missing: {lacking[0].hint}")
            if INSTALLED and missing(database_needs(server.store)):
                raise DatabaseMissing(server.id)
        chosen, broken = (chosen, {}) if compose else _built(console, chosen)
        broken = broken if names else broken | broken_manifests()
        options += ["--compose"] if compose else []
        options += ["--faults"] if (not names if faults is None else faults) else []
        for server in sorted(chosen, key=lambda one: one.service):
            sessions.setdefault(server.service, list(options)).append(f"--servers={server.id}")
    at_once, fitting = side_by_side(len(os.sched_getaffinity(0)), len(sessions), len(urls) + len(chosen))
    if compose or workers == 1 or around:
        at_once = 1
    statuses = _run_all(console, sessions, fitting if workers is None else workers, at_once, exit_first=exit_first)
    status = whole_status(statuses, narrowed=bool(part or exit_first))
    if unknown := last_outcomes().get("unknown"):
        status = max(status, 1)
        told = f"{known_failing}: no test is called {', '.join(unknown)}. Mend the name, or delete its line."
        console.print(f"[red]✗[/] {escape(told)}", highlight=False, soft_wrap=True)
        keep_outcomes([last_outcomes(), nothing() | {"failures": [told]}])
    if broken:
        status = max(status, 1)
        told = [f"{name} is not judged: {str(error).splitlines()[0]}" for name, error in broken.items()]
        keep_outcomes([last_outcomes(), nothing() | {"failures": told}])
    if tls or part:
        keep_outcomes([last_outcomes(), nothing() | {"tls": tls, "narrowed": part}])
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


def _run_all(
    console: Console, sessions: Mapping[str, Sequence[str]], workers: int, at_once: int, *, exit_first: bool
) -> list[int]:
    """The statuses of sessions with these arguments, by service; keeps what came of them as that of one.

    With `exit_first` none begins after one that has failed.
    """
    started: list[subprocess.Popen[str]] = []
    interrupted, failed = Event(), Event()
    mark = max(map(len, sessions), default=0) + 1

    def run(service: str) -> int:
        if exit_first and failed.is_set():
            return pytest.ExitCode.NO_TESTS_COLLECTED
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
        status = process.wait()
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            failed.set()
        return status

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
