"""The parts of a checked run.json that a report works with. What only some kinds of race have is empty in others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

Row = Mapping[str, Any]
"""What was counted in one second; `t_s` is its end."""


@dataclass(frozen=True)
class Load:
    """The load of a run. `whole_requests` and `errors` are of the whole load, all else is of the hold.

    `hdr` is an encoded histogram of latencies, whose unit is `hdr_unit`. `series` has a row for each second, ramps
    included, `series_of_samples` those of each sample.
    """

    requests: int
    hold_errors: Mapping[str, int]
    whole_requests: int
    errors: Mapping[str, int]
    statuses: Mapping[str, int]
    conversation: Mapping[str, int]
    hdr: str
    hdr_unit: str
    series: Sequence[Row]
    series_of_samples: Mapping[str, Sequence[Row]]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Of a run's `load`."""
        whole = data.get("whole", data)
        conversation = {}
        if "deliveries" in data:
            counts = {name: data[name]["count"] for name in ("sends", "receives")}
            conversation = {"deliveries": data["deliveries"], **counts}
        return cls(
            requests=data["requests"],
            hold_errors=data["errors"],
            whole_requests=whole["requests"],
            errors=whole["errors"],
            statuses=data.get("statuses", {}),
            conversation=conversation,
            hdr=data.get("hdr") or "",
            hdr_unit=data.get("hdr_unit", "us"),
            series=data.get("series", ()),
            series_of_samples={name: one.get("series", ()) for name, one in data.get("samples", {}).items()},
        )


@dataclass(frozen=True)
class Warming:
    """How a server became steady: in how many seconds, and CPU of a request in each window of load, in µs."""

    seconds: float
    steady: bool
    cpu_us: Sequence[float]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Of a run's `warming`; windows without a request are left out."""
        costs = [window["cpu_us_per_request"] for window in data["windows"]]
        return cls(data["seconds"], data["steady"], [cost for cost in costs if cost])


@dataclass(frozen=True)
class Run:
    """A run of a server in a round.

    `metrics` are its figures by key, `processes` the rows of each tree of processes, `warming` how it became steady.
    """

    round: int
    position: int | None
    server: str
    started_at: str | None
    load: Load
    metrics: Mapping[str, float | None]
    warnings: Sequence[str]
    processes: Mapping[str, Sequence[Row]]
    warming: Warming | None

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Of one of a record's `runs`."""
        return cls(
            round=data["round"],
            position=data.get("position"),
            server=data["server"],
            started_at=data.get("started_at"),
            load=Load.read(data["load"]),
            metrics=data["metrics"],
            warnings=data.get("warnings", ()),
            processes=data.get("processes", {}),
            warming=Warming.read(data["warming"]) if "warming" in data else None,
        )


@dataclass(frozen=True)
class Ours:
    """Our value for a finding, with its interval, its unit, and in words of what it is."""

    value: float | None
    low: float | None
    high: float | None
    unit: str
    text: str
    bound: str

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Of a finding's `ours`."""
        value, low, high = (data.get(name) for name in ("value", "low", "high"))
        return cls(value, low, high, data.get("unit") or "", data.get("text") or "", data.get("bound", ""))


@dataclass(frozen=True)
class Finding:
    """A finding of the study, as published, with our value, None where there is none, the verdict, and the reason."""

    text: str
    published: str
    ours: Ours | None
    verdict: str
    why: str

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Of one of a record's `findings`."""
        ours = data.get("ours")
        return cls(
            text=data["text"],
            published=data["published"] or "",
            ours=Ours.read(ours) if ours else None,
            verdict=data["verdict"],
            why=data.get("why") or "",
        )
