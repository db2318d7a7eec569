"""Runs a race whose servers, database and load generators are on several hosts."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from samewire.hosts.plan import HostsError, Plan, read
from samewire.hosts.site import Hosts, HostsSite
from samewire.manifest import Server
from samewire.paths import RESULTS
from samewire.race import RaceError, generator
from samewire.race.entrants import Entrant
from samewire.race.experiment import Experiment
from samewire.race.experiment import load as load_experiment
from samewire.race.record import Record, Setup
from samewire.race.runner import Rounds, passes_of
from samewire.table import new_table

RUNNING_ALREADY = (
    "on other hosts: the servers ran there already, each a single process for all rounds, "
    "and their passes are of the same files on this machine"
)


def race(
    file: Path,
    experiment: str,
    profile: str,
    *,
    console: Console,
    servers: Sequence[Server],
    seed: int | None = None,
    rounds: int | None = None,
) -> Path:
    """Run a profile of an experiment on the hosts of a file, in so many rounds if given, and return the run folder.

    Those of the servers take part that the file has the URL of, as they run there. Raises RaceError before anything has
    started when there is none, or one has no fresh pass, and at the end when a run could not be finished.
    """
    plan, loaded = read(file), load_experiment(experiment)
    chosen = loaded.profile(profile)
    chosen = replace(chosen, rounds=rounds or chosen.rounds)
    entrants = _entrants(loaded, servers, plan, file)
    passes = passes_of([one.server for one in entrants])
    program = generator.build(generator.folder(loaded.workload))
    started = datetime.now(UTC)
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    folder = RESULTS / f"{started:%Y%m%dT%H%M%SZ}-{loaded.name}-hosts-{chosen.name}"
    with Hosts(plan) as hosts:
        network = hosts.network()
        _tell(hosts, network, console)
        setup = Setup(loaded, chosen, entrants, passes, hosts.placement(), {}, program, seed, started)
        members = {"machine": hosts.machine, "hosts": hosts.as_dict(), "network": network}
        record = Record(setup, folder, members, [RUNNING_ALREADY])
        Rounds(setup, record, HostsSite(setup, hosts), console).run()
    record.finish()
    if record.unfinished:
        raise RaceError("\n".join([f"runs that could not be finished, see {folder}:", *record.unfinished]))
    return folder


def _entrants(experiment: Experiment, servers: Sequence[Server], plan: Plan, file: Path) -> list[Entrant]:
    for name, problem in (
        (experiment.floor, "floors do not run on other hosts"),
        (experiment.settings, "servers that run already cannot be given its settings"),
        (experiment.workload.keeps_files, "what is uploaded to other hosts cannot be cleared away"),
        (experiment.workload.generator != "load", "its load generator runs on this machine alone"),
    ):
        if name:
            raise HostsError(f"{experiment.name}: {problem}; race it without --on")
    entrants = [one for one in experiment.entrants(servers) if not one.variant and one.server.id in plan.servers]
    if not entrants:
        raise HostsError(f"{experiment.name}: {file} has the URL of no server of the service {experiment.service!r}")
    return entrants


def _tell(hosts: Hosts, network: Sequence[dict], console: Console) -> None:
    table = new_table("Hosts", "host", "role", "cores", "memory, GiB", "processor")
    for one in hosts.as_dict():
        gibibytes = f"{one['memory_bytes'] / 2**30:.1f}"
        table.add_row(one["name"], one["role"], str(one["cores"]), gibibytes, one["cpu_model"])
    console.print(table)
    table = new_table("Network", "from", "to", "round trip, ms", "lowest", "highest", "Mbit/s")
    for one in network:
        trip = (f"{one['round_trip_ms'][name]:.3f}" for name in ("mean", "min", "max"))
        table.add_row(one["from"], one["to"], *trip, f"{one['mbit_per_s']:,.0f}")
    console.print(table)
