"""Calls generated from `openapi.yaml` to all servers in lockstep: every answer against the contract's.

Every server has a room of its own, to which other tests write at the same time. So a message has an id of its own on
each server, and of the messages shown those that were posted here must be there as they are; others only look right.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

import pytest
from generated import EXPLORE, check_all, each_of
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test
from lockstep import Lockstep
from openapi_requests import Call, erroneous, has_errors, valid
from request_strategies import Sent

from chat import model
from chat.model import Room
from chat.sockets.room import transport_of
from chat.strategies import LISTEN, OPERATIONS, OWN, POST, PRESENCE, READ, WAIT
from samewire.http import ExchangeError, Request, Response
from samewire.outcomes import Blamed
from samewire.target import Target

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(240 + EXPLORE)]

Ids = Mapping[str, int]
"""A message's id on each server."""


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)
        self.rooms = {target.name: Room() for target in targets}
        """What is known of each server's room: its id, its last id at least, and what was posted here."""

    def check(self, call: Call) -> Ids:
        """Send a call to every target; the id of what it posted on each. Blamed if an answer is wrong."""
        return self.send(dict.fromkeys(self.rooms, call.sent), call.error)

    def send(self, sent: Mapping[str, Sent], error: int | None = None) -> Ids:
        """`check` with a request for each target."""
        answers = self.lockstep.ask({name: one.on_the_wire() for name, one in sent.items()})
        problems = {name: self._problems(name, sent[name].request, answers[name], error) for name in answers}
        if any(problems.values()):
            raise self._blame(sent, answers, problems, error)
        ids = {}
        for name, one in sent.items():
            known = self.rooms[name]
            room = model.shown_by(one.request, answers[name], known)[0]
            if answers[name].status == 201:
                known = room = model.room_after(one.request, replace(room, messages=known.messages))
                ids[name] = room.last
            # Others' messages are nothing to remember.
            self.rooms[name] = replace(room, messages=known.messages, last=max(known.last, room.last))
        return ids

    def _problems(self, name: str, request: Request, answer: Response | ExchangeError, error: int | None) -> list[str]:
        if isinstance(answer, ExchangeError):
            return [f"no answer: {answer}"]
        if error:
            return model.problems_of(request, model.problem(error), answer)
        return model.judge(request, answer, self.rooms[name])

    def _blame(self, sent: Mapping, answers: Mapping, problems: Mapping[str, list[str]], error: int | None) -> Blamed:
        first = next(name for name in problems if problems[name])
        expected = model.problem(error) if error else model.answer(sent[first].request, self.rooms[first])
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        columns = {**({"the contract": expected} if expected else {}), **whole}
        return self.lockstep.blame(problems, sent[first].on_the_wire(), columns)


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


@pytest.mark.parametrize("operation", [READ, POST], ids=lambda one: one.id)
def test_valid_calls(comparison: Comparison, operation) -> None:
    check_all(comparison.check, valid(operation, OWN), 150)


@pytest.mark.parametrize("operation", [READ, POST], ids=lambda one: one.id)
def test_named_errors(comparison: Comparison, operation) -> None:
    check_all(comparison.check, erroneous(operation, OWN), 150)


@pytest.fixture
def of_polling(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison([one for one in targets if transport_of(one) == "polling"])
    with compared.lockstep:
        yield compared


@pytest.mark.transports("polling")
@pytest.mark.parametrize("operation", [WAIT, LISTEN], ids=lambda one: one.id)
def test_named_errors_of_polling(of_polling: Comparison, operation) -> None:
    check_all(of_polling.check, erroneous(operation, OWN), 100)


def test_every_operation_with_errors_is_here() -> None:
    assert {one.id for one in OPERATIONS.values() if has_errors(one)} == {one.id for one in (READ, POST, LISTEN)}


class Sequences(RuleBasedStateMachine):
    """Messages are posted and asked for in any order, well and badly."""

    comparison: ClassVar[Comparison]
    posted = Bundle("posted")

    @rule(target=posted, call=valid(POST, OWN))
    def post(self, call: Call) -> Ids:
        """A POST."""
        return self.comparison.check(call)

    @rule(
        method=st.sampled_from(["GET", "GET", "GET", "HEAD"]),
        user=st.sampled_from(["", "", "&user=ana"]),
        before=st.integers(0, 3),
        ids=posted,
    )
    def read(self, method: str, user: str, before: int, ids: Ids) -> None:
        """What came after a message, or from a little before it on."""
        since = {name: max(0, id_ - before) for name, id_ in ids.items()}
        self.comparison.send(
            {name: Sent(Request(method, f"/messages?after={id_}{user}")) for name, id_ in since.items()}
        )

    @rule(call=st.one_of(erroneous(POST, OWN), erroneous(READ, OWN)))
    def fail(self, call: Call) -> None:
        """A call with something wrong."""
        self.comparison.check(call)

    @rule(call=valid(PRESENCE))
    def look_around(self, call: Call) -> None:
        """Who is here."""
        self.comparison.check(call)

    @rule()
    def reconnect(self) -> None:
        """What was posted does not depend on the connection."""
        self.comparison.lockstep.hang_up()


def test_sequences_of_requests(comparison: Comparison) -> None:
    machine = type("Sequences", (Sequences,), {"comparison": comparison})
    each_of(lambda how: run_state_machine_as_test(machine, settings=how), 30, stateful_step_count=30)
