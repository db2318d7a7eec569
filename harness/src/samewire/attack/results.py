"""What became of a server under each attack in full: `attacks.yaml` in its folder, which a command writes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from samewire.attack.judge import Verdict
from samewire.manifest import Server

FILE = "attacks.yaml"
_HEAD = "# What became of this server under each attack, in full. `samewire attack SERVER --update` writes this file.\n"


@dataclass(frozen=True)
class Result:
    """What became of a server under one attack."""

    measured: str
    """The day, and the number of cores."""
    seen: str
    """What the attackers saw, as `Seen` says it."""
    others_seconds: float
    """Seconds of the slowest answer to another client."""
    memory_mib: int
    """MiB of proportional set size by which its memory grew at most."""
    at_once: int = 1
    """How many servers at most were attacked side by side, with this one: they shared the machine."""
    problems: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    """What a limit of the server excuses."""


def of(verdict: Verdict, at_once: int = 1) -> Result:
    """The result of an attack that has just ended; so many servers were attacked side by side."""
    measured = f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores"
    first_lines = tuple(problem.partition("\n")[0] for problem in verdict.problems)
    growth = max(0, verdict.growth >> 20)
    seen, slowest = str(verdict.seen), round(verdict.slowest, 2)
    return Result(measured, seen, slowest, growth, at_once, first_lines, tuple(verdict.excused))


def read(server: Server) -> dict[str, Result]:
    """Id of an attack → its result; nothing if there is no file."""
    file = server.folder / FILE
    if not file.exists():
        return {}
    content = yaml.load(file.read_text(), yaml.CSafeLoader)
    lists = ("problems", "excused")
    return {
        id_: Result(**{key: tuple(value) if key in lists else value for key, value in result.items()})
        for id_, result in content.items()
    }


def write(server: Server, results: dict[str, Result], known: Iterable[str]) -> Path:
    """Write the results, beside those in the file that are of other known attacks; the file's path."""
    every = {id_: result for id_, result in (read(server) | results).items() if id_ in {*known}}
    content = {
        id_: {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(every[id_]).items()
            if value or value == 0
        }
        for id_ in sorted(every)
    }
    file = server.folder / FILE
    file.write_text(
        _HEAD + yaml.dump(content, Dumper=yaml.CSafeDumper, allow_unicode=True, width=4000, sort_keys=False)
    )
    return file
