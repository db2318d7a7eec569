"""Generated requests to all servers in lockstep: every answer against the model's and the other servers'.

Every server has a database of its own, to which other tests write at the same time. So the same todo has an id of its
own on each server, requests are written with `{0}` where it belongs, and in a list only the todos are judged that were
made here: others' have to look right. Pages that are known to the last item are in test_lists.py.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import pytest
from common_rules import readings
from generated import EXPLORE, check_all, each_of
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, multiple, rule, run_state_machine_as_test
from lockstep import Lockstep, disagreements, is_refused
from request_strategies import JSON, PATH_CHARACTERS, QUERY_CHARACTERS, Sent, framings

from samewire.http import ExchangeError, Request, Response
from samewire.pytest_plugin import Blamed
from samewire.target import Target
from todo import model, strategies
from todo.model import Todo

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(240 + EXPLORE)]

Ids = Mapping[str, int]
"""A todo's id on each server."""


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)
        self.todos: dict[str, dict[int, Todo]] = {target.name: {} for target in targets}
        """What was made here, on each server."""

    def check(self, sent: Sent, *named: Ids) -> Ids:
        """Send one request to every target; the id of what it made on each, if it made something.

        `{0}`, `{1}` … in its path stand for the ids of the todos named. Blamed if an answer is wrong.
        """
        own = {name: [str(ids[name]) for ids in named] for name in self.todos}
        asked = {name: _filled(sent, ids) if ids else sent for name, ids in own.items()}
        doubt = next(model.wire_matter(one.request) for one in asked.values())
        if doubt:
            self.lockstep.hang_up()
        answers = self.lockstep.ask({name: one.on_the_wire() for name, one in asked.items()})
        if doubt:
            self.lockstep.hang_up()
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        fresh = {name: id_ for name, answer in whole.items() if (id_ := model.fresh_id(answer))}
        problems = {}
        for name, answer in answers.items():
            request = asked[name].request
            if doubt:
                problems[name] = self._doubtful_problems(name, request, answer)
            elif isinstance(answer, ExchangeError):
                problems[name] = [f"no answer: {answer}"]
            else:
                problems[name] = model.judge(request, answer, self.todos[name])
        if not doubt and not any(map(_shows_others, asked.values())):
            alike = {name: _without_ids(answer) for name, answer in whole.items()}
            for name, problem in disagreements({name: one.request for name, one in asked.items()}, alike):
                # Against the contract it has been said already.
                problems[name] += [] if problems[name] else [problem]
        if any(problems.values()):
            raise self._blame(asked, whole, problems, doubt)
        if not doubt:
            for name, one in asked.items():
                self.todos[name] = model.held_after(one.request, self.todos[name], fresh.get(name, model.NOT_MADE))
        return fresh

    def _doubtful_problems(self, name: str, request: Request, answer: Response | ExchangeError) -> list[str]:
        """The rule for wire matters: a 4xx, a closed connection, or the answer of the path as a stack may read it."""
        if is_refused(answer):
            return []
        if isinstance(answer, ExchangeError):
            return [f"neither an answer nor a closed connection: {answer}"]
        query = request.path.partition("?")[2]
        paths = readings(request.path)
        read = [replace(request, path=path) for path in [*paths, *(f"{path}?{query}" for path in paths if query)]]
        if any(not model.judge(one, answer, self.todos[name]) for one in read):
            return []
        return [f"status {answer.status}: neither a 4xx nor the answer of any reading of the path"]

    def _blame(
        self,
        sent: Mapping[str, Sent],
        answers: Mapping[str, Response],
        problems: Mapping[str, list[str]],
        doubt: str | None,
    ) -> Blamed:
        first = next(name for name in problems if problems[name])
        one = sent[first]
        note = f"a wire matter, {doubt}: a 4xx, a closed connection or the path's own answer would do" if doubt else ""
        columns = {"the contract": model.answer(one.request, self.todos[first]), **answers}
        return self.lockstep.blame(problems, one.on_the_wire(), columns, note)


