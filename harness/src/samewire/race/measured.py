"""What the figures of a run are worked out of: a load, and what the processes used in it."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from samewire.race.load import Load
from samewire.race.placement import Placement
from samewire.race.processes import Start, Usage
from samewire.race.snapshots import Snapshot, Window
from samewire.race.steadiness import Warming


@dataclass(frozen=True)
class Footprint:
    """The server's tree before the load, at every sample under load, and when users began to come or a hold was over.

    Only then proportional memory is read for every server alike; in between it is read as often as its cost allows.
    Before all that are its start, of a server that was started for this run, and how it became steady, if it was warmed
    until it was.
    """

    idle: Usage
    loaded: Sequence[Usage]
    alike: Sequence[Usage]
    start: Start | None
    warming: Warming | None


@dataclass(frozen=True)
class Measured:
    """A load whose hold was finished, with that hold, which users took `ramp_up_s` to come to.

    Where `by_requests`, users come and leave in the hold: it is the whole load. `seconds` are the snapshots taken
    during the hold.
    """

    load: Load
    hold: Window
    seconds: Sequence[Snapshot]
    placement: Placement
    ramp_up_s: float
    by_requests: bool = False

    @property
    def total_s(self) -> float | None:
        """Seconds from the first request to the last answer, None of a load that ends when the time is up."""
        return self.load.duration_s if self.by_requests else None

    def per_second(self, number: float) -> float:
        """How many in each second of the hold."""
        return number / self.load.duration_s

    def cpu_us_per(self, number: int, tree: str) -> float | None:
        """CPU of a tree in µs for each of so many in the hold; None without one, or for a tree that is not ours."""
        cores = self.hold.cpu_rate(tree)
        return None if cores is None or not number else cores / self.per_second(number) * 1e6

    def server_share(self, window: Window) -> float:
        """How much the server used in a window of what it may use of its cores."""
        return window.core_share("server", self.placement.server) / self.placement.server_share

    def switches_per(self, number: int) -> float | None:
        """Context switches of the server for each of so many in the hold, None without one."""
        return self.hold.switch_rate("server") / self.per_second(number) if number else None

    def throughput_growth(self) -> float | None:
        """Right answers in the last whole second of the hold by those in its first; None of less than two seconds, or
        of users who come and leave in it."""
        rates = [row["requests"] - row["errors"] for row in self._whole_seconds()]
        return rates[-1] / rates[0] if len(rates) > 1 and rates[0] else None

    def _whole_seconds(self) -> list[Mapping[str, Any]]:
        """The rows of seconds that lie in the hold; none of users who come and leave in it."""
        if self.by_requests:
            return []
        return [row for row in self.load.series if 1 <= row["t_s"] - self.ramp_up_s <= self.load.duration_s]

    def throughput_change(self) -> float | None:
        """The share of its mean by which throughput changes over the hold; None of less than three seconds, or of users
        who come and leave in it.

        It is the slope of the line of least squares through the whole seconds of the hold, times the hold's length.
        """
        whole = self._whole_seconds()
        if len(whole) < 3:
            return None
        rates = [row["requests"] for row in whole]
        slope = statistics.linear_regression([row["t_s"] for row in whole], rates).slope
        return slope * self.load.duration_s / statistics.fmean(rates) if any(rates) else None

    def cpu_share_sd(self) -> float | None:
        """The standard deviation of the server's share from second to second, None of less than two."""
        shares = [self.server_share(Window(*both)) for both in pairwise(self.seconds)]
        return statistics.stdev(shares) if len(shares) > 1 else None
