"""When a server is steady: when the processor time of a request hardly changes any more."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

STEADY = 0.05
"""The share by which it may change from one window to the next, for a server that is steady."""

NEAR = 0.9
"""The share of its steady throughput, by processor time, with which a server is near to it."""


@dataclass(frozen=True)
class Step:
    """A window of load: when it ended, on how many cores, its requests, and of those, if there were any, the processor
    time of one and the highest latency."""

    t_s: float
    cores: int
    requests: int
    cpu_us_per_request: float | None
    latency_max_ms: float | None


@dataclass(frozen=True)
class Warming:
    """How a server became steady, in `seconds`, or did not; `steps` are the windows, in order."""

    steps: Sequence[Step]
    seconds: float
    steady: bool

    @property
    def cpu_us_per_request(self) -> float | None:
        """Processor time of a request in the last window, in µs."""
        return self.steps[-1].cpu_us_per_request if self.steps else None

    @property
    def cpu_s(self) -> float:
        """CPU time of the server in all windows, in seconds."""
        return _cpu_s(self.steps)

    @property
    def first_latency_max_ms(self) -> float | None:
        """The highest latency in the first window."""
        return self.steps[0].latency_max_ms if self.steps else None

    @property
    def near_s(self) -> float | None:
        """Seconds until the first window that was near to steady; None if the server did not become steady."""
        return self._near[-1].t_s if self._near else None

    @property
    def near_cpu_s(self) -> float | None:
        """CPU time of the server until then, in seconds."""
        return _cpu_s(self._near) if self._near else None

    @property
    def _near(self) -> Sequence[Step]:
        """The windows up to the first in which a processor could answer at least 90 % as many as at the end."""
        steady = self.cpu_us_per_request
        if not self.steady or not steady:
            return ()
        costs = [one.cpu_us_per_request for one in self.steps]
        first = next(place for place, cost in enumerate(costs) if cost and steady / cost >= NEAR)
        return self.steps[: first + 1]

    def as_dict(self) -> dict[str, Any]:
        """The warming as run.json holds it."""
        return {
            "seconds": round(self.seconds, 2),
            "steady": self.steady,
            "windows": [asdict(one) for one in self.steps],
        }


def _cpu_s(steps: Sequence[Step]) -> float:
    return math.fsum((one.cpu_us_per_request or 0.0) * one.requests for one in steps) / 1e6


def is_steady(costs: Sequence[float | None], times: int = 2) -> bool:
    """Whether the cost of a request hardly changed from one window to the next, so many times on end.

    On a noisy machine single windows always differ. So it also counts if the mean of three hardly changed.
    """
    last, of_three = costs[-times - 1 :], [costs[-6:-3], costs[-3:]]
    return _alike(last, times + 1) or (len(costs) >= 6 and _alike([_mean(three) for three in of_three], 2))


def _alike(costs: Sequence[float | None], number: int) -> bool:
    """Whether there are so many, and each hardly differs from the one before."""
    known = [cost for cost in costs if cost]
    return len(known) == number and all(abs(after / before - 1) < STEADY for before, after in pairwise(known))


def _mean(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost]
    return statistics.fmean(known) if len(known) == len(costs) else None
