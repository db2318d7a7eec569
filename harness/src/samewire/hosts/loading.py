"""The load generators of several hosts as one: each has its part of the users, and what they count is added up."""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from samewire.hosts.connection import Connection, call_all
from samewire.race.generator import GeneratorError
from samewire.race.latency import merged


class HostsGenerator:
    """The generators of several hosts; its interface is that of `race.generator.Generator`.

    It has no log of operations.
    """

    operations = None

    def __init__(self, connections: Sequence[Connection], module: str, contents: Sequence[Mapping[str, Any]]) -> None:
        """Start them, with a part of the users of each scenario on each host. Raises HostsError, GeneratorError."""
        self._connections = connections
        number = len(connections)
        for place, one in enumerate(connections):
            one.begin("generate", module=module, contents=[part(content, place, number) for content in contents])
        self.pids = [one.finish() for one in connections]
        self.pid = self.pids[0]

    def load(
        self, url: str, progress: Callable[[dict], None], scenario: int = 0, rate_per_s: float | None = None
    ) -> dict[str, Any]:
        """Load the server at `url`, from all hosts; a stage begins with the last of them, and ends with the first."""
        number = len(self._connections)
        rate = rate_per_s / number if rate_per_s else None
        stages: Counter[str] = Counter()
        rows: dict[str, dict] = {}
        one_at_a_time = threading.Lock()

        def follow(host: str, line: dict) -> None:
            with one_at_a_time:
                if stage := line.get("stage"):
                    stages[stage] += 1
                    if stages[stage] == (1 if stage == "ramp_down" else number):
                        progress(line)
                else:
                    rows[host] = line
                    progress(line | {"requests": sum(row["requests"] for row in rows.values())})

        def load(one: Connection) -> dict[str, Any]:
            one.begin("load", url=url, scenario=scenario, rate_per_s=rate)
            return one.finish(lambda line: follow(one.host.name, line))

        with ThreadPoolExecutor(number) as pool:
            return together([*pool.map(load, self._connections)])

    def complaints(self) -> list[str]:
        """What they complained of since the last call."""
        return [line for lines in call_all(self._connections, "complaints") for line in lines]

    def close(self) -> None:
        """Their hosts end them with their connections."""


def part(scenario: Mapping[str, Any], place: int, number: int) -> dict[str, Any]:
    """A scenario with the users of one host of several, by its place among them. Raises GeneratorError.

    A probe asks from the first host alone.
    """
    if "lists" in scenario:
        users = len(scenario["lists"])
        own = {"lists": scenario["lists"][place::number]}
    else:
        users = scenario["users"]
        own = {"users": len(range(place, users, number))}
    if users < number:
        raise GeneratorError(f"{users} users cannot be divided among {number} load hosts: use fewer hosts")
    without = () if place == 0 else ("probe",)
    return {key: value for key, value in scenario.items() if key not in without} | own


_SUMS = ("requests", "bytes_in", "uploaded_bytes", "generator_cpu_s")


def together(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The results of several generators as that of one: counts are added, histograms merged.

    A stage is as long as the longest of theirs.
    """
    first = results[0]
    if len(results) == 1:
        return dict(first)
    probe = {"probe": first["probe"]} if "probe" in first else {}
    return {
        "hdr_unit": first["hdr_unit"],
        "stages": {name: _stage([one["stages"][name] for one in results]) for name in first["stages"]},
        "series": [_second(rows) for rows in zip(*(one["series"] for one in results), strict=False)],
        **{name: sum(one.get(name, 0) for one in results) for name in ("users_in_hold", "users_lost", "not_sent")},
        **probe,
    }


def _stage(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = parts[0]
    return {
        "duration_s": max(one["duration_s"] for one in parts),
        "hdr": merged(one["hdr"] for one in parts),
        **{name: sum(one[name] for one in parts) for name in _SUMS if name in first},
        **{name: _added(one[name] for one in parts) for name in ("errors", "statuses") if name in first},
        **(
            {"by_request": [_added(rows) for rows in zip(*(one["by_request"] for one in parts), strict=True)]}
            if "by_request" in first
            else {}
        ),
    }


def _second(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A second of several hosts: its mean is that of all answers, its percentile the highest of theirs."""
    requests = sum(row["requests"] for row in rows)
    weighted = sum(row["mean_ms"] * row["requests"] for row in rows if row.get("mean_ms") is not None)
    told = dict(rows[0])
    for name in ("users", "requests", "errors"):
        if name in told:
            told[name] = sum(row[name] for row in rows)
    if "mean_ms" in told:
        told["mean_ms"] = weighted / requests if requests else None
    if "p99_ms" in told:
        told["p99_ms"] = max((row["p99_ms"] for row in rows if row["p99_ms"] is not None), default=None)
    return told


def _added(counts: Any) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total)
