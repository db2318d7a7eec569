"""The steps of docs/steps.toml, and the code that servers have for them."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from samewire.idioms.regions import IdiomsError, Region, find_regions
from samewire.manifest import Server
from samewire.paths import CHECKOUT


@dataclass(frozen=True)
class Step:
    """Something that every implementation of some services does.

    `differs` is two sentences: what differs between the stacks, and why. `services` is a list of names, or "all".
    `transports` is a list of names: of the chats only those that have one of these; None for all.
    """

    name: str
    title: str
    text: str
    differs: str
    services: list[str] | str
    transports: list[str] | None = None

    def concerns(self, server: Server) -> bool:
        """Whether a server must have it."""
        concerned = self.services == "all" or server.service in self.services
        return concerned and (self.transports is None or server.transport in self.transports)

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"{self.name}.md"


@dataclass(frozen=True)
class Entry:
    """One server's code for a step."""

    server: Server
    regions: Sequence[Region]


@dataclass(frozen=True)
class Page:
    """A step with all of its code, by service. `previous` and `next` are its neighbours, None at either end."""

    step: Step
    services: Mapping[str, Sequence[Entry]]
    previous: Step | None
    next: Step | None


def load_steps(path: Path = CHECKOUT / "docs/steps.toml") -> list[Step]:
    """The declared steps, in order. Raises IdiomsError."""
    optional = {"transports"}
    wanted = {field.name for field in fields(Step)} - {"name"} - optional
    steps, problems = [], []
    for name, about in tomllib.loads(path.read_text()).items():
        if about.keys() - optional == wanted:
            steps.append(Step(name, **about | {"differs": " ".join(about["differs"].split())}))
        else:
            problems.append(f"{path}: [{name}] has to have {', '.join(sorted(wanted))}, and nothing else")
    if problems:
        raise IdiomsError("\n".join(problems))
    return steps


def collect(servers: Sequence[Server], steps: Sequence[Step]) -> dict[str, dict[str, list[Region]]]:
    """Step → server id → regions. Raises IdiomsError."""
    pages: dict[str, dict[str, list[Region]]] = {step.name: {} for step in steps}
    problems = []
    for server in servers:
        regions, found = find_regions(server.folder)
        problems += found
        problems += [
            f"{server.id}: region {name} is not declared in docs/steps.toml" for name in regions if name not in pages
        ]
        for step in (step for step in steps if step.concerns(server)):
            if step.name in regions:
                pages[step.name][server.id] = regions[step.name]
            else:
                problems.append(f"{server.id}: has no region {step.name}")
    if problems:
        raise IdiomsError("\n".join(problems))
    return pages


def pages_of(servers: Sequence[Server], steps: Sequence[Step]) -> list[Page]:
    """The pages in the order of the steps, without steps that no server has. Raises IdiomsError."""
    regions = collect(servers, steps)
    shown = [step for step in steps if regions[step.name]]
    return [
        Page(step, _by_service(servers, regions[step.name]), previous, following)
        for previous, step, following in zip([None, *shown], shown, [*shown[1:], None], strict=False)
    ]


def _by_service(servers: Sequence[Server], regions: Mapping[str, Sequence[Region]]) -> dict[str, list[Entry]]:
    """Service → servers with their regions, both in alphabetical order."""
    having = sorted((one for one in servers if one.id in regions), key=lambda one: (one.service, one.id))
    entries: dict[str, list[Entry]] = {}
    for server in having:
        entries.setdefault(server.service, []).append(Entry(server, regions[server.id]))
    return entries
