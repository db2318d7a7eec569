"""What was drawn: the pinned draws, those of many at once, and those without a seed."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from randoms import model
from randoms.conftest import Starter
from randoms.golden import draws
from randoms.golden.draws import Draw
from samewire.contract.compare import side_by_side
from samewire.http import Request, connect
from samewire.target import Target

pytestmark = pytest.mark.layer("cases")

PATHS = ("/randoms", "/randoms/sync")
PINNED = draws.read()
SOME = [one for one in PINNED if one.count < model.MOST]
PATIENCE = 100.0
"""Seconds for a hundred million draws, of the slowest stack on a busy machine."""
AT_ONCE = 128
"""Results that a server draws or keeps waiting without sending anybody away."""


def check(target: Target, request: Request) -> bytes:
    """The body. AssertionError with all there is to know if the answer is wrong."""
    with connect(target, PATIENCE) as connection:
        answer = connection.exchange(request)
    if problems := model.judge(request, answer):
        shown = side_by_side(request, {target.name: answer}, url=target.url)
        raise AssertionError("\n".join([f"{target.name}: {', '.join(problems)}", shown]))
    return answer.body


@pytest.mark.parametrize("draw", SOME, ids=lambda one: f"{one.count}-{one.seed}")
def test_pinned_draws(target: Target, draw: Draw) -> None:
    for path in PATHS:
        body = check(target, Request("GET", f"{path}?count={draw.count}&seed={draw.seed}"))
        problems = draw.problems(model.spelled(json.loads(body)))
        assert not problems, f"{target.name}, {path}: {problems}"


def test_a_hundred_million_by_default(target: Target) -> None:
    (draw,) = (one for one in PINNED if one.count == model.MOST)
    check(target, Request("GET", f"/randoms?seed={draw.seed}"))


@pytest.mark.parametrize("path", PATHS)
def test_without_a_seed(target: Target, path: str) -> None:
    results = {check(target, Request("GET", f"{path}?count=2000")) for _ in range(20)}
    assert len(results) == 20, f"{target.name} has drawn the same again without a seed"
    # 40,000 draws: about 40 of each number, and of each hundred numbers about 4,000, with a deviation of 60.
    drawn = sum((Counter(json.loads(body)["counts"]) for body in results), Counter())
    hundreds = Counter()
    for number, times in drawn.items():
        hundreds[(int(number) - 1) // 100] += times
    assert len(drawn) == model.NUMBERS, f"{target.name} never draws some of the numbers"
    assert all(3500 < hundreds[n] < 4500 for n in range(10)), f"{target.name} prefers some numbers: {hundreds}"


def test_many_at_once(started: Starter) -> None:
    # A server of its own: what other tests ask at the same time would count as well.
    target = started().target
    for path in PATHS:
        # Of different counts and seeds, so that none gets another's.
        requests = [Request("GET", f"{path}?count={5_000 + n}&seed={1 + n % 7}") for n in range(AT_ONCE)]
        with ThreadPoolExecutor(len(requests)) as pool:
            for done in [pool.submit(check, target, request) for request in requests]:
                done.result()


def test_more_than_it_keeps_waiting(started: Starter) -> None:
    target = started().target
    request = Request("GET", "/randoms?count=200000&seed=99")

    def ask(_: int) -> list[str]:
        with connect(target, PATIENCE) as connection:
            answer = connection.exchange(request)
        if answer.status != 503:
            return model.judge(request, answer)
        return model.problems_of(request, model.unavailable(request), answer)

    with ThreadPoolExecutor(300) as pool:
        problems = [problem for found in pool.map(ask, range(300)) for problem in found]
    assert not problems, f"{target.name}, asked by 300 clients at once: {problems[:3]}"
    check(target, request)


def test_one_connection_many_results(target: Target) -> None:
    with connect(target, PATIENCE) as connection:
        for number in range(60):
            path, accepted = PATHS[number % 2], ("gzip", "identity")[number // 2 % 2]
            target_ = f"{path}?count={100 * number}&seed={1 + number}"
            request = Request("GET", target_, (("Accept-Encoding", accepted),))
            problems = model.judge(request, connection.exchange(request))
            assert not problems, f"{target.name}, result {number}: {problems}"


def test_model_and_pinned_draws_agree() -> None:
    assert len(PINNED) > 10
    for one in PINNED:
        assert not one.problems(model.result(one.count, one.seed)), one
