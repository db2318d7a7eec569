"""Generated requests to all servers in lockstep: every answer against the model's and the other servers'.

Every server has a room of its own, to which other tests write at the same time. So a message has an id of its own on
each server, requests are written with `{0}` where it belongs, and of the messages shown those that were posted here
must be there as they are, the others only look right. Rooms that are known to the last message are in test_messages.py.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

import pytest
from common_rules import path_segments, readings
from generated import EXPLORE, check_all, each_of
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, multiple, rule, run_state_machine_as_test
from lockstep import Lockstep, disagreements, is_refused
from request_strategies import JSON, PATH_CHARACTERS, QUERY_CHARACTERS, Sent, framings

from chat import model, strategies
from chat.model import LARGEST, Message, Room
from samewire.http import ExchangeError, Request, Response
from samewire.pytest_plugin import Blamed
from samewire.target import Target

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(240 + EXPLORE)]

Ids = Mapping[str, int]
"""A message's id on each server."""


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)
        self.rooms = {target.name: Room() for target in targets}
        """What is known of each server's room."""

    def check(self, sent: Sent, ids: Ids | None = None) -> Ids:
        """Send one request to every target; the id of what it posted on each, if it posted something.

        `{0}` in its path stands for the id given. Blamed if an answer is wrong.
        """
        asked = {name: _filled(sent, ids[name]) if ids else sent for name in self.rooms}
        doubt = next(model.wire_matter(one.request) for one in asked.values())
        if doubt:
            self.lockstep.hang_up()
        answers = self.lockstep.ask({name: one.on_the_wire() for name, one in asked.items()})
        if doubt:
            self.lockstep.hang_up()
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        problems = {}
        for name, answer in answers.items():
            request = asked[name].request
            if doubt:
                problems[name] = self._doubtful_problems(name, request, answer)
            elif isinstance(answer, ExchangeError):
                problems[name] = [f"no answer: {answer}"]
            else:
                problems[name] = model.judge(request, answer, self.rooms[name])
        if not doubt and not _shows_others(sent.request):
            # Who is at odds with the contract, of whom it has been said already.
            others = {name: answer for name, answer in whole.items() if not problems[name]}
            alike = {name: _without_what_is_its_own(answer) for name, answer in others.items()}
            for name, problem in disagreements({name: one.request for name, one in asked.items()}, alike):
                problems[name].append(problem)
        if any(problems.values()):
            raise self._blame(asked, whole, problems, doubt)
        return {} if doubt else self._learn(asked, whole)

    def _learn(self, asked: Mapping[str, Sent], answers: Mapping[str, Response]) -> Ids:
        """Remember what right answers show of the rooms; the ids of what was posted, if something was."""
        ids = {}
        for name, answer in answers.items():
            room, _ = model.shown_by(asked[name].request, answer, self.rooms[name])
            if answer.status == 201:
                room = model.room_after(asked[name].request, room)
                ids[name] = room.last
            # Others' messages are nothing to remember.
            mine = self.rooms[name].messages if answer.status != 201 else room.messages
            self.rooms[name] = replace(room, messages=mine)
        return ids

    def _doubtful_problems(self, name: str, request: Request, answer: Response | ExchangeError) -> list[str]:
        """The rule for wire matters: a 4xx, a closed connection, or the answer of the path as a stack may read it."""
        if is_refused(answer):
            return []
        if isinstance(answer, ExchangeError):
            return [f"neither an answer nor a closed connection: {answer}"]
        query = request.path.partition("?")[2]
        paths = readings(request.path)
        read = [replace(request, path=path) for path in [*paths, *(f"{path}?{query}" for path in paths if query)]]
        if any(not model.judge(one, answer, self.rooms[name]) for one in read):
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
        one, columns = sent[first], dict(answers)
        if first in answers:
            room, _ = model.shown_by(one.request, answers[first], self.rooms[first])
            columns = {"the contract": model.answer(one.request, room)} | columns
        note = f"a wire matter, {doubt}: a 4xx, a closed connection or the path's own answer would do" if doubt else ""
        return self.lockstep.blame(problems, one.on_the_wire(), columns, note)


def _filled(sent: Sent, id_: int) -> Sent:
    return replace(sent, request=replace(sent.request, path=sent.request.path.format(id_)))


def _shows_others(request: Request) -> bool:
    """Whether the answer depends on what other tests write, on their presence, or on the transport."""
    return request.method in ("GET", "HEAD") and path_segments(request.path) in ([""], ["messages"], ["presence"])


_ITS_OWN = re.compile(rb'^\{"room":"[^"]*","id":[0-9]+')


