"""Containers of our own, for tests that start and stop servers: the images and limits of what runs in compose."""

import itertools
import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from samewire.containers import engine
from samewire.containers.composed import running
from samewire.containers.engine import Container, docker
from samewire.manifest import Server, find_servers
from samewire.outputs import FILE
from samewire.process import RunFolder, RunningServer, StartError
from samewire.testbed import Testbed

OWNER_LABEL = "samewire.owner"
"""Its value is the process id of the testbed that started the container."""
_CREATED = 30.0
"""Seconds within which `docker run` has made a container, or has given up."""


class ContainerServer(RunningServer):
    """A server in a container of our own, which `docker run` keeps until it ends: its output and status are those."""

    output_is_immediate = False

    def __init__(
        self, server: Server, url: str, argv: Sequence[str], *, container: str, run: RunFolder, **spawn
    ) -> None:
        self._name, self._run = container, run
        self._container: Container | None = None
        super().__init__(server, url, argv, run=run, **spawn)

    @property
    def pid(self) -> int:
        """The id of its main process on this machine; that of `docker run` while there is none."""
        if self._container is None or self._container.pid is None:
            self._container = engine.container(self._name)
            if self._container and self._container.pid:
                self._run.record(self._container.pid)
        return (self._container and self._container.pid) or super().pid

    def signal(self, number: int) -> None:
        """Send a signal to the main process, as soon as there is one."""
        deadline = time.monotonic() + _CREATED
        while self.alive and not engine.signal(self._name, number) and time.monotonic() < deadline:
            time.sleep(0.05)

    def kill(self) -> None:
        """End it at once."""
        self.signal(signal.SIGKILL)
        super().kill()


def _remove_left_behind() -> None:
    """End the containers of testbeds whose process was killed."""
    for container in engine.containers(OWNER_LABEL):
        if not psutil.pid_exists(int(container.labels[OWNER_LABEL])):
            docker("rm", "--force", container.id)


class ContainerTestbed(Testbed):
    """Starts servers as containers of our own, on databases of our own: for tests that stop and kill both.

    Images and limits are those of the containers in compose; the network is this machine's, so that a server and its
    databases have the addresses that they would have as processes.
    """

    def __init__(self, **options) -> None:
        super().__init__(**options)
        _remove_left_behind()
        self._containers = running(find_servers())
        self._names = (f"samewire-{os.getpid()}-{number}" for number in itertools.count(1))

    def can_start(self, server: Server) -> bool:
        """Whether the server runs in compose, so that its image is known."""
        return server.id in self._containers

    def prepare(self, server: Server) -> None:
        """Nothing to do: its image is there."""

    def launch(
        self,
        server: Server,
        url: str,
        variables: Mapping[str, str | None],
        cpus: set[int] | None,
        output: str = FILE,
        cgroup: Path | None = None,
    ) -> ContainerServer:
        """Start a container with these variables; without those that are None, even where the image has them.

        Raises StartError for any output but a file, and for a control group: both are the engine's.
        """
        if output != FILE or cgroup:
            raise StartError(
                "a container's standard output and control group are the engine's: race without containers"
            )
        container, name = self._containers[server.id], next(self._names)
        argv = ["docker", "run", "--rm", "--name", name, "--label", f"{OWNER_LABEL}={os.getpid()}"]
        argv += ["--network", "host", *container.options()]
        argv += ["--cpuset-cpus", ",".join(map(str, sorted(cpus)))] if cpus else []
        for key, value in variables.items():
            # Without a value docker takes that of its own environment, or none at all.
            argv += ["--env", key if value is None else f"{key}={value}"]
            if value and Path(value).is_dir():
                argv += ["--volume", f"{value}:{value}"]
        environment = {key: value for key, value in os.environ.items() if key not in variables}
        log = self.run.folder(server.folder.name) / "log"
        # The image has the server's own command.
        argv += [container.image, *(server.variants[server.variant].run if server.variant else ())]
        return ContainerServer(server, url, argv, container=name, run=self.run, log=log, env=environment)
