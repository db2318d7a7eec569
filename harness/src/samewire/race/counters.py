"""Sums of counters whose owners come and go: processes, threads, connections."""

from collections.abc import Mapping


class Counters:
    """Sums that never go down: what an owner counted is kept when it is gone."""

    def __init__(self, width: int) -> None:
        self.total = [0] * width
        self._last: dict[object, tuple[int, ...]] | None = None

    def update(self, now: Mapping[object, tuple[int, ...]]) -> None:
        """Add what each owner has counted since the last call; a new owner began at 0."""
        if self._last is None:
            self._last = dict(now)
            return
        for owner, counts in now.items():
            before = self._last.get(owner, (0,) * len(self.total))
            for position, (count, old) in enumerate(zip(counts, before, strict=True)):
                # A smaller count is that of a new owner of the same number.
                self.total[position] += count - old if count >= old else count
        self._last.update(now)
