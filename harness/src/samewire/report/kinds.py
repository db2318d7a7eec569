"""The kind of a record's race, by which it is told."""

from collections.abc import Mapping
from typing import Any

from samewire.race.workloads import PROBED, WORKLOADS, Kind, Lookups, Ranking

_REQUESTS = Lookups.told
_KINDS = {kind: workload.told for kind, workload in WORKLOADS.items()}
_RANKINGS = {kind.ranking.metric: kind.ranking for kind in (*_KINDS.values(), PROBED)}


def kind_of(data: Mapping[str, Any]) -> Kind:
    """The kind of the race of a run.json; of requests, whatever they were called, unless it is one of the others."""
    if ranking_of(data) is PROBED.ranking:
        return PROBED
    return _KINDS.get(data["parameters"].get("kind"), _REQUESTS)


def ranking_of(data: Mapping[str, Any]) -> Ranking:
    """What a run.json ranks by; by throughput unless it says otherwise."""
    return _RANKINGS[data["experiment"].get("ranking", {}).get("metric", _REQUESTS.ranking.metric)]
