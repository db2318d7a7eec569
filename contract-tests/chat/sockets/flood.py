"""Too much at once, and much that nobody reads: what is asked of servers over Socket.IO and over WebSocket alike."""

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable

from chat.sockets.client import Client, Gone, until
from chat.sockets.member import Member
from chat.sockets.room import Room

MOST = 50
"""Events that a connection may send within a second."""
SECOND = 1.1
"""A second, and a little more for clocks that differ."""
MEMORY = 64 * 2**20
"""Bytes that a server's memory may grow by, whatever its clients do not read."""

# --- too many events


class Slow(Exception):
    """The machine was too busy for this attempt to prove anything."""


async def attempts(story: Callable[[], Awaitable[None]]) -> None:
    """Play a story until the machine is quick enough for it."""
    for _ in range(5):
        with contextlib.suppress(Slow):
            return await story()
    raise AssertionError("within five attempts the server never read 51 events in a second")


async def is_dropped(client: Client | Member, sent: float, events: int) -> None:
    """AssertionError unless it is dropped for these events; Slow if they may have been read too slowly for that."""
    with contextlib.suppress(Gone):
        # The answer to one more comes when all before it have been read.
        await client.ask("message", "")
        if time.monotonic() - sent > 1:
            client.session.abort()
            raise Slow
        raise AssertionError(f"{events} events at once, and the connection is still open")


# --- clients that do not read

TEXT_OF_2000_BYTES = "\U0001f600" * 500
CHUNK = 250
"""Messages until the reader must have them: no more than half of what may wait for it."""
CHUNKS = 24


class Poster:
    """Posts one message after the other on one connection."""

    def __init__(self, room: Room) -> None:
        target = room.target
        body = json.dumps({"user": "rui", "text": TEXT_OF_2000_BYTES}, ensure_ascii=False).encode()
        self._target = target
        self._request = (
            f"POST /messages HTTP/1.1\r\nHost: {target.host}:{target.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    async def post(self, messages: int) -> int:
        """The last id of so many."""
        reader, writer = await asyncio.open_connection(self._target.host, self._target.port)
        id_ = 0
        for _ in range(messages):
            writer.write(self._request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 201"), head
            size = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            id_ = json.loads(await reader.readexactly(size))["id"]
        writer.close()
        return id_


async def pour(room: Room, reader: Client | Member, chunks: int, enough: Callable[[], bool]) -> None:
    """Say much, no faster than the reader reads, until that is enough."""
    for _ in range(chunks):
        if enough():
            return
        last = max(await asyncio.gather(*(Poster(room).post(CHUNK // 5) for _ in range(5))))
        there = await until(
            lambda last=last: reader.closed.done() or any(one["id"] >= last for one in reader.messages[-1:])
        )
        assert not reader.closed.done(), "who reads all that it is sent was dropped"
        assert there, f"message {last} has not come"
