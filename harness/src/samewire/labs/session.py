"""Runs a lab: starts its servers, warms them, and loads one after the other, in rounds whose order is drawn."""

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from samewire.databases import URL_VARIABLES
from samewire.labs import LabError
from samewire.labs.copies import changed_copy
from samewire.labs.delay import DelayedLink
from samewire.labs.lab import Lab, Trial, Value
from samewire.labs.live import EVERY_S, Listener, LostUpdates, Monitor, Watched
from samewire.labs.peers import Beside
from samewire.manifest import Server
from samewire.process import RunningServer, StopTimeout
from samewire.race import generator
from samewire.race.observation import Course, Run, observe
from samewire.race.placement import pinned, place
from samewire.race.sampler import Sampler
from samewire.race.starting import Starter
from samewire.race.steadiness import Warming
from samewire.race.warming import Driven, Planned, drive
from samewire.testbed import Testbed


class Stopped(Exception):
    """The reader has ended the lab."""


@dataclass(frozen=True)
class Wish:
    """What the reader wants: a lab with its knobs at these values. `small` is for tests: seconds, cold servers."""

    lab: Lab
    values: Mapping[str, Value]
    seed: int
    small: bool = False


@dataclass(frozen=True)
class Ran:
    """What was run: the trials, each run of them by label and round, and what a reader has to know."""

    wish: Wish
    trials: Sequence[Trial]
    runs: Mapping[str, Mapping[int, Run]]
    remarks: Sequence[str]
    started: datetime
    rounds: int


