"""How long and how often an experiment runs."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Profile:
    """How long, in seconds, and how often an experiment runs; `practice` is a load before it, for the generator.

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
        if not self.links:
            del numbers["links"]
        return numbers
