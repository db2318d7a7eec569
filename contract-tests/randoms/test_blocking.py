"""What draws keep waiting: nothing on /randoms, and on /randoms/sync whoever shares the thread.

Judged by the order in which answers come, not by the clock: is /healthz, asked last, answered before the first of the
heavy requests that are in flight? Where those end too soon to tell, they are made twice as heavy.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import pytest

from randoms import model
from randoms.conftest import Starter
from samewire.http import Connection, Request, Response, connect, exchange
from samewire.manifest import Server
from samewire.target import Target

pytestmark = [pytest.mark.layer("life"), pytest.mark.timeout(300)]

HEALTH = Request("GET", "/healthz")
CORES = len(os.sched_getaffinity(0))
IN_FLIGHT = 2 * CORES
"""Heavy requests that keep every core busy, and a worker or a thread of its own for each core twice."""

ONE_THREAD = ("event-loop", "worker-pool")
"""Terms of the manifest: one thread serves all, so that what it computes keeps all others waiting."""
FEW_THREADS = ("actors", "event-loop-per-core", "reactive-streams", "virtual-threads")
"""A thread or a loop for each core serves all, or a few more (Akka's dispatcher: eight): all can be taken."""
MOST_THREADS = 2 * max(8, CORES)

LIGHTEST, LIGHT, HEAVIEST = 6_250_000, 25_000_000, model.MOST
PATIENCE = 120.0
TAKEN = 0.1
"""Seconds after which a server that has nothing else to do has taken what was sent to it."""


def heavier(count: int) -> Iterator[int]:
    """The count, and twice it again and again up to the most."""
    while count <= HEAVIEST:
        yield count
        count *= 2


def healthz_first(target: Target, path: str, count: int, in_flight: int) -> bool:
    """Whether /healthz is answered before the first of so many heavy requests. AssertionError if an answer is wrong."""
    with contextlib.ExitStack() as stack:
        health, *heavy = [stack.enter_context(connect(target, PATIENCE)) for _ in range(1 + in_flight)]
        for connection in (health, *heavy):
            # So that no connection still waits to be accepted when it matters.
            assert not model.judge(HEALTH, connection.exchange(HEALTH))
        requests = [Request("GET", f"{path}?count={count}&seed={1 + n}") for n in range(in_flight)]
        answered: SimpleQueue[tuple[Request, Response]] = SimpleQueue()

        def receive(connection: Connection, request: Request) -> None:
            answered.put((request, connection.receive(request.method)))

        with ThreadPoolExecutor(1 + in_flight) as pool:
            waiting = []
            for connection, request in zip(heavy, requests, strict=True):
                connection.send(request)
                waiting.append(pool.submit(receive, connection, request))
            time.sleep(TAKEN)
            health.send(HEALTH)
            waiting.append(pool.submit(receive, health, HEALTH))
            for one in waiting:
                one.result()
    order = [answered.get() for _ in waiting]
    for request, answer in order:
        problems = model.judge(request, answer)
        assert not problems, f"{target.name}: {request.path}: {problems}"
    return order[0][0] is HEALTH


def check(target: Target, path: str, in_flight: int, *, blocks: bool) -> None:
    """AssertionError if /healthz has to wait, or has not, at every weight."""
    # A server that does not block may look as if it did while the requests are light, and never the other way round.
    for count in heavier(LIGHT if blocks else LIGHTEST):
        if healthz_first(target, path, count, in_flight) != blocks:
            return
    when = (
        "before the first of them: what serves requests does not compute them" if blocks else "after the first of them"
    )
    light = blocks and target.server and target.server.concurrency == "virtual-threads"
    hint = ". If the runtime interrupts its light threads, server.toml says preemptive = true" if light else ""
    raise AssertionError(f"{target.name}: with {in_flight} × {path} in flight, /healthz is answered {when}{hint}")


def test_draws_beside_the_requests_block_nobody(server: Server, started: Starter) -> None:
    check(started().target, "/randoms", IN_FLIGHT, blocks=False)


def test_draws_on_the_serving_thread_block_who_shares_it(server: Server, started: Starter) -> None:
    target = started().target
    if server.concurrency in ONE_THREAD:
        check(target, "/randoms/sync", IN_FLIGHT, blocks=True)
    elif server.concurrency in FEW_THREADS and not server.preemptive:
        check(target, "/randoms/sync", MOST_THREADS, blocks=True)
    else:
        check(target, "/randoms/sync", IN_FLIGHT, blocks=False)


def test_clients_that_leave(server: Server, started: Starter) -> None:
    running = started()
    target = running.target
    for path in ("/randoms", "/randoms/sync"):
        with contextlib.ExitStack() as stack:
            leaving = [stack.enter_context(connect(target)) for _ in range(2 * IN_FLIGHT)]
            for number, connection in enumerate(leaving):
                connection.send(Request("GET", f"{path}?count=2000000&seed={1 + number}"))
            time.sleep(TAKEN)
            for number, connection in enumerate(leaving):
                # Some vanish with a reset, the others close as one should.
                connection.abort() if number % 2 else connection.close()
        for request in (Request("GET", f"{path}?count=1000&seed=1"), HEALTH):
            problems = model.judge(request, exchange(target, request, PATIENCE))
            assert not problems, f"{target.name}, after clients have left: {problems}"
    # A stack may say that it has started.
    printed = running.output()
    assert len(printed.splitlines()) <= 5, f"{target.name} is not quiet about clients that leave: {printed[:2000]}"
