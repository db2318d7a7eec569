"""Engine.IO 4 and Socket.IO 5 on raw sockets: what the official client needs, and what no client would send.

Of the latter only the rule of safety is asked: one connection is closed at most, and a member who stands by goes on.
"""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Sequence

import pytest

from chat.sockets.client import CONNECT, Client, Gone, event, until
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
from chat.sockets.websocket import BINARY, PING, Refused, WebSocket, frame
from chat.sockets.websocket import TEXT as TEXT_FRAME
from samewire.http import Request

pytestmark = [pytest.mark.layer("wire"), pytest.mark.transports("socket.io", "socket.io-batched")]

CLOSED, GOES_ON = "closed", "goes on"
LIMIT = 65_536
"""Bytes of a message or of a payload."""


# --- tools


async def status(room: Room, method: str, target: str, body: bytes | None = None, *fields: tuple[str, str]) -> int:
    """The status of an answer, 0 for a connection closed without one."""
    fields = fields or ((TEXT,) if body else ())
    try:
        return (await ask(room.target, Request(method, target, fields, body))).status
    except NoAnswer:
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


async def ends_or_goes_on(fate: Awaitable[str], what: str) -> None:
    """AssertionError if a connection is neither closed nor answered on."""
    try:
        await fate
    except TimeoutError:
        raise AssertionError(f"{what}: neither a closed connection nor an answer") from None


async def connected(room: Room) -> WebSocket:
    """A WebSocket that is connected to `/`, by hand."""
    one, _ = await raw(room)
    one.send(CONNECT)
    answer = await one.receive()
    assert str(answer).startswith(CONNECT), answer
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


# --- what the official client needs


async def test_handshake(room: Room) -> None:
    """One packet tells a session's terms; there is nothing to upgrade to from a WebSocket."""
    terms = {"maxPayload": LIMIT, "pingInterval": 5000, "pingTimeout": 5000}
    polling = (await Polling.open(room.target)).handshake
    one, websocket = await raw(room)
    await one.close()
    for handshake, upgrades in ((polling, ["websocket"]), (websocket, [])):
        assert handshake.members == {"sid": handshake.sid, "upgrades": upgrades, **terms}


async def test_sids_are_hard_to_guess(room: Room) -> None:
    """Who knows a session's id can speak for it: long, nothing that counts up, and told to nobody else."""
    sids = [(await Polling.open(room.target)).handshake.sid for _ in range(10)]
    same = max(sum(a == b for a, b in zip(one, other, strict=False)) for one in sids for other in sids if one != other)
    assert len(set(sids)) == 10
    assert all(len(sid) - same >= 10 for sid in sids)
    one, handshake = await raw(room)
    one.send(CONNECT + '{"token":"abc"}')
    told = json.loads(str(await one.receive()).removeprefix(CONNECT))
    assert told["sid"] != handshake.sid
    assert await fate(one) == GOES_ON


async def test_several_packets_in_a_payload(room: Room) -> None:
    """They are taken in order."""
    polling = await polling_connected(room)
    assert (await polling.post(*(event("message", f"{number}", ack=number) for number in range(5)))).status == 200
    assert [str(packet)[:3] for packet in await polled(polling, 5)] == [f"43{number}" for number in range(5)]


async def test_an_upgrade(room: Room) -> None:
    """A poll under way is let go. After it the session is the WebSocket's; one that is given up polls on."""
    polling = await polling_connected(room)
    poll = asyncio.create_task(polling.poll())
    await asyncio.sleep(0.1)
    one = await probed(room.target, polling.handshake.sid)
    assert packets_of((await poll).body) == ["6"]
    one.send("5")
    one.send('420["message",""]')
    assert str(await one.receive()).startswith("430")
    assert await fate(one) == GOES_ON

    polling = await polling_connected(room)
    (await probed(room.target, polling.handshake.sid)).abort()
    await asyncio.sleep(0.1)
    assert (await polling.post('427["message",""]')).status == 200
    came: list[str | bytes] = []
    while not any(str(packet).startswith("437") for packet in came):
        came += await polled(polling, 1)


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


async def test_an_unknown_namespace(room: Room) -> None:
    """It cannot be connected to; `/` still can."""
    one, _ = await raw(room)
    one.send(CONNECT + "/other,")
    assert str(await one.receive()).startswith("44/other,{")
    one.send(CONNECT)
    assert str(await one.receive()).startswith(CONNECT)
    assert await fate(one) == GOES_ON


async def test_disconnecting_and_connecting_again(room: Room) -> None:
    """On the same session one may be the same user anew."""
    one = await connected(room)
    one.send(event("join", "eva", ack=0))
    assert '"ok":true' in str(await one.receive())
    one.send("41")
    assert await leaves(room, "eva")
    one.send(CONNECT)
    assert str(await one.receive()).startswith(CONNECT)
    one.send(event("join", "eva", ack=1))
    assert '"ok":true' in str(await one.receive())
    await one.close()


