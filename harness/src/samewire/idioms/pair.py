"""One step on two stacks, for a page that has room for no more."""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from samewire.idioms.regions import Region, find_regions
from samewire.idioms.steps import Step
from samewire.manifest import Server


@dataclass(frozen=True)
class Pair:
    """A step, two servers of one service in two languages, and their code of it."""

    step: Step
    servers: tuple[Server, Server]
    regions: tuple[Sequence[Region], Sequence[Region]]


def pair(servers: Sequence[Server], steps: Sequence[Step], shown: str) -> Pair | None:
    """The step called `shown`, or the shortest one, in two languages that most servers are written in.

    Two models of concurrency come before one. None if no step stands in two languages.
    """
    common = [language for language, _ in Counter(server.language for server in servers).most_common()]
    regions = {server.id: find_regions(server.folder)[0] for server in servers}
    pairs = []
    for step, (a, b) in itertools.product(steps, itertools.combinations(servers, 2)):
        code = [regions[server.id].get(step.name) for server in (a, b)]
        if a.service == b.service and a.language != b.language and all(code):
            rank = sorted(common.index(server.language) for server in (a, b))
            lines = sum(region.code.count("\n") + 1 for parts in code for region in parts)
            alike = a.concurrency == b.concurrency
            pairs.append((step.name != shown, alike, rank, lines, Pair(step, (a, b), tuple(code))))
    return min(pairs, key=lambda found: found[:4])[-1] if pairs else None
