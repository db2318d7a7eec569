"""Runs profiles: a server started, warmed and loaded as in a race, under a profiler, in a run of its own."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rich.console import Console

from samewire.databases import URL_VARIABLES, Database
from samewire.manifest import find_servers, select
from samewire.paths import RESULTS
from samewire.process import RunningServer, StopTimeout
from samewire.profiling import ProfilingError, async_profiler
from samewire.profiling.profilers import Profiler, Sampled, profiler_of
from samewire.profiling.record import Loaded, Profiled, content, write
from samewire.profiling.stacks import compiled
from samewire.race import generator, validity
from samewire.race.entrants import Entrant
from samewire.race.experiment import Experiment, find_experiments, load
from samewire.race.generator import Program
from samewire.race.load import Result, Totals
from samewire.race.placement import Placement, pinned, place
from samewire.race.profile import Profile
from samewire.race.record import Setup
from samewire.race.sampler import Sampler
from samewire.race.snapshots import Snapshot, Window
from samewire.race.starting import Starter
from samewire.race.warming import Planned, drive
from samewire.race.workloads import SampledWorkload
from samewire.record import fresh_pass
from samewire.testbed import Testbed

PAGE = "flame.html"
DIFFERENCE = "difference.html"


def entrant(name: str) -> Entrant:
    """The server that a name means, after a colon the variant. Raises SelectionError, ProfilingError."""
    server_name, _, variant = name.partition(":")
    found = select(find_servers(), (server_name,))
    if len(found) > 1:
        raise ProfilingError(f"{name!r} means {len(found)} servers, a profile is of one: {_ids(found)}")
    if variant and variant not in found[0].variants:
        there = ", ".join(found[0].variants) or "none"
        raise ProfilingError(f"{found[0].id} has no variant {variant!r}; there are: {there}")
    return Entrant(found[0], variant)


def _ids(servers: Sequence) -> str:
    return ", ".join(server.id for server in servers)


def experiment_of(service: str, name: str | None = None) -> Experiment:
    """The experiment of that name; or of a service, the one that is called like it, or the first.

    Raises ExperimentError, ProfilingError.
    """
    of_service = [one for one in map(load, find_experiments()) if one.service == service]
    if not name and not of_service:
        raise ProfilingError(f"no experiment loads the service {service!r}: write one in bench/experiments")
    chosen = load(name) if name else next((one for one in of_service if one.name == service), of_service[0])
    if chosen.service != service:
        there = ", ".join(one.name for one in of_service) or "none"
        raise ProfilingError(f"{chosen.name} loads the service {chosen.service!r}, not {service!r}; there are: {there}")
    return chosen


@dataclass(frozen=True)
class Wish:
    """How profiles are to be made: the load of an experiment's profile, for `seconds`; shares of `patterns`."""

    experiment: Experiment
    profile: str = "quick"
    seconds: float = 10.0
    patterns: tuple[str, ...] = ()
    seed: int | None = None

    def race_profile(self) -> Profile:
        """The profile, whose holds take so many seconds in all. Raises ExperimentError."""
        holds = max(1, len(self.experiment.workload.sample_names))
        # However many requests each user sends in a race: a profile is of some seconds.
        return replace(self.experiment.profile(self.profile), hold_s=self.seconds / holds, requests_per_user=0)


def profile(entrants: Sequence[Entrant], wish: Wish, console: Console) -> list[Profiled]:
    """Profile servers of one service, one after the other, and write a folder for each.

    Raises ProfilingError, RaceError, StartError, and what a build, a database or a missing tool raises.
    """
    if strangers := [one.id for one in entrants if one.server.service != wish.experiment.service]:
        service = wish.experiment.service
        raise ProfilingError(f"{wish.experiment.name} loads the service {service!r}: not one of {', '.join(strangers)}")
    for pattern in wish.patterns:
        compiled(pattern)
    # Before anything has started: it may be missing, or have to be installed.
    async_profiler.installed()
    for one in entrants:
        profiler_of(one.server).require()
    seed = random.SystemRandom().randrange(2**32) if wish.seed is None else wish.seed
    # On all of its cores: shares of the time are asked for, not how much of it there is.
    placement = place(wish.experiment.server_cores)
    race_profile = wish.race_profile()
    program = generator.build(generator.folder(wish.experiment.workload))
    with (
        pinned(placement.generator),
        Testbed(links=race_profile.links, database_cpus=set(placement.database)) as testbed,
    ):
        run = _Run(wish, race_profile, placement, program, testbed, console, seed)
        try:
            return [run.profile(one) for one in entrants]
        finally:
            run.close()


