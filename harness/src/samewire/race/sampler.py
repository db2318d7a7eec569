"""Samples process trees and cores every second."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from samewire.race.processes import Tree, all_processes
from samewire.race.snapshots import Snapshot, core_times, used_by_all
from samewire.race.traffic import Traffic


@dataclass(frozen=True)
class Cost:
    """What sampling itself costs: CPU seconds, and the share of a core that these were since it began."""

    samples: int
    cpu_s: float
    share_of_a_core: float

    def as_dict(self) -> dict[str, float | int]:
        """The cost as run.json holds it."""
        cpu_s, share = round(self.cpu_s, 4), round(self.share_of_a_core, 5)
        return {"samples": self.samples, "cpu_s": cpu_s, "share_of_a_core": share}


@dataclass(frozen=True)
class Second:
    """What a tree used in the second that ends `t_s` after sampling began, and what it held then.

    `pss_bytes` and `bytes_*` are None where they were not read.
    """

    t_s: float
    cpu_s: float
    cpu_user_s: float
    cpu_system_s: float
    rss_bytes: int
    pss_bytes: int | None
    threads: int
    processes: int
    voluntary_switches: int
    involuntary_switches: int
    bytes_in: int | None
    bytes_out: int | None

    def as_dict(self) -> dict[str, float | int | None]:
        """The second as run.json holds it."""
        return vars(self)


class Sampler:
    """Samples process trees every second from a thread of its own, and at once when asked.

    `trees` are the roots by name: `server`, `database`, `generator`, whose connections ports tell apart, and any other.
    `apart`: server and database run in containers, whose own connections are not seen from here.
    """

    def __init__(
        self,
        trees: Mapping[str, int],
        server_port: int,
        database_port: int | None,
        interval: float = 1.0,
        apart: bool = False,
    ) -> None:
        self._trees = {name: Tree(pid) for name, pid in trees.items()}
        self._traffic = Traffic(server_port, database_port, apart)
        self._interval = interval
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.snapshots: list[Snapshot] = []
        self._began, self._cpu_s, self._samples = time.monotonic(), 0.0, 0

    def snapshot(self, pss_of: str | None = None) -> Snapshot:
        """Sample now. `pss_of` names a tree of which proportional memory is read even if that is expensive."""
        with self._lock:
            begin = time.thread_time()
            at = time.monotonic()
            processes = all_processes()
            traffic = self._traffic.update()
            trees = {
                name: tree.sample(processes, traffic.get(name), name == pss_of) for name, tree in self._trees.items()
            }
            snapshot = Snapshot(at, trees, core_times(), time.process_time(), used_by_all())
            self._cpu_s += time.thread_time() - begin
            self._samples += 1
            return snapshot

    def start(self, pss_of: str | None = None) -> Snapshot:
        """Begin to sample every second; the first snapshot."""
        first = self.snapshot(pss_of)
        self.snapshots.append(first)
        self._thread = threading.Thread(target=self._run, args=(first.at,), daemon=True, name="sampler")
        self._thread.start()
        return first

    def _run(self, began: float) -> None:
        # Against the clock of the beginning, so that delays do not add up.
        due = began + self._interval
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            self.snapshots.append(self.snapshot())
            due += self._interval

    def stop(self) -> None:
        """End sampling; safe to call twice."""
        self._stopping.set()
        if self._thread:
            self._thread.join()

    @property
    def cost(self) -> Cost:
        """What sampling has cost."""
        return Cost(self._samples, self._cpu_s, self._cpu_s / max(time.monotonic() - self._began, 1e-9))

    def series(self, tree: str) -> list[Second]:
        """One row for each second of a tree."""
        return seconds_of(self.snapshots, tree)


def seconds_of(snapshots: Sequence[Snapshot], tree: str) -> list[Second]:
    """One row of a tree for each two of these snapshots that follow each other."""
    rows = []
    for before, now in pairwise(snapshots):
        then, usage = before.trees[tree], now.trees[tree]
        rows.append(
            Second(
                t_s=round(now.at - snapshots[0].at, 3),
                cpu_s=round(usage.cpu_s - then.cpu_s, 6),
                cpu_user_s=round(usage.cpu_user_s - then.cpu_user_s, 3),
                cpu_system_s=round(usage.cpu_system_s - then.cpu_system_s, 3),
                rss_bytes=usage.rss_bytes,
                pss_bytes=usage.pss_bytes,
                threads=usage.threads,
                processes=usage.processes,
                voluntary_switches=usage.voluntary_switches - then.voluntary_switches,
                involuntary_switches=usage.involuntary_switches - then.involuntary_switches,
                bytes_in=_difference(usage.bytes_in, then.bytes_in),
                bytes_out=_difference(usage.bytes_out, then.bytes_out),
            )
        )
    return rows


def _difference(now: int | None, then: int | None) -> int | None:
    return None if now is None or then is None else now - then
