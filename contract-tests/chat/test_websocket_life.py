"""Clients of the WebSocket that send too much, do not read, do not answer or vanish; and the end of the server."""

import asyncio
import time

import pytest
from life_clients import STOP
from test_life import ends_well, killed_in_the_end

from chat.clients import open_files
from chat.sockets.client import until
from chat.sockets.flood import CHUNK, CHUNKS, MEMORY, MOST, SECOND, Poster, Slow, attempts, is_dropped, pour
from chat.sockets.member import PONG, Member, frame, path
from chat.sockets.room import Room
from chat.sockets.websocket import TEXT, WebSocket
from chat.sockets.websocket import frame as raw
from samewire.manifest import Server
from samewire.testbed import Testbed
from samewire.watching import Memory

pytestmark = [pytest.mark.layer("life"), pytest.mark.transports("websocket"), pytest.mark.timeout(300)]

PING_TIMES = 10.0
"""Seconds without a frame of its client after which a connection has left."""


async def test_fifty_a_second(room: Room) -> None:
    """Fifty at once are fine, and again a second later; the fifty-first is not taken and ends the connection."""
    ana = await room.join("ana")
    dropped: list[str] = []

    async def newcomer(name: str) -> Member:
        dropped.append(f"{name} {len(dropped)}")
        return await room.join(dropped[-1])

    async def fifty_and_again() -> None:
        bia = await room.join("bia")
        # The answer to a ping would be the fifty-first frame.
        bia.alive = False
        for _ in range(2):
            await asyncio.sleep(SECOND)
            answers = await asyncio.gather(*(bia.say("fine") for _ in range(MOST)))
            assert all("id" in answer for answer in answers)
        await asyncio.sleep(SECOND)
        assert not bia.closed.done()
        bia.alive = True

    async def fifty_one() -> None:
        rui = await newcomer("rui")
        await asyncio.sleep(SECOND)
        before, sent = await room.last(), time.monotonic()
        for number in range(MOST + 1):
            rui.tell("message", f"{rui.user}: {number}")
        await is_dropped(rui, sent, MOST + 1)
        texts = [message["text"] for message in await room.messages(before) if message["user"] == rui.user]
        assert texts == [f"{rui.user}: {number}" for number in range(MOST)], "the first fifty are taken, and no more"

    async def thirty_and_thirty() -> None:
        eva = await newcomer("eva")
        await asyncio.sleep(SECOND)
        sent = time.monotonic()
        await asyncio.gather(*(eva.say("thirty") for _ in range(30)))
        await asyncio.sleep(max(0.0, sent + 0.5 - time.monotonic()))
        for _ in range(30):
            eva.tell("message", "and thirty")
        if time.monotonic() - sent > 0.7:
            eva.session.abort()
            raise Slow
        await is_dropped(eva, sent, 60)

    def of(packet: str):
        async def flood() -> None:
            member = await newcomer("flood")
            sent = time.monotonic()
            for _ in range(MOST + 1):
                (member.session.send if packet == PONG else member.send)(packet)
            await is_dropped(member, sent, MOST + 1)

        return flood

    stories = (fifty_one, thirty_and_thirty, of(PONG), of(frame(text="")), of("{"))
    await asyncio.gather(fifty_and_again(), *map(attempts, stories))
    told = await until(lambda: {who["user"] for who in ana.told("left")} >= set(dropped))
    assert told, f"{dropped} were dropped, and ana was told of {ana.told('left')}"
    await room.settled(ana)
    assert sorted(who["user"] for who in ana.told("left")) == sorted(dropped), "each has left once"
    assert await room.users() == ["ana", "bia"]


async def test_clients_that_do_not_read(room: Room) -> None:
    """They are dropped before much waits for them, and those who read miss nothing."""
    ana = await room.join("ana")
    with Memory(room.target.pid) as before:
        await pour(room, ana, 8, lambda: False)
    deaf = [await room.join(f"deaf {number}", receive_buffer=4096) for number in range(10)]
    for number, member in enumerate(deaf):
        member.session.stop_reading()
        # What half of them ask for, they do not read either.
        for _ in range(MOST - 1 if number % 2 else 0):
            member.session.send(frame(text=""))
    names = {member.user for member in deaf}

    def all_left() -> bool:
        return {who["user"] for who in ana.told("left")} >= names

    with Memory(room.target.pid) as after:
        await pour(room, ana, CHUNKS, all_left)
        assert await until(all_left, 1), (
            f"{room.target.name}: {CHUNK * CHUNKS} messages of 2,000 bytes were sent, and of those who do not read "
            f"these are still there: {sorted(names - {who['user'] for who in ana.told('left')})}"
        )
    end = await room.settled(ana)
    assert sorted(who["user"] for who in ana.told("left")) == sorted(names), "each has left once"
    assert [message["id"] for message in ana.messages] == list(range(ana.last + 1, end + 1))
    grown = after.peak - before.peak
    assert grown <= MEMORY, (
        f"{room.target.name}: {grown / 2**20:.0f} MiB more than the {before.peak / 2**20:.0f} MiB that the same took "
        f"when everybody read"
    )
    assert await room.users() == ["ana"]
    for member in deaf:
        member.session.abort()
        room.clients.remove(member)


