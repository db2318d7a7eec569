"""Servers whose upstreams are the test's own."""

import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest
from raytracer import pixels

from report import model
from report.model import Item, Upstreams
from report.strategies import listing
from report.upstreams import JSON, PNG, Script, Upstream, message, playing
from samewire.http import Request, Response, exchange
from samewire.manifest import Server
from samewire.outcomes import NO_UPSTREAMS
from samewire.process import RunningServer
from samewire.pytest_plugin.selection import Selected, selected
from samewire.target import Target
from samewire.testbed import Testbed

TIMEOUT = 2.0
"""UPSTREAM_TIMEOUT_MS of every server here, in seconds."""
IN_TIME = 1.95 * TIMEOUT
"""Seconds for any answer, on a machine that is busy with other tests: nothing takes longer than the time-out."""

GET = Request("GET", "/report")


def png(width: int, height: int, pixels: bytes) -> bytes:
    """A PNG of these RGB bytes, row by row from the top."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\0\0\0"
    rows = b"".join(b"\0" + pixels[3 * width * y : 3 * width * (y + 1)] for y in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


ITEMS = (
    Item(1, "Buy milk", True),
    Item(2, "<b>'Röck' & \"Röll\"</b>"),
    Item(2**53 - 1, "\U0001f600", True),
)
TODOS = listing(*ITEMS)
IMAGE = png(*model.SIZE, bytes(value for y in range(240) for x in range(320) for value in (x % 256, y % 256, 128)))
RIGHT = Upstreams(ITEMS, IMAGE)

RIGHT_TODOS = playing(message(TODOS, JSON))
RIGHT_IMAGE = playing(message(IMAGE, PNG))


@dataclass
class Pair:
    """A todo and a raytracer upstream."""

    todo: Upstream
    raytracer: Upstream

    def rest(self) -> None:
        """Answer as the upstreams of other tests do: no todo, and the raytracer's picture."""
        self.answer(playing(message(listing(), JSON)), playing(message(_picture(), PNG)))

    def answer(self, todo: Script = RIGHT_TODOS, raytracer: Script = RIGHT_IMAGE) -> None:
        """Set how both answer from now on."""
        self.todo.answers(todo)
        self.raytracer.answers(raytracer)

    def start(self, testbed: Testbed, server: Server) -> RunningServer:
        """Start a server before these upstreams."""
        return testbed.start(
            server,
            env={
                "TODO_URL": f"{self.todo.url}/",  # A slash at the end is allowed.
                "RAYTRACER_URL": self.raytracer.url,
                "UPSTREAM_TIMEOUT_MS": f"{TIMEOUT * 1000:.0f}",
            },
        )


@dataclass
class Scene:
    """A server and its upstreams."""

    target: Target
    upstreams: Pair
    running: RunningServer | None = None
    """None of a server at a URL."""

    def ask(self, request: Request = GET) -> tuple[Response, float]:
        """An answer, and the seconds that it took."""
        start = time.monotonic()
        answer = exchange(self.target, request)
        return answer, time.monotonic() - start

    def right_again(self) -> list[str]:
        """What is wrong with a report when both upstreams are well."""
        self.upstreams.answer()
        return [f"the next report: {problem}" for problem in model.judge(GET, self.ask()[0], RIGHT)]


class Stage:
    """One pair of upstreams and the servers before it, each started once."""

    def __init__(self, testbed: Testbed, upstreams: Pair) -> None:
        self._testbed, self.upstreams = testbed, upstreams
        self._scenes: dict[str, Scene] = {}

    def scene(self, judged: Selected) -> Scene:
        """A server, started while its upstreams are away; one at a URL has these upstreams, and runs already."""
        if judged.name not in self._scenes:
            self._scenes[judged.name] = scene = self._scene(judged)
            self.upstreams.answer()
            # Time-outs are short here, and a JVM's first answers slow.
            for _ in range(10):
                scene.ask()
        return self._scenes[judged.name]

    def _scene(self, judged: Selected) -> Scene:
        if judged.url:
            return Scene(Target(judged.name, judged.service, judged.url), self.upstreams)
        assert judged.server
        with self.upstreams.todo.refusing(), self.upstreams.raytracer.refusing():
            running = self.upstreams.start(self._testbed, judged.server)
        return Scene(running.target, self.upstreams, running)


_at_given_ports = pytest.StashKey[Pair]()


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[object]:
    """With --upstream-port, the upstreams of a server at a URL are there for all tests, which run one at a time."""
    port = session.config.getoption("--upstream-port")
    if not port:
        return (yield)
    with Upstream(RIGHT_TODOS, port) as todo, Upstream(RIGHT_IMAGE, port + 1) as raytracer:
        session.config.stash[_at_given_ports] = pair = Pair(todo, raytracer)
        pair.rest()
        return (yield)


@cache
def _picture() -> bytes:
    """The raytracer's picture, by the reference: it takes a second."""
    return png(*model.SIZE, pixels.picture(*model.SIZE, model.DEPTH))


@pytest.fixture(scope="session")
def stage(request: pytest.FixtureRequest, testbed: Testbed) -> Iterator[Stage]:
    """For all tests of a worker, whatever their order: starting a server takes longer than most of them."""
    if pair := request.config.stash.get(_at_given_ports, None):
        yield Stage(testbed, pair)
        return
    with Upstream(RIGHT_TODOS) as todo, Upstream(RIGHT_IMAGE) as raytracer:
        yield Stage(testbed, Pair(todo, raytracer))


@pytest.fixture
def scene(judged: Selected, stage: Stage) -> Iterator[Scene]:
    """A server and its upstreams, which are well."""
    scene = stage.scene(judged)
    scene.upstreams.answer()
    yield scene
    if judged.url:
        scene.upstreams.rest()
    alive = scene.running is None or scene.running.alive
    assert alive, f"{judged.name} died. Its last lines:\n{scene.target.last_lines()}"


@pytest.fixture
def scenes(request: pytest.FixtureRequest, stage: Stage) -> Iterator[list[Scene]]:
    """All servers of ours, or the one at a URL, before the same upstreams."""
    with_urls = request.config.getoption("--upstream-port")
    chosen = [one for one in selected(request.config) if one.service == "report" and (one.server or with_urls)]
    if not chosen:
        pytest.skip(NO_UPSTREAMS)
    yield [stage.scene(one) for one in chosen]
    if with_urls:
        stage.upstreams.rest()
