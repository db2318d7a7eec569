"""Requests of users who wait for the answer: lookups of links, or the same list of requests for all."""

import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Self

from samewire import links
from samewire.outputs import FILE
from samewire.paths import STATE
from samewire.race import validity
from samewire.race.load import Stage
from samewire.race.measured import Footprint, Measured
from samewire.race.metric import REQUESTS
from samewire.race.metrics import bytes_per_answer
from samewire.race.profile import WINDOW_S, Profile
from samewire.race.upload_folders import disk
from samewire.race.workloads.base import Table, Workload
from samewire.race.workloads.kind import Kind, Ranking

LINKS, TODOS = "links", "todos"
"""What is looked up."""

FEW = 2
"""Users with whom a server is warmed first: they leave room for the threads that compile."""

TOLD = Kind(
    name=REQUESTS,
    ranking=Ranking(
        metric="throughput_rps",
        name="throughput",
        unit="requests per second",
        leads="answers most",
        led="answered most",
        had="answered",
        times="times as many as",
    ),
    columns=(
        ("Throughput", "requests/s", (("", "throughput_rps"),)),
        (
            "Latency",
            "ms",
            (
                ("mean", "latency_mean_ms"),
                ("p50", "latency_p50_ms"),
                ("p99", "latency_p99_ms"),
                ("p99.9", "latency_p999_ms"),
            ),
        ),
        ("Errors", "%", (("", "error_share"),)),
        ("CPU", "µs/request", (("", "cpu_us_per_request"),)),
        ("Memory, PSS", "MiB", (("idle", "pss_idle_bytes"), ("loaded", "pss_peak_bytes"))),
        ("Threads", "peak", (("", "threads_peak"),)),
        ("Switches", "per request", (("", "switches_per_request"),)),
    ),
    brief=(
        "throughput_rps", "latency_mean_ms", "latency_p99_ms", "error_share", "cpu_us_per_request", "pss_peak_bytes",
    ),
    compared=(
        "throughput_rps", "latency_mean_ms", "latency_p99_ms", "cpu_us_per_request", "pss_peak_bytes",
        "switches_per_request",
    ),
    done="answered a request",
    undone="no request was answered",
    unit="request",
    tried="requests",
    rate="Throughput",
    each_second="Right answers",
    below="Answers",
    samples="requests",
)  # fmt: skip


PROBE_COLUMN = (
    "Latency of the probe",
    "ms",
    (("mean", "probe_latency_mean_ms"), ("p50", "probe_latency_p50_ms"), ("p99", "probe_latency_p99_ms")),
)

PROBED = replace(
    TOLD,
    ranking=Ranking(
        metric="probe_latency_p50_ms",
        name="median latency of the probe",
        unit="ms",
        leads="has the lowest median latency of the probe",
        led="had the lowest median latency of the probe",
        had="had a median latency of the probe of",
        times="times that of",
    ),
    columns=(PROBE_COLUMN, *TOLD.columns),
    brief=("probe_latency_p50_ms", "probe_latency_p99_ms", *TOLD.brief),
    compared=("probe_latency_p50_ms", "probe_latency_p99_ms", *TOLD.compared),
)
"""Of requests with a probe beside them: what the others get meanwhile is the question."""


@dataclass(frozen=True)
class RequestStage(Stage):
    """What `bench/load` counts in a stage; `by_request` has a row for each request, if all users send the same."""

    statuses: Mapping[str, int]
    bytes_in: int
    by_request: Sequence[Mapping[str, int]]


@dataclass(frozen=True)
class RequestCounts:
    """Answers of the hold by status, right answers per second, bytes; answers and their bytes by request."""

    statuses: Mapping[str, int]
    throughput_rps: float
    bytes_in: int
    by_request: Mapping[str, Mapping[str, int]]


def right_per_s(hold: Stage) -> float:
    """Right answers per second of the hold."""
    return (hold.requests - sum(hold.errors.values())) / hold.duration_s


