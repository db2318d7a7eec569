"""The sampler of a race on several hosts: one sampler on each, and their samples side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from samewire.hosts.connection import Connection, call_all
from samewire.race.processes import Usage
from samewire.race.sampler import Cost, Second, seconds_of
from samewire.race.snapshots import CoreTimes, Snapshot


class HostsSampler:
    """Samples the trees of several hosts, the server's first; its interface is that of `race.sampler.Sampler`.

    `first_cores` are the numbers by which the cores of each host are told apart from those of others.
    """

    def __init__(self, collectors: Sequence[Connection], first_cores: Sequence[int]) -> None:
        self._collectors, self._first_cores = collectors, first_cores
        self._cost: Cost | None = None

    def snapshot(self, pss_of: str | None = None) -> Snapshot:
        """Sample now, on all hosts at once."""
        return self._together(call_all(self._collectors, "snapshot", pss_of=pss_of))

    def start(self, pss_of: str | None = None) -> Snapshot:
        """Begin to sample every second; the first snapshot."""
        return self._together(call_all(self._collectors, "begin", pss_of=pss_of))

    def stop(self) -> None:
        """End sampling; safe to call twice."""
        costs = [Cost(**one) for one in call_all(self._collectors, "end")]
        shares = sum(one.share_of_a_core for one in costs)
        self._cost = Cost(sum(one.samples for one in costs), sum(one.cpu_s for one in costs), shares)

    @property
    def snapshots(self) -> list[Snapshot]:
        """What was sampled every second."""
        return [self._together(one) for one in zip(*call_all(self._collectors, "sampled"), strict=False)]

    @property
    def cost(self) -> Cost:
        """What sampling has cost, on all hosts together."""
        if self._cost is None:
            self.stop()
        assert self._cost
        return self._cost

    def series(self, tree: str) -> list[Second]:
        """One row for each second of a tree."""
        return seconds_of(self.snapshots, tree)

    def _together(self, samples: Sequence[Mapping[str, Any]]) -> Snapshot:
        """One snapshot of those of the hosts. Its time is the server's; each tree's is that of its own host.

        The generators of several hosts are one tree, whose time is that of the first of them.
        """
        trees: dict[str, Usage] = {}
        at: dict[str, float] = {}
        cores: dict[int, CoreTimes] = {}
        for first, sample in zip(self._first_cores, samples, strict=True):
            for name, usage in sample["trees"].items():
                trees[name] = _added(trees[name], Usage(**usage)) if name in trees else Usage(**usage)
                at.setdefault(name, sample["at"])
            cores |= {first + number: CoreTimes(**times) for number, times in sample["cores"].items()}
        harness = sum(sample["harness_cpu_s"] for sample in samples)
        return Snapshot(samples[0]["at"], trees, cores, harness, None, at)


def _added(one: Usage, other: Usage) -> Usage:
    pairs = {field.name: (getattr(one, field.name), getattr(other, field.name)) for field in fields(Usage)}
    return Usage(**{name: None if None in both else sum(both) for name, both in pairs.items()})
