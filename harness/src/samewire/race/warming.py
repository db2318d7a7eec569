"""Loads a server until it is steady: until the processor time of a request hardly changes any more.

A JVM compiles what it runs, in threads of its own. On one core with 40 connections these are a few among 40 that want
to run, and it takes minutes. So every server is loaded on all cores first, by a few users and then by all of them, and
only then on its own cores: docs/explanation/measuring.md has the figures.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import psutil

from samewire.race import quota
from samewire.race.generator import Generator
from samewire.race.latency import latency, merged
from samewire.race.load import Result, Stage
from samewire.race.placement import Placement
from samewire.race.profile import Profile
from samewire.race.sampler import Sampler
from samewire.race.snapshots import Window
from samewire.race.steadiness import Step, Warming, is_steady
from samewire.race.workloads import Workload

_BEFORE = 0.5
"""The share of the time that the windows on all cores may take."""


@dataclass(frozen=True)
class Warmer:
    """Warms one server, by scenarios of its generator, in that order: the last is of all users.

    `within_s` is how long it may take. `stage` is what the generator counts.
    """

    load: Generator
    scenarios: Sequence[int]
    stage: type[Stage]
    placement: Placement
    within_s: float

    def warm(
        self,
        url: str,
        pid: int | None,
        sampler: Sampler,
        show: Callable[[str], None],
        clear: Callable[[], None] = lambda: None,
    ) -> Warming:
        """Load the server at `url`, whose first process is `pid`, until it is steady on its own cores.

        `clear` puts away what was uploaded, after each window. A server of another host, without a `pid`, stays on the
        cores that it has.
        """
        began, own = time.monotonic(), self.placement.server
        everywhere = own | self.placement.database | self.placement.generator
        steps: list[Step] = []

        def place(cores: frozenset[int], share: float | None) -> None:
            if pid is not None:
                move(pid, cores)
                quota.limit(pid, len(cores), share)

        def until_steady(
            scenario: int, cores: frozenset[int], within_s: float, times: int, share: float | None = None
        ) -> bool:
            place(cores, share)
            first = len(steps)
            while not is_steady([one.cpu_us_per_request for one in steps[first:]], times):
                if time.monotonic() - began >= within_s:
                    return False
                show(f"warming on {len(cores)} cores")
                steps.append(self._window(url, sampler, scenario, len(cores), began))
                clear()
            return True

        if pid is not None and everywhere != own:
            for scenario in self.scenarios:
                until_steady(scenario, everywhere, _BEFORE * self.within_s, 1)
        # Without a limit where it may use all of its cores.
        share = self.placement.server_share if self.placement.server_share < 1 else None
        steady = until_steady(self.scenarios[-1], own, self.within_s, 2, share)
        place(own, share)
        return Warming(steps, time.monotonic() - began, steady)

    def _window(self, url: str, sampler: Sampler, scenario: int, cores: int, began: float) -> Step:
        before = sampler.snapshot()
        result = Result.read(self.load.load(url, lambda line: None, scenario), self.stage)
        window = Window(before, sampler.snapshot())
        requests, used = result.whole.requests, (window.cpu_rate("server") or 0.0) * window.seconds
        highest = latency(merged(stage.hdr for stage in result.stages.values())).max
        return Step(window.end.at - began, cores, requests, used / requests * 1e6 if requests else None, highest)


@dataclass(frozen=True)
class Driven:
    """How a generator drives a workload: the number of the first of its scenarios, and what warms servers by it.

    There is no warmer in a profile that does not warm servers.
    """

    first: int
    warmer: Warmer | None


@dataclass(frozen=True)
class Planned:
    """A workload, how long its users stay, and on which cores."""

    workload: Workload
    profile: Profile
    placement: Placement


def drive(
    make: Callable[[Sequence[dict]], Generator], loads: Mapping[str, Planned], seed: int
) -> tuple[Generator, Mapping[str, Driven]]:
    """One generator of all these loads, made of their scenarios, and how it drives each. Raises GeneratorError."""
    contents: list[dict] = []
    numbers: dict[str, tuple[int, range]] = {}
    for name, one in loads.items():
        first, scenarios = len(contents), one.workload.scenarios(one.profile, seed)
        windows = one.workload.warming(scenarios[0]) if one.profile.steady_within_s else []
        contents += [*scenarios, *windows]
        numbers[name] = first, range(len(contents) - len(windows), len(contents))
    load = make(contents)

    def driven(name: str, one: Planned) -> Driven:
        first, windows = numbers[name]
        if not windows:
            return Driven(first, None)
        return Driven(first, Warmer(load, windows, one.workload.stage, one.placement, one.profile.steady_within_s))

    return load, {name: driven(name, one) for name, one in loads.items()}


def move(pid: int, cores: Iterable[int]) -> None:
    """Keep every thread of a process and of its descendants on these cores; threads to come inherit it."""
    wanted = set(cores)
    # A thread that begins while others are moved may have been begun by one that had not been moved yet.
    while any([_move(thread, wanted) for thread in _threads(pid)]):
        pass


def _move(thread: int, cores: set[int]) -> bool:
    """Whether the thread had to be moved."""
    with contextlib.suppress(ProcessLookupError):
        if os.sched_getaffinity(thread) != cores:
            os.sched_setaffinity(thread, cores)
            return True
    return False


def _threads(pid: int) -> Iterable[int]:
    with contextlib.suppress(psutil.NoSuchProcess):
        main = psutil.Process(pid)
        for process in [main, *main.children(recursive=True)]:
            with contextlib.suppress(FileNotFoundError):
                yield from map(int, os.listdir(f"/proc/{process.pid}/task"))
