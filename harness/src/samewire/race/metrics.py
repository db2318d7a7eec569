"""The figures of a run, as run.json names them."""

from collections.abc import Mapping

_LATENCY_AND_ERRORS = (
    "latency_mean_ms",
    "latency_sd_ms",
    "latency_p50_ms",
    "latency_p99_ms",
    "latency_p999_ms",
    "error_share",
)
_MEMORY_AND_THREADS = ("pss_idle_bytes", "pss_peak_bytes", "rss_peak_bytes", "threads_idle", "threads_peak")

METRICS = (
    "throughput_rps",
    *_LATENCY_AND_ERRORS,
    "cpu_us_per_request",
    "cpu_share",
    *_MEMORY_AND_THREADS,
    "switches_per_request",
    "bytes_per_answer",
    "database_cpu_us_per_request",
    "generator_cpu_us_per_request",
    "generator_share",
)
"""The figures of a run with requests, as run.json names them."""

CONVERSATION_METRICS = (
    "deliveries_per_s",
    *_LATENCY_AND_ERRORS,
    "cpu_us_per_delivery",
    "cpu_share",
    *_MEMORY_AND_THREADS,
    "switches_per_delivery",
    "bytes_per_s",
    "sends_per_s",
    "receives_per_s",
    "bytes_per_send",
    "bytes_per_send_sd",
    "bytes_per_receive",
    "bytes_per_receive_sd",
    "generator_cpu_us_per_delivery",
    "generator_share",
)
"""The figures of a run with a conversation."""

_OF_UPLOADS = (
    "throughput_rps",
    "uploaded_bytes_per_s",
    "latency_mean_ms",
    "latency_sd_ms",
    "latency_mad_ms",
    "latency_cv",
    "error_share",
    "cpu_us_per_request",
    "cpu_share",
    "cpu_share_sd",
    "iowait_share",
    "switches_per_s",
    "generator_share",
)

UPLOAD_METRICS = (*_OF_UPLOADS, *_MEMORY_AND_THREADS)
"""The figures of a run with uploads: means over its samples, memory and threads of the whole run."""

SAMPLE_METRICS = (*_OF_UPLOADS, "latency_p50_ms", "latency_p99_ms")
"""The figures of each sample of a run with uploads."""


def error_share(load: Mapping) -> float | None:
    """Errors by requests of a load, None without a request."""
    return sum(load["errors"].values()) / load["requests"] if load["requests"] else None


def cpu_us_per(number: int, seconds: float, cores: float | None) -> float | None:
    """CPU in µs for each of so many in that time, where so many cores were busy; None without one, or if not known."""
    return None if cores is None or not number else cores / (number / seconds) * 1e6


def of_sample(metric: str, sample: str) -> str:
    """The metric of one sample of uploads, called like `latency_mean_ms of sample 3`."""
    return f"{metric} of sample {sample}"


def bytes_per_answer(request: str) -> str:
    """The metric of the answers to one request of several, called like `GET /info`."""
    return f"bytes_per_answer of {request}"
