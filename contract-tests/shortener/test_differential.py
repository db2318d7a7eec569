"""Generated requests to all servers in lockstep: every answer against the model's and the other servers'.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

import pytest
from common_rules import read_json, readings
from generated import EXPLORE, check_all, each_of
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test
from lockstep import Lockstep, disagreements, is_refused
from request_strategies import JSON, PATH_CHARACTERS, Sent, percent_encoded

from samewire.contract.compare import substitute
from samewire.http import ExchangeError, Request, Response
from samewire.pytest_plugin import Blamed
from samewire.target import Target
from shortener import model, strategies

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(120 + EXPLORE)]

SOME_KNOWN = list(model.SEEDED)[:40]


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)
        self.links: dict[str, Mapping[str, str]] = {target.name: ChainMap({}, model.SEEDED) for target in targets}

    def check(self, sent: Sent) -> dict[str, str]:
        """Send one request to every target; the fresh hash of each that made a link. Blamed if one is wrong."""
        return self.check_each(dict.fromkeys(self.lockstep.targets, sent), {})

    def check_each(self, sent: Mapping[str, Sent], own: Mapping[str, str]) -> dict[str, str]:
        """`check` with a request for each target; they differ in nothing but the hash that is the target's `own`."""
        doubt = next(model.wire_matter(one.request) for one in sent.values())
        if doubt:
            self.lockstep.hang_up()
        answers = self.lockstep.ask({name: one.on_the_wire() for name, one in sent.items()})
        if doubt:
            self.lockstep.hang_up()
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        fresh = {name: hash_ for name, answer in whole.items() if (hash_ := model.fresh_hash(answer))}
        problems = {}
        for name, answer in answers.items():
            request = sent[name].request
            if doubt:
                problems[name] = self._doubtful_problems(name, request, answer)
            elif isinstance(answer, ExchangeError):
                problems[name] = [f"no answer: {answer}"]
            else:
                problems[name] = model.judge(request, answer, self.links[name])
        if not doubt:
            hashes = {**own, **fresh}
            alike = {
                name: substitute(answer, {hashes[name]: model.NO_FRESH_HASH} if name in hashes else {})
                for name, answer in whole.items()
            }
            for name, problem in disagreements({name: one.request for name, one in sent.items()}, alike):
                # Against the contract it has been said already.
                problems[name] += [] if problems[name] else [problem]
        if any(problems.values()):
            raise self._blame(sent, whole, problems, doubt)
        for name, hash_ in fresh.items():
            self.links[name][hash_] = read_json(whole[name].body)["url"]
        return fresh

    def _doubtful_problems(self, name: str, request: Request, answer: Response | ExchangeError) -> list[str]:
        """The rule for wire matters: a 4xx, a closed connection, or the answer of the path as a stack may read it."""
        if is_refused(answer):
            return []
        if isinstance(answer, ExchangeError):
            return [f"neither an answer nor a closed connection: {answer}"]
        read = (Request(request.method, path, request.headers, request.body) for path in readings(request.path))
        if any(not model.judge(one, answer, self.links[name]) for one in read):
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
        columns = {"the contract": model.answer(one.request, self.links[first]), **answers}
        return self.lockstep.blame(problems, one.on_the_wire(), columns, note)


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


def test_any_path_looked_up(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.lookups(SOME_KNOWN), 400)


def test_any_method_on_any_path(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.methods_and_paths(SOME_KNOWN), 200)


def test_any_body_posted(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.creations(), 400)


def test_doubtful_requests_do_no_harm(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.doubtful(SOME_KNOWN), 200)


@pytest.mark.parametrize("form", ["/{}", "/{}ktPz4", "/dktPz{}", "/dktPz4{}", "/links/{}", "/links/dktPz4{}"])
def test_every_byte_in_a_path(comparison: Comparison, form: str) -> None:
    for byte in range(256):
        comparison.check(Sent(Request("GET", form.format(f"%{byte:02x}"))))
    for character in PATH_CHARACTERS:
        comparison.check(Sent(Request("HEAD", form.format(character))))


@pytest.mark.parametrize(
    "form", ["{}ttp://a.example/", "http{}//a", "http://{}", "http://a:{}", "http://a/{}", "http://a{}"]
)
def test_every_character_in_a_url(comparison: Comparison, form: str) -> None:
    for character in [*map(chr, range(0x100)), "\u2028", "\ufeff", "１", "ſ", "\U0001f600"]:
        body = strategies.spelled(form.format(character))
        comparison.check(Sent(Request("POST", "/links", JSON, body)))


class Sequences(RuleBasedStateMachine):
    """Links are made and looked up, in any order; every server has hashes of its own for them."""

    comparison: ClassVar[Comparison]
    made = Bundle("made")

    @rule(target=made, sent=strategies.good_creations())
    def make(self, sent: Sent) -> dict[str, str]:
        """A good POST."""
        hashes = self.comparison.check(sent)
        assert hashes, f"the model refuses what the strategy calls good: {sent}"
        return hashes

    @rule(sent=strategies.creations())
    def try_to_make(self, sent: Sent) -> None:
        """Any POST."""
        self.comparison.check(sent)

    @rule(sent=strategies.lookups(SOME_KNOWN))
    def look_up(self, sent: Sent) -> None:
        """Any path that has nothing to do with the links made here."""
        self.comparison.check(sent)

    @rule(
        method=st.sampled_from(["GET", "GET", "HEAD", "GET", "DELETE", "PUT", "POST"]),
        form=st.sampled_from(["/{}", "/links/{}", "/{}?a", "/{}/", "/x{}", "/links/{}/"]),
        change=st.sampled_from([str, str, str, str.swapcase, lambda hash_: percent_encoded(hash_.encode())]),
        hashes=made,
    )
    def ask_for(self, method: str, form: str, change: Callable[[str], str], hashes: dict[str, str]) -> None:
        """A link that was made, or a path that is nearly its own."""
        self.comparison.check_each(
            {name: Sent(Request(method, form.format(change(hash_)))) for name, hash_ in hashes.items()}, hashes
        )

    @rule()
    def reconnect(self) -> None:
        """What was made does not depend on the connection."""
        self.comparison.lockstep.hang_up()


def test_sequences_of_requests(comparison: Comparison) -> None:
    machine = type("Sequences", (Sequences,), {"comparison": comparison})
    each_of(lambda how: run_state_machine_as_test(machine, settings=how), 30, stateful_step_count=25)
