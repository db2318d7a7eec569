"""Looks at a running server again and again while a test goes on."""

import threading
from typing import Self

SLICE = 0.05
"""Seconds between two looks."""


class Watch:
    """Looks from `with` on, in a thread of its own, and once more at the end; subclasses say at what."""

    def __init__(self) -> None:
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def look(self) -> None:
        """Look once."""
        raise NotImplementedError

    def _watch(self) -> None:
        self.look()
        while not self._ending.wait(SLICE):
            self.look()
        self.look()
