"""Who asks first is answered first, more or less: nobody waits while others are served again and again."""

import contextlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from raytracer import model
from samewire.http import Connection, Request, connect, exchange
from samewire.manifest import Server
from samewire.testbed import Testbed

pytestmark = [pytest.mark.layer("life"), pytest.mark.timeout(300)]

HEALTH = Request("GET", "/healthz")
PICTURE = Request("GET", "/render?width=160&height=120&depth=5")
CLIENTS = 24
"""So many that most of them wait."""
LEAST, MOST = 3, 15
"""Pictures that all must have got before anybody has got so many: threads and processes need not be strict."""
PATIENCE = 120.0


def test_nobody_is_overtaken_for_ever(server: Server, testbed: Testbed) -> None:
    # On one core, as in a race: there one worker, thread or process at a time has all the turns to give.
    target = testbed.start(server, cpus={min(os.sched_getaffinity(0))}).target
    got = [0] * CLIENTS
    over = threading.Event()
    together = threading.Barrier(CLIENTS)

    def ask(number: int, connection: Connection) -> None:
        # Somebody whose connection has not been accepted yet is not in the queue.
        connection.send(HEALTH)
        connection.receive("GET")
        together.wait(PATIENCE)
        while not over.is_set():
            connection.send(PICTURE)
            problems = model.judge(PICTURE, connection.receive("GET"))
            assert not problems, f"{target.name}: {problems}"
            got[number] += 1
            if min(got) >= LEAST or max(got) >= MOST:
                over.set()

    exchange(target, PICTURE)
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(CLIENTS) as pool:
        connections = [stack.enter_context(connect(target, PATIENCE)) for _ in range(CLIENTS)]
        for asking in [pool.submit(ask, number, connection) for number, connection in enumerate(connections)]:
            asking.result()
    assert max(got) < MOST, (
        f"{target.name} has answered some of {CLIENTS} clients {max(got)} times while others had {min(got)} of the "
        f"{LEAST} answers that all were waiting for; answers by client: {got}"
    )
