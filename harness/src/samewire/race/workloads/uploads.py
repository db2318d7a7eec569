"""Uploads in samples of file sizes, one load after the other in each run."""

import random
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from samewire.paths import STATE
from samewire.race.file_sizes import Sample, Tail, sizes
from samewire.race.latency import merged
from samewire.race.load import Load, Result, SampledLoad
from samewire.race.measured import Footprint, Measured
from samewire.race.metric import SAMPLE, UPLOADS
from samewire.race.metrics import figures_of_footprint, figures_of_load, of_sample
from samewire.race.profile import WINDOW_S, Profile
from samewire.race.upload_folders import disk
from samewire.race.workloads.base import Table
from samewire.race.workloads.kind import Kind, Ranking, SampleWords
from samewire.race.workloads.requests import FEW, RequestStage, right_per_s
from samewire.race.workloads.sampled import SampledWorkload

# Neither a rate over time nor one distribution of all latencies: samples come in another order in each run.
TOLD = Kind(
    name=UPLOADS,
    ranking=Ranking(
        metric="latency_mean_ms",
        name="mean latency",
        unit="ms",
        leads="has the lowest mean latency",
        led="had the lowest mean latency",
        had="had a mean latency of",
        times="times that of",
    ),
    columns=(
        ("Latency", "", (("mean, ms", "latency_mean_ms"), ("sd, ms", "latency_sd_ms"), ("CV", "latency_cv"))),
        ("Uploaded", "MB/s", (("", "uploaded_bytes_per_s"),)),
        ("Errors", "%", (("", "error_share"),)),
        ("CPU", "", (("%", "cpu_share"), ("µs/request", "cpu_us_per_request"))),
        ("I/O wait", "%", (("", "iowait_share"),)),
        ("Switches", "per second", (("", "switches_per_s"),)),
        ("Memory, PSS", "MiB", (("idle", "pss_idle_bytes"), ("loaded", "pss_peak_bytes"))),
        ("Threads", "peak", (("", "threads_peak"),)),
    ),
    brief=(
        "latency_mean_ms", "latency_cv", "error_share", "cpu_share", "switches_per_s", "pss_peak_bytes",
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
    sample=SampleWords(
        heading="By sample",
        name="Sample",
        lede="The same figures for each sample of file sizes. A user sends the next request when the last one is "
        "answered, so that latency grows with the number of users as well as with the files.",
        axis="Against the number of the sample and, below it, the mean size of its files. Latency, context switches "
        "and uploads are on logarithmic scales.",
        means="Errors, memory and threads are those of whole runs; all else is a mean over the samples, but CV is the "
        "sum of their standard deviations divided by that of their means.",
        nothing="No sample was measured.",
        table="Samples of file sizes",
        columns=(
            ("users", "Users"), ("mean_bytes", "Mean, bytes"), ("sd_bytes", "Standard deviation"),
            ("largest_bytes", "Largest"),
        ),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class UploadStage(RequestStage):
    """What `bench/load` counts in a stage, with the bytes of files in right requests."""

    uploaded_bytes: int


@dataclass(frozen=True)
class UploadCounts:
    """Answers of the hold by status, right answers per second, bytes, and bytes of files in right requests."""

    statuses: Mapping[str, int]
    throughput_rps: float
    bytes_in: int
    uploaded_bytes: int


@dataclass(frozen=True)
class Uploads(SampledWorkload):
    """In each of the `samples` users upload `files_per_request` files at once, of sizes taken from its list in turn.

    `tail_weight` of the `files_per_sample` sizes are of a Pareto distribution of that shape, which ends at `tail_reach`
    times its scale.
    """

    samples: tuple[Sample, ...]
    files_per_sample: int
    files_per_request: int
    pareto_shape: float
    tail_weight: float
    tail_reach: float
    timeout_s: float

    told = TOLD
    stage = UploadStage
    part = SAMPLE

    @property
    def keeps_files(self) -> bool:
        return True

    @classmethod
    def read(cls, content: Mapping[str, Any], table: Table) -> Self:
        return cls(**content | {"samples": tuple(map(_sample, table(content["samples"])))})

    def users_of(self, sample: Sample, profile: Profile) -> int:
        return max(1, round(sample.users * profile.users_share))

    def sizes(self, sample: Sample) -> list[int]:
        """The sizes of a sample's files in bytes, ascending. Raises RaceError where no list has them."""
        return sizes(sample, self.files_per_sample, Tail(self.tail_weight, self.pareto_shape, self.tail_reach))

    def scenarios(self, profile: Profile, seed: int) -> list[dict[str, Any]]:
        """The warm-up, a mixture of all samples, then each sample; lists are drawn by the seed."""
        draw = random.Random(seed)
        lists = {}
        for sample in self.samples:
            drawn = self.sizes(sample)
            draw.shuffle(drawn)
            each = self.files_per_request
            requests = zip(*(drawn[place::each] for place in range(each)), strict=False)
            lists[sample] = [("/uploads", 201, "POST", files) for files in requests]
        mixture = draw.sample([request for requests in lists.values() for request in requests], len(lists[sample]))
        most = max(self.users_of(sample, profile) for sample in self.samples)
        warm_up = {"ramp_up_s": 0.0, "hold_s": profile.warm_up_s, "ramp_down_s": 0.0}
        common = {"warm_up_s": 0.0, "timeout_s": self.timeout_s}
        return [
            common | warm_up | {"users": most, "list": mixture},
            *(common | profile.course | {"users": self.users_of(one, profile), "list": lists[one]} for one in lists),
        ]

    def warming(self, scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
        window = {"ramp_up_s": 0.0, "hold_s": WINDOW_S, "ramp_down_s": 0.0, "requests_per_user": 0}
        return [{**scenario, **window, "users": min(FEW, scenario["users"])}, {**scenario, **window}]

    def described(self, profile: Profile) -> list[dict[str, Any]]:
        """The samples as run.json holds them, with the mean and the standard deviation that their lists have."""
        found = []
        for sample in self.samples:
            drawn = self.sizes(sample)
            found.append(
                {
                    "name": sample.name,
                    "users": self.users_of(sample, profile),
                    "mean_bytes": statistics.fmean(drawn),
                    "sd_bytes": statistics.pstdev(drawn),
                    "largest_bytes": drawn[-1],
                }
            )
        return found

    def counts(self, hold: UploadStage) -> UploadCounts:
        return UploadCounts(hold.statuses, right_per_s(hold), hold.bytes_in, hold.uploaded_bytes)

    def load(self, result: Result) -> Load:
        """A load whose latencies are those of the whole load, as in the study.

        Who is left waiting while others are served again and again, as in a queue of connections, has no answer in the
        hold; its latency would be missing.
        """
        hdr = merged(stage.hdr for stage in result.stages.values())
        return Load.of(result, self.counts(result.stages["hold"]), hdr)

    def run_figures(
        self, samples: Mapping[str, Measured], load: SampledLoad, server: Footprint
    ) -> dict[str, float | int | None]:
        by_sample = {sample.name: figures_of_load(SAMPLE, samples[sample.name]) for sample in self.samples}
        return self.means(by_sample, load.whole.error_share, figures_of_footprint(UPLOADS, server)) | {
            of_sample(metric, name): figure for name, figures in by_sample.items() for metric, figure in figures.items()
        }

    def means(
        self,
        samples: Mapping[str, Mapping[str, float | None]],
        error_share: float | None,
        footprint: Mapping[str, float | int | None],
    ) -> dict[str, float | int | None]:
        """The figures of a run by key.

        They are the means of its samples', but for the share of errors in all, and what is worked out of the server's
        footprint. The coefficient of variation is, as in the study, the ratio of the sums.
        """
        figures = dict(footprint)
        for metric in self.metrics():
            if metric not in figures:
                values = [value for sample in samples.values() if (value := sample[metric]) is not None]
                figures[metric] = statistics.fmean(values) if len(values) == len(samples) else None
        mean, sd = figures["latency_mean_ms"], figures["latency_sd_ms"]
        figures["latency_cv"] = sd / mean if mean and sd is not None else None
        figures["error_share"] = error_share
        return {metric: figures[metric] for metric in self.metrics()}

    def parameters(self, profile: Profile) -> dict[str, Any]:
        return super().parameters(profile) | {"users_share": profile.users_share}

    def surroundings(self) -> dict[str, Any]:
        return {"disk": disk(STATE)}


def _sample(row: Mapping[str, str]) -> Sample:
    numbers = (float(row[column]) for column in ("mean_bytes", "sd_bytes", "pareto_k"))
    return Sample(row["sample"], int(row["threads"]), *numbers)
