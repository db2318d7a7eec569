"""What `make lint` and `make test` run, and the one table at their end."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from samewire.build import BuildError, build, inputs_digest, run_command
from samewire.digests import digest_files, source_files
from samewire.manifest import Kernel, Server, find_kernels, find_servers
from samewire.outcomes import keep_outcomes, last_outcomes
from samewire.paths import BENCH, CHECKOUT, CONTRACTS, HARNESS, RESULTS, STATE
from samewire.race import generator
from samewire.race.experiment import Experiment, find_experiments, load
from samewire.race.floors import FLOORS
from samewire.record import fresh_pass
from samewire.settings import settings
from samewire.table import new_table, print_outcomes
from samewire.toolchains import ToolMissing


@dataclass(frozen=True)
class Check:
    """Something that was run: what it was, how long it took, and the problem, if there is one."""

    name: str
    seconds: float
    problem: str = ""
    unchanged: bool = False
    """Whether it was left out because it has passed on the very same files."""


@dataclass(frozen=True)
class _Job:
    """A check to be made; `run` is None when it has passed on the very same files."""

    name: str
    run: Callable[[], object] | None


def _check(job: _Job) -> Check:
    name, started = job.name, time.monotonic()
    if job.run is None:
        return Check(name, 0.0, unchanged=True)
    try:
        job.run()
    except (BuildError, ToolMissing) as error:
        return Check(name, time.monotonic() - started, str(error))
    return Check(name, time.monotonic() - started)


def _run_all(console: Console, jobs: Iterable[_Job]) -> list[Check]:
    """Run jobs, as many at once as there are cores, with a line for each as it ends."""
    checks = []
    with ThreadPoolExecutor(_CORES) as pool:
        for check in pool.map(_check, jobs):
            _print(console, check)
            checks.append(check)
    return checks


def _print(console: Console, check: Check) -> None:
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


_CORES = len(os.sched_getaffinity(0))
_LAST_LINES = 12
"""Of what a check that failed has printed, at the end."""

MAIN_RACE = "shortener"
"""The experiment of `make race`."""
_SMOKE = "smoke"
"""The profile of a race in small."""
_FEW, _MORE = 3, 6
"""How many entrants such a race, and the main race, has at most: each variant and load is raced in the same way."""

_MAVEN_MODULES = (generator.REQUESTS, HARNESS / "databases/mongodb-stand-in")


def _once(name: str, inputs: str, run: Callable[[], object]) -> _Job:
    """A job that is left out when it has passed on the very same `inputs` (a digest)."""
    stamp = STATE / "checks" / re.sub(r"\W+", "-", name)
    if stamp.exists() and stamp.read_text() == inputs:
        return _Job(name, None)

    def run_and_stamp() -> None:
        run()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(inputs)

    return _Job(name, run_and_stamp)


def _manifest_job(name: str, server: Server, commands: Iterable[tuple[str, ...]]) -> _Job:
    def run() -> None:
        build(server)
        for argv in commands:
            run_command(argv, server.folder, server.needs)

    return _once(f"{name} {server.id}", inputs_digest(server), run)


def _kernel_job(name: str, kernel: Kernel, commands: Iterable[tuple[str, ...]]) -> _Job:
    def run() -> None:
        for argv in commands:
            run_command(argv, kernel.folder, kernel.needs)

    # Its tests hold it to golden data of the contract.
    inputs = digest_files(source_files(kernel.folder) + source_files(CONTRACTS), CHECKOUT)
    return _once(f"{name} {kernel.id}", inputs, run)


def _maven_job(name: str, module: Path, goal: str) -> _Job:
    inputs = digest_files(source_files(module), module)
    argv = ["mvn", "-B", "-ntp", goal]
    return _once(f"{name} {module.relative_to(CHECKOUT)}", inputs, lambda: run_command(argv, module, ["jdk", "maven"]))


def _chat_load_job(name: str, script: str) -> _Job:
    module = generator.CHAT

    def run() -> None:
        generator.build(module)
        run_command(["npm", "run", "--silent", script], module, ["node"])

    return _once(f"{name} {module.relative_to(CHECKOUT)}", digest_files(source_files(module), module), run)


def lint_all(console: Console) -> list[Check]:
    """Run the formatters and linters of every language: the harness's, and those that manifests name."""
    return _run_all(console, _lint_jobs())


