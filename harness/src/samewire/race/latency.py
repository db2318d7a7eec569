"""Latencies from encoded HDR histograms (V2, compressed, base64) of nanoseconds."""

from collections.abc import Iterable
from dataclasses import dataclass

from hdrh.histogram import HdrHistogram


@dataclass(frozen=True)
class Latency:
    """Latencies of right answers in milliseconds, from an HDR histogram of three digits; None without an answer."""

    mean: float | None
    sd: float | None
    min: float | None
    p50: float | None
    p90: float | None
    p99: float | None
    p999: float | None
    max: float | None

    def as_dict(self) -> dict[str, float | None]:
        """The latencies as run.json holds them."""
        return {("p99.9" if name == "p999" else name): value for name, value in vars(self).items()}


def latency(hdr: str) -> Latency:
    """The latencies in an encoded histogram of nanoseconds; the standard deviation is that of the samples."""
    histogram = HdrHistogram.decode(hdr)
    if not histogram.get_total_count():
        return Latency(*[None] * 8)
    figures = [
        histogram.get_mean_value(),
        histogram.get_stddev(),
        histogram.get_min_value(),
        *(histogram.get_value_at_percentile(percentile) for percentile in (50, 90, 99, 99.9)),
        histogram.get_max_value(),
    ]
    return Latency(*(figure / 1e6 for figure in figures))


def merged(hdrs: Iterable[str]) -> str:
    """The encoded sum of encoded histograms, of which there is at least one."""
    first, *others = map(HdrHistogram.decode, hdrs)
    for other in others:
        first.add(other)
    return first.encode().decode()


def mean_absolute_deviation(hdr: str) -> float | None:
    """The mean absolute deviation from the mean in ms of an encoded histogram of ns, None where it is empty."""
    histogram = HdrHistogram.decode(hdr)
    if not (total := histogram.get_total_count()):
        return None
    mean = histogram.get_mean_value()
    deviations = 0.0
    for item in histogram.get_recorded_iterator():
        highest = item.value_iterated_to
        middle = (histogram.get_lowest_equivalent_value(highest) + highest) / 2
        deviations += abs(middle - mean) * item.count_added_in_this_iter_step
    return deviations / total / 1e6
