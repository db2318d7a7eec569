"""The programs of bench/floor, and which of them is the floor of a server."""

import json
import signal
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jsonschema

from samewire.manifest import Server
from samewire.paths import BENCH
from samewire.race import RaceError

PROGRAMS = BENCH / "floor"


class FloorError(RaceError):
    """A program of bench/floor did not start, or ended without a figure; the message says which and why."""


@dataclass(frozen=True)
class Program:
    """One folder of bench/floor, as its `floor.toml` describes it."""

    id: str
    folder: Path
    measures: tuple[str, ...]
    stack: frozenset[str]
    language: str
    needs: tuple[str, ...]
    build: tuple[tuple[str, ...], ...]
    run: tuple[str, ...]
    artefacts: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    stop_signal: signal.Signals = signal.SIGTERM

    @property
    def slug(self) -> str:
        """The id as a file name."""
        return self.id.replace("/", "--")

    def is_floor_of(self, server: Server) -> bool:
        """Whether the server is made of what this program is made of."""
        return self.language == server.language and self.stack <= server.stack.keys()


def programs() -> list[Program]:
    """Every program of bench/floor, by id. Raises FloorError."""
    schema = json.loads((PROGRAMS / "floor.schema.json").read_text())
    found = []
    for manifest in sorted(PROGRAMS.glob("*/floor.toml")):
        content = tomllib.loads(manifest.read_text())
        for problem in jsonschema.Draft202012Validator(schema).iter_errors(content):
            raise FloorError(f"{manifest}: {problem.json_path}: {problem.message}")
        found.append(
            Program(
                id=f"bench/floor/{manifest.parent.name}",
                folder=manifest.parent,
                measures=tuple(content["measures"]),
                stack=frozenset(content["stack"]),
                language=content["language"],
                needs=tuple(content["needs"]),
                build=tuple(tuple(argv) for argv in content["build"]),
                run=tuple(content["run"]),
                artefacts=tuple(content.get("artefacts", ())),
                stop_signal=signal.Signals[content.get("stop_signal", "SIGTERM")],
            )
        )
    return found


def floor_of(server: Server, measures: str, among: Sequence[Program]) -> Program | None:
    """The program that shows what `measures` costs on the server's stack: the one that shares most with it."""
    fitting = [one for one in among if measures in one.measures and one.is_floor_of(server)]
    return max(fitting, key=lambda one: len(one.stack), default=None)
