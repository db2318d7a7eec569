"""Runs a race and keeps its record: `bench/results/<time>-<experiment>-<profile>/run.json`.

Every server runs once in every round, in an order drawn anew for each, as a fresh process, on data loaded once if all
that is done is to look them up, else on data of its own. The record is written after each run; nothing that was
measured is dropped.
"""

import json
import os
import platform
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from samewire.databases import URL_VARIABLES, Database
from samewire.lab import Lab
from samewire.manifest import Server, find_servers
from samewire.paths import RESULTS, STATE
from samewire.process import RunningServer, StartError, StopTimeout
from samewire.race import RaceError, findings, generator, uploads
from samewire.race.experiment import (
    Conversation,
    Entrant,
    Experiment,
    Lookups,
    Profile,
    Requests,
    Uploads,
    Workload,
)
from samewire.race.experiment import load as load_experiment
from samewire.race.generator import Generator
from samewire.race.metrics import (
    CONVERSATION_METRICS,
    METRICS,
    bytes_per_answer,
    cpu_us_per,
    error_share,
)
from samewire.race.placement import Placement, pinned, place
from samewire.race.processes import Usage
from samewire.race.sampler import Sampler
from samewire.race.snapshots import Snapshot, Window
from samewire.race.statistics import mean_interval
from samewire.record import fresh_pass, why_stale
from samewire.toolchains import TOOLS

GENERATOR_BUSY = 0.85
SERVER_BUSY = 0.90
OTHER_LOAD = 0.15
STEAL = 0.02
SERVED_IN_TURN = 0.8
ON_TIME = 0.95
_COMPARED = (
    "throughput_rps",
    "latency_mean_ms",
    "latency_sd_ms",
    "latency_p50_ms",
    "latency_p99_ms",
    "latency_p999_ms",
    "cpu_us_per_request",
    "pss_idle_bytes",
    "pss_peak_bytes",
    "rss_peak_bytes",
    "threads_peak",
    "switches_per_request",
)
_COMPARED_IN_CONVERSATION = (
    "latency_mean_ms",
    "latency_p50_ms",
    "latency_p99_ms",
    "cpu_us_per_delivery",
    "pss_idle_bytes",
    "pss_peak_bytes",
    "threads_peak",
    "switches_per_delivery",
    "bytes_per_s",
    "receives_per_s",
    "bytes_per_send",
    "bytes_per_receive",
)
_COMPARED_IN_UPLOADS = (
    "latency_mean_ms",
    "latency_sd_ms",
    "latency_cv",
    "throughput_rps",
    "cpu_us_per_request",
    "cpu_share",
    "switches_per_s",
    "pss_idle_bytes",
    "pss_peak_bytes",
    "threads_peak",
)
_NOT_THE_BOTTLENECK = "the server was not the bottleneck"
_NOT_IN_TURN = "throughput × mean latency is"
_GAVE_UP = "every user gave up before the hold was over: no connection could be made any more"
_IN_CONTAINERS = (
    "in containers: servers and databases have a network of their own, whose cost is in every figure; "
    "do not set these figures beside those of processes"
)


def race(
    experiment: str,
    profile: str,
    *,
    console: Console,
    servers: Sequence[Server] | None = None,
    seed: int | None = None,
    compose: bool = False,
) -> Path:
    """Run a profile of an experiment and return the run folder.

    `servers` are all of the experiment's service by default, each also in the variants that the experiment names.
    `seed` draws the orders and the users' lists; a fresh one is drawn by default. With `compose` it is between those
    servers that run in compose, as they run there and on the databases there. Raises RaceError before anything has
    started when there is no such experiment or profile or a server has no fresh pass, and at the end when a run could
    not be finished: what was measured is in the folder then.
    """
    return _race(*_chosen(experiment, profile, servers, compose), console=console, seed=seed, compose=compose)


