"""The attackers: many connections at once, each of which does the same steps."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import re
import resource
import socket
import struct
import termios
from collections import Counter
from dataclasses import dataclass, field

from samewire.attack.rows import Attack, Step
from samewire.http import Address

CONNECT = 10.0
"""Seconds for a connection."""
STUCK = 3.0
"""Seconds for which a server may take no more bytes; then a client goes on to its next step."""

_BOUND = re.compile(rb"\$\{([a-z_]+)\}")
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
    """Carry out an attack; it is over when its last client is done. OSError if it may not have so many sockets."""
    _allow_files(one.clients + 200)
    seen = Seen()
    asyncio.run(_all(address, one, seen))
    return seen


def _allow_files(number: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < number:
        raise OSError(f"{number} files are needed at once, and {hard} are allowed: see ulimit -Hn")
    if soft != resource.RLIM_INFINITY and soft < number:
        resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))


async def _all(address: Address, one: Attack, seen: Seen) -> None:
    family, _, _, _, place = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
    async with asyncio.TaskGroup() as group:
        for _ in range(one.clients):
            group.create_task(_client(family, place, one, seen))


async def _client(family: int, place: tuple, one: Attack, seen: Seen) -> None:
    loop = asyncio.get_running_loop()
    with socket.socket(family) as sock:
        sock.setblocking(False)
        if one.receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, one.receive_buffer)
        try:
            async with asyncio.timeout(CONNECT):
                await loop.sock_connect(sock, place)
        except OSError:  # TimeoutError is one.
            seen.refused += 1
            return
        seen.connected += 1
        bound: dict[bytes, bytes] = {}
        try:
            for step in one.steps:
                await _do(loop, sock, step, seen, bound)
        except OSError:
            seen.ended += 1
        except _NotBound:
            pass


class _NotBound(Exception):
    """No answer has the value that is to be bound: what comes after it cannot be done."""


async def _do(
    loop: asyncio.AbstractEventLoop, sock: socket.socket, step: Step, seen: Seen, bound: dict[bytes, bytes]
) -> None:
    """Do one step. OSError if the server has ended the connection; raises _NotBound."""
    match step:
        case {"send": parts}:
            await _send(loop, sock, _with(bound, parts))
        case {"exchange": parts, **limits}:
            patterns = limits.pop("bind", {})
            sending = asyncio.create_task(_send(loop, sock, _with(bound, parts), stuck=limits["seconds"]))
            try:
                data = await _read(loop, sock, seen, **limits, keep=bool(patterns))
            finally:
                sending.cancel()
                await asyncio.wait([sending])
            for name, pattern in patterns.items():
                match = re.search(pattern.encode(), data)
                if not match:
                    raise _NotBound(name)
                bound[name.encode()] = match[1]
        case {"sip": sip}:
            for _ in range(sip["times"]):
                await asyncio.sleep(sip["every"])
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(sip["every"]):
                        if not await loop.sock_recv(sock, sip["bytes"]):
                            raise ConnectionError("the server has ended the connection")
        case {"drip": drip}:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(drip["times"] * drip["every"] + STUCK):
                    for _ in range(drip["times"]):
                        await loop.sock_sendall(sock, drip["bytes"].encode("latin-1"))
                        await asyncio.sleep(drip["every"])
        case {"read": limits}:
            await _read(loop, sock, seen, **limits)
        case {"wait": seconds}:
            await asyncio.sleep(seconds)
        case {"arrived": True}:
            await _arrived(sock)
        case {"half_close": True}:
            sock.shutdown(socket.SHUT_WR)
        case {"reset": True}:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _with(bound: dict[bytes, bytes], parts: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """The parts with the values that were bound."""
    if not bound:
        return parts
    return tuple(_BOUND.sub(lambda match: bound[match[1]], part) for part in parts)


async def _send(loop: asyncio.AbstractEventLoop, sock: socket.socket, parts: tuple, stuck: float = STUCK) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(stuck):
            for part in parts:
                await loop.sock_sendall(sock, part)


async def _arrived(sock: socket.socket) -> None:
    """Wait until the server's side has all bytes (SIOCOUTQ, tcp(7)): a reset would take back the others."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(STUCK):
            while struct.unpack("i", fcntl.ioctl(sock, termios.TIOCOUTQ, b"\0" * 4))[0]:
                await asyncio.sleep(0.01)


async def _read(
    loop: asyncio.AbstractEventLoop,
    sock: socket.socket,
    seen: Seen,
    *,
    seconds: float,
    answers: int | None = None,
    keep: bool = False,
) -> bytes:
    """Read so many answers, or until the end, for so many seconds at most; what was read, if it is to be kept."""
    found, tail, kept = 0, b"", bytearray()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while answers is None or found < answers:
                data = await loop.sock_recv(sock, 65_536)
                if not data:
                    raise ConnectionError("the server has ended the connection")
                if keep:
                    kept += data
                data = tail + data
                for match in _STATUS.finditer(data):
                    seen.statuses[int(match[1])] += 1
                    found += 1
                tail = b"" if _STATUS.search(data[-_LONGEST_STATUS:]) else data[-_LONGEST_STATUS + 1 :]
    return bytes(kept)
