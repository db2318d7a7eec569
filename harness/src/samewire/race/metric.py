"""What the declaration of a metric says."""

from collections.abc import Callable
from dataclasses import dataclass

from samewire.race.measured import Footprint, Measured
from samewire.race.steps import Steps

REQUESTS, CONVERSATION, UPLOADS, SAMPLE = "requests", "conversation", "uploads", "sample"
SWEEP, STEP = "sweep", "step"
"""What metrics are of: a run of one of four kinds, one sample of a run with uploads, or one step of a sweep."""

RUNS = REQUESTS, CONVERSATION, UPLOADS, SWEEP
LOADS = REQUESTS, CONVERSATION, UPLOADS, SAMPLE, STEP
"""What is worked out of one load, or of means over the loads of a run."""
RUNS_AND_PARTS = *LOADS, SWEEP

LOWER, HIGHER = "lower", "higher"

AT_LEAST, AT_MOST = "≥", "≤"
"""How a figure that is a bound stands to the true one: that is at least, or at most, what is shown."""
EITHER = AT_MOST + AT_LEAST
"""Of a figure that may be too high or too low."""


STACK_SHARE = "stack_share of "
"""Begins the key of a figure of profiles: the share of samples whose stack has a frame that matches what follows."""


@dataclass(frozen=True)
class Metric:
    """A measured quantity.

    `key` is its name in run.json, which ends in its unit there. Reports call it `name` and show `scale` times its
    value, in `unit`; `short` is its name and unit in a terminal. `about` is its meaning in the reference, `better`
    which end is the better one, empty where neither is.

    `held_back` is what its figure is of a server that could have answered more, had the other cores kept up;
    `not_in_turn` of one that left some of its users waiting; `not_answered` of one that left probes without an answer;
    `stolen` where the hypervisor gave time to other machines.
    Empty where the figure stays right, or ratios of it do.

    `of` says what it is a figure of, `compared` in which of these servers are compared whatever the findings are. It is
    worked out of a load, of the server's footprint in a whole run, or of the steps of a sweep, and is None where it
    cannot be had.
    """

    key: str
    name: str
    unit: str = ""
    scale: float = 1.0
    short: str = ""
    about: str = ""
    better: str = ""
    held_back: str = ""
    not_in_turn: str = ""
    not_answered: str = ""
    stolen: str = ""
    of: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    of_load: Callable[[Measured], float | int | None] | None = None
    of_footprint: Callable[[Footprint], float | int | None] | None = None
    of_steps: Callable[[Steps], float | int | None] | None = None
