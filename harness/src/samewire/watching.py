"""Looks at a running server again and again while something else goes on."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from samewire.process import proportional_memory


class Watch:
    """Looks from `with` on, in a thread of its own, every so many seconds, and once more at the end.

    Subclasses say at what. What a look raises, the end of `with` raises.
    """

    def __init__(self, every: float = 0.05) -> None:
        self._every = every
        self._ending = threading.Event()
        self._pool = ThreadPoolExecutor(1)

    def __enter__(self) -> Self:
        self._watching = self._pool.submit(self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._pool.shutdown()
        self._watching.result()

    def look(self) -> None:
        """Look once."""
        raise NotImplementedError

    def _watch(self) -> None:
        self.look()
        while not self._ending.wait(self._every):
            self.look()
        self.look()


class Memory(Watch):
    """Watches a process and all below it; one that nobody knows takes nothing.

    What several processes share counts once in all, so that a fork adds next to nothing.
    """

    def __init__(self, pid: int | None, every: float = 0.05) -> None:
        super().__init__(every)
        self._pid = pid
        self.peak = 0
        """Bytes of proportional set size, the most that was seen."""

    def now(self) -> int:
        """What they take now."""
        return 0 if self._pid is None else proportional_memory(self._pid)

    def look(self) -> None:
        """Remember the most."""
        self.peak = max(self.peak, self.now())
