"""The metrics: each is declared here once, with what it is worked out of, where it is used and how it is shown.

What a run measures, what servers are compared in, the report's table of everything, its CSV files and the list in
docs/reference/run-record.md follow from the declarations and are in their order.
"""

from dataclasses import replace
from types import MappingProxyType

from samewire.race.latency import mean_absolute_deviation
from samewire.race.measured import Footprint, Measured
from samewire.race.metric import (
    AT_LEAST,
    AT_MOST,
    CONVERSATION,
    EITHER,
    HIGHER,
    LOWER,
    REQUESTS,
    SAMPLE,
    STEP,
    SWEEP,
    UPLOADS,
    Metric,
)
from samewire.race.steps import Steps

_RUNS = REQUESTS, CONVERSATION, UPLOADS, SWEEP
_LOADS = REQUESTS, CONVERSATION, UPLOADS, SAMPLE, STEP
_ALL = *_LOADS, SWEEP
_MIB = 2.0**-20


def _bytes_per_answer(run: Measured) -> float | None:
    return run.load.counts.bytes_in / run.load.requests if run.load.requests else None


def _cv(run: Measured) -> float | None:
    latency = run.load.latency
    return latency.sd / latency.mean if latency.mean else None


_DECLARED = (
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
        "deliveries_per_s", "Deliveries", "deliveries/s",
        about="arrivals of a message at another user, per second",
        of=(CONVERSATION,),
        of_load=lambda run: run.per_second(run.load.counts.deliveries),
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
        "latency_mean_ms", "Latency, mean", "ms",
        short="mean ms",
        about="mean latency",
        better=LOWER,
        held_back=AT_MOST,
        not_in_turn=AT_LEAST,
        of=_LOADS,
        compared=(REQUESTS, CONVERSATION, UPLOADS),
        of_load=lambda run: run.load.latency.mean,
    ),
    Metric(
        "latency_sd_ms", "Latency, standard deviation", "ms",
        about="standard deviation of latency",
        better=LOWER,
        held_back=EITHER,
        not_in_turn=EITHER,
        stolen=EITHER,
        of=_LOADS,
        compared=(REQUESTS, UPLOADS),
        of_load=lambda run: run.load.latency.sd,
    ),
    Metric(
        "latency_mad_ms", "Latency, mean absolute deviation", "ms",
        about="mean absolute deviation of latency from its mean",
        better=LOWER,
        held_back=EITHER,
        not_in_turn=EITHER,
        stolen=EITHER,
        of=(UPLOADS, SAMPLE),
        of_load=lambda run: mean_absolute_deviation(run.load.hdr),
    ),
    Metric(
        "latency_cv", "Latency, coefficient of variation",
        short="CV",
        about="coefficient of variation of latency: standard deviation by mean; of a run, the ratio of their sums",
        better=LOWER,
        held_back=EITHER,
        not_in_turn=EITHER,
        stolen=EITHER,
        of=(UPLOADS, SAMPLE),
        compared=(UPLOADS,),
        of_load=_cv,
    ),
    Metric(
        "latency_min_ms", "Latency, lowest", "ms",
        about="lowest latency",
        better=LOWER,
        of=(REQUESTS, UPLOADS, SAMPLE),
        of_load=lambda run: run.load.latency.min,
    ),
    Metric(
        "latency_p50_ms", "Latency, p50", "ms",
        about="median of latency",
        better=LOWER,
        held_back=AT_MOST,
        not_in_turn=AT_LEAST,
        of=(REQUESTS, CONVERSATION, SAMPLE, STEP),
        compared=(REQUESTS, CONVERSATION),
        of_load=lambda run: run.load.latency.p50,
    ),
    Metric(
        "latency_p95_ms", "Latency, p95", "ms",
        about="95th percentile of latency",
        better=LOWER,
        held_back=AT_MOST,
        not_in_turn=AT_LEAST,
        stolen=AT_MOST,
        of=(REQUESTS,),
        of_load=lambda run: run.load.latency.p95,
    ),
    Metric(
        "latency_p99_ms", "Latency, p99", "ms",
        short="p99 ms",
        about="99th percentile of latency",
        better=LOWER,
        held_back=AT_MOST,
        not_in_turn=AT_LEAST,
        stolen=AT_MOST,
        of=(REQUESTS, CONVERSATION, SAMPLE, STEP),
        compared=(REQUESTS, CONVERSATION),
        of_load=lambda run: run.load.latency.p99,
    ),
    Metric(
        "latency_p999_ms", "Latency, p99.9", "ms",
        about="99.9th percentile of latency",
        better=LOWER,
        held_back=AT_MOST,
        not_in_turn=AT_LEAST,
        stolen=AT_MOST,
        of=(REQUESTS, CONVERSATION),
        compared=(REQUESTS,),
        of_load=lambda run: run.load.latency.p999,
    ),
    Metric(
        "latency_max_ms", "Latency, highest", "ms",
        about="highest latency",
        better=LOWER,
        held_back=AT_MOST,
        not_in_turn=AT_LEAST,
        stolen=AT_MOST,
        of=(REQUESTS, UPLOADS, SAMPLE, STEP),
        of_load=lambda run: run.load.latency.max,
    ),
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
    Metric(
        "error_share", "Errors", "%", 100.0,
        short="errors %",
        about="errors by requests, over the whole load",
        better=LOWER,
        of=_ALL,
        of_load=lambda run: run.load.whole.error_share,
    ),
    Metric(
        "cpu_us_per_delivery", "CPU per delivery, server", "µs",
        short="CPU µs",
        about="CPU of the server's processes per delivery",
        better=LOWER,
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.cpu_us_per(run.load.counts.deliveries, "server"),
    ),
    Metric(
        "cpu_us_per_request", "CPU per request, server", "µs",
        short="CPU µs",
        about="CPU of the server's processes per request",
        better=LOWER,
        of=(REQUESTS, UPLOADS, SAMPLE, STEP),
        compared=(REQUESTS, UPLOADS),
        of_load=lambda run: run.cpu_us_per(run.load.requests, "server"),
    ),
    Metric(
        "database_cpu_us_per_request", "CPU per request, database", "µs",
        about="CPU of the database's processes per request",
        better=LOWER,
        of=(REQUESTS,),
        of_load=lambda run: run.cpu_us_per(run.load.requests, "database"),
    ),
    Metric(
        "generator_cpu_us_per_request", "CPU per request, generator", "µs",
        about="CPU of the generator per request",
        of=(REQUESTS,),
        of_load=lambda run: run.cpu_us_per(run.load.requests, "generator"),
    ),
    Metric(
        "cpu_share", "CPU used of the server's cores", "%", 100.0,
        short="CPU %",
        about="CPU of the server's processes, of the server's cores",
        of=_LOADS,
        compared=(UPLOADS,),
        of_load=lambda run: run.hold.core_share("server", run.placement.server),
    ),
    Metric(
        "cpu_share_sd", "CPU used of the server's cores, standard deviation", "%", 100.0,
        about="standard deviation of `cpu_share` from second to second",
        of=(UPLOADS, SAMPLE),
        of_load=Measured.cpu_share_sd,
    ),
    Metric(
        "iowait_share", "I/O wait", "%", 100.0,
        about="the share of the time in which the server's cores had nothing to do but to wait for a disk",
        of=(UPLOADS, SAMPLE),
        of_load=lambda run: run.hold.iowait_share(run.placement.server),
    ),
    Metric(
        "generator_cpu_us_per_delivery", "CPU per delivery, generator", "µs",
        about="CPU of the generator per delivery",
        of=(CONVERSATION,),
        of_load=lambda run: run.cpu_us_per(run.load.counts.deliveries, "generator"),
    ),
    Metric(
        "generator_share", "CPU used of the generator's cores", "%", 100.0,
        about="CPU of the generator, of the generator's cores",
        of=_ALL,
        of_load=lambda run: run.hold.core_share("generator", run.placement.generator),
    ),
    Metric(
        "stolen_share", "Time given to other machines", "%", 100.0,
        about="the share of the time of all cores that the hypervisor gave to other machines",
        of=_ALL,
        of_load=lambda run: run.hold.steal_share(),
    ),
    Metric(
        "ready_s", "Start, until healthy", "s",
        about="seconds from the begin of the server's first process to its first answer to `GET /healthz`",
        better=LOWER,
        of=_RUNS,
        of_footprint=lambda server: server.start.seconds,
    ),
    Metric(
        "ready_cpu_s", "CPU until healthy", "s",
        about="CPU of the server's processes until then",
        better=LOWER,
        of=_RUNS,
        of_footprint=lambda server: server.start.cpu_s,
    ),
    Metric(
        "warm_s", "Warm-up, until steady", "s",
        about="seconds of load until the CPU of a request was steady",
        better=LOWER,
        of=_RUNS,
        of_footprint=lambda server: server.warming and server.warming.seconds,
    ),
    Metric(
        "warm_cpu_s", "CPU of the warm-up", "s",
        about="CPU of the server's processes in that load",
        better=LOWER,
        of=_RUNS,
        of_footprint=lambda server: server.warming and server.warming.cpu_s,
    ),
    Metric(
        "first_latency_max_ms", "First answers, highest latency", "ms",
        about="the highest latency in the first window of the warm-up: the server's first answers, to few users",
        better=LOWER,
        of=_RUNS,
        of_footprint=lambda server: server.warming and server.warming.first_latency_max_ms,
    ),
    Metric(
        "near_s", "Warm-up, until 90 % of steady", "s",
        about="seconds of load until a processor could answer 90 % as many requests as at the end of the warm-up",
        better=LOWER,
        of=_RUNS,
        of_footprint=lambda server: server.warming and server.warming.near_s,
    ),
    Metric(
        "near_cpu_s", "CPU until 90 % of steady", "s",
        about="CPU of the server's processes until then",
        better=LOWER,
        of=_RUNS,
        of_footprint=lambda server: server.warming and server.warming.near_cpu_s,
    ),
    Metric(
        "pss_idle_bytes", "Memory idle, PSS", "MiB", _MIB,
        about="proportional memory of the server's processes, idle",
        better=LOWER,
        of=_RUNS,
        compared=_RUNS,
        of_footprint=lambda server: server.idle.pss_bytes,
    ),
    Metric(
        "pss_peak_bytes", "Memory under load, PSS", "MiB", _MIB,
        short="PSS MiB",
        about="proportional memory of the server's processes, when users begin to come or the hold ends, the higher",
        better=LOWER,
        of=_RUNS,
        compared=_RUNS,
        of_footprint=lambda server: max((usage.pss_bytes for usage in server.alike if usage.pss_bytes), default=None),
    ),
    Metric(
        "rss_peak_bytes", "Memory peak, RSS", "MiB", _MIB,
        about="resident memory of the server's processes, at its peak",
        better=LOWER,
        of=_RUNS,
        compared=(REQUESTS,),
        of_footprint=lambda server: max(usage.rss_bytes for usage in server.loaded),
    ),
    Metric(
        "threads_idle", "Threads, idle",
        about="threads of the server's processes, idle",
        of=_RUNS,
        of_footprint=lambda server: server.idle.threads,
    ),
    Metric(
        "threads_peak", "Threads, peak",
        about="threads of the server's processes, at their peak",
        of=_RUNS,
        compared=_RUNS,
        of_footprint=lambda server: max(usage.threads for usage in server.loaded),
    ),
    Metric(
        "switches_per_request", "Context switches per request",
        about="context switches, voluntary and not, per request",
        of=(REQUESTS, STEP),
        compared=(REQUESTS,),
        of_load=lambda run: run.switches_per(run.load.requests),
    ),
    Metric(
        "switches_per_delivery", "Context switches per delivery",
        about="context switches, voluntary and not, per delivery",
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.switches_per(run.load.counts.deliveries),
    ),
    Metric(
        "switches_per_s", "Context switches per second",
        short="switches/s",
        about="context switches, voluntary and not, per second",
        of=(UPLOADS, SAMPLE),
        compared=(UPLOADS,),
        of_load=lambda run: run.hold.switch_rate("server"),
    ),
    Metric(
        "bytes_per_answer", "Bytes of an answer, headers included",
        about="mean bytes of an answer: status line, headers, framing and body",
        better=LOWER,
        of=(REQUESTS,),
        of_load=_bytes_per_answer,
    ),
    Metric(
        "bytes_per_s", "Bytes on all connections", "kB/s", 0.001,
        short="kB/s",
        about="all that crosses the users' connections, both ways, per second",
        better=LOWER,
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.per_second(run.load.counts.bytes),
    ),
    Metric(
        "sends_per_s", "Sends", "per second",
        about="messages taken per second",
        of=(CONVERSATION,),
        of_load=lambda run: run.per_second(run.load.counts.sends.count),
    ),
    Metric(
        "receives_per_s", "Receives", "per second",
        about="polls answered, or events with messages, per second",
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.per_second(run.load.counts.receives.count),
    ),
    Metric(
        "bytes_per_send", "Bytes of a send",
        about="mean bytes of a send, both ways, with all headers and framing",
        better=LOWER,
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.load.counts.sends.bytes_mean,
    ),
    Metric(
        "bytes_per_send_sd", "Bytes of a send, standard deviation",
        about="standard deviation of the bytes of a send",
        of=(CONVERSATION,),
        of_load=lambda run: run.load.counts.sends.bytes_sd,
    ),
    Metric(
        "bytes_per_receive", "Bytes of a receive",
        about="mean bytes of a receive, both ways, with all headers and framing",
        better=LOWER,
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.load.counts.receives.bytes_mean,
    ),
    Metric(
        "bytes_per_receive_sd", "Bytes of a receive, standard deviation",
        about="standard deviation of the bytes of a receive",
        of=(CONVERSATION,),
        of_load=lambda run: run.load.counts.receives.bytes_sd,
    ),
)  # fmt: skip

METRICS = MappingProxyType({one.key: one for one in _DECLARED})
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