async def leaves(room: Room, start: str) -> bool:
    """Whether soon nobody is here whose name starts so."""
    for _ in range(100):
        if not any(user.startswith(start) for user in await room.users()):
            return True
        await asyncio.sleep(0.03)
    return False


async def test_frames_however_they_are_cut(room: Room) -> None:
    """RFC 6455, 5.4: a message may come in several frames, with a ping between them; and bytes one by one."""
    one = await connected(room)
    data = event("message", "").encode()
    one.send_raw(frame(TEXT_FRAME, data[:1], final=False) + frame(PING, b"hi") + frame(0, data[1:9], final=False))
    one.send_raw(frame(0, data[9:]))
    for byte in frame(TEXT_FRAME, event("message", "", ack=0).encode()):
        one.send_raw(bytes([byte]))
        await asyncio.sleep(0.001)
    one.send_raw(b"".join(frame(TEXT_FRAME, event("message", "", ack=n).encode()) for n in range(1, 40)))
    assert [str(await one.receive()).partition("[")[0] for _ in range(40)] == [f"43{number}" for number in range(40)]
    assert one.pongs == [b"hi"]
    assert await fate(one) == GOES_ON


async def test_the_size_of_a_message(room: Room) -> None:
    """As many bytes as the handshake says are taken, and no more, whatever is announced."""
    packet = event("message", "", "a" * (LIMIT - 20)).encode()
    packet += b" " * (LIMIT - len(packet))
    one = await connected(room)
    one.send_raw(frame(TEXT_FRAME, packet))
    assert await fate(one) == GOES_ON
    assert await status(room, "POST", (await polling_connected(room)).path, packet) == 200
    for data in (
        frame(TEXT_FRAME, packet + b" "),
        b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"abcd" + b"4" * 1000,
        frame(TEXT_FRAME, b"4", final=False) + frame(0, b"a" * 1000, final=False) * 70,
    ):
        one = await connected(room)
        one.send_raw(data)
        assert await fate(one) == CLOSED, data[:20]
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (LIMIT + 1, packet + b" ")
    for body, fields in ((packet + b" ", [TEXT]), (chunked, [TEXT, ("Transfer-Encoding", "chunked")])):
        answer = await status(room, "POST", (await polling_connected(room)).path, body, *fields)
        assert answer == 0 or 400 <= answer < 500, answer


# --- what no client would send

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
    "nothing, in bytes": frame(BINARY, b""),
    "HTTP": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
}

PACKETS: dict[str, Sequence[str | bytes]] = {
    # Engine.IO
    "an unknown packet": ["9"],
    "a letter": ["x"],
    "nothing": [""],
    "a close": ["1"],
    "a probe of what is upgraded": ["2probe"],
    "an upgrade of what is upgraded": ["5"],
    "an open packet": ["0{}"],
    # Socket.IO
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
    "as deep as can be": ['42["message",' + "[" * 30_000 + "]" * 30_000 + "]"],
    "a reserved name, connect": ['42["connect"]'],
    "a reserved name, disconnect": ['42["disconnect","a"]'],
    "a reserved name, disconnecting": ['42["disconnecting"]'],
    "a reserved name, newListener": ['42["newListener","a"]'],
    "names of JavaScript": ['42["__proto__",1]', '42["constructor"]', '42["toString"]', '42["hasOwnProperty",{}]'],
    "names that are none": ['42["",1]', '42["\\u0000"]', '42["*"]', f'42["{"a" * 1000}"]', '42["ping"]'],
    "an answer of nothing": ["43"],
    "an answer without a list": ["430{}"],
    "answers that nobody waits for": ["430[]", '437["a"]', '4312345[{"ok":true}]'],
    "a refusal": ['44{"message":"no"}'],
    "bytes of no event": [b"abc"],
    "bytes of an unknown event": ['451-["unknown",{"_placeholder":true,"num":0}]', b"bytes"],
    "several attachments": ['452-7["message",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]', b"a", b"b"],
    "text instead of an attachment": ['451-["message",{"_placeholder":true,"num":0}]', '42["message",""]'],
    "no number of attachments": ['45["message",{"_placeholder":true,"num":0}]'],
    "a number of attachments that is none": ['45x-["message",{"_placeholder":true,"num":0}]'],
    "an attachment too far": ['451-["message",{"_placeholder":true,"num":1}]', b"abc"],
    "an attachment before the first": ['451-["message",{"_placeholder":true,"num":-1}]', b"abc"],
    "an attachment of half": ['451-["message",{"_placeholder":true,"num":0.5}]', b"abc"],
    "a billion attachments": ['451000000000-["message",{"_placeholder":true,"num":0}]', b"abc", b"abc"],
}

EARLY = {
    "an event": [event("join", "early")],
    "an event of another namespace": ['42/other,["join","early"]'],
    "a disconnect": ["41"],
    "bytes": [b"abc"],
}
"""Before it is connected to `/`."""