class _Requests(Workload):
    """Users who send requests in turn and wait for each answer."""

    told = TOLD
    stage = RequestStage

    def counts(self, hold: RequestStage) -> RequestCounts:
        by_request = self._by_request(hold.by_request)
        return RequestCounts(hold.statuses, right_per_s(hold), hold.bytes_in, by_request)

    def _by_request(self, counts: Sequence[Mapping[str, int]]) -> dict[str, dict[str, int]]:
        """Answers and their bytes by the name of the request, none where each user sends requests of its own."""
        return {}

    def warnings(self, run: Measured, users: int) -> list[str]:
        in_turn = [] if run.by_requests else validity.not_served_in_turn(run.load, users)
        return super().warnings(run, users) + in_turn

    def scenarios(self, profile: Profile, seed: int) -> list[dict[str, Any]]:
        times = {"warm_up_s": profile.warm_up_s, **profile.course, "timeout_s": self.timeout_s}
        return [times | {"lists": self.lists(profile, seed)}]

    def warming(self, scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
        window = {"warm_up_s": 0.0, "ramp_up_s": 0.1, "hold_s": WINDOW_S, "ramp_down_s": 0.1, "requests_per_user": 0}
        lists = scenario["lists"]
        return [{**scenario, **window, "lists": lists[:FEW]}, {**scenario, **window}]

    @abstractmethod
    def lists(self, profile: Profile, seed: int) -> list[list[tuple]]:
        """For each user a list of (path, right status[, method, body, headers]), as `bench/load` reads it."""


@dataclass(frozen=True)
class Lookups(_Requests):
    """Each of `users` walks a list of its own of `list_length` keys of links or todos.

    Of these `unknown_share` are unknown; todos are all known.
    """

    users: int
    list_length: int
    unknown_share: float
    timeout_s: float
    records: str = LINKS

    writes = False

    def lists(self, profile: Profile, seed: int) -> list[list[tuple]]:
        """For each user a list of (path, right status): keys of the profile's records and unknown ones, shuffled."""
        generator = random.Random(seed)
        if self.records == TODOS:
            numbers = [generator.randint(1, profile.links) for _ in range(self.list_length * self.users)]
            paths = [(f"/todos/{number}", 200) for number in numbers]
            return [paths[first :: self.users] for first in range(self.users)]
        unknown_each = round(self.list_length * self.unknown_share)
        known_each = self.list_length - unknown_each
        positions = [[generator.randrange(profile.links) for _ in range(known_each)] for _ in range(self.users)]
        wanted = {position for chosen in positions for position in chosen}
        known = enumerate(links.links(profile.links))
        hashes = {position: hash_ for position, (hash_, _) in known if position in wanted}
        unknown = iter(links.unknown_hashes(unknown_each * self.users, seed))
        lists = []
        for chosen in positions:
            user = [(f"/{hashes[position]}", 301) for position in chosen]
            user += [(f"/{hash_}", 404) for hash_ in islice(unknown, unknown_each)]
            generator.shuffle(user)
            lists.append(user)
        return lists


@dataclass(frozen=True)
class Exchange:
    """A request, its body being JSON or files of so many bytes, and the status that is right for it.

    The path `{location}` is that of what an earlier request of the same list has made.
    """

    path: str
    method: str = "GET"
    status: int = 200
    body: str | Sequence[int] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What figures of its answers are called after."""
        return f"{self.method} {self.path}"

    def __str__(self) -> str:
        headers = [f"{name}: {value}" for name, value in self.headers.items()]
        files = " + ".join(f"{size:,} bytes" for size in self.files)
        body = files or self.body
        return f"{' '.join(filter(None, (self.name, *headers, body)))} → {self.status}"

    @property
    def files(self) -> Sequence[int]:
        """The sizes of the files that it sends."""
        return () if self.body is None or isinstance(self.body, str) else self.body


@dataclass(frozen=True)
class Probe:
    """A GET of a path that is to be answered with 200, every so many milliseconds, on a connection of its own."""

    path: str
    every_ms: float

    def __str__(self) -> str:
        return f"GET {self.path} every {self.every_ms:g} ms"


@dataclass(frozen=True)
class Requests(_Requests):
    """Each of `users` sends the same `requests` in turn; a `probe` may ask beside them.

    `output` is where the server's standard output goes. `counter` is the path at which the server tells how many of
    these requests it has counted, empty where nobody asks.
    """

    users: int
    requests: tuple[Exchange, ...]
    timeout_s: float
    probe: Probe | None = None
    output: str = FILE
    counter: str = ""

    @classmethod
    def read(cls, content: Mapping[str, Any], table: Table) -> Self:
        probe = {"probe": Probe(**content["probe"])} if "probe" in content else {}
        return cls(**content | {"requests": tuple(Exchange(**one) for one in content["requests"])} | probe)

    @property
    def shown(self) -> Kind:
        return PROBED if self.probe else self.told

    @property
    def keeps_files(self) -> bool:
        return any(one.files for one in self.requests)

    def compared(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*super().compared(), *(self.shown.compared if self.probe else ()))))

    def scenarios(self, profile: Profile, seed: int) -> list[dict[str, Any]]:
        probe = {"probe": asdict(self.probe)} if self.probe else {}
        return [one | probe for one in super().scenarios(profile, seed)]

    def warming(self, scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
        return super().warming({name: value for name, value in scenario.items() if name != "probe"})

    def warnings(self, run: Measured, users: int) -> list[str]:
        return super().warnings(run, users) + validity.not_answered(run.load)

    def lists(self, profile: Profile, seed: int) -> list[list[tuple]]:
        return [[(one.path, one.status, one.method, one.body, one.headers) for one in self.requests]] * self.users

    def metrics(self) -> list[str]:
        return super().metrics() + list(dict.fromkeys(bytes_per_answer(request.name) for request in self.requests))

    def figures(self, run: Measured, server: Footprint) -> dict[str, float | int | None]:
        return super().figures(run, server) | {
            bytes_per_answer(request): counted["bytes"] / counted["answers"] if counted["answers"] else None
            for request, counted in run.load.counts.by_request.items()
        }

    def parameters(self, profile: Profile) -> dict[str, Any]:
        told = super().parameters(profile) | {"requests": [str(request) for request in self.requests]}
        for name in ("probe", "counter"):
            del told[name]
        named = {"probe": self.probe and str(self.probe), "counter": self.counter}
        return told | {name: value for name, value in named.items() if value}

    def surroundings(self) -> dict[str, Any]:
        return {"disk": disk(STATE)} if self.keeps_files else {}

    def _by_request(self, counts: Sequence[Mapping[str, int]]) -> dict[str, dict[str, int]]:
        told: dict[str, dict[str, int]] = {request.name: {"answers": 0, "bytes": 0} for request in self.requests}
        for request, counted in zip(self.requests, counts, strict=True):
            for unit, number in counted.items():
                told[request.name][unit] += number
        return told


@dataclass(frozen=True)
class Arrivals(Requests):
    """The `requests` come in turn at the profile's rate, whether or not earlier ones were answered.

    At most `users` of them are under way at once.
    """

    told = replace(
        TOLD,
        ranking=Ranking(
            metric="latency_p99_ms",
            name="99th percentile of latency",
            unit="ms",
            leads="has the lowest 99th percentile of latency",
            led="had the lowest 99th percentile of latency",
            had="had a 99th percentile of latency of",
            times="times that of",
        ),
        columns=(("Rate", "requests/s", (("asked", "offered_rps"), ("answered", "throughput_rps"))), *TOLD.columns[1:]),
    )
    closed = False

    @property
    def shown(self) -> Kind:
        # What is asked is how long the users' answers take, whatever else is probed.
        return self.told

    def warnings(self, run: Measured, users: int) -> list[str]:
        return validity.not_sent(run.load) + validity.not_answered(run.load)
