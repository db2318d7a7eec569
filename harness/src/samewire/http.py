"""An HTTP/1.1 client for judging servers.

It sends exactly the bytes it is told to and shows exactly the bytes that came back. Ready-made clients (and h11,
against which the parser is tested) forgive what a judge must see: bare line feeds, a doubled Content-Length,
folded fields, a body after HEAD.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Protocol
from urllib.parse import urlsplit

MAX_HEAD = 65_536
PATIENCE = 10.0
"""Seconds for connecting, and for one message, unless told otherwise."""

Tracer = Callable[[int, str, bytes], None]
trace: Tracer | None = None
"""Told of each piece of each connection, as it goes over the wire: the client's port, `>` sent or `<` received, bytes.

A piece without bytes is the end that the server made.
"""

_STATUS_LINE = re.compile(rb"(HTTP/\d\.\d) ([1-9]\d\d)(?: ([\t \x21-\x7e\x80-\xff]*))?")
_FIELD_LINE = re.compile(
    rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*((?:[\x21-\x7e\x80-\xff](?:[\t ]*[\x21-\x7e\x80-\xff])*)?)[\t ]*"
)
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[\t ]*(?:;[\t \x21-\x7e\x80-\xff]*)?")
# Targets that curl sends as they are; any other is handed to it with --request-target.
_CURL_SAFE_TARGET = re.compile(r"/[\w.~:@!$&'()*+,;=%/?-]*", re.ASCII)


class Address(Protocol):
    """Whatever has a host and a port, such as a `samewire.target.Target`."""

    @property
    def host(self) -> str: ...

    @property
    def port(self) -> int: ...

    @property
    def tls(self) -> bool: ...


class ExchangeError(Exception):
    """No whole response came. `received` holds the bytes that did."""

    def __init__(self, message: str, received: bytes = b""):
        super().__init__(f"{message}; received {compact(received)}" if received else f"{message}; received nothing")
        self.received = received


class ConnectionClosed(ExchangeError):
    """The peer closed, reset or refused the connection before a whole response."""


class TlsError(ConnectionClosed):
    """The peer speaks no TLS, or its certificate is not good for its name."""


class Timeout(ExchangeError):
    """The time ran out before a whole response."""


class ProtocolError(ExchangeError):
    """What came is not an HTTP/1.1 response."""


@dataclass(frozen=True)
class Request:
    """One request. `path` is the request-target as it goes on the wire (latin-1), encoded already."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None

    def has(self, name: str) -> bool:
        """Whether a header field of this name is given."""
        return any(given.lower() == name.lower() for given, _ in self.headers)

    def to_bytes(self, host: str) -> bytes:
        """The whole request; adds Host, and Content-Length where there is a body without framing of its own."""
        headers = list(self.headers)
        if not self.has("Host"):
            headers.insert(0, ("Host", host))
        if self.body is not None and not self.has("Content-Length") and not self.has("Transfer-Encoding"):
            headers.append(("Content-Length", str(len(self.body))))
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + (self.body or b"")

    def as_curl(self, url: str) -> str:
        """A command for a shell that sends this request to the server at `url`.

        With a framing of its own it is no longer curl's to send: then its bytes are given to nc.
        """
        url = url.rstrip("/")
        if self.body is not None and (self.has("Transfer-Encoding") or self.has("Content-Length")):
            host, port, tls = address(url)
            peer = f"openssl s_client -quiet -connect {host}:{port}" if tls else f"nc {host} {port}"
            return f"{python_output(self.to_bytes(f'{host}:{port}'))} | {peer}"
        words = ["curl", "-i", "--globoff", "--path-as-is"]
        if self.method == "HEAD":
            words.append("--head")
        elif self.method != ("GET" if self.body is None else "POST"):
            words += ["-X", self.method]
        for name, value in self.headers:
            words += ["-H", f"{name}: {value}" if value else f"{name};"]
        if self.body is not None and not self.has("Content-Type"):
            words += ["-H", "Content-Type:"]
        if _CURL_SAFE_TARGET.fullmatch(self.path):
            words.append(url + self.path)
        else:
            words += ["--request-target", self.path, url]
        if self.body is None:
            return shlex.join(words)
        text = self.body.decode("utf-8", "surrogateescape")
        if len(text) <= 1000 and text.isprintable() and not text.startswith("@"):
            return shlex.join([*words, "--data-binary", text])
        return f"{python_output(self.body)} | {shlex.join([*words, '--data-binary', '@-'])}"


