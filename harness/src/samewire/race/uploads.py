"""Uploads in samples of file sizes: the sizes, the scenarios of the generator, and the figures of a run.

The sizes are a lognormal body with a Pareto tail, the model of files on the web of Barford & Crovella, "Generating
representative web workloads for network and server performance evaluation", SIGMETRICS 1998.
"""

import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from hdrh.histogram import HdrHistogram
from scipy.optimize import brentq
from scipy.special import ndtri

from samewire.race import RaceError
from samewire.race.experiment import Profile, Sample, Uploads
from samewire.race.metrics import (
    SAMPLE_METRICS,
    UPLOAD_METRICS,
    cpu_us_per,
    error_share,
    of_sample,
)
from samewire.race.placement import Placement
from samewire.race.snapshots import Snapshot, Window

FOLDER = "UPLOAD_DIR"
"""The setting of the contract that names where a server keeps its files."""

_SPENT = ".spent-"
_SEARCHED_PAST_S = 60.0  # RECENTCY_MIN of ext4's ialloc.c


def sizes(sample: Sample, workload: Uploads) -> list[int]:
    """The sizes of a sample's files in bytes, ascending, each at least one.

    They are the quantiles of a lognormal distribution and, `tail_weight` of them, of a Pareto distribution with the
    given shape and scale that is cut off at `tail_reach` times its scale; at their midpoints, so that nothing is left
    to chance. The lognormal's two parameters are those with which the mean and the standard deviation of all are the
    sample's, but for rounding to whole bytes. Raises RaceError where no lognormal distribution does that.
    """
    number, shape = workload.files_per_sample, workload.pareto_shape
    in_tail = round(number * workload.tail_weight)
    cut = 1 - workload.tail_reach**-shape
    tail = sample.tail_scale_bytes * (1 - _midpoints(in_tail) * cut) ** (-1 / shape)
    normal = ndtri(_midpoints(number - in_tail))

    def all_sizes(sigma: float) -> np.ndarray:
        body = np.exp(sigma * normal)
        return np.concatenate([body * ((number * sample.mean_bytes - tail.sum()) / body.sum()), tail])

    try:
        sigma = brentq(lambda sigma: all_sizes(sigma).std() - sample.sd_bytes, 1e-3, 3)
    except ValueError as error:
        given = f"mean {sample.mean_bytes:g} and standard deviation {sample.sd_bytes:g} bytes"
        remedy = "change tail_weight, tail_reach or pareto_shape"
        raise RaceError(f"sample {sample.name}: no body gives a list with this tail {given}; {remedy}") from error
    return sorted(max(1, round(size)) for size in all_sizes(sigma).tolist())


def _midpoints(number: int) -> np.ndarray:
    return (np.arange(number) + 0.5) / number


def scenarios(workload: Uploads, profile: Profile, seed: int) -> list[dict]:
    """What `bench/load` reads: the warm-up, a mixture of all samples, then each sample; lists are drawn by the seed."""
    draw = random.Random(seed)
    lists = {}
    for sample in workload.samples:
        drawn = sizes(sample, workload)
        draw.shuffle(drawn)
        each = workload.files_per_request
        requests = zip(*(drawn[place::each] for place in range(each)), strict=False)
        lists[sample] = [("/uploads", 201, "POST", files) for files in requests]
    ramps = {"ramp_up_s": profile.ramp_up_s, "hold_s": profile.hold_s, "ramp_down_s": profile.ramp_down_s}
    mixture = draw.sample([request for requests in lists.values() for request in requests], len(lists[sample]))
    most = max(workload.users_of(sample, profile) for sample in workload.samples)
    warm_up = {"ramp_up_s": 0.0, "hold_s": profile.warm_up_s, "ramp_down_s": 0.0}
    common = {"warm_up_s": 0.0, "timeout_s": workload.timeout_s}
    return [
        common | warm_up | {"users": most, "list": mixture},
        *(common | ramps | {"users": workload.users_of(one, profile), "list": lists[one]} for one in workload.samples),
    ]


def described(workload: Uploads, profile: Profile) -> list[dict]:
    """The samples as run.json holds them, with the mean and the standard deviation that their lists have."""
    found = []
    for sample in workload.samples:
        drawn = sizes(sample, workload)
        found.append(
            {
                "name": sample.name,
                "users": workload.users_of(sample, profile),
                "mean_bytes": statistics.fmean(drawn),
                "sd_bytes": statistics.pstdev(drawn),
                "largest_bytes": drawn[-1],
            }
        )
    return found


