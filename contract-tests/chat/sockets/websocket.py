"""A WebSocket client (RFC 6455) that shows what came and sends what it is told to, well-formed or not."""

import asyncio
import base64
import contextlib
import hashlib
import os
import socket
from collections import deque
from collections.abc import Callable
from typing import Self

from samewire.http import Address, ProtocolError, ssl_context

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
PATIENCE = 30.0
"""Seconds after which something that does not depend on any clock has failed."""

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Refused(Exception):
    """The server did not switch protocols; `status` is its answer's, 0 if it closed without one."""

    def __init__(self, status: int, head: bytes = b"") -> None:
        super().__init__(f"refused with {head!r}" if status else "closed without an answer")
        self.status = status


def frame(opcode: int, payload: bytes, *, final: bool = True, masked: bool = True, reserved: int = 0) -> bytes:
    """One frame as a client sends it."""
    size = len(payload)
    length, width = (size, 0) if size < 126 else (126, 2) if size <= 0xFFFF else (127, 8)
    extended = size.to_bytes(width, "big") if width else b""
    head = bytes([final << 7 | reserved << 4 | opcode, masked << 7 | length]) + extended
    if not masked:
        return head + payload
    key = os.urandom(4)
    mask = (key * (size // 4 + 1))[:size]
    return head + key + (int.from_bytes(payload, "big") ^ int.from_bytes(mask, "big")).to_bytes(size, "big")


class WebSocket(asyncio.Protocol):
    """One connection. What comes is kept for `receive` or given to who listens; control frames are dealt with here."""

    def __init__(self, authority: str, target: str) -> None:
        self._authority, self._request_target = authority, target
        self._key = base64.b64encode(os.urandom(16))
        self._loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._unread = b""
        self._open = False
        self._opcode, self._fragments = 0, b""
        self._transport: asyncio.Transport
        self.closed: asyncio.Future[None] = self._loop.create_future()
        self.close_code: int | None = None
        self.pongs: list[bytes] = []
        self.error: Exception | None = None
        """What was wrong with what the server sent, if that ended it."""
        self._packets: deque[str | bytes] = deque()
        self._arrived = asyncio.Event()
        self._on_packet: Callable[[str | bytes], None] = self._keep
        self._on_close: Callable[[], None] = lambda: None

    @classmethod
    async def connect(cls, target: Address, path: str, *, receive_buffer: int | None = None) -> Self:
        """Open one. Raises Refused or OSError."""
        loop = asyncio.get_running_loop()
        raw = socket.socket()
        try:
            raw.setblocking(False)
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if receive_buffer:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            await loop.sock_connect(raw, (target.host, target.port))
            tls = ssl_context(target)
            _, one = await loop.create_connection(
                lambda: cls(f"{target.host}:{target.port}", path),
                sock=raw, ssl=tls, server_hostname=target.host if tls else None,
            )  # fmt: skip
        except BaseException:
            raw.close()
            raise
        try:
            await asyncio.wait_for(one._opened, PATIENCE)
        except BaseException:
            one.abort()
            raise
        return one

    # --- sending

    def send(self, packet: str | bytes) -> None:
        """Send a text or a binary message."""
        if isinstance(packet, str):
            self.send_raw(frame(TEXT, packet.encode("utf-8", "surrogatepass")))
        else:
            self.send_raw(frame(BINARY, packet))

    def send_raw(self, data: bytes) -> None:
        """Send these bytes."""
        self._transport.write(data)

    async def drain(self) -> None:
        """Wait until the kernel has taken all that was sent."""
        while self._transport.get_write_buffer_size() and not self.closed.done():
            await asyncio.sleep(0.005)

    def stop_reading(self) -> None:
        """From now on the kernel's buffers fill."""
        self._transport.pause_reading()

    async def close(self) -> None:
        """Say good-bye and close."""
        if not self.closed.done():
            self.send_raw(frame(CLOSE, (1000).to_bytes(2, "big")))
            self._transport.resume_reading()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self.closed), 2)
        self.abort()

    def abort(self) -> None:
        """Vanish: close with a reset."""
        with contextlib.suppress(OSError):
            self._raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self._transport.abort()

    # --- receiving

    def listen(self, on_packet: Callable[[str | bytes], None], on_close: Callable[[], None]) -> None:
        """From now on what comes is given to these functions, what has come first."""
        self._on_packet, self._on_close = on_packet, on_close
        while self._packets:
            on_packet(self._packets.popleft())
        if self.closed.done():
            on_close()

    async def receive(self, seconds: float = PATIENCE) -> str | bytes | None:
        """The next message, None at the end of the connection. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not self._packets and not self.closed.done():
                self._arrived.clear()
                await self._arrived.wait()
        return self._packets.popleft() if self._packets else None

    def _keep(self, packet: str | bytes) -> None:
        self._packets.append(packet)
        self._arrived.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask to switch protocols."""
        self._transport = transport  # type: ignore[assignment]
        # A transport of TLS no longer knows it when the connection is lost.
        self._raw = transport.get_extra_info("socket")
        lines = [
            f"GET {self._request_target} HTTP/1.1", f"Host: {self._authority}", "Connection: Upgrade",
            "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {self._key.decode()}", "", "",
        ]  # fmt: skip
        self.send_raw("\r\n".join(lines).encode())

    def connection_lost(self, exc: Exception | None) -> None:
        """All is over."""
        if not self._opened.done():
            self._opened.set_exception(Refused(0))
        self.error = exc if isinstance(exc, ProtocolError) else None
        if not self.closed.done():
            self.closed.set_result(None)
            self._arrived.set()
            self._on_close()

    def data_received(self, data: bytes) -> None:
        """Take what is whole."""
        self._unread += data
        if not self._open and not self._switch():
            return
        place, unread, size = 0, self._unread, len(self._unread)
        while size - place >= 2:
            first, length = unread[place], unread[place + 1]
            start = place + 2
            if length >= 126:
                width = 2 if length == 126 else 8
                if length > 127:
                    raise ProtocolError("a frame of a server is masked", unread[place : place + 20])
                if size < start + width:
                    break
                length = int.from_bytes(unread[start : start + width], "big")
                start += width
            if size < start + length:
                break
            place = start + length
            self._take(first, unread[start:place])
        self._unread = unread[place:]

    def _switch(self) -> bool:
        """Whether the protocol is switched."""
        head, end, rest = self._unread.partition(b"\r\n\r\n")
        if not end or self._opened.done():
            return False
        status = int(head.split(b" ", 2)[1])
        fields = {
            name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in head.split(b"\r\n"))
        }
        accept = base64.b64encode(hashlib.sha1(self._key + _GUID).digest())
        if status != 101 or fields.get(b"sec-websocket-accept") != accept:
            self._opened.set_exception(Refused(status, head))
            return False
        self._open, self._unread = True, rest
        self._opened.set_result(None)
        return True

    def _take(self, first: int, payload: bytes) -> None:
        final, reserved, opcode = first >> 7, first >> 4 & 7, first & 15
        if reserved:
            raise ProtocolError("a frame with an extension that was not asked for", payload[:100])
        if opcode >= CLOSE:
            self._control(opcode, payload)
            return
        if opcode:
            self._opcode, self._fragments = opcode, b""
        self._fragments += payload
        if final:
            whole, self._fragments = self._fragments, b""
            self._on_packet(whole.decode() if self._opcode == TEXT else whole)

    def _control(self, opcode: int, payload: bytes) -> None:
        if opcode == PING:
            self.send_raw(frame(PONG, payload))
        elif opcode == PONG:
            self.pongs.append(payload)
        else:
            self.close_code = int.from_bytes(payload[:2], "big") if payload else None
            self.send_raw(frame(CLOSE, payload[:2]))
            self._transport.close()