@dataclass(frozen=True)
class Response:
    """One response; `body` has its transfer coding removed. Two are equal if all that the server chose is equal."""

    status: int
    reason: str
    http_version: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    framing: str = field(default="length", compare=False)
    """How the end of the body was known: `length`, `chunked`, `close` or `none` (HEAD, 1xx, 204, 304).

    A `stream` of events has no end: `body` is empty, and what comes is for `Connection.pieces`.
    """
    trailers: tuple[tuple[str, str], ...] = ()
    interim: tuple[Response, ...] = ()
    """The 1xx responses that came before it."""
    received_at: float = field(default=0.0, compare=False)
    """Seconds since the epoch at which its head was complete."""
    sent_at: float = field(default=0.0, compare=False)
    """Seconds since the epoch at which the connection began to send after the answer before this one."""
    raw: bytes = field(default=b"", compare=False, repr=False)
    """The bytes as they came, without `interim`."""

    def values(self, name: str) -> list[str]:
        """The values of the header fields of this name, in the order they came."""
        return list(self.fields.get(name.lower(), ()))

    @cached_property
    def fields(self) -> Mapping[str, Sequence[str]]:
        """Name of a header field in lower case → its values, in the order they came."""
        fields: dict[str, list[str]] = {}
        for name, value in self.headers:
            fields.setdefault(name.lower(), []).append(value)
        return fields


