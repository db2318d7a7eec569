"""How long and how often an experiment runs."""

from dataclasses import asdict, dataclass

WINDOW_S = 1.5
"""Seconds of load after which, while a server is warmed, the processor time of a request is looked at."""


@dataclass(frozen=True)
class Profile:
    """How long, in seconds, and how often an experiment runs; `practice` is a load before it, for the generator.

    Each server is warmed until it is steady, for `steady_within_s` at most; where that is 0 it is measured as it is.
    `links` is how many there are to look up, none in an experiment without lookups; `users_share` how many of the
    study's users upload.
    """

    name: str
    rounds: int
    practice: bool
    settle_s: float
    warm_up_s: float
    ramp_up_s: float
    hold_s: float
    ramp_down_s: float
    steady_within_s: float = 0.0
    links: int = 0
    users_share: float = 1.0

    @property
    def run_s(self) -> float:
        """Seconds of load in one run."""
        return self.warm_up_s + self.ramp_up_s + self.hold_s + self.ramp_down_s

    @property
    def ramps(self) -> dict[str, float]:
        """The seconds in which users come, stay and leave, as a generator reads them."""
        return {"ramp_up_s": self.ramp_up_s, "hold_s": self.hold_s, "ramp_down_s": self.ramp_down_s}

    def parameters(self) -> dict[str, float | int]:
        """Its numbers as run.json holds them, without those of single workloads that are not this one's."""
        numbers = asdict(self)
        del numbers["name"], numbers["users_share"]
        for name in ("links", "steady_within_s"):
            if not numbers[name]:
                del numbers[name]
        return numbers
