"""The inputs of the atlas: bytes that any service may get (`contract-tests/atlas/`), and requests to one service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from samewire.contract import cases, files, wire
from samewire.http import Request, python_output
from samewire.paths import CONTRACTS

HTTP = "http"
"""The level of the inputs that are not one service's own."""


@dataclass(frozen=True)
class Breach:
    """Where a stack is known to break the rule of safety, and no few lines of a server can mend it."""

    why: str
    issue: str = ""
    """Where the stack's maintainers were told, or can be."""
    pattern: str = ""
    """A regular expression: inputs that were mutated and match it may break the rule as well."""


@dataclass(frozen=True)
class Input:
    """One input. Either `parts` are sent on one connection, or the steps of `case` are taken."""

    id: str
    """`level/theme/id`, with `[example]` if it is one of several."""
    level: str
    about: str
    """The theme in a line."""
    why: str
    """The rule, with its paragraph."""
    client: str
    """What a client should make of it."""
    parts: tuple[wire.Part, ...] = ()
    answers: int = 1
    """How many answers may come to `parts`."""
    case: cases.Case | None = None
    readings: tuple[str | int, ...] = ()
    """An answer below 400 must be the contract's answer to one of these requests, or have one of these statuses."""
    refused: bool = False
    """Whether an answer below 400 would be wrong data."""
    ambiguous: bool = False
    """Whether two parsers may read the framing in two ways."""
    bare: bool = False
    """Whether the answer may have no head, as in HTTP/0.9."""
    incomplete: bool = False
    """Whether the request does not come to its end, so that a server may wait for it."""
    by_chance: bool = False
    """Whether what comes depends on time, so that nothing is pinned."""
    alone: tuple[str, ...] = ()
    """Parts of stacks on which it changes what others are answered, so that it needs a server of its own."""
    breaches: Mapping[str, Breach] = field(default_factory=dict)
    """Part of a stack → its breach."""

    @property
    def theme(self) -> str:
        """`level/theme`."""
        return self.id.rpartition("/")[0]

    def breach_of(self, stack: Sequence[str]) -> Breach | None:
        """The known breach of a server with this stack."""
        return next((self.breaches[name] for name in stack if name in self.breaches), None)

    def sent(self, host: str = "a") -> list[bytes]:
        """The bytes of each message, without pauses."""
        if not self.case:
            return [b"".join(part for part in self.parts if isinstance(part, bytes))]
        return [step.request.to_bytes(host) for step in self.case.steps]

    def shown(self, url: str = "http://HOST") -> list[str]:
        """Commands for a shell that send it: curl, or nc where curl cannot."""
        if self.case:
            return [step.request.as_curl(url) for step in self.case.steps]
        request = _as_request(self.sent()[0]) if all(isinstance(part, bytes) for part in self.parts) else None
        if request:
            return [request.as_curl(url)]
        return [_as_nc(self.parts)]


def load(service: str, root: Path = CONTRACTS) -> tuple[Input, ...]:
    """All inputs for a service, those of HTTP first. Raises ContractError."""
    return (*_of_http(service, root), *_of_service(service, root))


@cache
def _of_http(service: str, root: Path) -> tuple[Input, ...]:
    return tuple(
        Input(
            **_common(HTTP, path, theme, entry, ""),
            parts=wire.parts(entry["send"]),
            answers=int(entry.get("answers", 1)),
            readings=tuple(entry.get("readings", ())),
            ambiguous=entry.get("ambiguous", False),
            bare=entry.get("bare", False),
            incomplete=entry.get("incomplete", False),
            alone=tuple(entry.get("alone", ())),
        )
        for path, theme, entry in wire.entries(root / "atlas", "atlas.schema.json", service)
    )


@cache
def _of_service(service: str, root: Path) -> tuple[Input, ...]:
    found = []
    named = cases.answers(service, root)
    for path in sorted((root / service / "atlas").glob("*.yaml")):
        theme = files.read(path, "atlas-case.schema.json")
        for entry in theme["cases"]:
            for example, variables in entry.get("examples", {"": {}}).items():
                common = _common(service, path, theme, entry, example)
                try:
                    case = cases.from_entry(service, common["id"], entry, variables, named)
                except ValueError as error:
                    raise files.ContractError(f"{path}: {common['id']}: {error}") from error
                found.append(Input(**common, case=case, refused=entry.get("refused", False)))
    files.no_doubles(root / service / "atlas", "input", (one.id for one in found))
    return tuple(found)


def _common(level: str, path: Path, theme: dict, entry: dict, example: str) -> dict:
    return {
        "id": f"{level}/{path.stem}/{entry['id']}" + (f"[{example}]" if example else ""),
        "level": level,
        "about": theme["about"],
        "why": entry["why"],
        "client": entry.get("client", theme["client"]),
        "by_chance": entry.get("by_chance", False),
        "breaches": {name: Breach(**breach) for name, breach in entry.get("breaches", {}).items()},
    }


def _as_request(data: bytes) -> Request | None:
    """One request of which curl sends the very same bytes, but for Host; None if there is no such."""
    head, separator, body = data.decode("latin-1").partition("\r\n\r\n")
    start, *lines = head.split("\r\n")
    words = start.split(" ")
    fields = [line.split(": ", 1) for line in lines]
    plain = separator and len(words) == 3 and words[2] == "HTTP/1.1" and all(len(one) == 2 for one in fields)
    names = [one[0].lower() for one in fields]
    if not plain or names.count("host") != 1 or "transfer-encoding" in names or "\n" in head.replace("\r\n", ""):
        return None
    lengths = [one[1] for one in fields if one[0].lower() == "content-length"]
    if (
        lengths not in ([], [str(len(body))])
        or bool(lengths) != bool(body)
        or (not head.isprintable() and "\r" not in head)
    ):
        return None
    kept = tuple((name, value) for name, value in fields if name.lower() not in ("host", "content-length"))
    return Request(words[0], words[1], kept, body.encode("latin-1") if body else None)


def _as_nc(parts: Sequence[wire.Part]) -> str:
    shown = []
    for part in parts:
        if isinstance(part, bytes):
            shown.append(_printf(part))
        elif "pause" in part:
            shown.append(f"sleep {part['pause']:g}")
        elif "await" in part:
            shown.append("sleep 1")
    return f"{{ {'; '.join(shown) or 'true'}; }} | nc HOST PORT"


def _printf(data: bytes, limit: int = 700) -> str:
    """A command that puts out these bytes; long runs are left to Python."""
    text = "".join(_printed(byte) for byte in data)
    return f"printf '{text}'" if len(text) <= limit else python_output(data)


def _printed(byte: int) -> str:
    named = {13: r"\r", 10: r"\n", 9: r"\t", 92: r"\\", 37: "%%", 39: r"\047"}
    return named.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