def _chosen(
    experiment: str, profile: str, servers: Sequence[Server] | None, compose: bool
) -> tuple[Experiment, Profile, list[Entrant]]:
    loaded = load_experiment(experiment)
    entrants = loaded.entrants(find_servers() if servers is None else servers)
    if not entrants:
        raise RaceError(f"{experiment}: there is no server of the service {loaded.service!r} to race among these")
    if compose:
        if loaded.settings:
            given = ", ".join(loaded.settings)
            problem = f"servers that run in compose cannot be given its settings ({given})"
            raise RaceError(f"{experiment}: {problem}; race it without --compose")
        if isinstance(loaded.workload, Uploads):
            problem = "what is uploaded to servers in compose cannot be cleared away"
            raise RaceError(f"{experiment}: {problem}; race it without --compose")
        # Only here: most races need no container.
        from samewire.containers import composed

        entrants = [entrant for entrant in entrants if not entrant.variant]
        running = composed.running([entrant.server for entrant in entrants])
        entrants = [entrant for entrant in entrants if entrant.id in running]
        if not entrants:
            how = f"docker compose --profile {loaded.service} up -d"
            raise RaceError(f"{experiment}: no server of the service {loaded.service!r} runs in compose. Run: {how}")
    return loaded, loaded.profile(profile), entrants


def _lab(profile: Profile, servers: Sequence[Server], placement: Placement, compose: bool) -> Lab:
    cores = set(placement.database)
    if not compose:
        return Lab(links=profile.links, database_cpus=cores)
    from samewire.containers.composed import ComposedLab

    return ComposedLab(servers, database_cpus=cores)


def _race(
    experiment: Experiment,
    profile: Profile,
    entrants: Sequence[Entrant],
    *,
    console: Console,
    seed: int | None,
    compose: bool,
) -> Path:
    started = datetime.now(UTC)
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    placement = place(experiment.server_cores)
    folder = RESULTS / f"{started:%Y%m%dT%H%M%SZ}-{experiment.name}-{profile.name}"
    servers = [entrant.server for entrant in entrants if not entrant.variant]
    lab = _lab(profile, servers, placement, compose)
    passes = _passes(servers, lab.images)
    program = generator.build(generator.folder(experiment.workload))
    with pinned(placement.generator), lab:
        record = _Record(experiment, profile, entrants, passes, placement, lab.images, program, seed, started, folder)
        _Race(experiment, profile, entrants, placement, seed, record, lab, console).run(program)
    record.finish()
    if record.unfinished:
        raise RaceError("\n".join([f"runs that could not be finished, see {folder}:", *record.unfinished]))
    return folder


def _passes(servers: Sequence[Server], images: Mapping[str, str]) -> dict[str, dict]:
    """The fresh passes by server, as processes or as `images`. Raises RaceError naming every server without one."""
    passes = {server.id: fresh_pass(server, images.get(server.id)) for server in servers}
    stale = [server for server in servers if not passes[server.id]]
    if stale:
        lines = [f"  {server.id}: {why_stale(server, images.get(server.id))}" for server in stale]
        option = "--compose " if images else ""
        command = f"samewire verify {option}{' '.join(server.id for server in stale)}"
        raise RaceError("\n".join(["no race without conformance:", *lines, f"Run: {command}"]))
    return {server: found for server, found in passes.items() if found}