def _filled(sent: Sent, ids: Sequence[str]) -> Sent:
    return replace(sent, request=replace(sent.request, path=sent.request.path.format(*ids)))


def _shows_others(sent: Sent) -> bool:
    """Whether the answer depends on todos that other tests may have made."""
    page = model.page_asked_for(sent.request)
    return page is not None and page[1] < strategies.NOBODYS


def _without_ids(response: Response) -> Response:
    """The response with 0 for every id, and without its length, which an id has a part in."""
    headers = tuple(
        (name, re.sub(r"[0-9]+$", "0", value) if name.lower() == "location" else value)
        for name, value in response.headers
        if name.lower() != "content-length"
    )
    return replace(response, headers=headers, body=re.sub(rb'"(id|next)":[0-9]+', rb'"\1":0', response.body))


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


def test_any_path_looked_up(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.lookups(), 300)


def test_any_parameters(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.lists(), 300)


def test_any_method_on_any_path(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.methods_and_paths(), 200)


def test_any_body_written(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.writings(strategies.segments()), 400)


def test_doubtful_requests_do_no_harm(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.doubtful(), 200)


@pytest.mark.parametrize(
    "form", ["/{}", "/todos/{}", f"/todos/{model.LARGEST}{{}}", f"/todos/{{}}{model.LARGEST}", "/todos{}"]
)
def test_every_byte_in_a_path(comparison: Comparison, form: str) -> None:
    for byte in range(256):
        if form != "/todos/{}" or chr(byte) not in "123456789":
            comparison.check(Sent(Request("GET", form.format(f"%{byte:02x}"))))
    for character in PATH_CHARACTERS:
        if form != "/todos/{}" or character not in "123456789":
            comparison.check(Sent(Request("HEAD", form.format(character))))


@pytest.mark.parametrize("form", ["limit={}", "limit=1{}", "limit={}1", "{}limit=0", "limit{}=0", "after={}1"])
def test_every_byte_in_a_parameter(comparison: Comparison, form: str) -> None:
    for byte in range(256):
        query = form.format(f"%{byte:02x}")
        comparison.check(Sent(Request("GET", f"/todos?{query}&after={model.LARGEST}")))
    for character in QUERY_CHARACTERS:
        query = form.format(character)
        comparison.check(Sent(Request("HEAD", f"/todos?{query}&after={model.LARGEST}")))


@pytest.mark.parametrize("form", ["{}", "a{}", "{}a"])
def test_every_character_in_a_title(comparison: Comparison, form: str) -> None:
    blank = "\u1680\u180e\u2000\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
    odd = "\ud7ff\ue000\ufdd0\ufffd\uffff\U00010000\U0010ffff"
    for character in [*map(chr, range(0x100)), *blank, *odd]:
        comparison.check(Sent(Request("POST", "/todos", JSON, strategies.spelled(Todo(form.format(character))))))


NEAR_PATHS = """
    /todos/{0} /todos/{0} /todos/{0} /todos/{0}?limit=0 /%74odos/{0} /todos/{0}/ /todos/0{0} /todos/+{0} /todos/-{0}
    /todos/{0}.0 /todos/{0}%20 /todos/{0}%0A /todos/%30{0} /{0} /todos/{0}/{0}
""".split()  # noqa: SIM905


