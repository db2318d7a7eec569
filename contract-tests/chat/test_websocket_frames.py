"""The WebSocket of the chat on raw sockets: what an ordinary client may send, and what none would.

Of the latter only the rule of safety is asked: one connection is closed at most, and a member who stands by goes on.
"""

import asyncio
import json
from collections.abc import Sequence

import pytest

from chat.sockets.engine import NoAnswer, ask
from chat.sockets.member import frame as message
from chat.sockets.member import path
from chat.sockets.room import Room
from chat.sockets.websocket import BINARY, PING, PONG, TEXT, WebSocket, frame
from chat.test_sockets_protocol import CLOSED, FRAMES, GOES_ON
from samewire.http import Request

pytestmark = [pytest.mark.layer("wire"), pytest.mark.transports("websocket")]

LIMIT = 65_536
"""Bytes of a message."""
UPGRADE = (
    ("Connection", "Upgrade"),
    ("Upgrade", "websocket"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
)


async def joined(room: Room, user: str = "eva") -> WebSocket:
    """A WebSocket that is a member, by hand."""
    for _ in range(100):
        one = await WebSocket.connect(room.target, path(user))
        first = json.loads(str(await one.receive()))
        if "room" in first:
            return one
        await one.close()
        await asyncio.sleep(0.03)  # The one before has yet to leave.
    raise AssertionError(f"{user} cannot join: {first}")


async def fate(one: WebSocket) -> str:
    """Whether a member was closed or answers; what else it is told is passed over."""
    if not one.closed.done():
        one.send(message(text=""))
    while True:
        packet = await one.receive()
        if packet is None:
            return CLOSED
        if "error" in json.loads(packet):
            await one.close()
            return GOES_ON


async def test_frames_however_they_are_cut(room: Room) -> None:
    """RFC 6455, 5.4: a message may come in several frames, with a ping between them; and bytes one by one."""
    one, before = await joined(room), await room.last()
    data = message(text="olá").encode()
    one.send_raw(frame(TEXT, data[:1], final=False) + frame(PING, b"hi") + frame(0, data[1:12], final=False))
    one.send_raw(frame(0, data[12:]))
    for byte in frame(TEXT, data):
        one.send_raw(bytes([byte]))
        await asyncio.sleep(0.001)
    one.send_raw(frame(PONG, b"nobody has asked") + b"".join(frame(TEXT, data) for _ in range(38)))
    answers = [json.loads(str(await one.receive())) for _ in range(40)]
    assert answers == [{"id": before + number} for number in range(1, 41)]
    assert {said["text"] for said in await room.messages(before)} == {"olá"}
    assert one.pongs == [b"hi"]
    assert await fate(one) == GOES_ON


async def test_the_size_of_a_message(room: Room) -> None:
    """65,536 bytes are taken, and no more, in however many frames."""
    ana = await room.join("ana")
    data = message(text="oi").encode()
    data += b" " * (LIMIT - len(data))
    cut = [data[start : start + 1000] for start in range(0, LIMIT, 1000)]
    frames = b"".join(frame(0, part, final=False) for part in cut[1:-1]) + frame(0, cut[-1])
    for whole in (frame(TEXT, data), frame(TEXT, cut[0], final=False) + frames):
        one = await joined(room)
        one.send_raw(whole)
        assert "id" in json.loads(str(await one.receive()))
        assert await fate(one) == GOES_ON
    last = await room.last()
    for large in (
        frame(TEXT, data + b" "),
        b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"abcd" + b"4" * 2 * LIMIT,
        frame(TEXT, cut[0], final=False) + frame(0, b" " * 1000, final=False) * 70,
    ):
        one = await joined(room)
        one.send_raw(large)
        assert await fate(one) == CLOSED, large[:20]
    assert await room.last() == last
    assert (await ana.say("oi"))["id"] == last + 1


PACKETS: dict[str, Sequence[str | bytes]] = {
    "bytes": [b"abc"],
    "a message in bytes": [message(text="oi").encode()],
    "no text": [""],
    "a list": ["[" * 30_000 + "]" * 30_000],
    "objects": ['{"text":' * 10_000 + '"a"' + "}" * 10_000],
    "a number too large": ['{"text":1' + "0" * 60_000 + "}"],
    "a number of no end": ['{"text":1e400}'],
    "a text twice": ['{"text":"","text":"oi"}'],
    "names of JavaScript": ['{"__proto__":{"text":"oi"}}', '{"constructor":1}', '{"toString":"a"}'],
    "frames of a server": ['{"id":1,"user":"ana","text":"oi"}', '{"joined":"ana"}', '{"left":"ana"}', '{"ping":true}'],
    "pongs": ['{"pong":false}', '{"pong":null,"text":5}'],
    "a byte order mark": ["\ufeff{}"],
}


async def test_what_no_client_would_send(room: Room) -> None:
    ana = await room.join("ana")
    sent = {name: [data] for name, data in FRAMES.items()} | {
        name: [frame(TEXT, one.encode()) if isinstance(one, str) else frame(BINARY, one) for one in packets]
        for name, packets in PACKETS.items()
    }
    for name, frames in sent.items():
        one = await joined(room)
        for data in frames:
            one.send_raw(data)
        try:
            await fate(one)
        except TimeoutError:
            raise AssertionError(f"{name}: neither a closed connection nor an answer") from None
        one.abort()
    said = await ana.say("still here")
    await room.settled(ana)
    assert (await room.messages(said["id"] - 1))[0]["text"] == "still here"


async def test_requests_that_are_not_upgraded(room: Room) -> None:
    """What is no handshake is refused, and joins nobody."""
    ana, target = await room.join("ana"), path("rui")
    for request in (
        Request("GET", target),
        Request("HEAD", target, UPGRADE),
        Request("POST", target, (*UPGRADE, ("Content-Length", "0"))),
        *(Request("GET", target, tuple(one for one in UPGRADE if one[0] != left_out)) for left_out, _ in UPGRADE[1:]),
        Request("GET", target, (*UPGRADE[:2], ("Sec-WebSocket-Version", "8"), UPGRADE[3])),
        Request("GET", "/ws/?user=rui", UPGRADE),
    ):
        try:
            status = (await ask(room.target, request)).status
        except NoAnswer:
            continue
        assert 400 <= status < 500, f"{request.method} {request.path} {request.headers}: {status}"
    assert await room.users() == ["ana"]
    await room.settled(ana)
    assert ana.told("joined") == []
