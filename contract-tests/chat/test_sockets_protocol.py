"""Engine.IO 4 and Socket.IO 5 on raw sockets: what the library says and what it does with what no library would say.

A rule below is what the protocol asks for, and the answer that every server must give. Where a library does something
else, `sockets/deviations.py` pins what, with the reason. Whatever comes ends one connection at most: a member of the
room stands by and goes on.
"""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from chat.sockets.client import CONNECT, Client, event, until
from chat.sockets.deviations import DEVIATIONS
from chat.sockets.engine import (
    CLOSE,
    SEPARATOR,
    TEXT,
    Handshake,
    NoAnswer,
    Polling,
    ask,
    packets_of,
    path,
    payload,
    probed,
)
from chat.sockets.room import Room
from chat.sockets.websocket import BINARY, PATIENCE, PING, Refused, WebSocket, frame
from chat.sockets.websocket import TEXT as TEXT_FRAME
from samewire.http import Request

pytestmark = [pytest.mark.layer("wire"), pytest.mark.transports("socket.io", "socket.io-batched")]

CLOSED, GOES_ON = "closed", "goes on"
LIMIT = 65_536
"""Bytes of a message or of a payload."""


@dataclass(frozen=True)
class Rule:
    """What is done, and what must come of it."""

    id: str
    play: Callable[[Room], Awaitable[Any]]
    must: Any


RULES: list[Rule] = []


def must(answer: Any) -> Callable[[Callable[[Room], Awaitable[Any]]], Callable[[Room], Awaitable[Any]]]:
    """A rule, called as its function."""

    def add(play: Callable[[Room], Awaitable[Any]]) -> Callable[[Room], Awaitable[Any]]:
        RULES.append(Rule(play.__name__.replace("_", "-"), play, answer))
        return play

    return add


# --- tools


async def status(room: Room, method: str, target: str, body: bytes | None = None, *, seconds: float = PATIENCE) -> int:
    """The status of an answer, 0 for a connection closed without one."""
    try:
        return (await ask(room.target, Request(method, target, (TEXT,) if body else (), body), seconds)).status
    except NoAnswer:
        return 0


async def refusal(room: Room, target: str) -> int:
    """The status with which a WebSocket is refused; 101 if it stays open, 0 if it is closed."""
    try:
        one = await WebSocket.connect(room.target, target)
    except Refused as error:
        return error.status
    try:
        while await one.receive(2) is not None:
            pass
    except TimeoutError:
        one.abort()
        return 101
    return 0


async def raw(room: Room) -> tuple[WebSocket, Handshake]:
    """A WebSocket that has said nothing but that it is there."""
    one = await WebSocket.connect(room.target, path(transport="websocket"))
    return one, Handshake.read(await one.receive())


async def fate(one: WebSocket) -> str:
    """Whether a WebSocket that is connected to `/` was closed or answers; what else it says is passed over."""
    if not one.closed.done():
        one.send('42999["message",""]')
    while True:
        packet = await one.receive()
        if packet is None:
            return CLOSED
        if isinstance(packet, str) and packet.startswith("43999"):
            await one.close()
            return GOES_ON


async def fate_of_polling(polling: Polling) -> str:
    """The same of a session that polls."""
    with contextlib.suppress(NoAnswer):
        await polling.post(event("message", "", ack=999))
    while True:
        answer = await polling.poll()
        packets = packets_of(answer.body) if answer.status == 200 else [CLOSE]
        if CLOSE in packets:
            return CLOSED
        if any(str(packet).startswith("43999") for packet in packets):
            return GOES_ON


async def connected(room: Room) -> WebSocket:
    """A WebSocket that is connected to `/`, by hand."""
    one, _ = await raw(room)
    one.send(CONNECT)
    answer = await one.receive()
    assert isinstance(answer, str), answer
    assert answer.startswith(CONNECT), answer
    return one


async def polled(polling: Polling, packets: int) -> list[str | bytes]:
    """So many packets of as many polls as it takes."""
    came: list[str | bytes] = []
    while len(came) < packets:
        answer = await polling.poll()
        assert answer.status == 200, answer
        came += packets_of(answer.body)
    return came


