"""Generated requests to all servers in lockstep: every answer against the model's and the other servers'.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lockstep import Lockstep

from randoms import model, strategies
from samewire.contract.compare import differences, response_problems, side_by_side
from samewire.http import ConnectionClosed, ExchangeError, Request, Response
from samewire.pytest_plugin import Blamed
from samewire.target import Target

EXPLORE = float(os.environ.get("SAMEWIRE_EXPLORE", "0"))
"""Seconds for each test to look for new examples; 0 for the same examples every time, as on CI."""

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(120 + EXPLORE)]

CI = settings(
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)

    def check(self, request: Request) -> None:
        """Send one request to every target. Blamed if one is wrong."""
        doubt = model.wire_matter(request)
        if doubt:
            self.lockstep.hang_up()
        answers = self.lockstep.ask(dict.fromkeys(self.lockstep.targets, request))
        if doubt:
            self.lockstep.hang_up()
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        if doubt:
            problems = {name: self._doubtful_problems(request, answer) for name, answer in answers.items()}
        else:
            problems = {
                name: model.judge(request, answer) if name in whole else [f"no answer: {answer}"]
                for name, answer in answers.items()
            }
            if comparable(request):
                first, *others = whole or [""]
                for name in others:
                    if not problems[name]:  # Against the contract it has been said already.
                        names = (first, name)
                        problems[name] = differences(whole[first], whole[name], request=request, names=names)
        if wrong := [name for name in problems if problems[name]]:
            raise Blamed(self._report(request, whole, problems, doubt), wrong)

    @staticmethod
    def _doubtful_problems(request: Request, answer: Response | ExchangeError) -> list[str]:
        """The rule for wire matters: a 4xx, a closed connection, or a result as the stack reads the query."""
        if isinstance(answer, ConnectionClosed) and not answer.received:
            return []
        if isinstance(answer, ExchangeError):
            return [f"neither an answer nor a closed connection: {answer}"]
        if 400 <= answer.status <= 499:
            return []
        if answer.status == 200 and not response_problems(answer, request):
            return []
        return [f"status {answer.status}: neither a 4xx nor a result"]

    def _report(
        self,
        request: Request,
        answers: Mapping[str, Response],
        problems: Mapping[str, list[str]],
        doubt: str | None,
    ) -> str:
        lines = [f"{name}: {problem}" for name, found in problems.items() for problem in found]
        if doubt:
            lines.append(f"(a wire matter, {doubt}: a 4xx, a closed connection or a result would do)")
        columns = {**answers} if doubt else {"the contract": model.answer(request), **answers}
        url = next(iter(self.lockstep.targets.values())).url
        lines += ["", side_by_side(request, columns, url=url)]
        for name in (name for name in problems if problems[name]):
            if log := self.lockstep.targets[name].last_lines(10):
                lines += ["", f"the last lines of {name}:", log]
        return "\n".join(lines)


def comparable(request: Request) -> bool:
    """Whether all servers must give the same answer: not to /info, without a seed, or where the coding is left open."""
    try:
        model.accepts_gzip(request)
    except model.Doubtful:
        return False
    return model.is_fixed(request)


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


def check_all(comparison: Comparison, requests: st.SearchStrategy[Request], examples: int) -> None:
    """Check generated requests; Hypothesis shrinks one that is answered wrongly."""

    def run() -> None:
        @settings(CI, max_examples=examples, derandomize=not EXPLORE)
        @given(requests)
        def all_answer_as_the_contract_says(request: Request) -> None:
            comparison.check(request)

        all_answer_as_the_contract_says()

    repeatedly(run)


def repeatedly(run: Callable[[], None]) -> None:
    """Run once or, exploring, again and again until the time is up."""
    end = time.monotonic() + EXPLORE
    run()
    while time.monotonic() < end:
        run()


def test_any_request(comparison: Comparison) -> None:
    check_all(comparison, strategies.requests(), 400)


def test_any_query(comparison: Comparison) -> None:
    def asking(drawn: tuple[str, str]) -> Request:
        return Request("GET", f"/randoms{drawn[0]}{drawn[1]}")

    queries = st.tuples(st.sampled_from(["", "/sync"]), strategies.queries())
    check_all(comparison, queries.map(asking).filter(strategies.light), 400)


def test_any_result(comparison: Comparison) -> None:
    check_all(comparison, strategies.results(), 300)


def test_doubtful_requests_do_no_harm(comparison: Comparison) -> None:
    check_all(comparison, strategies.doubtful(), 100)


@pytest.mark.parametrize("form", ["count=6{}&seed=1", "count=6&seed={}4", "count{}=x&count=6&seed=1"])
def test_every_byte_in_a_query(comparison: Comparison, form: str) -> None:
    encoded = [f"%{byte:02x}" for byte in range(256)]
    for spelled in (*encoded, *strategies.QUERY_CHARACTERS):
        request = Request("GET", f"/randoms?{form.format(spelled)}")
        if strategies.light(request):
            comparison.check(request)


@pytest.mark.parametrize("place", ["gzip{}", "{}gzip", "gzip;q=0{}", "gzip{}br", "gzip;{}q=0.5"])
def test_every_byte_in_accept_encoding(comparison: Comparison, place: str) -> None:
    # Of bytes that are not UTF-8 a stack may make a wire matter.
    for character in (*"\t", *map(chr, range(0x20, 0x7F)), *map(chr, range(0x80, 0x100))):
        value = place.format(character.encode().decode("latin-1"))
        comparison.check(Request("GET", "/randoms?count=200&seed=1", (("Accept-Encoding", value),)))
