"""What goes over the wire, byte by byte: `wire/*.yaml`, on raw sockets.

`$word` in a case is the service's own (`<service>/wire.yaml`); a case is for the services that have all of its words.

A case has `must`, which every stack answers alike, or `may`: there the stack decides before its application sees the
request, and the rule is a refusal (a 4xx, or what RFC 9112 names for what a server does not implement: 501, 505), a
closed connection, or one of the answers in `may`, those of the path as a stack may read it; never silence. What each
stack does of that is pinned under the name its manifests have for the web framework or the HTTP server. Where a stack
itself breaks a rule, `deviates` pins what it does, with the reason. After every case the server must answer a new
connection, and an open connection must answer the next request and nothing else.
"""

import contextlib
import importlib
import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import pytest
from lockstep import says_close

from samewire.contract import files
from samewire.contract.compare import differences, response_problems
from samewire.http import (
    Connection,
    ConnectionClosed,
    ExchangeError,
    ProtocolError,
    Request,
    Response,
    Timeout,
    compact,
    connect,
    exchange,
)
from samewire.lab import Lab
from samewire.paths import CONTRACTS
from samewire.pytest_plugin import selected
from samewire.target import Target

pytestmark = pytest.mark.layer("wire")

PATIENCE = 5.0
"""Seconds without an answer after which a connection counts as silent."""

HEALTH = Request("GET", "/healthz")
OPEN, CLOSED, SILENT = "open", "closed", "silent"
REFUSALS = {*range(400, 500), 501, 505}
WITHOUT_HEAD = "HTTP/0.9 "
"""What an answer without a head begins with in a case: only the body came, then the end."""

Part = bytes | dict[str, Any]


@dataclass(frozen=True)
class Expected:
    """Answers in order, each a status, a request whose answer it is, or None for any; `end` is None for either, too."""

    answers: tuple[int | str | None, ...]
    end: str | None
    unread: bytes = b""

    @classmethod
    def read(cls, items: list[int | str]) -> Self:
        """From the list of a case."""
        if str(items[:1]).startswith(f"['{WITHOUT_HEAD}"):
            return cls((), None, str(items[0]).removeprefix(WITHOUT_HEAD).encode())
        end = next((item for item in items if item in (OPEN, CLOSED)), None)
        answers: list[int | str] = []
        for item in items:
            times, _, one = item.rpartition(" × ") if isinstance(item, str) else ("", "", item)
            one = int(one) if isinstance(one, str) and one.isdecimal() else one  # a status that is the service's own
            answers += [one] * int(times or 1) if item != end else []
        return cls(tuple(answers), end)

    def __str__(self) -> str:
        if self.unread:
            return f"{WITHOUT_HEAD}{self.unread!r}"
        return ", ".join(map(str, [*self.answers, self.end or "open or closed"]))


@dataclass(frozen=True)
class Case:
    """One case of a file."""

    file: Path
    id: str
    why: str
    send: tuple[Part, ...]
    must: Expected | None
    may: tuple[int | str, ...] | None
    requests: int
    pinned: dict[str, Expected]
    deviates: dict[str, Expected]
    alone: tuple[str, ...]
    in_two: bool
    by_chance: bool

    @property
    def waits(self) -> bool:
        """Whether its client makes pauses."""
        return any("pause" in part for part in self.send if isinstance(part, dict))

    @property
    def data(self) -> bytes | None:
        """All that is sent, if it is bytes alone."""
        return b"".join(self.send) if all(isinstance(part, bytes) for part in self.send) else None


_WORD = re.compile(r"\$([a-z_]+)|\$\{([a-z_]+)\[(\d*):(\d*)\]\}")


def _word_files() -> Iterator[Path]:
    return CONTRACTS.glob("*/wire.yaml")


@cache
def read_words(service: str) -> dict[str, str | int]:
    """What the words of the cases stand for in a service; none if it has no `wire.yaml`. Raises ContractError."""
    path = CONTRACTS / service / "wire.yaml"
    return files.read(path, "words.schema.json")["words"] if path.exists() else {}


@cache
def read_cases(service: str) -> tuple[Case, ...]:
    """The cases of all files that are for a service. Raises ContractError."""
    words, every_word = read_words(service), set().union(*(read_words(path.parent.name) for path in _word_files()))
    cases, ids = [], []
    for file in sorted((CONTRACTS / "wire").glob("*.yaml")):
        for case in files.read(file, "wire.schema.json")["cases"]:
            ids.append(case["id"])
            used = {match[1] or match[2] for match in _WORD.finditer(json.dumps(case))}
            if used - every_word:
                raise files.ContractError(f"{file}: case {case['id']}: no service has {sorted(used - every_word)}")
            if used - words.keys():
                continue
            case = _filled(case, words)
            send = case["send"] if isinstance(case["send"], list) else [case["send"]]
            cases.append(
                Case(
                    file=file.relative_to(CONTRACTS.parent),
                    id=case["id"],
                    why=case["why"],
                    send=tuple(map(_part, send)),
                    must=Expected.read(case["must"]) if "must" in case else None,
                    may=tuple(case["may"]) if "may" in case else None,
                    requests=case.get("requests", 1),
                    pinned={stack: Expected.read(items) for stack, items in case.get("pinned", {}).items()},
                    deviates={stack: Expected.read(one["does"]) for stack, one in case.get("deviates", {}).items()},
                    alone=tuple(case.get("alone", ())),
                    in_two=case.get("in_two", False),
                    by_chance=case.get("by_chance", False),
                )
            )
    files.no_doubles(CONTRACTS / "wire", "case id", ids)
    return tuple(cases)


