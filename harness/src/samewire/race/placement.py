"""Which cores the server, the database and the generator run on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Placement:
    """Sets of core numbers. The harness itself runs where the generator does.

    `server_share` is how much of its cores the server may use, from 0 to 1.
    """

    server: frozenset[int]
    database: frozenset[int]
    generator: frozenset[int]
    server_share: float = 1.0

    @property
    def server_capacity(self) -> float:
        """How many cores the server may keep busy."""
        return len(self.server) * self.server_share

    def as_dict(self) -> dict[str, list[int]]:
        """The placement as run.json holds it."""
        return {name: sorted(getattr(self, name)) for name in ("server", "database", "generator")}

    def warnings(self, *, database: bool = True) -> list[str]:
        """What a reader of the figures has to know about this placement; `database` says whether there is one."""
        if self.server & self.generator:
            return ["the server shares its core with the generator: this machine has too few cores for a race"]
        if database and self.database & self.generator:
            return [f"database and generator share core {_listed(self.database & self.generator)}"]
        return []


def _listed(cores: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(cores)))


def place(server_cores: int, server_share: float = 1.0, available: set[int] | None = None) -> Placement:
    """The server on that share of the first `server_cores` cores, the database and the generator on halves of the rest.

    With one core left those two share it, with none all three share all. `available` is this process's set by default.
    """
    cores = sorted(available or os.sched_getaffinity(0))
    server, rest = cores[:server_cores], cores[server_cores:]
    if not rest:
        everything = frozenset(cores)
        return Placement(everything, everything, everything, server_share)
    half = (len(rest) + 1) // 2
    return Placement(frozenset(server), frozenset(rest[:half]), frozenset(rest[half:] or rest), server_share)


@contextmanager
def pinned(cores: frozenset[int]) -> Iterator[None]:
    """Keep this process, and what it starts without a place of its own, on these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