class _Race:
    """A race under way."""

    def __init__(
        self,
        experiment: Experiment,
        profile: Profile,
        entrants: Sequence[Entrant],
        placement: Placement,
        seed: int,
        record: "_Record",
        lab: Lab,
        console: Console,
    ) -> None:
        self._experiment, self._profile, self._entrants = experiment, profile, entrants
        self._placement, self._seed, self._record = placement, seed, record
        self._lab, self._console = lab, console
        self._databases: dict[str, tuple[Database, str]] = {}
        self._draw = random.Random(seed)
        self._uploaded: Path | None = None

    def run(self, program: generator.Program) -> None:
        profile = self._profile
        print_ = self._console.print
        print_(f"[bold]{self._experiment.title}[/], profile {profile.name}, seed {self._seed}", highlight=False)
        print_(f"cores: {_describe(self._placement)}", highlight=False)
        for store in dict.fromkeys(entrant.server.store for entrant in self._entrants):
            if store in URL_VARIABLES:
                self._load_data(store)
        scenarios = generator.scenarios(self._experiment.workload, profile, self._seed)
        load = Generator(program, scenarios, self._lab.run)
        try:
            self._rounds(load)
        finally:
            load.close()

    def _load_data(self, store: str) -> None:
        began = time.monotonic()
        links = self._profile.links
        data = f"{links:,} links" if links else "no data"
        with self._console.status(f"loading {data}: {store}"):
            database = self._lab.database(store)
            url = self._lab.new_database(self._experiment.service, store, links)
        self._databases[store] = database, url
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
            running = self._start(self._entrants[0])
            load.load(running.target.url, lambda line: None)
            running.stop()
        self._clear()

    def _clear(self) -> None:
        """Put away what was uploaded to the server that was started last."""
        if self._uploaded:
            uploads.renew(self._uploaded)

    def _start(self, entrant: Entrant) -> RunningServer:
        server, url = entrant.server, None
        if server.store in self._databases:
            url = self._databases[server.store][1]
            if not isinstance(self._experiment.workload, Lookups):
                # What one run has written is not there for the next.
                url = self._lab.new_database(server.service, server.store, self._profile.links)
        cpus = set(self._placement.server)
        given = dict(self._experiment.settings)
        if isinstance(self._experiment.workload, Uploads):
            if self._uploaded:
                uploads.make_room(self._uploaded)
            self._uploaded = self._lab.new_folder("uploads")
            given[uploads.FOLDER] = str(self._uploaded)
        return self._lab.start(server, database=url, variant=entrant.variant or None, env=given, cpus=cpus)

    def _measure(self, entrant: Entrant, load: Generator, show: Callable[[str], None]) -> dict:
        """One run, as run.json holds it; what went wrong with it is in `failed`."""
        run: dict = {
            "started_at": _now(),
            "load": {"requests": 0, "errors": {}},
            "metrics": {},
            "warnings": [],
        }
        try:
            running = self._start(entrant)
        except StartError as error:
            return run | {"failed": str(error)}
        try:
            run |= self._observe(entrant.server, running, load, show)
        finally:
            try:
                status = running.stop()
            except StopTimeout as error:
                run["warnings"].append(str(error))
            else:
                if status != entrant.server.stop_status:
                    ended = f"the server ended with status {status}:\n{running.target.last_lines()}"
                    run["failed"] = f"{run['failed']}; {ended}" if "failed" in run else ended
        return run

    def _observe(self, server: Server, running: RunningServer, load: Generator, show: Callable[[str], None]) -> dict:
        database = self._databases.get(server.store, (None, ""))[0]
        trees = {"server": running.pid, "generator": load.pid}
        if database and database.pid:
            trees["database"] = database.pid
        trees |= {f"upstream {service}": upstream.pid for service, upstream in self._lab.upstreams.items()}
        apart = bool(self._lab.images)
        sampler = Sampler(trees, running.target.port, getattr(database, "port", None), apart=apart)
        show("idle")
        before = sampler.snapshot()
        time.sleep(self._profile.settle_s)
        idle = sampler.snapshot(pss_of="server")
        quiet = Window(before, idle)
        watch = _Watch(load, running.target.url, sampler, show)
        started_at = _now()
        if isinstance(self._experiment.workload, Uploads):
            observed = self._observe_samples(watch, quiet)
        else:
            observed = self._observe_load(watch, quiet)
        return observed | {
            "started_at": started_at,
            "idle": _idle(idle.trees["server"]),
            "processes": {name: sampler.series(name) for name in trees},
            "sampling": sampler.cost.as_dict(),
        }

    def _observe_load(self, watch: "_Watch", quiet: Window) -> dict:
        workload = self._experiment.workload
        result, hold = watch.load()
        watch.sampler.stop()
        if not hold:
            whole = _whole(result)
            return {"load": {key: whole[key] for key in ("requests", "errors")} | {"whole": whole}, "failed": _GAVE_UP}
        loaded = _load(result, workload)
        figures = _figures(loaded, hold, quiet.end.trees["server"], watch.peaks, self._placement, workload)
        warnings = [
            *_idle_users(loaded, workload, workload.users),
            *_not_quiet(quiet, "before"),
            *_warnings(loaded, hold, figures, self._placement, watch.complaints()),
        ]
        return {"load": loaded, "metrics": figures, "warnings": warnings}

    def _observe_samples(self, watch: "_Watch", quiet: Window) -> dict:
        """The loads of all samples, one after the other in an order drawn for this run."""
        workload = self._experiment.workload
        assert isinstance(workload, Uploads)
        watch.warm_up()
        self._clear()
        wholes: list[dict] = []
        loads: dict[str, dict] = {}
        figures: dict[str, dict] = {}
        warnings, failed = _not_quiet(quiet, "before"), {}
        for sample in self._draw.sample(workload.samples, len(workload.samples)):
            result, hold = watch.load(1 + workload.samples.index(sample), f"sample {sample.name}, ")
            self._clear()
            wholes.append(_whole(result))
            if not hold:
                failed = {"failed": f"sample {sample.name}: {_GAVE_UP}"}
                break
            load = loads[sample.name] = _load(result, workload)
            found = figures[sample.name] = uploads.sample_figures(load, hold, watch.during(hold), self._placement)
            users = workload.users_of(sample, self._profile)
            told = [
                *_idle_users(load, workload, users),
                *_warnings(load, hold, found, self._placement, watch.complaints()),
            ]
            warnings += [f"sample {sample.name}: {warning}" for warning in told]
        watch.sampler.stop()
        whole = _sum(wholes)
        metrics = {}
        if not failed:
            # In the study's order, whatever that of the run was.
            by_sample = uploads.figures_by_sample({one.name: figures[one.name] for one in workload.samples})
            of_run = _memory_and_threads(quiet.end.trees["server"], watch.peaks)
            metrics = uploads.run_figures(figures, whole) | of_run | by_sample
        load = _sum(list(loads.values())) | {"whole": whole, "samples": loads}
        return {"order": list(loads), "load": load, "metrics": metrics, "warnings": warnings} | failed


