"""Clients that listen: whatever they are told is judged as it comes."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Self
from urllib.parse import quote

import h11

from chat import model
from chat.clients import Client, right
from chat.model import KEPT, Message
from samewire.contract.compare import media_type
from samewire.http import ConnectionClosed, ExchangeError, Request, Response, connect
from samewire.target import Target

PROMPT = 3.0
"""Seconds in which what need not wait has come, on a machine that is busy with other tests."""
EARLY = 0.05
"""Seconds by which clocks may differ."""
SILENCE = 10.0
"""Seconds after which a stream has said something, be it a comment."""
COMMENT = ":"

_LINE_END = re.compile(rb"\r\n|\n|\r(?=[\s\S])")


@dataclass(frozen=True)
class Event:
    """An event, or a comment under the name of COMMENT."""

    name: str
    data: str = ""
    id: str | None = None


def events(pieces: Iterable[bytes]) -> Iterator[Event]:
    """The events in the bytes of a stream (HTML Standard, 9.2.6)."""
    rest, fields = b"", {}
    for piece in pieces:
        *lines, rest = _LINE_END.split(rest + piece)
        for line in lines:
            if line.startswith(b":"):
                yield Event(COMMENT)
            elif line:
                name, _, value = line.decode().partition(":")
                fields.setdefault(name, []).append(value.removeprefix(" "))
            else:
                if "data" in fields:
                    name, id_ = fields.get("event", [""])[-1], fields.get("id", [None])[-1]
                    yield Event(name or "message", "\n".join(fields["data"]), id_)
                fields = {}


def path_of(path: str, parameters: dict[str, object]) -> str:
    """A path with the parameters that are not None."""
    given = [f"{name}={quote(str(value), safe='')}" for name, value in parameters.items() if value is not None]
    return "?".join([path, "&".join(given)]) if given else path


class Listener:
    """Remembers what it is told in a thread of its own, while it is a context manager."""

    def __init__(self, target: Target, after: int | None) -> None:
        self.target = target
        self.after = after or 0
        self.messages: dict[int, Message] = {}
        self._changed = threading.Condition()
        self._leaving = threading.Event()
        self._over = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def wait_for(self, condition: Callable[[], bool], seconds: float = PROMPT) -> bool:
        """Whether the condition comes true in time. AssertionError if the server has said something wrong."""
        with self._changed:
            came = self._changed.wait_for(lambda: self._over or condition(), seconds) and condition()
        if self._error:
            raise AssertionError(f"{self.target.name}: {self._error}") from self._error
        return came

    def hears(self, id_: int, seconds: float = PROMPT) -> None:
        """AssertionError unless the message comes in time."""
        there = self.wait_for(lambda: id_ in self.messages, seconds)
        assert there, f"{self.target.name}: message {id_} has not come within {seconds:g} s: {[*self.messages][-5:]}"

    def go(self) -> None:
        """Leave as soon as something is heard."""
        self._leaving.set()

    def listen(self) -> None:
        """What goes on in the thread."""
        raise NotImplementedError

    def _run(self) -> None:
        try:
            self.listen()
        except Exception as error:
            self._error = error
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _told(self, messages: dict[int, Message]) -> None:
        with self._changed:
            self.messages |= messages
            self._changed.notify_all()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.go()
        self._thread.join()


def ask(client: Client, after: int, wait: int, user: str | None = None) -> model.Room:
    """Ask once by long polling; what the answer shows. AssertionError if it is wrong, too early or too late."""
    request = Request("GET", path_of("/messages", {"after": after, "wait": wait, "user": user}))
    sent = time.monotonic()
    response = right(request, client.ask(request))
    took = time.monotonic() - sent
    room = model.shown_by(request, response, model.EMPTY)[0]
    told = f"{client.target.name}: GET {request.path} was answered after {took:.2f} s, {len(room.messages)} messages"
    assert room.messages or took >= wait - EARLY, f"{told}, before its time was over"
    assert took <= wait + PROMPT, told
    return room


class Poller(Listener):
    """Asks by long polling again and again for what is new."""

    WAIT = 5

    def listen(self) -> None:
        last = self.after
        with Client(self.target) as client:
            while not self._leaving.is_set():
                room = ask(client, last, self.WAIT)
                last = max(last, room.last)
                self._told(dict(room.messages))


class Stream(Listener):
    """Listens to server-sent events. `back_from` is what it says as its Last-Event-ID."""

    def __init__(
        self, target: Target, after: int | None = None, user: str | None = None, back_from: int | None = None
    ) -> None:
        super().__init__(target, after if back_from is None else back_from)
        fields = () if back_from is None else (("Last-Event-ID", str(back_from)),)
        path = path_of("/events", {"after": after, "user": user})
        self.request = Request("GET", path, (("Accept", "text/event-stream"), *fields))
        self.room = ""
        self.last = 0
        """The room's last id when the stream began."""
        self.comments = 0
        self.ended = False
        """Whether the server has ended it."""

    def __enter__(self) -> Self:
        self._connection = connect(self.target, 2 * PROMPT)
        try:
            self._response = self._connection.exchange(self.request)
            problems = head_problems(self._response)
            assert not problems, "\n".join([f"{self.target.name}: GET {self.request.path}", *problems])
            self._connection.timeout = 0.05
        except BaseException:
            self._connection.close()
            raise
        super().__enter__()
        if not self.wait_for(lambda: bool(self.room)):
            self.__exit__()
            raise AssertionError(f"{self.target.name}: GET {self.request.path}: no event {PROMPT:g} s after its head")
        return self

    def listen(self) -> None:
        with self._connection, suppress(_Left):
            for event in events(self._pieces()):
                self._take(event)
            self.ended = True

    def _pieces(self) -> Iterator[bytes]:
        heard = time.monotonic()
        with suppress(ConnectionClosed):  # It is ended as well when it is cut.
            for piece in self._connection.pieces(self._response):
                if self._leaving.is_set():
                    raise _Left
                heard = time.monotonic() if piece else heard
                silent = time.monotonic() - heard
                assert silent < SILENCE + PROMPT, f"nothing, and no comment, for {silent:.0f} s"
                yield piece

    def _take(self, event: Event) -> None:
        if event.name == COMMENT:
            self.comments += 1
            self._told({})
        elif not self.room:
            self._begin(event)
        else:
            assert event.name == "message", f"an event {event.name!r}: {event.data}"
            value = json.loads(event.data)
            assert value.keys() == {"id", "user", "text"}, f"not a message: {event.data}"
            assert event.id == str(value["id"]), f"the id {event.id} is not that of {event.data}"
            assert value["id"] == self._due, f"message {value['id']} has come, and {self._due} was due"
            message = Message(value["user"], value["text"])
            assert model.is_user(message.user), f"a message that breaks the rules: {event.data}"
            assert model.is_text(message.text), f"a message that breaks the rules: {event.data}"
            self._due += 1
            self._told({value["id"]: message})

    def _begin(self, event: Event) -> None:
        assert (event.name, event.id) == ("room", None), f"the first event is {event}"
        value = json.loads(event.data)
        assert value.keys() == {"room", "last"}, f"not a room: {event.data}"
        assert model.UUID.fullmatch(value["room"]), f"not a room: {event.data}"
        self.last = value["last"]
        self._due = max(self.after, self.last - KEPT) + 1
        self.room = value["room"]
        self._told({})


