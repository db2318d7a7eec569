"""How much memory the processes of a server take."""

import contextlib
import threading
from pathlib import Path
from typing import Self

import psutil

SLICE = 0.05
"""Seconds between two looks."""


class Memory:
    """Watches a process and all below it, from `with` on; one that nobody knows takes nothing.

    Bytes of proportional set size (`/proc/PID/smaps_rollup`): what several processes share counts once in all, so that
    a fork adds next to nothing.
    """

    def __init__(self, pid: int | None) -> None:
        self._pid = pid
        self.peak = 0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def now(self) -> int:
        """What they take now."""
        if self._pid is None:
            return 0
        process = psutil.Process(self._pid)
        total = 0
        for member in [process, *process.children(recursive=True)]:
            # It may have ended.
            with contextlib.suppress(OSError):
                rollup = Path(f"/proc/{member.pid}/smaps_rollup").read_text()
                total += sum(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
        return total

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _watch(self) -> None:
        ended = False
        while not ended:
            ended = self._ending.wait(SLICE)
            self.peak = max(self.peak, self.now())
