"""Servers of ours whose upstreams are the test's own."""

import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from report import model
from report.model import Item, Upstreams
from report.strategies import listing
from report.upstreams import JSON, PNG, Script, Upstream, message, playing
from samewire.http import Request, Response, exchange
from samewire.manifest import Server
from samewire.process import RunningServer
from samewire.pytest_plugin.selection import selected
from samewire.testbed import Testbed

TIMEOUT = 2.0
"""UPSTREAM_TIMEOUT_MS of every server here, in seconds."""
IN_TIME = 1.95 * TIMEOUT
"""Seconds for any answer, on a machine that is busy with other tests: nothing takes longer than the time-out."""

GET = Request("GET", "/report")


def png(width: int, height: int) -> bytes:
    """A PNG of this size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\0\0\0"
    rows = b"".join(b"\0" + b"".join(bytes((x % 256, y % 256, 128)) for x in range(width)) for y in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


ITEMS = (
    Item(1, "Buy milk", True),
    Item(2, "<b>'Röck' & \"Röll\"</b>"),
    Item(2**53 - 1, "\U0001f600", True),
)
TODOS = listing(*ITEMS)
IMAGE = png(*model.SIZE)
RIGHT = Upstreams(ITEMS, IMAGE)

RIGHT_TODOS = playing(message(TODOS, JSON))
RIGHT_IMAGE = playing(message(IMAGE, PNG))


@dataclass
class Pair:
    """A todo and a raytracer upstream."""

    todo: Upstream
    raytracer: Upstream

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

    running: RunningServer
    upstreams: Pair

    def ask(self, request: Request = GET) -> tuple[Response, float]:
        """An answer, and the seconds that it took."""
        start = time.monotonic()
        answer = exchange(self.running.target, request)
        return answer, time.monotonic() - start

    def right_again(self) -> list[str]:
        """What is wrong with a report when both upstreams are well."""
        self.upstreams.answer()
        return [f"the next report: {problem}" for problem in model.judge(GET, self.ask()[0], RIGHT)]


class Stage:
    """One pair of upstreams and the servers before it, each started once."""

    def __init__(self, testbed: Testbed, upstreams: Pair) -> None:
        self._testbed, self._upstreams = testbed, upstreams
        self._scenes: dict[str, Scene] = {}

    def scene(self, server: Server) -> Scene:
        """A server, started while its upstreams are away."""
        if server.id not in self._scenes:
            with self._upstreams.todo.refusing(), self._upstreams.raytracer.refusing():
                running = self._upstreams.start(self._testbed, server)
            self._scenes[server.id] = Scene(running, self._upstreams)
            self._upstreams.answer()
            # Time-outs are short here, and a JVM's first answers slow.
            for _ in range(10):
                self._scenes[server.id].ask()
        return self._scenes[server.id]


@pytest.fixture(scope="session")
def stage(testbed: Testbed) -> Iterator[Stage]:
    """For all tests of a worker, whatever their order: starting a server takes longer than most of them."""
    with Upstream(RIGHT_TODOS) as todo, Upstream(RIGHT_IMAGE) as raytracer:
        yield Stage(testbed, Pair(todo, raytracer))


@pytest.fixture
def scene(server: Server, stage: Stage) -> Iterator[Scene]:
    """A server and its upstreams, which are well."""
    scene = stage.scene(server)
    scene.upstreams.answer()
    yield scene
    assert scene.running.alive, f"{server.id} died. Its last lines:\n{scene.running.target.last_lines()}"


@pytest.fixture
def scenes(request: pytest.FixtureRequest, stage: Stage) -> list[Scene]:
    """All servers of ours, before the same upstreams."""
    servers = [one.server for one in selected(request.config) if one.service == "report" and one.server]
    if not servers:
        pytest.skip("no server of this checkout was chosen: a server at a URL has upstreams of its own")
    return [stage.scene(server) for server in servers]
