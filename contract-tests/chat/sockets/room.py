"""A server of one test's own, and who is in its room."""

import asyncio
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from chat.sockets.client import Client, until
from chat.sockets.engine import Answer, NoAnswer, Polling, Session, Upgrading, WebSocketSession, ask
from chat.sockets.member import Member
from samewire.http import Request, exchange
from samewire.process import RunningServer
from samewire.target import Target

JSON = (("Content-Type", "application/json"),)
SESSIONS: dict[str, type[Session]] = {"websocket": WebSocketSession, "polling": Polling, "upgrading": Upgrading}

_TRANSPORT = re.compile(rb'data-transport="([a-z.-]+)"')


def transport_of(target: Target) -> str:
    """What the server's page says that it speaks."""
    page = exchange(target, Request("GET", "/"))
    found = _TRANSPORT.search(page.body)
    assert found, f"{target.name}: its page has no data-transport: {page}"
    return found[1].decode()


@dataclass
class Room:
    """A running server and the clients that a test has made."""

    target: Target
    transport: str
    running: RunningServer | None
    clients: list[Client | Member] = field(default_factory=list)
    spoilt: bool = False
    """Whether a test has failed in it and left who knows what."""

    @property
    def batched(self) -> bool:
        """Whether messages are sent in batches."""
        return self.transport == "socket.io-batched"

    async def connect(self, session: str = "websocket", **options: Any) -> Client:
        """Somebody who has not joined."""
        self.clients.append(await Client.connect(await SESSIONS[session].open(self.target, **options)))
        return self.clients[-1]

    async def join(self, user: str, session: str = "websocket", **options: Any) -> Client | Member:
        """A member. The session is one of Socket.IO's."""
        if self.transport == "websocket":
            member, first = await Member.connect(self.target, user, **options)
            self.clients.append(member)
            assert "room" in first, f"{user!r} cannot join: {first}"
            return member
        client = await self.connect(session, **options)
        ack = await client.ask("join", user)
        assert ack.get("ok") is True, f"{user!r} cannot join: {ack}"
        client.user, client.last = user, ack["last"]
        return client

    async def get(self, path: str) -> Any:
        """What `GET path` answers."""
        answer = await ask(self.target, Request("GET", path))
        assert answer.status == 200, answer
        return answer.json

    async def users(self) -> list[str]:
        """Who is here."""
        return (await self.get("/presence"))["users"]

    async def messages(self, after: int = 0) -> list[dict[str, Any]]:
        """What was said after that."""
        return (await self.get(f"/messages?after={after}"))["messages"]

    async def last(self) -> int:
        """The last id."""
        return (await self.get("/messages?after=0"))["last"]

    async def post(self, user: str, text: str) -> int:
        """Post a message over HTTP; its id."""
        body = json.dumps({"user": user, "text": text}).encode()
        answer: Answer = await ask(self.target, Request("POST", "/messages", JSON, body))
        assert answer.status == 201, answer
        return answer.json["id"]

    async def settled(self, *members: Client | Member) -> int:
        """Wait until these members were told all that they are to be told so far; the id of the message that shows it.

        What one connection is told keeps its order, so that nothing older than that message is still to come.
        Who was dropped is not waited for.
        """
        id_ = await self.post("nobody", "That is all.")
        for member in members:
            there = await until(
                lambda one=member: one.closed.done() or any(message["id"] == id_ for message in one.messages[-50:])
            )
            assert there, f"{member.user}: message {id_}, posted over HTTP, has not come: {member.events[-10:]}"
        return id_

    async def empty(self) -> None:
        """Everybody leaves."""
        leaving, self.clients = self.clients, []
        await asyncio.gather(*(client.leave() for client in leaving))
        for client in leaving:
            assert not client.odd, f"{client.user or 'one that had not joined'} got odd packets: {client.odd[:5]}"
        users: Sequence[str] = ["?"]
        for _ in range(300):
            # Who has to see five hundred off may let a newcomer wait too long.
            with suppress(NoAnswer):
                if not (users := await self.users()):
                    return
            await asyncio.sleep(0.05)
        raise AssertionError(f"{self.target.name}: everybody has left, and yet there are {users}")
