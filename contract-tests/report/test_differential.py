"""Generated answers of upstreams before all servers in lockstep: every answer against the contract's.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

from collections.abc import Iterator

import pytest
from generated import EXPLORE, check_all
from hypothesis import strategies as st
from lockstep import Lockstep

from report import model, strategies
from report.conftest import GET, Scene
from report.model import Item
from report.strategies import Answered, right
from samewire.http import ExchangeError, Request, Response

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(120 + EXPLORE)]

HEAD = Request("HEAD", "/report")


class Comparison:
    """Asks all servers the same and judges what they answer."""

    def __init__(self, scenes: list[Scene]) -> None:
        self.upstreams = scenes[0].upstreams
        self.lockstep = Lockstep(scene.target for scene in scenes)

    def check(self, answered: Answered, request: Request = GET) -> None:
        """Let the upstreams answer so, and ask. Blamed if a server is wrong."""
        self.upstreams.answer(*answered.scripts())
        answers = self.lockstep.ask(dict.fromkeys(self.lockstep.targets, request))
        problems = {name: _problems(request, answer, answered) for name, answer in answers.items()}
        if any(problems.values()):
            whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
            raise self.lockstep.blame(problems, request, whole)


def _problems(request: Request, answer: Response | ExchangeError, answered: Answered) -> list[str]:
    if isinstance(answer, ExchangeError):
        return [f"no answer: {answer}"]
    if answered.upstreams is None:
        return model.problems_of(request, model.BAD_UPSTREAM, answer)
    return model.judge(request, answer, answered.upstreams)


@pytest.fixture
def comparison(scenes: list[Scene]) -> Iterator[Comparison]:
    compared = Comparison(scenes)
    with compared.lockstep:
        yield compared


@pytest.mark.parametrize("answers", [strategies.right_answers(), strategies.wrong_answers()], ids=["right", "wrong"])
def test_any_list(comparison: Comparison, answers: st.SearchStrategy[Answered]) -> None:
    check_all(lambda one: comparison.check(*one), st.tuples(answers, st.sampled_from([GET, GET, GET, HEAD])), 100)


def test_every_character_in_a_title(comparison: Comparison) -> None:
    characters = [*map(chr, range(1, 0x180)), *strategies.ODD, *strategies.MARKUP]
    characters.remove("\r")
    for first in range(0, len(characters), 50):
        some = characters[first : first + 50]
        comparison.check(right([Item(1 + n, f"{one}a{one}{one}", n % 3 == 0) for n, one in enumerate(some)]))


def test_a_hundred_items(comparison: Comparison) -> None:
    for completed in (0, 1, 50, 99, 100):
        title = "<é😀&\"'>" * 28
        comparison.check(right([Item(9_000_000_000_000_000 + n, title[:200], n < completed) for n in range(100)]))


def test_rounding(comparison: Comparison) -> None:
    # Every percentage that ends in exactly .5, and its neighbours.
    halves = {
        (done, total) for total in range(1, 101) for done in range(total + 1) if 200 * done % (2 * total) == total
    }
    others = {(done, 3) for done in range(4)} | {(done, 7) for done in range(8)} | {(0, 0), (0, 1), (1, 1), (1, 100)}
    for done, total in sorted(halves | others | {(99, 100)}):
        comparison.check(right([Item(n + 1, "t", n < done) for n in range(total)]))
