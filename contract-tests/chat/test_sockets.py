"""What the chat does over Socket.IO: joining, messages, answers, errors, and who is told what."""

import asyncio
from typing import Any

import pytest

from chat.model import in_order
from chat.sockets.client import Client, until
from chat.sockets.room import SESSIONS, Room

pytestmark = [pytest.mark.layer("cases"), pytest.mark.transports("socket.io", "socket.io-batched")]

USER = "user must be a string of 1 to 32 characters."
TEXT = "text must be a string of 1 to 500 characters."
JOIN_FIRST = "Join first."
ALREADY_JOINED = "Already joined."
NAME_TAKEN = "Name already taken."

each_session = pytest.mark.parametrize("session", SESSIONS)


def refused(sentence: str) -> dict[str, Any]:
    return {"ok": False, "error": sentence}


# --- joining


@each_session
async def test_join(room: Room, session: str) -> None:
    ana, stranger = await room.join("ana"), await room.connect()
    last = await room.post("rui", "oi")
    bia = await room.connect(session)
    ack = await bia.ask("join", "bia")
    assert ack == {"room": (await room.get("/presence"))["room"], "ok": True, "last": last}
    bia.user = "bia"
    assert await room.users() == ["ana", "bia"]
    await room.settled(ana, bia)
    assert ana.told("joined") == [{"user": "bia"}]
    assert bia.told("joined") == [], "one is not told that one has joined oneself, nor who was there before"
    assert [message["id"] for message in bia.messages] == [last + 1], "what was said before one joined does not come"
    assert stranger.events == [], "who has not joined is told nothing"


NAMES = {
    "one character": "a",
    "32 characters": "a" * 32,
    "16 beyond U+FFFF": "😀" * 16,
    "a blank": " ",
    "blanks": "  a  ",
    "markup": "<img src=x onerror=alert(1)>",
    "quotes": "\"'`\\${1}",
    "combining": "e\u0301",
    "another script": "你好",
    "right to left": "שלום",
    "a digit": "7",
    "__proto__": "__proto__",
}
WRONG = {
    "empty": "",
    "NUL": "\0",
    "tab": "a\tb",
    "line feed": "a\n",
    "U+001F": "\x1f",
    "DEL": "\x7f",
    "U+0080": "\x80",
    "U+009F": "a\x9f",
    "number": 7,
    "true": True,
    "null": None,
    "list": ["a"],
    "object": {"user": "a"},
}
"""What is neither a name nor a text."""


async def test_names(room: Room) -> None:
    ana, asking = await room.join("ana"), await room.connect()
    for what, name in (WRONG | {"33": "a" * 33, "33 beyond U+FFFF": "😀" * 33, "very long": "a" * 60_000}).items():
        assert await asking.ask("join", name) == refused(USER), what
    assert await asking.ask("join") == refused(USER), "none"
    assert await asking.ask("message", "oi") == refused(JOIN_FIRST), "a name that is refused joins nobody"
    assert await room.users() == ["ana"]
    for name in NAMES.values():
        await room.join(name)
    users = await room.users()
    assert in_order(users)
    assert {*users} == {"ana", *NAMES.values()}
    await room.settled(ana)
    assert ana.told("joined") == [{"user": name} for name in NAMES.values()]


async def test_already_joined(room: Room) -> None:
    ana, bia = await room.join("ana"), await room.join("bia")
    for name in ("ana", "rui"):
        assert await ana.ask("join", name) == refused(ALREADY_JOINED), name
    assert await room.users() == ["ana", "bia"]
    await room.settled(ana, bia)
    assert bia.told("joined") == bia.told("left") == []


@each_session
async def test_a_name_in_use(room: Room, session: str) -> None:
    ana, bia = await room.join("ana", session), await room.connect()
    assert await bia.ask("join", "ana") == refused(NAME_TAKEN)
    assert await bia.ask("message", "oi") == refused(JOIN_FIRST)
    assert (await bia.ask("join", "Ana"))["ok"], "names that differ in case are different names"
    assert await room.users() == ["Ana", "ana"]
    bia.user = "Ana"
    await room.settled(ana, bia)
    assert ana.told("joined") == [{"user": "Ana"}]
    await ana.leave()
    assert await until(lambda: bia.told("left") == [{"user": "ana"}])
    assert (await room.join("ana")).last


