"""How much memory the processes of a server take."""

import contextlib
from pathlib import Path

import psutil
from watching import Watch


class Memory(Watch):
    """Watches a process and all below it, from `with` on; one that nobody knows takes nothing.

    Bytes of proportional set size (`/proc/PID/smaps_rollup`): what several processes share counts once in all, so that
    a fork adds next to nothing.
    """

    def __init__(self, pid: int | None) -> None:
        super().__init__()
        self._pid = pid
        self.peak = 0

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

    def look(self) -> None:
        """Remember the most."""
        self.peak = max(self.peak, self.now())
