"""What a race decides: comparisons of servers, and judgements of a study's findings, as run.json holds them."""

from dataclasses import asdict, dataclass
from typing import Any

from samewire.race.statistics import Interval

HOLDS = "holds"
FAILS = "does not hold"
UNDECIDED = "undecided"
STAND_IN = "not comparable: stand-in"
NOT_TESTED = "not tested"
A_HIGHER = "a higher"
B_HIGHER = "b higher"


@dataclass(frozen=True)
class Comparison:
    """The ratio of a metric of `a` to that of `b`, None where there is none, and who is higher.

    `confidence` is that of the ratio's interval, by which it is decided.
    """

    metric: str
    a: str
    b: str
    ratio: Interval | None
    verdict: str
    confidence: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """The comparison as run.json holds it."""
        return asdict(self)


@dataclass(frozen=True)
class Ours:
    """Our value for a finding, with its interval, its unit, and in words of what it is.

    `bound` is "≥" where the true one is at least `value`, "≤" where it is at most, both where neither is known.
    """

    value: float
    low: float | None
    high: float | None
    unit: str
    text: str
    bound: str = ""


@dataclass(frozen=True)
class Judgement:
    """The verdict on a finding, with our value, None where there is none, and the reason."""

    id: str
    text: str
    published: str
    ours: Ours | None
    verdict: str
    why: str

    def as_dict(self) -> dict[str, Any]:
        """The judgement as run.json holds it."""
        return asdict(self)
