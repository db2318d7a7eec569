"""Clients that send too much, do not read, do not answer or vanish: they are dropped, and cost others nothing."""

import asyncio
import time

import pytest

from chat.clients import open_files
from chat.sockets.client import CONNECT, Client, event, until
from chat.sockets.engine import Polling, path, payload
from chat.sockets.flood import CHUNK, CHUNKS, MEMORY, MOST, SECOND, Slow, attempts, is_dropped, pour
from chat.sockets.room import Room
from chat.sockets.websocket import TEXT, WebSocket, frame
from samewire.watching import Memory

pytestmark = [
    pytest.mark.layer("life"),
    pytest.mark.transports("socket.io", "socket.io-batched"),
    pytest.mark.timeout(300),
]

# --- too many events


async def test_fifty_a_second(room: Room) -> None:
    """Fifty at once are fine, and again a second later; the fifty-first is not taken and ends the connection."""
    ana = await room.join("ana")
    dropped: list[str] = []

    async def fifty_and_again() -> None:
        bia = await room.join("bia")
        for _ in range(2):
            await asyncio.sleep(SECOND)
            answers = await asyncio.gather(*(bia.say("fine") for _ in range(MOST)))
            assert all(answer["ok"] for answer in answers)
        assert not bia.closed.done()

    async def fifty_one() -> None:
        rui = await room.join(f"rui {len(dropped)}")
        dropped.append(rui.user)
        await asyncio.sleep(SECOND)
        before, sent = await room.last(), time.monotonic()
        for number in range(MOST + 1):
            rui.tell("message", f"{rui.user}: {number}")
        await is_dropped(rui, sent, MOST + 1)
        texts = [message["text"] for message in await room.messages(before) if message["user"] == rui.user]
        assert texts == [f"{rui.user}: {number}" for number in range(MOST)], "the first fifty are taken, and no more"

    async def thirty_and_thirty() -> None:
        eva = await room.join(f"eva {len(dropped)}")
        dropped.append(eva.user)
        await asyncio.sleep(SECOND)
        sent = time.monotonic()
        await asyncio.gather(*(eva.say("thirty") for _ in range(30)))
        await asyncio.sleep(max(0.0, sent + 0.5 - time.monotonic()))
        for _ in range(30):
            eva.tell("message", "and thirty")
        second = time.monotonic()
        if second - sent > 0.7:
            eva.session.abort()
            raise Slow
        await is_dropped(eva, sent, 60)

    async def unknown_events() -> None:
        stranger = await room.connect()
        sent = time.monotonic()
        for number in range(MOST + 1):
            stranger.tell(f"event {number % 7}", number)
        await is_dropped(stranger, sent, MOST + 1)

    async def refused_events() -> None:
        stranger = await room.connect()
        sent = time.monotonic()
        for _ in range(MOST + 1):
            stranger.tell("message", "")
        await is_dropped(stranger, sent, MOST + 1)

    async def in_one_payload() -> None:
        polling = await Polling.open(room.target)
        client = await Client.connect(polling)
        sent = time.monotonic()
        await polling.post_raw(payload([event("join", "")] * (MOST + 1)))
        await is_dropped(client, sent, MOST + 1)

    async def with_attachments() -> None:
        stranger = await room.connect()
        sent = time.monotonic()
        for _ in range(MOST + 1):
            stranger.session.send('451-["message",{"_placeholder":true,"num":0}]')
            stranger.session.send(b"abc")
        await is_dropped(stranger, sent, MOST + 1)

    stories = (
        fifty_one, thirty_and_thirty, unknown_events, refused_events, in_one_payload, with_attachments,
    )  # fmt: skip
    await asyncio.gather(fifty_and_again(), *map(attempts, stories))
    told = await until(lambda: {who["user"] for who in ana.told("left")} >= set(dropped))
    assert told, f"{dropped} were dropped, and ana was told of {ana.told('left')}"
    await room.settled(ana)
    assert sorted(who["user"] for who in ana.told("left")) == sorted(dropped), "each has left once"
    assert await room.users() == ["ana", "bia"]


# --- clients that do not read