class Sequences(RuleBasedStateMachine):
    """Todos are made, listed, read, replaced, changed and deleted in any order, well and badly."""

    comparison: ClassVar[Comparison]
    made = Bundle("made")
    deleted = Bundle("deleted")

    @rule(target=made, todo=strategies.todos(), chunks=framings())
    def make(self, todo: Todo, chunks: tuple[int, ...] | None) -> Ids:
        """A good POST."""
        ids = self.comparison.check(Sent(Request("POST", "/todos", JSON, strategies.spelled(todo)), chunks))
        assert ids, f"the model refuses what the strategy calls good: {todo}"
        return ids

    @rule(target=made, sent=strategies.writings(strategies.segments()))
    def try_to_make(self, sent: Sent) -> object:
        """Any POST, and any PUT and PATCH of nothing."""
        ids = self.comparison.check(sent)
        return multiple(*([ids] if ids else []))

    @rule(
        method=st.sampled_from(["PUT", "PATCH"]),
        body=st.one_of(strategies.good_bodies(), strategies.near_bodies(), strategies.bodies()),
        content=st.one_of(st.just(JSON), st.just(JSON), strategies.content_fields()),
        chunks=framings(),
        ids=made,
    )
    def write(self, method: str, body: bytes, content: tuple, chunks: tuple[int, ...] | None, ids: Ids) -> None:
        """A PUT or a PATCH, good or bad, and what the todo is then."""
        self.comparison.check(Sent(Request(method, "/todos/{0}", content, body), chunks), ids)
        self.comparison.check(Sent(Request("GET", "/todos/{0}")), ids)

    @rule(
        member=st.sampled_from(["title", "completed"]),
        todo=strategies.todos(),
        ids=made,
    )
    def change(self, member: str, todo: Todo, ids: Ids) -> None:
        """A good PATCH of one member."""
        value = getattr(todo, member)
        body = strategies.spelled_members({member: value})
        self.comparison.check(Sent(Request("PATCH", "/todos/{0}", JSON, body)), ids)

    @rule(
        method=st.sampled_from(["GET", "GET", "HEAD", "POST", "OPTIONS"]),
        form=st.sampled_from(NEAR_PATHS),
        ids=st.one_of(made, made, deleted),
    )
    def ask_for(self, method: str, form: str, ids: Ids) -> None:
        """A todo that was made, or a path that is nearly its own."""
        self.comparison.check(Sent(Request(method, form)), ids)

    @rule(target=deleted, ids=consumes(made), body=st.one_of(st.none(), st.none(), strategies.bodies()))
    def delete(self, ids: Ids, body: bytes | None) -> Ids:
        """A DELETE, with or without a body."""
        self.comparison.check(Sent(Request("DELETE", "/todos/{0}", JSON if body is not None else (), body)), ids)
        return ids

    @rule(
        method=st.sampled_from(["GET", "PUT", "PATCH", "DELETE"]),
        body=st.one_of(strategies.good_bodies(), strategies.near_bodies()),
        ids=deleted,
    )
    def use_what_is_gone(self, method: str, body: bytes, ids: Ids) -> None:
        """Whatever is asked of a todo that was deleted."""
        self.comparison.check(Sent(Request(method, "/todos/{0}", JSON, body)), ids)

    @rule(
        method=st.sampled_from(["GET", "GET", "GET", "HEAD"]),
        limit=st.sampled_from(["", "", "&limit=1", "&limit=2", "&limit=3", "&limit=100"]),
        before=st.booleans(),
        ids=st.one_of(made, made, deleted),
    )
    def list_from(self, method: str, limit: str, before: bool, ids: Ids) -> None:
        """A page that begins with a todo, or after it."""
        start = {name: id_ - 1 for name, id_ in ids.items()} if before else ids
        self.comparison.check(Sent(Request(method, "/todos?after={0}" + limit)), start)

    @rule(sent=st.one_of(strategies.lists(), strategies.lookups()))
    def look_up(self, sent: Sent) -> None:
        """Any list, and any path that has nothing to do with the todos made here."""
        self.comparison.check(sent)

    @rule()
    def reconnect(self) -> None:
        """What was made does not depend on the connection."""
        self.comparison.lockstep.hang_up()


def test_sequences_of_requests(comparison: Comparison) -> None:
    machine = type("Sequences", (Sequences,), {"comparison": comparison})
    each_of(lambda how: run_state_machine_as_test(machine, settings=how), 30, stateful_step_count=30)