def _filled(value: Any, words: dict[str, str | int]) -> Any:
    """`value` with the service's words filled in everywhere."""
    if isinstance(value, dict):
        return {key: _filled(each, words) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, words) for each in value]
    if not isinstance(value, str):
        return value

    def word(match: re.Match[str]) -> str:
        start, end = (int(match[group]) if match[group] else None for group in (3, 4))
        return str(words[match[1] or match[2]])[start:end]

    return _WORD.sub(word, value)


def _part(part: str | dict[str, Any]) -> Part:
    if isinstance(part, str):
        return part.encode("latin-1")
    return part["repeat"].encode("latin-1") * int(part["times"]) if "repeat" in part else part


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every case for every server of its service."""
    pairs = [
        pytest.param(one.name, case, id=f"{one.name}-{case.id}", marks=[pytest.mark.waits] if case.waits else [])
        for one in selected(metafunc.config)
        for case in read_cases(one.service)
        if case.in_two or metafunc.function is test_wire
    ]
    metafunc.parametrize(("target", "case"), pairs, indirect=["target"])


@cache
def model_of(service: str) -> ModuleType:
    """The module that knows the service's contract."""
    return importlib.import_module(f"{service}.model")


@dataclass
class Observed:
    """What came back: whole answers (interim ones among them), what is none, and what became of the connection."""

    answers: list[Response] = field(default_factory=list)
    unread: bytes = b""
    end: str | None = None

    def __str__(self) -> str:
        lines = [compact(answer.raw, 1500) for answer in self.answers]
        lines += [f"{compact(self.unread, 1500)}, which is no whole answer"] if self.unread else []
        return "\n  ".join([*lines, f"then: {self.end or 'not looked'}"])


def play(target: Target, parts: Iterable[Part], expected: Expected) -> Observed:
    """Send the parts on one connection and watch for as many answers as are expected."""
    seen = Observed()
    methods = [one.partition(" ")[0] if isinstance(one, str) else "GET" for one in expected.answers]
    with connect(target, PATIENCE) as connection:
        try:
            half_closed, refused = _send(connection, parts, methods, seen)
            if refused:
                return seen
            for method in methods[len(seen.answers) :]:
                seen.answers.append(connection.receive(method, interim=True))
        except ExchangeError as error:
            seen.end, seen.unread = _end(error), connection.unread
            if seen.end != SILENT or seen.unread:
                return seen
            half_closed = False
        _watch_the_end(connection, seen, half_closed)
    return seen


def _send(connection: Connection, parts: Iterable[Part], methods: list[str], seen: Observed) -> tuple[bool, bool]:
    """Send, and await interim answers; whether the client then half-closed, and whether it was refused or left."""
    half_closed = False
    for part in parts:
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
            seen.answers.append(connection.receive(methods[len(seen.answers)], interim=True))
            if seen.answers[-1].status >= 200:
                # The rest was not asked for, and a client need not send it (RFC 9110, 10.1.1).
                return half_closed, True
    return half_closed, False


def _end(error: ExchangeError) -> str:
    return {ConnectionClosed: CLOSED, Timeout: SILENT, ProtocolError: str(error)}[type(error)]


def _watch_the_end(connection: Connection, seen: Observed, half_closed: bool) -> None:
    """Whether the connection is closed, or answers one more request; what it answers before that is seen as well."""
    said_close = any(map(says_close, seen.answers[-1:]))
    if half_closed or said_close:
        seen.end = CLOSED if connection.closed_by_peer(PATIENCE) else f"neither closed nor used for {PATIENCE:g} s"
    else:
        try:
            connection.send(HEALTH)
            while not _is_healthy(answer := connection.receive("GET")):
                seen.answers.append(answer)
            seen.end = OPEN
        except ExchangeError as error:
            seen.end = _end(error)
    seen.unread = connection.unread


def _is_healthy(answer: Response) -> bool:
    return (answer.status, answer.body) == (200, b'{"status":"ok"}')


