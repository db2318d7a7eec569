"""Latency distributions: HDR histograms of several rounds merged into one."""

import zlib
from collections.abc import Iterable

import numpy as np
from hdrh.codec import HdrCookieException, HdrLengthException
from hdrh.histogram import HdrHistogram

from samewire.race.latency import recorded

_MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0}


class Distribution:
    """Counts over ascending latencies in milliseconds."""

    def __init__(self, values_ms: np.ndarray, counts: np.ndarray):
        self.values_ms = values_ms
        self._ranks = np.cumsum(counts)

    @property
    def count(self) -> int:
        return int(self._ranks[-1]) if len(self._ranks) else 0

    def percentile(self, share: float) -> float:
        """The smallest recorded latency that `share` (0 to 1) of all requests do not exceed, in milliseconds."""
        rank = max(1, np.ceil(share * self.count - 1e-9))
        return float(self.values_ms[np.searchsorted(self._ranks, rank)])


def merge(encoded: Iterable[tuple[str, str]]) -> Distribution | None:
    """One distribution of all the rounds' histograms, each with its unit; None where all are empty texts or empty.

    Rounds are merged by adding counts, so that every request weighs the same: percentiles of rounds cannot be averaged.
    Raises ValueError when a histogram cannot be decoded.
    """
    given = [(hdr, unit) for hdr, unit in encoded if hdr]
    units = {unit for _, unit in given}
    if len(units) > 1:
        raise ValueError(f"histograms in different units: {', '.join(sorted(units))}")
    histograms = sorted((_decode(hdr) for hdr, _ in given), key=lambda one: one.counts_len, reverse=True)
    if not histograms:
        return None
    total, *others = histograms  # the widest first: the others' values fit into it
    for other in others:
        total.add(other)
    values, _, counts = recorded(total)
    if not len(counts):
        return None
    return Distribution(values * _MILLISECONDS[units.pop()], counts)


def _decode(hdr: str) -> HdrHistogram:
    try:
        return HdrHistogram.decode(hdr)
    except (ValueError, TypeError, zlib.error, HdrCookieException, HdrLengthException) as error:
        raise ValueError(f"no HDR histogram: {error}") from error