@pytest.mark.waits
async def test_connections_without_life(room: Room) -> None:
    """Who does not answer a ping has left, whether its connection is open or not. Who answers stays."""
    ana, faithful = await room.join("ana"), await room.join("faithful")
    silent, half_open = await room.join("silent"), await room.join("half open")
    lost = [silent, half_open]
    began = time.monotonic()
    silent.alive = False
    half_open.session.stop_reading()

    # Half a message again and again is no sign of life.
    drip = await room.join("drip")
    lost.append(drip)
    drip.alive = False
    drip.session.send_raw(raw(TEXT, b"{", final=False))

    async def dripping() -> None:
        while not drip.closed.done():
            drip.session.send_raw(raw(0, b" ", final=False))
            await asyncio.sleep(1)

    drops = asyncio.create_task(dripping())
    # Half as long again: a machine that is busy plays its clients late.
    await until(lambda: len(ana.told("left")) >= len(lost), 1.5 * PING_TIMES)
    told = {who["user"] for who in ana.told("left")}
    assert {member.user for member in lost} == told, f"left are {sorted(told)}"
    for member in (silent, drip):
        assert await until(member.closed.done, 5), f"{member.user} has left, and its connection is still open"
    await drops
    # Three times as long as nobody says anything they are there.
    await asyncio.sleep(max(0.0, began + PING_TIMES + 1 - time.monotonic()))
    for member in (faithful, ana):
        assert not member.closed.done(), f"{member.user} answers, and was dropped"
        assert member.pings >= 2, f"{member.user}: {member.pings} pings in {PING_TIMES + 1:g} s"
        assert "id" in await member.say("still here")
    assert await room.users() == ["ana", "faithful"]
    await room.settled(ana)
    assert sorted(who["user"] for who in ana.told("left")) == sorted(member.user for member in lost)
    half_open.session.abort()
    room.clients.remove(half_open)


async def test_clients_that_vanish(room: Room) -> None:
    """Whatever they were at, nothing of them is left."""
    ana = await room.join("ana")
    await room.settled(ana)
    before = open_files(room.target)
    for number in range(120):
        name, how = f"gone {number}", number % 4
        if how == 0:
            client = await room.join(name)
            client.tell("message", "oi")
            client.session.abort()
        elif how == 1:
            (await WebSocket.connect(room.target, path(name))).abort()
        elif how == 2:
            one = await WebSocket.connect(room.target, path(name))
            one.send_raw(raw(TEXT, frame(text=f"never {number}").encode())[:-3])
            await asyncio.sleep(0)
            one.abort()
        else:
            _, writer = await asyncio.open_connection(room.target.host, room.target.port)
            writer.write(f"GET {path('never')} HTTP/1.1\r\nHost: a\r\nUpgrade: webso".encode())
            writer.transport.abort()
    room.clients[:] = [ana]

    async def everybody_has_left() -> bool:
        for _ in range(400):
            if await room.users() == ["ana"]:
                return True
            await asyncio.sleep(0.05)
        return False

    assert await everybody_has_left(), f"not all who vanished have left: {await room.users()}"
    await room.settled(ana)
    came = sorted(who["user"] for who in ana.told("joined"))
    assert sorted(who["user"] for who in ana.told("left")) == came, "each who has come has left once"
    assert {f"gone {number}" for number in range(0, 120, 4)} <= {*came} <= {f"gone {number}" for number in range(120)}
    assert not any("never" in message["text"] for message in await room.messages())
    back = await until(lambda: open_files(room.target) <= before + 10, 5)
    now = open_files(room.target)
    assert back, f"{room.target.name} had {before} open files before 120 clients vanished, and has {now} now"


def test_the_end(server: Server, testbed: Testbed) -> None:
    """A stop closes the connections, of those who read and of those who do not, and waits for neither."""
    running = testbed.start(server)
    room = Room(running.target, "websocket", running)

    async def play() -> None:
        ana, bia = await room.join("ana"), await room.join("bia")
        deaf = await room.join("deaf", receive_buffer=4096)
        deaf.session.stop_reading()
        await Poster(room).post(CHUNK)
        answers = [bia.say(f"{number}") for number in range(20)]
        signalled = time.monotonic()
        running.signal(server.stop_signal)
        assert all(["id" in await answer for answer in answers]), "what was sent before the stop is answered"
        for member in (ana, bia):
            await asyncio.wait_for(member.closed, STOP)
            assert member.session.close_code in (1000, 1001), f"closed with {member.session.close_code}"
        await asyncio.to_thread(ends_well, running, signalled)

    with killed_in_the_end(running):
        asyncio.run(play())
