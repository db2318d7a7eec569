"""What becomes of a server under attack: is it alive, does it answer others, does it give back what it took?"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import psutil

from samewire.attack.clients import Seen, attack
from samewire.attack.rows import Attack
from samewire.contract import wire
from samewire.contract.wire import HEALTH
from samewire.http import ExchangeError, Request, exchange
from samewire.process import proportional_memory
from samewire.target import Target
from samewire.watching import Memory, Watch

HEALTH_SECONDS = 2.0
"""Seconds in which another client's `GET /healthz` is answered."""
GIVEN_BACK_SECONDS = 10.0
"""Seconds after which all is as it was before, once the attackers are gone."""
GROWTH = 320 << 20
"""Bytes by which the memory of a server may grow: those of a JVM's heap of 256 MiB, and what it has beside it."""
SLACK = {"processes": 5, "threads": 5, "files": 100, "connections": 0, "temporary files": 0}
"""How much more there may be of each: pools still grow a little. Each of five more processes has about ten files."""
OTHERS = "GET /healthz of another client"
"""How problems begin that others have."""
LOOK_EVERY = 0.2
"""Seconds between two looks."""

_LISTENS, _IS_OVER = "0A", "06"
"""States of a connection in `/proc/PID/net/tcp`: LISTEN and TIME_WAIT."""
_UPLOAD = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Resources:
    """What a process and its children have; nothing is known of a process that is not ours."""

    pids: frozenset[int]
    numbers: dict[str, int]
    memory: int
    """Bytes of proportional set size."""


@dataclass
class Verdict:
    """What came of one attack."""

    attack: Attack
    seen: Seen
    problems: list[str]
    excused: list[str]
    """What happened to others, where the server has a limit for this row."""
    slowest: float
    """Seconds of the slowest answer to others."""
    growth: int
    """Bytes by which the memory grew at most."""

    def __str__(self) -> str:
        return f"{self.seen}; others waited {self.slowest:.2f} s at most; +{self.growth / (1 << 20):.0f} MiB"


def warm_up(target: Target, clients: int = 32) -> Resources:
    """Ask it from many clients at once, so that pools and processes are there; what it has then."""
    known = Request("GET", str(wire.words(target.service).get("known", HEALTH.path)))
    together = threading.Barrier(clients)

    def ask(_: int) -> None:
        together.wait()
        with contextlib.suppress(ExchangeError):
            exchange(target, known, GIVEN_BACK_SECONDS)

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(ask, range(clients)))
    # On a busy machine processes may take their time to come.
    return _settled(target, time.monotonic() + GIVEN_BACK_SECONDS, looks=8)


def carry_out(
    several: Sequence[Attack], target: Target, before: Resources, within: float = HEALTH_SECONDS
) -> list[Verdict]:
    """Carry out attacks, all at the same time, and judge the server; each verdict has the problems of all of them.

    `before` is what the server had when nobody attacked it. Others have to be answered within so many seconds, unless
    the server has a limit for one of the rows. Of a server whose process is not known only its answers are judged.
    """
    with (
        Memory(target.pid, LOOK_EVERY) as memory,
        _Others(target, within) as others,
        ThreadPoolExecutor(len(several)) as pool,
    ):
        seen = list(pool.map(lambda one: attack(target, one), several))
        deadline = time.monotonic() + GIVEN_BACK_SECONDS
    growth = memory.peak - before.memory
    limited = any(limit_of(one, target) for one in several)
    problems, excused = ([], others.unserved()) if limited else (others.unserved(), [])
    problems += others.wrong[:1] + (_alive(target, deadline) or not_given_back(target, before, deadline))
    if growth > GROWTH:
        problems.append(f"its memory grew by {growth >> 20} MiB (at most {GROWTH >> 20})")
    return [
        Verdict(one, each, [*_not_attacked(one, each), *problems], excused, others.slowest, growth)
        for one, each in zip(several, seen, strict=True)
    ]


def limit_of(one: Attack, target: Target) -> str | None:
    """The limit and the time-out of the server that end the attack, if its manifest names them."""
    return target.server.limits.get(one.row) if target.server else None


def _not_attacked(one: Attack, seen: Seen) -> list[str]:
    """Why the attack did not take place, if so: then nothing is known."""
    if not seen.connected:
        return [f"{one.id}: no client could connect"]
    if one.expect and not seen.statuses.keys() & {*one.expect}:
        return [f"{one.id}: none of {', '.join(map(str, one.expect))} was answered, but {seen}"]
    return []