class Judge:
    """Compares what one server did in one case with what the case says."""

    def __init__(self, target: Target, case: Case) -> None:
        self.target, self.case = target, case
        stack = target.server.wire_stack if target.server else ()
        self.stack = stack[-1] if stack else None
        pins = case.pinned | case.deviates
        self.pin = next((pins[name] for name in stack if name in pins), None)
        self.may_deviate = any(name in case.deviates for name in stack)
        self.expected = self.pin or case.must or Expected((case.may or (None,))[:1] * case.requests, None)

    def check(self, parts: Iterable[Part], how: str) -> None:
        """Play the case with these parts. AssertionError if it goes wrong, with all there is to know."""
        seen = play(self.target, parts, self.expected)
        problems = self._problems(seen)
        try:
            alive = exchange(self.target, HEALTH, PATIENCE)
            problems += [f"GET /healthz afterwards: {problem}" for problem in self._wrong("GET /healthz", alive)]
        except ExchangeError as error:
            problems.append(f"GET /healthz on a new connection afterwards: {error}")
        if not problems:
            return
        case = self.case
        sent = "\n  ".join(compact(part, 1500) if isinstance(part, bytes) else str(part) for part in case.send)
        lines = [f"{self.target.name}: {case.id} ({case.file}), {how}", case.why, *problems]
        lines += [f"expected: {self._expectation()}", f"sent:\n  {sent}", f"received:\n  {seen}"]
        raise AssertionError("\n".join(lines))

    def _expectation(self) -> str:
        if self.case.must or self.pin:
            return str(self.expected)
        return " or ".join(["a refusal", "a closed connection", *map(str, self.case.may)])

    def _problems(self, seen: Observed) -> list[str]:
        case, expected = self.case, self.expected
        if expected.unread:
            as_pinned = not seen.answers and seen.unread == expected.unread
            return [] if as_pinned else ["not the body without a head that is pinned"]
        problems = [f"bytes that are no answer: {compact(seen.unread, 300)}"] if seen.unread else []
        if seen.end not in (OPEN, CLOSED, None):
            problems.append(f"the connection: {seen.end}")
        if case.may is not None:
            problems += [] if self.may_deviate else self._broken_rule(seen)
            if self.stack and not self.pin and not case.by_chance:
                problems.append(
                    f"nothing is pinned for this stack. What it does now, if it may stay so: {self._line(seen)}"
                )
            if not self.pin:
                return problems
        if len(seen.answers) != len(expected.answers):
            problems.append(f"{len(seen.answers)} answers instead of {len(expected.answers)}")
        for number, (one, answer) in enumerate(zip(expected.answers, seen.answers, strict=False), 1):
            problems += [f"answer {number}, {one}: {problem}" for problem in self._wrong(one, answer)]
        if expected.end not in (None, seen.end):
            problems.append(f"the connection is {seen.end} instead of {expected.end}")
        return problems

    def _broken_rule(self, seen: Observed) -> Iterator[str]:
        """Where the rule for wire matters is broken, whatever is pinned."""
        for number, answer in enumerate(seen.answers, 1):
            if answer.status not in REFUSALS and all(self._wrong(one, answer) for one in self.case.may):
                yield f"answer {number} is a {answer.status}: no refusal, nor one that may be given: {self.case.may}"

    def _wrong(self, one: int | str, answer: Response) -> list[str]:
        """What is wrong with an answer that should be `one`."""
        if isinstance(one, int):
            return [] if answer.status == one else [f"status {answer.status} instead of {one}"]
        model = model_of(self.target.service)
        word, what, *rest = one.split(" ", 2)
        if word == "problem":
            request, expected = HEALTH, model.problem(int(what), rest[0])
            names = ("contract", "server")
            return response_problems(answer, request) + differences(expected, answer, request=request, names=names)
        fields = (("Content-Type", "application/json"),) if rest else ()
        return model.judge(Request(word, what, fields, rest[0].encode() if rest else None), answer)

    def _line(self, seen: Observed) -> str:
        """What was seen, as a line of the table of pins."""
        if seen.unread and not seen.answers:
            return f""""{self.stack}": ['{WITHOUT_HEAD}{compact(seen.unread)[2:-1]}']"""
        named = (
            next((one for one in self.case.may if not self._wrong(one, answer)), answer.status)
            for answer in seen.answers
        )
        items = [f"'{one}'" if '"' in str(one) else str(one) for one in named]
        return f'"{self.stack}": [{", ".join([*items, *([seen.end] if seen.end else [])])}]'


@contextlib.contextmanager
def server_for(case: Case, target: Target, lab: Lab) -> Iterator[Target]:
    """The server that plays the case: the common one, or one that is started for it alone."""
    if not target.server or not set(case.alone) & set(target.server.wire_stack):
        yield target
        return
    running = lab.start(target.server)
    yield running.target
    running.stop()


def test_wire(target: Target, case: Case, lab: Lab) -> None:
    with server_for(case, target, lab) as played:
        judge = Judge(played, case)
        judge.check(case.send, "sent at once")
        if case.must and not judge.pin and case.data and len(case.data) < 1000:
            judge.check((case.data[place : place + 1] for place in range(len(case.data))), "sent byte by byte")


def test_in_two_parts(target: Target, case: Case) -> None:
    judge = Judge(target, case)
    for place in range(1, len(case.data)):
        judge.check((case.data[:place], {"pause": 0.001}, case.data[place:]), f"cut after {place} bytes")
