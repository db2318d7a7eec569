"""Races and labs in small: that they work, on real servers; and the reports that races leave, in a browser."""

import contextlib
import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property, partial

from rich.console import Console

from samewire.build import BuildError, inputs_digest, run_command
from samewire.checks.job import LAST_LINES, Check, Job, carry_out, once, show
from samewire.checks.static import delete_one_server
from samewire.digests import digest_files, source_files
from samewire.labs import LabError
from samewire.labs.lab import LABS, Lab, find_labs
from samewire.labs.lab import load as load_lab
from samewire.labs.mending.declaration import HIGHEST_SEED, find_mendings
from samewire.labs.mending.declaration import load as load_mending
from samewire.manifest import Server
from samewire.paths import BENCH, CHECKOUT, CONTRACTS, HARNESS, RESULTS
from samewire.race import generator
from samewire.race.experiment import Experiment, find_experiments, load
from samewire.race.floors import FLOORS

MAIN_RACE = "shortener"
"""The experiment of `make race`."""
_SMOKE = "smoke"
"""The profile of a race in small."""
_FEW, _MORE = 2, 6
"""How many entrants such a race, and the main race, has at most: each variant and load is raced in the same way."""


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


def small_races(servers: Iterable[Server], seed: int) -> list[_SmallRace]:
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


def looked_at(races: Iterable[_SmallRace], seed: int) -> set[str]:
    """The races whose reports a browser looks at: that of the main race, and one that is drawn of each kind of load."""
    draw, kinds = random.Random(seed), defaultdict(list)
    for race in sorted(races, key=lambda race: race.name):
        kinds[race.experiment.workload.kind].append(race.name)
    names = {draw.choice(of_kind) for of_kind in kinds.values()}
    return names | {name for of_kind in kinds.values() for name in of_kind if name == MAIN_RACE}


def race_all(console: Console, servers: list[Server], seed: int) -> list[Check]:
    """Races and labs in small, two side by side on every two cores; a browser looks at some of the reports.

    Raises KeyboardInterrupt when interrupted, after the races have stopped what they had started.
    """
    checks: list[Check] = []
    started: list[subprocess.Popen[str]] = []
    free = lanes(os.sched_getaffinity(0))
    # A thread's cores are those of the processes that it starts.
    racing = ThreadPoolExecutor(len(free), initializer=lambda: os.sched_setaffinity(0, free.pop()))
    with racing, ThreadPoolExecutor(1) as pool, console.status("races and labs in small") as status:
        beside = [pool.submit(carry_out, Job("without one server folder", lambda: delete_one_server(seed)))]
        drawn = small_races(servers, seed)
        shown = looked_at(drawn, seed)
        races = {racing.submit(carry_out, _race_job(console, race, started)): race for race in drawn}
        small = [_lab_job(console, lab, servers, started) for lab in _able(servers)]
        small += _mending_jobs(console, servers, seed, started)
        labs = [racing.submit(carry_out, job) for job in small]
        try:
            for ended in as_completed([*races, *labs]):
                checks.append(ended.result())
                show(console, checks[-1])
                status.update(f"races and labs in small: {sum(not one.done() for one in (*races, *labs))} to go")
                if ended in races and races[ended].name in shown and not checks[-1].problem:
                    beside.append(pool.submit(carry_out, _report_job(races[ended])))
            for one in beside:
                checks.append(one.result())
                show(console, checks[-1])
        except KeyboardInterrupt:
            racing.shutdown(wait=False, cancel_futures=True)
            pool.shutdown(wait=False, cancel_futures=True)
            for process in started:
                process.send_signal(signal.SIGINT)
            raise
    return checks


def lanes(cores: Iterable[int]) -> list[frozenset[int]]:
    """Sets of two cores, enough for a race; all cores if there are fewer. Each set comes twice, since a race in small
    waits for much of its time.
    """
    ordered = sorted(cores)
    pairs = [frozenset(pair) for pair in zip(ordered[::2], ordered[1::2], strict=False)]
    return 2 * (pairs or [frozenset(ordered)])


def _race_job(console: Console, race: _SmallRace, started: list[subprocess.Popen[str]]) -> Job:
    """The race; its process is one of those `started` while it runs."""
    names = [server.id for server in race.racing]
    how = ["--profile", _SMOKE, "--sample", str(race.most)]
    argv = [sys.executable, "-m", "samewire.cli", "race", race.name, *names, *how]
    return once(f"race {race.name} in small", race.inputs, lambda: run_and_show(console, argv, started))


def _able(servers: Iterable[Server]) -> list[Lab]:
    """The labs that have two servers to compare among these. Raises LabError where a lab's file is wrong."""
    able = []
    for lab in map(load_lab, find_labs()):
        with contextlib.suppress(LabError):
            lab.trials(list(servers), lab.values(small=True), small=True)
            able.append(lab)
    return able


def _lab_job(console: Console, lab: Lab, servers: Iterable[Server], started: list[subprocess.Popen[str]]) -> Job:
    """The lab, in small, with servers of its service that are there, or with its programs."""
    folders = HARNESS, LABS, *generator.MODULES
    sources = [source for folder in folders for source in source_files(folder)]
    asked = map(inputs_digest, lab.among(servers))
    argv = [sys.executable, "-m", "samewire.cli", "lab", lab.name, "--small"]
    inputs = "\n".join([digest_files(sources, CHECKOUT), *asked])
    return once(f"lab {lab.name} in small", inputs, lambda: run_and_show(console, argv, started))


def _mending_jobs(
    console: Console, servers: Sequence[Server], seed: int, started: list[subprocess.Popen[str]]
) -> list[Job]:
    """The labs in which a fault is mended, with one that a seed draws: the suite finds it, and then no more."""
    jobs, drawn = [], random.Random(seed).randint(1, HIGHEST_SEED)
    for lab in map(load_mending, find_mendings()):
        able = {server.id: server for _, server in lab.able(servers)}
        if not able:
            continue
        sources = [source for folder in (HARNESS, LABS, CONTRACTS) for source in source_files(folder)]
        inputs = "\n".join([digest_files(sources, CHECKOUT), *map(inputs_digest, able.values())])
        argv = [sys.executable, "-m", "samewire.cli", "lab", lab.name, "--small", "--seed", str(drawn)]
        jobs.append(once(f"lab {lab.name} in small", inputs, partial(run_and_show, console, argv, started)))
    return jobs


def run_and_show(console: Console, argv: Sequence[str], started: list[subprocess.Popen[str]]) -> None:
    """Run a command and then print, in one piece, what it has printed. Raises BuildError with its last lines."""
    command = subprocess.Popen(
        argv, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    started.append(command)
    output, _ = command.communicate()
    console.out(output, end="", highlight=False)
    if command.returncode:
        last = "".join(output.splitlines(keepends=True)[-LAST_LINES:])
        raise BuildError(f"exit status {command.returncode}\n{last}")


def _report_job(race: _SmallRace) -> Job:
    """The tests that look at a report in a browser, on the newest of the experiment's smoke races."""

    def run() -> None:
        pages = list(RESULTS.glob(f"*-{race.name}-{_SMOKE}/report.html"))
        if not pages:
            raise BuildError(f"its race left none\nrun: make race EXPERIMENT={race.name} ARGS='--profile {_SMOKE}'")
        newest = max(pages, key=lambda page: page.stat().st_mtime)
        test = [sys.executable, "-m", "pytest", "-q", str(HARNESS / "tests/test_report_browser.py")]
        run_command(["env", f"SAMEWIRE_REPORT={newest}", *test], HARNESS, [])

    return once(f"report of the race {race.name}", race.inputs, run)
