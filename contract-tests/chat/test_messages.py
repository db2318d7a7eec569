"""Messages in a room that is known to the last of them: which are kept, that ids are given once, and many at once."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import pytest
from request_strategies import JSON

from chat import model
from chat.clients import Client, right
from chat.model import KEPT, LARGEST, Message
from chat.sockets.room import Room
from chat.strategies import spelled
from samewire.contract.compare import side_by_side
from samewire.http import Request, connect
from samewire.target import Target

pytestmark = [pytest.mark.layer("cases"), pytest.mark.timeout(180)]

Result = TypeVar("Result")


@pytest.fixture
def own(room: Room) -> Target:
    """A running server to which nobody else writes meanwhile."""
    return room.target


class Service:
    """A running server and its room, in which nobody else is."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._client = Client(target)
        first = Request("GET", "/messages")
        self.room = model.shown_by(first, self._client.ask(first), model.EMPTY)[0]

    def ask(self, method: str, path: str, body: bytes | None = None, error: int | None = None) -> None:
        """Judge the answer to a request to the last message; `error` is its status if it must get one."""
        request = Request(method, path, () if body is None else JSON, body)
        response = self._client.ask(request)
        expected = model.problem(error) if error else model.answer(request, self.room)
        if problems := model.problems_of(request, expected, response):
            shown = side_by_side(request, {"the contract": expected, "the server": response}, url=self.target.url)
            pytest.fail("\n".join([*problems, "", shown]), pytrace=False)
        if not error:
            self.room = model.room_after(request, self.room)

    def post(self, *messages: Message) -> None:
        """Post messages, each of which gets the next id."""
        for message in messages:
            self.ask("POST", "/messages", spelled(message))

    def read_around(self, *ids: int) -> None:
        """Ask for what came after each of these, and after its neighbours."""
        for after in sorted({max(0, id_ + step) for id_ in ids for step in (-1, 0, 1)}):
            self.ask("GET", f"/messages?after={after}")


def numbered(first: int, last: int) -> list[Message]:
    """Messages of which no two are alike."""
    return [Message(f"user {number % 7}", f'{number} 你 \U0001f600 \\ " <b>') for number in range(first, last + 1)]


def test_a_room_to_the_last_message(own: Target) -> None:
    """That a new process has a new room is judged where one is started (conftest.py)."""
    service = Service(own)
    service.read_around(0, service.room.last, LARGEST - 1)
    service.post(*numbered(1, 3))
    service.read_around(0, service.room.last)
    last = service.room.last
    service.ask("HEAD", f"/messages?after={last - 2}")
    service.ask("GET", "/messages?after=0&user=ana")
    service.ask("GET", f"/messages?after={LARGEST}")

    # What is refused gets no id.
    for body in (b"{", b"{}", b'{"user":"ana"}', b'{"user":"ana","text":""}', b'{"user":"","text":"oi"}', b"[]"):
        service.ask("POST", "/messages", body, 400)
    service.post(Message("ana", "oi"), Message("ana", "oi"))
    service.read_around(last, last + 2)

    # The newest thousand are kept, however large they are, and no id comes again.
    service.post(*[Message("\U0001f600" * 16, "\U0001f600" * 250)] * 100)
    service.post(*numbered(1, max(0, KEPT - 1 - service.room.last)))
    for number in range(2):
        service.read_around(0, service.room.last - KEPT)
        service.post(*numbered(number, number))
    service.ask("GET", "/messages")
    service.ask("HEAD", "/messages")
    service.post(*numbered(1, 20))
    service.read_around(service.room.last - KEPT, service.room.last)
    assert len(service.room.messages) == KEPT


# --- many at once


def at_once(clients: int, client: Callable[[Client, int], Result], target: Target) -> list[Result]:
    """What each of the clients has to say; they connect, then begin together."""
    start = threading.Barrier(clients)

    def run(number: int) -> Result:
        with Client(target) as one:
            one.connect()
            start.wait(60)
            return client(one, number)

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(run, range(clients)))


