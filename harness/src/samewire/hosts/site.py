"""Several hosts as the site of a race: servers that run there already, with samplers and load generators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import execnet

from samewire.hosts.connection import Connection, measure_network
from samewire.hosts.loading import HostsGenerator
from samewire.hosts.plan import DATABASE, LOAD, SERVER, HostsError, Plan
from samewire.hosts.sampling import HostsSampler
from samewire.race.entrants import Entrant
from samewire.race.placement import Placement
from samewire.race.record import Setup
from samewire.race.warming import Driven, drive

CORES_OF_A_HOST = 1000
"""Cores are numbered from a multiple of this on, on each host from the next one."""


@dataclass(frozen=True)
class Target:
    """Where a server of another host is."""

    name: str
    url: str

    @property
    def port(self) -> int:
        """Where it listens."""
        port = urlsplit(self.url).port
        assert port
        return port

    def last_lines(self, number: int = 0) -> str:
        """Nothing: what it writes stays on its host."""
        return ""


@dataclass(frozen=True)
class There:
    """A server that runs on another host, and goes on after a run."""

    target: Target
    stop_status: int
    pid: None = field(default=None, init=False)

    def stop(self) -> int:
        """It goes on; the status with which it would end."""
        return self.stop_status


class Hosts:
    """The hosts of a plan, connected; a context manager that ends what was started there."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._group = execnet.Group()
        self._watching: list[Connection] = []

    def __enter__(self) -> "Hosts":
        """Connect to all of them. Raises HostsError."""
        try:
            self._first = {one.name: Connection(one, self._group) for one in self.plan.hosts}
            self._about = {name: one.call("about") for name, one in self._first.items()}
        except HostsError:
            self.close()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """End all processes on all hosts."""
        self._group.terminate(timeout=5.0)

    @property
    def machine(self) -> dict[str, Any]:
        """The server's machine, as run.json holds it."""
        (server,) = self.plan.of_role(SERVER)
        return {name: value for name, value in self._about[server.name].items() if name != "cores_here"}

    def as_dict(self) -> list[dict[str, Any]]:
        """The hosts as run.json holds them."""
        return [
            {"name": one.name, "role": one.role, "address": one.address, "first_core": first}
            | {key: value for key, value in self._about[one.name].items() if key not in ("cores_here", "toolchains")}
            for one, first in zip(self.plan.hosts, self._first_cores(), strict=True)
        ]

    def network(self) -> list[dict[str, Any]]:
        """What the network does between load hosts and server, and between server and database. Raises HostsError."""
        (server,) = self.plan.of_role(SERVER)
        pairs = [(load.name, server.name) for load in self.plan.of_role(LOAD)]
        pairs += [(server.name, database.name) for database in self.plan.of_role(DATABASE)]
        return measure_network(self._first, pairs)

    def placement(self) -> Placement:
        """The cores of each role, told apart by their numbers."""

        def cores(*roles: str) -> frozenset[int]:
            return frozenset(
                first + core
                for one, first in zip(self.plan.hosts, self._first_cores(), strict=True)
                if one.role in roles
                for core in self._about[one.name]["cores_here"]
            )

        return Placement(cores(SERVER), cores(DATABASE), cores(LOAD))

    def generator(self, module: str, contents: Sequence[Mapping[str, Any]]) -> HostsGenerator:
        """Load generators on all load hosts. Raises HostsError, GeneratorError."""
        loads = self.plan.of_role(LOAD)
        return HostsGenerator([Connection(one, self._group) for one in loads], module, contents)

    def sampler(self, server_port: int, load: HostsGenerator) -> HostsSampler:
        """Samplers on all hosts, of who listens on the server's port, of the database and of the generators."""
        if not self._watching:
            self._watching = [Connection(one, self._group) for one in self.plan.hosts]
        database_port = next((one.port for one in self.plan.of_role(DATABASE)), None)
        pids = iter(load.pids)
        for one in self._watching:
            host = one.host
            if host.role == SERVER:
                trees = {"server": None}
            elif host.role == DATABASE:
                trees = {"database": None}
            else:
                trees = {"generator": next(pids)}
            ports = {"server_port": server_port, "database_port": database_port}
            one.begin("watch", trees=trees, port=host.port or server_port, **ports)
        for one in self._watching:
            one.finish()
        # The server's first: its clock is that of the race.
        placed = sorted(
            zip(self._watching, self._first_cores(), strict=True), key=lambda one: one[0].host.role != SERVER
        )
        return HostsSampler([one for one, _ in placed], [first for _, first in placed])

    def _first_cores(self) -> list[int]:
        return [CORES_OF_A_HOST * place for place in range(len(self.plan.hosts))]


class HostsSite:
    """The site of a race whose servers run on other hosts."""

    def __init__(self, setup: Setup, hosts: Hosts) -> None:
        self._setup, self._hosts = setup, hosts

    def load_data(self, store: str) -> None:
        """Nothing: the servers have databases with data in them."""

    def start(self, entrant: Entrant) -> There:
        """The entrant, which runs already."""
        url = self._hosts.plan.servers[entrant.server.id]
        return There(Target(entrant.server.name, url), entrant.server.stop_status)

    def clear(self) -> None:
        """Nothing: servers that keep files do not race here."""

    def generator(self) -> tuple[HostsGenerator, Mapping[str, Driven]]:
        """The load generators of all load hosts. Raises HostsError, GeneratorError."""
        setup = self._setup
        module = setup.experiment.workload.generator
        return drive(
            lambda contents: self._hosts.generator(module, contents),
            setup.loads,
            setup.seed,
        )

    def sampler(self, entrant: Entrant, running: There, load: HostsGenerator) -> HostsSampler:
        """A sampler of all hosts."""
        return self._hosts.sampler(running.target.port, load)
