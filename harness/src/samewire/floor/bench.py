"""What all measurements of a floor share: rounds in random order, and programs on the cores of the server."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from samewire.floor.programs import FloorError, Program
from samewire.lab import Lab, RunningServer
from samewire.manifest import Server
from samewire.process import Spawned, StopTimeout, free_port, wait_for_port
from samewire.race.placement import Placement
from samewire.toolchains import environment


@dataclass(frozen=True)
class Profile:
    """How long each measurement takes, in seconds, how often each is made, and for how many at once."""

    rounds: int = 5
    warm_up_s: float = 4.0
    measure_s: float = 4.0
    users: int = 10
    """Clients of a server, and queries in flight of a driver."""


@dataclass(frozen=True)
class Bench:
    """Measurements under way; servers and programs run on the server's cores, one at a time."""

    lab: Lab
    profile: Profile
    placement: Placement
    console: Console
    draw: random.Random

    def rounds(self, jobs: Mapping[str, Callable[[], float]], unit: str) -> dict[str, list[float]]:
        """Every job once in each round, in random order."""
        figures: dict[str, list[float]] = {name: [] for name in jobs}
        for number in range(1, self.profile.rounds + 1):
            for name in self.draw.sample(list(jobs), len(jobs)):
                with self.console.status(f"round {number} of {self.profile.rounds}: {name}"):
                    figures[name].append(jobs[name]())
                self.console.print(f"round {number}: {name}: {figures[name][-1]:,.1f} {unit}", highlight=False)
        return figures

    @contextmanager
    def server(self, server: Server, **options: Any) -> Iterator[RunningServer]:
        """The server, healthy; `options` are those of `Lab.start`. Raises StartError."""
        running = self.lab.start(server, **options, cpus=set(self.placement.server))
        try:
            yield running
        finally:
            running.stop()

    @contextmanager
    def program_server(self, program: Program, env: Mapping[str, str]) -> Iterator[tuple[Spawned, str, Path]]:
        """The running program, its URL, and the folder for its copies. Raises FloorError."""
        port = free_port()
        folder = self.lab.new_folder("copies")
        running = self.spawn(program, {"HOST": "127.0.0.1", "PORT": str(port), "UPLOAD_DIR": str(folder)} | dict(env))
        try:
            if not wait_for_port(port, 30, lambda: running.alive):
                raise FloorError(f"{program.id} did not start:\n{running.output()[-2000:]}")
            yield running, f"http://127.0.0.1:{port}", folder
        finally:
            running.signal(program.stop_signal)
            try:
                running.wait(10)
            except StopTimeout:
                running.kill()

    def spawn(self, program: Program, env: Mapping[str, str]) -> Spawned:
        """A program that has just been started, with these variables beside those of its toolchains."""
        folder = self.lab.run.folder(program.folder.name)
        temporary = folder / "tmp"
        temporary.mkdir(mode=0o755)
        return Spawned(
            program.run,
            run=self.lab.run,
            log=folder / "log",
            cwd=program.folder,
            env=environment(program.needs) | {"TMPDIR": str(temporary)} | dict(env),
            cpus=set(self.placement.server),
        )