def _without_what_is_its_own(response: Response) -> Response:
    """The response without room, id, and the length in which they have a part."""
    headers = tuple(one for one in response.headers if response.status != 201 or one[0].lower() != "content-length")
    return replace(response, headers=headers, body=_ITS_OWN.sub(b"{", response.body))


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


def test_any_path_looked_up(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.lookups(), 300)


def test_any_parameters(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.polls(), 300)


def test_any_method_on_any_path(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.methods_and_paths(), 200)


def test_any_body_posted(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.posts(), 400)


def test_doubtful_requests_do_no_harm(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.doubtful(), 200)


@pytest.mark.parametrize("form", ["/{}", "/assets/{}", "/assets/chat.js{}", "/messages{}", "/{}presence"])
def test_every_byte_in_a_path(comparison: Comparison, form: str) -> None:
    for byte in range(256):
        comparison.check(Sent(Request("GET", form.format(f"%{byte:02x}"))))
    for character in PATH_CHARACTERS:
        comparison.check(Sent(Request("HEAD", form.format(character))))


@pytest.mark.parametrize("form", ["after={}", "after=1{}", "{}after=x", "after{}=x", "user={}", "user=a{}b", "user{}="])
def test_every_byte_in_a_parameter(comparison: Comparison, form: str) -> None:
    more = f"&after={LARGEST}"  # which counts where the parameter is another's, so that nobody reads the whole room
    for byte in range(256):
        comparison.check(Sent(Request("GET", f"/messages?{form.format(f'%{byte:02x}')}{more}")))
    for character in QUERY_CHARACTERS:
        comparison.check(Sent(Request("HEAD", f"/messages?{form.format(character)}{more}")))


BLANK = "\u1680\u180e\u2000\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
ODD = "\ud7ff\ue000\ufdd0\ufffd\uffff\U00010000\U0010ffff"


@pytest.mark.parametrize("form", ["{}", "a{}", "{}a"])
def test_every_character_in_a_message(comparison: Comparison, form: str) -> None:
    for character in [*map(chr, range(0x100)), *BLANK, *ODD]:
        for message in (Message(form.format(character), "oi"), Message("ana", form.format(character))):
            comparison.check(Sent(Request("POST", "/messages", JSON, strategies.spelled(message))))


NEAR_PATHS = """
    /messages?after={0} /messages?after={0} /messages?after={0}&user=ana /%6dessages?after={0} /messages?after=%30{0}
    /messages?after={0}.0 /messages?after=+{0} /messages?after={0}&after=x /messages?after=-{0} /messages/{0}
    /messages?user=&after={0} /messages?id={0}&after={0} /{0} /presence?after={0}
""".split()  # noqa: SIM905


class Sequences(RuleBasedStateMachine):
    """Messages are posted and asked for in any order, well and badly."""

    comparison: ClassVar[Comparison]
    posted = Bundle("posted")

    @rule(target=posted, message=strategies.messages(), chunks=framings())
    def post(self, message: Message, chunks: tuple[int, ...] | None) -> Ids:
        """A good POST."""
        ids = self.comparison.check(Sent(Request("POST", "/messages", JSON, strategies.spelled(message)), chunks))
        assert ids, f"the model refuses what the strategy calls good: {message}"
        return ids

    @rule(target=posted, sent=strategies.posts())
    def try_to_post(self, sent: Sent) -> object:
        """Any POST."""
        ids = self.comparison.check(sent)
        return multiple(*([ids] if ids else []))

    @rule(
        method=st.sampled_from(["GET", "GET", "GET", "HEAD", "OPTIONS"]),
        form=st.sampled_from(NEAR_PATHS),
        before=st.integers(0, 3),
        ids=posted,
    )
    def ask_after(self, method: str, form: str, before: int, ids: Ids) -> None:
        """What came after a message, or from a little before it on; or a path that is nearly that."""
        since = {name: max(0, id_ - before) for name, id_ in ids.items()}
        self.comparison.check(Sent(Request(method, form)), since)

    @rule(sent=st.one_of(strategies.polls(), strategies.lookups()))
    def look_up(self, sent: Sent) -> None:
        """Any messages, and any other path."""
        self.comparison.check(sent)

    @rule()
    def reconnect(self) -> None:
        """What was posted does not depend on the connection."""
        self.comparison.lockstep.hang_up()


def test_sequences_of_requests(comparison: Comparison) -> None:
    machine = type("Sequences", (Sequences,), {"comparison": comparison})
    each_of(lambda how: run_state_machine_as_test(machine, settings=how), 30, stateful_step_count=30)
