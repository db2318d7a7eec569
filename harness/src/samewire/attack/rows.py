"""The rows of the table of attacks: `contract-tests/attacks/*.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from samewire.contract import wire
from samewire.paths import CONTRACTS

_SIZE = re.compile(r"\$\{([a-z_]+)\}")

Step = dict[str, Any]
"""A step of attacks.schema.json. The bytes of `send` and `exchange` are put together."""


@dataclass(frozen=True)
class Attack:
    """Clients that all do the same at once."""

    id: str
    about: str
    """What the attacks of its file have in common."""
    why: str
    clients: int
    steps: tuple[Step, ...]
    receive_buffer: int | None = None
    expect: tuple[int, ...] = ()
    """Statuses of which one has to be seen, or the attack has not taken place."""

    @property
    def row(self) -> str:
        """The row's id, without the size."""
        return self.id.partition("[")[0]


@cache
def load(service: str, root: Path = CONTRACTS) -> tuple[tuple[Attack, tuple[Attack, ...]], ...]:
    """Each row for a service: in small, and in full by size. Raises ContractError."""
    found = []
    for path, theme, entry in wire.entries(root / "attacks", "attacks.schema.json", service):
        if service not in entry.get("services", [service]):
            continue
        sizes = entry["full"]
        id_ = f"{path.stem}/{entry['id']}"
        small, *full = (_attack(id_, theme["about"], entry, size) for size in [entry["small"], *sizes])
        found.append((small, tuple(full)))
    return tuple(found)


def _attack(id_: str, about: str, entry: Mapping[str, Any], size: Mapping[str, Any]) -> Attack:
    steps = tuple(_step(_filled(step, size)) for step in entry["do"])
    name = ", ".join(f"{key} {value:,}" if isinstance(value, int) else f"{key} {value}" for key, value in size.items())
    return Attack(
        id=f"{id_}[{name}]",
        about=about,
        why=entry["why"],
        clients=size["clients"],
        steps=steps,
        receive_buffer=entry.get("receive_buffer"),
        expect=tuple(entry.get("expect", ())),
    )


def _step(step: Step) -> Step:
    return {key: wire.parts(value) if key in ("send", "exchange") else value for key, value in step.items()}


def _filled(value: Any, size: Mapping[str, Any]) -> Any:
    """`value` with `${name}` replaced by what the size says; a text that is nothing else becomes the value itself.

    Other names are bound by steps.
    """
    if isinstance(value, dict):
        return {key: _filled(each, size) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, size) for each in value]
    if not isinstance(value, str):
        return value
    if (whole := _SIZE.fullmatch(value)) and whole[1] in size:
        return size[whole[1]]
    return _SIZE.sub(lambda match: str(size.get(match[1], match[0])), value)