async def polling_connected(room: Room) -> Polling:
    """A session that polls, connected to `/`, by hand."""
    polling = await Polling.open(room.target)
    assert (await polling.post(CONNECT)).status == 200
    [answer] = await polled(polling, 1)
    assert str(answer).startswith(CONNECT), answer
    return polling


# --- handshake

TOLD = {"maxPayload": LIMIT, "pingInterval": 5000, "pingTimeout": 5000}


@must(TOLD | {"upgrades": ["websocket"]})
async def handshake_polling(room: Room) -> Any:
    """One packet tells a session's terms."""
    handshake = (await Polling.open(room.target)).handshake
    return {name: value for name, value in sorted(handshake.members.items()) if name != "sid"}


@must(TOLD | {"upgrades": []})
async def handshake_websocket(room: Room) -> Any:
    """There is nothing to upgrade to from a WebSocket."""
    one, handshake = await raw(room)
    await one.close()
    return {name: value for name, value in sorted(handshake.members.items()) if name != "sid"}


@must(True)
async def sids_are_hard_to_guess(room: Room) -> bool:
    """Who knows a session's id can speak for it: long, and nothing that counts up."""
    sids = [(await Polling.open(room.target)).handshake.sid for _ in range(10)]
    same = max(sum(a == b for a, b in zip(one, other, strict=False)) for one in sids for other in sids if one != other)
    return len(set(sids)) == 10 and all(len(sid) - same >= 10 for sid in sids)


@must({"none": 400, "3": 400, "5": 400, "abc": 400, "empty": 400})
async def another_version(room: Room) -> Any:
    """EIO is 4."""
    tried = {"none": None, "3": "3", "5": "5", "abc": "abc", "empty": ""}
    return {name: await status(room, "GET", path(EIO=eio, transport="polling")) for name, eio in tried.items()}


@must({"none": True, "3": True, "abc": True})
async def another_version_websocket(room: Room) -> Any:
    """No WebSocket stays open for another version."""
    tried = {"none": None, "3": "3", "abc": "abc"}
    return {name: await refusal(room, path(EIO=eio, transport="websocket")) != 101 for name, eio in tried.items()}


@must({"none": 400, "abc": 400, "empty": 400, "constructor": 400})
async def another_transport(room: Room) -> Any:
    """There are two."""
    tried = {"none": None, "abc": "abc", "empty": "", "constructor": "constructor"}
    return {name: await status(room, "GET", path(transport=transport)) for name, transport in tried.items()}


@must(True)
async def a_websocket_of_another_transport(room: Room) -> bool:
    """What is asked for is not what the query says."""
    return await refusal(room, path(transport="polling")) != 101 and await refusal(room, path(transport="abc")) != 101


@must(400)
async def websocket_without_an_upgrade(room: Room) -> int:
    """A plain request is none."""
    return await status(room, "GET", path(transport="websocket"))


@must({"GET": 400, "POST": 400})
async def unknown_sid(room: Room) -> Any:
    """A session that is not there, or no more."""
    target = path(transport="polling", sid="abcdefghijklmnopqrst")
    return {"GET": await status(room, "GET", target), "POST": await status(room, "POST", target, b"40")}


@must(True)
async def unknown_sid_websocket(room: Room) -> bool:
    """A WebSocket cannot take up a session that is not there."""
    return await refusal(room, path(transport="websocket", sid="abcdefghijklmnopqrst")) != 101


@must({"POST": 400, "PUT": 400, "DELETE": 400})
async def a_session_begins_with_get(room: Room) -> Any:
    """No other method opens one."""
    target = path(transport="polling")
    return {method: await status(room, method, target, b"40") for method in ("POST", "PUT", "DELETE")}


@must({"PUT": 400, "DELETE": 400, "PATCH": 400})
async def other_methods(room: Room) -> Any:
    """A session is asked with GET and POST."""
    tried = {}
    for method in ("PUT", "DELETE", "PATCH"):
        tried[method] = await status(room, method, (await polling_connected(room)).path, b"41")
    return tried


# --- polling


@must("ok")
async def a_payload_is_acknowledged(room: Room) -> str:
    """With two letters."""
    polling = await polling_connected(room)
    answer = await polling.post(event("message", ""))
    assert answer.status == 200, answer
    return answer.body.decode()