def _lint_jobs() -> list[_Job]:
    ruff = [sys.executable, "-m", "ruff"]
    settings = ["--config", str(HARNESS / "pyproject.toml")]
    jobs: list[_Job] = [
        _Job("lint Python", lambda: run_command([*ruff, "check", *settings, "."], CHECKOUT, [])),
        _Job("format Python", lambda: run_command([*ruff, "format", "--check", *settings, "."], CHECKOUT, [])),
    ]
    jobs += [_maven_job("lint", module, "spotless:check") for module in _MAVEN_MODULES]
    jobs.append(_chat_load_job("lint", "lint"))
    jobs += [_kernel_job("lint", kernel, kernel.lint) for kernel in find_kernels() if kernel.lint]
    return jobs + [_manifest_job("lint", server, server.lint) for server in find_servers() if server.lint]


def _unit_test_jobs() -> list[_Job]:
    """The unit tests of the harness, of the load generators, the shared kernels, and those that manifests name."""
    workers = f"-n{max(2, _CORES)}"
    pytest = [sys.executable, "-m", "pytest", "-q", workers, "--dist=worksteal", str(HARNESS / "tests")]
    jobs: list[_Job] = [_Job("unit tests harness", lambda: run_command(pytest, HARNESS, []))]
    jobs += [_maven_job("unit tests", generator.REQUESTS, "test"), _chat_load_job("unit tests", "test")]
    jobs += [_kernel_job("unit tests", kernel, kernel.test) for kernel in find_kernels()]
    return jobs + [_manifest_job("unit tests", server, server.test) for server in find_servers() if server.test]


