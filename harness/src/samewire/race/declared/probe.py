"""What one connection gets that asks beside the users."""

from samewire.race.metric import AT_LEAST, AT_MOST, LOWER, REQUESTS, Metric

METRICS = (
    Metric(
        "probe_latency_mean_ms", "Latency of the probe, mean", "ms",
        about="mean latency of the probe, from when it was due",
        better=LOWER,
        held_back=AT_MOST,
        not_answered=AT_LEAST,
        of=(REQUESTS,),
        of_load=lambda run: run.load.probe and run.load.probe.latency.mean,
    ),
    Metric(
        "probe_latency_p50_ms", "Latency of the probe, p50", "ms",
        short="probe p50 ms",
        about="median of the latency of the probe",
        better=LOWER,
        held_back=AT_MOST,
        not_answered=AT_LEAST,
        of=(REQUESTS,),
        of_load=lambda run: run.load.probe and run.load.probe.latency.p50,
    ),
    Metric(
        "probe_latency_p99_ms", "Latency of the probe, p99", "ms",
        short="probe p99 ms",
        about="99th percentile of the latency of the probe",
        better=LOWER,
        held_back=AT_MOST,
        not_answered=AT_LEAST,
        stolen=AT_MOST,
        of=(REQUESTS,),
        of_load=lambda run: run.load.probe and run.load.probe.latency.p99,
    ),
    Metric(
        "probe_latency_max_ms", "Latency of the probe, highest", "ms",
        about="highest latency of the probe",
        better=LOWER,
        held_back=AT_MOST,
        not_answered=AT_LEAST,
        stolen=AT_MOST,
        of=(REQUESTS,),
        of_load=lambda run: run.load.probe and run.load.probe.latency.max,
    ),
    Metric(
        "probes_answered", "Probes answered",
        about="probes that were sent in the hold and answered with 200",
        of=(REQUESTS,),
        of_load=lambda run: run.load.probe and run.load.probe.answered,
    ),
    Metric(
        "probes_not_sent", "Probes not sent",
        about="probes that were due in the hold while another was under way, and end with that one",
        of=(REQUESTS,),
        of_load=lambda run: run.load.probe and run.load.probe.not_sent,
    ),
)  # fmt: skip
