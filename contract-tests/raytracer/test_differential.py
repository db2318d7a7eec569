"""Calls generated from `openapi.yaml` to all servers in lockstep: every answer against the contract's.

`SAMEWIRE_EXPLORE=600` looks for ten minutes per test with fresh seeds, instead of at the same examples every time.
"""

from collections.abc import Iterator

import pytest
from generated import EXPLORE, check_all
from lockstep import Lockstep
from openapi_requests import Call, erroneous

from raytracer import model, strategies
from samewire.http import Request, Response
from samewire.target import Target

pytestmark = [pytest.mark.layer("differential"), pytest.mark.timeout(120 + EXPLORE)]


class Comparison:
    """Asks all targets the same and judges what they answer."""

    def __init__(self, targets: list[Target]) -> None:
        self.lockstep = Lockstep(targets)

    def check(self, call: Call) -> None:
        """Send a call to every target. Blamed if an answer is wrong."""
        request = call.sent.request
        answers = self.lockstep.ask(dict.fromkeys(self.lockstep.targets, request))
        problems = {
            name: _problems(request, answer, call.error) if isinstance(answer, Response) else [f"no answer: {answer}"]
            for name, answer in answers.items()
        }
        if any(problems.values()):
            whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
            raise self.lockstep.blame(problems, request, whole)


def _problems(request: Request, answer: Response, error: int | None) -> list[str]:
    return model.problems_of(request, model.problem(error), answer) if error else model.judge(request, answer)


@pytest.fixture
def comparison(targets: list[Target]) -> Iterator[Comparison]:
    compared = Comparison(targets)
    with compared.lockstep:
        yield compared


def test_pictures(comparison: Comparison) -> None:
    check_all(comparison.check, strategies.pictures(), 150)


def test_named_errors(comparison: Comparison) -> None:
    check_all(comparison.check, erroneous(strategies.RENDER, strategies.WIDE), 100)
