"""The declarations of all metrics, by what they are about. A new one is one declaration here."""

from samewire.race.declared import answers, conversation, footprint, latency, probe, processor, sweep, updates

DECLARED = (
    *answers.METRICS,
    *latency.METRICS,
    *processor.METRICS,
    *footprint.METRICS,
    *conversation.METRICS,
    *sweep.METRICS,
    *probe.METRICS,
    *updates.METRICS,
)
"""In the order of the tables."""
