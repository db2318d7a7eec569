"""Generated uploads to all servers in lockstep: every answer against the model's and the other servers'.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

import pytest
from common_rules import path_segments
from generated import EXPLORE, check_all, each_of
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test
from lockstep import Lockstep, disagreements
from request_strategies import Sent

from samewire.contract.compare import substitute
from samewire.http import ExchangeError, Request, Response
from samewire.lab import Lab
from samewire.manifest import Server
from samewire.pytest_plugin import Blamed
from samewire.target import Target
from upload import model, strategies
from upload.forms import files_below, files_left

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(120 + EXPLORE)]

Ids = Mapping[str, tuple[str, ...]]
"""Server → the ids that it chose."""


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)
        self.stored: dict[str, dict[str, bytes]] = {target.name: {} for target in targets}

    def check(self, sent: Sent) -> Ids:
        """Send one request to every target; the fresh ids of each. Blamed if one is wrong."""
        return self.check_each(dict.fromkeys(self.lockstep.targets, sent))

    def check_each(self, sent: Mapping[str, Sent], own: Mapping[str, str] | None = None) -> Ids:
        """`check` with a request for each target; they differ in nothing but the id that is the target's `own`."""
        answers = self.lockstep.ask({name: one.on_the_wire() for name, one in sent.items()})
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        fresh = {name: tuple(model.fresh_ids(answer)) for name, answer in whole.items()}
        problems = {
            name: [f"no answer: {answer}"]
            if isinstance(answer, ExchangeError)
            else model.judge(sent[name].request, answer, self.stored[name])
            for name, answer in answers.items()
        }
        doubt = doubt_about(next(iter(sent.values())).request)
        if not doubt:
            named = {name: [*fresh[name], *([own[name]] if own else [])] for name in whole}
            alike = {name: substitute(one, dict.fromkeys(named[name], model.NO_ID)) for name, one in whole.items()}
            for name, problem in disagreements({name: one.request for name, one in sent.items()}, alike):
                # Against the contract it has been said already.
                problems[name] += [] if problems[name] else [problem]
        if any(problems.values()):
            raise self._blame(sent, whole, problems, doubt)
        return fresh

    def check_with_files(self, sent: Sent) -> None:
        """`check`, then read what was stored, and delete it."""
        fresh = self.check(sent)
        if doubt_about(sent.request) or not any(fresh.values()):
            return
        for number, file in enumerate(model.files_of(sent.request)):
            ids = {name: several[number] for name, several in fresh.items()}
            for name, id_ in ids.items():
                self.stored[name][id_] = file.content
            for method in ("GET", "DELETE"):
                self.check_each({name: Sent(Request(method, f"/uploads/{id_}")) for name, id_ in ids.items()}, ids)
            for name, id_ in ids.items():
                del self.stored[name][id_]

    def _blame(
        self,
        sent: Mapping[str, Sent],
        answers: Mapping[str, Response],
        problems: Mapping[str, list[str]],
        doubt: str | None,
    ) -> Blamed:
        first = next(name for name in problems if problems[name])
        request = sent[first].request
        if doubt:
            note = f"parsers do not agree on {doubt}: 201 or a 4xx would do"
            return self.lockstep.blame(problems, sent[first].on_the_wire(), answers, note)
        columns = {"the contract": model.answer(request, self.stored[first]), **answers}
        return self.lockstep.blame(problems, sent[first].on_the_wire(), columns)


def doubt_about(request: Request) -> str | None:
    """Why parsers may differ about an upload; None where the model's answer must come."""
    try:
        model.answer(request, {})
    except model.Doubtful as doubt:
        return str(doubt)
    return None


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


def test_any_form(comparison: Comparison) -> None:
    check_all(comparison.check_with_files, strategies.forms(), 150)


def test_any_method_on_any_path(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.others(), 200)


WHOLE = (
    b'preamble\r\n--b\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name="files"; filename="a\\"'
    b'\xc3\xa9"\r\n\r\n1\r\n--\r\n--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n--b--'
)


def test_every_prefix_is_malformed(comparison: Comparison) -> None:
    for end in range(len(WHOLE)):
        sent = Sent(Request("POST", "/uploads", (("Content-Type", "multipart/form-data; boundary=b"),), WHOLE[:end]))
        assert model.answer(sent.request, {}).status == 400
        comparison.check(sent)


