"""How much memory the processes of a server take."""

from watching import Watch

from samewire.process import proportional_memory


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
        return proportional_memory(self._pid)

    def look(self) -> None:
        """Remember the most."""
        self.peak = max(self.peak, self.now())