class Connection:
    """One connection, of TCP or with `tls` of TLS over it.

    `timeout` (seconds) bounds connecting, and sending or receiving one message.
    """

    def __init__(self, host: str, port: int, timeout: float = PATIENCE, *, tls: bool = False):
        self.host, self.port, self.timeout = host, port, timeout
        self._usual_port = 443 if tls else 80
        self.unread = b""
        """Bytes that came and belong to no response that was asked for yet."""
        self._eof = False
        self._sent_at, self._answered = time.time(), True
        try:
            self._socket = socket.create_connection((host, port), timeout)
        except TimeoutError:
            raise Timeout(f"no connection to {host}:{port} within {timeout:g} s") from None
        except OSError as error:
            raise ConnectionClosed(f"no connection to {host}:{port}: {error.strerror}") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self._socket = secured(self._socket, host)
        self._port = self.local_port

    @property
    def authority(self) -> str:
        """The value of Host: without the port that a URL does not name."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == self._usual_port else f"{host}:{self.port}"

    @property
    def local_port(self) -> int:
        """The client's port."""
        return self._socket.getsockname()[1]

    def send(self, request: Request) -> None:
        """Send one request; errors as of `send_raw`."""
        self.send_raw(request.to_bytes(self.authority))

    def send_raw(self, data: bytes) -> None:
        """Send these bytes. ConnectionClosed if the peer has closed, Timeout if it does not take them."""
        self._socket.settimeout(self.timeout)
        if self._answered:
            self._sent_at, self._answered = time.time(), False
        if trace:
            trace(self._port, ">", data)
        try:
            self._socket.sendall(data)
        except TimeoutError:
            raise Timeout(f"request not taken within {self.timeout:g} s", self.unread) from None
        except OSError as error:
            raise ConnectionClosed(f"connection closed while sending: {error.strerror}", self.unread) from None

    def receive(self, method: str, *, interim: bool = False) -> Response:
        """The next response, to a request of this method (HEAD has no body).

        1xx responses are collected in its `interim`; with `interim=True` the first of them is returned instead.
        Raises ConnectionClosed, Timeout or ProtocolError; the bytes that came stay in `unread`.
        """
        deadline = time.monotonic() + self.timeout
        skipped: list[Response] = []
        while True:
            response = self._receive_one(method, deadline, tuple(skipped))
            if response.status >= 200 or response.status == 101 or interim:
                return response
            skipped.append(response)

    def exchange(self, request: Request) -> Response:
        """Send a request and receive its response.

        A server may answer and close before it has read everything: what it answered then counts.
        """
        try:
            self.send(request)
        except ConnectionClosed as error:
            try:
                return self.receive(request.method)
            except ConnectionClosed:
                raise error from None
        return self.receive(request.method)

    def pieces(self, stream: Response) -> Iterator[bytes]:
        """The content of a stream of events as it comes, its transfer coding removed, until the server ends it.

        A piece is empty when nothing has come for `timeout` seconds. Raises ProtocolError, and ConnectionClosed where
        chunks are cut off.
        """
        chunked = self._framing(stream.headers) == "chunked"
        while True:
            try:
                piece = self._piece(chunked, time.monotonic() + self.timeout)
            except Timeout:
                yield b""
                continue
            except ConnectionClosed:
                if chunked:
                    raise
                return
            if not piece:
                return
            yield piece

    def closed_by_peer(self, timeout: float) -> bool:
        """Whether the peer closes the connection within `timeout` seconds; bytes that come before are in `unread`."""
        deadline = time.monotonic() + timeout
        while not self._eof:
            try:
                self._fill(deadline)
            except Timeout:
                return False
            except ConnectionClosed:
                return True
        return True

    def settle(self, timeout: float = 0.0) -> bytes:
        """The bytes that came without being asked for, waiting up to `timeout` seconds for the first of them."""
        if not self.unread:
            with contextlib.suppress(Timeout, ConnectionClosed):
                self._fill(time.monotonic() + timeout)
        return self.unread

    def half_close(self) -> None:
        """Say that nothing more will be sent, and go on receiving."""
        self._socket.shutdown(socket.SHUT_WR)

    def abort(self) -> None:
        """Vanish: close with a reset."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self._socket.close()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _fill(self, deadline: float) -> None:
        """Read once; ConnectionClosed at the end of the stream."""
        if self._eof:
            raise ConnectionClosed("connection closed", self.unread)
        self._socket.settimeout(max(deadline - time.monotonic(), 1e-4))
        try:
            data = self._socket.recv(65_536)
        except TimeoutError:
            raise Timeout("no whole response in time", self.unread) from None
        except OSError as error:
            self._eof = True
            raise ConnectionClosed(f"connection lost: {error.strerror}", self.unread) from None
        if trace:
            trace(self._port, "<", data)
        if not data:
            self._eof = True
            raise ConnectionClosed("connection closed", self.unread)
        self.unread += data

    def _until(self, mark: bytes, start: int, deadline: float) -> int:
        """The place after the next `mark` from `start` on."""
        while (found := self.unread.find(mark, start)) < 0:
            if len(self.unread) - start > MAX_HEAD:
                raise ProtocolError(f"no end of the head or chunk line within {MAX_HEAD} bytes", self.unread[:200])
            self._fill(deadline)
        return found + len(mark)

    def _at_least(self, size: int, deadline: float) -> None:
        while len(self.unread) < size:
            self._fill(deadline)

    def _receive_one(self, method: str, deadline: float, interim: tuple[Response, ...]) -> Response:
        # A wrong first byte is said at once: waiting for the end of a head that is none would hide it in a time-out.
        self._at_least(1, deadline)
        if not self.unread.startswith(b"H"):
            raise ProtocolError("not a status line", self.unread)
        head_end = self._until(b"\r\n\r\n", 0, deadline)
        received_at = time.time()
        start, *field_lines = self.unread[: head_end - 4].split(b"\r\n")
        if not (line := _STATUS_LINE.fullmatch(start)):
            raise ProtocolError(f"not a status line: {start!r}", self.unread)
        version, status, reason = line[1].decode(), int(line[2]), (line[3] or b"").decode("latin-1")
        headers = self._fields(field_lines)

        framing, end, body, trailers = "none", head_end, b"", ()
        if status == 200 and method != "HEAD" and _is_stream(headers):
            framing = "stream"
        elif not (method == "HEAD" or status < 200 or status in (204, 304)):
            framing = self._framing(headers)
            if framing == "length":
                length = int(next(value for name, value in headers if name.lower() == "content-length"))
                end = head_end + length
                self._at_least(end, deadline)
                body = self.unread[head_end:end]
            elif framing == "chunked":
                body, trailers, end = self._chunked(head_end, deadline)
            else:
                self._rest(deadline)
                end = len(self.unread)
                body = self.unread[head_end:]
        raw, self.unread = self.unread[:end], self.unread[end:]
        times = {"received_at": received_at, "sent_at": self._sent_at}
        self._answered = True
        return Response(status, reason, version, headers, body, framing, trailers, interim, raw=raw, **times)

    def _fields(self, lines: list[bytes]) -> tuple[tuple[str, str], ...]:
        fields = []
        for line in lines:
            if not (match := _FIELD_LINE.fullmatch(line)):
                raise ProtocolError(f"not a header field: {line!r}", self.unread)
            fields.append((match[1].decode(), match[2].decode("latin-1")))
        return tuple(fields)

    def _framing(self, headers: tuple[tuple[str, str], ...]) -> str:
        codings = [value.lower() for name, value in headers if name.lower() == "transfer-encoding"]
        lengths = [value for name, value in headers if name.lower() == "content-length"]
        if codings and lengths:
            raise ProtocolError("both Transfer-Encoding and Content-Length", self.unread)
        if codings:
            if codings != ["chunked"]:
                raise ProtocolError(f"Transfer-Encoding {codings} instead of chunked", self.unread)
            return "chunked"
        if lengths:
            if len(set(lengths)) > 1 or not re.fullmatch(r"[0-9]{1,18}", lengths[0]):
                raise ProtocolError(f"Content-Length {lengths} is no length", self.unread)
            return "length"
        return "close"

    def _chunked(self, start: int, deadline: float) -> tuple[bytes, tuple[tuple[str, str], ...], int]:
        chunks = []
        while True:
            line_end = self._until(b"\r\n", start, deadline)
            size = self._chunk_size(self.unread[start : line_end - 2])
            if size == 0:
                break
            start = line_end + size + 2
            self._at_least(start, deadline)
            if self.unread[start - 2 : start] != b"\r\n":
                raise ProtocolError("no line end after a chunk", self.unread)
            chunks.append(self.unread[line_end : start - 2])
        # The trailer section ends with an empty line, which is the line end of the last chunk if there is none.
        end = self._until(b"\r\n\r\n", line_end - 2, deadline)
        lines = self.unread[line_end : end - 4].split(b"\r\n") if end - 4 > line_end else []
        return b"".join(chunks), self._fields(lines), end

    def _piece(self, chunked: bool, deadline: float) -> bytes:
        """The next chunk, empty if it is the last one; where there are none, whatever has come."""
        if not chunked:
            self._at_least(1, deadline)
            piece, self.unread = self.unread, b""
            return piece
        start = self._until(b"\r\n", 0, deadline)
        end = start + self._chunk_size(self.unread[: start - 2])
        self._at_least(end + 2, deadline)
        piece, self.unread = self.unread[start:end], self.unread[end + 2 :]
        return piece

    def _chunk_size(self, line: bytes) -> int:
        if not (match := _CHUNK_SIZE.fullmatch(line)):
            raise ProtocolError(f"not a chunk size: {line!r}", self.unread)
        return int(match[1], 16)

    def _rest(self, deadline: float) -> None:
        while True:
            try:
                self._fill(deadline)
            except ConnectionClosed:
                return


def _is_stream(headers: tuple[tuple[str, str], ...]) -> bool:
    return any(name.lower() == "content-type" and value.startswith("text/event-stream") for name, value in headers)


def address(target: str | Address) -> tuple[str, int, bool]:
    """Host and port of a URL or of a target, and whether it speaks TLS there."""
    if not isinstance(target, str):
        return target.host, target.port, target.tls
    parts = urlsplit(target)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"not an http URL: {target}")
    tls = parts.scheme == "https"
    return parts.hostname, parts.port or (443 if tls else 80), tls


def connect(target: str | Address, timeout: float = PATIENCE) -> Connection:
    """A connection to a URL's or target's server."""
    host, port, tls = address(target)
    return Connection(host, port, timeout, tls=tls)


@cache
def _trust(alpn: tuple[str, ...], certificates: str | None) -> ssl.SSLContext:
    """The authorities of a file or, without one, those that this machine trusts."""
    context = ssl.create_default_context(cafile=certificates)
    context.set_alpn_protocols(list(alpn))
    return context


def ssl_context(target: Address) -> ssl.SSLContext | None:
    """What asyncio's connections to a target take as `ssl`: None in clear text; $SSL_CERT_FILE as in `secured`."""
    return _trust(("http/1.1",), os.environ.get("SSL_CERT_FILE")) if target.tls else None


