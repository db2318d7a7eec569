"""What the chat does over a WebSocket: joining, messages, answers, errors, and who is told what."""

import asyncio
import json
from typing import Any

import pytest

from chat.model import in_order
from chat.sockets.client import until
from chat.sockets.member import PONG, Member, frame, path
from chat.sockets.room import Room
from chat.sockets.websocket import Refused, WebSocket
from chat.test_sockets import NAMES, WRONG

pytestmark = [pytest.mark.layer("cases"), pytest.mark.transports("websocket")]

NAME_TAKEN = {"error": "Name already taken."}
BAD_TEXT = {"error": "text must be a string of 1 to 500 characters."}


async def first_frame(room: Room, user: str) -> dict[str, Any]:
    """What somebody is told who may not be let in."""
    member, first = await Member.connect(room.target, user)
    room.clients.append(member)
    return first


async def refusal(room: Room, target: str) -> Refused:
    """Why this request is not upgraded."""
    with pytest.raises(Refused) as refused:
        (await WebSocket.connect(room.target, target)).abort()
    return refused.value


# --- joining


async def test_join(room: Room) -> None:
    ana, last = await room.join("ana"), await room.post("rui", "oi")
    bia = await WebSocket.connect(room.target, path("bia"))
    first = await bia.receive()
    assert json.loads(str(first)) == {"room": (await room.get("/presence"))["room"], "last": last}
    assert await room.users() == ["ana", "bia"]
    end = await room.settled(ana)
    assert ana.told("joined") == [{"user": "bia"}]
    told = json.loads(str(await bia.receive()))
    assert told["id"] == end == last + 1, "what was there before one joined does not come, nor that one has joined"
    await bia.close()


async def test_names(room: Room) -> None:
    ana = await room.join("ana")
    strings = {what: name for what, name in WRONG.items() if isinstance(name, str)}
    wrong = {what: path(name) for what, name in strings.items()} | {
        "33": path("a" * 33),
        "33 beyond U+FFFF": path("😀" * 33),
        "none": "/ws",
        "another": "/ws?name=rui",
    }
    for what, target in wrong.items():
        refused = await refusal(room, target)
        assert refused.status == 400, f"{what}: {refused}"
        assert "application/problem+json" in str(refused), what
    assert await room.users() == ["ana"], "a name that is refused joins nobody"
    for name in NAMES.values():
        await room.join(name)
    users = await room.users()
    assert in_order(users)
    assert {*users} == {"ana", *NAMES.values()}
    await room.settled(ana)
    assert ana.told("joined") == [{"user": name} for name in NAMES.values()]


async def test_a_name_in_use(room: Room) -> None:
    """Who asks for it is told so, and its connection is closed."""
    ana = await room.join("ana")
    assert await first_frame(room, "ana") == NAME_TAKEN
    other = room.clients[-1]
    assert await until(other.closed.done), "the connection of who is not let in stays open"
    assert other.events == []
    bia = await room.join("Ana")
    assert await room.users() == ["Ana", "ana"], "names that differ in case are different names"
    await room.settled(ana, bia)
    assert ana.told("joined") == [{"user": "Ana"}]
    assert ana.told("left") == [], "who was not let in does not leave"
    await ana.leave()
    assert await until(lambda: bia.told("left") == [{"user": "ana"}])
    assert (await room.join("ana")).last


async def test_a_name_for_one_of_many(room: Room) -> None:
    answers = await asyncio.gather(*(first_frame(room, "ana") for _ in range(20)))
    assert sum("room" in answer for answer in answers) == 1
    assert [answer for answer in answers if "room" not in answer] == [NAME_TAKEN] * 19
    assert await room.users() == ["ana"]


# --- messages


async def test_message(room: Room) -> None:
    ana, bia = await room.join("ana"), await room.join("bia")
    before = await room.last()
    assert await ana.say("oi") == {"id": before + 1}
    said = {"id": before + 1, "user": "ana", "text": "oi"}
    # The answer comes when the message is in the room.
    assert await room.messages(before) == [said]
    assert await bia.say("olá") == {"id": before + 2}
    await room.settled(ana, bia)
    assert ana.messages[:-1] == [{"id": before + 2, "user": "bia", "text": "olá"}], "one's own message does not come"
    assert bia.messages[:-1] == [said]


async def test_texts(room: Room) -> None:
    ana, bia, before = await room.join("ana"), await room.join("bia"), await room.last()
    long = {"501": "a" * 501, "501 beyond U+FFFF": "😀" * 501, "long": "a" * 60_000, "half a pair": "\ud800"}
    for what, text in (WRONG | long).items():
        assert await ana.send(json.dumps({"text": text})) == BAD_TEXT, what
    assert await room.last() == before, "a text that is refused has no id"
    texts = [*NAMES.values(), "a" * 500, "😀" * 250, "<script>alert(1)</script>", "a\u0300" * 250]
    for number, text in enumerate(texts, 1):
        assert await ana.say(text) == {"id": before + number}
    await room.settled(bia)
    assert [message["text"] for message in bia.messages[:-1]] == texts
    assert [message["text"] for message in await room.messages(before)][:-1] == texts


