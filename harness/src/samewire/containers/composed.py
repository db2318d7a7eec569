"""What runs in compose, found by the labels of its containers, whoever started it: servers to judge and to race."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from samewire.containers import engine
from samewire.containers.compose import DATABASE_LABEL, PORT, SERVER_LABEL, SERVER_URLS, database_name, name
from samewire.containers.data import fill
from samewire.containers.engine import Container, EngineError, docker
from samewire.databases import URL_VARIABLES, Database
from samewire.databases.mongodb import MongoDB
from samewire.databases.postgresql import PostgreSQL
from samewire.datasets import dataset
from samewire.manifest import Server
from samewire.process import RunFolder, Spawned, StopTimeout
from samewire.target import Target
from samewire.testbed import Testbed

STAND_IN_LABEL = "samewire.stand-in"
"""On an image that stands in for another; its value says what it is."""
_KILLED = 137


def running(servers: Iterable[Server]) -> dict[str, Container]:
    """The running containers of the servers by id; those that do not run are left out.

    Raises EngineError when a server runs twice, ToolMissing without Docker.
    """
    wanted, found = {server.id for server in servers}, {}
    for container in engine.containers(SERVER_LABEL):
        server = container.labels[SERVER_LABEL]
        if server in wanted and container.running:
            if server in found:
                raise EngineError(f"{server} runs twice: {found[server].name} and {container.name}; stop one of them")
            found[server] = container
    return found


def required(servers: Iterable[Server]) -> dict[str, Container]:
    """The same, of all of the servers. Raises EngineError, saying how to start those that do not run."""
    servers = list(servers)
    found = running(servers)
    if absent := [name(server) for server in servers if server.id not in found]:
        raise EngineError(f"not running in compose: {', '.join(absent)}. Run: docker compose up -d {' '.join(absent)}")
    return found


def url(container: Container) -> str:
    """Where a server's container is published. Raises EngineError."""
    port = container.published(PORT)
    if port is None:
        raise EngineError(f"{container.name} does not publish its port {PORT}: was it started by docker-compose.yml?")
    return f"http://127.0.0.1:{port}"


def database_container(store: str) -> Container:
    """The container of a store's database. Raises EngineError."""
    found = [one for one in engine.containers(f"{DATABASE_LABEL}={store}") if one.running]
    if len(found) != 1:
        raise EngineError(f"{len(found)} running containers have the label {DATABASE_LABEL}={store}, instead of one")
    return found[0]


def server_url(container: Container) -> str:
    """The URL of a database's container, without a database's name, as it is published. Raises EngineError."""
    inside = urlsplit(SERVER_URLS[container.labels[DATABASE_LABEL]])
    assert inside.port
    port = container.published(inside.port)
    if port is None:
        raise EngineError(f"{container.name} does not publish its port {inside.port}")
    user, at, _ = inside.netloc.rpartition("@")
    return f"{inside.scheme}://{user}{at}127.0.0.1:{port}"


def database(container: Container) -> Database:
    """The database in a container. Raises EngineError or DatabaseError."""
    store = container.labels[DATABASE_LABEL]
    found: Database = {"postgresql": PostgreSQL, "mongodb": MongoDB}[store](server_url(container))
    if stand_in := container.labels.get(STAND_IN_LABEL):
        found.stand_in, found.label = True, f"MongoDB wire protocol, stand-in {stand_in}"
    found.label += ", in a container"
    found.pid = container.pid
    return found


class ComposedServer:
    """A server's container, with what a RunningServer can do. Its output is copied into files, as that of processes is.

    What was not started by us is not ended by us: `kill` leaves it as it is.
    """

    def __init__(self, server: Server, container: Container, url: str, run: RunFolder, *, ours: bool) -> None:
        self._container, self._ours = container, ours
        log = run.folder(name(server)) / "log"
        argv = ["docker", "logs", "--follow", "--since", container.started_at, container.id]
        self._output = Spawned(argv, run=run, log=log)
        self.target = Target(server.id, server.service, url, server, container.pid, log)

    @property
    def pid(self) -> int | None:
        """The id of its main process on this machine."""
        return self._container.again().pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._container.again().running

    def wait(self, timeout: float) -> int:
        """The exit status of a container that has ended."""
        del timeout
        return self._container.again().exit_status

    def stop(self, timeout: float = 10.0) -> int:
        """Stop it by its stop signal and return the exit status. Raises StopTimeout after having killed it."""
        docker("stop", "--time", f"{timeout:g}", self._container.id)
        self.forget()
        status = self.wait(0)
        if status == _KILLED:
            raise StopTimeout(f"{self.target.name} did not stop within {timeout:g} s and was killed")
        return status

    def kill(self) -> None:
        """End it at once, if we have started it."""
        if self._ours and self.alive:
            docker("kill", self._container.id)
        self.forget()

    def forget(self) -> None:
        """Follow its output no more."""
        self._output.kill()


class ComposedTestbed(Testbed):
    """What runs in compose, in place of processes of our own. When it closes, all that ran before runs again."""

    def __init__(self, servers: Iterable[Server], *, database_cpus: set[int] | None = None) -> None:
        super().__init__(database_cpus=database_cpus)
        self._servers = list(servers)
        self._containers = required(self._servers)
        if database_cpus and (elsewhere := [one.name for one in self._containers.values() if one.pid is None]):
            raise EngineError(f"not processes of this machine, so not to be measured: {', '.join(elsewhere)}")
        self._placed: dict[str, Container] = {}
        self._stopped = False

    @property
    def images(self) -> dict[str, str]:
        """The ids of the images that the servers run, by server."""
        return {server: container.image for server, container in self._containers.items()}

    def database(self, store: str) -> Database:
        """The database of a store, as it runs. Raises EngineError or DatabaseError."""
        if store not in self._databases:
            container = database_container(store)
            if self._database_cpus:
                self._place(container, self._database_cpus)
            self._databases[store] = database(container)
        return self._databases[store]

    def new_database(self, service: str, store: str, links: int | None = None, todos: int = 0) -> str:
        """See that the databases of the servers hold so many links. They have theirs: no URL is returned."""
        wanted = [
            (database_name(one), dataset(service, self.links if links is None else links, todos))
            for one in self._servers
            if one.store == store
        ]
        fill(store, server_url(database_container(store)), wanted, lambda line: None)
        return ""

    def spawn(self, server: Server, *, cpus: set[int] | None = None, **_) -> ComposedServer:
        """A server as it runs, at the port at which it is published; on `cpus` it is started anew, alone.

        Then it is addressed in the containers' network, since the proxy of published ports costs processor time.
        """
        container = self._containers[server.id]
        if server.store in URL_VARIABLES:
            self.database(server.store)
        if not cpus:
            running = ComposedServer(server, container, url(container), self.run, ours=False)
            self._started.append(running)
            return running
        for one in [] if self._stopped else self._containers.values():
            docker("stop", one.id)
        self._stopped = True
        self._place(container, cpus)
        docker("start", container.id)
        container = container.again()
        base = f"http://{container.address}:{PORT}" if container.address else url(container)
        running = ComposedServer(server, container, base, self.run, ours=True)
        self._started.append(running)
        return running

    def _place(self, container: Container, cpus: set[int]) -> None:
        self._placed.setdefault(container.id, container)
        container.place(cpus)

    def close(self) -> list[str]:
        """Put back what was moved and stopped; what did not go well, a line each."""
        for running in self._started:
            running.forget()
        self._started.clear()
        for container in self._placed.values():
            container.place_back()
        for container in self._containers.values() if self._stopped else ():
            docker("start", container.id)
        return super().close()
