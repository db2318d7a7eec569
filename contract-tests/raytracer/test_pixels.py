"""What is shown, pixel by pixel: the pinned pictures, and those of many at once."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from raytracer import model, pixels
from raytracer.golden import pictures
from samewire.contract.compare import side_by_side
from samewire.http import Request, Response, connect
from samewire.manifest import Server
from samewire.target import Target
from samewire.testbed import Testbed

pytestmark = pytest.mark.layer("cases")

PINNED = pictures.read()
PATIENCE = 60.0
"""Seconds for the largest picture, of the slowest kernel on a busy machine."""


def check(target: Target, request: Request) -> None:
    """AssertionError with all there is to know if the answer is wrong."""
    with connect(target, PATIENCE) as connection:
        answer = connection.exchange(request)
    if problems := model.judge(request, answer):
        shown = side_by_side(request, {target.name: answer}, url=target.url)
        raise AssertionError("\n".join([f"{target.name}: {', '.join(problems)}", shown]))


@pytest.mark.parametrize("picture", PINNED, ids=lambda one: f"{one.width}x{one.height}x{one.depth}")
def test_pinned_picture(target: Target, picture: pictures.Picture) -> None:
    check(target, Request("GET", f"/render?width={picture.width}&height={picture.height}&depth={picture.depth}"))


@pytest.fixture
def own(server: Server, testbed: Testbed) -> Iterator[Target]:
    """A server of the test's own: what others ask at the same time would count as well, and might be sent away."""
    running = testbed.start(server)
    yield running.target
    running.stop()


def test_many_at_once(own: Target) -> None:
    # As many as the contract says that nobody is sent away; of different sizes, so that none gets another's.
    requests = [Request("GET", f"/render?width={40 + n}&height=24&depth={n % 11}") for n in range(128)]
    with ThreadPoolExecutor(len(requests)) as pool:
        for done in [pool.submit(check, own, request) for request in requests]:
            done.result()


def test_more_than_it_keeps_waiting(own: Target) -> None:
    request = Request("GET", "/render?width=99&height=99&depth=3")

    def ask(_: int) -> Response:
        with connect(own, PATIENCE) as connection:
            return connection.exchange(request)

    def judge(answer: Response) -> list[str]:
        if answer.status != 503:
            return model.judge(request, answer)
        return model.problems_of(request, model.unavailable(request), answer)

    with ThreadPoolExecutor(300) as pool:
        answers = list(pool.map(ask, range(300)))
    # One after the other: each thread would compute the picture for itself.
    problems = [problem for answer in answers for problem in judge(answer)]
    assert not problems, f"{own.name}, asked by 300 clients at once: {problems[:3]}"
    check(own, request)


def test_one_connection_many_pictures(target: Target) -> None:
    with connect(target, PATIENCE) as connection:
        for number in range(30):
            request = Request("GET", f"/render?width={1 + number}&height={30 - number}&depth=2")
            problems = model.judge(request, connection.exchange(request))
            assert not problems, f"{target.name}, picture {number}: {problems}"


def test_model_and_pinned_pictures_agree() -> None:
    small = [one for one in PINNED if one.width * one.height <= model.COMPUTED]
    assert len(small) >= 10
    for one in small:
        shown = pixels.picture(one.width, one.height, one.depth)
        assert hashlib.sha256(shown).hexdigest() == one.sha256, one
