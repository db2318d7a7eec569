"""One run: a server idle, then under load, with what the processes use in it."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from samewire.process import RunningServer
from samewire.race import RaceError, validity
from samewire.race.generator import Generator
from samewire.race.load import Load, Result, SampledLoad, Totals, Unfinished
from samewire.race.measured import Footprint, Measured
from samewire.race.placement import Placement
from samewire.race.processes import Start, Usage, start_of
from samewire.race.profile import Profile
from samewire.race.sampler import Cost, Sampler, Second
from samewire.race.snapshots import Snapshot, Window
from samewire.race.steadiness import Warming
from samewire.race.updates import counted
from samewire.race.warming import Warmer
from samewire.race.workloads import SampledWorkload, Workload


@dataclass
class Run:
    """A run, as far as it came; `failed` is why it could not be finished.

    `order` is that of the samples, of a run that goes through some. `metrics` are the figures by key. `operations` is
    the generator's log, where it writes one.
    """

    started_at: str
    load: Load | SampledLoad | Unfinished = field(default_factory=Unfinished)
    metrics: Mapping[str, float | int | None] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    order: Sequence[str] = ()
    failed: str = ""
    warming: Warming | None = None
    observed: "Observed | None" = None
    operations: Path | None = None

    @property
    def steady(self) -> bool:
        """Whether the server was steady when it was measured, as far as that was looked at."""
        return self.warming is None or self.warming.steady

    def fail(self, reason: str) -> None:
        """It could not be finished, for this reason too."""
        self.failed = f"{self.failed}; {reason}" if self.failed else reason

    def as_dict(self) -> dict[str, Any]:
        """The run as run.json holds it."""
        return {
            "started_at": self.started_at,
            "load": self.load.as_dict(),
            "metrics": dict(self.metrics),
            "warnings": self.warnings,
            **({"order": list(self.order)} if isinstance(self.load, SampledLoad) else {}),
            **({"failed": self.failed} if self.failed else {}),
            **({"warming": self.warming.as_dict()} if self.warming else {}),
            **(self.observed.as_dict() if self.observed else {}),
        }


@dataclass(frozen=True)
class Observed:
    """What the processes of a run used: the server before the load, every tree in each second, and the sampling."""

    idle: Usage
    processes: Mapping[str, Sequence[Second]]
    cost: Cost

    def as_dict(self) -> dict[str, Any]:
        """Its members of a run as run.json holds it."""
        return {
            "idle": {name: getattr(self.idle, name) for name in ("pss_bytes", "rss_bytes", "threads", "processes")},
            "processes": {name: [second.as_dict() for second in series] for name, series in self.processes.items()},
            "sampling": self.cost.as_dict(),
        }


@dataclass(frozen=True)
class Course:
    """The course of every run of a race with one load: what its users do, for how long, on which cores.

    `first` is the generator's number of the first scenario of the workload.
    `draw` draws the order of samples; `clear` puts away what was uploaded.
    """

    workload: Workload
    profile: Profile
    placement: Placement
    draw: random.Random
    clear: Callable[[], None]
    first: int = 0

    def rate(self, warming: Warming | None) -> float | None:
        """The profile's rate for a server that was warmed so. Raises RaceError if it depends on that and it was not."""
        return self.profile.rate(warming.cpu_us_per_request if warming else None, self.placement.server_capacity)

    def measured(self, load: Load, hold: Window, watch: "_Watch") -> Measured:
        """The load with what was used in its hold."""
        profile = self.profile
        by_requests = bool(profile.requests_per_user)
        return Measured(load, hold, watch.during(hold), self.placement, profile.ramp_up_s, by_requests)


def observe(
    course: Course,
    running: RunningServer,
    load: Generator,
    sampler: Sampler,
    show: Callable[[str], None],
    warmer: Warmer | None = None,
) -> Run:
    """A run of a server that has just been started; `show` is told what goes on.

    Without a `warmer` it is measured as it is. Raises GeneratorError, or RaceError if the server does not tell its
    counter.
    """
    start = None if running.pid is None else start_of(running.pid)
    show("idle")
    before = sampler.snapshot()
    time.sleep(course.profile.settle_s)
    idle = sampler.snapshot(pss_of="server")
    watch = _Watch(course, load, running.target.url, sampler, show, start, idle.trees["server"])
    run = Run(now(), warnings=validity.not_quiet(Window(before, idle), "before"))
    if warmer:
        run.warming = warmer.warm(running.target.url, running.pid, sampler, show, course.clear)
        run.warnings += validity.not_steady(run.warming)
        load.complaints()
    if isinstance(course.workload, SampledWorkload):
        _observe_samples(run, course, course.workload, watch)
    else:
        _observe_load(run, course, watch)
    series = {name: sampler.series(name) for name in idle.trees}
    run.observed = Observed(idle.trees["server"], series, sampler.cost)
    return run


