"""What a server's processes are, whatever the load: start, warm-up, memory, threads."""

from samewire.race.measured import Footprint
from samewire.race.metric import LOWER, REQUESTS, RUNS, Metric

_MIB = 2.0**-20


def _growth(server: Footprint) -> float | None:
    held = [usage.pss_bytes for usage in server.loaded if usage.pss_bytes]
    return max(held) / server.idle.pss_bytes if held and server.idle.pss_bytes else None


METRICS = (
    Metric(
        "ready_s", "Start, until healthy", "s",
        about="seconds from the begin of the server's first process to its first answer to `GET /healthz`",
        better=LOWER,
        of=RUNS,
        of_footprint=lambda server: server.start and server.start.seconds,
    ),
    Metric(
        "ready_cpu_s", "CPU until healthy", "s",
        about="CPU of the server's processes until then",
        better=LOWER,
        of=RUNS,
        of_footprint=lambda server: server.start and server.start.cpu_s,
    ),
    Metric(
        "warm_s", "Warm-up, until steady", "s",
        about="seconds of load until the CPU of a request was steady",
        better=LOWER,
        of=RUNS,
        of_footprint=lambda server: server.warming and server.warming.seconds,
    ),
    Metric(
        "warm_cpu_s", "CPU of the warm-up", "s",
        about="CPU of the server's processes in that load",
        better=LOWER,
        of=RUNS,
        of_footprint=lambda server: server.warming and server.warming.cpu_s,
    ),
    Metric(
        "first_latency_max_ms", "First answers, highest latency", "ms",
        about="the highest latency in the first window of the warm-up: the server's first answers, to few users",
        better=LOWER,
        of=RUNS,
        of_footprint=lambda server: server.warming and server.warming.first_latency_max_ms,
    ),
    Metric(
        "near_s", "Warm-up, until 90 % of steady", "s",
        about="seconds of load until a processor could answer 90 % as many requests as at the end of the warm-up",
        better=LOWER,
        of=RUNS,
        of_footprint=lambda server: server.warming and server.warming.near_s,
    ),
    Metric(
        "near_cpu_s", "CPU until 90 % of steady", "s",
        about="CPU of the server's processes until then",
        better=LOWER,
        of=RUNS,
        of_footprint=lambda server: server.warming and server.warming.near_cpu_s,
    ),
    Metric(
        "pss_idle_bytes", "Memory idle, PSS", "MiB", _MIB,
        about="proportional memory of the server's processes, idle",
        better=LOWER,
        of=RUNS,
        compared=RUNS,
        of_footprint=lambda server: server.idle.pss_bytes,
    ),
    Metric(
        "pss_peak_bytes", "Memory under load, PSS", "MiB", _MIB,
        short="PSS MiB",
        about="proportional memory of the server's processes, when users begin to come or the hold ends, the higher",
        better=LOWER,
        of=RUNS,
        compared=RUNS,
        of_footprint=lambda server: max((usage.pss_bytes for usage in server.alike if usage.pss_bytes), default=None),
    ),
    Metric(
        "pss_growth", "Memory growth, idle to peak",
        about="the highest proportional memory of the server's processes under load, by that of the idle server",
        better=LOWER,
        of=RUNS,
        of_footprint=_growth,
    ),
    Metric(
        "rss_peak_bytes", "Memory peak, RSS", "MiB", _MIB,
        about="resident memory of the server's processes, at its peak",
        better=LOWER,
        of=RUNS,
        compared=(REQUESTS,),
        of_footprint=lambda server: max(usage.rss_bytes for usage in server.loaded),
    ),
    Metric(
        "threads_idle", "Threads, idle",
        about="threads of the server's processes, idle",
        of=RUNS,
        of_footprint=lambda server: server.idle.threads,
    ),
    Metric(
        "threads_peak", "Threads, peak",
        about="threads of the server's processes, at their peak",
        of=RUNS,
        compared=RUNS,
        of_footprint=lambda server: max(usage.threads for usage in server.loaded),
    ),
)  # fmt: skip
