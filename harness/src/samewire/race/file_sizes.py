"""Sizes of uploaded files: a lognormal body with a Pareto tail.

The model is that of files on the web of Barford & Crovella, "Generating representative web workloads for network and
server performance evaluation", SIGMETRICS 1998.
"""

from dataclasses import dataclass

import numpy as np

from samewire.race import RaceError


@dataclass(frozen=True)
class Sample:
    """A list of file sizes, by mean, standard deviation and scale of its Pareto tail, and how many users upload it."""

    name: str
    users: int
    mean_bytes: float
    sd_bytes: float
    tail_scale_bytes: float


@dataclass(frozen=True)
class Tail:
    """The Pareto tail of all samples: its weight, its shape, and where it ends, in multiples of a sample's scale."""

    weight: float
    shape: float
    reach: float


def sizes(sample: Sample, number: int, tail: Tail) -> list[int]:
    """The sizes of a sample's so many files in bytes, ascending, each at least one.

    They are the quantiles of a lognormal distribution and, as many as the tail weighs, of a Pareto distribution of its
    shape and the sample's scale that is cut off where the tail ends; at their midpoints, so that nothing is left to
    chance. The lognormal's two parameters are those with which the mean and the standard deviation of all are the
    sample's, but for rounding to whole bytes. Raises RaceError where no lognormal distribution does that.
    """
    # Only here: a report knows of samples, too, and SciPy takes a second to load.
    from scipy.optimize import brentq
    from scipy.special import ndtri

    in_tail = round(number * tail.weight)
    cut = 1 - tail.reach**-tail.shape
    largest = sample.tail_scale_bytes * (1 - _midpoints(in_tail) * cut) ** (-1 / tail.shape)
    normal = ndtri(_midpoints(number - in_tail))

    def all_sizes(sigma: float) -> np.ndarray:
        body = np.exp(sigma * normal)
        return np.concatenate([body * ((number * sample.mean_bytes - largest.sum()) / body.sum()), largest])

    try:
        sigma = brentq(lambda sigma: all_sizes(sigma).std() - sample.sd_bytes, 1e-3, 3)
    except ValueError as error:
        given = f"mean {sample.mean_bytes:g} and standard deviation {sample.sd_bytes:g} bytes"
        remedy = "change tail_weight, tail_reach or pareto_shape"
        raise RaceError(f"sample {sample.name}: no body gives a list with this tail {given}; {remedy}") from error
    return sorted(max(1, round(size)) for size in all_sizes(sigma).tolist())


def _midpoints(number: int) -> np.ndarray:
    return (np.arange(number) + 0.5) / number