class _Watch:
    """The loads of one run, with what the processes use in them; sampling begins with the first ramp-up."""

    def __init__(self, load: Generator, url: str, sampler: Sampler, show: Callable[[str], None]) -> None:
        self._load, self._url, self._show = load, url, show
        self._marks: list[Snapshot] = []
        self.sampler = sampler

    def warm_up(self) -> None:
        """The generator's first scenario, of which nothing is kept."""
        self._show("warm-up")
        self._load.load(self._url, lambda line: None)
        self._load.complaints()

    def load(self, scenario: int = 0, name: str = "") -> tuple[dict, Window | None]:
        """The generator's result, and the hold, which is None if every user gave up before it was over."""
        marks: dict[str, Snapshot] = {}

        def follow(line: Mapping) -> None:
            if stage := line.get("stage"):
                self._show(name + stage.replace("_", "-"))
                if stage == "ramp_up":
                    marks[stage] = self.sampler.snapshot() if self._marks else self.sampler.start()
                elif stage == "hold":
                    marks[stage] = self.sampler.snapshot()
                elif stage == "ramp_down":
                    marks[stage] = self.sampler.snapshot(pss_of="server")
                if stage in marks:
                    self._marks.append(marks[stage])
            else:
                self._show(f"{name}{line['requests']:,} requests/s")

        result = self._load.load(self._url, follow, scenario)
        return result, Window(marks["hold"], marks["ramp_down"]) if "ramp_down" in marks else None

    def during(self, hold: Window) -> list[Snapshot]:
        """What was sampled from second to second during a hold."""
        return [one for one in self.sampler.snapshots if hold.begin.at <= one.at <= hold.end.at]

    @property
    def peaks(self) -> list[Usage]:
        """The server at every moment at which it was sampled under load."""
        return [snapshot.trees["server"] for snapshot in [*self.sampler.snapshots, *self._marks]]

    def complaints(self) -> list[str]:
        """What the generator complained of since the last call."""
        return self._load.complaints()


def _idle(usage: Usage) -> dict:
    return {name: getattr(usage, name) for name in ("pss_bytes", "rss_bytes", "threads", "processes")}


