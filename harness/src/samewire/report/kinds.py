"""The three kinds of race: what is counted in each, how it is told, and which figures go where."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ranking:
    """What servers are ranked by, and its words: in `leads`, `led` and `had` a server is the subject."""

    metric: str
    lowest: bool  # whether the lowest is the best
    name: str
    unit: str
    leads: str
    led: str
    had: str
    times: str


_BY_THROUGHPUT = Ranking(
    metric="throughput_rps",
    lowest=False,
    name="throughput",
    unit="requests per second",
    leads="answers most",
    led="answered most",
    had="answered",
    times="times as many as",
)
_BY_CPU_PER_DELIVERY = Ranking(
    metric="cpu_us_per_delivery",
    lowest=True,
    name="processor time per delivery",
    unit="µs per delivery",
    leads="needs the least processor time",
    led="needed the least processor time",
    had="needed processor time of",
    times="times that of",
)
_BY_MEAN_LATENCY = Ranking(
    metric="latency_mean_ms",
    lowest=True,
    name="mean latency",
    unit="ms",
    leads="has the lowest mean latency",
    led="had the lowest mean latency",
    had="had a mean latency of",
    times="times that of",
)
_RANKINGS = {one.metric: one for one in (_BY_THROUGHPUT, _BY_CPU_PER_DELIVERY, _BY_MEAN_LATENCY)}


@dataclass(frozen=True)
class Kind:
    """How a race of one kind is told.

    `columns` are those of the main tables: heading, unit, and (subheading, metric) for each column below it; `brief`
    are those of the terminal; ratios between servers are drawn of the metrics in `compared`.
    """

    name: str
    columns: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]
    brief: tuple[tuple[str, str], ...]
    compared: tuple[str, ...]
    done: str  # what no server did, when nothing was measured
    undone: str
    unit: str  # per what costs are counted, in words and in the keys of metrics
    tried: str  # what errors are a share of
    rate: str = ""  # heading of the chart over time, where there is one
    each_second: str = ""  # what it counts, in a sentence and below its axis
    below: str = ""
    samples: str = ""  # what latency is measured of, where its distribution is shown
    by_sample: tuple[tuple[str, bool], ...] = ()  # metrics shown by sample, and whether on a logarithmic axis


REQUESTS = Kind(
    name="requests",
    columns=(
        ("Throughput", "requests/s", (("", "throughput_rps"),)),
        (
            "Latency",
            "ms",
            (
                ("mean", "latency_mean_ms"),
                ("p50", "latency_p50_ms"),
                ("p99", "latency_p99_ms"),
                ("p99.9", "latency_p999_ms"),
            ),
        ),
        ("Errors", "%", (("", "error_share"),)),
        ("CPU", "µs/request", (("", "cpu_us_per_request"),)),
        ("Memory, PSS", "MiB", (("idle", "pss_idle_bytes"), ("peak", "pss_peak_bytes"))),
        ("Threads", "peak", (("", "threads_peak"),)),
        ("Switches", "per request", (("", "switches_per_request"),)),
    ),
    brief=(
        ("req/s", "throughput_rps"),
        ("mean ms", "latency_mean_ms"),
        ("p99 ms", "latency_p99_ms"),
        ("errors %", "error_share"),
        ("CPU µs", "cpu_us_per_request"),
        ("PSS MiB", "pss_peak_bytes"),
    ),
    compared=(
        "throughput_rps", "latency_mean_ms", "latency_p99_ms", "cpu_us_per_request", "pss_peak_bytes",
        "switches_per_request",
    ),
    done="answered a request",
    undone="no request was answered",
    unit="request",
    tried="requests",
    rate="Throughput",
    each_second="Right answers",
    below="Answers",
    samples="requests",
)  # fmt: skip

# A median has no column here, for want of room: bytes take two more, and the chart of latencies shows it.
CONVERSATION = Kind(
    name="conversation",
    columns=(
        ("CPU", "µs/delivery", (("", "cpu_us_per_delivery"),)),
        (
            "Bytes",
            "kB/s",
            (("", "bytes_per_s"), ("of a send", "bytes_per_send"), ("of a receive", "bytes_per_receive")),
        ),
        (
            "Delivery latency",
            "ms",
            (("mean", "latency_mean_ms"), ("p99", "latency_p99_ms"), ("p99.9", "latency_p999_ms")),
        ),
        ("Errors", "%", (("", "error_share"),)),
        ("Memory, PSS", "MiB", (("idle", "pss_idle_bytes"), ("peak", "pss_peak_bytes"))),
        ("Threads", "peak", (("", "threads_peak"),)),
        ("Switches", "per delivery", (("", "switches_per_delivery"),)),
    ),
    brief=(
        ("CPU µs", "cpu_us_per_delivery"),
        ("kB/s", "bytes_per_s"),
        ("mean ms", "latency_mean_ms"),
        ("p99 ms", "latency_p99_ms"),
        ("errors %", "error_share"),
        ("PSS MiB", "pss_peak_bytes"),
    ),
    compared=(
        "cpu_us_per_delivery", "bytes_per_s", "receives_per_s", "latency_mean_ms", "latency_p99_ms", "pss_peak_bytes",
        "switches_per_delivery",
    ),
    done="delivered a message",
    undone="no message was delivered",
    unit="delivery",
    tried="operations",
    rate="Deliveries",
    each_second="Deliveries",
    below="Deliveries",
    samples="deliveries",
)  # fmt: skip

# Neither a rate over time nor one distribution of all latencies: samples come in another order in each run.
UPLOADS = Kind(
    name="uploads",
    columns=(
        ("Latency", "", (("mean, ms", "latency_mean_ms"), ("sd, ms", "latency_sd_ms"), ("CV", "latency_cv"))),
        ("Uploaded", "MB/s", (("", "uploaded_bytes_per_s"),)),
        ("Errors", "%", (("", "error_share"),)),
        ("CPU", "", (("%", "cpu_share"), ("µs/request", "cpu_us_per_request"))),
        ("I/O wait", "%", (("", "iowait_share"),)),
        ("Switches", "per second", (("", "switches_per_s"),)),
        ("Memory, PSS", "MiB", (("idle", "pss_idle_bytes"), ("peak", "pss_peak_bytes"))),
        ("Threads", "peak", (("", "threads_peak"),)),
    ),
    brief=(
        ("mean ms", "latency_mean_ms"),
        ("CV", "latency_cv"),
        ("errors %", "error_share"),
        ("CPU %", "cpu_share"),
        ("switches/s", "switches_per_s"),
        ("PSS MiB", "pss_peak_bytes"),
    ),
    compared=(
        "latency_mean_ms", "latency_cv", "throughput_rps", "uploaded_bytes_per_s", "cpu_us_per_request", "cpu_share",
        "switches_per_s", "pss_peak_bytes",
    ),
    done="answered a request",
    undone="no request was answered",
    unit="request",
    tried="requests",
    by_sample=(
        ("latency_mean_ms", True),
        ("latency_cv", False),
        ("cpu_share", False),
        ("switches_per_s", True),
        ("uploaded_bytes_per_s", True),
    ),
)  # fmt: skip
_KINDS = {kind.name: kind for kind in (CONVERSATION, UPLOADS)}


def kind_of(data: Mapping[str, Any]) -> Kind:
    """The kind of the race of a run.json; of requests, whatever they were called, unless it is one of the others."""
    return _KINDS.get(data["parameters"].get("kind"), REQUESTS)


def ranking_of(data: Mapping[str, Any]) -> Ranking:
    """What a run.json ranks by; by throughput unless it says otherwise."""
    return _RANKINGS[data["experiment"].get("ranking", {}).get("metric", _BY_THROUGHPUT.metric)]
