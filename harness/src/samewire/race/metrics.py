"""The metrics: each is declared once, in `declared`: what it is worked out of, where it is used, how it is shown.

What a run measures, what servers are compared in, the report's table of everything, its CSV files and the list in
docs/reference/run-record.md follow from the declarations and are in their order.
"""

from dataclasses import replace
from types import MappingProxyType

from samewire.race.declared import DECLARED
from samewire.race.measured import Footprint, Measured
from samewire.race.metric import SWEEP, Metric
from samewire.race.steps import Steps

METRICS = MappingProxyType({one.key: one for one in DECLARED})
"""Every metric by its key, in the order of the tables."""


def metrics_of(what: str) -> tuple[Metric, ...]:
    """The metrics of a run of a kind, of a sample, or of a step."""
    return tuple(one for one in METRICS.values() if what in one.of)


def compared_in(kind: str) -> tuple[str, ...]:
    """The keys of the metrics in which servers are compared in runs of a kind, whatever the findings are."""
    return tuple(one.key for one in METRICS.values() if kind in one.compared)


def figures_of_load(what: str, run: Measured) -> dict[str, float | int | None]:
    """The figures of a load by key: of a run of a kind, of a sample or a step, if worked out of a load."""
    return {one.key: one.of_load(run) for one in metrics_of(what) if one.of_load}


def figures_of_footprint(what: str, server: Footprint) -> dict[str, float | int | None]:
    """The figures by key that are worked out of the server's footprint in a whole run of a kind."""
    return {one.key: one.of_footprint(server) for one in metrics_of(what) if one.of_footprint}


def figures_of_steps(steps: Steps) -> dict[str, float | int | None]:
    """The figures by key that are worked out of the steps of a run that is a sweep."""
    return {one.key: one.of_steps(steps) for one in metrics_of(SWEEP) if one.of_steps}


def metric(key: str) -> Metric:
    """The metric of that key; one that is not declared keeps its key as its name.

    `<metric> of <request>` is that metric for the answers to one request of several, `<metric> of sample <name>` for
    one sample of uploads or one step of a sweep.
    """
    whole, _, part = key.partition(" of ")
    if part and whole in METRICS:
        return replace(METRICS[whole], key=key, name=f"{METRICS[whole].name}: {part}")
    return METRICS.get(key) or Metric(key, key.replace("_", " "))


def of_sample(metric: str, sample: str) -> str:
    """The key of a metric of one sample or step, such as `latency_mean_ms of sample 3`."""
    return f"{metric} of sample {sample}"


def bytes_per_answer(request: str) -> str:
    """The key of the bytes of answers to one request of several, called like `GET /info`."""
    return f"bytes_per_answer of {request}"


def reference() -> str:
    """The table of all metrics in docs/reference/run-record.md, in Markdown."""
    lines = ["| metric | of | compared in | better | |", "|---|---|---|---|---|"]
    for one in METRICS.values():
        cells = f"`{one.key}`", ", ".join(one.of), ", ".join(one.compared) or "–", one.better or "–", one.about
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
