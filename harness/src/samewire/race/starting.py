"""Starts servers as an experiment has them: on its data, with its settings, on its cores."""

from collections.abc import Callable
from pathlib import Path

from samewire.databases import Database
from samewire.manifest import Server
from samewire.process import RunningServer
from samewire.race import quota, upload_folders
from samewire.race.entrants import Entrant
from samewire.race.experiment import Experiment
from samewire.race.generator import Generator
from samewire.race.placement import Placement
from samewire.testbed import Testbed


class Starter:
    """Starts entrants of one experiment in a testbed, each time on `links` links or todos.

    Where they may use a part of their cores only, they are in the group `cgroup`, and held to that part from when they
    are healthy on. `through` turns a database's URL into that which a server is given.
    """

    def __init__(
        self,
        testbed: Testbed,
        experiment: Experiment,
        links: int,
        placement: Placement,
        cgroup: Path | None = None,
        through: Callable[[str], str] = str,
    ) -> None:
        self._testbed, self._experiment, self._links, self._placement = testbed, experiment, links, placement
        self._cgroup, self._through = cgroup, through
        self._databases: dict[str, tuple[Database, str]] = {}
        self._uploaded: Path | None = None

    def load_data(self, store: str) -> Database:
        """The database of a store, with the data of the service in it. Raises DatabaseError or ToolMissing."""
        database = self._testbed.database(store)
        self._databases[store] = database, self._new_database(store)
        return database

    def _new_database(self, store: str) -> str:
        """The URL of a database with as many links, or todos, as are to be looked up; without these, empty."""
        return self._testbed.new_database(self._experiment.service, store, links=self._links, todos=self._links)

    def start(self, entrant: Entrant, server: Server | None = None) -> RunningServer:
        """Start an entrant and wait until it is healthy, or until it listens if it is a floor. Raises StartError.

        `server` takes the place of the entrant's own: the same one, with another command.
        """
        server, url = server or entrant.server, None
        if server.store in self._databases:
            url = self._databases[server.store][1]
            if self._experiment.workload.writes:
                # What one run has written is not there for the next.
                url = self._new_database(server.store)
        given = dict(self._experiment.settings)
        if self._experiment.workload.keeps_files:
            if self._uploaded:
                upload_folders.make_room(self._uploaded)
            self._uploaded = self._testbed.new_folder("uploads")
            given[upload_folders.FOLDER] = str(self._uploaded)
        cpus = set(self._placement.server)
        output = self._experiment.workloads.get(entrant.load, self._experiment.workload).output
        if entrant.is_floor:
            given["SERVICE"] = server.service
        if url:
            url = self._through(url)
        running = self._testbed.start(
            server, healthz=not entrant.is_floor, database=url, variant=entrant.variant or None, env=given, cpus=cpus,
            output=output, cgroup=self._cgroup,
        )  # fmt: skip
        if self._cgroup:
            quota.limit(running.pid, len(cpus), self._placement.server_share)
        return running

    def clear(self) -> None:
        """Put away what was uploaded to the server that was started last."""
        if self._uploaded:
            upload_folders.renew(self._uploaded)

    def trees(self, server: Server, running: RunningServer, load: Generator) -> dict[str, int]:
        """The first process of all that takes part in a run, by name: server, generator, database, upstreams."""
        trees = {"server": running.pid, "generator": load.pid}
        if server.store in self._databases and (pid := self._databases[server.store][0].pid):
            trees["database"] = pid
        return trees | {f"upstream {service}": upstream.pid for service, upstream in self._testbed.upstreams.items()}

    def database_port(self, server: Server) -> int | None:
        """The port of the server's database, if it has one that is known."""
        return getattr(self._databases.get(server.store, (None, ""))[0], "port", None)