class _Run:
    """Profiles of some servers, by one load generator."""

    def __init__(
        self,
        wish: Wish,
        race_profile: Profile,
        placement: Placement,
        program: Program,
        testbed: Testbed,
        console: Console,
        seed: int,
    ) -> None:
        self._wish, self._profile, self._placement, self._program = wish, race_profile, placement, program
        self._testbed, self._console, self._seed = testbed, console, seed
        self._starter = Starter(testbed, wish.experiment, race_profile.links, placement)
        self._databases: dict[str, Database] = {}
        workload = wish.experiment.workload
        # One load: of an experiment with several, the workload as it is.
        one = {"": Planned(workload, race_profile, placement)}
        self._load, driven = drive(lambda contents: generator.Generator(program, contents, testbed.run), one, seed)
        self._warmer = driven[""].warmer

    def close(self) -> None:
        """End the generator."""
        self._load.close()

    def profile(self, entrant: Entrant) -> Profiled:
        """Profile one server and write its folder."""
        started = datetime.now(UTC)
        store = entrant.server.store
        if store in URL_VARIABLES and store not in self._databases:
            with self._console.status(f"loading data: {store}"):
                self._databases[store] = self._starter.load_data(store)
        profiler = profiler_of(entrant.server)(self._testbed.new_folder("profile"))
        with self._console.status(f"{entrant.id}: starting") as status:

            def show(text: str) -> None:
                status.update(f"{entrant.id}: {text}")

            try:
                loaded = self._observe(entrant, profiler, show)
            finally:
                profiler.close()
            show("reading what was sampled")
            sampled = profiler.sampled(entrant.server)
            return self._written(entrant, started, loaded, sampled)

    def _observe(self, entrant: Entrant, profiler: Profiler, show: Callable[[str], None]) -> Loaded:
        """Start the server, load it while the profiler samples, and stop it."""
        server = entrant.server.in_variant(entrant.variant)
        running = self._starter.start(entrant, profiler.command(server))
        warnings = []
        try:
            profiler.prepare(running)
            trees, port = self._starter.trees(server, running, self._load), self._starter.database_port(server)
            sampler, warming = Sampler(trees, running.target.port, port), None
            if self._warmer:
                warming = self._warmer.warm(running.target.url, running.pid, sampler, show, self._starter.clear)
            cost = warming.cpu_us_per_request if warming else None
            rate = self._profile.rate(cost, len(self._placement.server))
            totals, window = self._hold(running, profiler, sampler, show, rate)
            warnings += validity.not_quiet(window, "during")
        finally:
            try:
                status = running.stop()
            except StopTimeout as error:
                warnings.append(str(error))
            else:
                if status != server.stop_status:
                    warnings.append(f"the server ended with status {status}: {running.target.last_lines(3)}")
        return Loaded(totals, profiler.seconds, warming, warnings)

    def _hold(
        self,
        running: RunningServer,
        profiler: Profiler,
        sampler: Sampler,
        show: Callable[[str], None],
        rate_per_s: float | None,
    ) -> tuple[Totals, Window]:
        """The totals of the hold, or of those of all samples, and what was used while the profiler sampled.

        It samples from the begin of the first hold to the end of the last one.
        """
        workload = self._wish.experiment.workload
        rates = {0: rate_per_s}
        if isinstance(workload, SampledWorkload):
            show("warm-up")
            self._load.load(running.target.url, lambda line: None)
            self._starter.clear()
            rates = {number: workload.rate_of(one, rate_per_s) for number, one in enumerate(workload.samples, 1)}
        holds: list[Totals] = []
        marks: list[Snapshot] = []
        first, last = min(rates), max(rates)
        for number, rate in rates.items():

            def follow(line: Mapping, number: int = number) -> None:
                stage = line.get("stage", "")
                show(stage.replace("_", "-") if stage else f"{line['requests']:,} requests/s")
                if stage == "hold" and number == first:
                    profiler.begin(running)
                    marks.append(sampler.snapshot())
                if stage == "ramp_down" and number == last:
                    marks.append(sampler.snapshot())
                    profiler.end(running)

            result = Result.read(self._load.load(running.target.url, follow, number, rate), workload.stage)
            self._starter.clear()
            if "ramp_down" not in result.stages:
                raise ProfilingError(f"{running.target.name}: {validity.gave_up(result.whole)}")
            holds.append(result.stages["hold"])
        return Totals.of(holds), Window(*marks)

    def _written(self, entrant: Entrant, started: datetime, loaded: Loaded, sampled: Sampled) -> Profiled:
        if not sampled.stacks.samples:
            raise ProfilingError(f"{entrant.id}: no sample in {loaded.seconds:.1f} s of load: was the server idle?")
        server, wish = entrant.server, self._wish
        passes = {server.id: fresh_pass(server)}
        rest = self._placement, {}, self._program, self._seed, started
        setup = Setup(wish.experiment, self._profile, [entrant], passes, *rest)
        databases = {store: one for store, one in self._databases.items() if store == server.store}
        name = f"{started:%Y%m%dT%H%M%SZ}-profile-{entrant.id.rpartition('/')[2].replace(':', '-')}"
        held = content(setup, databases, loaded, sampled, wish.patterns)
        profiled = Profiled(RESULTS / name, held, sampled.stacks)
        write(profiled)
        title = f"{entrant.id}, {wish.experiment.name}: {sampled.stacks.samples:,} samples, unranked"
        async_profiler.flame_graph(sampled.stacks, title, profiled.folder / PAGE)
        return profiled