@pytest.mark.parametrize("quote", [b'"', b""], ids=["quoted", "token"])
def test_every_byte_in_a_file_name(comparison: Comparison, quote: bytes) -> None:
    before = b'--b\r\nContent-Disposition: form-data; name="files"; filename=' + quote
    for byte in [bytes([one]) for one in range(256)] + ["é".encode(), "\u2028".encode(), "\U0001f600".encode()]:
        body = before + b"a" + byte + b"b" + quote + b"\r\n\r\nx\r\n--b--"
        comparison.check_with_files(
            Sent(Request("POST", "/uploads", (("Content-Type", "multipart/form-data; boundary=b"),), body))
        )


class Sequences(RuleBasedStateMachine):
    """Files are uploaded, read and deleted, in any order; every server has ids of its own for them."""

    comparison: ClassVar[Comparison]
    made = Bundle("made")

    @rule(target=made, names=st.lists(st.sampled_from("abc"), min_size=1, max_size=2), content=st.binary(max_size=50))
    def upload(self, names: list[str], content: bytes) -> Ids:
        """One or two files."""
        head = b'--=-\r\nContent-Disposition: form-data; name="files"; filename="%b"\r\n\r\n'
        parts = [head % name.encode() + content + b"\r\n" for name in names]
        headers = (("Content-Type", 'multipart/form-data; boundary="=-"'),)
        fresh = self.comparison.check(Sent(Request("POST", "/uploads", headers, b"".join(parts) + b"--=---")))
        for name, ids in fresh.items():
            self.comparison.stored[name].update(dict.fromkeys(ids, content))
        return fresh

    @rule(sent=strategies.others())
    def ask_for_something_else(self, sent: Sent) -> None:
        """What has nothing to do with the files made here."""
        self.comparison.check(sent)

    @rule(
        method=st.sampled_from(["GET", "GET", "HEAD", "DELETE", "PUT"]),
        form=st.sampled_from(["/uploads/{}", "/uploads/{}", "/uploads/{}", "/uploads/{}?a", "/uploads/{}/", "/{}"]),
        change=st.sampled_from([str, str, str, str.upper, lambda id_: id_.replace("-", "%2D"), lambda id_: id_[:-1]]),
        number=st.integers(0, 1),
        made=made,
    )
    def ask_for(self, method: str, form: str, change: Callable[[str], str], number: int, made: Ids) -> None:
        """A file that was uploaded, or a path that is nearly its own."""
        ids = {name: several[number % len(several)] for name, several in made.items()}
        self.comparison.check_each(
            {name: Sent(Request(method, form.format(change(id_)))) for name, id_ in ids.items()}, ids
        )
        if method == "DELETE" and form in ("/uploads/{}", "/uploads/{}?a"):
            for name, id_ in ids.items():
                if path_segments(form.format(change(id_)))[-1] == id_:
                    self.comparison.stored[name].pop(id_, None)

    @rule()
    def reconnect(self) -> None:
        """What was stored does not depend on the connection."""
        self.comparison.lockstep.hang_up()


def test_sequences_of_requests(comparison: Comparison) -> None:
    machine = type("Sequences", (Sequences,), {"comparison": comparison})
    each_of(lambda how: run_state_machine_as_test(machine, settings=how), 20, stateful_step_count=25)


def test_mutated_forms_leave_nothing_behind(server: Server, lab: Lab) -> None:
    folder = lab.new_folder("uploads")
    running = lab.start(server, env={"UPLOAD_DIR": str(folder)})
    compared = Comparison([running.target])
    stored: set[str] = set()

    def check(sent: Sent) -> None:
        stored.update(compared.check(sent)[running.target.name])

    with compared.lockstep:
        try:
            check_all(check, strategies.mutated(), 250)
            check_all(check, strategies.odd_types(), 50)
            left = files_left(folder, stored) - stored
            assert not left, (
                f"{server.id} has left {len(left)} files behind, that no 201 has named: {sorted(left)[:10]}"
            )
            assert files_below(folder) == stored
        finally:
            running.stop()
