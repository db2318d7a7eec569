"""A MongoDB that refuses commands: a relay before a real one, or before the stand-in, which can be told no failure."""

import contextlib
import socket
import struct
from collections.abc import Iterator
from itertools import count
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

import bson

_HEADER = struct.Struct("<iiii")
"""Length, number, number of the request that it answers, kind."""
_OP_MSG = 2013
_COMMANDS = {"find", "insert"}


class Relay(ThreadingTCPServer):
    """Passes on what comes, but for finds and inserts while they are refused."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.behind = (host, port)
        self.port = self.server_address[1]
        self.error: dict | None = None
        self.numbers = count(1)

    @contextlib.contextmanager
    def refusing(self, code: int, message: str) -> Iterator[None]:
        """Each find and insert fails with this code of MongoDB's."""
        self.error = {"ok": 0.0, "errmsg": message, "code": code}
        try:
            yield
        finally:
            self.error = None

    def __enter__(self) -> "Relay":
        Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Connection(BaseRequestHandler):
    server: Relay

    def handle(self) -> None:
        with contextlib.suppress(OSError), socket.create_connection(self.server.behind) as behind:
            Thread(target=self._answers, args=[behind], daemon=True).start()
            with self.request.makefile("rb") as messages:
                while header := messages.read(_HEADER.size):
                    length, number, _, kind = _HEADER.unpack(header)
                    body = messages.read(length - _HEADER.size)
                    if self.server.error and kind == _OP_MSG and _command(body) in _COMMANDS:
                        self.request.sendall(self._refusal(number))
                    else:
                        behind.sendall(header + body)
            behind.shutdown(socket.SHUT_RDWR)

    def _answers(self, behind: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := behind.recv(65_536):
                self.request.sendall(data)
            self.request.shutdown(socket.SHUT_RDWR)

    def _refusal(self, number: int) -> bytes:
        body = bytes(5) + bson.encode(self.server.error)  # no flags, one section
        return _HEADER.pack(_HEADER.size + len(body), next(self.server.numbers), number, _OP_MSG) + body


def _command(body: bytes) -> str:
    """The name of the command: its first member. It is in the section of kind 0, which may come second."""
    at = 4
    while body[at]:
        at += 1 + struct.unpack_from("<i", body, at + 1)[0]
    # A document: its length, the first member's type, and its name until NUL.
    name = at + 1 + 4 + 1
    return body[name : body.index(0, name)].decode()
