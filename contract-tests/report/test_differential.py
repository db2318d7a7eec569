"""Generated answers of upstreams, and generated requests, to all servers in lockstep.

Every answer is compared with the model's and with the other servers'. `SAMEWIRE_EXPLORE=600` looks for ten minutes per
test with fresh seeds, instead of at the same examples every time.
"""

import json
import os
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lockstep import Lockstep

from report import model, strategies
from report.conftest import GET, IMAGE, RIGHT, Scene
from report.model import Item, Upstreams
from report.strategies import Answered
from samewire.contract.compare import differences, side_by_side
from samewire.http import Request, Response
from samewire.pytest_plugin import Blamed

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
        first, *others = whole or [""]
        for name in others:
            if not problems[name]:  # Against the contract it has been said already.
                names = (first, name)
                problems[name] = differences(whole[first], whole[name], request=request, names=names)
        if wrong := [name for name in problems if problems[name]]:
            raise Blamed(self._report(request, whole, problems, data), wrong)

    def _report(
        self, request: Request, whole: dict[str, Response], problems: dict[str, list[str]], data: Upstreams
    ) -> str:
        lines = [f"{name}: {problem}" for name, found in problems.items() for problem in found]
        expected = model.answer(request, data)
        url = next(iter(self.lockstep.targets.values())).url
        lines += ["", side_by_side(request, {"the contract": expected, **whole}, url=url)]
        for name in (name for name in problems if problems[name]):
            if log := self.lockstep.targets[name].last_lines(5):
                lines += ["", f"the last lines of {name}:", log]
        return "\n".join(lines)


@pytest.fixture
def comparison(scenes: list[Scene]) -> Iterator[Comparison]:
    compared = Comparison(scenes)
    with compared.lockstep:
        yield compared


def each_of(run: Callable[[settings], None], examples: int) -> None:
    """Run a property once with its fixed examples or, exploring, again and again with others until the time is up."""
    how = settings(CI, max_examples=examples, derandomize=not EXPLORE)
    end = time.monotonic() + EXPLORE
    run(how)
    while time.monotonic() < end:
        run(how)


def check_all(comparison: Comparison, lists: st.SearchStrategy[bytes], examples: int) -> None:
    """Check reports of generated lists; Hypothesis shrinks one that is wrong."""

    def run(how: settings) -> None:
        @how
        @given(strategies.answered(lists), st.sampled_from(["GET", "GET", "GET", "HEAD"]))
        def all_reports_are_as_the_contract_says(answered: Answered, method: str) -> None:
            comparison.check(answered, Request(method, "/report"))

        all_reports_are_as_the_contract_says()

    each_of(run, examples)


def listed(items: list[Item]) -> Answered:
    """The list as the todo service writes it."""
    rows = [{"id": one.id, "title": one.title, "completed": one.completed} for one in items]
    body = json.dumps({"items": rows, "next": None}, ensure_ascii=False, separators=(",", ":")).encode()
    return Answered(Upstreams(body, b"\x89PNG"), ("length", "length"))


def test_any_list(comparison: Comparison) -> None:
    check_all(comparison, strategies.right_lists(), 100)


def test_lists_of_any_shape(comparison: Comparison) -> None:
    check_all(comparison, strategies.lists_near_the_rule(), 120)


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

    def run(how: settings) -> None:
        @how
        @given(strategies.requests())
        def all_answer_as_the_contract_says(request: Request) -> None:
            comparison.check_request(request, RIGHT)

        all_answer_as_the_contract_says()

    each_of(run, 200)
    assert RIGHT.image == IMAGE
