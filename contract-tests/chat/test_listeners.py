"""Who listens by long polling or to events: present, gone, vanished, deaf, and there when the server stops."""

import contextlib
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from life_clients import STOP, wait_until
from request_strategies import JSON
from test_life import ends_well, is_read, killed_in_the_end

from chat import model
from chat.clients import Client, open_files, settled_open_files, users_of
from chat.listening import checks
from chat.listening.clients import Deaf, Stream, path_of
from chat.model import HERE, LARGEST, LATE, Message
from chat.sockets.room import Room
from chat.strategies import spelled
from samewire.http import Request, connect
from samewire.manifest import Server
from samewire.testbed import Testbed
from samewire.watching import Memory

pytestmark = [pytest.mark.layer("life"), pytest.mark.transports("polling"), pytest.mark.timeout(180)]

MEMORY = 64 * 2**20
"""Bytes by which a server's memory may grow for clients that do not read."""
VANISHED = 12.0
"""Seconds in which a server has noticed that a client is gone: it writes to it every ten."""


@pytest.mark.waits
def test_time_passes(room: Room) -> None:
    """Side by side, for both wait."""
    with ThreadPoolExecutor(2) as pool:
        passing = [pool.submit(check, room.target) for check in (checks.listeners_are_present, checks.comments_come)]
        for one in passing:
            one.result()


@pytest.mark.waits
def test_listeners_that_vanish(room: Room) -> None:
    """Nothing of them is left."""
    target, wait = room.target, 2
    checks.post(target)
    before = settled_open_files(target)
    for _ in range(3):
        gone = []
        for number in range(checks.LISTENERS):
            paths = (
                path_of("/messages", {"after": LARGEST, "wait": wait, "user": "waits"}),
                path_of("/events", {"after": 0, "user": "listens"}),
            )
            gone.append(connect(target))
            gone[-1].send(Request("GET", paths[number % 2]))
        assert wait_until(lambda gone=gone: is_read(target, *gone), 5), f"{target.name} does not read what it is sent"
        for connection in gone:
            connection.abort()
    back = wait_until(lambda: open_files(target) <= before + 10, VANISHED)
    now = open_files(target)
    assert back, f"{target.name} had {before} open files before its listeners vanished, and has {now} now"
    # A server may see that a client has left when the wait is over.
    late = wait + HERE + LATE
    assert wait_until(lambda: not users_of(target), late), f"{target.name}: {users_of(target)} are still here"
    checks.each_new_message_is_told_at_once(target)


# --- who does not read

DEAF = 12
CHUNK, CHUNKS = 250, 16
SAID = Request("POST", "/messages", JSON, spelled(Message("rui", "\U0001f600" * 500)))
"""About 2,000 bytes. An answer is not judged: there are thousands."""


def pour(stream: Stream, chunks: int, pool: ThreadPoolExecutor) -> bool:
    """Say much, no faster than the stream is read, until nobody is here who is deaf; whether it came to that."""

    def say(_: int) -> int:
        with Client(stream.target) as client:
            return max(json.loads(client.ask(SAID).body)["id"] for _ in range(CHUNK // 5))

    for _ in range(chunks):
        stream.hears(max(pool.map(say, range(5))), 20)
        if not any(name.startswith("deaf") for name in users_of(stream.target)):
            return True
    return False


def test_listeners_that_do_not_read(room: Room) -> None:
    """They are dropped before much waits for them, and who reads misses nothing."""
    target, start = room.target, checks.last_of(room.target)
    with Stream(target, start, "ana") as ana, ThreadPoolExecutor(5) as pool, contextlib.ExitStack() as stack:
        with Memory(target.pid) as before:
            for _ in range(2):
                pour(ana, 1, pool)
        several = [Deaf(target, f"deaf {number}", checks.last_of(target)) for number in range(DEAF)]
        for one in several:
            stack.callback(one.close)
        here = wait_until(lambda: {one.user for one in several} < {*users_of(target)}, 5)
        assert here, f"{target.name}: only {users_of(target)} are here"
        with Memory(target.pid) as after:
            gone = pour(ana, CHUNKS, pool) or wait_until(lambda: users_of(target) == ["ana"], HERE + LATE)
        assert gone, f"{target.name}: {CHUNK * CHUNKS} messages of 2,000 bytes, and still here are {users_of(target)}"
        end = max(ana.messages)
        # The stream has judged that none is missing.
        assert min(ana.messages) == start + 1
        grown = after.peak - before.peak
        assert grown <= MEMORY, (
            f"{target.name}: {grown / 2**20:.0f} MiB more than the {before.peak / 2**20:.0f} MiB that the same took "
            f"when everybody read"
        )
        for ids, ended in pool.map(Deaf.rest, several):
            assert ids == [*range(ids[0], ids[0] + len(ids))], f"{target.name}: who was deaf has missed some of {ids}"
            assert ended or ids[-1] >= end, f"{target.name}: who was deaf has {ids[-1]} of {end}, and nobody tells why"
    checks.each_new_message_is_told_at_once(target)


# --- the end


def test_a_stop_with_listeners(server: Server, testbed: Testbed) -> None:
    """Who waits is answered, who listens is told of the end, and nobody holds it up."""
    running = testbed.start(server)
    target = running.target
    question = Request("GET", path_of("/messages", {"after": LARGEST, "wait": 20, "user": "waits"}))
    with killed_in_the_end(running), contextlib.ExitStack() as stack:
        checks.post(target)
        waiting = [stack.enter_context(connect(target, STOP + 2)) for _ in range(checks.LISTENERS // 2)]
        for connection in waiting:
            connection.send(question)
        streams = [stack.enter_context(Stream(target, user="listens")) for _ in range(checks.LISTENERS // 2)]
        assert wait_until(lambda: is_read(target, *waiting), 5), f"{target.name} does not read what it is sent"
        time.sleep(checks.WAITING)
        signalled = time.monotonic()
        running.signal(server.stop_signal)
        for connection in waiting:
            problems = model.judge(question, connection.receive("GET"))
            assert not problems, f"{target.name}, to who waits while it stops: {problems[0]}"
        for stream in streams:
            ended = stream.wait_for(lambda stream=stream: stream.ended, STOP)
            assert ended, f"{target.name}: a stream of events goes on after its stop signal"
            assert 1 in stream.messages
        ends_well(running, signalled)