async def test_a_name_for_one_of_many(room: Room) -> None:
    clients = [await room.connect() for _ in range(20)]
    answers = await asyncio.gather(*(client.ask("join", "ana") for client in clients))
    assert sorted(answer["ok"] for answer in answers) == [False] * 19 + [True]
    assert [answer for answer in answers if not answer["ok"]] == [refused(NAME_TAKEN)] * 19
    assert await room.users() == ["ana"]


# --- messages


@each_session
async def test_message(room: Room, session: str) -> None:
    ana, bia, stranger = await room.join("ana", session), await room.join("bia", session), await room.connect()
    before = await room.last()
    ack = await ana.ask("message", "oi")
    assert ack == {"ok": True, "id": before + 1}
    said = {"id": before + 1, "user": "ana", "text": "oi"}
    # The answer comes when the message is in the room.
    assert await room.messages(before) == [said]
    assert (await bia.ask("message", "olá"))["id"] == before + 2
    answered = {"id": before + 2, "user": "bia", "text": "olá"}
    end = await room.settled(ana, bia)
    assert end == before + 3
    own, other = (True, True) if room.batched else (False, True)
    assert ana.messages[:-1] == [said] * own + [answered] * other
    assert bia.messages[:-1] == [said] * other + [answered] * own
    assert stranger.events == [], "who has not joined is told nothing"


async def test_join_first(room: Room) -> None:
    stranger, before = await room.connect(), await room.last()
    assert await stranger.ask("message", "oi") == refused(JOIN_FIRST)
    assert not (await stranger.ask("message", ""))["ok"]
    assert await room.last() == before


async def test_texts(room: Room) -> None:
    ana, bia, before = await room.join("ana"), await room.join("bia"), await room.last()
    for what, text in (WRONG | {"501": "a" * 501, "501 beyond U+FFFF": "😀" * 501, "long": "a" * 60_000}).items():
        assert await ana.ask("message", text) == refused(TEXT), what
    assert await ana.ask("message") == refused(TEXT), "none"
    assert await room.last() == before, "a text that is refused has no id"
    texts = [*NAMES.values(), "a" * 500, "😀" * 250, "<script>alert(1)</script>", "a\u0300" * 250]
    for number, text in enumerate(texts, 1):
        assert await ana.ask("message", text) == {"ok": True, "id": before + number}
    await room.settled(bia)
    assert [message["text"] for message in bia.messages[:-1]] == texts
    assert [message["text"] for message in await room.messages(before)][:-1] == texts


async def test_a_message_over_http(room: Room) -> None:
    """It reaches everyone who has joined, also one who has its author's name."""
    ana, bia, stranger = await room.join("ana"), await room.join("bia", "polling"), await room.connect()
    id_ = await room.post("ana", "oi")
    await room.settled(ana, bia)
    for member in (ana, bia):
        assert member.messages[0] == {"id": id_, "user": "ana", "text": "oi"}
    assert stranger.events == []
    assert await room.users() == ["ana", "bia"], "a message over HTTP makes nobody present"


async def test_order_of_http_and_sockets(room: Room) -> None:
    """Whatever a message came in by, each connection is told the ids in ascending order, none twice, none left out."""
    ana, bia = await room.join("ana"), await room.join("bia", "polling")
    before = await room.last()

    async def over_http() -> set[int]:
        return {await room.post("http", f"http {number}") for number in range(20)}

    async def over_sockets() -> set[int]:
        return {(await ana.ask("message", f"socket {number}"))["id"] for number in range(20)}

    http, sockets = await asyncio.gather(over_http(), over_sockets())
    end = await room.settled(ana, bia)
    assert http | sockets == set(range(before + 1, end))
    assert [message["id"] for message in bia.messages] == list(range(before + 1, end + 1))
    expected = sorted(http | sockets if room.batched else http)
    assert [message["id"] for message in ana.messages] == [*expected, end]
    assert [message for message in await room.messages(before)] == bia.messages


async def test_who_joins_late(room: Room) -> None:
    """It gets what is newer than the `last` of its answer, each once: also when that is in the middle of a batch."""
    ana = await room.join("ana")
    late = []
    for number in range(12):
        said = [ana.say(f"{number}, {turn}") for turn in range(3)]
        late.append(await room.join(f"late {number}", "polling" if number % 4 == 3 else "websocket"))
        await asyncio.gather(*said)
        await asyncio.sleep(0.06)
    end = await room.settled(*late)
    for member in late:
        expected = list(range(member.last + 1, end + 1))
        assert [message["id"] for message in member.messages] == expected, f"{member.user}, who joined at {member.last}"


