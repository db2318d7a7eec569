"""The workloads, a class each. A new one is a class here and a load generator in `bench/`."""

from collections.abc import Mapping
from typing import Any

from samewire.race.workloads.base import Table, Workload
from samewire.race.workloads.conversation import Conversation
from samewire.race.workloads.kind import Kind, Ranking
from samewire.race.workloads.requests import PROBED, Arrivals, Exchange, Lookups, Requests
from samewire.race.workloads.sampled import SampledWorkload
from samewire.race.workloads.sweep import Sweep
from samewire.race.workloads.uploads import Uploads

__all__ = [
    "PROBED",
    "WORKLOADS",
    "Arrivals",
    "Conversation",
    "Exchange",
    "Kind",
    "Lookups",
    "Ranking",
    "Requests",
    "SampledWorkload",
    "Sweep",
    "Uploads",
    "Workload",
    "read",
]

WORKLOADS: Mapping[str, type[Workload]] = {
    "lookups": Lookups,
    "requests": Requests,
    "arrivals": Arrivals,
    "conversation": Conversation,
    "uploads": Uploads,
    "sweep": Sweep,
}
"""By the `kind` of an experiment's file."""


def read(content: Mapping[str, Any], table: Table) -> Workload:
    """The workload of an experiment's file, which has been checked against the schema; `table` reads a study's."""
    return WORKLOADS[content["kind"]].read(content, table)