def _load(result: Mapping, workload: Workload) -> dict:
    """The load as run.json holds it: figures of the hold, with those of the whole load beside them.

    Latencies of uploads are those of the whole load, as in the study. Who is left waiting while others are served again
    and again, as in a queue of connections, has no answer in the hold; its latency would be missing.
    """
    hold, hdr = result["stages"]["hold"], result["stages"]["hold"]["hdr"]
    if isinstance(workload, Conversation):
        own = {name: hold[name] for name in ("sends", "receives", "deliveries", "bytes")}
    else:
        right = hold["requests"] - sum(hold["errors"].values())
        own = {
            "statuses": hold["statuses"],
            "throughput_rps": right / hold["duration_s"],
            "bytes_in": hold["bytes_in"],
        }
        if isinstance(workload, Uploads):
            own["uploaded_bytes"] = hold["uploaded_bytes"]
            hdr = generator.merged(stage["hdr"] for stage in result["stages"].values())
        else:
            own["by_request"] = _by_request(hold["by_request"], workload)
    return {
        "requests": hold["requests"],
        "errors": hold["errors"],
        "duration_s": hold["duration_s"],
        **own,
        "latency_ms": generator.latency(hdr).as_dict(),
        "hdr": hdr,
        "hdr_unit": result["hdr_unit"],
        "series": result["series"],
        "whole": _whole(result),
    }


def _by_request(counts: Sequence[Mapping[str, int]], workload: Lookups | Requests) -> dict[str, dict[str, int]]:
    """Answers and their bytes by the name of the request, none where each user sends requests of its own."""
    if isinstance(workload, Lookups):
        return {}
    told: dict[str, dict[str, int]] = {request.name: {"answers": 0, "bytes": 0} for request in workload.requests}
    for request, counted in zip(workload.requests, counts, strict=True):
        for unit, number in counted.items():
            told[request.name][unit] += number
    return told


def _whole(result: Mapping) -> dict:
    """What happened from the first user's arrival to the last one's departure."""
    stages = list(result["stages"].values())
    return _sum(stages) | {"users_in_hold": result["users_in_hold"], "users_lost": result["users_lost"]}


def _sum(parts: Sequence[Mapping]) -> dict:
    """Requests, errors and time of parts of a load in all."""
    errors: Counter[str] = Counter()
    for part in parts:
        errors.update(part["errors"])
    return {
        "requests": sum(part["requests"] for part in parts),
        "errors": dict(errors),
        "duration_s": sum(part["duration_s"] for part in parts),
    }


def _figures(
    load: Mapping, hold: Window, idle: Usage, peaks: Sequence[Usage], placement: Placement, workload: Workload
) -> dict[str, float | int | None]:
    """The metrics of one run."""
    server, generating = hold.cpu_rate("server"), hold.cpu_rate("generator")
    assert server is not None
    assert generating is not None
    conversing = isinstance(workload, Conversation)
    figures = _common_figures(load, idle, peaks) | {
        "cpu_share": server / len(placement.server),
        "generator_share": generating / len(placement.generator),
    }
    figures |= (_conversation_figures if conversing else _request_figures)(load, hold)
    # In the order of the documentation and of the tables.
    named = CONVERSATION_METRICS if conversing else METRICS
    assert figures.keys() == set(named)
    by_request = load.get("by_request", {})
    return {name: figures[name] for name in named} | {
        bytes_per_answer(request): counted["bytes"] / counted["answers"] if counted["answers"] else None
        for request, counted in by_request.items()
    }


def _common_figures(load: Mapping, idle: Usage, peaks: Sequence[Usage]) -> dict[str, float | int | None]:
    whole, latency = load["whole"], load["latency_ms"]
    return {
        "latency_mean_ms": latency["mean"],
        "latency_sd_ms": latency["sd"],
        "latency_p50_ms": latency["p50"],
        "latency_p99_ms": latency["p99"],
        "latency_p999_ms": latency["p99.9"],
        "error_share": error_share(whole),
        **_memory_and_threads(idle, peaks),
    }


def _memory_and_threads(idle: Usage, peaks: Sequence[Usage]) -> dict[str, int | None]:
    return {
        "pss_idle_bytes": idle.pss_bytes,
        "pss_peak_bytes": max((usage.pss_bytes for usage in peaks if usage.pss_bytes), default=None),
        "rss_peak_bytes": max(usage.rss_bytes for usage in peaks),
        "threads_idle": idle.threads,
        "threads_peak": max(usage.threads for usage in peaks),
    }


