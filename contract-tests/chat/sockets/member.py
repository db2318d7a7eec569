"""A WebSocket with JSON in its frames (`/ws`): one connection, which belongs to one user from its start."""

import asyncio
import json
import time
from collections import deque
from functools import lru_cache
from typing import Any, Self
from urllib.parse import quote

from chat.sockets.client import gone
from chat.sockets.websocket import PATIENCE, WebSocket
from samewire.http import Address

PONG = '{"pong":true}'


def path(user: str) -> str:
    """The request-target for this user."""
    return f"/ws?user={quote(user, safe='')}"


def frame(**members: Any) -> str:
    """What a client sends."""
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


@lru_cache(10_000)
def _read(packet: str) -> dict[str, Any]:
    """The members of a frame; the same for all five hundred who are told the same."""
    return json.loads(packet)


class Member:
    """One connection. It answers pings as long as `alive`, and keeps every event that comes, with its time.

    Tests of many members use it and `client.Client` alike.
    """

    def __init__(self, session: WebSocket, user: str) -> None:
        self.session, self.user = session, user
        self.alive = True
        self.last = 0
        """The room's last id when it joined."""
        self.events: list[tuple[str, Any]] = []
        """`message`, `joined` or `left`, and what came with it."""
        self.times: list[float] = []
        self.odd: list[str | bytes] = []
        """Frames that nobody should send."""
        self.pings = 0
        self.heard_at = time.monotonic()
        """When the last frame came."""
        self.pinged_at = self.ended_at = self.heard_at
        self.closed = asyncio.get_running_loop().create_future()
        self._answers: deque[asyncio.Future[Any]] = deque()

    @classmethod
    async def connect(cls, target: Address, user: str, **options: Any) -> tuple[Self, dict[str, Any]]:
        """A connection, and its first frame. Raises Refused, Gone, OSError or TimeoutError."""
        one = cls(await WebSocket.connect(target, path(user), **options), user)
        first = one._expect()
        one.session.listen(one._take, one._end)
        async with asyncio.timeout(PATIENCE):
            answer = await first
        one.last = answer.get("last", 0)
        return one, answer

    # --- asking

    async def ask(self, event: str, text: Any) -> Any:
        """Send a message and return what it is answered. Raises Gone or TimeoutError."""
        assert event == "message"
        async with asyncio.timeout(PATIENCE):
            return await self.say(text)

    def say(self, text: Any) -> asyncio.Future[Any]:
        """Send a message; its answer will come."""
        return self.send(frame(text=text))

    def tell(self, event: str, text: Any) -> None:
        """Send a message whose answer nobody waits for."""
        assert event == "message"
        if not self.closed.done():
            self.say(text)

    def send(self, packet: str) -> asyncio.Future[Any]:
        """Send a frame; its answer will come."""
        if self.closed.done():
            raise gone(self)
        answer = self._expect()
        self.session.send(packet)
        return answer

    def _expect(self) -> asyncio.Future[Any]:
        self._answers.append(asyncio.get_running_loop().create_future())
        return self._answers[-1]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages that came."""
        return self.told("message")

    def told(self, name: str) -> list[Any]:
        """What came with the events of this name."""
        return [what for given, what in self.events if given == name]

    async def leave(self) -> None:
        """Close."""
        await self.session.close()

    # --- receiving

    def _take(self, packet: str | bytes) -> None:
        self.heard_at = time.monotonic()
        try:
            members = _read(packet) if isinstance(packet, str) else {}
        except ValueError:
            members = {}
        match members:
            case {"ping": True}:
                self.pings, self.pinged_at = self.pings + 1, self.heard_at
                if self.alive:
                    self.session.send(PONG)
            case {"id": _, "user": _, "text": _} if len(members) == 3:
                self._keep("message", members)
            case {"joined": user} | {"left": user} if len(members) == 1:
                self._keep(*members, {"user": user})
            case {"id": _} | {"error": _} | {"room": _, "last": _} if self._answers:
                answer = self._answers.popleft()
                if not answer.done():
                    answer.set_result(members)
            case _:
                self.odd.append(packet)

    def _keep(self, name: str, what: Any) -> None:
        self.times.append(self.heard_at)
        self.events.append((name, what))

    def _end(self) -> None:
        if self.closed.done():
            return
        self.closed.set_result(None)
        self.ended_at = time.monotonic()
        for waiting in self._answers:
            if not waiting.done():
                waiting.set_exception(gone(self))
                waiting.exception()  # It need not be asked for.
        self._answers.clear()
