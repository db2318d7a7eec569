"""Limits for which FastAPI and uvicorn have no setting."""

import asyncio
import socket

import h11
from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from .problems import problem

MAX_BODY_BYTES = 65_536
MAX_CONNECTIONS = 5_000
READ_BYTES = 4_096  # one turn of a client: tiny chunks take 3 µs each
REQUEST_SECONDS = 20
UNREAD_SECONDS = 30


class BodyLimits:
    """Refuses a body that is too large, and one whose length is in doubt."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MAX_BODY_BYTES:
                raise HTTPException(413, f"More than {MAX_BODY_BYTES} bytes.")
            return message

        if scope["type"] == "http" and is_ambiguous(Headers(scope=scope)):
            refuse = problem(400, "The length is in doubt.", {"Connection": "close"})
            await refuse(scope, receive, send)
        else:
            await self.app(scope, counted, send)


def is_ambiguous(headers: Headers) -> bool:
    """Whether a proxy may see another end of the body. h11 takes both of these."""
    length = headers.get("Content-Length", "")
    return bool(length and "Transfer-Encoding" in headers) or len(length) > 18


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol, with time-outs and with a bound on connections."""

    request_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
            return
        transport.max_size = READ_BYTES
        # The kernel ends a connection whose client does not read its answers.
        transport.get_extra_info("socket").setsockopt(
            socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1_000
        )
        self.time_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.time_request()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:  # of a pipelined request
            self.time_request()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.request_timer:
            self.request_timer.cancel()

    def time_request(self) -> None:
        """Closes the connection of a request, head and body, that comes too slowly."""
        is_due = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if is_due and not self.request_timer:
            self.request_timer = self.loop.call_later(
                REQUEST_SECONDS, self.transport.close
            )
        elif self.request_timer and not is_due:
            self.request_timer.cancel()
            self.request_timer = None
