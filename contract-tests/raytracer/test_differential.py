"""Generated requests to all servers in lockstep: every answer against the model's and the other servers'.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

from collections.abc import Iterator

import pytest
from generated import EXPLORE, check_all
from lockstep import Lockstep, disagreements, is_refused

from raytracer import model, strategies
from samewire.contract.compare import response_problems
from samewire.http import ExchangeError, Request, Response
from samewire.target import Target

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(120 + EXPLORE)]


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
            for name, problem in disagreements(dict.fromkeys(whole, request), whole):
                # Against the contract it has been said already.
                problems[name] += [] if problems[name] else [problem]
        if any(problems.values()):
            note = f"a wire matter, {doubt}: a 4xx, a closed connection or a picture would do" if doubt else ""
            columns = whole if doubt else {"the contract": model.answer(request), **whole}
            raise self.lockstep.blame(problems, request, columns, note)

    @staticmethod
    def _doubtful_problems(request: Request, answer: Response | ExchangeError) -> list[str]:
        """The rule for wire matters: a 4xx, a closed connection, or a picture as the stack reads the query."""
        if is_refused(answer):
            return []
        if isinstance(answer, ExchangeError):
            return [f"neither an answer nor a closed connection: {answer}"]
        if answer.status == 200 and not response_problems(answer, request):
            return []
        return [f"status {answer.status}: neither a 4xx nor a picture"]


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


def test_any_request(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.requests(), 400)


def test_any_query(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.queries().map(lambda query: Request("GET", f"/render{query}")), 400)


def test_any_picture(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.pictures(), 100)


def test_doubtful_requests_do_no_harm(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.doubtful(), 100)


@pytest.mark.parametrize(
    "form", ["width=6{}&height=4&depth=1", "width=6&height={}4&depth=1", "width{}=6&height=4&depth=1"]
)
def test_every_byte_in_a_query(comparison: Comparison, form: str) -> None:
    for byte in range(256):
        comparison.check(Request("GET", f"/render?{form.format(f'%{byte:02x}')}"))
    for character in strategies.QUERY_CHARACTERS:
        comparison.check(Request("GET", f"/render?{form.format(character)}"))