async def test_a_gap_is_closed_over_http(room: Room) -> None:
    ana, bia = await room.join("ana"), await room.join("bia")
    await ana.ask("message", "one")
    first = await room.settled(bia)
    await bia.leave()
    missed = [(await ana.ask("message", text))["id"] for text in ("two", "three")]
    back = await room.join("bia")
    await ana.ask("message", "four")
    await room.settled(back)
    gap = await room.messages(bia.messages[-1]["id"])
    assert [message["id"] for message in gap if message["id"] <= back.last] == missed
    assert first < back.last < back.messages[0]["id"]
    assert back.messages[0]["text"] == "four"


# --- leaving


LEAVING = {
    "closing the WebSocket": ("websocket", lambda client: client.leave()),
    "a Socket.IO disconnect": ("websocket", lambda client: sent(client, "41")),
    "a reset": ("websocket", lambda client: aborted(client)),
    "closing the polling session": ("polling", lambda client: client.leave()),
    "a Socket.IO disconnect, polling": ("polling", lambda client: sent(client, "41")),
    "closing after an upgrade": ("upgrading", lambda client: upgraded(client)),
}


async def sent(client: Client, packet: str) -> None:
    client.session.send(packet)


async def aborted(client: Client) -> None:
    client.session.abort()


async def upgraded(client: Client) -> None:
    await client.session.upgrade()
    await client.leave()


async def test_leaving(room: Room) -> None:
    """It frees the name and is told to the others, once."""
    ana, stranger = await room.join("ana"), await room.connect()
    for number, (how, (session, leave)) in enumerate(LEAVING.items()):
        bia = await room.join("bia", session)
        await leave(bia)
        told = await until(lambda number=number: len(ana.told("left")) > number)
        assert told, f"nobody is told that one has left by {how}"
        assert await room.users() == ["ana"], how
    await room.settled(ana)
    assert ana.told("left") == [{"user": "bia"}] * len(LEAVING)
    assert ana.told("joined") == [{"user": "bia"}] * len(LEAVING)
    await stranger.leave()
    await room.settled(ana)
    assert len(ana.told("left")) == len(LEAVING), "who has not joined does not leave"


async def test_messages_before_leaving(room: Room) -> None:
    """What was sent before one left is still said."""
    ana, bia = await room.join("ana"), await room.join("bia")
    for turn in range(10):
        bia.tell("message", f"{turn}")
    await bia.leave()
    assert await until(lambda: ana.told("left") == [{"user": "bia"}])
    await room.settled(ana)
    assert [message["text"] for message in ana.messages[:-1]] == [f"{turn}" for turn in range(10)]


# --- no answer


async def test_without_an_ack_function(room: Room) -> None:
    """The work is done and nothing answered."""
    ana, bia = await room.join("ana"), await room.connect()
    bia.tell("message", "not yet")
    bia.tell("join", "")
    bia.tell("join", "ana")
    bia.tell("join", "bia")
    bia.tell("join", "bia")
    bia.tell("message", "")
    bia.tell("message", "oi")
    assert await until(lambda: len(ana.messages) == 1)
    assert await room.users() == ["ana", "bia"]
    await room.settled(ana, bia)
    assert [message["text"] for message in ana.messages[:-1]] == ["oi"]
    assert ana.told("joined") == [{"user": "bia"}]
    assert {name for name, _ in bia.events} <= {"message", "messages"}


async def test_unknown_events(room: Room) -> None:
    """They are ignored: nobody is told, nothing is answered, the connection lives on."""
    ana, bia, stranger = await room.join("ana"), await room.join("bia"), await room.connect()
    for client in (bia, stranger):
        for name in ("joined", "left", "messages", "Join", "typing"):
            client.tell(name, {"user": "x"}, "y")
        assert not (await client.ask("message", ""))["ok"]
    await room.settled(ana, bia)
    assert {name for name, _ in ana.events + bia.events} <= {"message", "messages", "joined"}
    assert len(ana.messages) == 1
    assert await room.users() == ["ana", "bia"]
