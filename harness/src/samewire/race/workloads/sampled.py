"""What workloads have in common whose runs go through several loads, called samples, one after the other."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from samewire.race.load import SampledLoad
from samewire.race.measured import Footprint, Measured
from samewire.race.profile import Profile
from samewire.race.workloads.base import Workload


class SampledWorkload(Workload):
    """Each run goes through all `samples`, a load each, in an order drawn for it. Each of them has a `name`."""

    samples: tuple[Any, ...]

    @property
    def sample_names(self) -> tuple[str, ...]:
        return tuple(sample.name for sample in self.samples)

    @abstractmethod
    def users_of(self, sample: Any, profile: Profile) -> int:
        """How many users a sample has in a profile: at least one."""

    def rate_of(self, sample: Any, rate_per_s: float | None) -> float | None:
        """Requests per second of a sample, where that is the profile's rate; None if users wait for their answers."""
        return rate_per_s

    def is_closed(self, sample: Any) -> bool:
        """Whether a server that is not busy in a sample was held back by something else."""
        return self.closed

    @abstractmethod
    def run_figures(
        self, samples: Mapping[str, Measured], load: SampledLoad, server: Footprint
    ) -> dict[str, float | int | None]:
        """The figures of a run by key, and behind them those of its samples, in the order of the workload's."""

    def parameters(self, profile: Profile) -> dict[str, Any]:
        parameters = super().parameters(profile)
        # A record describes them apart.
        del parameters["samples"]
        return parameters