@must(['430[{"ok":false,"error":"Join first."}]', '431[{"ok":false,"error":"Join first."}]', "43", "433"])
async def several_packets_in_a_payload(room: Room) -> Any:
    """They are taken in order, bytes among them."""
    polling = await polling_connected(room)
    binary = '451-2["message",{"_placeholder":true,"num":0}]'
    packets = [event("message", "a", ack=0), event("message", "b", ack=1), binary, b"abc", event("message", "", ack=3)]
    assert (await polling.post(*packets)).status == 200
    first, second, third, fourth = await polled(polling, 4)
    return [first, second, str(third)[:2], str(fourth)[:3]]


@must([200, 400, 400])
async def two_polls_at_once(room: Room) -> Any:
    """The session is closed: one client has one poll. The first is told so."""
    polling = await polling_connected(room)
    first = asyncio.create_task(polling.poll())
    await asyncio.sleep(0.2)
    second = await status(room, "GET", polling.path)
    return [(await first).status, second, await status(room, "GET", polling.path)]


@must(CLOSED)
async def a_poll_that_is_cut(room: Room) -> str:
    """Who cuts its poll has left."""
    polling = await polling_connected(room)
    poll = asyncio.create_task(polling.poll())
    await asyncio.sleep(0.2)
    poll.cancel()
    for _ in range(40):
        if await status(room, "POST", polling.path, b"3") == 400:
            return CLOSED
        await asyncio.sleep(0.05)
    return GOES_ON


@must([200, "6", 400])
async def closing_while_polling(room: Room) -> Any:
    """The poll under way is let go."""
    polling = await polling_connected(room)
    poll = asyncio.create_task(polling.poll())
    await asyncio.sleep(0.2)
    assert (await polling.post("1")).status == 200
    answer = await poll
    return [answer.status, answer.body.decode(), await status(room, "GET", polling.path)]


@must({"the limit": 200, "one more": 413, "one more, chunked": 413})
async def the_size_of_a_payload(room: Room) -> Any:
    """A payload has as many bytes as the handshake says."""
    tried = {}
    whole = event("message", "", "a" * (LIMIT - 20)).encode()
    whole += b" " * (LIMIT - len(whole))
    for name, body in {"the limit": whole, "one more": whole + b" "}.items():
        tried[name] = await status(room, "POST", (await polling_connected(room)).path, body)
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (LIMIT + 1, whole + b" ")
    request = Request("POST", (await polling_connected(room)).path, (TEXT, ("Transfer-Encoding", "chunked")), chunked)
    try:
        tried["one more, chunked"] = (await ask(room.target, request)).status
    except NoAnswer:
        tried["one more, chunked"] = 413  # Cut off while it was still sending: refused all the same.
    return tried


PAYLOADS = {
    "letters": b"abc",
    "an unknown packet": b"9",
    "a separator": SEPARATOR.encode(),
    "a separator at the end": b"3" + SEPARATOR.encode(),
    "not UTF-8": b"4\xff\xfe",
    "not base64": b"b!!!",
    "EIO 3": b"4:4abc",
    "a packet of no type, between others": payload(["3", "x", "3"]),
}


@must(dict.fromkeys(PAYLOADS, CLOSED))
async def malformed_payloads(room: Room) -> Any:
    """The session is closed, whatever the answer to the payload."""
    tried = {}
    for name, body in PAYLOADS.items():
        polling = await polling_connected(room)
        await status(room, "POST", polling.path, body)
        tried[name] = await fate_of_polling(polling)
    return tried


# --- WebSocket


@must(GOES_ON)
async def fragments(room: Room) -> str:
    """A message may come in several frames, with a ping between them."""
    one = await connected(room)
    data = event("message", "").encode()
    one.send_raw(frame(TEXT_FRAME, data[:1], final=False) + frame(PING, b"hi") + frame(0, data[1:9], final=False))
    one.send_raw(frame(0, data[9:]))
    assert await fate(one) == GOES_ON
    return GOES_ON if one.pongs == [b"hi"] else f"pongs: {one.pongs}"


@must([f"43{number}" for number in range(40)])
async def byte_by_byte(room: Room) -> Any:
    """How bytes are cut on their way is nobody's business."""
    one = await connected(room)
    for byte in frame(TEXT_FRAME, event("message", "", ack=0).encode()):
        one.send_raw(bytes([byte]))
        await asyncio.sleep(0.001)
    one.send_raw(b"".join(frame(TEXT_FRAME, event("message", "", ack=n).encode()) for n in range(1, 40)))
    came = [str(await one.receive()).partition("[")[0] for _ in range(40)]
    await one.close()
    return came


