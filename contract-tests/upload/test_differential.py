"""Generated uploads to all servers in lockstep: every answer against the contract's.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

import pytest
from generated import EXPLORE, check_all, each_of
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, rule, run_state_machine_as_test
from lockstep import Lockstep
from request_strategies import Sent

from samewire.atlas import inputs
from samewire.http import ExchangeError, Request, Response, compact
from samewire.manifest import Server
from samewire.target import Target
from samewire.testbed import Testbed
from upload import model, strategies
from upload.forms import files_below, files_left

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(120 + EXPLORE)]

Ids = Mapping[str, str]
"""Server → the id that it chose for a file."""


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)
        self.stored: dict[str, dict[str, bytes]] = {target.name: {} for target in targets}

    def upload(self, sent: Sent) -> list[Ids]:
        """Send a form to every target; the ids of each of its files. Blamed if an answer is wrong."""
        files = [] if model.errors(sent.request) else model.files_of(sent.request)
        assert files or model.errors(sent.request), "the contract does not know this form"
        fresh = self._ask(dict.fromkeys(self.lockstep.targets, sent))
        for name, ids in fresh.items():
            self.stored[name].update(zip(ids, (file.content for file in files), strict=True))
        return [{name: ids[number] for name, ids in fresh.items()} for number in range(len(files))]

    def ask(self, method: str, ids: Ids) -> None:
        """Ask every target for its own of these ids. Blamed if an answer is wrong."""
        self._ask({name: Sent(Request(method, f"/uploads/{id_}")) for name, id_ in ids.items()})
        for name, id_ in ids.items() if method == "DELETE" else ():
            self.stored[name].pop(id_, None)

    def _ask(self, sent: Mapping[str, Sent]) -> dict[str, list[str]]:
        """The fresh ids of each target."""
        answers = self.lockstep.ask({name: one.on_the_wire() for name, one in sent.items()})
        problems = {name: self._problems(name, sent[name].request, answer) for name, answer in answers.items()}
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        if wrong := [name for name in problems if problems[name]]:
            request = sent[wrong[0]].request
            status = min(model.errors(request), default=0)
            expected = model.problem(status) if status else model.answer(request, self.stored[wrong[0]])
            columns = {**({"the contract": expected} if expected else {}), **whole}
            raise self.lockstep.blame(problems, sent[wrong[0]].on_the_wire(), columns)
        return {name: model.fresh_ids(answer) for name, answer in whole.items()}

    def _problems(self, name: str, request: Request, answer: Response | ExchangeError) -> list[str]:
        if isinstance(answer, ExchangeError):
            return [f"no answer: {answer}"]
        return model.judge(request, answer, self.stored[name])


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


def test_forms_come_back(comparison: Comparison) -> None:
    def check(sent: Sent) -> None:
        for ids in comparison.upload(sent):
            for method in ("HEAD", "GET", "DELETE", "GET"):
                comparison.ask(method, ids)

    check_all(check, strategies.forms(), 100)


def test_named_errors(comparison: Comparison) -> None:
    check_all(comparison.upload, strategies.wrong_forms(), 100)


def test_unknown_ids(comparison: Comparison) -> None:
    def check(id_: str) -> None:
        for method in ("GET", "HEAD", "DELETE"):
            comparison.ask(method, dict.fromkeys(comparison.lockstep.targets, id_))

    check_all(check, st.uuids(version=4).map(str), 30)


class Sequences(RuleBasedStateMachine):
    """Files are uploaded, read and deleted in any order; every server has ids of its own for them."""

    comparison: ClassVar[Comparison]
    made = Bundle("made")
    deleted = Bundle("deleted")

    @rule(target=made, sent=strategies.forms())
    def upload(self, sent: Sent) -> Ids:
        """One or two files."""
        return self.comparison.upload(sent)[-1]

    @rule(sent=strategies.wrong_forms())
    def fail(self, sent: Sent) -> None:
        """A form with an error stores nothing."""
        self.comparison.upload(sent)

    @rule(method=st.sampled_from(["GET", "GET", "HEAD"]), ids=st.one_of(made, made, deleted))
    def read(self, method: str, ids: Ids) -> None:
        """A file that is there, or not any more."""
        self.comparison.ask(method, ids)

    @rule(target=deleted, ids=consumes(made))
    def delete(self, ids: Ids) -> Ids:
        """A DELETE."""
        self.comparison.ask("DELETE", ids)
        return ids

    @rule(ids=deleted)
    def delete_again(self, ids: Ids) -> None:
        """A DELETE of what is gone."""
        self.comparison.ask("DELETE", ids)

    @rule()
    def reconnect(self) -> None:
        """What was stored does not depend on the connection."""
        self.comparison.lockstep.hang_up()


def test_sequences_of_requests(comparison: Comparison) -> None:
    machine = type("Sequences", (Sequences,), {"comparison": comparison})
    each_of(lambda how: run_state_machine_as_test(machine, settings=how), 20, stateful_step_count=25)


def test_mutated_forms_leave_nothing_behind(server: Server, testbed: Testbed) -> None:
    folder = testbed.new_folder("uploads")
    running = testbed.start(server, env={"UPLOAD_DIR": str(folder)})
    name, stored = running.target.name, set()
    breaches = [one.breach_of(server.wire_stack) for one in inputs.load("upload") if one.case]
    known = {breach.pattern.encode() for breach in breaches if breach and breach.pattern}

    with Lockstep([running.target]) as lockstep:

        def check(sent: Sent) -> None:
            if any(re.search(pattern, sent.request.body or b"") for pattern in known):
                return
            request = sent.on_the_wire()
            answer = lockstep.ask({name: request})[name]
            if isinstance(answer, Response) and (answer.status == 201 or 400 <= answer.status <= 499):
                stored.update(model.fresh_ids(answer))
                return
            raise AssertionError(f"{name}: neither 201 nor a 4xx to {compact(request.body, 1000)}: {answer}")

        try:
            check_all(check, strategies.mutated(), 250)
            left = files_left(folder, stored) - stored
            assert not left, f"{name} has left {len(left)} files behind, that no 201 has named: {sorted(left)[:10]}"
            assert files_below(folder) == stored
        finally:
            running.stop()
