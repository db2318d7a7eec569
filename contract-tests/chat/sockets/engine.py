"""Engine.IO 4: sessions over HTTP long polling and over WebSocket."""

import asyncio
import base64
import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import h11

from chat.sockets.websocket import PATIENCE, WebSocket
from samewire.http import Address, Request, ssl_context

OPEN, CLOSE, PING, PONG, MESSAGE, UPGRADE, NOOP = "0123456"
SEPARATOR = "\x1e"
TEXT = ("Content-Type", "text/plain;charset=UTF-8")
"""What browsers send with a payload."""


def path(**query: str) -> str:
    """The request-target of this query; `EIO` is 4 if it is not given, `None` leaves a parameter out."""
    given = {"EIO": "4"} | query
    return "/socket.io/?" + "&".join(f"{name}={value}" for name, value in given.items() if value is not None)


@dataclass(frozen=True)
class Answer:
    """What an HTTP request was answered."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class NoAnswer(Exception):
    """The connection was refused, or closed before a whole answer."""


async def ask(target: Address, request: Request, seconds: float = PATIENCE) -> Answer:
    """The answer to one HTTP request, on a connection that goes with its task. Raises NoAnswer or TimeoutError."""
    async with asyncio.timeout(seconds):
        try:
            reader, writer = await asyncio.open_connection(target.host, target.port, ssl=ssl_context(target))
            try:
                writer.write(request.to_bytes(f"{target.host}:{target.port}"))
                return await _answer(reader, request.method)
            finally:
                writer.close()
        except (OSError, h11.RemoteProtocolError) as error:
            raise NoAnswer(f"{request.method} {request.path}: {error}") from error


async def _answer(reader: asyncio.StreamReader, method: str) -> Answer:
    parser = h11.Connection(h11.CLIENT)
    parser.send(h11.Request(method=method, target="/", headers=[("Host", "a")]))
    parser.send(h11.EndOfMessage())
    status, body = 0, b""
    while True:
        event = parser.next_event()
        if event is h11.NEED_DATA:
            parser.receive_data(await reader.read(65_536))
        elif isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            return Answer(status, body)


def payload(packets: Sequence[str | bytes]) -> bytes:
    """Packets as the body of one request."""
    texts = (one if isinstance(one, str) else "b" + base64.b64encode(one).decode() for one in packets)
    return SEPARATOR.join(texts).encode("utf-8", "surrogatepass")


def packets_of(body: bytes) -> list[str | bytes]:
    """The packets in the body of one answer."""
    texts = body.decode().split(SEPARATOR)
    return [base64.b64decode(one[1:], validate=True) if one[:1] == "b" else one for one in texts]


@dataclass(frozen=True)
class Handshake:
    """What a server tells a new session."""

    sid: str
    upgrades: list[str]
    members: dict[str, Any]

    @classmethod
    def read(cls, packet: str | bytes | None) -> Self:
        """From the first packet."""
        assert isinstance(packet, str), f"not an open packet: {packet!r}"
        assert packet.startswith(OPEN), f"not an open packet: {packet!r}"
        members = json.loads(packet[1:])
        return cls(members["sid"], members["upgrades"], members)


class Session(Protocol):
    """One Engine.IO session, over whatever transport. What comes is given to who listens."""

    handshake: Handshake

    def send(self, packet: str | bytes) -> None: ...

    def listen(self, on_packet: Callable[[str | bytes], None], on_close: Callable[[], None]) -> None: ...

    async def close(self) -> None: ...

    def abort(self) -> None: ...


class WebSocketSession(WebSocket):
    """A session that is a WebSocket from the start."""

    handshake: Handshake

    @classmethod
    async def open(cls, target: Address, **options: Any) -> Self:
        """A new session. Raises Refused or OSError."""
        one = await cls.connect(target, path(transport="websocket"), **options)
        one.handshake = Handshake.read(await one.receive())
        return one


class Polling:
    """A session over HTTP long polling: `poll` and `post` by hand, or all by itself once somebody listens."""

    def __init__(self, target: Address, handshake: Handshake) -> None:
        self.target, self.handshake = target, handshake
        self._outgoing: list[str | bytes] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._to_send = asyncio.Event()
        self._paused = False
        self._over = False

    @classmethod
    async def open(cls, target: Address) -> Self:
        """A new session. Raises NoAnswer."""
        answer = await ask(target, Request("GET", path(transport="polling")))
        assert answer.status == 200, answer
        first, *rest = packets_of(answer.body)
        assert not rest, f"more than the open packet: {answer.body!r}"
        return cls(target, Handshake.read(first))

    @property
    def path(self) -> str:
        """The request-target of the session."""
        return path(transport="polling", sid=self.handshake.sid)

    async def poll(self, seconds: float = PATIENCE) -> Answer:
        """The answer to one poll. Raises NoAnswer."""
        return await ask(self.target, Request("GET", self.path), seconds)

    async def post(self, *packets: str | bytes) -> Answer:
        """The answer to these packets in one payload. Raises NoAnswer."""
        return await self.post_raw(payload(packets))

    async def post_raw(self, body: bytes, *headers: tuple[str, str]) -> Answer:
        """The answer to this body. Raises NoAnswer."""
        return await ask(self.target, Request("POST", self.path, headers or (TEXT,), body))

    # --- all by itself

    def listen(self, on_packet: Callable[[str | bytes], None], on_close: Callable[[], None]) -> None:
        """Poll, and post what is sent, until the session ends."""

        async def read() -> None:
            while not self._paused:
                try:
                    answer = await self.poll()
                except (NoAnswer, TimeoutError):
                    break
                if answer.status != 200:
                    break
                for packet in packets_of(answer.body):
                    if packet == CLOSE:
                        self._over = True
                    if packet != NOOP:
                        on_packet(packet)
            else:
                return
            self._over = True
            self._to_send.set()
            on_close()

        async def write() -> None:
            while not self._over:
                await self._to_send.wait()
                self._to_send.clear()
                packets, self._outgoing = self._outgoing, []
                with contextlib.suppress(NoAnswer, TimeoutError):  # The poll will tell.
                    if packets:
                        await self.post(*packets)
                if self._paused and not self._outgoing:
                    return

        self._tasks = [asyncio.create_task(read()), asyncio.create_task(write())]

    def send(self, packet: str | bytes) -> None:
        """Post it with what else is to be sent, after what is under way."""
        self._outgoing.append(packet)
        self._to_send.set()

    async def pause(self) -> None:
        """Poll no more, once what is under way is answered."""
        self._paused = True
        self._to_send.set()
        await asyncio.gather(*self._tasks)

    async def close(self) -> None:
        """End the session."""
        if not self._over and not self._paused:
            self.send(CLOSE)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._tasks[0]), 2)
        self.abort()

    def abort(self) -> None:
        """Vanish: no more requests."""
        for task in self._tasks:
            task.cancel()


class Upgrading:
    """A session that begins with polling and goes over to a WebSocket, as browsers do it."""

    def __init__(self, polling: Polling) -> None:
        self._polling, self.handshake = polling, polling.handshake
        self._socket: WebSocket | None = None
        self._held: list[str | bytes] = []
        self._upgrading = False

    @classmethod
    async def open(cls, target: Address) -> Self:
        """A new session, which polls. Raises NoAnswer."""
        return cls(await Polling.open(target))

    @property
    def upgraded(self) -> bool:
        """Whether it has gone over."""
        return self._socket is not None

    async def upgrade(self) -> None:
        """Probe, let the poll under way end, and go over."""
        socket = await probed(self._polling.target, self.handshake.sid)
        self._upgrading = True
        await self._polling.pause()
        socket.send(UPGRADE)
        self._socket = socket
        socket.listen(self._on_packet, self._on_close)
        for packet in self._held:
            socket.send(packet)

    def listen(self, on_packet: Callable[[str | bytes], None], on_close: Callable[[], None]) -> None:
        """Give what comes to these functions, on whatever transport it comes."""
        self._on_packet, self._on_close = on_packet, on_close
        self._polling.listen(on_packet, on_close)

    def send(self, packet: str | bytes) -> None:
        """Send on the transport of the moment."""
        if self._socket:
            self._socket.send(packet)
        elif self._upgrading:
            self._held.append(packet)
        else:
            self._polling.send(packet)

    async def close(self) -> None:
        """End the session."""
        await (self._socket or self._polling).close()

    def abort(self) -> None:
        """Vanish."""
        (self._socket or self._polling).abort()


async def probed(target: Address, sid: str) -> WebSocket:
    """A WebSocket for a session that polls, its probe answered."""
    socket = await WebSocket.connect(target, path(transport="websocket", sid=sid))
    socket.send("2probe")
    answer = await socket.receive()
    assert answer == "3probe", f"the probe is answered with {answer!r}"
    return socket
