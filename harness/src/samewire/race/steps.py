"""The figures of a run that goes through steps of load: what is told of all of them together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One step: how much load it was, in users or as a rate, its figures by key, and whether its latencies are of all.

    Where some users were left waiting, or requests were never sent, mean latency is too low and `power` too high.
    """

    value: float
    figures: Mapping[str, float | int | None]
    of_all: bool = True

    @property
    def power(self) -> float:
        """Right answers per second, divided by mean latency in seconds; 0 where nothing was answered.

        Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer communications", 1979.
        """
        rate, latency_ms = self.figures["throughput_rps"], self.figures["latency_mean_ms"]
        return rate / (latency_ms / 1000) if rate and latency_ms else 0.0


@dataclass(frozen=True)
class Steps:
    """All steps of a run, the least load first."""

    steps: Sequence[Step]

    @property
    def knee(self) -> Step | None:
        """The step with the most power, of those whose latencies are of all; None where nothing was answered.

        More load brings more waiting than answers.
        """
        best = max((step for step in self.steps if step.of_all), key=lambda step: step.power, default=None)
        return best if best and best.power else None

    @property
    def highest_rps(self) -> float:
        """The most right answers per second of any step."""
        return max(step.figures["throughput_rps"] or 0.0 for step in self.steps)

    @property
    def kept_share(self) -> float | None:
        """Right answers per second in the last step, of those in the best one; None where nothing was answered."""
        last = self.steps[-1].figures["throughput_rps"] or 0.0
        return last / self.highest_rps if self.highest_rps else None

    def at_knee(self, key: str) -> float | int | None:
        """A figure of the step with the most power."""
        return self.knee.figures[key] if self.knee else None