def renew(folder: Path) -> None:
    """Put a new folder, with the same folders in it, in the place of one, and leave that with emptied files beside it.

    Deleted files slow down what comes after them: for a minute ext4, if it has no journal, does not use their numbers
    again and searches past each of them whenever a file is made.
    """
    spent = Path(tempfile.mkdtemp(prefix=_SPENT, dir=folder.parent), folder.name)
    folder.rename(spent)
    for place, _, files in os.walk(spent):
        new, state = folder / Path(place).relative_to(spent), Path(place).stat()
        new.mkdir()
        os.chown(new, state.st_uid, state.st_gid)
        new.chmod(state.st_mode)
        for name in files:
            if not (path := Path(place, name)).is_symlink():
                os.truncate(path, 0)


def make_room(folder: Path) -> None:
    """Delete what `renew` has left beside a folder, once the file system has room for as many files again at most."""
    system = os.statvfs(folder)
    if system.f_ffree < system.f_files / 2:
        for spent in folder.parent.glob(f"{_SPENT}*"):
            shutil.rmtree(spent)
        time.sleep(_SEARCHED_PAST_S)


def disk(folder: Path) -> str:
    """What a folder, made or not, is on, such as `sda, rotating`, or its device number if that is no disk.

    Of a virtual disk the kernel does not know what is behind it.
    """
    device = next(path for path in (folder, *folder.parents) if path.exists()).stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    block = Path(f"/sys/dev/block/{number}").resolve()
    # A partition's properties are those of the disk that it is a part of.
    for path in (block, block.parent):
        rotational = path / "queue/rotational"
        if rotational.exists():
            if "virt" in str(path):
                return f"{path.name}, virtual"
            return f"{path.name}, {'rotating' if rotational.read_text().strip() == '1' else 'not rotating'}"
    return f"device {number}"


def sample_figures(
    load: Mapping, hold: Window, seconds: Sequence[Snapshot], placement: Placement
) -> dict[str, float | None]:
    """The metrics of a sample's load; `seconds` are the snapshots that were taken during the hold."""
    whole, latency, cores = load["whole"], load["latency_ms"], placement.server
    cpu, generating = hold.cpu_rate("server"), hold.cpu_rate("generator")
    assert cpu is not None
    assert generating is not None
    mean = latency["mean"]
    figures = {
        "throughput_rps": load["throughput_rps"],
        "uploaded_bytes_per_s": load["uploaded_bytes"] / load["duration_s"],
        "latency_mean_ms": mean,
        "latency_sd_ms": latency["sd"],
        "latency_mad_ms": mean_absolute_deviation(load["hdr"]),
        "latency_cv": latency["sd"] / mean if mean else None,
        "error_share": error_share(whole),
        "cpu_us_per_request": cpu_us_per(load["requests"], load["duration_s"], cpu),
        "cpu_share": cpu / len(cores),
        "cpu_share_sd": _sd([(Window(*both).cpu_rate("server") or 0.0) / len(cores) for both in pairwise(seconds)]),
        "iowait_share": hold.iowait_share(cores),
        "switches_per_s": hold.switch_rate("server"),
        "generator_share": generating / len(placement.generator),
        "latency_p50_ms": latency["p50"],
        "latency_p99_ms": latency["p99"],
    }
    assert tuple(figures) == SAMPLE_METRICS
    return figures


def run_figures(samples: Mapping[str, Mapping[str, float | None]], whole: Mapping) -> dict[str, float | None]:
    """The metrics of a run but memory and threads: the means of those of its samples.

    The coefficient of variation is, as in the study, the ratio of the sums. `whole` is the load of all samples.
    """
    figures: dict[str, float | None] = {}
    for metric in UPLOAD_METRICS:
        if metric in SAMPLE_METRICS:
            values = [value for sample in samples.values() if (value := sample[metric]) is not None]
            figures[metric] = statistics.fmean(values) if len(values) == len(samples) else None
    mean, sd = figures["latency_mean_ms"], figures["latency_sd_ms"]
    figures["latency_cv"] = sd / mean if mean and sd is not None else None
    figures["error_share"] = error_share(whole)
    return figures


def figures_by_sample(samples: Mapping[str, Mapping[str, float | None]]) -> dict[str, float | None]:
    """The metrics of all samples, each called after its sample."""
    return {of_sample(metric, name): figure for name, one in samples.items() for metric, figure in one.items()}


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


def _sd(values: Sequence[float]) -> float | None:
    """The standard deviation of a few seconds, None of less than two."""
    return statistics.stdev(values) if len(values) > 1 else None
