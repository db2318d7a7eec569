"""Who is here, told by GET /presence: with polling who has asked, with Socket.IO nobody for having asked."""

import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from request_strategies import JSON

from chat import model
from chat.clients import right
from chat.clients import users_of as users
from chat.model import HERE, LARGEST, LATE, Message
from chat.sockets.room import Room
from chat.strategies import spelled
from samewire.http import Request, exchange
from samewire.target import Target

pytestmark = [pytest.mark.layer("cases"), pytest.mark.timeout(120)]
polling = pytest.mark.transports("polling")
with_sockets = pytest.mark.transports("socket.io", "socket.io-batched", "websocket")

NAMES = (
    "é", "e\u0301", "e", "z", "a", "B", "Ana", "ana", "ANA", "ana ", " ana", " ", "  ", "10", "9", "_", "__proto__",
    '"', "\\", "<b>", "&amp;", "+", "%2B", "a+b", "a b", "a&b=c", "ß", "ss", "ж", "牛", "～", "😀", "a😀", "a～",
    "a" * 32, "😀" * 16,
)  # fmt: skip


@pytest.fixture
def own(room: Room) -> Target:
    """A running server whom nobody else asks meanwhile, and where nobody is."""
    empties(room.target)
    return room.target


def empties(target: Target) -> None:
    """AssertionError unless nobody is here in the end: within their time, as by anybody's watch."""
    end = time.monotonic() + HERE + LATE
    while (there := users(target)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not there, f"still here: {there}"


def poll(target: Target, name: str, more: str = f"&after={LARGEST}") -> float:
    """Ask with a name; when it was asked."""
    request = Request("GET", f"/messages?user={quote(name, safe='')}{more}")
    sent = time.monotonic()
    right(request, exchange(target, request))
    return sent


@polling
def test_who_polls_is_here_for_two_seconds(own: Target) -> None:
    """Many names, each once; one of them asks again and again, and it alone stays."""
    crowd = [*NAMES, *(f"name {number:03}" for number in range(100))]
    with ThreadPoolExecutor(16) as pool:
        sent = dict(zip(crowd, pool.map(lambda name: poll(own, name), crowd), strict=True))
    for more in ("", "&after=0", f"&after={LARGEST}"):
        sent["ana"] = poll(own, "ana", more)
    answered = time.monotonic()
    seen: set[str] = set()
    while time.monotonic() < answered + HERE + LATE:
        asked, found = time.monotonic(), users(own)
        told = time.monotonic()
        seen |= {*found}
        early = {name for name, at in sent.items() if told < at + HERE} - {*found}
        assert not early, f"gone within {HERE:g} s: {early}"
        assert {*found} <= {*crowd}
        if asked > sent["ana"] + HERE / 4:
            sent["ana"] = poll(own, "ana")
        time.sleep(0.05)
    # Who asked first may be gone before the last is answered, on a slow machine.
    assert {*crowd} - seen <= {name for name, at in sent.items() if answered >= at + HERE}
    assert [name for name in users(own) if name != "ana"] == [], f"still here {HERE + LATE:g} s after their answers"


@polling
def test_nothing_else_makes_anybody_present(own: Target) -> None:
    for request, error in (
        (Request("POST", "/messages", JSON, spelled(Message("ana", "oi"))), None),
        (Request("GET", "/messages?after=0"), None),
        (Request("GET", "/messages?after=x&user=ana"), 400),
        (Request("GET", "/messages?after=-1&user=ana"), 400),
        (Request("GET", f"/messages?user={'a' * 33}"), 400),
        (Request("GET", "/messages?user=ana%0A"), 400),
    ):
        answer = exchange(own, request)
        if error:
            assert not model.problems_of(request, model.problem(error), answer)
        else:
            right(request, answer)
        assert users(own) == [], f"{request.method} {request.path} has made somebody present"


@with_sockets
def test_asking_makes_nobody_present(own: Target) -> None:
    for name in ("ana", "😀", "a" * 32):
        poll(own, name)
        assert users(own) == []
