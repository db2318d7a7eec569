"""What is answered: how much, how soon all of it, with how many errors and bytes."""

from samewire.race.measured import Measured
from samewire.race.metric import (
    AT_LEAST,
    AT_MOST,
    HIGHER,
    LOWER,
    REQUESTS,
    RUNS_AND_PARTS,
    SAMPLE,
    STEP,
    UPLOADS,
    Metric,
)


def _bytes_per_answer(run: Measured) -> float | None:
    return run.load.counts.bytes_in / run.load.requests if run.load.requests else None


METRICS = (
    Metric(
        "throughput_rps", "Throughput", "requests/s",
        short="req/s",
        about="right answers per second",
        better=HIGHER,
        held_back=AT_LEAST,
        of=(REQUESTS, UPLOADS, SAMPLE, STEP),
        compared=(REQUESTS, UPLOADS),
        of_load=lambda run: run.load.counts.throughput_rps,
    ),
    Metric(
        "offered_rps", "Requests that were due", "requests/s",
        about="the rate at which requests were sent in turn, where users did not wait for answers",
        of=(REQUESTS, STEP),
        of_load=lambda run: run.load.rate_per_s,
    ),
    Metric(
        "total_s", "Total time", "s",
        about="from the first request to the last answer, where each user leaves after so many requests",
        better=LOWER,
        held_back=AT_MOST,
        of=(REQUESTS, UPLOADS, SAMPLE),
        of_load=lambda run: run.total_s,
    ),
    Metric(
        "throughput_change_share", "Throughput, change in the hold", "%", 100.0,
        about="the share of its mean by which throughput changes over the hold, by the line of least squares",
        of=(REQUESTS,),
        of_load=Measured.throughput_change,
    ),
    Metric(
        "throughput_growth", "Throughput, last second ÷ first",
        about="right answers in the last whole second of the hold by those in its first",
        of=(REQUESTS,),
        of_load=Measured.throughput_growth,
    ),
    Metric(
        "uploaded_bytes_per_s", "Uploaded", "MB/s", 1e-6,
        about="bytes of files in right requests, per second",
        better=HIGHER,
        held_back=AT_LEAST,
        of=(UPLOADS, SAMPLE),
        of_load=lambda run: run.per_second(run.load.counts.uploaded_bytes),
    ),
    Metric(
        "error_share", "Errors", "%", 100.0,
        short="errors %",
        about="errors by requests, over the whole load",
        better=LOWER,
        of=RUNS_AND_PARTS,
        of_load=lambda run: run.load.whole.error_share,
    ),
    Metric(
        "bytes_per_answer", "Bytes of an answer, headers included",
        about="mean bytes of an answer: status line, headers, framing and body",
        better=LOWER,
        of=(REQUESTS,),
        of_load=_bytes_per_answer,
    ),
)  # fmt: skip
