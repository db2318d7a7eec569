"""Calls generated from `openapi.yaml` to all servers in lockstep: every answer against the contract's.

The same link has a hash of its own on each server.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

from collections import ChainMap
from collections.abc import Iterator, Mapping
from typing import ClassVar

import pytest
from generated import EXPLORE, check_all, each_of
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test
from lockstep import Lockstep
from openapi_requests import Call, Operation, erroneous, valid
from request_strategies import JSON, Sent

from samewire.http import ExchangeError, Request, Response
from samewire.outcomes import Blamed
from samewire.target import Target
from shortener import model, strategies
from shortener.strategies import LOOKUP, MAKE, OWN, READ

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(120 + EXPLORE)]

SOME_KNOWN = list(model.SEEDED)[:40]

Hashes = Mapping[str, str]
"""A link's hash on each server."""


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)
        self.links: dict[str, Mapping[str, str]] = {target.name: ChainMap({}, model.SEEDED) for target in targets}

    def check(self, call: Call, hashes: Hashes | str = model.NOT_MADE) -> Hashes:
        """Send a call to every target, about the link with this hash; the hash of what it made on each.

        Blamed if an answer is wrong.
        """
        own = {name: hashes if isinstance(hashes, str) else hashes[name] for name in self.links}
        sent = {name: call.at(hash=hash_) for name, hash_ in own.items()}
        answers = self.lockstep.ask({name: one.on_the_wire() for name, one in sent.items()})
        problems = {name: self._problems(name, sent[name].request, answers[name], call.error) for name in answers}
        if any(problems.values()):
            raise self._blame(sent, answers, problems, call.error)
        fresh = {name: hash_ for name, answer in answers.items() if (hash_ := model.fresh_hash(answer))}
        for name, hash_ in fresh.items():
            self.links[name][hash_] = model.url_of(sent[name].request)
        return fresh

    def look_up(self, hashes: Hashes | str, method: str = "GET") -> None:
        """`check` of a link in both its forms."""
        for operation in (LOOKUP, READ):
            self.check(Call(operation, Sent(Request(method, operation.path))), hashes)

    def _problems(self, name: str, request: Request, answer: Response | ExchangeError, error: int | None) -> list[str]:
        if isinstance(answer, ExchangeError):
            return [f"no answer: {answer}"]
        if error:
            return model.problems_of(request, model.problem(error), answer)
        return model.judge(request, answer, self.links[name])

    def _blame(self, sent: Mapping, answers: Mapping, problems: Mapping[str, list[str]], error: int | None) -> Blamed:
        first = next(name for name in problems if problems[name])
        one = sent[first]
        expected = model.problem(error) if error else model.answer(one.request, self.links[first])
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        return self.lockstep.blame(problems, one.on_the_wire(), {"the contract": expected, **whole})


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


METHODS = st.sampled_from(["GET", "GET", "HEAD"])


@pytest.mark.parametrize("operation", [LOOKUP, READ], ids=lambda one: one.id)
def test_any_hash(comparison: Comparison, operation: Operation) -> None:
    calls = METHODS.map(lambda method: Call(operation, Sent(Request(method, operation.path))))
    hashes = st.sampled_from(SOME_KNOWN) | strategies.near(SOME_KNOWN)
    check_all(lambda one: comparison.check(*one), st.tuples(calls, hashes), 200)


def test_any_url(comparison: Comparison) -> None:
    check_all(lambda call: comparison.look_up(comparison.check(call)), valid(MAKE, OWN), 150)


def test_named_errors(comparison: Comparison) -> None:
    check_all(comparison.check, erroneous(MAKE, OWN), 150)


def test_no_url(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.bad_urls().map(refused), 150)


def refused(url: str) -> Call:
    """A POST of what is no URL."""
    sent = Sent(Request("POST", MAKE.path, JSON, strategies.spelled_link(url)))
    return Call(MAKE, sent, body={"url": url}, error=400)


class Sequences(RuleBasedStateMachine):
    """Links are made and looked up, in any order; every server has hashes of its own for them."""

    comparison: ClassVar[Comparison]
    made = Bundle("made")

    @rule(target=made, call=valid(MAKE, OWN))
    def make(self, call: Call) -> Hashes:
        """A POST."""
        return self.comparison.check(call)

    @rule(call=erroneous(MAKE, OWN) | strategies.bad_urls().map(refused))
    def fail(self, call: Call) -> None:
        """A POST with something wrong."""
        self.comparison.check(call)

    @rule(hashes=st.sampled_from(SOME_KNOWN) | strategies.near(SOME_KNOWN), method=METHODS)
    def look_up_another(self, hashes: str, method: str) -> None:
        """What has nothing to do with the links made here."""
        self.comparison.look_up(hashes, method)

    @rule(hashes=made, method=METHODS)
    def look_up(self, hashes: Hashes, method: str) -> None:
        """A link that was made."""
        self.comparison.look_up(hashes, method)

    @rule(hashes=made)
    def look_up_nearly(self, hashes: Hashes) -> None:
        """A link that was made, but in the other case or cut."""
        self.comparison.look_up({name: hash_.swapcase() for name, hash_ in hashes.items()})
        self.comparison.look_up({name: hash_[:5] for name, hash_ in hashes.items()})

    @rule()
    def reconnect(self) -> None:
        """What was made does not depend on the connection."""
        self.comparison.lockstep.hang_up()


def test_sequences_of_requests(comparison: Comparison) -> None:
    machine = type("Sequences", (Sequences,), {"comparison": comparison})
    each_of(lambda how: run_state_machine_as_test(machine, settings=how), 30, stateful_step_count=25)
