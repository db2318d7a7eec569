"""What whole process trees use, read from /proc: CPU, memory, threads and context switches.

Counters of a tree never go backwards: what a child used is kept when it ends. CPU time is that of each process's own
clock (clock_getcpuclockid(3)), in nanoseconds. It also counts children that came and went between two samples, as far
as their parent waits for them: cutime and cstime of proc_pid_stat(5). Only its parts, user and system, are in ticks of
10 ms, of which a process that does little, one of many, may not have used a single one.
"""

import contextlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

from samewire.process import proportional_set_size
from samewire.race.counters import Counters

TICK = 1 / os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")

PSS_BUDGET = 0.005
"""The share of a core that reading proportional memory may cost for one tree; a large tree is read less often."""


@dataclass(frozen=True)
class Stat:
    """The fields of /proc/PID/stat that count here; times in ticks, memory in pages.

    `user` and `system` include `children`, the time of those that were waited for.
    """

    parent: int
    user: int
    system: int
    children: int
    threads: int
    started: int
    resident: int


def read(path: str) -> bytes:
    """A file of /proc, without the cost of file objects; empty when the process is gone."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, 1 << 16)
    except OSError:
        return b""
    finally:
        os.close(file)


def _read_stat(pid: str) -> Stat | None:
    text = read(f"/proc/{pid}/stat")
    if not text:
        return None
    # The second field is the command in parentheses and may hold anything; fields are counted from behind it.
    fields = text[text.rindex(b")") + 2 :].split()
    user, system, children_user, children_system = map(int, fields[11:15])
    return Stat(
        int(fields[1]),
        user + children_user,
        system + children_system,
        children_user + children_system,
        int(fields[17]),
        int(fields[19]),
        int(fields[21]),
    )


def all_processes() -> dict[int, Stat]:
    """Every process of the machine by its id, ended ones that nobody has waited for included."""
    stats = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (stat := _read_stat(name)):
            stats[int(name)] = stat
    return stats


def _cpu_s(pid: int, stat: Stat) -> float:
    """CPU time of a process and of its children that it has waited for."""
    try:
        # The clock of a process by its number, as clock_getcpuclockid(3) of glibc makes it: CPUCLOCK_SCHED is 2.
        return time.clock_gettime((~pid << 3) | 2) + stat.children * TICK
    except OSError:
        return (stat.user + stat.system) * TICK


def _switches(pid: int) -> dict[int, tuple[int, int]]:
    """Voluntary and involuntary context switches by thread: the file of a process tells those of its first thread."""
    switches = {}
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            # The last two lines of the file: a name and a number each.
            if words := read(f"/proc/{pid}/task/{thread}/status")[-90:].split():
                switches[int(thread)] = int(words[-3]), int(words[-1])
    return switches


@dataclass(frozen=True)
class Usage:
    """What a tree has used since sampling began (`cpu_*`, switches, bytes) and holds now (memory, threads).

    `cpu_s` is CPU time in user and kernel mode; `cpu_user_s` and `cpu_system_s` are its parts as far as ticks tell.
    `pss_bytes` is None where it was left out because of its cost, `bytes_*` where the kernel does not tell.
    """

    cpu_s: float
    cpu_user_s: float
    cpu_system_s: float
    voluntary_switches: int
    involuntary_switches: int
    bytes_in: int | None
    bytes_out: int | None
    rss_bytes: int
    pss_bytes: int | None
    threads: int
    processes: int

    @property
    def switches(self) -> int:
        """Context switches of both kinds."""
        return self.voluntary_switches + self.involuntary_switches


@dataclass(frozen=True)
class Start:
    """What it took until a server was healthy: seconds since its first process began, and CPU time of all of them."""

    seconds: float
    cpu_s: float


def start_of(pid: int) -> Start:
    """The start of a server that is healthy now, whose first process is `pid`."""
    now, members = time.clock_gettime(time.CLOCK_BOOTTIME), _members(pid, all_processes())
    # psutil would give the time of day, by a boot time in whole seconds: off by up to one.
    return Start(now - members[pid].started * TICK, sum(_cpu_s(one, stat) for one, stat in members.items()))


class Tree:
    """A process with all its descendants, sampled again and again."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._cpu_before: tuple[float, int, int] | None = None
        self._cpu = [0.0, 0, 0]
        self._switches = Counters(2)
        self._pss_not_before = 0.0

    def sample(self, processes: Mapping[int, Stat], traffic: tuple[int, int] | None, pss: bool = False) -> Usage:
        """The tree's usage now. `pss` reads proportional memory at any cost."""
        members = _members(self.pid, processes)
        # The sum stays when a child ends, since its parent's cutime takes over; it only drops with a child that nobody
        # waited for.
        cpu = (
            sum(_cpu_s(pid, stat) for pid, stat in members.items()),
            sum(stat.user for stat in members.values()),
            sum(stat.system for stat in members.values()),
        )
        if self._cpu_before is not None:
            for position in range(3):
                self._cpu[position] += max(0, cpu[position] - self._cpu_before[position])
        self._cpu_before = cpu
        self._switches.update(
            {(pid, thread): counts for pid in members for thread, counts in _switches(pid).items()},
        )
        return Usage(
            cpu_s=self._cpu[0],
            cpu_user_s=self._cpu[1] * TICK,
            cpu_system_s=self._cpu[2] * TICK,
            voluntary_switches=self._switches.total[0],
            involuntary_switches=self._switches.total[1],
            bytes_in=traffic[0] if traffic else None,
            bytes_out=traffic[1] if traffic else None,
            rss_bytes=sum(stat.resident for stat in members.values()) * PAGE,
            pss_bytes=self._read_pss(members, pss),
            threads=sum(stat.threads for stat in members.values()),
            processes=len(members),
        )

    def _read_pss(self, members: Mapping[int, Stat], at_any_cost: bool) -> int | None:
        begin = time.monotonic()
        if begin < self._pss_not_before and not at_any_cost:
            return None
        pss = sum(proportional_set_size(pid) for pid in members)
        cost = time.monotonic() - begin
        self._pss_not_before = begin + cost / PSS_BUDGET
        return pss


def _members(root: int, processes: Mapping[int, Stat]) -> dict[int, Stat]:
    """The processes of a tree; none when its root is gone."""
    children: dict[int, list[int]] = {}
    for pid, stat in processes.items():
        children.setdefault(stat.parent, []).append(pid)
    members = {}
    pending = [root] if root in processes else []
    while pending:
        pid = pending.pop()
        members[pid] = processes[pid]
        pending += children.get(pid, [])
    return members
