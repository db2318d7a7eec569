"""A load: what a generator counted, stage by stage, and what of it run.json keeps."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

from samewire.race.latency import Latency, latency
from samewire.race.updates import Updates


def _told(errors: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in errors.items() if count)


@dataclass(frozen=True)
class Totals:
    """Requests, errors by kind, and seconds of a load or of a part of one."""

    requests: int
    errors: Mapping[str, int]
    duration_s: float

    @classmethod
    def of(cls, parts: Iterable["Totals"]) -> "Totals":
        """The sums over parts of a load."""
        parts, errors = list(parts), Counter()
        for part in parts:
            errors.update(part.errors)
        return Totals(sum(part.requests for part in parts), dict(errors), sum(part.duration_s for part in parts))

    @property
    def error_share(self) -> float | None:
        """Errors by requests, None without a request."""
        return sum(self.errors.values()) / self.requests if self.requests else None

    @property
    def errors_told(self) -> str:
        """The number of errors of each kind, in words; empty without an error."""
        return _told(self.errors)

    def as_dict(self) -> dict[str, Any]:
        """The load as run.json holds it."""
        return asdict(self)


@dataclass(frozen=True)
class Whole(Totals):
    """The totals of a whole load, ramps included; how many users were there when the hold began, and gave up.

    `not_sent` is how many requests were due and were not sent, since all users were waiting for answers.
    """

    users_in_hold: int
    users_lost: int
    not_sent: int = 0


@dataclass(frozen=True)
class Stage(Totals):
    """A stage of a load as a generator tells it, with the encoded histogram of its latencies in ns."""

    hdr: str

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Self:
        """Of a generator's JSON, which may say more. Raises KeyError where a member is missing."""
        return cls(**{field.name: content[field.name] for field in fields(cls)})


@dataclass(frozen=True)
class Probed:
    """What one connection got that asked at a fixed rate during the hold, beside the users: answers, errors by kind.

    `not_sent` is how many probes fell due while another was under way: each ends together with that one. `hdr` is the
    encoded histogram of the latencies of all of them, from when they were due, but of those that ended in an error.
    """

    answered: int
    not_sent: int
    errors: Mapping[str, int]
    hdr: str

    @cached_property
    def latency(self) -> Latency:
        """The latencies."""
        return latency(self.hdr)

    @property
    def errors_told(self) -> str:
        """The number of errors of each kind, in words; empty without an error."""
        return _told(self.errors)

    def as_dict(self) -> dict[str, Any]:
        """What run.json holds of it."""
        return {**asdict(self), "latency_ms": self.latency.as_dict()}


@dataclass(frozen=True)
class Result:
    """What a generator tells of a load: each stage that there was, and a row for each second."""

    stages: Mapping[str, Stage]
    hdr_unit: str
    series: Sequence[Mapping[str, Any]]
    users_in_hold: int
    users_lost: int
    not_sent: int
    rate_per_s: float | None = None
    probe: Probed | None = None
    updates: Updates | None = None

    @classmethod
    def read(cls, content: Mapping[str, Any], stage: type[Stage], rate_per_s: float | None = None) -> Self:
        """Of a generator's JSON, whose stages are of that type, of a load at that rate if users did not wait.

        Raises KeyError where a member is missing.
        """
        members = {name: content[name] for name in ("hdr_unit", "series", "users_in_hold", "users_lost")}
        stages = {name: stage.read(one) for name, one in content["stages"].items()}
        probe = Probed(**content["probe"]) if "probe" in content else None
        # Only the generator of requests has turns.
        not_sent = content.get("not_sent", 0)
        return cls(**members, stages=stages, not_sent=not_sent, rate_per_s=rate_per_s, probe=probe)

    def with_counter(self, before: int, after: int) -> Self:
        """The same of a server whose counter of updates told this before the load and after it."""
        answered = self.whole.requests - sum(self.whole.errors.values())
        return replace(self, updates=Updates(answered, after - before))

    @property
    def whole(self) -> Whole:
        """What happened from the first user's arrival to the last one's departure."""
        totals = Totals.of(self.stages.values())
        return Whole(
            **vars(totals), users_in_hold=self.users_in_hold, users_lost=self.users_lost, not_sent=self.not_sent
        )


@dataclass(frozen=True)
class Load(Totals):
    """A load whose hold was finished: totals of the hold, `counts` of its workload, latencies, and the whole load.

    `rate_per_s` is that at which requests were due, None where users wait for their answers. `probe` is what a
    connection beside the users got, where there was one; `updates` are those of a server that tells its counter.
    """

    counts: Any
    latency: Latency
    hdr: str
    hdr_unit: str
    series: Sequence[Mapping[str, Any]]
    whole: Whole
    rate_per_s: float | None = None
    probe: Probed | None = None
    updates: Updates | None = None

    @classmethod
    def of(cls, result: Result, counts: Any, hdr: str) -> "Load":
        """The load with these latencies."""
        hold = result.stages["hold"]
        totals = hold.requests, hold.errors, hold.duration_s
        rest = result.hdr_unit, result.series, result.whole, result.rate_per_s, result.probe, result.updates
        return cls(*totals, counts, latency(hdr), hdr, *rest)

    def as_dict(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "errors": self.errors,
            "duration_s": self.duration_s,
            **asdict(self.counts),
            **({"rate_per_s": self.rate_per_s} if self.rate_per_s else {}),
            **({"probe": self.probe.as_dict()} if self.probe else {}),
            **({"updates": asdict(self.updates)} if self.updates else {}),
            "latency_ms": self.latency.as_dict(),
            "hdr": self.hdr,
            "hdr_unit": self.hdr_unit,
            "series": self.series,
            "whole": self.whole.as_dict(),
        }


@dataclass(frozen=True)
class SampledLoad(Totals):
    """The loads of a run that goes through samples, by sample, with the sums of their holds and of the whole loads."""

    whole: Totals
    samples: Mapping[str, Load]

    @classmethod
    def of_samples(cls, samples: Mapping[str, Load], whole: Totals) -> "SampledLoad":
        """The loads of these samples; `whole` may be of more than those that were finished."""
        return cls(**vars(Totals.of(samples.values())), whole=whole, samples=samples)

    def as_dict(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "errors": self.errors,
            "duration_s": self.duration_s,
            "whole": self.whole.as_dict(),
            "samples": {name: load.as_dict() for name, load in self.samples.items()},
        }


@dataclass(frozen=True)
class Unfinished:
    """A load whose hold was not finished; `whole` is None where none began."""

    whole: Whole | None = None

    def as_dict(self) -> dict[str, Any]:
        """The load as run.json holds it."""
        if self.whole is None:
            return {"requests": 0, "errors": {}}
        return {"requests": self.whole.requests, "errors": self.whole.errors, "whole": self.whole.as_dict()}
