"""gzip: for whom, from which size on, and that nothing is lost by it."""

from collections.abc import Iterator

import pytest
from lockstep import Lockstep

from randoms import model
from randoms.conftest import Starter
from randoms.model import Settings
from randoms.strategies import ACCEPTED
from samewire.contract.compare import content, side_by_side
from samewire.http import Request, Response
from samewire.target import Target

pytestmark = pytest.mark.layer("cases")

PATHS = ("/randoms", "/randoms/sync")
AROUND = range(110, 140)
"""Counts of draws whose results have about 1,024 bytes: a number drawn once is six to nine bytes."""


class Asking:
    """One connection to a server, and what its answers should be."""

    def __init__(self, target: Target, settings: Settings = model.DEFAULT) -> None:
        self._target, self._settings = target, settings
        self.lockstep = Lockstep([target])

    def check(self, path: str, accepted: str = "") -> Response:
        """The answer to a client that accepts so much. AssertionError if it is wrong."""
        request = Request("GET", path, (("Accept-Encoding", accepted),) if accepted else ())
        answer = self.lockstep.ask({self._target.name: request})[self._target.name]
        assert isinstance(answer, Response), f"{self._target.name}: {path}: {answer}"
        if problems := model.judge(request, answer, self._settings):
            shown = side_by_side(request, {self._target.name: answer}, url=self._target.url)
            raise AssertionError("\n".join([f"{self._target.name}, {self._settings}:", *problems, shown]))
        return answer

    def size(self, path: str) -> int:
        """Bytes of the body, in the server's own spelling; coded, it is the same. AssertionError if not."""
        plain, coded = self.check(path), self.check(path, "gzip")
        if "seed" in path:
            assert content(coded) == plain.body, f"{self._target.name}: {path}: gzip changes the body"
        return len(plain.body)


@pytest.fixture
def asking(target: Target) -> Iterator[Asking]:
    asked = Asking(target)
    with asked.lockstep:
        yield asked


def sizes_around(asking: Asking, limit: int, counts: range) -> None:
    """Results a little smaller and a little larger than `limit`."""
    sizes = [asking.size(f"{path}?count={count}&seed=3") for count in counts for path in PATHS]
    assert min(sizes) < limit <= max(sizes)


def test_who_gets_gzip(asking: Asking) -> None:
    for path in PATHS:
        for query in ("count=300&seed=5", "count=2000"):
            for accepted in ACCEPTED:
                asking.check(f"{path}?{query}", accepted)


def test_from_the_default_size_on(asking: Asking) -> None:
    sizes_around(asking, 1024, AROUND)


def test_large_results(asking: Asking) -> None:
    for count in (1_000, 5_000, 100_000, 1_000_000):
        asking.size(f"/randoms?count={count}&seed=3")
    assert len(asking.check("/randoms?count=100000&seed=3", "gzip").body) < 8192, "hardly compressed"


def test_from_zero_on(started: Starter) -> None:
    asking = Asking(started(COMPRESSION_MIN_BYTES="0").target, Settings(minimum=0))
    with asking.lockstep:
        for path in PATHS:
            for query in ("count=0&seed=1", "count=1&seed=1", "count=2000&seed=1"):
                asking.size(f"{path}?{query}")


def test_from_a_size_of_ones_own_on(started: Starter) -> None:
    asking = Asking(started(COMPRESSION_MIN_BYTES="300").target, Settings(minimum=300))
    with asking.lockstep:
        sizes_around(asking, 300, range(25, 50))


def test_off(started: Starter) -> None:
    settings = Settings(compression=False)
    asking = Asking(started("no-compression", COMPRESSION_MIN_BYTES="0").target, settings)
    with asking.lockstep:
        for path in PATHS:
            for query in ("count=0&seed=1", "count=2000&seed=1", "count=100000"):
                asking.size(f"{path}?{query}")