def _request_figures(load: Mapping, hold: Window) -> dict[str, float | int | None]:
    requests = load["requests"]
    return {
        "throughput_rps": load["throughput_rps"],
        "cpu_us_per_request": cpu_us_per(requests, load["duration_s"], hold.cpu_rate("server")),
        "switches_per_request": hold.switch_rate("server") / (requests / load["duration_s"]) if requests else None,
        "bytes_per_answer": load["bytes_in"] / requests if requests else None,
        "database_cpu_us_per_request": cpu_us_per(requests, load["duration_s"], hold.cpu_rate("database")),
        "generator_cpu_us_per_request": cpu_us_per(requests, load["duration_s"], hold.cpu_rate("generator")),
    }


def _conversation_figures(load: Mapping, hold: Window) -> dict[str, float | int | None]:
    deliveries, seconds = load["deliveries"], load["duration_s"]
    sends, receives = load["sends"], load["receives"]
    return {
        "deliveries_per_s": deliveries / seconds,
        "cpu_us_per_delivery": cpu_us_per(deliveries, load["duration_s"], hold.cpu_rate("server")),
        "switches_per_delivery": hold.switch_rate("server") / (deliveries / seconds) if deliveries else None,
        "bytes_per_s": load["bytes"] / seconds,
        "sends_per_s": sends["count"] / seconds,
        "receives_per_s": receives["count"] / seconds,
        "bytes_per_send": sends["bytes_mean"],
        "bytes_per_send_sd": sends["bytes_sd"],
        "bytes_per_receive": receives["bytes_mean"],
        "bytes_per_receive_sd": receives["bytes_sd"],
        "generator_cpu_us_per_delivery": cpu_us_per(deliveries, load["duration_s"], hold.cpu_rate("generator")),
    }


def _idle_users(load: Mapping, workload: Workload, users: int) -> list[str]:
    """Warnings if not all users were there from the hold's begin, or not all were served in turn, or on time.

    In a closed model without think time, throughput × mean latency is the number of users (Little's law), as far as all
    are served: who still waits at the end has no latency yet.
    """
    warnings = []
    if (there := load["whole"]["users_in_hold"]) < users:
        warnings.append(f"only {there:,} of {users:,} users had a connection when the hold began")
    if isinstance(workload, Conversation):
        sent, due = load["sends"]["count"], users * load["duration_s"] / workload.message_every_s
        if sent < ON_TIME * due:
            warnings.append(f"only {sent:,} of {due:,.0f} messages that were due during the hold were taken by its end")
        return warnings
    in_flight = load["throughput_rps"] * (load["latency_ms"]["mean"] or 0) / 1000
    # Latencies of uploads are also those of who waits beyond the hold.
    if in_flight < SERVED_IN_TURN * users and not isinstance(workload, Uploads):
        warnings.append(
            f"{_NOT_IN_TURN} {in_flight:,.0f} of {users:,} users: the others waited for the generator, "
            "or for answers that were not there yet at the end, and latencies do not tell of them"
        )
    return warnings


def _not_quiet(window: Window, when: str) -> list[str]:
    """A warning if something else kept the machine busy."""
    if window.other_load() <= OTHER_LOAD:
        return []
    return [f"the machine was not quiet {when} the run: {window.other_load():.2f} cores busy with other things"]