async def test_clients_that_do_not_read(room: Room) -> None:
    """They are dropped before much waits for them, and those who read miss nothing."""
    ana = await room.join("ana")
    with Memory(room.target.pid) as before:
        await pour(room, ana, 8, lambda: False)
    deaf = [await room.join(f"deaf {number}", receive_buffer=4096) for number in range(8)]
    for member in deaf:
        member.session.stop_reading()
    not_asking = await room.join("not asking", "polling")
    paused = asyncio.create_task(not_asking.session.pause())
    names = {member.user for member in (*deaf, not_asking)}

    def all_left() -> bool:
        return {who["user"] for who in ana.told("left")} >= names

    with Memory(room.target.pid) as after:
        await pour(room, ana, CHUNKS, all_left)
        assert await until(all_left, 1), (
            f"{room.target.name}: {CHUNK * CHUNKS} messages of 2,000 bytes were sent, and of those who do not read "
            f"these are still there: {sorted(names - {who['user'] for who in ana.told('left')})}"
        )
    await paused
    end = await room.settled(ana)
    assert sorted(who["user"] for who in ana.told("left")) == sorted(names), "each has left once"
    assert [message["id"] for message in ana.messages] == list(range(ana.last + 1, end + 1))
    grown = after.peak - before.peak
    assert grown <= MEMORY, (
        f"{room.target.name}: {grown / 2**20:.0f} MiB more than the {before.peak / 2**20:.0f} MiB that the same took "
        f"when everybody read"
    )
    assert await room.users() == ["ana"]
    for member in (*deaf, not_asking):
        member.session.abort()
        room.clients.remove(member)


# --- clients that do not answer

PING_TIMES = 10.0
"""Seconds from one sign of life to the ping after it, and from that to the end."""


@pytest.mark.waits
async def test_connections_without_life(room: Room) -> None:
    """Who does not answer a ping has left, whether its connection is open or not. Who answers stays."""
    ana = await room.join("ana")
    sessions = ("websocket", "polling", "upgrading")
    faithful = [await room.join(f"faithful {session}", session) for session in sessions]
    await faithful[2].session.upgrade()
    silent = {session: await room.join(f"silent {session}", session) for session in sessions}
    half_open = await room.join("half open")
    not_asking = await room.join("not asking", "polling")
    lost = [*silent.values(), half_open, not_asking]
    began = time.monotonic()
    for member in silent.values():
        member.alive = False
    await silent["upgrading"].session.upgrade()
    half_open.session.stop_reading()
    paused = asyncio.create_task(not_asking.session.pause())
    # Half as long again: a machine that is busy plays its clients late.
    await until(lambda: len(ana.told("left")) >= len(lost), 1.5 * PING_TIMES)
    told = {who["user"] for who in ana.told("left")}
    assert {member.user for member in lost} == told, f"left are {sorted(told)}"
    for member in silent.values():
        assert await until(member.closed.done, 5), f"{member.user} has left, and its connection is still open"
    # Three times as long as nobody says anything they are there.
    await asyncio.sleep(max(0.0, began + PING_TIMES + 1 - time.monotonic()))
    for member in (*faithful, ana):
        assert not member.closed.done(), f"{member.user} answers, and was dropped"
        assert member.pings >= 2, f"{member.user}: {member.pings} pings in {PING_TIMES + 1:g} s"
        assert (await member.ask("message", "still here"))["ok"]
    assert await room.users() == sorted(["ana", *(member.user for member in faithful)])
    await room.settled(ana)
    assert sorted(who["user"] for who in ana.told("left")) == sorted(member.user for member in lost)
    for member in (half_open, not_asking):
        member.session.abort()
        room.clients.remove(member)
    await paused


# --- clients that vanish


async def test_clients_that_vanish(room: Room) -> None:
    """Whatever they were at, nothing of them is left."""
    ana = await room.join("ana")
    await room.settled(ana)
    before = open_files(room.target)
    joined = []
    for number in range(120):
        how = number % 6
        if how == 0:
            client = await room.join(f"gone {number}")
            joined.append(client.user)
            client.tell("message", "oi")
            client.session.abort()
        elif how == 1:
            client = await room.join(f"gone {number}", "polling")
            joined.append(client.user)
            await asyncio.sleep(0.01)
            client.session.abort()
        elif how == 2:
            one = await WebSocket.connect(room.target, path(transport="websocket"))
            one.abort()
        elif how == 3:
            one = await WebSocket.connect(room.target, path(transport="websocket"))
            one.send(CONNECT)
            one.send_raw(frame(TEXT, event("join", f"never {number}").encode())[:-3])
            await asyncio.sleep(0)
            one.abort()
        elif how == 4:
            polling = await Polling.open(room.target)
            one = await WebSocket.connect(room.target, path(transport="websocket", sid=polling.handshake.sid))
            one.send("2probe")
            one.abort()
        else:
            _, writer = await asyncio.open_connection(room.target.host, room.target.port)
            writer.write(f"GET {path(transport='websocket')} HTTP/1.1\r\nHost: a\r\nUpgrade: webso".encode())
            writer.transport.abort()
    room.clients[:] = [ana]
    assert await until(lambda: len(ana.told("left")) >= len(joined), 20), "not all who vanished have left"
    await room.settled(ana)
    assert sorted(who["user"] for who in ana.told("left")) == sorted(joined)
    assert await room.users() == ["ana"]
    back = await until(lambda: open_files(room.target) <= before + 10, 5)
    now = open_files(room.target)
    assert back, f"{room.target.name} had {before} open files before 120 clients vanished, and has {now} now"