@must({"the limit": GOES_ON, "one more": CLOSED, "2^40, announced": CLOSED, "fragments without an end": CLOSED})
async def the_size_of_a_message(room: Room) -> Any:
    """A message has as many bytes as the handshake says, whatever is announced."""
    packet = event("message", "", "a" * (LIMIT - 20))
    packet += " " * (LIMIT - len(packet))
    sent = {
        "the limit": frame(TEXT_FRAME, packet.encode()),
        "one more": frame(TEXT_FRAME, packet.encode() + b" "),
        "2^40, announced": b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"abcd" + b"4" * 1000,
        "fragments without an end": frame(TEXT_FRAME, b"4", final=False) + frame(0, b"a" * 1000, final=False) * 70,
    }
    tried = {}
    for name, data in sent.items():
        one = await connected(room)
        one.send_raw(data)
        tried[name] = await fate(one)
    return tried


FRAMES = {
    "unmasked": frame(TEXT_FRAME, b"3", masked=False),
    "a reserved bit": frame(TEXT_FRAME, b"3", reserved=2),
    "compressed, which was not agreed": frame(TEXT_FRAME, b"3", reserved=4),
    "an unknown kind": frame(3, b"3"),
    "an unknown control frame": frame(11, b"3"),
    "a continuation of nothing": frame(0, b"3"),
    "a message within a message": frame(TEXT_FRAME, b"4", final=False) + frame(TEXT_FRAME, b"3"),
    "a ping in fragments": frame(PING, b"3", final=False),
    "a long ping": frame(PING, b"3" * 126),
    "not UTF-8": frame(TEXT_FRAME, b"4\xff\xfe"),
    "half a pair in UTF-8": frame(TEXT_FRAME, b"4\xed\xa0\xbd"),
    "HTTP": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
}


@must(dict.fromkeys(FRAMES, CLOSED))
async def malformed_frames(room: Room) -> Any:
    """RFC 6455: the connection fails."""
    tried = {}
    for name, data in FRAMES.items():
        one = await connected(room)
        one.send_raw(data)
        tried[name] = await fate(one)
    return tried


@must(CLOSED)
async def a_close_packet(room: Room) -> str:
    """It ends a session over a WebSocket as it does over polling."""
    one = await connected(room)
    one.send("1")
    return await fate(one)


ENGINE_PACKETS = {
    "an unknown packet": "9",
    "a letter": "x",
    "nothing": "",
    "a probe of what is upgraded": "2probe",
    "an upgrade of what is upgraded": "5",
    "an open packet": "0{}",
}


@must(dict.fromkeys(ENGINE_PACKETS, CLOSED))
async def malformed_engine_packets(room: Room) -> Any:
    """Nobody says that."""
    tried = {}
    for name, packet in ENGINE_PACKETS.items():
        one = await connected(room)
        one.send(packet)
        tried[name] = await fate(one)
    return tried


# --- upgrade


@must(["3probe", 400, True])
async def an_upgrade(room: Room) -> Any:
    """After it the session is the WebSocket's alone."""
    polling = await polling_connected(room)
    one = await WebSocket.connect(room.target, path(transport="websocket", sid=polling.handshake.sid))
    one.send("2probe")
    answer = await one.receive()
    one.send("5")
    assert await fate(one) == GOES_ON or one.closed.done()
    polling = await polling_connected(room)
    one = await probed(room.target, polling.handshake.sid)
    one.send("5")
    one.send('420["message",""]')
    assert str(await one.receive()).startswith("430")
    poll = await status(room, "GET", polling.path)
    second = await refusal(room, path(transport="websocket", sid=polling.handshake.sid)) != 101
    assert await fate(one) == GOES_ON
    return [answer, poll, second]


@must(["6"])
async def a_poll_during_the_upgrade(room: Room) -> Any:
    """It is let go with a packet that says nothing."""
    polling = await polling_connected(room)
    poll = asyncio.create_task(polling.poll())
    await asyncio.sleep(0.1)
    one = await probed(room.target, polling.handshake.sid)
    answer = await poll
    one.send("5")
    assert await fate(one) == GOES_ON
    return packets_of(answer.body)


