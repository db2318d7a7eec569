"""The servers of a race: what is known of each, and how two of them compare."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from samewire.race.metrics import metric
from samewire.report.numbers import Estimate
from samewire.report.record import Run


@dataclass(frozen=True)
class Comparison:
    """The ratio of one metric of `a` to that of `b`; `verdict` says where `a` stands."""

    metric: str
    a: str
    b: str
    ratio: Estimate
    verdict: str  # "higher", "lower", "undecided", or the reason why the two cannot be compared

    def turned(self) -> "Comparison":
        """The same, seen from `b`."""
        ends = (1 / x if x else None for x in (self.ratio.mean, self.ratio.high, self.ratio.low))
        verdict = {"higher": "lower", "lower": "higher"}.get(self.verdict, self.verdict)
        return Comparison(self.metric, self.b, self.a, Estimate(*ends, self.ratio.n), verdict)


@dataclass(frozen=True)
class Entrant:
    """A server in the race, or a variant of one, with one of the loads where there are several.

    `hue` is the number of its stack's colour, the same wherever that stack appears. `shape` is the number of its mark,
    which no other of this colour has. `summary` has the estimate of each metric in the unit of run.json. `bounds` has
    the metrics whose figures are bounds. `ranked` is whether it ran on no stand-in. A `floor` is the least program of a
    stack, and has of a record its digest alone.
    """

    id: str
    server: str
    variant: str
    load: str
    name: str
    hue: int
    shape: int
    stack: Mapping[str, str]
    traits: str
    transport: str
    store: str
    database: str
    ranked: bool
    record: Mapping[str, Any]
    floor: bool
    runs: tuple[Run, ...]
    summary: Mapping[str, Estimate]
    bounds: Mapping[str, str]

    def estimate(self, key: str) -> Estimate:
        """The estimate of a metric, in the unit in which it is shown."""
        estimate = replace(self.summary.get(key, Estimate()), bound=self.bounds.get(key, ""))
        return estimate.scaled(metric(key).scale)

    @cached_property
    def requests(self) -> int:
        """Requests, or operations of a conversation, of the whole load, ramps included, in all rounds."""
        return sum(run.load.whole_requests for run in self.runs)

    @cached_property
    def errors(self) -> Counter[str]:
        """Errors of the whole load in all rounds by kind; kinds that never occurred are left out."""
        total: Counter[str] = Counter()
        for run in self.runs:
            total.update(run.load.errors)
        return +total

    @cached_property
    def warnings(self) -> list[tuple[int, str]]:
        """(round, warning) of its runs."""
        return [(run.round, text) for run in self.runs for text in run.warnings]


@dataclass(frozen=True)
class Group:
    """Entrants on the same footing: `ranked` on real databases, or not ranked on one stand-in."""

    ranked: bool
    label: str
    entrants: tuple[Entrant, ...]

    @property
    def title(self) -> str:
        """How the group is called wherever its figures are shown."""
        return f"Ranked: {self.label}" if self.ranked else f"Not ranked, on a stand-in: {self.label}"


def short_names(ids: Iterable[str], service: str) -> dict[str, str]:
    """`servers-java/shortener-netty-pg` → `java/netty-pg`: ids without what all of them repeat."""

    def short(part: str) -> str:
        return part.removeprefix("servers-").removeprefix(f"{service}-")

    return {one: "/".join(map(short, one.split("/"))) for one in ids}


def http_server(server: Mapping[str, Any]) -> str:
    """What speaks HTTP in the stack; the server's id when its stack is not known."""
    stack = server.get("stack") or {}
    return next((name for name, role in stack.items() if role == "HTTP server"), server["id"])
