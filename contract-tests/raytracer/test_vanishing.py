"""Clients that leave before their picture is done: their work is dropped, where the stack can know that they left.

Judged by the processor time that the server still takes, which does not depend on what else the machine does.
"""

import contextlib
import time

import psutil
import pytest

from raytracer import model
from samewire.http import Request, connect, exchange
from samewire.manifest import Server
from samewire.process import RunningServer
from samewire.testbed import Testbed

pytestmark = [pytest.mark.layer("life"), pytest.mark.timeout(300)]

CANNOT_KNOW = {
    "Apache httpd": "PHP is told that the client has left when it writes, and a picture is written when it is done",
    "Tomcat": "a servlet is told that the client has left when it writes, and a picture is written when it is done",
}
"""Stack → why its work goes on. What it has begun it then ends, and nothing worse."""

LARGE = Request("GET", "/render?width=1920&height=1080&depth=10")
SMALL = Request("GET", "/render?width=64&height=48&depth=3")
CLIENTS, CLIENTS_IN_VAIN = 40, 4
"""Those who leave: together they would keep a processor busy for more than ten seconds."""
AFTERWARDS = 3.0
"""Seconds of processor time that a server may still take: rows that were begun, its own housekeeping."""
PATIENCE = 120.0
"""Seconds until it must be idle, whatever it can know."""


def processor_time(running: RunningServer) -> float:
    """Seconds that the server's processes have taken so far."""
    main = psutil.Process(running.pid)
    total = 0.0
    for process in [main, *main.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:2])
    return total


def until_idle(running: RunningServer) -> float:
    """The processor time at which the server does nothing any more. AssertionError if that never comes."""
    end = time.monotonic() + PATIENCE
    before = processor_time(running)
    while time.monotonic() < end:
        time.sleep(1.0)
        now = processor_time(running)
        if now - before < 0.1:
            return now
        before = now
    raise AssertionError(f"{running.target.name} is still busy {PATIENCE:g} s after its clients have left")


def test_clients_that_leave(server: Server, testbed: Testbed) -> None:
    why = next((CANNOT_KNOW[name] for name in server.wire_stack if name in CANNOT_KNOW), None)
    running = testbed.start(server)
    target = running.target
    try:
        exchange(target, SMALL)
        until_idle(running)  # Apache answers before it has printed that it has started.
        at_first = running.output()
        with contextlib.ExitStack() as stack:
            leaving = [stack.enter_context(connect(target)) for _ in range(CLIENTS_IN_VAIN if why else CLIENTS)]
            for connection in leaving:
                connection.send(LARGE)
            time.sleep(0.5)
            for number, connection in enumerate(leaving):
                # Some vanish with a reset, the others close as one should.
                connection.abort() if number % 2 else connection.close()
        left = processor_time(running)
        answer = exchange(target, SMALL, PATIENCE)
        assert not model.judge(SMALL, answer), f"{target.name}, after clients have left: {model.judge(SMALL, answer)}"
        took = until_idle(running) - left
        assert why or took < AFTERWARDS, (
            f"{target.name} has worked {took:.1f} s of processor time for {CLIENTS} clients that had left"
        )
        more = running.output().removeprefix(at_first)
        assert not more, f"{target.name} is not quiet about clients that leave: {more[:2000]}"
    finally:
        running.kill()