@must(["3probe", GOES_ON])
async def an_upgrade_that_is_given_up(room: Room) -> Any:
    """The session polls on."""
    polling = await polling_connected(room)
    one = await WebSocket.connect(room.target, path(transport="websocket", sid=polling.handshake.sid))
    one.send("2probe")
    answer = await one.receive()
    one.abort()
    await asyncio.sleep(0.1)
    assert (await polling.post('427["message",""]')).status == 200
    came: list[str | bytes] = []
    while not any(str(packet).startswith("437") for packet in came):
        came += await polled(polling, 1)
    return [answer, GOES_ON]


# --- Socket.IO


@must([["sid"], True])
async def connecting(room: Room) -> Any:
    """The answer has an id that is not the session's, which is a secret."""
    one, handshake = await raw(room)
    one.send(CONNECT)
    told = json.loads(str(await one.receive()).removeprefix(CONNECT))
    assert await fate(one) == GOES_ON
    return [list(told), told["sid"] != handshake.sid]


@must(GOES_ON)
async def connecting_with_a_payload(room: Room) -> str:
    """Nothing is asked for, and what is given is ignored."""
    one, _ = await raw(room)
    one.send(CONNECT + '{"token":"abc"}')
    assert str(await one.receive()).startswith(CONNECT + '{"sid"')
    return await fate(one)


@must(['44/other,{"message":"Invalid namespace"}', GOES_ON])
async def an_unknown_namespace(room: Room) -> Any:
    """It cannot be connected to; `/` still can."""
    one, _ = await raw(room)
    one.send(CONNECT + "/other,")
    answer = await one.receive()
    one.send(CONNECT)
    assert str(await one.receive()).startswith(CONNECT)
    return [answer, await fate(one)]


@must([CLOSED, CLOSED])
async def events_before_connecting(room: Room) -> Any:
    """Nobody is there whom they could be of."""
    tried = []
    for packet in (event("join", "early"), '42/other,["join","early"]'):
        one, _ = await raw(room)
        one.send(packet)
        tried.append(await fate(one))
    assert "early" not in await room.users()
    return tried


@must(["left", True])
async def disconnecting_and_connecting_again(room: Room) -> Any:
    """On the same session one may be the same user anew."""
    one = await connected(room)
    one.send(event("join", "eva", ack=0))
    assert '"ok":true' in str(await one.receive())
    one.send("41")
    for _ in range(100):
        left = "eva" not in await room.users()
        if left:
            break
        await asyncio.sleep(0.02)
    one.send(CONNECT)
    assert str(await one.receive()).startswith(CONNECT)
    one.send(event("join", "eva", ack=1))
    answer = str(await one.receive())
    await one.close()
    return ["left" if left else "still there", '"ok":true' in answer]


@must("nobody")
async def connecting_twice(room: Room) -> str:
    """Whatever a second CONNECT means, nobody is left when the session is over."""
    one = await connected(room)
    one.send(event("join", "eva 1", ack=0))
    await one.receive()
    one.send(CONNECT)
    one.send(event("join", "eva 2", ack=1))
    await fate(one)
    for _ in range(60):
        left = [user for user in await room.users() if user.startswith("eva")]
        if not left:
            return "nobody"
        await asyncio.sleep(0.05)
    return f"still there: {left}"


