"""The page of the atlas: inputs down, stacks across, colour only where they differ. One file without anything else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import jinja2

from samewire.atlas import pins
from samewire.atlas.inputs import HTTP, Input, load
from samewire.attack import shown
from samewire.manifest import Server
from samewire.paths import CHECKOUT

FOLDER = CHECKOUT / "docs/atlas"

_LONGEST = 600
_TITLES = {HTTP: "HTTP itself, whatever the service"}
_STATUS = re.compile(r"(?:(\d+) × )?(\d{3})( [^,]*)?")


def write(servers: Sequence[Server], folder: Path = FOLDER) -> Path:
    """Write the page from the inputs and from what is pinned of these servers; the file's path."""
    folder.mkdir(parents=True, exist_ok=True)
    template = jinja2.Template(Path(__file__).with_name("page.html").read_text(), autoescape=True)
    data = json.dumps(content(servers), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    page = folder / "index.html"
    page.write_text(template.render(data=data))
    return page


def content(servers: Sequence[Server]) -> list[dict]:
    """What the page shows, level by level.

    A level has `columns`; its `themes` have cases, these rows: `[name, commands, cells]`, and a cell is
    `[what is shown, what it stands for or why it is of its kind, its kind, figures]`, or null where nothing is known.
    Kinds are 0, 1 for a breach of the rule of safety, and 2 for a limit. Inputs have no figures.
    """
    known = {server.id: pins.read(server) for server in servers}
    services = sorted({server.service for server in servers})
    return [
        _http(servers, services, known),
        shown.level(_stacks(servers), services),
        *(_service(servers, service, known) for service in services),
    ]


def _stacks(servers: Sequence[Server]) -> dict[str, list[Server]]:
    """A column for each stack, whatever its servers serve."""
    columns: dict[str, list[Server]] = {}
    for server in servers:
        columns.setdefault(server.wire_stack[0], []).append(server)
    return columns


def _http(servers: Sequence[Server], services: Sequence[str], known: Mapping[str, pins.Pins]) -> dict:
    """The level of HTTP."""
    inputs: dict[str, Input] = {}
    for service in services:
        inputs |= {one.id: one for one in load(service) if one.level == HTTP and one.id not in inputs}
    return _level(HTTP, _stacks(servers), sorted(inputs.values(), key=lambda one: one.theme), known, by_class=True)


def _service(servers: Sequence[Server], service: str, known: Mapping[str, pins.Pins]) -> dict:
    """The level of one service, a column for each of its servers: inputs, attacks, and what header fields they send."""
    columns = {server.folder.name: [server] for server in servers if server.service == service}
    inputs = [one for one in load(service) if one.level == service]
    level = _level(service, columns, inputs, known, by_class=False)
    level["themes"] += [shown.theme(columns, service), _fields(columns, known)]
    return level


def _level(
    name: str, columns: Mapping[str, list[Server]], inputs: Iterable[Input], known: Mapping, *, by_class: bool
) -> dict:
    themes = []
    for theme, several in groupby(inputs, key=lambda one: one.theme):
        cases = []
        for case, examples in groupby(several, key=lambda one: one.id.partition("[")[0]):
            rows = list(examples)
            cases.append(
                {
                    "id": case.rpartition("/")[2],
                    "why": rows[0].why,
                    "client": rows[0].client,
                    "rows": [
                        [
                            one.id.partition("[")[2].rstrip("]"),
                            [_cut(command) for command in one.shown()],
                            _cells(one, columns, known, by_class=by_class),
                        ]
                        for one in rows
                    ],
                    "about": rows[0].about,
                }
            )
        themes.append({"name": theme.rpartition("/")[2], "about": cases[0].pop("about"), "cases": cases})
        for case in cases[1:]:
            case.pop("about")
    return {"name": name, "title": _TITLES.get(name, f"The service {name}"), "columns": list(columns), "themes": themes}


def _cells(one: Input, columns: Mapping[str, list[Server]], known: Mapping, *, by_class: bool) -> list:
    cells = []
    for servers in columns.values():
        lines = {server.folder.name: known[server.id].answers.get(one.id) for server in servers}
        told = [line for line in lines.values() if line]
        if not told:
            cells.append(None)
            continue
        shown = Counter(map(classes if by_class else str, told)).most_common()
        breach = one.breach_of(tuple(servers[0].stack))
        details = "\n".join(f"{name}: {line}" for name, line in lines.items() if line)
        text = " / ".join(each for each, _ in shown).replace("application/", "")
        cells.append(
            [text, f"{breach.why} {breach.issue}".strip() if breach else details if by_class else "", int(bool(breach))]
        )
    return cells


def _cut(command: str) -> str:
    """A command as the page shows it: a body of thousands of bytes is not for people."""
    return command if len(command) <= _LONGEST else f"{command[:_LONGEST]}… ({len(command):,} characters)"


def classes(line: str) -> str:
    """A pinned line in which an answer below 400 counts as `answered`: its status is the service's own."""

    def one(match: re.Match[str]) -> str:
        status = int(match[2])
        kind = match[2] if status < 200 or status >= 400 else "answered"
        return f"{match[1]} × {kind}" if match[1] else kind

    return _STATUS.sub(one, line)


def _fields(columns: Mapping[str, list[Server]], known: Mapping) -> dict:
    """The header fields of each server's answers."""
    of = {column: known[servers[0].id].fields for column, servers in columns.items()}
    answers = sorted({answer for fields in of.values() for answer in fields})
    rows = [
        [answer, [], [[" / ".join(fields[answer]), "", 0] if answer in fields else None for fields in of.values()]]
        for answer in answers
    ]
    why = "RFC 9110, 5.1: names of header fields; a client must not rely on one that the contract does not name."
    client = "Read the fields of openapi.yaml, and ignore others."
    case = {"id": "header-fields", "why": why, "client": client, "rows": rows}
    return {"name": "header-fields", "about": "Which header fields come with which answer", "cases": [case]}