class Pollers:
    """Clients that ask again and again for what came after the last message they have."""

    def __init__(self, target: Target, known: model.Room, number: int = 3) -> None:
        self._target, self._known = target, known
        self.seen: list[list[tuple[int, Message]]] = [[] for _ in range(number)]
        self._over = threading.Event()

    def __enter__(self) -> "Pollers":
        self._pool = ThreadPoolExecutor(len(self.seen))
        self._runs = [self._pool.submit(self._run, *one) for one in enumerate(self.seen)]
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._pool.shutdown()
        for run in self._runs:
            run.result()

    def _run(self, number: int, seen: list[tuple[int, Message]]) -> None:
        known, over = self._known, False
        with Client(self._target) as client:
            while not over:
                over = self._over.is_set()  # and then once more, for what came last
                shown = client.read(known, known.last)
                seen += shown.messages.items()
                known = shown
                time.sleep(0.02 * (number + 1))


@pytest.mark.parametrize(("clients", "each", "reads"), [(40, 20, True), (500, 2, False)], ids=["forty", "many"])
def test_many_clients_at_once(own: Target, clients: int, each: int, reads: bool) -> None:
    """Every message has its own id and is seen once, in its place, by who polls."""
    with Client(own) as client:
        before = client.read(model.EMPTY, LARGEST)

    def chatter(client: Client, number: int) -> dict[int, Message]:
        posted = {}
        for turn in range(each):
            message = Message(f"client {number}", f"turn {turn}")
            id_ = client.post(message)
            posted[id_] = message
            if reads:
                # What one was told of is there, for oneself as for all.
                known = model.Room(before.id, id_, {id_: message})
                assert client.read(known, id_ - 1).messages[id_] == message
            else:
                client.close()
        assert len(posted) == each
        assert all(one < other for one, other in pairwise(posted)), "a client's order was not kept"
        return posted

    with Pollers(own, before) as pollers:
        several = at_once(clients, chatter, own)
    posted = {id_: message for one in several for id_, message in one.items()}
    assert len(posted) == clients * each, "an id was given twice"
    assert sorted(posted) == [*range(before.last + 1, before.last + len(posted) + 1)], "an id was left out"
    for seen in pollers.seen:
        assert seen == sorted(posted.items()), "who polls has missed a message, or seen one twice or out of order"


def test_good_and_bad_at_once(own: Target) -> None:
    """Answers to clients that ask at the same time are not mixed up, and what is refused leaves no gap."""
    with Client(own) as client:
        before = client.read(model.EMPTY, LARGEST)

    def client_of_all_sorts(client: Client, number: int) -> int:
        for request, error in (
            (Request("POST", "/messages", JSON, b'{"user":"ana","text":""}'), 400),
            (Request("GET", "/messages?after=x"), 400),
            (Request("GET", f"/messages?after={before.last}"), None),
            (Request("POST", "/messages", JSON, spelled(Message("bia", f"good {number}"))), None),
            (Request("GET", "/presence"), None),
            (Request("POST", "/messages", JSON, b"{"), 400),
            (Request("HEAD", "/messages"), None),
            (Request("GET", "/assets/nothing.js"), 404),
            (Request("GET", "/assets/icon.svg"), None),
        ):
            answer = client.ask(request)
            if error:
                assert not model.problems_of(request, model.problem(error), answer)
            else:
                right(request, answer, before)
        return number

    assert at_once(40, client_of_all_sorts, own) == [*range(40)]
    with Client(own) as client:
        after = client.read(before, before.last)
    assert sorted(message.text for message in after.messages.values()) == sorted(f"good {one}" for one in range(40))


def test_vanishing_clients_leave_whole_messages(own: Target) -> None:
    """Of those that go before their answer comes each has said all of it, or nothing; ids go on without a gap."""
    with Client(own) as client:
        before = client.read(model.EMPTY, LARGEST)
    for number in range(60):
        request = Request("POST", "/messages", JSON, spelled(Message("ghost", f"boo {number}")))
        with connect(own) as connection:
            data = request.to_bytes(connection.authority)
            connection.send_raw(data if number % 2 else data[:-1])
            connection.abort()
    with Client(own) as client:
        last = client.post(Message("ana", "oi"))
        after = client.read(before, before.last)
    said = [message.text for message in after.messages.values() if message.user == "ghost"]
    assert after.last >= last
    assert len(set(said)) == len(said), "a message was posted twice"
    assert {*said} <= {f"boo {number}" for number in range(1, 60, 2)}, "half a request has made a message"