Sent = Sequence[str | bytes]
MALFORMED: dict[str, Sent] = {
    "letters": ["4abc"],
    "no kind": ["4"],
    "an unknown kind": ["49"],
    "an event of nothing": ["42"],
    "an event that is an object": ["42{}"],
    "an event that is null": ["42null"],
    "an event that is a string": ['42"message"'],
    "an event without a name": ["42[]"],
    "a name that is an object": ["42[{}]"],
    "a name that is null": ["42[null]"],
    "a name that is a list": ['42[["message"]]'],
    "JSON without an end": ['42["message"'],
    "JSON and more": ['42["message",""]]'],
    "no JSON": ["42[message]"],
    "letters before it": ['42abc["message",""]'],
    "a reserved name, connect": ['42["connect"]'],
    "a reserved name, disconnect": ['42["disconnect","a"]'],
    "a reserved name, disconnecting": ['42["disconnecting"]'],
    "a reserved name, newListener": ['42["newListener","a"]'],
    "an answer of nothing": ["43"],
    "an answer without a list": ["430{}"],
    "a refusal": ['44{"message":"no"}'],
    "bytes of no event": [b"abc"],
    "text instead of an attachment": ['451-["message",{"_placeholder":true,"num":0}]', '42["message",""]'],
    "no number of attachments": ['45["message",{"_placeholder":true,"num":0}]'],
    "a number of attachments that is none": ['45x-["message",{"_placeholder":true,"num":0}]'],
    "an attachment too far": ['451-["message",{"_placeholder":true,"num":1}]', b"abc"],
    "an attachment before the first": ['451-["message",{"_placeholder":true,"num":-1}]', b"abc"],
    "an attachment of half": ['451-["message",{"_placeholder":true,"num":0.5}]', b"abc"],
    "a billion attachments": ['451000000000-["message",{"_placeholder":true,"num":0}]', b"abc", b"abc"],
}


@must(dict.fromkeys(MALFORMED, CLOSED))
async def malformed_packets(room: Room) -> Any:
    """One connection is closed."""
    tried = {}
    for name, packets in MALFORMED.items():
        one = await connected(room)
        for packet in packets:
            one.send(packet)
        tried[name] = await fate(one)
    return tried


@must(GOES_ON)
async def deep_nesting(room: Room) -> str:
    """As deep as a message can be; it is no text."""
    one = await connected(room)
    one.send('42["message",' + "[" * 30_000 + "]" * 30_000 + "]")
    return await fate(one)


@must(GOES_ON)
async def bytes_of_an_event(room: Room) -> str:
    """An event may have several attachments."""
    one = await connected(room)
    placeholders = ",".join(f'{{"_placeholder":true,"num":{number}}}' for number in range(5))
    one.send(f'455-7["message",{placeholders}]')
    for number in range(5):
        one.send(bytes([number]) * 1000)
    assert str(await one.receive()).startswith("437[")
    one.send_raw(frame(BINARY, b""))
    return GOES_ON if await fate(one) in (GOES_ON, CLOSED) else CLOSED


# --- the tests


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
async def test_rule(room: Room, rule: Rule) -> None:
    standing_by = await room.join("ana")
    pinned = DEVIATIONS.get(room.library, {}).get(rule.id)
    came = await rule.play(room)
    expected = rule.must
    if pinned:
        expected = (rule.must | pinned.does) if isinstance(pinned.does, dict) else pinned.does
        assert expected != rule.must, f"{room.library} keeps to {rule.id}: it need not be pinned"
    assert came == expected, f"{room.target.name}, {rule.id}: {rule.play.__doc__}"
    assert (await standing_by.ask("message", "oi"))["ok"]
    assert await room.users() == ["ana"]


def test_deviations_are_of_rules() -> None:
    pinned = {id_ for several in DEVIATIONS.values() for id_ in several}
    assert pinned <= {rule.id for rule in RULES}


async def test_an_upgrade_while_messages_flow(room: Room) -> None:
    """Nothing is lost, doubled or out of order, in either direction."""
    ana = await room.join("ana")
    before = await room.last()
    members = [await room.join(f"upgrading {number}", "upgrading") for number in range(6)]
    over = asyncio.Event()

    async def talk(member: Client) -> list[int]:
        said = []
        while not over.is_set():
            said.append((await member.ask("message", f"{member.user}: {len(said)}"))["id"])
            await asyncio.sleep(0.03)
        return said

    talking = [asyncio.create_task(talk(member)) for member in (*members, ana)]
    for member in members:
        await asyncio.sleep(0.07)
        await member.session.upgrade()
    await asyncio.sleep(0.1)
    over.set()
    said = await asyncio.gather(*talking)
    end = await room.settled(*members, ana)
    assert sorted(id_ for one in said for id_ in one) == list(range(before + 1, end))
    for member, own in zip((*members, ana), said, strict=True):
        expected = [id_ for id_ in range(member.last + 1, end + 1) if room.batched or id_ not in own]
        assert [message["id"] for message in member.messages] == expected, member.user
    for member in members:
        assert await until(lambda member=member: member.session.upgraded)
