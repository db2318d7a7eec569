"""Generated answers of upstreams, and generated requests, to all servers in lockstep.

Every answer is compared with the model's and with the other servers'. `SAMEWIRE_EXPLORE=600` looks for ten minutes per
test with fresh seeds, instead of at the same examples every time.
"""

import json
from collections.abc import Iterator

import pytest
from generated import EXPLORE, check_all
from hypothesis import strategies as st
from lockstep import Lockstep, disagreements

from report import model, strategies
from report.conftest import GET, IMAGE, RIGHT, Scene
from report.model import Item, Upstreams
from report.strategies import Answered
from samewire.http import Request, Response

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(120 + EXPLORE)]


class Comparison:
    """Asks all servers the same and judges what they answer."""

    def __init__(self, scenes: list[Scene]) -> None:
        self.upstreams = scenes[0].upstreams
        self.lockstep = Lockstep(scene.running.target for scene in scenes)

    def check(self, answered: Answered, request: Request = GET) -> None:
        """Let the upstreams answer so, and ask. Blamed if a server is wrong."""
        self.upstreams.answer(*answered.scripts())
        self.check_request(request, answered.upstreams)

    def check_request(self, request: Request, data: Upstreams) -> None:
        """Ask; the upstreams answer with these data. Blamed if a server is wrong."""
        answers = self.lockstep.ask(dict.fromkeys(self.lockstep.targets, request))
        whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
        problems = {
            name: model.judge(request, answer, data) if name in whole else [f"no answer: {answer}"]
            for name, answer in answers.items()
        }
        for name, problem in disagreements(dict.fromkeys(whole, request), whole):
            # Against the contract it has been said already.
            problems[name] += [] if problems[name] else [problem]
        if any(problems.values()):
            raise self.lockstep.blame(problems, request, {"the contract": model.answer(request, data), **whole})


@pytest.fixture
def comparison(scenes: list[Scene]) -> Iterator[Comparison]:
    compared = Comparison(scenes)
    with compared.lockstep:
        yield compared


def listed(items: list[Item]) -> Answered:
    """The list as the todo service writes it."""
    rows = [{"id": one.id, "title": one.title, "completed": one.completed} for one in items]
    body = json.dumps({"items": rows, "next": None}, ensure_ascii=False, separators=(",", ":")).encode()
    return Answered(Upstreams(body, b"\x89PNG"), ("length", "length"))


@pytest.mark.parametrize(
    ("lists", "examples"),
    [(strategies.right_lists(), 100), (strategies.lists_near_the_rule(), 120)],
    ids=["right", "near"],
)
def test_any_list(comparison: Comparison, lists: st.SearchStrategy[bytes], examples: int) -> None:
    methods = st.sampled_from(["GET", "GET", "GET", "HEAD"])
    asked = st.tuples(strategies.answered(lists), methods.map(lambda method: Request(method, "/report")))
    check_all(lambda one: comparison.check(*one), asked, examples)


def test_every_character_in_a_title(comparison: Comparison) -> None:
    characters = [*map(chr, range(0x180)), *strategies.ODD, *strategies.MARKUP]
    for first in range(0, len(characters), 50):
        some = characters[first : first + 50]
        comparison.check(listed([Item(1 + n, f"{one}a{one}{one}", n % 3 == 0) for n, one in enumerate(some)]))


def test_a_hundred_items(comparison: Comparison) -> None:
    for completed in (0, 1, 50, 99, 100):
        title = "<é😀&\"'>" * 28
        comparison.check(listed([Item(9_000_000_000_000_000_000 + n, title[:200], n < completed) for n in range(100)]))


def test_rounding(comparison: Comparison) -> None:
    # Every percentage that ends in exactly .5, and its neighbours.
    halves = {
        (done, total) for total in range(1, 101) for done in range(total + 1) if 200 * done % (2 * total) == total
    }
    thirds = {(done, 3) for done in range(4)} | {(done, 7) for done in range(8)}
    for done, total in sorted(halves | thirds | {(0, 0), (0, 1), (1, 1), (1, 100), (99, 100), (199, 200), (1, 200)}):
        comparison.check(listed([Item(n + 1, "t", n < done) for n in range(total)]))


def test_any_request(comparison: Comparison) -> None:
    comparison.upstreams.answer()
    check_all(lambda request: comparison.check_request(request, RIGHT), strategies.requests(), 200)
    assert RIGHT.image == IMAGE
