"""Runs a race and keeps its record: `bench/results/<time>-<experiment>-<profile>/run.json`.

Every server runs once in every round, in an order drawn anew for each, as a fresh process, on data loaded once if all
that is done is to look them up, else on data of its own. The record is written after each run; nothing that was
measured is dropped.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from samewire.build import BuildError, build
from samewire.databases import URL_VARIABLES, stands_in
from samewire.manifest import Server, find_servers
from samewire.paths import RESULTS
from samewire.process import StartError, StopTimeout
from samewire.race import RaceError, generator, quota
from samewire.race.entrants import Entrant
from samewire.race.experiment import Experiment
from samewire.race.experiment import load as load_experiment
from samewire.race.floors import Floor, FloorError
from samewire.race.generator import Generator
from samewire.race.observation import Course, Run, now, observe
from samewire.race.placement import Placement, pinned, place
from samewire.race.profile import Profile
from samewire.race.record import Record, Setup
from samewire.race.site import Here, Site
from samewire.race.warming import Driven
from samewire.record import fresh_pass, why_stale
from samewire.testbed import Testbed
from samewire.toolchains import ToolMissing


def race(
    experiment: str,
    profile: str,
    *,
    console: Console,
    servers: Sequence[Server] | None = None,
    seed: int | None = None,
    rounds: int | None = None,
    compose: bool = False,
    same: bool = False,
    short: bool = False,
    sample: int | None = None,
) -> Path:
    """Run a profile of an experiment, in so many rounds if given, and return the run folder.

    `servers` are all of the experiment's service by default, each also in the variants that the experiment names; with
    `same` one server, which races against itself. A `short` race is without variants, and without those whose database
    would be a stand-in: they are not ranked. With `sample`, so many entrants at most take part.
    `seed` draws these, the orders and the lists; a fresh one is drawn by default. With `compose` it is between those
    servers that run in compose, as they run there and on the databases there. Raises RaceError before anything has
    started when there is no such experiment or profile or a server has no fresh pass, and at the end when a run could
    not be finished: what was measured is in the folder then.
    """
    loaded = load_experiment(experiment).against_itself() if same else load_experiment(experiment)
    chosen = loaded.profile(profile)
    chosen = replace(chosen, rounds=rounds or chosen.rounds)
    entrants = _entrants(loaded, find_servers() if servers is None else servers, compose=compose, short=short)
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    if sample and sample < len(entrants):
        drawn = random.Random(seed).sample(range(len(entrants)), sample)
        entrants = [entrants[place] for place in sorted(drawn)]
    return _race(loaded, chosen, entrants, console=console, seed=seed, compose=compose)


def _entrants(experiment: Experiment, servers: Sequence[Server], *, compose: bool, short: bool) -> list[Entrant]:
    entrants = experiment.entrants(servers)
    if short:
        entrants = [one for one in entrants if not one.variant and not stands_in(one.server.store)]
    if not entrants:
        raise RaceError(
            f"{experiment.name}: there is no server of the service {experiment.service!r} to race among these"
        )
    if compose:
        if experiment.floor:
            raise RaceError(f"{experiment.name}: floors do not run in compose; race it without --compose")
        if experiment.settings:
            given = ", ".join(experiment.settings)
            problem = f"servers that run in compose cannot be given its settings ({given})"
            raise RaceError(f"{experiment.name}: {problem}; race it without --compose")
        if experiment.workload.keeps_files:
            problem = "what is uploaded to servers in compose cannot be cleared away"
            raise RaceError(f"{experiment.name}: {problem}; race it without --compose")
        # Only here: most races need no container.
        from samewire.containers import composed

        entrants = [entrant for entrant in entrants if not entrant.variant]
        running = composed.running([entrant.server for entrant in entrants])
        entrants = [entrant for entrant in entrants if entrant.id in running]
        if not entrants:
            how = f"docker compose --profile {experiment.service} up -d"
            raise RaceError(
                f"{experiment.name}: no server of the service {experiment.service!r} runs in compose. Run: {how}"
            )
    return entrants


def _testbed(profile: Profile, servers: Sequence[Server], placement: Placement, compose: bool) -> Testbed:
    cores = set(placement.database)
    if not compose:
        return Testbed(links=profile.links, database_cpus=cores)
    from samewire.containers.composed import ComposedTestbed

    return ComposedTestbed(servers, database_cpus=cores)


def _race(
    experiment: Experiment,
    profile: Profile,
    entrants: Sequence[Entrant],
    *,
    console: Console,
    seed: int,
    compose: bool,
) -> Path:
    started = datetime.now(UTC)
    # Where servers are measured cold nothing is decided, and half a core would only make that last.
    placement = place(experiment.server_cores, experiment.server_share if profile.steady_within_s else 1.0)
    name = f"{experiment.name}-same" if experiment.same else experiment.name
    folder = RESULTS / f"{started:%Y%m%dT%H%M%SZ}-{name}-{profile.name}"
    servers = list({entrant.server.id: entrant.server for entrant in entrants}.values())
    testbed = _testbed(profile, servers, placement, compose)
    passes = passes_of([server for server in servers if not isinstance(server, Floor)], testbed.images)
    _build([server for server in servers if isinstance(server, Floor)], console)
    program = generator.build(generator.folder(experiment.workload))
    with ExitStack() as stack:
        cgroup = None
        if placement.server_share < 1:
            try:
                cgroup = stack.enter_context(_group(compose))
            except quota.QuotaError as error:
                console.print(f"servers may use all of their cores: {error}", highlight=False)
                placement = replace(placement, server_share=1.0)
        stack.enter_context(pinned(placement.generator))
        stack.enter_context(testbed)
        setup = Setup(experiment, profile, entrants, passes, placement, testbed.images, program, seed, started)
        record = Record(setup, folder)
        Rounds(setup, record, Here(setup, testbed, cgroup), console).run()
    record.finish()
    if record.unfinished:
        raise RaceError("\n".join([f"runs that could not be finished, see {folder}:", *record.unfinished]))
    return folder


def _build(floors: Sequence[Floor], console: Console) -> None:
    """Build them; servers with a pass are built. Raises FloorError."""
    for floor in floors:
        with console.status(f"building {floor.id}"):
            try:
                build(floor)
            except (BuildError, ToolMissing) as error:
                raise FloorError(f"{floor.id} cannot be built: {error}") from error


def _group(compose: bool) -> AbstractContextManager[Path]:
    if compose:
        raise quota.QuotaError("those in compose are in groups of the engine's")
    return quota.group()


def passes_of(servers: Sequence[Server], images: Mapping[str, str] = MappingProxyType({})) -> dict[str, dict]:
    """The fresh passes by server, as processes or as `images`. Raises RaceError naming every server without one."""
    passes = {server.id: fresh_pass(server, images.get(server.id)) for server in servers}
    stale = [server for server in servers if not passes[server.id]]
    if stale:
        lines = [f"  {server.id}: {why_stale(server, images.get(server.id))}" for server in stale]
        option = "--compose " if images else ""
        command = f"samewire verify {option}{' '.join(server.argument for server in stale)}"
        raise RaceError("\n".join(["no race without conformance:", *lines, f"Run: {command}"]))
    return {server: found for server, found in passes.items() if found}


class Rounds:
    """A race under way."""

    def __init__(self, setup: Setup, record: Record, site: Site, console: Console) -> None:
        self._setup, self._record, self._site, self._console = setup, record, site, console
        self._experiment, self._profile, self._entrants = setup.experiment, setup.profile, setup.entrants
        self._draw = random.Random(setup.seed)
        self._driven: Mapping[str, Driven] = {}

    def run(self) -> None:
        profile = self._profile
        print_ = self._console.print
        print_(f"[bold]{self._experiment.title}[/], profile {profile.name}, seed {self._setup.seed}", highlight=False)
        print_(f"cores: {_describe(self._setup.placement)}", highlight=False)
        for store in dict.fromkeys(entrant.server.store for entrant in self._entrants):
            if store in URL_VARIABLES:
                self._load_data(store)
        load, self._driven = self._site.generator()
        try:
            self._rounds(load)
        finally:
            load.close()

    def _load_data(self, store: str) -> None:
        began = time.monotonic()
        links = self._profile.links
        data = f"{links:,} rows" if links else "no data"
        with self._console.status(f"loading {data}: {store}"):
            database = self._site.load_data(store)
        if database is None:
            return
        seconds = time.monotonic() - began
        self._record.add_database(store, database, seconds)
        self._console.print(f"{database.label}: {data} in {seconds:.1f} s", highlight=False)

    def _rounds(self, load: Generator) -> None:
        if self._profile.practice:
            self._practice(load)
        with Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"),
            TimeElapsedColumn(), TextColumn("{task.fields[now]}"), console=self._console,
        ) as progress:  # fmt: skip
            bar = progress.add_task("race", total=self._profile.rounds * len(self._entrants), now="")
            for number in range(1, self._profile.rounds + 1):
                order = self._draw.sample(self._entrants, len(self._entrants))
                for position, entrant in enumerate(order, 1):
                    name = f"round {number}: {entrant.id.rpartition('/')[2]}"
                    progress.update(bar, now=name)

                    def show(text: str, name: str = name) -> None:
                        progress.update(bar, now=f"{name}, {text}")

                    self._record.add_run(number, position, entrant, self._measure(entrant, load, show))
                    progress.advance(bar)

    def _practice(self, load: Generator) -> None:
        """Load the first entrant for the generator's own sake; its figures would be those of a cold generator."""
        with self._console.status("practice: the generator warms up"):
            running = self._site.start(self._entrants[0])
            load.load(running.target.url, lambda line: None, self._driven[self._entrants[0].load].first)
            running.stop()
        self._site.clear()

    def _measure(self, entrant: Entrant, load: Generator, show: Callable[[str], None]) -> Run:
        """One run; what went wrong with it is in `failed`."""
        run = Run(now())
        try:
            running = self._site.start(entrant)
        except StartError as error:
            run.fail(str(error))
            return run
        try:
            sampler = self._site.sampler(entrant, running, load)
            warmer = self._driven[entrant.load].warmer
            run = observe(self._course(entrant), running, load, sampler, show, warmer)
        finally:
            try:
                status = running.stop()
            except StopTimeout as error:
                run.warnings.append(str(error))
            else:
                if status != entrant.server.stop_status:
                    run.fail(f"the server ended with status {status}:\n{running.target.last_lines()}")
        return run

    def _course(self, entrant: Entrant) -> Course:
        setup, first = self._setup, self._driven[entrant.load].first
        workload = self._experiment.workloads[entrant.load]
        return Course(workload, setup.profile, setup.placement, self._draw, self._site.clear, first)


def _describe(placement: Placement) -> str:
    told = ", ".join(f"{name} on {'+'.join(map(str, cores))}" for name, cores in placement.as_dict().items())
    return (
        told if placement.server_share == 1 else f"{told}; the server may use {placement.server_share:.0%} of its own"
    )