def _observe_load(run: Run, course: Course, watch: "_Watch") -> None:
    workload = course.workload
    try:
        rate = course.rate(run.warming)
    except RaceError as error:
        run.fail(str(error))
        return
    result, hold = watch.load(rate_per_s=rate)
    course.clear()
    run.operations = watch.operations
    watch.sampler.stop()
    if not hold:
        run.load, run.failed, run.warnings = Unfinished(result.whole), validity.gave_up(result.whole), []
        return
    load = run.load = workload.load(result)
    measured = course.measured(load, hold, watch)
    run.metrics = workload.figures(measured, watch.footprint(run.warming))
    run.warnings = [
        *workload.warnings(measured, workload.users),
        *run.warnings,
        *validity.of_load(load, hold, course.placement, watch.complaints(), workload.closed),
    ]


def _observe_samples(run: Run, course: Course, workload: SampledWorkload, watch: "_Watch") -> None:
    """The loads of all samples, one after the other in an order drawn for this run."""
    try:
        rate = course.rate(run.warming)
    except RaceError as error:
        run.fail(str(error))
        return
    watch.warm_up()
    course.clear()
    wholes: list[Totals] = []
    measured: dict[str, Measured] = {}
    for sample in course.draw.sample(workload.samples, len(workload.samples)):
        number = 1 + workload.samples.index(sample)
        result, hold = watch.load(number, f"sample {sample.name}, ", workload.rate_of(sample, rate))
        course.clear()
        wholes.append(result.whole)
        if not hold:
            run.failed = f"sample {sample.name}: {validity.gave_up(result.whole)}"
            break
        load = workload.load(result)
        measured[sample.name] = course.measured(load, hold, watch)
        told = workload.warnings(measured[sample.name], workload.users_of(sample, course.profile))
        told += validity.of_load(load, hold, course.placement, watch.complaints(), workload.is_closed(sample))
        run.warnings += [f"sample {sample.name}: {warning}" for warning in told]
    watch.sampler.stop()
    run.order = list(measured)
    loads = {name: one.load for name, one in measured.items()}
    run.load = SampledLoad.of_samples(loads, Totals.of(wholes))
    if not run.failed:
        run.metrics = workload.run_figures(measured, run.load, watch.footprint(run.warming))


class _Watch:
    """The loads of one run, with what the processes use in them; sampling begins with the first ramp-up."""

    def __init__(
        self,
        course: Course,
        load: Generator,
        url: str,
        sampler: Sampler,
        show: Callable[[str], None],
        start: Start | None,
        idle: Usage,
    ) -> None:
        self._start, self._idle = start, idle
        self._stage, self._first, self._counter = course.workload.stage, course.first, course.workload.counter
        self._load, self._url, self._show = load, url, show
        self._marks: list[Snapshot] = []
        self._alike: list[Snapshot] = []
        self.sampler = sampler

    def warm_up(self) -> None:
        """The first scenario, of which nothing is kept."""
        self._show("warm-up")
        self._load.load(self._url, lambda line: None, self._first)
        self._load.complaints()

    def load(self, scenario: int = 0, name: str = "", rate_per_s: float | None = None) -> tuple[Result, Window | None]:
        """The generator's result, and the hold, which is None if every user gave up before it was over."""
        marks: dict[str, Snapshot] = {}

        def follow(line: Mapping) -> None:
            if stage := line.get("stage"):
                self._show(name + stage.replace("_", "-"))
                if stage == "ramp_up":
                    marks[stage] = (self.sampler.snapshot if self._marks else self.sampler.start)(pss_of="server")
                elif stage == "hold":
                    marks[stage] = self.sampler.snapshot()
                elif stage == "ramp_down":
                    marks[stage] = self.sampler.snapshot(pss_of="server")
                # Not in the hold: of many processes it takes the longer.
                if stage in ("ramp_up", "ramp_down"):
                    self._alike.append(marks[stage])
                if stage in marks:
                    self._marks.append(marks[stage])
            else:
                self._show(f"{name}{line['requests']:,} requests/s")

        before = counted(self._url, self._counter) if self._counter else 0
        found = self._load.load(self._url, follow, self._first + scenario, rate_per_s)
        result = Result.read(found, self._stage, rate_per_s)
        if self._counter:
            result = result.with_counter(before, counted(self._url, self._counter))
        return result, Window(marks["hold"], marks["ramp_down"]) if "ramp_down" in marks else None

    def during(self, hold: Window) -> list[Snapshot]:
        """What was sampled from second to second during a hold."""
        return [one for one in self.sampler.snapshots if hold.begin.at <= one.at <= hold.end.at]

    def footprint(self, warming: Warming | None) -> Footprint:
        """The server at its start, idle, at every moment at which it was sampled under load, and in its warm-up."""
        loaded, alike = (
            [snapshot.trees["server"] for snapshot in snapshots]
            for snapshots in ([*self.sampler.snapshots, *self._marks], self._alike)
        )
        return Footprint(self._idle, loaded, alike, self._start, warming)

    @property
    def operations(self) -> Path | None:
        """The generator's log of the last load, where it writes one."""
        return self._load.operations

    def complaints(self) -> list[str]:
        """What the generator complained of since the last call."""
        return self._load.complaints()


def now() -> str:
    """The time as run.json holds it, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
