"""The attackers: many connections at once, each of which does the same steps."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import struct
from collections import Counter
from dataclasses import dataclass, field

from samewire.attack.rows import Attack, Step
from samewire.http import Address

CONNECT = 10.0
"""Seconds for a connection."""
STUCK = 3.0
"""Seconds for which a server may take no more bytes; then a client goes on to its next step."""

_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)")
_LONGEST_STATUS = 12


@dataclass
class Seen:
    """What the attackers saw, all together."""

    connected: int = 0
    refused: int = 0
    """Connections that did not come about."""
    ended: int = 0
    """Connections that the server ended before the client was done."""
    statuses: Counter[int] = field(default_factory=Counter)

    def __str__(self) -> str:
        answers = ", ".join(f"{number:,} × {status}" for status, number in sorted(self.statuses.items()))
        parts = [answers or "no answer"]
        parts += [f"{self.ended:,} ended by the server"] if self.ended else []
        parts += [f"{self.refused:,} not connected"] if self.refused else []
        return "; ".join(parts)


def attack(address: Address, one: Attack) -> Seen:
    """Carry out an attack; it is over when its last client is done."""
    seen = Seen()
    asyncio.run(_all(address, one, seen))
    return seen


async def _all(address: Address, one: Attack, seen: Seen) -> None:
    await asyncio.gather(*(_client(address, one, seen) for _ in range(one.clients)))


async def _client(address: Address, one: Attack, seen: Seen) -> None:
    loop = asyncio.get_running_loop()
    with socket.socket() as sock:
        sock.setblocking(False)
        if one.receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, one.receive_buffer)
        try:
            async with asyncio.timeout(CONNECT):
                await loop.sock_connect(sock, (address.host, address.port))
        except OSError:  # TimeoutError is one.
            seen.refused += 1
            return
        seen.connected += 1
        try:
            for step in one.steps:
                await _do(loop, sock, step, seen)
        except OSError:
            seen.ended += 1


async def _do(loop: asyncio.AbstractEventLoop, sock: socket.socket, step: Step, seen: Seen) -> None:
    """Do one step. OSError if the server has ended the connection."""
    match step:
        case {"send": parts}:
            await _send(loop, sock, parts)
        case {"exchange": parts, **limits}:
            sending = asyncio.create_task(_send(loop, sock, parts, stuck=limits["seconds"]))
            try:
                await _read(loop, sock, seen, **limits)
            finally:
                sending.cancel()
                with contextlib.suppress(OSError, asyncio.CancelledError):
                    await sending
        case {"drip": drip}:
            for _ in range(drip["times"]):
                await loop.sock_sendall(sock, drip["bytes"].encode("latin-1"))
                await asyncio.sleep(drip["every"])
        case {"read": limits}:
            await _read(loop, sock, seen, **limits)
        case {"wait": seconds}:
            await asyncio.sleep(seconds)
        case {"half_close": True}:
            sock.shutdown(socket.SHUT_WR)
        case {"reset": True}:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def _send(loop: asyncio.AbstractEventLoop, sock: socket.socket, parts: tuple, stuck: float = STUCK) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(stuck):
            for part in parts:
                await loop.sock_sendall(sock, part)


async def _read(
    loop: asyncio.AbstractEventLoop, sock: socket.socket, seen: Seen, *, seconds: float, answers: int | None = None
) -> None:
    """Read so many answers, or until the end, for so many seconds at most."""
    found, tail = 0, b""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while answers is None or found < answers:
                data = await loop.sock_recv(sock, 65_536)
                if not data:
                    raise ConnectionError("the server has ended the connection")
                data = tail + data
                for match in _STATUS.finditer(data):
                    seen.statuses[int(match[1])] += 1
                    found += 1
                tail = b"" if _STATUS.search(data[-_LONGEST_STATUS:]) else data[-_LONGEST_STATUS + 1 :]
