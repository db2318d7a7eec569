"""A sweep: the same requests under more and more load, in steps."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from samewire.race import validity
from samewire.race.load import SampledLoad
from samewire.race.measured import Footprint, Measured
from samewire.race.metric import STEP, SWEEP
from samewire.race.metrics import figures_of_footprint, figures_of_load, figures_of_steps, of_sample
from samewire.race.profile import WINDOW_S, Profile
from samewire.race.steps import Step, Steps
from samewire.race.validity import users_missing
from samewire.race.workloads.base import Table
from samewire.race.workloads.kind import Kind, Ranking, SampleWords
from samewire.race.workloads.requests import FEW, Exchange, RequestCounts, RequestStage, right_per_s
from samewire.race.workloads.sampled import SampledWorkload

TOLD = Kind(
    name=SWEEP,
    ranking=Ranking(
        metric="highest_rps",
        name="highest throughput",
        unit="requests per second",
        leads="answers most at its best",
        led="answered most at its best",
        had="answered at its best",
        times="times as many as",
    ),
    columns=(
        ("Throughput", "", (("highest, requests/s", "highest_rps"), ("kept at the end, %", "kept_share"))),
        ("Knee", "", (("at", "knee"), ("requests/s", "knee_rps"), ("mean, ms", "knee_latency_mean_ms"))),
        ("Errors", "%", (("", "error_share"),)),
        ("Memory, PSS", "MiB", (("idle", "pss_idle_bytes"), ("loaded", "pss_peak_bytes"))),
        ("Threads", "peak", (("", "threads_peak"),)),
    ),
    brief=("highest_rps", "knee", "knee_latency_mean_ms", "kept_share", "error_share", "pss_peak_bytes"),
    compared=("highest_rps", "kept_share", "pss_peak_bytes"),
    done="answered a request",
    undone="no request was answered",
    unit="request",
    tried="requests",
    by_sample=(
        ("throughput_rps", True),
        ("latency_mean_ms", True),
        ("latency_p99_ms", True),
        ("cpu_us_per_request", True),
        ("switches_per_request", False),
    ),
    sample=SampleWords(
        heading="By step",
        name="Step",
        lede="The same figures for each step of load. Where a server’s throughput no longer grows, more load only "
        "makes answers wait: that is its knee.",
        axis="Against the load of the step: users, or the rate as a multiple. Throughput, latency and CPU are on "
        "logarithmic scales.",
        means="Errors, memory and threads are those of whole runs. The knee is the step with the most throughput for "
        "its mean latency, of those in which all users were served in turn.",
        nothing="No step was measured.",
        table="Steps of load",
        columns=(("users", "Users"), ("load", "Load")),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class StepLoad:
    """How much load a step is: users, or a multiple of the profile's rate."""

    load: float

    @property
    def name(self) -> str:
        """What its figures are called after."""
        return f"{self.load:g}"


@dataclass(frozen=True)
class Sweep(SampledWorkload):
    """Each step has another load of the same `requests`, sent in turn.

    `over` says what the samples' loads are: "users", who wait for their answers; or "rate", multiples of the profile's,
    of which at most `users` requests are under way at once.
    """

    over: str
    samples: tuple[StepLoad, ...]
    requests: tuple[Exchange, ...]
    timeout_s: float
    users: int = 0

    told = TOLD
    stage = RequestStage
    part = STEP

    @classmethod
    def read(cls, content: Mapping[str, Any], table: Table) -> Self:
        content = dict(content)
        samples = tuple(StepLoad(load) for load in sorted(content.pop("steps")))
        return cls(**content | {"samples": samples, "requests": tuple(Exchange(**one) for one in content["requests"])})

    @property
    def over_users(self) -> bool:
        """Whether steps differ in users, and not in the rate."""
        return self.over == "users"

    def users_of(self, sample: StepLoad, profile: Profile) -> int:
        return int(sample.load) if self.over_users else self.users

    def rate_of(self, sample: StepLoad, rate_per_s: float | None) -> float | None:
        return None if self.over_users or rate_per_s is None else sample.load * rate_per_s

    def is_closed(self, sample: StepLoad) -> bool:
        # Few users cannot keep a server busy, and a rate is not to.
        return self.over_users and sample == self.samples[-1]

    def scenarios(self, profile: Profile, seed: int) -> list[dict[str, Any]]:
        """The warm-up, which is the most load, then each step."""
        times = {"warm_up_s": 0.0, **profile.course, "timeout_s": self.timeout_s}
        steps = [times | {"lists": [self._list()] * self.users_of(one, profile)} for one in self.samples]
        return [{**steps[-1], "hold_s": profile.warm_up_s}, *steps]

    def _list(self) -> list[tuple]:
        return [(one.path, one.status, one.method, one.body, one.headers) for one in self.requests]

    def warming(self, scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
        window = {"ramp_up_s": 0.1, "hold_s": WINDOW_S, "ramp_down_s": 0.1}
        lists = scenario["lists"]
        return [{**scenario, **window, "lists": lists[:FEW]}, {**scenario, **window}]

    def counts(self, hold: RequestStage) -> RequestCounts:
        return RequestCounts(hold.statuses, right_per_s(hold), hold.bytes_in, {})

    def warnings(self, run: Measured, users: int) -> list[str]:
        if not self.over_users:
            return validity.not_sent(run.load)
        return users_missing(run.load, users) + validity.not_served_in_turn(run.load, users)

    def run_figures(
        self, samples: Mapping[str, Measured], load: SampledLoad, server: Footprint
    ) -> dict[str, float | int | None]:
        by_sample = {one.name: figures_of_load(STEP, samples[one.name]) for one in self.samples}
        steps = Steps([Step(one.load, by_sample[one.name], self._is_of_all(one, samples)) for one in self.samples])
        figures = (
            figures_of_steps(steps) | figures_of_footprint(SWEEP, server) | {"error_share": load.whole.error_share}
        )
        for key in self.metrics():
            if key not in figures:
                values = [value for of_step in by_sample.values() if (value := of_step[key]) is not None]
                figures[key] = statistics.fmean(values) if values else None
        return {key: figures[key] for key in self.metrics()} | {
            of_sample(key, name): figure for name, of_step in by_sample.items() for key, figure in of_step.items()
        }

    def _is_of_all(self, sample: StepLoad, samples: Mapping[str, Measured]) -> bool:
        users = int(sample.load) if self.over_users else self.users
        return not self.warnings(samples[sample.name], users)

    def parameters(self, profile: Profile) -> dict[str, Any]:
        steps = [one.name for one in self.samples]
        return super().parameters(profile) | {"steps": steps, "requests": [str(request) for request in self.requests]}

    def described(self, profile: Profile) -> list[dict[str, Any]]:
        return [{"name": one.name, "users": self.users_of(one, profile), "load": one.load} for one in self.samples]
