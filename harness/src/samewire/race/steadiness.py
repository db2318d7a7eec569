"""When a server is steady: when the processor time of a request hardly changes any more."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

STEADY = 0.05
"""The share by which it may change from one window to the next, for a server that is steady."""


@dataclass(frozen=True)
class Step:
    """A window of load: when it ended, on how many cores, and the processor time of a request, if there was one."""

    t_s: float
    cores: int
    requests: int
    cpu_us_per_request: float | None


@dataclass(frozen=True)
class Warming:
    """How a server became steady, in `seconds`, or did not; `steps` are the windows, in order."""

    steps: Sequence[Step]
    seconds: float
    steady: bool

    @property
    def cpu_s(self) -> float:
        """CPU time of the server in all windows, in seconds."""
        return math.fsum((one.cpu_us_per_request or 0.0) * one.requests for one in self.steps) / 1e6

    def as_dict(self) -> dict[str, Any]:
        """The warming as run.json holds it."""
        return {
            "seconds": round(self.seconds, 2),
            "steady": self.steady,
            "windows": [asdict(one) for one in self.steps],
        }


def is_steady(costs: Sequence[float | None], times: int = 2) -> bool:
    """Whether the cost of a request hardly changed from one window to the next, so many times on end."""
    last = [cost for cost in costs[-times - 1 :] if cost]
    return len(last) == times + 1 and all(abs(after / before - 1) < STEADY for before, after in pairwise(last))
