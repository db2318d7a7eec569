"""Where a race takes place: what starts servers, loads them and looks at them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from samewire.databases import Database
from samewire.process import RunningServer
from samewire.race.entrants import Entrant
from samewire.race.generator import Generator
from samewire.race.record import Setup
from samewire.race.sampler import Sampler
from samewire.race.starting import Starter
from samewire.race.warming import Driven, drive
from samewire.testbed import Testbed


class Site(Protocol):
    """The machine, or machines, of a race."""

    def load_data(self, store: str) -> Database | None:
        """See that the database of a store has the data of the service, where that is ours to do."""
        ...

    def start(self, entrant: Entrant) -> RunningServer:
        """An entrant that is healthy. Raises StartError."""
        ...

    def clear(self) -> None:
        """Put away what was uploaded to the server that was started last."""
        ...

    def generator(self) -> tuple[Generator, Mapping[str, Driven]]:
        """The load generator, and how it drives each load of the experiment. Raises GeneratorError."""
        ...

    def sampler(self, entrant: Entrant, running: RunningServer, load: Generator) -> Sampler:
        """What looks at a server that runs, at its database and at the generator."""
        ...


class Here:
    """This machine: servers start in a testbed, and may be held to a part of their cores by a control group."""

    def __init__(self, setup: Setup, testbed: Testbed, cgroup: Path | None) -> None:
        self._setup, self._testbed = setup, testbed
        self._starter = Starter(testbed, setup.experiment, setup.profile.links, setup.placement, cgroup)
        self.load_data, self.start, self.clear = self._starter.load_data, self._starter.start, self._starter.clear

    def generator(self) -> tuple[Generator, Mapping[str, Driven]]:
        """The load generator, a process of this machine. Raises GeneratorError."""
        setup = self._setup
        return drive(
            lambda contents: Generator(setup.program, contents, self._testbed.run),
            setup.loads,
            setup.seed,
        )

    def sampler(self, entrant: Entrant, running: RunningServer, load: Generator) -> Sampler:
        """A sampler of this machine's processes."""
        trees = self._starter.trees(entrant.server, running, load)
        port = self._starter.database_port(entrant.server)
        return Sampler(trees, running.target.port, port, apart=bool(self._testbed.images))