class _Left(Exception):
    pass


def head_problems(response: Response) -> list[str]:
    """What is wrong with the head of a stream of events, or with an answer to HEAD."""
    if response.status != 200:
        return [f"status {response.status} instead of 200"]
    problems = []
    if media_type(response) != "text/event-stream":
        problems.append(f"the media type is {media_type(response)!r} instead of text/event-stream")
    caching = ",".join(response.values("Cache-Control")).lower()
    if not {"no-cache", "no-store"} & {one.strip() for one in caching.split(",")}:
        problems.append(f"Cache-Control is {caching!r}, and neither no-cache nor no-store")
    return problems


class Deaf:
    """Opens a stream, and reads nothing of it before it is asked for the rest."""

    def __init__(self, target: Target, user: str, after: int) -> None:
        self.user = user
        self._http = h11.Connection(h11.CLIENT)
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.settimeout(10)
        self._socket.connect((target.host, target.port))
        path = path_of("/events", {"after": after, "user": user})
        request = h11.Request(method="GET", target=path, headers=[("Host", f"{target.host}:{target.port}")])
        self._socket.sendall(self._http.send(request) + self._http.send(h11.EndOfMessage()))

    def rest(self) -> tuple[list[int], bool]:
        """The ids of all messages that it is sent, and whether the server has ended the stream."""
        self._socket.settimeout(1.0)
        try:
            while data := self._socket.recv(65_536):
                self._http.receive_data(data)
            ended = True
        except TimeoutError:
            ended = False
        except OSError:
            ended = True
        with self._socket:
            return [int(event.id) for event in events(self._pieces()) if event.id], ended

    def _pieces(self) -> Iterator[bytes]:
        while (event := self._http.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            if isinstance(event, h11.EndOfMessage | h11.ConnectionClosed):
                return
            if isinstance(event, h11.Data):
                yield bytes(event.data)

    def close(self) -> None:
        """Leave."""
        self._socket.close()


@cache
def noticed(check: Callable[[Target], None]) -> Callable[[Target], str | None]:
    """The check as a judge of faults: what it has noticed, or None."""

    def judge(target: Target) -> str | None:
        try:
            check(target)
        except (AssertionError, ExchangeError, ValueError) as error:
            return f"{check.__name__}: {error}".splitlines()[0]
        return None

    return judge
