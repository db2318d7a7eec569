"""How long a loaded machine kept a server, or the test that watches it, from running.

The suite shares its cores with servers under test, so that a clock alone cannot tell a slow server from one that was
not let on a core. Linux counts, for each thread, the time that it was ready to run and waited for a core
(`/proc/PID/task/TID/schedstat`, second field, nanoseconds; Documentation/scheduler/sched-stats.rst).
"""

import contextlib
import os
import time
from bisect import bisect_left, bisect_right

from watching import Watch


class Starvation(Watch):
    """Watches a process, this one, and all below both (its database, too), from `with` on."""

    def __init__(self, pid: int) -> None:
        super().__init__()
        self._pid = pid
        self._before: dict[str, int] = {}
        self._looked = time.monotonic()
        self._times: list[float] = []
        self._waits: list[float] = []

    def seconds(self, start: float, end: float) -> float:
        """At most how long an answer between two monotonic times was held up for want of a core.

        In each slice of time at most one thread is the one that everything waits for: the longest wait of any counts.
        """
        first = max(0, bisect_right(self._times, start) - 1)
        return sum(self._waits[first : bisect_left(self._times, end) + 1])

    def look(self) -> None:
        """Note the longest wait of any thread since the last look."""
        now, before, looked = self._waited(), self._before, self._looked
        self._before, self._looked = now, time.monotonic()
        longest = max((wait - before.get(task, wait) for task, wait in now.items()), default=0) / 1e9
        self._waits.append(min(longest, self._looked - looked))
        self._times.append(self._looked)

    def _waited(self) -> dict[str, int]:
        """Thread → nanoseconds that it has waited for a core so far."""
        pids = _families(os.getpid(), self._pid)
        waited = {}
        # Each of them may have ended.
        for pid in pids:
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{pid}/task"):
                    with contextlib.suppress(OSError):
                        waited[task] = int(_fields(f"{pid}/task/{task}/schedstat")[1])
        return waited


def _families(*roots: int) -> set[int]:
    """These processes and all below them, in one pass over /proc: psutil makes one for each root."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                children.setdefault(int(_fields(f"{entry}/stat")[1]), []).append(int(entry))
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        found.add(pid := waiting.pop())
        waiting += children.get(pid, ())
    return found


def _fields(file: str) -> list[bytes]:
    """The fields of a file below /proc; of a `stat` those after the name, in which there may be blanks."""
    with open(f"/proc/{file}", "rb") as stream:
        return stream.read().rpartition(b")")[2].split()