async def test_frames_that_are_no_message(room: Room) -> None:
    """Each is answered, and the connection goes on."""
    ana, bia, before = await room.join("ana"), await room.join("bia"), await room.last()
    for packet in (
        "", "oi", "{", '{"text":"oi"', '{"text":"oi"}}', "{'text':'oi'}", "[]", '["oi"]', "null", "5", '"oi"', "{}",
        frame(user="bia"), frame(id=1), frame(Text="oi"), frame(message="oi"), frame(ping=True),
    ):  # fmt: skip
        assert await ana.send(packet) == BAD_TEXT, packet
    assert await room.last() == before
    await room.settled(ana, bia)
    assert len(bia.events) == 1


async def test_answers_come_in_order(room: Room) -> None:
    """One for each frame that is not the answer to a ping, also of frames that are sent at once."""
    ana, before = await room.join("ana"), await room.last()
    answers = []
    for number in range(10):
        answers += [ana.say(f"{number}"), ana.say("")]
        ana.session.send(PONG)
    answers = [await answer for answer in answers]
    assert answers[1::2] == [BAD_TEXT] * 10
    assert answers[::2] == [{"id": before + number} for number in range(1, 11)]
    assert [message["text"] for message in await room.messages(before)] == [f"{number}" for number in range(10)]


async def test_a_message_over_http(room: Room) -> None:
    """It reaches every member, also one who has its author's name."""
    ana, bia = await room.join("ana"), await room.join("bia")
    id_ = await room.post("ana", "oi")
    await room.settled(ana, bia)
    for member in (ana, bia):
        assert member.messages[0] == {"id": id_, "user": "ana", "text": "oi"}
    assert await room.users() == ["ana", "bia"], "a message over HTTP makes nobody present"


async def test_order_of_http_and_sockets(room: Room) -> None:
    """Whatever a message came in by, each connection is told the ids in ascending order, none twice, none left out."""
    ana, bia = await room.join("ana"), await room.join("bia")
    before = await room.last()

    async def over_http() -> set[int]:
        return {await room.post("http", f"http {number}") for number in range(20)}

    async def over_sockets() -> set[int]:
        return {(await ana.say(f"socket {number}"))["id"] for number in range(20)}

    http, sockets = await asyncio.gather(over_http(), over_sockets())
    end = await room.settled(ana, bia)
    assert http | sockets == set(range(before + 1, end))
    assert [message["id"] for message in bia.messages] == list(range(before + 1, end + 1))
    assert [message["id"] for message in ana.messages] == [*sorted(http), end]
    assert [message for message in await room.messages(before)] == bia.messages


async def test_who_joins_late(room: Room) -> None:
    """It gets what is newer than the `last` of its first frame, each once."""
    ana = await room.join("ana")
    late = []
    for number in range(12):
        said = [ana.say(f"{number}, {turn}") for turn in range(3)]
        late.append(await room.join(f"late {number}"))
        await asyncio.gather(*said)
        await asyncio.sleep(0.06)
    end = await room.settled(*late)
    for member in late:
        expected = list(range(member.last + 1, end + 1))
        assert [message["id"] for message in member.messages] == expected, f"{member.user}, who joined at {member.last}"


async def test_a_gap_is_closed_over_http(room: Room) -> None:
    ana, bia = await room.join("ana"), await room.join("bia")
    await ana.say("one")
    first = await room.settled(bia)
    await bia.leave()
    assert await until(lambda: ana.told("left") == [{"user": "bia"}])
    missed = [(await ana.say(text))["id"] for text in ("two", "three")]
    back = await room.join("bia")
    await ana.say("four")
    await room.settled(back)
    gap = await room.messages(bia.messages[-1]["id"])
    assert [message["id"] for message in gap if message["id"] <= back.last] == missed
    assert first < back.last < back.messages[0]["id"]
    assert back.messages[0]["text"] == "four"


# --- leaving


async def test_leaving(room: Room) -> None:
    """It frees the name and is told to the others, once, whether one says good-bye or not."""
    ana = await room.join("ana")
    for number in range(4):
        bia = await room.join("bia")
        if number % 2:
            bia.session.abort()
        else:
            await bia.leave()
        told = await until(lambda number=number: len(ana.told("left")) > number)
        assert told, f"nobody is told that one has left{' by a reset' if number % 2 else ''}"
        assert await room.users() == ["ana"]
    await room.settled(ana)
    assert ana.told("joined") == ana.told("left") == [{"user": "bia"}] * 4


async def test_messages_before_leaving(room: Room) -> None:
    """What was sent before one left is still said."""
    ana, bia = await room.join("ana"), await room.join("bia")
    for turn in range(10):
        bia.tell("message", f"{turn}")
    await bia.leave()
    assert await until(lambda: ana.told("left") == [{"user": "bia"}])
    await room.settled(ana)
    assert [message["text"] for message in ana.messages[:-1]] == [f"{turn}" for turn in range(10)]