def secured(tcp: socket.socket, host: str, alpn: tuple[str, ...] = ("http/1.1",)) -> ssl.SSLSocket:
    """TLS over a connection, once the certificate has been found good for `host`: by $SSL_CERT_FILE, if it is set.

    Raises TlsError, with the connection closed.
    """
    try:
        return _trust(alpn, os.environ.get("SSL_CERT_FILE")).wrap_socket(tcp, server_hostname=host)
    except OSError as error:
        tcp.close()
        why = getattr(error, "verify_message", "") or error.strerror or str(error)
        raise TlsError(f"no TLS with {host}: {why}") from None


def exchange(target: str | Address, request: Request, timeout: float = PATIENCE) -> Response:
    """The response to one request on a connection of its own; errors as of `Connection`."""
    with connect(target, timeout) as connection:
        return connection.exchange(request)


def compact(data: bytes, limit: int = 4000) -> str:
    """A Python expression for these bytes that shortens long runs; what is over `limit` characters is cut and said."""
    parts, end = [], 0
    for run in re.finditer(rb"(.{1,12}?)\1{9,}", data, re.DOTALL):
        if len(run[0]) < 40:
            continue
        if run.start() > end:
            parts.append(repr(data[end : run.start()]))
        parts.append(f"{run[1]!r}*{len(run[0]) // len(run[1])}")
        end = run.end()
    if end < len(data) or not parts:
        parts.append(repr(data[end:]))
    text = "+".join(parts)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(data)} bytes)"


def python_output(data: bytes) -> str:
    """A command for a shell that puts out these bytes."""
    return shlex.join(
        ["python3", "-c", f"import sys; sys.stdout.buffer.write({compact(data, limit=len(data) * 4 + 10)})"]
    )
