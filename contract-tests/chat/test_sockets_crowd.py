"""Many at once: who stays is told everything that the others say, each once and in order, whoever comes and goes."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, pairwise

import pytest

from chat.sockets.client import Client, Gone, gone, until
from chat.sockets.member import Member
from chat.sockets.room import Room
from chat.sockets.websocket import WebSocket

pytestmark = [
    pytest.mark.layer("life"),
    pytest.mark.transports("socket.io", "socket.io-batched", "websocket"),
    pytest.mark.timeout(300),
]

AT_ONCE = 25
"""Members who join together."""
PERIOD = 0.5
"""Seconds between two batches."""


async def come_and_go(room: Room, name: str, over: asyncio.Event) -> tuple[int, list[int]]:
    """How often somebody joined who again and again joins, says something, and leaves; and the ids of what it said."""
    said, turn = [], 0
    while not over.is_set():
        turn += 1
        polling = turn % 5 == 4
        member = await room.join(name, "polling" if polling else "websocket")
        said += await talk(member, 1)
        room.clients.remove(member)
        if polling or turn % 3:
            await member.leave()
        else:
            member.session.abort()
        # A reset takes its time to be seen, and the name is in use until then.
        for _ in range(600):
            if name not in await room.users():
                break
            await asyncio.sleep(0.02)
    return turn, said


async def talk(member: Client | Member, turns: int) -> list[int]:
    """The ids of what it said, with an answer to each before the next, as long as it is there."""
    said: list[int] = []
    with suppress(Gone):
        for turn in range(turns):
            said.append((await member.ask("message", f"{member.user}: {turn}"))["id"])
    return said


async def post(room: Room, name: str, turns: int) -> list[int]:
    """The ids of what was said over HTTP."""
    return [await room.post(name, f"{name}: {turn}") for turn in range(turns)]


def told_everything(room: Room, member: Client | Member, own: Sequence[int], end: int) -> None:
    """AssertionError unless it was told all that was said since it joined."""
    told = [message["id"] for message in member.messages]
    left_out = set() if room.batched else set(own)
    expected = [id_ for id_ in range(member.last + 1, end + 1) if id_ not in left_out]
    if told == expected:
        return
    lost, odd = sorted(set(expected) - set(told)), sorted(set(told) - set(expected))
    twice = sorted({id_ for id_ in told if told.count(id_) > 1})
    after = [f"{one} after {other}" for other, one in pairwise(told) if one < other]
    raise AssertionError(
        f"{room.target.name}: {member.user}, who joined at {member.last}, was told {len(told)} messages: "
        f"{len(lost)} lost {lost[:9]}, {len(twice)} doubled {twice[:9]}, {len(odd)} not for it {odd[:9]}, "
        f"out of order {after[:5]}"
    )


@pytest.mark.parametrize(
    ("stay", "polling", "talking", "turns", "passing"), [(40, 8, 40, 6, 6), (500, 10, 40, 2, 3)], ids=["forty", "many"]
)
async def test_a_crowd(room: Room, stay: int, polling: int, talking: int, turns: int, passing: int) -> None:
    members: list[Client | Member] = []
    for first in range(0, stay, AT_ONCE):
        members += await asyncio.gather(
            *(
                room.join(f"member {number}", "polling" if number < polling else "websocket")
                for number in range(first, min(first + AT_ONCE, stay))
            )
        )
        # All are played by one process: it must read what it is told before it asks for more.
        await room.settled(*members)
    before, over = await room.last(), asyncio.Event()
    coming = [asyncio.create_task(come_and_go(room, f"passing {number}", over)) for number in range(passing)]
    saying = [asyncio.create_task(talk(member, turns)) for member in members[:talking]]
    posting = [asyncio.create_task(post(room, f"http {number}", turns)) for number in range(2)]
    said = await asyncio.gather(*saying)
    posted = await asyncio.gather(*posting)
    over.set()
    passed = await asyncio.gather(*coming)
    end = await room.settled(*members)
    lost = [str(gone(member)) for member in members if member.closed.done()]
    assert not lost, f"members were dropped: {lost[:5]}"

    kept = {message["id"]: message for message in await room.messages(before)}
    assert list(kept) == list(range(before + 1, end + 1)), "no id is left out"
    ids = sorted(chain(*said, *posted, *(own for _, own in passed)))
    assert len(set(ids)) == len(ids), "every message has an id of its own"
    # Who has left is not answered any more.
    unanswered = {kept[id_]["user"] for id_ in kept.keys() - {end, *ids}}
    assert unanswered <= {f"passing {number}" for number in range(passing)}, unanswered
    for number, member in enumerate(members):
        told_everything(room, member, said[number] if number < talking else [], end)
        for one, (turns_passed, _) in enumerate(passed):
            story = [name for name, what in member.events if what == {"user": f"passing {one}"}]
            assert story == ["joined", "left"] * turns_passed, f"{member.user} was told of passing {one}: {story}"
    for member in (members[0], members[-1]):
        heard = {message["id"]: message for message in member.messages}
        assert all(heard.get(id_, message) == message for id_, message in kept.items())
    # Everybody would be told of everybody's leaving. A poll that is cut may be seen, or not until the next ping.
    for client in [client for client in room.clients if isinstance(client.session, WebSocket)]:
        client.session.abort()
        room.clients.remove(client)


# --- batches, or none


@pytest.mark.transports("socket.io-batched")
async def test_batches(room: Room) -> None:
    """At most one event in half a second, with all that is new, and none when nothing is."""
    ana, bia = await room.join("ana"), await room.join("bia", "polling")
    await room.settled(ana, bia)
    start, said = time.monotonic(), []
    while time.monotonic() < start + 3:
        said.append(await room.post("rui", "oi"))
        await asyncio.sleep(0.04)
    end = await room.settled(ana, bia)
    took = time.monotonic() - start
    for member in (ana, bia):
        batches = [what for (name, what), at in zip(member.events, member.times, strict=True) if at > start]
        ids = [message["id"] for batch in batches for message in batch]
        assert ids == [*said, end], f"{member.user} was told {ids}"
        assert all(isinstance(batch, list) and batch for batch in batches)
        # A machine that is busy may miss every other one.
        due = 3 / PERIOD / 2 <= len(batches) <= took / PERIOD + 2
        assert due, f"{member.user}: {len(batches)} batches in {took:.1f} s"
    told = len(ana.events), len(bia.events)
    await asyncio.sleep(2.5 * PERIOD)
    assert (len(ana.events), len(bia.events)) == told, "a batch was sent when there was nothing new"


@pytest.mark.transports("socket.io", "websocket")
async def test_at_once(room: Room) -> None:
    """A message is not held back: in batches, a conversation of twenty sentences would take ten seconds."""
    ana, bia = await room.join("ana"), await room.join("bia", "polling")
    start = time.monotonic()
    for turn in range(10):
        for speaker, listener in ((ana, bia), (bia, ana)):
            speaker.tell("message", f"{turn}")
            assert await until(lambda one=listener, turn=turn: len(one.messages) > turn), f"{listener.user}: {turn}"
    took = time.monotonic() - start
    assert took < 20 * PERIOD / 3, f"twenty messages, each an answer to the one before, took {took:.1f} s"