def _warnings(
    load: Mapping,
    hold: Window,
    figures: Mapping[str, float | int | None],
    placement: Placement,
    complaints: Sequence[str],
) -> list[str]:
    """What a reader has to know about one run."""
    warnings = []
    errors, lost = load["whole"]["errors"], load["whole"]["users_lost"]
    if any(errors.values()):
        kinds = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in errors.items() if count)
        warnings.append(f"errors: {kinds}")
    if lost:
        warnings.append(f"{lost} users gave up: no connection to the server could be made, or none in time")
    warnings += _not_quiet(hold, "during")
    if hold.steal_share() > STEAL:
        warnings.append(f"the hypervisor gave {hold.steal_share():.0%} of the time to other machines")
    generator_share, server_busy = figures["generator_share"], hold.busy_share(placement.server)
    if generator_share is not None and generator_share >= GENERATOR_BUSY:
        warnings.append(f"the generator was the bottleneck: it used {generator_share:.0%} of its cores")
    elif "throughput_rps" in figures and server_busy < SERVER_BUSY:
        others = hold.busy_share(placement.database | placement.generator)
        warnings.append(f"{_NOT_THE_BOTTLENECK}: its cores were {server_busy:.0%} busy, the others {others:.0%}")
    stalls = [line for line in complaints if "Jitter watchdog" in line or "stood still" in line]
    if stalls:
        warnings.append(f"the generator stood still for more than 100 ms, {len(stalls)} times")
    return warnings


class _Record:
    """The content of run.json."""

    def __init__(
        self,
        experiment: Experiment,
        profile: Profile,
        entrants: Sequence[Entrant],
        passes: Mapping[str, dict],
        placement: Placement,
        images: Mapping[str, str],
        program: generator.Program,
        seed: int,
        started: datetime,
        folder: Path,
    ) -> None:
        self._experiment, self._entrants, self._folder = experiment, entrants, folder
        self._ranked = {entrant.id: True for entrant in entrants}
        self.unfinished: list[str] = []
        parameters = asdict(experiment.workload) | asdict(profile) | {"server_cores": experiment.server_cores}
        if isinstance(experiment.workload, Requests):
            parameters["requests"] = [str(request) for request in experiment.workload.requests]
        samples = {}
        if isinstance(experiment.workload, Uploads):
            samples = {"samples": uploads.described(experiment.workload, profile)}
            parameters |= {"disk": uploads.disk(STATE)}
            del parameters["samples"]
        else:
            del parameters["users_share"]
        del parameters["name"]
        if experiment.settings:
            parameters["settings"] = [f"{name}={value}" for name, value in experiment.settings.items()]
        if not profile.links:
            del parameters["links"]
        self.content: dict = {
            "schema": 1,
            "complete": False,
            "experiment": {
                "name": experiment.name,
                "title": experiment.title,
                "service": experiment.service,
                "study": {"title": experiment.study.title, "note": experiment.study.note},
                **_ranking(experiment.workload),
            },
            "profile": profile.name,
            "seed": seed,
            "started_at": started.isoformat(timespec="seconds"),
            "finished_at": started.isoformat(timespec="seconds"),
            "parameters": parameters,
            # What is in the images is not of this machine.
            "machine": _machine([] if images else [entrant.server for entrant in entrants], program),
            "placement": placement.as_dict(),
            "images": dict(images),
            "generator": {"name": program.name, "version": program.version},
            "databases": {},
            **samples,
            "servers": [
                {
                    "id": entrant.id,
                    "service": entrant.server.service,
                    "language": entrant.server.language,
                    "stack": dict(entrant.server.stack),
                    "store": entrant.server.store,
                    "concurrency": entrant.server.concurrency,
                    "variant": entrant.variant,
                    **({"transport": entrant.transport} if entrant.transport else {}),
                    "ranked": True,
                    "pass": passes[entrant.server.id],
                }
                for entrant in entrants
            ],
            "runs": [],
            "summary": {},
            "comparisons": [],
            "findings": [],
            "warnings": [],
        }
        self._placement = placement

    def add_database(self, store: str, database: Database, seconds: float) -> None:
        """A database with its data; servers on a stand-in are not ranked."""
        self.content["databases"][store] = {
            "label": database.label, "version": database.version, "stand_in": database.stand_in,
            "load_s": round(seconds, 2),
        }  # fmt: skip
        for server in self.content["servers"]:
            if server["store"] == store:
                server["ranked"] = self._ranked[server["id"]] = not database.stand_in
        self._write()

    def add_run(self, number: int, position: int, entrant: Entrant, run: dict) -> None:
        """A run that is over."""
        if "failed" in run:
            self.unfinished.append(f"round {number}, {entrant.id}: {run['failed']}")
            run["warnings"].append(run["failed"].splitlines()[0])
        self.content["runs"].append({"round": number, "position": position, "server": entrant.id} | run)
        self._evaluate()
        self._write()

    def finish(self) -> None:
        """The race is over."""
        self.content["complete"] = True
        self._write()

    def _evaluate(self) -> None:
        values: dict[str, dict[str, dict[int, float | None]]] = {entrant.id: {} for entrant in self._entrants}
        for run in self.content["runs"]:
            for metric, value in run["metrics"].items():
                values[run["server"]].setdefault(metric, {})[run["round"]] = value
        figures = findings.Figures({entrant.id: entrant for entrant in self._entrants}, self._ranked, values)
        self.content["summary"] = {
            entrant.id: {
                metric: mean_interval(list(rounds.values())).as_dict()
                for metric in values[entrant.id]
                if (rounds := figures.rounds(entrant.id, metric))
            }
            for entrant in self._entrants
        }
        usual = _compared(self._experiment.workload)
        # Those of samples would be a hundred and more.
        of_findings = (one.metric for one in self._experiment.findings if one.metric and not one.samples)
        compared = dict.fromkeys((*usual, *of_findings))
        self.content["comparisons"] = findings.comparisons(figures, tuple(compared))
        self.content["findings"] = [findings.judge(finding, figures) for finding in self._experiment.findings]
        in_containers = [_IN_CONTAINERS] if self.content["images"] else []
        placed = self._placement.warnings(database=bool(self.content["databases"]))
        self.content["warnings"] = [*in_containers, *placed, *self._of_servers()]

    def _of_servers(self) -> list[str]:
        """What a reader has to know before comparing a server's figures with another's."""
        lines = []
        for entrant in self._entrants:
            runs = [run["warnings"] for run in self.content["runs"] if run["server"] == entrant.id]

            def often(beginning: str, runs: list[list[str]] = runs) -> int:
                return sum(any(warning.startswith(beginning) for warning in warnings) for warnings in runs)

            if held_back := often(_NOT_THE_BOTTLENECK):
                lines.append(
                    f"{entrant.id} was held back by the other cores in {held_back} of {len(runs)} runs: "
                    "with more of them it could answer more than is shown, so its throughput is a lower bound"
                )
            if not_in_turn := often(_NOT_IN_TURN):
                lines.append(
                    f"not all users of {entrant.id} were served in turn in {not_in_turn} of {len(runs)} runs: "
                    "its latencies are of those who were"
                )
        return lines

    def _write(self) -> None:
        self.content["finished_at"] = _now()
        self._folder.mkdir(parents=True, exist_ok=True)
        # Replaced as a whole, so that a reader, or a killed race, never has half a record.
        new = self._folder / "run.json.new"
        new.write_text(json.dumps(self.content, ensure_ascii=False, indent=1))
        new.replace(self._folder / "run.json")


