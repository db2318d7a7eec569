"""What is told of all steps of a sweep together."""

from samewire.race.metric import AT_LEAST, AT_MOST, EITHER, HIGHER, LOWER, SWEEP, Metric

METRICS = (
    Metric(
        "highest_rps", "Throughput, highest of all steps", "requests/s",
        short="req/s",
        about="right answers per second in the step that had most",
        better=HIGHER,
        held_back=AT_LEAST,
        of=(SWEEP,),
        compared=(SWEEP,),
        of_steps=lambda run: run.highest_rps,
    ),
    Metric(
        "kept_share", "Throughput at the end, of the highest", "%", 100.0,
        short="kept %",
        about="right answers per second in the step with the most load, by those in the best: goodput past the knee",
        better=HIGHER,
        held_back=EITHER,
        of=(SWEEP,),
        compared=(SWEEP,),
        of_steps=lambda run: run.kept_share,
    ),
    Metric(
        "knee", "Knee, at",
        short="knee",
        about="the step with the most throughput for its mean latency: users, or a multiple of the rate",
        held_back=EITHER,
        of=(SWEEP,),
        of_steps=lambda run: run.knee and run.knee.value,
    ),
    Metric(
        "knee_rps", "Knee, throughput", "requests/s",
        about="right answers per second in that step",
        better=HIGHER,
        held_back=AT_LEAST,
        of=(SWEEP,),
        of_steps=lambda run: run.at_knee("throughput_rps"),
    ),
    Metric(
        "knee_latency_mean_ms", "Knee, mean latency", "ms",
        short="knee ms",
        about="mean latency in that step",
        better=LOWER,
        held_back=AT_MOST,
        of=(SWEEP,),
        of_steps=lambda run: run.at_knee("latency_mean_ms"),
    ),
)  # fmt: skip
