"""Clients that ask over HTTP and have every answer judged."""

import contextlib
import json
import time

import psutil
from request_strategies import JSON

from chat import model
from chat.model import Message
from chat.strategies import spelled
from samewire.contract.wire import says_close
from samewire.http import Connection, ConnectionClosed, Request, Response, connect, exchange
from samewire.target import Target


def right(request: Request, response: Response, known: model.Room = model.EMPTY) -> Response:
    """The response, if it is right. AssertionError with all that is wrong with it."""
    problems = model.judge(request, response, known)
    assert not problems, "\n".join([f"{request.method} {request.path}", *problems, str(response.raw[:1000])])
    return response


def users_of(target: Target) -> list[str]:
    """Who is here."""
    request = Request("GET", "/presence")
    return json.loads(right(request, exchange(target, request)).body)["users"]


def open_files(target: Target) -> int:
    """The server's open files; 0 where they cannot be counted."""
    if not target.pid:
        return 0
    main, total = psutil.Process(target.pid), 0
    for process in [main, *main.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += process.num_fds()
    return total


def settled_open_files(target: Target, steady: float = 1.0, patience: float = 12.0) -> int:
    """The server's open files once their number stays for `steady` seconds: it may still be starting processes."""
    number, since, end = open_files(target), time.monotonic(), time.monotonic() + patience
    while time.monotonic() < min(since + steady, end):
        time.sleep(0.1)
        if (now := open_files(target)) != number:
            number, since = now, time.monotonic()
    return number


class Client:
    """Asks on one connection as long as the server keeps it."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._connection: Connection | None = None

    def connect(self) -> Connection:
        """Its connection, a new one if need be."""
        if self._connection is None:
            self._connection = connect(self.target, 30)
        return self._connection

    def ask(self, request: Request) -> Response:
        """The answer."""
        reused = self._connection is not None
        try:
            response = self.connect().exchange(request)
        except ConnectionClosed as error:
            # A server may close an idle connection while the next request is on its way (RFC 9112, 9.5).
            if error.received or not reused:
                raise
            self.close()
            response = self.connect().exchange(request)
        if says_close(response):
            self.close()
        return response

    def post(self, message: Message) -> int:
        """The id of a message that is posted."""
        request = Request("POST", "/messages", JSON, spelled(message))
        return json.loads(right(request, self.ask(request)).body)["id"]

    def read(self, known: model.Room, after: int) -> model.Room:
        """The room as it is shown to one who asks for what came after that."""
        request = Request("GET", f"/messages?after={after}")
        response = right(request, self.ask(request), known)
        return model.shown_by(request, response, known)[0]

    def close(self) -> None:
        """Close the connection."""
        if self._connection:
            self._connection.close()
        self._connection = None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
