"""The programs of labs: small ones, in folders of a lab's own, where a question is about a few lines of code."""

import json
import signal
import tomllib
from dataclasses import dataclass
from pathlib import Path

import jsonschema

from samewire.labs import LabError
from samewire.manifest import Server, Variant
from samewire.paths import BENCH, CHECKOUT

LABS = BENCH / "labs"


@dataclass(frozen=True)
class Program(Server):
    """One folder of `bench/labs/NAME`. It keeps no contract, and is of no service."""


def find_programs(lab: str = "*", folder: Path = LABS, root: Path = CHECKOUT) -> list[Program]:
    """The programs of a lab, or of all labs, by id. Raises LabError where a `program.toml` breaks the schema."""
    schema = json.loads((LABS / "program.schema.json").read_text())
    return [_load(manifest, root, schema) for manifest in sorted(folder.glob(f"{lab}/*/program.toml"))]


def _load(manifest: Path, root: Path, schema: dict) -> Program:
    shown = manifest.relative_to(root)
    try:
        content = tomllib.loads(manifest.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{shown}: {error}") from error
    if problem := next(jsonschema.Draft202012Validator(schema).iter_errors(content), None):
        raise LabError(f"{shown}: {problem.json_path}: {problem.message}")
    return Program(
        id=manifest.parent.relative_to(root).as_posix(),
        folder=manifest.parent,
        service="",
        store="memory",
        build=tuple(map(tuple, content.pop("build"))),
        needs=tuple(content.pop("needs")),
        run=tuple(content.pop("run")),
        artefacts=tuple(content.pop("artefacts", ())),
        stop_signal=signal.Signals[content.pop("stop_signal", "SIGTERM")],
        variants={name: Variant(**about) for name, about in content.pop("variants", {}).items()},
        **content,
    )
