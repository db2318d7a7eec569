"""What the site adds to a server's README: its passes, its attacks, its own answers, its code by steps."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from samewire.atlas import pins
from samewire.atlas.inputs import load
from samewire.atlas.page import classes
from samewire.attack import shown
from samewire.idioms.regions import find_regions
from samewire.idioms.steps import Step
from samewire.manifest import Server
from samewire.outcomes import LAYERS
from samewire.record import fresh_pass
from samewire.site import findings
from samewire.site.places import relative
from samewire.site.words import cells


def facts(server: Server, servers: Sequence[Server], steps: Sequence[Step], page: PurePosixPath) -> str:
    """Sections in Markdown, below the README, for the page of the site."""
    parts = (
        _passes(server),
        _steps(server, steps, page),
        _own_answers(server, servers, page),
        _attacks(server, page),
    )
    return "\n".join(line for part in parts for line in part)


def _passes(server: Server) -> Iterator[str]:
    yield from ("", "## What it passes", "")
    if not (record := fresh_pass(server)):
        yield f"On the machine that made this page, it was not judged. `samewire verify {server.id}` judges it."
        return
    layers = [layer for layer in LAYERS if layer in record["layers"]]
    yield from (cells(*layers), cells(*["---"] * len(layers)))
    yield cells(*(_counts(record["layers"][layer]) for layer in layers))
    yield from ("", f"Version {record['contract']} of the contract, {record['at']}, on {record['database']}.")


def _counts(outcomes: dict[str, int]) -> str:
    passed, skipped = outcomes.get("passed", 0), outcomes.get("skipped", 0)
    return f"{passed} passed, {skipped} skipped" if skipped else f"{passed} passed"


def _steps(server: Server, steps: Sequence[Step], page: PurePosixPath) -> Iterator[str]:
    regions, _ = find_regions(server.folder)
    own = [step for step in steps if step.name in regions]
    if own:
        links = ", ".join(f"[{one.title}]({relative(PurePosixPath('docs/idioms') / one.page, page)})" for one in own)
        yield from ("", "## Its code beside that of other stacks", "", f"{links}.")


def _own_answers(server: Server, servers: Sequence[Server], page: PurePosixPath) -> Iterator[str]:
    """Inputs of the atlas to which it answers in another way than most servers of its service."""
    every = {one.id: pins.read(one).answers for one in servers if one.service == server.service}
    mine = every.pop(server.id, {})
    rows = []
    for one in load(server.service):
        others = Counter(classes(answers[one.id]) for answers in every.values() if one.id in answers)
        if one.id in mine and others:
            usual, number = others.most_common(1)[0]
            if 2 * number > others.total() and _status(mine[one.id]) != _status(usual):
                rows.append(cells(f"`{one.id}`", mine[one.id], f"{usual} ({number} of {others.total()})"))
    yield from ("", "## Where it answers in its own way", "")
    yield (
        f"[The atlas]({relative(findings.ATLAS, page)}) has odd input, which no contract covers. "
        f"To {len(rows)} of {len(mine)} such inputs this server gives another status than most others of its service, "
        "or ends the connection where they do not."
    )
    if rows:
        yield from _folded("Show them", "| input | this server | most others |", "|---|---|---|", *rows)


def _status(line: str) -> str:
    """A pinned line without media types."""
    return re.sub(r" [a-z]+/[a-z0-9.+-]+", "", classes(line))


def _folded(summary: str, *lines: str) -> Iterator[str]:
    """Lines that a reader opens."""
    yield from ("", '<details markdown="1">', f"<summary>{summary}</summary>", "", *lines, "", "</details>")


def _attacks(server: Server, page: PurePosixPath) -> Iterator[str]:
    rows = shown.of_server(server)
    if rows:
        yield from ("", "## Hostile clients", "")
        yield (
            f"Each attack in full, with thousands of clients. `samewire attack {server.id}` repeats it. "
            f"[The atlas]({relative(findings.ATLAS, page)}) has the other servers."
        )
        found = Counter(outcome for _, outcome, _, _ in rows)
        summary = ", ".join(f"{outcome}: {number}" for outcome, number in found.most_common())
        table = (cells(f"`{name}`", outcome, figures, why or "–") for name, outcome, why, figures in rows)
        yield from _folded(summary, "| attack | outcome | other clients, memory | why |", "|---|---|---|---|", *table)