PAYLOADS = {
    "letters": b"abc",
    "an unknown packet": b"9",
    "a separator": SEPARATOR.encode(),
    "a separator at the end": b"3" + SEPARATOR.encode(),
    "not UTF-8": b"4\xff\xfe",
    "not base64": b"b!!!",
    "EIO 3": b"4:4abc",
    "a packet of no type, between others": payload(["3", "x", "3"]),
    "bytes of an event": payload(['451-2["message",{"_placeholder":true,"num":0}]', b"abc"]),
}

WORDS = {
    "an object": "{}",
    "deep": '[[[[["a"]]]]]',
    "a number too large": "1" + "0" * 400,
    "a number of no end": "1e400",
    "an object with a method's name": '{"toString":"a","length":1}',
    "an object that would be a prototype": '{"__proto__":{"length":1}}',
    "an attachment that there is none of": '{"_placeholder":true,"num":"a"}',
    "half a pair": '"\\ud83d"',
    "the other half": '"a\\ude00b"',
    "too many": '"eva many",7,null,{"a":1},"more"',
}
"""What stands where a name or a text should."""


async def harmless(room: Room, standing_by: Client) -> None:
    """AssertionError unless the member who stands by goes on, and nobody else is left."""
    assert (await standing_by.ask("message", "oi"))["ok"]
    assert await leaves(room, "eva")
    assert await room.users() == ["ana"]
    await room.settled(standing_by)


async def test_frames_that_no_client_sends(room: Room) -> None:
    """RFC 6455: the connection fails."""
    standing_by = await room.join("ana")
    for what, data in FRAMES.items():
        one = await connected(room)
        one.send_raw(data)
        await ends_or_goes_on(fate(one), what)
    await harmless(room, standing_by)


async def test_packets_that_no_client_sends(room: Room) -> None:
    standing_by = await room.join("ana")
    for what, packets in PACKETS.items():
        one = await connected(room)
        for packet in packets:
            one.send(packet)
        await ends_or_goes_on(fate(one), what)
    for what, packets in EARLY.items():
        one, _ = await raw(room)
        for packet in packets:
            one.send(packet)
        one.send(CONNECT)
        await ends_or_goes_on(fate(one), what)
    assert "early" not in await room.users(), "who is not connected cannot join"
    await harmless(room, standing_by)


async def test_payloads_that_no_client_sends(room: Room) -> None:
    standing_by = await room.join("ana")
    for what, body in PAYLOADS.items():
        polling = await polling_connected(room)
        assert await status(room, "POST", polling.path, body) < 500, what
        await ends_or_goes_on(fate_of_polling(polling), what)
    await harmless(room, standing_by)


async def test_words_that_no_client_sends(room: Room) -> None:
    """Whatever an odd argument is taken for, only who says it has to bear it."""
    standing_by = await room.join("ana")
    for what, words in WORDS.items():
        for name in ("join", "message"):
            client = await room.connect()
            with contextlib.suppress(Gone):
                if name == "message":
                    assert (await client.ask("join", "eva"))["ok"], what
                answer = await client.ask_raw(lambda n, name=name, words=words: [f'42{n}["{name}",{words}]'])
                assert isinstance(answer["ok"], bool), what
                await client.leave()
            room.clients.remove(client)
            assert await until(client.closed.done, 5)
            for user in {*await room.users()} - {"ana"}:
                assert await leaves(room, user), f"{what}: {user!r} is still here"
    await harmless(room, standing_by)


async def test_sessions_that_no_client_has(room: Room) -> None:
    """Two polls at once, one that is cut, one that is closed meanwhile; other methods; two connects; odd upgrades."""
    standing_by = await room.join("ana")
    polling = await polling_connected(room)
    first = asyncio.create_task(polling.poll())
    await asyncio.sleep(0.1)
    assert await status(room, "GET", polling.path) < 500
    assert (await first).status < 500

    polling = await polling_connected(room)
    poll = asyncio.create_task(polling.poll())
    await asyncio.sleep(0.1)
    poll.cancel()
    assert await status(room, "POST", polling.path, b"3") < 500

    polling = await polling_connected(room)
    poll = asyncio.create_task(polling.poll())
    await asyncio.sleep(0.1)
    assert (await polling.post("1")).status == 200
    assert (await poll).status < 500

    for method in ("PUT", "DELETE", "PATCH"):
        assert await status(room, method, (await polling_connected(room)).path, b"41") < 500, method

    one = await connected(room)
    one.send(event("join", "eva 1", ack=0))
    await one.receive()
    one.send(CONNECT)
    one.send(event("join", "eva 2", ack=1))
    await ends_or_goes_on(fate(one), "a second connect")

    polling = await polling_connected(room)
    one = await probed(room.target, polling.handshake.sid)
    one.send("5")
    for query in (
        {"transport": "websocket", "sid": polling.handshake.sid},
        {"transport": "websocket", "sid": ""},
        {"transport": "polling"},
        {"transport": "websocket", "EIO": "3"},
    ):
        try:
            (await WebSocket.connect(room.target, path(**query))).abort()
            answer = 101
        except Refused as refused:
            answer = refused.status
        assert answer < 500, query
    await ends_or_goes_on(fate(one), "odd upgrades")
    await harmless(room, standing_by)
