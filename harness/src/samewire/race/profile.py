"""How long and how often an experiment runs."""

from dataclasses import asdict, dataclass

from samewire.race import RaceError

WINDOW_S = 1.5
"""Seconds of load after which, while a server is warmed, the processor time of a request is looked at."""


@dataclass(frozen=True)
class Profile:
    """How long, in seconds, and how often an experiment runs; `practice` is a load before it, for the generator.

    Each server is warmed until it is steady, for `steady_within_s` at most; where that is 0 it is measured as it is.
    `links` is how many links or todos there are to look up, none in an experiment without lookups; `users_share` how
    many of the study's users upload.

    Users stay for `hold_s`; or, where `requests_per_user` is not 0, each leaves after so many requests. They send as
    soon as they have their answer; or in turn at `rate_per_s`, or at the rate at which a server uses `cpu_share` of its
    cores, where one of these is not 0.
    """

    name: str
    rounds: int
    practice: bool
    settle_s: float
    warm_up_s: float
    ramp_up_s: float
    hold_s: float = 0.0
    ramp_down_s: float = 0.0
    requests_per_user: int = 0
    rate_per_s: float = 0.0
    cpu_share: float = 0.0
    steady_within_s: float = 0.0
    links: int = 0
    users_share: float = 1.0

    @property
    def run_s(self) -> float:
        """Seconds of load in one run, without the hold where users leave after their requests."""
        return self.warm_up_s + self.ramp_up_s + self.hold_s + self.ramp_down_s

    @property
    def course(self) -> dict[str, float]:
        """When users come and leave, as a generator reads it: in seconds, or after so many requests."""
        if self.requests_per_user:
            return {"ramp_up_s": self.ramp_up_s, "requests_per_user": self.requests_per_user}
        return {"ramp_up_s": self.ramp_up_s, "hold_s": self.hold_s, "ramp_down_s": self.ramp_down_s}

    def rate(self, cpu_us_per_request: float | None, cores: float) -> float | None:
        """Requests per second for a server with so many cores, whose requests cost so much; None if users do not wait.

        Raises RaceError if the rate depends on a cost and there is none.
        """
        if self.cpu_share:
            if not cpu_us_per_request:
                raise RaceError("the cost of a request is not known: it is measured while a server is warmed")
            return self.cpu_share * cores / (cpu_us_per_request / 1e6)
        return self.rate_per_s or None

    def parameters(self) -> dict[str, float | int]:
        """Its numbers as run.json holds them, without those of single workloads that are not this one's."""
        numbers = asdict(self)
        del numbers["name"], numbers["users_share"]
        for name in ("links", "steady_within_s", "requests_per_user", "rate_per_s", "cpu_share"):
            if not numbers[name]:
                del numbers[name]
        if self.requests_per_user:
            del numbers["hold_s"], numbers["ramp_down_s"]
        return numbers
