"""Calls generated from `openapi.yaml` to all servers in lockstep: every answer against the contract's.

Every server has a database of its own, to which other tests write at the same time. So the same todo has an id of its
own on each server, and in a list only the todos are judged that were made here: others' have to look right.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

import pytest
from generated import EXPLORE, check_all, each_of
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, rule, run_state_machine_as_test
from lockstep import Lockstep
from openapi_requests import Call, erroneous, has_errors, valid
from request_strategies import Sent

from samewire.http import ExchangeError, Request, Response
from samewire.outcomes import Blamed
from samewire.target import Target
from todo import model, strategies
from todo.model import Todo
from todo.strategies import CHANGE, DELETE, LIST, MAKE, OPERATIONS, OWN, READ, REPLACE

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(240 + EXPLORE)]

Ids = Mapping[str, int]
"""A todo's id on each server."""


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)
        self.todos: dict[str, dict[int, Todo]] = {target.name: {} for target in targets}
        """What was made here, on each server."""

    def check(self, call: Call, ids: Ids | int = model.NOT_MADE) -> Ids:
        """Send a call to every target, about the todo with this id; the id of what it made on each.

        Blamed if an answer is wrong.
        """
        own = {name: ids if isinstance(ids, int) else ids[name] for name in self.todos}
        return self.send({name: call.at(id=id_) for name, id_ in own.items()}, call.error)

    def send(self, sent: Mapping[str, Sent], error: int | None = None) -> Ids:
        """`check` with a request for each target."""
        answers = self.lockstep.ask({name: one.on_the_wire() for name, one in sent.items()})
        problems = {name: self._problems(name, sent[name].request, answers[name], error) for name in answers}
        if any(problems.values()):
            raise self._blame(sent, answers, problems, error)
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        fresh = {name: id_ for name, answer in whole.items() if (id_ := model.fresh_id(answer))}
        for name, one in sent.items() if not error else ():
            self.todos[name] = model.held_after(one.request, self.todos[name], fresh.get(name, model.NOT_MADE))
        return fresh

    def _problems(self, name: str, request: Request, answer: Response | ExchangeError, error: int | None) -> list[str]:
        if isinstance(answer, ExchangeError):
            return [f"no answer: {answer}"]
        if error:
            return model.problems_of(request, model.problem(error), answer)
        return model.judge(request, answer, self.todos[name])

    def _blame(self, sent: Mapping, answers: Mapping, problems: Mapping[str, list[str]], error: int | None) -> Blamed:
        first = next(name for name in problems if problems[name])
        request = sent[first].request
        expected = model.problem(error) if error else model.answer(request, self.todos[first])
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        columns = {**({"the contract": expected} if expected else {}), **whole}
        return self.lockstep.blame(problems, sent[first].on_the_wire(), columns)


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


@pytest.mark.parametrize("operation", [LIST, MAKE], ids=lambda one: one.id)
def test_valid_calls(comparison: Comparison, operation) -> None:
    check_all(comparison.check, valid(operation, OWN), 100)


@pytest.mark.parametrize("operation", [one for one in OPERATIONS.values() if has_errors(one)], ids=lambda one: one.id)
def test_named_errors(comparison: Comparison, operation) -> None:
    """A call with one thing wrong: it gets the error's status, whether there is such a todo or not."""
    made = comparison.check(_make(Todo("there")))
    check_all(lambda call: comparison.check(call, made), erroneous(operation, OWN), 100)
    comparison.send({name: Sent(Request("GET", f"/todos/{id_}")) for name, id_ in made.items()})


@pytest.mark.parametrize("operation", [READ, REPLACE, CHANGE, DELETE], ids=lambda one: one.id)
def test_no_such_todo(comparison: Comparison, operation) -> None:
    both = st.tuples(valid(operation, OWN), strategies.nobodys_ids())
    check_all(lambda one: comparison.check(*one), both, 40)


def _make(todo: Todo) -> Call:
    sent = Sent(Request("POST", "/todos", (("Content-Type", "application/json"),), strategies.spelled_todo(todo)))
    return Call(MAKE, sent)


class Sequences(RuleBasedStateMachine):
    """Todos are made, listed, read, replaced, changed and deleted in any order, well and badly."""

    comparison: ClassVar[Comparison]
    made = Bundle("made")
    deleted = Bundle("deleted")

    @rule(target=made, call=valid(MAKE, OWN))
    def make(self, call: Call) -> Ids:
        """A POST."""
        return self.comparison.check(call)

    @rule(call=st.one_of(valid(READ), valid(REPLACE, OWN), valid(CHANGE, OWN)), ids=st.one_of(made, made, deleted))
    def read_or_write(self, call: Call, ids: Ids) -> None:
        """A GET, PUT or PATCH of a todo, and what it is then."""
        self.comparison.check(call, ids)
        self.comparison.check(Call(READ, Sent(Request("GET", READ.path))), ids)

    @rule(call=st.one_of(*map(lambda one: erroneous(one, OWN), (LIST, MAKE, REPLACE, CHANGE))), ids=made)
    def fail(self, call: Call, ids: Ids) -> None:
        """A call with something wrong changes nothing."""
        self.comparison.check(call, ids)
        self.comparison.check(Call(READ, Sent(Request("GET", READ.path))), ids)

    @rule(ids=made)
    def head(self, ids: Ids) -> None:
        """HEAD is GET without the body."""
        self.comparison.check(Call(READ, Sent(Request("HEAD", READ.path))), ids)

    @rule(target=deleted, ids=consumes(made))
    def delete(self, ids: Ids) -> Ids:
        """A DELETE."""
        self.comparison.check(Call(DELETE, Sent(Request("DELETE", DELETE.path))), ids)
        return ids

    @rule(ids=deleted)
    def delete_again(self, ids: Ids) -> None:
        """A DELETE of what is gone."""
        self.comparison.check(Call(DELETE, Sent(Request("DELETE", DELETE.path))), ids)

    @rule(
        method=st.sampled_from(["GET", "GET", "HEAD"]),
        limit=st.sampled_from(["", "&limit=1", "&limit=2", "&limit=3", "&limit=100"]),
        before=st.booleans(),
        ids=st.one_of(made, made, deleted),
    )
    def list_from(self, method: str, limit: str, before: bool, ids: Ids) -> None:
        """A page that begins with a todo, or after it."""
        after = {name: id_ - before for name, id_ in ids.items()}
        sent = {name: Sent(Request(method, f"/todos?after={id_}{limit}")) for name, id_ in after.items()}
        self.comparison.send(sent)

    @rule()
    def reconnect(self) -> None:
        """What was made does not depend on the connection."""
        self.comparison.lockstep.hang_up()


def test_sequences_of_requests(comparison: Comparison) -> None:
    machine = type("Sequences", (Sequences,), {"comparison": comparison})
    each_of(lambda how: run_state_machine_as_test(machine, settings=how), 30, stateful_step_count=30)
