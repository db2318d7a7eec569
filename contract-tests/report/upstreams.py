"""Upstreams of a test's own: TCP servers that answer byte for byte as a script says, and remember what they saw."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import repeat
from typing import Self

from samewire.process import free_port

JSON = "application/json"
PNG = "image/png"


class End(Enum):
    """What a script may do besides sending, pausing and calling something; nothing of it is done after one of these."""

    CLOSE = "close the connection"
    RESET = "reset the connection"
    HANG = "do nothing more until the client closes the connection"


@dataclass(eq=False)
class Asked:
    """One request to an upstream and what became of it; times are monotonic seconds."""

    head: bytes
    at: float
    connection: int
    """The number of its connection, from 0."""
    place: int
    """Its number on that connection, from 0."""
    sent: int = 0
    """Bytes of the answer that the client took, or that the sockets' buffers hold."""
    cut: float | None = None
    """When the client was seen to have closed the connection before the answer was complete."""

    @property
    def line(self) -> str:
        """The request line."""
        return self.head.partition(b"\r\n")[0].decode("latin-1")

    def values(self, name: str) -> list[str]:
        """The values of the header fields of this name."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        fields = (line.partition(":") for line in lines)
        return [value.strip(" \t") for given, _, value in fields if given.lower() == name.lower()]


Step = bytes | float | End | Callable[[], object]
"""Bytes to send, seconds to wait, an end, or something to call."""
Script = Callable[[Asked], Iterable[Step]]
"""How a request is answered. After a script without an end the connection takes the next request."""


@dataclass
class Upstream:
    """Listens on a loopback port from `with` on; refuses while `refusing`."""

    script: Script
    at: int = 0
    """The port; 0 is a free one."""
    asked: list[Asked] = field(default_factory=list)
    _open: set[socket.socket] = field(default_factory=set)
    _threads: list[threading.Thread] = field(default_factory=list)
    _connections: int = 0

    def __enter__(self) -> Self:
        self.port = self.at or free_port()
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=200)
        self._ending = False
        self._accept_from(self._listener)
        return self

    def __exit__(self, *_: object) -> None:
        self._ending = True
        self._stop_listening()
        self.hang_up()
        for thread in self._threads:
            thread.join(5)

    @property
    def url(self) -> str:
        """What a server's environment is given."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def authority(self) -> str:
        """The Host of every request to it."""
        return f"127.0.0.1:{self.port}"

    def answers(self, script: Script) -> None:
        """From now on every request is answered so, and what was asked before is forgotten."""
        self.script, self.asked = script, []

    def hang_up(self) -> None:
        """Close all connections."""
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def refusing(self) -> Iterator[None]:
        """Nobody listens for a while; connections that were open are closed."""
        self._stop_listening()
        self.hang_up()
        try:
            yield
        finally:
            self._listener = socket.create_server(("127.0.0.1", self.port), backlog=200)
            self._accept_from(self._listener)

    def _stop_listening(self) -> None:
        # shutdown() wakes the thread that accepts, close() alone would not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept_from(self, listener: socket.socket) -> None:
        thread = threading.Thread(target=self._accept, args=[listener], daemon=True)
        self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            number, self._connections = self._connections, self._connections + 1
            thread = threading.Thread(target=self._serve, args=[connection, number], daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        self._open.add(connection)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            place, end, unread = 0, None, b""
            while end is None and not self._ending:
                head, mark, unread = read_until(connection, b"\r\n\r\n", unread).partition(b"\r\n\r\n")
                if not mark:
                    break
                asked = Asked(head, time.monotonic(), number, place)
                self.asked.append(asked)
                end = _play(connection, asked, self.script(asked))
                place += 1
            if end is End.RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        except OSError:
            pass
        finally:
            self._open.discard(connection)
            connection.close()


def read_until(connection: socket.socket, mark: bytes, data: bytes = b"") -> bytes:
    """Read until the mark, or the end of the stream, is there."""
    while mark not in data:
        try:
            more = connection.recv(65_536)
        except OSError:
            return data
        if not more:
            return data
        data += more
    return data


def _play(connection: socket.socket, asked: Asked, script: Iterable[Step]) -> End | None:
    """Answer one request; the end that it came to, None if the connection goes on."""
    for step in script:
        if isinstance(step, bytes):
            try:
                view = memoryview(step)
                while view:
                    taken = connection.send(view)
                    asked.sent += taken
                    view = view[taken:]
            except OSError:
                asked.cut = time.monotonic()
                return End.CLOSE
        elif step is End.HANG or isinstance(step, int | float):
            if _closed_within(connection, None if step is End.HANG else step):
                asked.cut = time.monotonic()
                return End.CLOSE
        elif isinstance(step, End):
            return step
        else:
            step()
    return None


def _closed_within(connection: socket.socket, seconds: float | None) -> bool:
    """Whether the client closes the connection in so many seconds (or, None, whenever it does)."""
    connection.settimeout(seconds)
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except TimeoutError:
        return False
    except OSError:
        return True
    finally:
        connection.settimeout(None)


# --- scripts


def playing(*steps: Step) -> Script:
    """The same steps for every request."""
    return lambda _: steps


def in_turn(*scripts: Script) -> Script:
    """Each request gets the next script, from the first again after the last."""
    lock, number = threading.Lock(), iter(range(1 << 62))

    def next_one(asked: Asked) -> Iterable[Step]:
        with lock:
            script = scripts[next(number) % len(scripts)]
        return script(asked)

    return next_one


def message(
    body: bytes, media_type: str | None, *fields: str, status: str = "200 OK", framing: str = "length"
) -> bytes:
    """A response; `framing` is `length`, `chunked`, or `close` for neither."""
    lines = [f"HTTP/1.1 {status}", *fields]
    if media_type is not None:
        lines.append(f"Content-Type: {media_type}")
    if framing == "length":
        lines.append(f"Content-Length: {len(body)}")
    if framing == "chunked":
        lines.append("Transfer-Encoding: chunked")
        size = 1000 if len(body) < 100_000 else 65_536
        pieces = [body[start : start + size] for start in range(0, len(body), size)]
        body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    return "\r\n".join([*lines, "", ""]).encode() + body


def drip(data: bytes, pause: float) -> Script:
    """A byte at a time, with a pause after each."""

    def steps(_: Asked) -> Iterator[Step]:
        for byte in data:
            yield bytes([byte])
            yield pause

    return steps


def flood(head: bytes, size: int, *, chunked: bool) -> Script:
    """A head and then so many bytes."""
    block = b"a" * 65_536
    piece = b"10000\r\n" + block + b"\r\n" if chunked else block
    return lambda _: (head, *repeat(piece, size // len(block)), b"0\r\n\r\n" if chunked else b"")
