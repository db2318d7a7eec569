"""A proxy before a correct server that commits one fault.

It reads a whole request, passes it on byte for byte, and lets the fault decide what goes back. One thread for each
connection. Of a stream of events the fault first sees the head, then each event by itself.
"""

import re
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

import h11

from samewire.http import Connection, ConnectionClosed, ExchangeError, Request, Response, connect
from samewire.target import Target

Reply = list[bytes | float | None]
"""What goes back: bytes to be sent, seconds to wait, None to close the connection."""


@dataclass(frozen=True)
class Exchange:
    """One request with the server's correct response to it."""

    request: Request
    """`body` has its transfer coding removed."""
    response: Response
    number: int
    """How many the proxy has had before."""
    memory: dict
    """The fault's own, for as long as the proxy lives."""
    ask: Callable[[Request], Response]
    """Ask the server something more."""


@dataclass
class Fault:
    """A way to be wrong. `commit` returns what goes back instead, or None for the correct response."""

    name: str
    description: str
    commit: Callable[[Exchange], Reply | None]
    timeout: float = 10.0
    """Seconds that the suite waits for an answer; short for faults that never answer."""
    judge: Callable[[Target], str | None] | None = None
    """Who notices, where it takes more than the cases: says what it noticed, or None."""
    instead: Callable[[Request], Request | None] = lambda request: None
    """What the server is asked instead; None for the request as it came."""
    transport: str = ""
    """Of a chat server that may have it; any may by default."""


def fault(to: list[Fault], **options: object) -> Callable:
    """Add the function to a list of faults; its name and its docstring are the fault's."""

    def add(commit: Callable[[Exchange], Reply | None]) -> Callable:
        description = (commit.__doc__ or "").rstrip(".")
        to.append(Fault(commit.__name__.replace("_", "-"), description, commit, **options))
        return commit

    return add


def asked_instead(to: list[Fault], **options: object) -> Callable:
    """Add a fault that changes requests before they are asked; the function is its `instead`."""

    def add(instead: Callable[[Request], Request | None]) -> Callable:
        description = (instead.__doc__ or "").rstrip(".")
        to.append(Fault(instead.__name__.replace("_", "-"), description, lambda _: None, instead=instead, **options))
        return instead

    return add


@dataclass
class Proxy:
    """Listens on a free loopback port while it is a context manager; `target` is what to judge."""

    server: Target
    commit: Callable[[Exchange], Reply | None] = lambda exchange: None
    instead: Callable[[Request], Request | None] = lambda request: None
    committed: int = 0
    """How many answers, or requests, the fault has changed."""
    error: Exception | None = None
    """What the fault raised: the client is not answered then, and nobody shall take that for the fault."""
    _memory: dict = field(default_factory=dict)
    _number: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        port = self._listener.getsockname()[1]
        self.target = Target(f"proxy before {self.server.name}", self.server.service, f"http://127.0.0.1:{port}")
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        # Closing alone would leave accept() waiting.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Faults never answered are cut off with the rest of the test, not waited for.
        client.settimeout(30)
        unread = b""
        upstream: Connection | None = None
        try:
            while True:
                request, raw, unread = _read(client, unread)
                if request is None:
                    return
                if other := self.instead(request):
                    self.committed += 1
                    raw = other.to_bytes("proxy")
                upstream, response = self._ask(upstream, (other or request).method, raw)
                if not self._answer(client, request, response):
                    return
                if response.framing == "stream":
                    self._pass_on(client, request, upstream, response)
                    return
        except (OSError, ExchangeError, h11.RemoteProtocolError):
            # The client sees the same: its connection is reset, never closed as if all were well.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        finally:
            client.close()
            if upstream:
                upstream.close()

    def _ask(self, upstream: Connection | None, method: str, raw: bytes) -> tuple[Connection, Response]:
        """The server's response, over the connection if it still stands."""
        if upstream:
            try:
                return upstream, _exchange(upstream, method, raw)
            except ConnectionClosed as error:
                upstream.close()
                if error.received:
                    raise
        upstream = connect(self.server)
        return upstream, _exchange(upstream, method, raw)

    def _answer(self, client: socket.socket, request: Request, response: Response) -> bool:
        """Send what the fault makes of it; whether the connection goes on."""
        with self._lock:
            number, self._number = self._number, self._number + 1
            exchange = Exchange(request, response, number, self._memory, self._side_question)
            try:
                reply = self.commit(exchange)
            except Exception as error:
                self.error = error
                return False
            self.committed += reply is not None
        for part in [response.raw] if reply is None else reply:
            if part is None:
                return False
            if isinstance(part, bytes):
                client.sendall(part)
            else:
                time.sleep(part)
        if response.framing == "stream":
            return True
        return response.framing != "close" and "close" not in response.values("Connection")

    def _pass_on(self, client: socket.socket, request: Request, upstream: Connection, stream: Response) -> None:
        """Send each event of the stream, as the fault has it, until the server ends it or the client leaves."""
        upstream.timeout, rest = 0.05, b""
        chunked = stream.values("Transfer-Encoding") == ["chunked"]
        for piece in upstream.pieces(stream):
            if _has_left(client):
                return
            *events, rest = re.split(rb"(?<=\n\n)|(?<=\n\r\n)", rest + piece)
            for event in events:
                raw = chunk(event) if chunked else event
                if not self._answer(client, request, replace(stream, body=event, raw=raw)):
                    return
        client.sendall(b"0\r\n\r\n" if chunked else b"")

    def _side_question(self, request: Request) -> Response:
        with connect(self.server) as connection:
            return connection.exchange(request)


def chunk(data: bytes) -> bytes:
    """The data as one chunk (RFC 9112, 7.1)."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def _has_left(client: socket.socket) -> bool:
    """Whether the client has closed its end."""
    readable, _, _ = select.select([client], [], [], 0)
    return bool(readable) and not client.recv(1, socket.MSG_PEEK)


def _exchange(upstream: Connection, method: str, raw: bytes) -> Response:
    try:
        upstream.send_raw(raw)
    except ConnectionClosed as error:
        # It may have answered before it had read everything.
        if not upstream.unread:
            upstream.closed_by_peer(1.0)
        if not upstream.unread:
            raise error
    return upstream.receive(method)


def _read(client: socket.socket, unread: bytes) -> tuple[Request | None, bytes, bytes]:
    """The next request, its bytes, and the bytes after it; None at the end of the connection."""
    parser = h11.Connection(h11.SERVER, max_incomplete_event_size=65_536)
    raw, body, head = unread, b"", None
    if unread:
        parser.receive_data(unread)
    while True:
        event = parser.next_event()
        if event is h11.NEED_DATA:
            data = client.recv(65_536)
            if not data:
                return None, b"", b""
            raw += data
            parser.receive_data(data)
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            rest = parser.trailing_data[0]
            headers = tuple((name.decode(), value.decode("latin-1")) for name, value in head.headers)
            request = Request(head.method.decode(), head.target.decode("latin-1"), headers, body)
            return request, raw[: len(raw) - len(rest)], rest
        else:
            return None, b"", b""
