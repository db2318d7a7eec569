"""The official clients, with each transport: they join, talk, and find their way back when the server starts anew."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import pytest

from chat.sockets.client import Gone, until
from chat.sockets.official import Node, Official, PythonClient, install, messages
from chat.sockets.room import SESSIONS, Room, transport_of
from samewire.manifest import Server
from samewire.process import RunningServer
from samewire.testbed import Testbed

pytestmark = [
    pytest.mark.layer("life"),
    pytest.mark.transports("socket.io", "socket.io-batched"),
    pytest.mark.timeout(300),
]

TRANSPORTS = {"websocket": ["websocket"], "polling": ["polling"], "upgrading": ["polling", "websocket"]}
BACK = 20.0
"""Seconds to connect again; half of it is what a client may need to see that nobody is there any more."""


async def together(clients: list[Official], do: Callable[[Official], Awaitable[None]]) -> None:
    await asyncio.gather(*map(do, clients))


async def meet(room: Room, clients: list[Official], times: int) -> str:
    """All connect, for the so manieth time, and join; the room's name."""
    for client in clients:
        there = await until(lambda client=client: client.connected and client.connects == times, BACK)
        assert there, f"{client.name} has connected {client.connects} times instead of {times}"
    names = set()
    for client in clients:
        ack = await client.ask("join", client.name)
        # It may be joining while its connection before is not yet missed.
        assert ack["ok"], f"{client.name}: {ack}"
        names.add(ack["room"])
    assert len(names) == 1
    assert await room.users() == sorted(client.name for client in clients)
    return names.pop()


async def talk(room: Room, clients: list[Official]) -> None:
    """Everybody says something at the same time, and everybody is told."""
    before, own = await room.last(), {}
    for client in clients:
        client.told.clear()

    async def say(client: Official) -> None:
        own[client.name] = [(await client.ask("message", f"{client.name}, {turn}: ñ\U0001f600"))["id"] for turn in "ab"]

    await together(clients, say)
    end = await room.post("nobody", "That is all.")
    for client in clients:
        expected = [id_ for id_ in range(before + 1, end + 1) if room.batched or id_ not in own[client.name]]
        await until(lambda client=client: bool(messages(client)) and messages(client)[-1]["id"] == end)
        assert [message["id"] for message in messages(client)] == expected, client.name
    said = {message["id"]: message for message in await room.messages(before)}
    assert all(message == said[message["id"]] for client in clients for message in messages(client))


def started(testbed: Testbed, server: Server, port: str | None = None) -> tuple[RunningServer, Room]:
    running = testbed.start(server, env={"PORT": port} if port else None)
    return running, Room(running.target, transport_of(running.target), running)


async def stopped(running: RunningServer) -> None:
    """AssertionError unless it ends gracefully, with its clients connected."""
    status = await asyncio.to_thread(running.stop)
    promised = running.target.server.stop_status
    assert status == promised, f"exit status {status} instead of {promised}. Last lines:\n{running.target.last_lines()}"


async def test_official_clients(server: Server, testbed: Testbed) -> None:
    install()
    running, room = started(testbed, server)
    port = str(urlsplit(running.target.url).port)
    try:
        async with Node() as node:
            clients: list[Official] = [
                *(node.client(f"socket.io-client, {how}") for how in TRANSPORTS),
                *(PythonClient(f"python-socketio, {how}") for how in TRANSPORTS),
            ]

            async def open_(client: Official) -> None:
                await client.open(running.target.url, TRANSPORTS[client.name.partition(", ")[2]])

            await together(clients, open_)
            first = await meet(room, clients, 1)
            await talk(room, clients)
            for client in clients:
                speaks = "polling" if client.name.endswith("polling") else "websocket"
                assert await until(lambda client=client, speaks=speaks: client.transport == speaks), client.name
            await talk(room, clients)
            await stopped(running)
            for client in clients:
                assert await until(lambda client=client: not client.connected), f"{client.name} is still connected"

            running, room = await asyncio.to_thread(started, testbed, server, port)
            for client in clients:
                if isinstance(client, PythonClient):
                    await client.reopen(running.target.url, TRANSPORTS[client.name.partition(", ")[2]])
            second = await meet(room, clients, 2)
            assert second != first, "a new process is a new room"
            assert await room.last() == 0, "ids begin anew"
            await talk(room, clients)
            await together(clients, lambda client: client.close())
            empty = time.monotonic() + 10
            while await room.users() and time.monotonic() < empty:
                await asyncio.sleep(0.02)
            assert await room.users() == []
    finally:
        running.kill()


async def test_a_graceful_stop(server: Server, testbed: Testbed) -> None:
    """Whatever its clients are at, the server closes their connections and ends."""
    running, room = started(testbed, server)
    try:
        members = [await room.join(f"{session} {number}", session) for session in SESSIONS for number in range(5)]
        strangers = [await room.connect(session) for session in SESSIONS]
        upgraded = await room.join("upgraded", "upgrading")
        await upgraded.session.upgrade()
        deaf = await room.join("deaf")
        deaf.session.stop_reading()
        answers = [member.say("the last word") for member in members]
        await asyncio.gather(*answers)
        await stopped(running)
        for client in (*members, *strangers, upgraded):
            assert await until(client.closed.done), f"{client.user} is still connected"
            with pytest.raises(Gone):
                await client.ask("message", "too late")
        deaf.session.abort()
    finally:
        running.kill()