def _delete_one_server(seed: int) -> None:
    """Nothing but its folder knows a server: in a copy without one that is drawn, all commands and cases still pass.

    The copy's files are hard links; what is installed and cached is used from here. Raises BuildError.
    """
    with tempfile.TemporaryDirectory(dir=STATE, prefix="copy-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(CHECKOUT, copy, copy_function=os.link, symlinks=True, ignore=_ignore_changing)
        for kept in ("toolchains", "cache", "setup", "build"):
            (copy / ".samewire").mkdir(exist_ok=True)
            (copy / ".samewire" / kept).symlink_to(STATE / kept)
        Path(folder).chmod(0o755)
        deleted = random.Random(seed).choice(find_servers())
        shutil.rmtree(copy / deleted.folder.relative_to(CHECKOUT))
        samewire = [sys.executable, "-m", "samewire.cli"]
        # Who else could miss it: the other servers of its service, and those that have it upstream.
        left = {server.service for server in find_servers(copy)}
        near = {deleted.service} | {one for one in left if any(s.service == deleted.service for s in settings(one))}
        verify = [*samewire, "verify", "--layer", "cases", "-k", "test_cases.py", *sorted(near & left)]
        for argv in ([*samewire, "list"], [*samewire, "idioms"], verify):
            environment = os.environ | {"SAMEWIRE_CHECKOUT": str(copy)}
            done = subprocess.run(argv, cwd=copy, env=environment, capture_output=True, text=True)
            if done.returncode:
                raise BuildError(f"without {deleted.id}: {' '.join(argv)}\n{done.stdout[-4000:]}{done.stderr[-2000:]}")


def _ignore_changing(folder: str, names: list[str]) -> set[str]:
    """What races and other commands write while the copy is made, and no command of it needs."""
    ignored = {".samewire"} if Path(folder) == CHECKOUT else {RESULTS.name} if Path(folder) == BENCH else set()
    return ignored | {"__pycache__"}


@dataclass(frozen=True)
class _SmallRace:
    """A race in small: of all the servers of its experiment those that race."""

    experiment: Experiment
    servers: Sequence[Server]
    racing: Sequence[Server]

    @property
    def name(self) -> str:
        return self.experiment.name

    @property
    def most(self) -> int:
        """How many entrants it has at most."""
        return _MORE if self.name == MAIN_RACE else _FEW

    @property
    def load_s(self) -> float:
        entrants = self.experiment.entrants(self.racing)
        return self.experiment.round_s(self.experiment.profile(_SMOKE), min(self.most, len(entrants)))

    @cached_property
    def inputs(self) -> str:
        """A digest of all that it and its report depend on, whoever of its servers races."""
        folders = [HARNESS, BENCH / "experiments", BENCH / "published", generator.folder(self.experiment.workload)]
        folders += [FLOORS] if self.experiment.floor else []
        sources = [source for folder in folders for source in source_files(folder)]
        return "\n".join([digest_files(sources, CHECKOUT), *map(inputs_digest, self.servers)])


def _small_races(servers: Iterable[Server], seed: int) -> list[_SmallRace]:
    """The main race of all its servers, any other of two that are drawn, or of one and its floor, for it asks each the
    same; long ones first.
    """
    races, draw = [], random.Random(seed)
    for experiment in map(load, find_experiments()):
        entrants = [one.server for one in experiment.entrants(servers) if not one.variant and not one.is_floor]
        most = 1 if experiment.floor else 2
        drawn = entrants if experiment.name == MAIN_RACE else draw.sample(entrants, min(most, len(entrants)))
        if drawn:
            races.append(_SmallRace(experiment, entrants, drawn))
    return sorted(races, key=lambda race: race.load_s, reverse=True)


def _race_all(console: Console, servers: list[Server], seed: int) -> list[Check]:
    """Races in small, as many side by side as there are cores for, and the tests of the reports that are there already.

    Raises KeyboardInterrupt when interrupted, after the races have stopped what they had started.
    """
    checks: list[Check] = []
    started: list[subprocess.Popen[str]] = []
    lanes = _lanes(os.sched_getaffinity(0))
    # A thread's cores are those of the processes that it starts.
    racing = ThreadPoolExecutor(len(lanes), initializer=lambda: os.sched_setaffinity(0, lanes.pop()))
    with racing, ThreadPoolExecutor(1) as pool, console.status("races in small") as status:
        beside = [pool.submit(_check, _Job("without one server folder", lambda: _delete_one_server(seed)))]
        races = {racing.submit(_check, _race_job(console, race, started)): race for race in _small_races(servers, seed)}
        try:
            for ended in as_completed(races):
                checks.append(ended.result())
                _print(console, checks[-1])
                status.update(f"races in small: {sum(not one.done() for one in races)} to go")
                if not checks[-1].problem:
                    beside.append(pool.submit(_check, _report_job(races[ended])))
            for one in beside:
                checks.append(one.result())
                _print(console, checks[-1])
        except KeyboardInterrupt:
            racing.shutdown(wait=False, cancel_futures=True)
            pool.shutdown(wait=False, cancel_futures=True)
            for process in started:
                process.send_signal(signal.SIGINT)
            raise
    return checks


def _lanes(cores: Iterable[int]) -> list[frozenset[int]]:
    """Disjoint sets of two cores, which are enough for a race; all that there are if there are fewer."""
    ordered = sorted(cores)
    pairs = zip(ordered[::2], ordered[1::2], strict=False)
    return [frozenset(pair) for pair in pairs] or [frozenset(ordered)]


def _race_job(console: Console, race: _SmallRace, started: list[subprocess.Popen[str]]) -> _Job:
    """The race; its process is one of those `started` while it runs."""
    names = [server.id for server in race.racing]
    how = ["--profile", _SMOKE, "--sample", str(race.most)]
    argv = [sys.executable, "-m", "samewire.cli", "race", race.name, *names, *how]
    return _once(f"race {race.name} in small", race.inputs, lambda: _show(console, argv, started))


def _show(console: Console, argv: Sequence[str], started: list[subprocess.Popen[str]]) -> None:
    """Run a command and then print, in one piece, what it has printed. Raises BuildError with its last lines."""
    command = subprocess.Popen(
        argv, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    started.append(command)
    output, _ = command.communicate()
    console.out(output, end="", highlight=False)
    if command.returncode:
        last = "".join(output.splitlines(keepends=True)[-_LAST_LINES:])
        raise BuildError(f"exit status {command.returncode}\n{last}")


def _report_job(race: _SmallRace) -> _Job:
    """The tests that look at a report in a browser, on the newest of the experiment's smoke races."""

    def run() -> None:
        pages = list(RESULTS.glob(f"*-{race.name}-{_SMOKE}/report.html"))
        if not pages:
            raise BuildError(f"its race left none\nrun: make race EXPERIMENT={race.name} ARGS='--profile {_SMOKE}'")
        newest = max(pages, key=lambda page: page.stat().st_mtime)
        test = [sys.executable, "-m", "pytest", "-q", str(HARNESS / "tests/test_report_browser.py")]
        run_command(["env", f"SAMEWIRE_REPORT={newest}", *test], HARNESS, [])

    return _once(f"report of the race {race.name}", race.inputs, run)


def _judge(console: Console, servers: list[Server], *, again: bool) -> Check:
    """Run the suite on those servers that have no fresh record of a pass; on all of them if `again`."""
    from samewire.suite import run_suite

    names = tuple(server.id for server in servers if again or not fresh_pass(server))
    if unchanged := len(servers) - len(names):
        console.print(f"{unchanged} of {len(servers)} servers are unchanged since they passed: ", end="")
        console.print("samewire test --again judges them, too", highlight=False)
    if not names:
        keep_outcomes([])
        return Check("contract suite", 0.0, unchanged=True)
    started = time.monotonic()
    status = run_suite(console, names, faults=True, table=False)
    failures = last_outcomes()["failures"]
    told = [f"{len(failures)} failed, among them" if failures else "it could not be run\nsee above"]
    problem = "\n".join(told + failures[: _LAST_LINES - 1]) if status else ""
    return Check("contract suite", time.monotonic() - started, problem)


def _passed_before(servers: Iterable[Server], judged: Iterable[str]) -> dict[str, dict[str, dict[str, int]]]:
    """Server → layer → outcome → number, by the records of servers that were not judged now."""
    records = {server.id: fresh_pass(server) for server in servers if server.id not in judged}
    return {name: record["layers"] for name, record in records.items() if record}


def test_all(console: Console, *, again: bool, seed: int | None) -> int:
    """Everything that must hold; prints one table at its end; 0 when all is well, else 1.

    What has passed, and has not changed since, is left out; with `again`, servers are judged all the same. `seed` draws
    the servers of the races and the one whose folder is deleted; a fresh one is drawn by default, and printed.
    """
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    console.rule("Linters and unit tests", align="left")
    # Those that take longest come first.
    checks = _run_all(console, [*_unit_test_jobs(), *_lint_jobs()])
    console.rule("Contract suite", align="left")
    servers = find_servers()
    suite = _judge(console, servers, again=again)
    checks.append(suite)
    console.rule("Race", align="left")
    if suite.problem:
        checks.append(Check("races in small", 0.0, "not run: only servers that are proven identical race"))
    else:
        console.print(f"servers are drawn by seed {seed}: samewire test --seed {seed}", highlight=False)
        checks += _race_all(console, servers, seed)
    console.rule("All of it", align="left")
    print_checks(console, checks)
    last = last_outcomes()
    last["outcomes"] |= _passed_before(servers, last["outcomes"])
    print_outcomes(console, last)
    failed = [check for check in checks if check.problem]
    for check in failed:
        # Once more, briefly: it may be far above, and of a long log often only the end is kept.
        console.print(f"[red]✗[/] {escape(check.name)}", highlight=False)
        for line in check.problem.rstrip().splitlines()[-_LAST_LINES:]:
            console.print(line[: 2 * console.width], markup=False, highlight=False)
    console.print(f"checks: {len(checks) - len(failed)} passed, {len(failed)} failed", highlight=False)
    return 1 if failed else 0