def resources(target: Target) -> Resources:
    """What it has now."""
    numbers = dict.fromkeys(SLACK, 0)
    if target.pid is None or not _runs(target.pid):
        return Resources(frozenset(), numbers, 0)
    root = psutil.Process(target.pid)
    pids = set()
    for process in [root, *root.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            if not _runs(process.pid):
                continue
            numbers["threads"] += process.num_threads()
            numbers["files"] += process.num_fds()
            pids.add(process.pid)
    numbers["processes"] = len(pids)
    environment = root.environ()
    # In a container the port and the folders have names of their own.
    numbers["connections"] = _connections(root.pid, {target.port, int(environment.get("PORT", target.port))})
    numbers["temporary files"] = _temporary_files(Path(f"/proc/{root.pid}/root"), environment)
    return Resources(frozenset(pids), numbers, proportional_memory(target.pid))


def _connections(pid: int, ports: set[int]) -> int:
    """The connections to these ports that have been accepted and not closed."""
    number = 0
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(FileNotFoundError):  # without IPv6
            for line in Path(f"/proc/{pid}/net", table).read_text().splitlines()[1:]:
                _, local, _, state, *others = line.split()
                owned = others[5] != "0"
                number += int(local[-4:], 16) in ports and owned and state not in (_LISTENS, _IS_OVER)
    return number


def _temporary_files(root: Path, environment: dict[str, str]) -> int:
    """The files in its temporary folder, and those in its folder of uploads that are no uploads."""
    names = [environment[name] for name in ("TMPDIR", "UPLOAD_DIR") if name in environment]
    folders = [root / name.lstrip("/") for name in names]
    return sum(not _UPLOAD.fullmatch(path.name) for folder in folders for path in folder.glob("*"))


def _runs(pid: int) -> bool:
    """Whether a process runs: one that has ended may still be known, until its parent has asked for its status."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def _settled(target: Target, deadline: float, looks: int = 3) -> Resources:
    """What it has, once so many looks find the same, or at the deadline."""
    seen = [resources(target)]
    while time.monotonic() < deadline and (
        len(seen) < looks or len({tuple(one.numbers.values()) for one in seen[-looks:]}) > 1
    ):
        time.sleep(LOOK_EVERY)
        seen.append(resources(target))
    return seen[-1]


def _alive(target: Target, deadline: float) -> list[str]:
    """Why it is not alive, if it is not."""
    while True:
        late = time.monotonic() > deadline
        if target.pid is not None and not _runs(target.pid):
            return [f"the process has ended.\n{target.last_lines()}"]
        try:
            answer = exchange(target, HEALTH, GIVEN_BACK_SECONDS)
            problem = f"GET /healthz afterwards: {answer.status}" if answer.status != 200 else ""
        except ExchangeError as error:
            problem = f"GET /healthz afterwards: {error}"
        if not problem or late:
            return [problem] if problem else []
        time.sleep(LOOK_EVERY)


def not_given_back(target: Target, before: Resources, deadline: float) -> list[str]:
    """What it has not given back at the deadline."""
    while True:
        late = time.monotonic() > deadline
        now = _settled(target, deadline)
        more = {kind: number - before.numbers[kind] for kind, number in now.numbers.items()}
        problems = [f"{number} more {kind} than before" for kind, number in more.items() if number > SLACK[kind]]
        if ended := before.pids - now.pids:
            return [f"{len(ended)} of its processes have ended"]
        if not problems or late:
            return problems
        time.sleep(LOOK_EVERY)


class _Others(Watch):
    """Another client, who asks whether the server is healthy."""

    def __init__(self, target: Target, within: float) -> None:
        super().__init__(LOOK_EVERY)
        self._target, self._within = target, within
        self.wrong: list[str] = []
        """Answers that nothing excuses."""
        self._refused: list[str] = []
        self.slowest = 0.0

    def look(self) -> None:
        """Ask once."""
        began = time.monotonic()
        try:
            answer = exchange(self._target, HEALTH, self._within + GIVEN_BACK_SECONDS)
            if answer.status != 200:
                kind = self._refused if answer.status == 503 else self.wrong
                kind.append(f"{OTHERS}: {answer.status}")
        except ExchangeError as error:
            self._refused.append(f"{OTHERS}: {error}")
        self.slowest = max(self.slowest, time.monotonic() - began)

    def unserved(self) -> list[str]:
        """That it was not answered, or late."""
        late = [f"{OTHERS} took {self.slowest:.1f} s"] if self.slowest > self._within else []
        return self._refused[:1] or late