def _ranking(workload: Workload) -> dict:
    """By what its servers are ranked, where it is not throughput.

    That of a conversation is its users', that of uploads hangs on the sizes of the files.
    """
    if isinstance(workload, Conversation):
        return {"ranking": {"metric": "cpu_us_per_delivery", "best": "lowest"}}
    if isinstance(workload, Uploads):
        return {"ranking": {"metric": "latency_mean_ms", "best": "lowest"}}
    return {}


def _compared(workload: Workload) -> tuple[str, ...]:
    """The metrics in which servers are compared whatever the findings are."""
    if isinstance(workload, Conversation):
        return _COMPARED_IN_CONVERSATION
    return _COMPARED_IN_UPLOADS if isinstance(workload, Uploads) else _COMPARED


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _describe(placement: Placement) -> str:
    return ", ".join(f"{name} on {'+'.join(map(str, cores))}" for name, cores in placement.as_dict().items())


def _machine(servers: Sequence[Server], program: generator.Program) -> dict:
    models = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    names = [line.partition("=")[2].strip('"') for line in _lines("/etc/os-release") if line.startswith("PRETTY_NAME=")]
    needs = dict.fromkeys((*(need for server in servers for need in server.needs), *program.needs))
    return {
        "cpu_model": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "os": names[0] if names else platform.system(),
        "toolchains": {name: TOOLS[name]().version for name in needs} | {"python": platform.python_version()},
    }


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
