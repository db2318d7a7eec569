"""Socket.IO 5 on the namespace `/`, and what members of the chat do with it."""

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Self

from chat.sockets import engine
from chat.sockets.engine import MESSAGE, PING, PONG, Session
from chat.sockets.websocket import PATIENCE

CONNECT, DISCONNECT, EVENT, ACK, CONNECT_ERROR = (MESSAGE + kind for kind in "01234")


class Gone(Exception):
    """The connection ended before the answer came."""


def gone(client: Any) -> Gone:
    """With what there is to know."""
    who = client.user or "one that had not joined"
    heard, pinged = client.ended_at - client.heard_at, client.ended_at - client.pinged_at
    return Gone(f"{who} was dropped {pinged:.1f} s after ping {client.pings}, {heard:.1f} s after the last packet")


async def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether the condition comes true in time; looks every few milliseconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.005)
    return True


def event(*words: Any, ack: int | None = None) -> str:
    """The packet of an event."""
    return f"{EVENT}{'' if ack is None else ack}{json.dumps(words, ensure_ascii=False, separators=(',', ':'))}"


@lru_cache(10_000)
def _event(packet: str) -> tuple[str, Any]:
    """Name and argument; the same for all five hundred who are told the same."""
    name, *rest = json.loads(packet[2:])
    return name, rest[0] if len(rest) == 1 else rest


class Client:
    """One connection to `/`. It answers pings as long as `alive`, and keeps every event that comes, with its time."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.alive = True
        self.user = ""
        self.last = 0
        """The room's last id when it joined."""
        self.events: list[tuple[str, Any]] = []
        """Name and argument."""
        self.times: list[float] = []
        self.odd: list[str | bytes] = []
        """Packets that nobody should send."""
        self.pings = 0
        self.heard_at = time.monotonic()
        """When the last packet came."""
        self.pinged_at = self.ended_at = self.heard_at
        self.closed = asyncio.get_running_loop().create_future()
        self._acks: dict[int, asyncio.Future[Any]] = {}
        self._numbers = itertools.count()
        self._connected = asyncio.get_running_loop().create_future()

    @classmethod
    async def connect(cls, session: Session) -> Self:
        """Connect a session to `/`."""
        one = cls(session)
        session.listen(one._take, one._end)
        session.send(CONNECT)
        async with asyncio.timeout(PATIENCE):
            await one._connected
        return one

    # --- asking

    async def ask(self, *words: Any) -> Any:
        """Send an event and return what it is answered. Raises Gone or TimeoutError."""
        return await self.ask_raw(lambda number: [event(*words, ack=number)])

    async def ask_raw(self, packets: Callable[[int], Sequence[str | bytes]]) -> Any:
        """Send packets made for the number of their answer, and return that. Raises Gone or TimeoutError."""
        async with asyncio.timeout(PATIENCE):
            return await self.start(packets)

    def start(self, packets: Callable[[int], Sequence[str | bytes]]) -> asyncio.Future[Any]:
        """Send packets made for the number of their answer, which will come."""
        if self.closed.done():
            raise gone(self)
        number = next(self._numbers)
        answer = self._acks[number] = asyncio.get_running_loop().create_future()
        for packet in packets(number):
            self.session.send(packet)
        return answer

    def say(self, text: str) -> asyncio.Future[Any]:
        """Send a message; its answer will come."""
        return self.start(lambda number: [event("message", text, ack=number)])

    def tell(self, *words: Any) -> None:
        """Send an event that asks for no answer."""
        self.session.send(event(*words))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages that came, whether one by one or in batches."""
        several = ([what] if name == "message" else what for name, what in self.events if name.startswith("message"))
        return [message for one in several for message in one]

    def told(self, name: str) -> list[Any]:
        """What came with the events of this name."""
        return [what for given, what in self.events if given == name]

    async def leave(self) -> None:
        """Close."""
        await self.session.close()

    # --- receiving

    def _take(self, packet: str | bytes) -> None:
        kind = packet[:2]
        self.heard_at = time.monotonic()
        if packet == PING:
            self.pings, self.pinged_at = self.pings + 1, self.heard_at
            if self.alive:
                self.session.send(PONG)
        elif kind == EVENT and packet[2:3] == "[":
            self.times.append(self.heard_at)
            self.events.append(_event(packet))
        elif kind == ACK:
            digits, _, rest = packet[2:].partition("[")
            waiting = self._acks.pop(int(digits), None)
            answers = json.loads(f"[{rest}")
            if waiting is None or len(answers) != 1:
                self.odd.append(packet)
            elif not waiting.done():
                waiting.set_result(answers[0])
        elif kind == CONNECT and not self._connected.done():
            self._connected.set_result(json.loads(packet[2:]))
        elif kind == DISCONNECT or packet == engine.CLOSE:
            self._end()
        else:
            self.odd.append(packet)

    def _end(self) -> None:
        if self.closed.done():
            return
        self.closed.set_result(None)
        self.ended_at = time.monotonic()
        for waiting in (self._connected, *self._acks.values()):
            if not waiting.done():
                waiting.set_exception(gone(self))
                waiting.exception()  # It need not be asked for.
        self._acks.clear()
