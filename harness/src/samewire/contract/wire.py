"""Bytes on one connection: what is sent, and what came back.

A part is bytes, or one of `{pause: seconds}`, `{await: 100}`, `{half_close: true}`, `{vanish: true}`. `$word` and
`${word[:7]}` in a file stand for words of the service (`<service>/wire.yaml`).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from samewire.contract import files
from samewire.http import (
    Connection,
    ConnectionClosed,
    ExchangeError,
    Request,
    Response,
    Timeout,
    compact,
    connect,
)
from samewire.paths import CONTRACTS
from samewire.target import Target

PATIENCE = 5.0
"""Seconds without an answer after which a connection counts as silent."""

HEALTH = Request("GET", "/healthz")
OPEN, CLOSED, SILENT = "open", "closed", "silent"

Part = bytes | dict[str, Any]

_WORD = re.compile(r"\$([a-z_]+)|\$\{([a-z_]+)\[(\d*):(\d*)\]\}")
_REQUEST_LINE = re.compile(rb"([A-Z]+) [^\r\n ]+ HTTP/1\.[01]\r?\n")


@cache
def words(service: str) -> Mapping[str, str | int]:
    """What the words stand for in a service; none if it has no `wire.yaml`. Raises ContractError."""
    path = CONTRACTS / service / "wire.yaml"
    return files.read(path, "words.schema.json")["words"] if path.exists() else {}


@cache
def every_word() -> frozenset[str]:
    """The words that any service has."""
    return frozenset().union(*(words(path.parent.name) for path in CONTRACTS.glob("*/wire.yaml")))


def words_in(text: str) -> set[str]:
    """The words that a text names."""
    return {match[1] or match[2] for match in _WORD.finditer(text)}


def filled(value: Any, known: Mapping[str, str | int]) -> Any:
    """`value` with the words filled in everywhere."""
    if isinstance(value, dict):
        return {key: filled(each, known) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, known) for each in value]
    if not isinstance(value, str):
        return value

    def word(match: re.Match[str]) -> str:
        start, end = (int(match[group]) if match[group] else None for group in (3, 4))
        return str(known[match[1] or match[2]])[start:end]

    return _WORD.sub(word, value)


def entries(folder: Path, schema: str, service: str) -> Iterator[tuple[Path, dict, dict]]:
    """The cases of a folder's files that are for a service: the file, its content, the case with its words filled in.

    A case is for the services that have all of its words. Raises ContractError.
    """
    known, ids = words(service), []
    for path in sorted(folder.glob("*.yaml")):
        content = files.read(path, schema)
        for entry in content["cases"]:
            ids.append((path.stem, entry["id"]))
            used = words_in(json.dumps(entry))
            if missing := used - every_word():
                raise files.ContractError(f"{path}: case {entry['id']}: no service has {sorted(missing)}")
            if used <= known.keys():
                yield path, content, filled(entry, known)
    files.no_doubles(folder, "case", ids)


def request_of(text: str) -> Request:
    """The request that a file gives as `METHOD target`, or as `METHOD target JSON`."""
    method, target, *body = text.split(" ", 2)
    fields = (("Content-Type", "application/json"),) if body else ()
    return Request(method, target, fields, body[0].encode() if body else None)


def parts(send: str | list) -> tuple[Part, ...]:
    """The parts that a file gives as one text or as a list; a character is a byte (Latin-1)."""
    return tuple(map(_part, send if isinstance(send, list) else [send]))


def _part(part: str | dict[str, Any]) -> Part:
    if isinstance(part, str):
        return part.encode("latin-1")
    return part["repeat"].encode("latin-1") * int(part["times"]) if "repeat" in part else part


def methods(sent: Iterable[Part]) -> list[str]:
    """The methods of the requests in the parts, as far as their request lines can be found."""
    data = b"".join(part for part in sent if isinstance(part, bytes))
    return [match[1].decode() for match in _REQUEST_LINE.finditer(data)]


@dataclass
class Observed:
    """What came back: whole answers (interim ones among them), what is none, and what became of the connection."""

    answers: list[Response] = field(default_factory=list)
    unread: bytes = b""
    end: str | None = None
    """OPEN, CLOSED, SILENT, a sentence about what is wrong, or None if the client left first."""

    def __str__(self) -> str:
        lines = [compact(answer.raw, 1500) for answer in self.answers]
        lines += [f"{compact(self.unread, 1500)}, which is no whole answer"] if self.unread else []
        return "\n  ".join([*lines, f"then: {self.end or 'not looked'}"])


def play(target: Target, sent: Iterable[Part], asked: Sequence[str], patience: float = PATIENCE) -> Observed:
    """Send the parts on one connection, and receive an answer for each of the methods `asked`."""
    seen = Observed()
    with connect(target, patience) as connection:
        try:
            half_closed, ended = _send(connection, sent, asked, seen)
            if ended:
                return seen
            while _finals(seen) < len(asked):
                seen.answers.append(connection.receive(asked[_finals(seen)], interim=True))
        except ExchangeError as error:
            seen.end, seen.unread = end_of(error), connection.unread
            return seen
        watch_the_end(connection, seen, half_closed=half_closed)
    return seen


def _finals(seen: Observed) -> int:
    return sum(answer.status >= 200 for answer in seen.answers)


def _send(connection: Connection, sent: Iterable[Part], asked: Sequence[str], seen: Observed) -> tuple[bool, bool]:
    """Send, and await interim answers; whether the client then half-closed, and whether it was refused or left."""
    half_closed = False
    for part in sent:
        try:
            if isinstance(part, bytes):
                connection.send_raw(part)
            elif "pause" in part:
                time.sleep(part["pause"])
            elif "half_close" in part:
                connection.half_close()
                half_closed = True
            elif "vanish" in part:
                connection.abort()
                return half_closed, True
        except ConnectionClosed:
            break  # What it answered before it closed is still to be read.
        if isinstance(part, dict) and "await" in part:
            seen.answers.append(connection.receive((*asked[_finals(seen) :], "GET")[0], interim=True))
            if seen.answers[-1].status >= 200:
                # The rest was not asked for, and a client need not send it (RFC 9110, 10.1.1).
                return half_closed, True
    return half_closed, False


def end_of(error: ExchangeError) -> str:
    """What became of a connection that ended so."""
    return {ConnectionClosed: CLOSED, Timeout: SILENT}.get(type(error), str(error))


def watch_the_end(connection: Connection, seen: Observed, *, half_closed: bool = False) -> None:
    """Whether the connection is closed, or answers one more request; what it answers before that is seen as well."""
    if half_closed or any(map(says_close, seen.answers[-1:])):
        seen.end = CLOSED if connection.closed_by_peer(connection.timeout) else "neither closed nor used"
    else:
        try:
            connection.send(HEALTH)
            while (answer := connection.receive("GET")).status != 200:
                seen.answers.append(answer)
            seen.end = OPEN
            connection.settle()
        except ExchangeError as error:
            seen.end = end_of(error)
    seen.unread = connection.unread


def says_close(response: Response) -> bool:
    """Whether the server says that it closes the connection after this response."""
    return any(
        option.strip().lower() == "close" for value in response.values("Connection") for option in value.split(",")
    )
