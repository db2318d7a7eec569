"""The declaration of such a lab: `bench/labs/NAME/lab.toml`, and a file for each of its faults in `NAME/faults`."""

import json
import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from samewire.labs import LabError, NotFound
from samewire.labs.changes import Change
from samewire.manifest import Server
from samewire.paths import BENCH
from samewire.toolchains import missing

LABS = BENCH / "labs"
HIGHEST_SEED = 9_999


@dataclass(frozen=True)
class Kind:
    """A kind of fault, of which a reader may suspect one."""

    name: str
    text: str


@dataclass(frozen=True)
class Fault:
    """What is planted in a server: `changes` of its code, which these `layers` and `tests` of the suite are to find.

    `tests` is an expression as of pytest's -k. Of the tests in `found_by` at least one fails.
    """

    name: str
    server: str
    kind: str
    layers: tuple[str, ...]
    tests: str
    found_by: tuple[str, ...]
    hints: tuple[str, ...]
    why: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it is in, below the server's folder."""
        return tuple(dict.fromkeys(one.file for one in self.changes))


@dataclass(frozen=True)
class Mending:
    """A lab with faults to find and to mend."""

    name: str
    title: str
    question: str
    about: str
    minutes: int
    model_pages: tuple[str, ...]
    kinds: tuple[Kind, ...]
    next: tuple[str, ...]
    faults: tuple[Fault, ...]

    def able(self, servers: Sequence[Server]) -> list[tuple[Fault, Server]]:
        """The faults whose servers are among these and can run here, with their servers."""
        found = {server.id: server for server in servers if not missing(server.needs)}
        return [(fault, found[fault.server]) for fault in self.faults if fault.server in found]

    def drawn(self, servers: Sequence[Server], seed: int) -> tuple[Fault, Server]:
        """The fault that a seed chooses, and its server. Raises LabError if there is none."""
        able = self.able(servers)
        if not able:
            known = ", ".join(sorted({fault.server for fault in self.faults}))
            raise LabError(f"{self.name}: none of its servers is here with all that it needs: {known}")
        return random.Random(seed).choice(able)

    def fault(self, name: str) -> Fault:
        """The fault of that name. Raises LabError."""
        for one in self.faults:
            if one.name == name:
                return one
        raise LabError(f"{self.name} has no fault {name!r} any longer: plant another one")


def find_mendings(folder: Path = LABS) -> list[str]:
    """The names of all labs of this kind."""
    return sorted(path.parent.name for path in folder.glob("*/lab.toml"))


def load(name: str, folder: Path = LABS) -> Mending:
    """The lab of that name. Raises NotFound, and LabError with every problem of its files."""
    if name not in find_mendings(folder):
        raise NotFound(f"no lab is called {name!r}; to be mended there are: {', '.join(find_mendings(folder))}")
    content = _read(folder / name / "lab.toml", "lab")
    faults = tuple(_fault(path) for path in sorted((folder / name / "faults").glob("*.toml")))
    kinds = tuple(Kind(**one) for one in content["kinds"])
    if strangers := {one.kind for one in faults} - {one.name for one in kinds}:
        raise LabError(f"{name}/lab.toml: $.kinds has not: {', '.join(sorted(strangers))}")
    return Mending(
        name=name,
        title=content["title"],
        question=content["question"],
        about=content["about"],
        minutes=content["minutes"],
        model_pages=tuple(content.get("models", ())),
        kinds=kinds,
        next=tuple(content["next"]),
        faults=faults,
    )


def _fault(path: Path) -> Fault:
    content = _read(path, "fault")
    lists = {key: tuple(content[key]) for key in ("layers", "found_by", "hints", "why")}
    changes = tuple(Change(**one) for one in content["changes"])
    return Fault(
        path.stem, server=content["server"], kind=content["kind"], tests=content["tests"], changes=changes, **lists
    )


def _read(path: Path, kind: str) -> Mapping[str, Any]:
    """The checked content of a file."""
    shown = f"{path.parent.name}/{path.name}"
    schema = json.loads((LABS / "mending.schema.json").read_text())
    try:
        content = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{shown}: {error}") from error
    validator = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})
    if problems := sorted(validator.iter_errors(content), key=lambda problem: problem.json_path):
        raise LabError("\n".join(f"{shown}: {problem.json_path}: {problem.message}" for problem in problems))
    return content
