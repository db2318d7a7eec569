"""What process trees and cores had used at one moment, and what happened between two."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from samewire.race.processes import Usage, read


@dataclass(frozen=True)
class CoreTimes:
    """Ticks of one core since boot, from /proc/stat."""

    busy: int
    idle: int
    steal: int
    iowait: int = 0


def core_times() -> dict[int, CoreTimes]:
    """The times of every core. `busy` holds everything but idling, waiting for a disk (`iowait`), and stolen time."""
    cores = {}
    for line in read("/proc/stat").decode().splitlines():
        name, *values = line.split()
        if name.startswith("cpu") and name != "cpu":
            user, nice, system, idle, wait, irq, softirq, steal = map(int, values[:8])
            cores[int(name[3:])] = CoreTimes(user + nice + system + irq + softirq, idle, steal, wait)
    return cores


_USED = "/sys/fs/cgroup/cpuacct/cpuacct.usage"


def used_by_all() -> float | None:
    """CPU of all processes since boot, in seconds; None without control groups of version 1.

    It is counted by the clock. Ticks are not: the kernel stops who has used its part of a short period at a tick, so
    the process is running at most of them.
    """
    told = read(_USED)
    return int(told) / 1e9 if told else None


@dataclass(frozen=True)
class Snapshot:
    """All that is sampled at one moment; `at` is that of time.monotonic().

    `at_of` is when each tree was sampled, by the clock of its own host, where there are several.
    """

    at: float
    trees: Mapping[str, Usage]
    cores: Mapping[int, CoreTimes]
    harness_cpu_s: float
    used_by_all_s: float | None = None
    at_of: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Window:
    """What happened between two snapshots."""

    begin: Snapshot
    end: Snapshot

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end.at - self.begin.at

    def cpu_rate(self, tree: str) -> float | None:
        """Cores that a tree kept busy on average; None for a tree that is not ours to watch."""
        if tree not in self.begin.trees or tree not in self.end.trees:
            return None
        return (self.end.trees[tree].cpu_s - self.begin.trees[tree].cpu_s) / self._seconds_of(tree)

    def _seconds_of(self, tree: str) -> float:
        """How long it was for a tree: its host's clock is compared with itself alone."""
        return self.end.at_of.get(tree, self.end.at) - self.begin.at_of.get(tree, self.begin.at)

    def core_share(self, tree: str, cores: frozenset[int]) -> float:
        """The share of these cores that a tree used, which is one that is watched."""
        used = self.cpu_rate(tree)
        assert used is not None, tree
        return used / len(cores)

    def switch_rate(self, tree: str) -> float:
        """Context switches of a tree per second."""
        return (self.end.trees[tree].switches - self.begin.trees[tree].switches) / self._seconds_of(tree)

    def _share(self, cores: frozenset[int] | None, kind: str) -> float:
        total = part = 0
        for core in self.end.cores if cores is None else cores:
            for name in ("busy", "idle", "steal", "iowait"):
                ticks = getattr(self.end.cores[core], name) - getattr(self.begin.cores[core], name)
                total += ticks
                part += ticks if name == kind else 0
        return part / total if total else 0.0

    def busy_share(self, cores: frozenset[int]) -> float:
        """The share of the time in which these cores were busy, with whatever."""
        return self._share(cores, "busy")

    def iowait_share(self, cores: frozenset[int]) -> float:
        """The share of the time in which these cores had nothing to do but to wait for a disk."""
        return self._share(cores, "iowait")

    def steal_share(self) -> float:
        """The share of the time of all cores that the hypervisor gave to others."""
        return self._share(None, "steal")

    def other_load(self) -> float:
        """Cores that were busy with something that is not sampled."""
        if self.begin.used_by_all_s is None or self.end.used_by_all_s is None:
            busy = self._share(None, "busy") * len(self.end.cores)
        else:
            busy = (self.end.used_by_all_s - self.begin.used_by_all_s) / self.seconds
        harness = (self.end.harness_cpu_s - self.begin.harness_cpu_s) / self.seconds
        return max(0.0, busy - harness - sum(self.cpu_rate(tree) or 0.0 for tree in self.end.trees))
