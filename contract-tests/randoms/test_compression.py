"""gzip: for whom, from which size on, of what, and that nothing is lost by it."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Self

import pytest
from lockstep import Lockstep

from randoms import model
from randoms.conftest import Starter
from randoms.model import Settings
from samewire.contract.compare import content, side_by_side
from samewire.http import Request, Response
from samewire.target import Target

pytestmark = pytest.mark.layer("cases")

Fields = tuple[str, ...]
DEFAULT = Settings()

GZIP: tuple[Fields, ...] = (
    ("gzip",), ("GZIP",), ("gZiP",), ("gzip;q=1",), ("gzip;q=1.000",), ("gzip;q=1.",), ("gzip;q=0.001",),
    ("gzip;Q=0.5",), ("gzip ; q=0.5",), ("gzip\t;\tq=0.5",), ("gzip  ;   q=0.5",), ("  gzip  ",), (",gzip",),
    ("gzip,",), (" , ,gzip, ,",), ("*",), ("*;q=0.1",), ("* ; q=0.001",), ("br, *",), ("identity;q=0, *",),
    ("deflate,\t*;q=0.2",), ("br, gzip",), ("gzip, br",), ("gzip,deflate,br,zstd",), ("br;q=1, gzip;q=0.1",),
    ("br,gzip;q=0.1,deflate;q=0.9",), ("zstd;q=1.0 ,gzip;q=0.001",), ("compress;q=0, gzip",),
    ("br;q=0, deflate;q=0, zstd;q=0, gzip;q=0.3",), ("identity, gzip",), ("gzip, identity",),
    ("identity;q=0.5, gzip;q=0.5",), ("gzip;q=0.5, identity;q=0.499",), ("identity;q=0, gzip;q=0.001",),
    ("identity;q=0.9, gzip",), ("IDENTITY;q=0.5, gzip;q=0.6",), ("identity;q=0.2, *;q=0.3",), ("*;q=0, gzip",),
    ("gzip, *;q=0",), ("*;q=0.5, gzip;q=0.2",), ("gzip;q=0.2, *;q=0.5",), ("*;q=0, gzip;q=0.001",), ("br", "gzip"),
    ("gzip", "br"), ("identity;q=0.5", "br", "gzip;q=0.6"), ("", "gzip"), ("*;q=0", "gzip"),
    (", ".join([f"coding{n}" for n in range(100)] + ["gzip"]),),
)  # fmt: skip
"""Values of Accept-Encoding, one for each field of that name: who sends these gets gzip."""

IDENTITY: tuple[Fields, ...] = (
    (), ("",), (" , ",), ("identity",), ("identity;q=1",), ("identity;q=0",), ("identity;q=0, br",), ("br",),
    ("deflate",), ("zstd",), ("compress",), ("br, deflate, zstd;q=0.5",), ("gzipped",), ("xgzip",), ("gzip-9",),
    ("gz",), ("gzip;q=0",), ("gzip;q=0.",), ("gzip;q=0.0",), ("gzip;q=0.000",), ("GZIP;Q=0",), ("gzip ; q=0",),
    ("gzip\t;\tq=0.00",), ("*;q=0",), ("*;q=0.000",), ("* ; q=0",), ("gzip;q=0, *",), ("*, gzip;q=0",),
    ("*;q=0.9, gzip;q=0.0, br",), ("gzip;q=0, identity;q=0",), ("identity;q=0, gzip;q=0, *",),
    ("identity;q=0, *;q=0",), ("br, gzip;q=0",), ("identity, gzip;q=0.999",), ("gzip;q=0.999, identity",),
    ("identity;q=0.5, gzip;q=0.499",), ("gzip;q=0.1,identity;q=0.2",), ("identity;q=0.002 , gzip;q=0.001",),
    ("identity;q=0.3, *;q=0.2",), ("Identity, *;q=0.9",), ("identity;q=0.6, gzip;q=0.5, *",), ("br", "gzip;q=0"),
    ("gzip;q=0", "*"), ("identity", "gzip;q=0.5"), ("gzip;q=0,5",),
)  # fmt: skip
"""Who sends these does not."""

EITHER: tuple[Fields, ...] = (
    ("gzip;q=2",), ("gzip;q=-1",), ("gzip;q=x",), ("gzip;q=",), ("gzip;q",), ("gzip;",), ("gzip;;q=1",),
    ("gzip;q=1;q=0",), ("gzip; q = 0.5",), ('gzip;q="0.5"',), ("gzip;q=0.5555",), ("gzip;q=1e-1",), ("gzip;q=.5",),
    ("gzip;level=9",), ("gzip br",), ("gzip;q=NaN",), ("gzip;q=Infinity",), ("gzip, gzip;q=0",),
    ("gzip;q=0, gzip",), ("*, *;q=0",), ("x-gzip",), ("identity, identity;q=0, gzip",), ("gzip/9",), ("@, gzip",),
    ('"gzip"',), ("\xc3\xa9, gzip",), (";",), ("q=1",), ("=;q=,",),
)  # fmt: skip
"""What these mean nobody says: any answer will do, as long as it is sound."""


def accepting(fields: Fields) -> tuple[tuple[str, str], ...]:
    """Header fields, the second of a name spelled in another way."""
    return tuple((("Accept-Encoding", "accept-encoding")[place % 2], value) for place, value in enumerate(fields))


@cache
def result_of(length: int) -> str:
    """A query whose result is exactly so many bytes long, uncoded."""
    found = (
        f"count={count}&seed={seed}"
        for seed in range(1, 1000)
        # A number drawn once is six to nine bytes, mostly eight, and there is a little around them.
        for count in range(length // 10, length // 7)
        if len(model.result(count, seed)) == length
    )
    return next(found)


class Asking:
    """One connection to a server, and what its answers should be."""

    def __init__(self, target: Target, settings: Settings = DEFAULT) -> None:
        self.target, self.settings = target, settings
        self._lockstep = Lockstep([target])

    def check(self, path: str, fields: Fields, *, gzipped: bool | None, large: bool) -> Response:
        """The answer to a GET. AssertionError if it, or that to HEAD, is wrong; `gzipped` is None if either will do."""
        shown = None
        for method in ("HEAD", "GET"):
            request = Request(method, path, accepting(fields))
            answer = self.exchange(request)
            problems = model.judge(request, answer, self.settings)
            # The model has read the same fields; this is the table's own word.
            coded = bool(answer.values("Content-Encoding"))
            if gzipped is not None and coded != gzipped:
                problems.append("coded, and should not be" if coded else "not coded, and should be")
            if bool(answer.values("Vary")) != large:
                problems.append(f"Vary is {answer.values('Vary')}")
            lengths = (answer.values("Content-Length"), shown.values("Content-Length") if shown else [])
            if model.is_fixed(request) and all(lengths) and lengths[0] != lengths[1]:
                problems.append(f"Content-Length of HEAD {lengths[1]}, of GET {lengths[0]}")
            if problems:
                expected = model.answer(request, self.settings)
                sides = side_by_side(request, {"the contract": expected, self.target.name: answer}, url=self.target.url)
                raise AssertionError("\n".join([f"{self.target.name}, {self.settings}, {fields}:", *problems, sides]))
            shown = answer
        assert shown
        return shown

    def exchange(self, request: Request) -> Response:
        """The answer. AssertionError if there is none."""
        answer = self._lockstep.ask({self.target.name: request})[self.target.name]
        assert isinstance(answer, Response), f"{self.target.name}: {request.method} {request.path}: {answer}"
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lockstep.hang_up()


@pytest.fixture
def asking(target: Target) -> Iterator[Asking]:
    with Asking(target) as asked:
        yield asked


def test_who_gets_gzip(asking: Asking) -> None:
    paths = ("/randoms?count=300&seed=5", "/randoms/sync?count=300&seed=5")
    for number, fields in enumerate(GZIP):
        asking.check(paths[number % 2], fields, gzipped=True, large=True)
    for number, fields in enumerate(IDENTITY):
        asking.check(paths[number % 2], fields, gzipped=False, large=True)


def test_nobody_says_who(asking: Asking) -> None:
    for fields in EITHER:
        asking.check("/randoms?count=300&seed=5", fields, gzipped=None, large=True)
        asking.check("/randoms?count=1&seed=5", fields, gzipped=False, large=False)


def test_from_the_default_size_on(asking: Asking) -> None:
    for length, path in product((1023, 1024, 1025), ("/randoms", "/randoms/sync")):
        target = f"{path}?{result_of(length)}"
        asking.check(target, ("gzip",), gzipped=length >= 1024, large=length >= 1024)
        asking.check(target, (), gzipped=False, large=length >= 1024)


def test_all_that_is_large(asking: Asking) -> None:
    sizes = set()
    for count in (250, 1_000, 5_000, 100_000, 1_000_000):
        coded = asking.check(f"/randoms?count={count}&seed=3", ("gzip",), gzipped=True, large=True)
        plain = asking.check(f"/randoms?count={count}&seed=3", ("identity",), gzipped=False, large=True)
        assert content(coded) == plain.body
        assert len(coded.body) < len(plain.body) * 0.7, f"{len(coded.body)} of {len(plain.body)} bytes is hardly coded"
        sizes.add(len(plain.body))
    assert max(sizes) > 8192
    for path in ("/healthz", "/nobody", "/randoms?count=x"):
        asking.check(path, ("gzip",), gzipped=False, large=False)


def test_without_a_seed(asking: Asking) -> None:
    for path in ("/randoms?count=3000", "/randoms/sync?count=3000"):
        asking.check(path, ("gzip",), gzipped=True, large=True)
        asking.check(path, ("br",), gzipped=False, large=True)


SMALL = ("/healthz", "/info", "/nobody", "/randoms?count=x", "/randoms?count=0&seed=1", "/randoms/sync?seed=0")


def test_from_zero_on(started: Starter) -> None:
    settings = Settings(minimum=0)
    with Asking(started(COMPRESSION_MIN_BYTES="0").target, settings) as asking:
        for path in (*SMALL, "/randoms?count=1&seed=1", "/randoms/sync?count=2000&seed=1"):
            asking.check(path, ("gzip",), gzipped=True, large=True)
            asking.check(path, ("gzip;q=0",), gzipped=False, large=True)
            asking.check(path, (), gzipped=False, large=True)
        for method in ("POST", "DELETE", "OPTIONS"):
            request = Request(method, "/randoms", accepting(("gzip",)))
            problems = model.judge(request, asking.exchange(request), settings)
            assert not problems, f"{asking.target.name}: {method}: {problems}"


def test_from_a_size_of_ones_own_on(started: Starter) -> None:
    # Both problems of 400 are of this length, and the others are shorter.
    least = len(model.answer(Request("GET", "/randoms?count=x")).body)
    assert least == len(model.answer(Request("GET", "/randoms?seed=0")).body)
    with Asking(started(COMPRESSION_MIN_BYTES=str(least)).target, Settings(minimum=least)) as asking:
        for path, large in (
            ("/randoms?count=x", True),
            ("/randoms/sync?seed=0", True),
            ("/nobody", False),
            ("/healthz", False),
            (f"/randoms?{result_of(least - 1)}", False),
            (f"/randoms?{result_of(least)}", True),
            (f"/randoms/sync?{result_of(least)}", True),
            (f"/randoms/sync?{result_of(least + 1)}", True),
        ):
            asking.check(path, ("gzip",), gzipped=large, large=large)
            asking.check(path, ("br",), gzipped=False, large=large)


def test_off(started: Starter) -> None:
    settings = Settings(compression=False, minimum=0)
    with Asking(started("no-compression", COMPRESSION_MIN_BYTES="0").target, settings) as asking:
        for path in (*SMALL, "/randoms?count=2000&seed=1", "/randoms/sync?count=100000&seed=1", "/randoms?count=5000"):
            for fields in (("gzip",), ("*",), ("gzip, identity;q=0",), ()):
                asking.check(path, fields, gzipped=False, large=False)


def test_the_model_reads_the_fields_so() -> None:
    def read(fields: Fields) -> bool | None:
        try:
            return model.accepts_gzip(Request("GET", "/", accepting(fields)))
        except model.Doubtful:
            return None

    for table, said in ((GZIP, True), (IDENTITY, False), (EITHER, None)):
        assert {fields: read(fields) for fields in table} == dict.fromkeys(table, said)