class Session:
    """A lab under way. `listener` is told of all that happens; it is called from several threads."""

    def __init__(self, wish: Wish, trials: Sequence[Trial], left_out: Sequence[str], listener: Listener) -> None:
        self._wish, self._trials, self._left_out, self._tell = wish, trials, left_out, listener
        self._draw = random.Random(wish.seed)
        self._stop = threading.Event()
        self._warmings: dict[str, Warming] = {}
        self._rates: dict[str, float] = {}
        self._copies: dict[str, Server] = {}
        self._lost: LostUpdates | None = None

    def stop(self) -> None:
        """End it as soon as may be: `run` raises Stopped then."""
        self._stop.set()

    def run(self) -> Ran:
        """Run all rounds. Raises LabError, Stopped, RaceError, StartError or DatabaseError; nothing is left behind."""
        started = datetime.now(UTC)
        modules = {generator.folder(trial.experiment.workload) for trial in self._trials}
        if len(modules) > 1:
            raise LabError(f"{self._wish.lab.name}: its subjects need different load generators")
        self._state("building the load generator")
        program = generator.build(modules.pop())
        for trial in self._trials:
            if trial.planted:
                self._state(f"{trial.label}: making a copy that is wrong on purpose")
                self._copies[trial.label] = changed_copy(trial.entrant.server, trial.planted)
        placements = {trial.label: place(trial.experiment.server_cores) for trial in self._trials}
        first = placements[self._trials[0].label]
        links = max(trial.profile.links for trial in self._trials)
        runs: dict[str, dict[int, Run]] = {trial.label: {} for trial in self._trials}
        rounds = max(trial.profile.rounds for trial in self._trials)
        with ExitStack() as stack:
            stack.enter_context(pinned(first.generator))
            testbed = stack.enter_context(Testbed(links=links, database_cpus=set(first.database)))
            starters = {
                trial.label: Starter(
                    testbed, trial.experiment, trial.profile.links, placements[trial.label],
                    through=_far_away(trial.database_delay_s, stack),
                )
                for trial in self._trials
            }  # fmt: skip
            self._load_data(starters)
            planned = {
                trial.label: Planned(trial.experiment.workload, trial.profile, placements[trial.label])
                for trial in self._trials
            }

            def make(contents: Sequence[dict]) -> Watched:
                # The chat's generator tells of each second, whatever it is asked.
                live = {"live_every_s": EVERY_S} if program.name == "Hyperfoil" else {}
                made = generator.Generator(program, [one | live for one in contents], testbed.run)
                stack.callback(made.close)
                return Watched(made, self._listen)

            load, driven = drive(make, planned, self._wish.seed)
            running: dict[str, RunningServer] = {}
            if not self._wish.lab.fresh:
                for trial in self._trials:
                    running[trial.label] = self._start(trial, starters[trial.label])
                    self._warm(trial, running[trial.label], starters[trial.label], load, driven[trial.label])
            for number in range(1, rounds + 1):
                for trial in self._draw.sample(self._trials, len(self._trials)):
                    self._tell({"event": "run", "subject": trial.label, "round": number, "rounds": rounds})
                    starter = starters[trial.label]
                    server = running.get(trial.label) or self._start(trial, starter)
                    plan = planned[trial.label]
                    if trial.label in self._rates:
                        rated = replace(plan.profile, cpu_share=0.0, rate_per_s=self._rates[trial.label])
                        plan = replace(plan, profile=rated)
                    beside = Beside(load, trial.peers, testbed.run) if trial.peers else load
                    run = self._measure(trial, server, starter, beside, driven[trial.label], plan)
                    runs[trial.label][number] = run
                    if trial.label not in running:
                        _end(server, run)
                    if run.failed:
                        self._state(f"{trial.label}: {run.failed}")
            remarks = [*self._left_out, *placements[self._trials[0].label].warnings(database=bool(testbed.databases()))]
        return Ran(self._wish, self._trials, runs, remarks, started, rounds)

    def _load_data(self, starters: Mapping[str, Starter]) -> None:
        for trial in self._trials:
            store = trial.entrant.server.store
            if store in URL_VARIABLES:
                self._state(f"{trial.label}: loading data")
                starters[trial.label].load_data(store)

    def _start(self, trial: Trial, starter: Starter) -> RunningServer:
        self._state(f"{trial.label}: starting")
        return starter.start(trial.entrant, self._copies.get(trial.label))

    def _sampler(self, trial: Trial, server: RunningServer, starter: Starter, load: Watched | Beside) -> Sampler:
        port = starter.database_port(trial.entrant.server)
        return Sampler(starter.trees(trial.entrant.server, server, load), server.target.port, port)

    def _warm(self, trial: Trial, server: RunningServer, starter: Starter, load: Watched, driven: Driven) -> None:
        if not driven.warmer:
            return
        self._tell({"event": "warm", "subject": trial.label})
        with Monitor(server.pid, self._quietly):
            sampler = self._sampler(trial, server, starter, load)
            warming = driven.warmer.warm(server.target.url, server.pid, sampler, self._shown(trial), starter.clear)
        load.complaints()
        self._warmings[trial.label] = warming
        if trial.profile.cpu_share and warming.cpu_us_per_request:
            capacity = driven.warmer.placement.server_capacity
            self._rates[trial.label] = trial.profile.rate(warming.cpu_us_per_request, capacity) or 0.0

    def _measure(
        self,
        trial: Trial,
        server: RunningServer,
        starter: Starter,
        load: Watched | Beside,
        driven: Driven,
        plan: Planned,
    ) -> Run:
        course = Course(plan.workload, plan.profile, plan.placement, self._draw, starter.clear, driven.first)
        warmer = driven.warmer if self._wish.lab.fresh else None
        sampler = self._sampler(trial, server, starter, load)
        counter = plan.workload.counter
        self._lost = LostUpdates(server.target.url, counter) if counter else None
        try:
            with Monitor(server.pid, self._quietly):
                run = observe(course, server, load, sampler, self._shown(trial), warmer)
        finally:
            sampler.stop()
            self._lost = None
        # Those of servers that stay were warmed before.
        run.warming = run.warming or self._warmings.get(trial.label)
        return run

    def _shown(self, trial: Trial) -> Callable[[str], None]:
        return lambda text: self._state(f"{trial.label}: {text}")

    def _state(self, text: str) -> None:
        self._listen({"event": "state", "text": text})

    def _listen(self, event: Mapping[str, Any]) -> None:
        if self._stop.is_set():
            raise Stopped
        self._tell(self._lost.added(event) if self._lost else event)

    def _quietly(self, event: Mapping[str, Any]) -> None:
        """From a thread that has nobody to tell of a stop."""
        if not self._stop.is_set():
            self._tell(event)


def _far_away(delay_s: float, stack: ExitStack) -> Callable[[str], str]:
    """What puts a database so far away, until the stack is closed: the URL through a link for its own."""
    return (lambda url: stack.enter_context(DelayedLink(url, delay_s)).url) if delay_s else str


def _end(server: RunningServer, run: Run) -> None:
    try:
        server.stop()
    except StopTimeout as error:
        run.warnings.append(str(error))
