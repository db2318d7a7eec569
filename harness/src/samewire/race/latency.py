"""Latencies from encoded HDR histograms (V2, compressed, base64) of nanoseconds."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from hdrh.histogram import HdrHistogram


@dataclass(frozen=True)
class Latency:
    """Latencies of right answers in milliseconds, from an HDR histogram of three digits; None without an answer."""

    mean: float | None
    sd: float | None
    min: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    max: float | None

    def as_dict(self) -> dict[str, float | None]:
        """The latencies as run.json holds them."""
        return {("p99.9" if name == "p999" else name): value for name, value in vars(self).items()}


def latency(hdr: str) -> Latency:
    """The latencies in an encoded histogram of nanoseconds; the standard deviation is that of the samples."""
    highest, middles, counts = recorded(HdrHistogram.decode(hdr))
    if not len(counts):
        return Latency(*[None] * 9)
    mean = np.average(middles, weights=counts)
    ranks = np.cumsum(counts)
    wanted = np.ceil(np.array([50, 90, 95, 99, 99.9]) / 100 * ranks[-1] - 1e-9)
    figures = [
        mean,
        np.sqrt(np.average((middles - mean) ** 2, weights=counts)),
        2 * middles[0] - highest[0],
        *highest[np.searchsorted(ranks, wanted)],
        highest[-1],
    ]
    return Latency(*(float(figure) / 1e6 for figure in figures))


def recorded(histogram: HdrHistogram) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The values that were recorded, ascending: the highest that each counter stands for, the middle, and the count.

    The library's own iterators visit every counter, in Python: a second for a histogram.
    """
    counts = np.asarray(histogram.counts)
    places = np.flatnonzero(counts)
    values = [histogram.get_value_from_index(int(place)) for place in places]
    highest = np.array([histogram.get_highest_equivalent_value(value) for value in values], dtype=float)
    lowest = np.array([histogram.get_lowest_equivalent_value(value) for value in values], dtype=float)
    return highest, (lowest + highest) / 2, counts[places]


def merged(hdrs: Iterable[str]) -> str:
    """The encoded sum of encoded histograms, of which there is at least one."""
    first, *others = map(HdrHistogram.decode, hdrs)
    for other in others:
        first.add(other)
    return first.encode().decode()


def mean_absolute_deviation(hdr: str) -> float | None:
    """The mean absolute deviation from the mean in ms of an encoded histogram of ns, None where it is empty."""
    _, middles, counts = recorded(HdrHistogram.decode(hdr))
    if not len(counts):
        return None
    mean = np.average(middles, weights=counts)
    return float(np.average(np.abs(middles - mean), weights=counts)) / 1e6
