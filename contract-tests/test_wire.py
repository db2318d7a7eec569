"""What ordinary clients do on a connection: `wire/*.yaml`, on raw sockets.

`$word` in a case is the service's own (`<service>/wire.yaml`); a case is for the services that have all of its words.
`must` has the answers in order, each a status or a request whose answer it is, and at its end what becomes of the
connection. A case is sent at once, byte by byte if it is short and, with `in_two`, in two parts cut at every place.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import pytest

from samewire.contract import wire
from samewire.contract.models import model_of
from samewire.contract.wire import CLOSED, OPEN, Observed, Part, play
from samewire.http import Response, compact
from samewire.paths import CONTRACTS
from samewire.pytest_plugin.selection import selected
from samewire.target import Target

pytestmark = pytest.mark.layer("wire")


@dataclass(frozen=True)
class Case:
    """One case: what is sent, the answers in order, and what becomes of the connection (None: either will do)."""

    id: str
    why: str
    send: tuple[Part, ...]
    must: tuple[int | str, ...]
    end: str | None
    in_two: bool

    @property
    def waits(self) -> bool:
        """Whether its client makes pauses."""
        return any("pause" in part for part in self.send if isinstance(part, dict))

    @property
    def data(self) -> bytes | None:
        """All that is sent, if it is bytes alone."""
        return b"".join(self.send) if all(isinstance(part, bytes) for part in self.send) else None


@cache
def read_cases(service: str) -> tuple[Case, ...]:
    """The cases of all files that are for a service. Raises ContractError."""
    found = []
    for _, _, entry in wire.entries(CONTRACTS / "wire", "wire.schema.json", service):
        must = [item for item in entry["must"] if item not in (OPEN, CLOSED)]
        end = next((item for item in entry["must"] if item in (OPEN, CLOSED)), None)
        send = wire.parts(entry["send"])
        found.append(Case(entry["id"], entry["why"], send, tuple(must), end, entry.get("in_two", False)))
    return tuple(found)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every case for every server of its service."""
    pairs = [
        pytest.param(one.name, case, id=f"{one.name}-{case.id}", marks=[pytest.mark.waits] if case.waits else [])
        for one in selected(metafunc.config)
        for case in read_cases(one.service)
        if case.in_two or metafunc.function is test_wire
    ]
    metafunc.parametrize(("target", "case"), pairs, indirect=["target"])


def check(target: Target, case: Case, parts: Iterable[Part], how: str) -> None:
    """Play the case with these parts. AssertionError if it goes wrong, with all there is to know."""
    finals = [one for one in case.must if one != 100]
    seen = play(target, parts, [one.partition(" ")[0] if isinstance(one, str) else "GET" for one in finals])
    problems = _problems(target, case, seen)
    if problems:
        sent = "\n  ".join(compact(part, 1500) if isinstance(part, bytes) else str(part) for part in case.send)
        expected = ", ".join(map(str, [*case.must, case.end or "open or closed"]))
        lines = [f"{target.name}: {case.id}, {how}", case.why, *problems, f"expected: {expected}"]
        raise AssertionError("\n".join([*lines, f"sent:\n  {sent}", f"received:\n  {seen}"]))


def _problems(target: Target, case: Case, seen: Observed) -> list[str]:
    problems = [f"bytes that are no answer: {compact(seen.unread, 300)}"] if seen.unread else []
    if seen.end not in (OPEN, CLOSED) or case.end not in (None, seen.end):
        problems.append(f"the connection is {seen.end} instead of {case.end or 'open or closed'}")
    if len(seen.answers) != len(case.must):
        problems.append(f"{len(seen.answers)} answers instead of {len(case.must)}")
    for number, (one, answer) in enumerate(zip(case.must, seen.answers, strict=False), 1):
        problems += [f"answer {number}, {one}: {problem}" for problem in _wrong(target, one, answer)]
    return problems


def _wrong(target: Target, one: int | str, answer: Response) -> list[str]:
    """What is wrong with an answer that should be `one`."""
    if isinstance(one, int):
        return [] if answer.status == one else [f"status {answer.status} instead of {one}"]
    return model_of(target.service).judge(wire.request_of(one), answer)


def test_wire(target: Target, case: Case) -> None:
    check(target, case, case.send, "sent at once")
    if case.data and len(case.data) < 1000:
        check(target, case, (case.data[place : place + 1] for place in range(len(case.data))), "sent byte by byte")


def test_in_two_parts(target: Target, case: Case) -> None:
    for place in range(1, len(case.data)):
        parts = (case.data[:place], {"pause": 0.001}, case.data[place:])
        check(target, case, parts, f"cut after {place} bytes")
