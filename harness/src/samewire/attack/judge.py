"""What becomes of a server under attack: is it alive, does it answer others, does it give back what it took?"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from samewire.attack.clients import Seen, attack
from samewire.attack.rows import Attack
from samewire.contract import wire
from samewire.contract.wire import HEALTH
from samewire.http import ExchangeError, Request, exchange
from samewire.process import proportional_memory
from samewire.target import Target

HEALTH_SECONDS = 2.0
"""Seconds in which another client's `GET /healthz` is answered."""
GIVEN_BACK_SECONDS = 10.0
"""Seconds after which all is as it was before, once the attackers are gone."""
GROWTH = 320 << 20
"""Bytes by which the memory of a server may grow: those of a JVM's heap of 256 MiB, and what it has beside it."""
SLACK = {"processes": 5, "threads": 5, "files": 50, "connections": 0, "temporary files": 0}
"""How much more there may be of each: pools still grow a little."""
LOOK_EVERY = 0.2
"""Seconds between two looks."""
MOST_LOOKS = 25
"""Looks at a server after which it counts as settled."""


@dataclass
class Verdict:
    """What came of one attack."""

    attack: Attack
    seen: Seen
    problems: list[str] = field(default_factory=list)
    slowest: float = 0.0
    """Seconds of the slowest answer to others."""
    growth: int = 0
    """Bytes by which the memory grew at most."""
    starved: float = 0.0
    """Seconds for which others had no answer, or one after HEALTH_SECONDS."""

    def __str__(self) -> str:
        others = f"others waited {self.slowest:.2f} s at most"
        return f"{self.seen}; {others}; +{self.growth / (1 << 20):.0f} MiB"


def carry_out(several: Sequence[Attack], target: Target, within: float = HEALTH_SECONDS) -> list[Verdict]:
    """Carry out attacks, all at the same time, and judge the server; each verdict has the problems of all of them.

    Others have to be answered within so many seconds. Of a server whose process is not known only that is judged.
    """
    before = resources(target.pid)
    with _Others(target) as others, _Memory(target.pid) as memory, ThreadPoolExecutor(len(several)) as pool:
        seen = list(pool.map(lambda one: attack(target, one), several))
    problems = [*_alive(target), *_left(target, before)]
    if memory.growth > GROWTH:
        problems.append(f"its memory grew by {memory.growth >> 20} MiB (at most {GROWTH >> 20})")
    limits = [one.limit_of(tuple(target.server.stack) if target.server else ()) for one in several]
    late = [] if any(limits) else others.problems(within)
    return [
        Verdict(one, each, problems + late, others.slowest, memory.growth, others.starved)
        for one, each in zip(several, seen, strict=True)
    ]


def warm_up(target: Target, clients: int = 32) -> None:
    """Ask it from many clients at once, so that pools and processes are there before anything is counted."""
    known = Request("GET", str(wire.words(target.service).get("known", "/healthz")))

    def ask(_: int) -> None:
        with contextlib.suppress(ExchangeError):
            exchange(target, known, GIVEN_BACK_SECONDS)

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(ask, range(clients)))
    _settle(target.pid)


def _settle(pid: int | None) -> None:
    """Wait until connections that were closed are gone on the server's side as well."""
    seen = [resources(pid)]
    while len(seen) < MOST_LOOKS and (len(seen) < 3 or seen[-1] != seen[-3]):
        time.sleep(LOOK_EVERY)
        seen.append(resources(pid))


def resources(pid: int | None) -> dict[str, int]:
    """How much of each kind a process and its children have; nothing is known of a process that is not ours."""
    counted = dict.fromkeys(SLACK, 0)
    if pid is None:
        return counted
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        folders = {root.environ().get(name) for name in ("TMPDIR", "UPLOAD_DIR")} - {None}
        counted["temporary files"] = sum(len(list(Path(folder).rglob("*"))) for folder in folders)
        for process in [root, *root.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                counted["processes"] += 1
                counted["threads"] += process.num_threads()
                counted["files"] += process.num_fds()
                counted["connections"] += sum(
                    bool(one.raddr) and one.laddr.port in _ports(root) for one in process.net_connections("tcp")
                )
    return counted


def _ports(root: psutil.Process) -> set[int]:
    return {int(port) for port in [root.environ().get("PORT")] if port}


def _alive(target: Target) -> list[str]:
    """Why it is not alive, if it is not."""
    if target.pid is not None and not psutil.pid_exists(target.pid):
        return [f"the process has ended.\n{target.last_lines()}"]
    deadline = time.monotonic() + GIVEN_BACK_SECONDS
    while True:
        try:
            answer = exchange(target, HEALTH, GIVEN_BACK_SECONDS)
            return [] if answer.status == 200 else [f"GET /healthz afterwards: {answer.status}"]
        except ExchangeError as error:
            if time.monotonic() > deadline:
                return [f"GET /healthz afterwards: {error}"]


def _left(target: Target, before: dict[str, int]) -> list[str]:
    """What it has not given back in time."""
    deadline = time.monotonic() + GIVEN_BACK_SECONDS
    while True:
        now = resources(target.pid)
        more = {kind: now[kind] - before[kind] for kind in SLACK if now[kind] > before[kind] + SLACK[kind]}
        if not more or time.monotonic() > deadline:
            return [f"{number} more {kind} than before" for kind, number in more.items()]
        time.sleep(LOOK_EVERY)


class _Looks(threading.Thread):
    """Looks again and again from `with` on, in a thread of its own."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ending = threading.Event()

    def __enter__(self):
        self.look()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self.join()

    def run(self) -> None:
        while not self._ending.wait(LOOK_EVERY):
            self.look()

    def look(self) -> None:
        raise NotImplementedError


class _Others(_Looks):
    """Another client, who asks whether the server is healthy."""

    def __init__(self, target: Target) -> None:
        super().__init__()
        self._target = target
        self._wrong: list[str] = []
        self.slowest = 0.0
        self.starved = 0.0

    def look(self) -> None:
        began = time.monotonic()
        try:
            answer = exchange(self._target, HEALTH, GIVEN_BACK_SECONDS)
            if answer.status != 200:
                self._wrong.append(f"GET /healthz of another client: {answer.status}")
        except ExchangeError as error:
            self._wrong.append(f"GET /healthz of another client: {error}")
        took = time.monotonic() - began
        self.slowest = max(self.slowest, took)
        if took > HEALTH_SECONDS:
            self.starved += took

    def problems(self, within: float) -> list[str]:
        """What was wrong with the answers."""
        late = [f"GET /healthz of another client took {self.slowest:.1f} s"] if self.slowest > within else []
        return [*self._wrong[:1], *late]


class _Memory(_Looks):
    """The proportional memory of a process and its children."""

    def __init__(self, pid: int | None) -> None:
        super().__init__()
        self._pid = pid
        self._least = self._most = 0

    @property
    def growth(self) -> int:
        """By how much it grew at most, in bytes."""
        return self._most - self._least

    def look(self) -> None:
        now = proportional_memory(self._pid) if self._pid is not None else 0
        self._least = self._least or now
        self._most = max(self._most, now)
