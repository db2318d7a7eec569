"""A place where databases and servers run together, and from which nothing is left when it closes."""

import contextlib
import itertools
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import psutil

from samewire.build import build
from samewire.carried import carried_servers
from samewire.databases import URL_VARIABLES, Database, launch
from samewire.datasets import dataset
from samewire.manifest import SelectionError, Server, find_servers, least_demanding
from samewire.outputs import FILE
from samewire.process import (
    RunFolder,
    RunningServer,
    StartError,
    StopTimeout,
    free_port,
    session_members,
    wait_for_port,
)
from samewire.settings import Setting, settings
from samewire.toolchains import DatabaseMissing, brief, environment, missing, with_jvm_options

START_TIMEOUT = 30.0
LINKS = 10_000
"""How many links a fresh database of the shortener holds, unless told otherwise."""


class Testbed:
    """Starts databases and servers on free loopback ports; a context manager that stops them all.

    `links` is how many links a fresh database of the shortener holds unless told otherwise. A `private` testbed has
    databases of its own even where $POSTGRES_URL or $MONGODB_URL names one, so that tests may stop and kill them.
    `database_cpus` places databases on given cores. What a `brief` testbed starts lives for seconds: no commit waits
    for the disk (databases.launch), and a JVM does without its optimising compiler (toolchains.brief).
    """

    # By its name pytest would take it for a test.
    __test__ = False

    def __init__(
        self,
        *,
        links: int = LINKS,
        private: bool = False,
        database_cpus: set[int] | None = None,
        brief: bool = False,
    ) -> None:
        self.links = links
        self._private = private
        self._database_cpus = database_cpus
        self._brief = brief
        self._run: RunFolder | None = None
        self._databases: dict[str, Database] = {}
        self._lent: dict[str, Database] = {}
        self._made: list[tuple[Database, str]] = []
        self._started: list[RunningServer] = []
        self._upstreams: dict[str, RunningServer] = {}
        self._numbers = itertools.count(1)

    def __enter__(self) -> "Testbed":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def run(self) -> RunFolder:
        """The folder with the logs and temporary files of this testbed."""
        if self._run is None:
            self._run = RunFolder()
        return self._run

    @property
    def started(self) -> list[RunningServer]:
        """The servers that this testbed has started, in order, whether they still run or not."""
        return list(self._started)

    @property
    def upstreams(self) -> dict[str, RunningServer]:
        """The servers that have been started for others to ask, by service."""
        return dict(self._upstreams)

    @property
    def images(self) -> dict[str, str]:
        """The ids of the images of servers that run in containers: none, where they are processes of our own."""
        return {}

    def databases(self) -> dict[str, Database]:
        """The databases that have been started, by store."""
        return dict(self._databases)

    def database(self, store: str) -> Database:
        """The database for a store, started at the first call, or again if it was stopped.

        Raises DatabaseError or ToolMissing.
        """
        if store not in self._databases:
            self._databases[store] = launch(
                store,
                self.run,
                links=self.links,
                private=self._private,
                cpus=self._database_cpus,
                fsync=not self._brief,
            )
        database = self._databases[store]
        if database.ours and database.pid is None:
            database.start()
        return database

    def new_database(self, service: str, store: str, links: int | None = None, todos: int = 0) -> str:
        """The URL of a fresh database for a server of that service, deleted when the testbed closes.

        The shortener's has so many links, by default as many as the testbed says; that of TODO has so many todos.
        """
        database = self._with_room(store)
        name = f"samewire_{os.getpid()}_{next(self._numbers)}"
        self._made.append((database, name))
        return database.create(name, dataset(service, self.links if links is None else links, todos))

    def _with_room(self, store: str) -> Database:
        """One in which databases may be made: ours or, where a wheel has none, the user's (--database-url)."""
        try:
            return self.database(store)
        except DatabaseMissing:
            if store not in self._lent:
                self._lent[store] = launch(store, self.run, links=self.links, private=False, cpus=None, fsync=False)
            return self._lent[store]

    def upstream(self, service: str) -> RunningServer:
        """A server of that service for others to ask, started at the first call: the one that needs least.

        Raises SelectionError if there is none that can run here, StartError if it does not start.
        """
        if service not in self._upstreams:
            known = [*find_servers(), *carried_servers()]
            able = [one for one in known if one.service == service and self.can_start(one)]
            if not able:
                raise SelectionError(
                    f"a server of the service {service!r} is needed as an upstream, and none is here. Start your "
                    "server yourself: `samewire verify report URL --upstream-port PORT` has upstreams of its own."
                )
            self._upstreams[service] = self.start(least_demanding(able))
        return self._upstreams[service]

    def spawn(
        self,
        server: Server,
        *,
        database: str | None = None,
        variant: str | None = None,
        env: Mapping[str, str | None] | None = None,
        cpus: set[int] | None = None,
        output: str = FILE,
        cgroup: Path | None = None,
    ) -> RunningServer:
        """Start a server without waiting for it; builds it first if that is needed.

        `database` is a database's URL (a fresh one by default); `variant` is the server's own by default; `env` sets
        variables, or removes those that are None; `output` is where its standard output goes; `cgroup` is the folder of
        a control group that it joins.
        """
        self.prepare(server)
        variables: dict[str, str | None] = {"HOST": "127.0.0.1", "PORT": str(free_port())}
        url_variable = URL_VARIABLES.get(server.store)
        if url_variable and not (env and url_variable in env):
            variables[url_variable] = database or self.new_database(server.service, server.store)
        variables |= {
            setting.name: self._value(setting)
            for setting in settings(server.service)
            if setting.required and not (env and setting.name in env)
        }
        if variant and variant != server.variant:
            server = server.in_variant(variant)
        if server.variant:
            variables |= dict(server.variants[server.variant].env)
        variables |= dict(env or {})
        running = self.launch(
            server, f"http://{variables['HOST']}:{variables['PORT']}", variables, cpus, output, cgroup
        )
        self._started.append(running)
        return running

    def can_start(self, server: Server) -> bool:
        """Whether what the server needs is on this machine."""
        return not missing(server.needs)

    def prepare(self, server: Server) -> None:
        """See that the server can be started. Raises BuildError or ToolMissing."""
        build(server)

    def launch(
        self,
        server: Server,
        url: str,
        variables: Mapping[str, str | None],
        cpus: set[int] | None,
        output: str = FILE,
        cgroup: Path | None = None,
    ) -> RunningServer:
        """Start a server's process with these variables; without those that are None."""
        folder = self.run.folder(server.folder.name)
        temporary = folder / "tmp"
        temporary.mkdir(mode=0o755)
        inherited = {k: v for k, v in environment(server.needs).items() if k not in URL_VARIABLES.values()}
        given = inherited | dict(variables) | {"TMPDIR": str(temporary)}
        return RunningServer(
            server,
            url,
            # A JVM does not know TMPDIR.
            with_jvm_options(brief(server.run) if self._brief else server.run, f"-Djava.io.tmpdir={temporary}"),
            run=self.run,
            log=folder / "log",
            cwd=server.folder,
            env={key: value for key, value in given.items() if value is not None},
            cpus=cpus,
            output=output,
            cgroup=cgroup,
        )

    def _value(self, setting: Setting) -> str:
        """A value for a required setting."""
        if setting.service:
            return self.upstream(setting.service).target.url
        return str(self.new_folder(setting.name.lower()))

    def new_folder(self, name: str) -> Path:
        """A fresh folder that a server may write to, whoever it runs as; deleted when the testbed closes."""
        folder = self.run.folder(name)
        folder.chmod(0o777)
        return folder

    def start(self, server: Server, *, healthz: bool = True, **options) -> RunningServer:
        """`spawn` (same options), then wait until the server says that it is healthy; without `healthz`, until it
        listens. Raises StartError.
        """
        running = self.spawn(server, **options)
        if healthz:
            self.wait_until_healthy(running)
        else:
            self.wait_until_listening(running)
        return running

    def wait_until_healthy(self, running: RunningServer, timeout: float = START_TIMEOUT) -> None:
        """Wait for `GET /healthz` → 200. Raises StartError with the end of the server's output."""
        deadline = time.monotonic() + timeout
        answer = "no answer"
        while time.monotonic() < deadline and running.alive:
            try:
                with urllib.request.urlopen(f"{running.target.url}/healthz", timeout=5) as response:
                    if response.status == 200:
                        return
                    answer = f"GET /healthz is answered with {response.status}"
            except urllib.error.HTTPError as error:
                answer = f"GET /healthz is answered with {error.code} {error.read(500).decode(errors='replace')}"
            except OSError:
                pass
            time.sleep(0.02)
        self._give_up(running, f"not healthy after {timeout:g} s: {answer}")

    def wait_until_listening(self, running: RunningServer, timeout: float = START_TIMEOUT) -> None:
        """Wait until its port takes connections. Raises StartError with the end of the server's output."""
        if not wait_for_port(running.target.port, timeout, lambda: running.alive):
            self._give_up(running, f"does not listen after {timeout:g} s")

    def _elsewhere(self, running: RunningServer) -> str:
        """Where the server listens, if that is not where PORT says."""
        found = set()
        for pid in session_members(running.pid):
            with contextlib.suppress(psutil.Error):
                found |= {one.laddr for one in psutil.Process(pid).net_connections("tcp") if one.status == "LISTEN"}
        ports = {address.port for address in found}
        if not ports or running.target.port in ports:
            return ""
        listening = ", ".join(f"{address.ip}:{address.port}" for address in sorted(found))
        return f"; it listens at {listening}, and PORT is {running.target.port}"

    def _give_up(self, running: RunningServer, problem: str) -> NoReturn:
        state = problem + self._elsewhere(running) if running.alive else f"exit status {running.wait(0)}"
        running.kill()
        raise StartError(
            f"{running.target.name} did not start ({state}). Its last lines:\n{running.target.last_lines()}"
        )

    def close(self) -> list[str]:
        """Stop servers, all at once, then databases, and delete the run folder; what did not stop well, a line each."""
        problems = []
        alive = [running for running in self._started if running.alive]
        with ThreadPoolExecutor(len(alive) or 1) as pool:
            for stopping in [pool.submit(running.stop) for running in alive]:
                try:
                    stopping.result()
                except StopTimeout as error:
                    problems.append(str(error))
        self._started.clear()
        self._upstreams.clear()
        for database, name in self._made:
            # Ours go as a whole; in somebody else's only what we made may go.
            if not database.ours:
                database.drop(name)
        self._made.clear()
        for database in (*self._databases.values(), *self._lent.values()):
            database.close()
        self._databases.clear()
        self._lent.clear()
        if self._run:
            self._run.remove()
            self._run = None
        return problems
