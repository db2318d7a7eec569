"""The floor of a stack: programs of `bench/floor` that give a server's answers at the least cost."""

import json
import signal
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jsonschema

from samewire.manifest import Server
from samewire.paths import BENCH, CHECKOUT
from samewire.race import RaceError

FLOORS = BENCH / "floor"


class FloorError(RaceError):
    """A `floor.toml` that breaks the schema, or a program that cannot be built; the message says which and why."""


@dataclass(frozen=True)
class Floor(Server):
    """One folder of `bench/floor`. It takes part in races without a pass: it has no contract but its answers.

    `measures` is what it does. `service` is empty until it takes part.
    """

    measures: str = ""

    def is_of(self, server: Server) -> bool:
        """Whether the server is made of what this program is made of."""
        return self.language == server.language and self.stack.keys() <= server.stack.keys()


def find_floors(folder: Path = FLOORS, root: Path = CHECKOUT) -> list[Floor]:
    """Every program, by id. Raises FloorError."""
    schema = json.loads((FLOORS / "floor.schema.json").read_text())
    return [_load(manifest, root, schema) for manifest in sorted(folder.glob("*/floor.toml"))]


def _load(manifest: Path, root: Path, schema: dict) -> Floor:
    shown = manifest.relative_to(root)
    try:
        content = tomllib.loads(manifest.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FloorError(f"{shown}: {error}") from error
    if problem := next(jsonschema.Draft202012Validator(schema).iter_errors(content), None):
        raise FloorError(f"{shown}: {problem.json_path}: {problem.message}")
    return Floor(
        id=manifest.parent.relative_to(root).as_posix(),
        folder=manifest.parent,
        service="",
        build=tuple(map(tuple, content.pop("build"))),
        needs=tuple(content.pop("needs")),
        run=tuple(content.pop("run")),
        artefacts=tuple(content.pop("artefacts", ())),
        stop_signal=signal.Signals[content.pop("stop_signal", "SIGTERM")],
        **content,
    )


def floor_of(server: Server, among: Sequence[Floor]) -> Floor | None:
    """The program that is the floor of a server: of those that fit, the one that shares most of its stack."""
    return max((one for one in among if one.is_of(server)), key=lambda one: len(one.stack), default=None)
