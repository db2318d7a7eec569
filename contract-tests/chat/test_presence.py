"""Who is here, told by GET /presence: with polling who has asked, with Socket.IO nobody for having asked."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from request_strategies import JSON

from chat.clients import right
from chat.model import HERE, LARGEST, Message
from chat.sockets.room import Room
from chat.strategies import spelled
from samewire.http import Request, exchange
from samewire.target import Target

pytestmark = [pytest.mark.layer("cases"), pytest.mark.timeout(120)]
polling = pytest.mark.transports("polling")
with_sockets = pytest.mark.transports("socket.io", "socket.io-batched")

LATE = 1.0
"""Seconds after the end of their time by which they must be gone."""

# Sorted by UTF-16 units the ones beyond U+FFFF would come before U+E000; by locale, "B" after "a".
NAMES = (
    "\U0001f600", "\U00010000", "\U0010ffff", "\uffff", "\uff21", "\ue000", "\ud7ff", "é", "e\u0301", "e", "z", "a",
    "B", "Ana", "ana", "ANA", "ana ", " ana", " ", "  ", "10", "9", "_", "__proto__", '"', "\\", "<b>", "&amp;", "+",
    "%2B", "a+b", "a b", "a&b=c", "\xa0", "\u2028", "\ufeff", "ß", "ss", "ı", "i", "a\U0001f600", "a\ue000", "a" * 32,
    "\U0001f600" * 32,
)  # fmt: skip


@pytest.fixture
def own(room: Room) -> Target:
    """A running server whom nobody else asks meanwhile, and where nobody is."""
    end = time.monotonic() + HERE + LATE
    while users(room.target) and time.monotonic() < end:
        time.sleep(0.05)
    assert users(room.target) == []
    return room.target


def users(target: Target) -> list[str]:
    """Who is here."""
    request = Request("GET", "/presence")
    return json.loads(right(request, exchange(target, request)).body)["users"]


def poll(target: Target, name: str, method: str = "GET", more: str = f"&after={LARGEST}") -> tuple[float, float]:
    """Ask with a name; when it was asked and when answered."""
    request = Request(method, f"/messages?user={quote(name, safe='')}{more}")
    sent = time.monotonic()
    response = exchange(target, request)
    answered = time.monotonic()
    right(request, response)
    return sent, answered


def seen_again_and_again(target: Target, seconds: float) -> Iterable[tuple[float, float, list[str]]]:
    """Presence for so long: when it was asked, when answered, who was there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        asked = time.monotonic()
        found = users(target)
        yield asked, time.monotonic(), found
        time.sleep(0.05)


@polling
def test_who_asks_is_here_for_two_seconds(own: Target) -> None:
    """Whatever is asked for, and by whichever method: each request has a name of its own."""
    requests = {
        f"{method} {more}": (method, more)
        for method in ("GET", "HEAD")
        for more in ("", "&after=0", f"&after={LARGEST}")
    }
    times = {name: poll(own, name, *request) for name, request in requests.items()}
    seen = Counter[str]()
    for asked, told, found in seen_again_and_again(own, HERE + LATE + 0.5):
        assert {*found} <= {*times}
        for name, (sent, answered) in times.items():
            if told < sent + HERE:
                assert name in found, f"{name} is gone {told - answered:.2f} s after its answer"
                seen[name] += 1
            if asked > answered + HERE + LATE:
                assert name not in found, f"{name} is still there {asked - answered:.2f} s after its answer"
    assert min(seen[name] for name in times) > 5
    assert users(own) == []


@polling
def test_who_goes_on_asking_stays(own: Target) -> None:
    """Each answer is the beginning of two seconds more, for its own name alone."""
    poll(own, "bia")
    sent, _ = poll(own, "ana")
    for _ in range(8):
        time.sleep(0.4)
        found = users(own)
        assert time.monotonic() > sent + HERE or "ana" in found
        sent, _ = poll(own, "ana")
    assert users(own) == ["ana"], "three seconds after bia asked last"


def crowd(target: Target, names: Sequence[str], clients: int) -> tuple[list[str], float]:
    """Ask with all these names; who was here then, and when the last of them was answered.

    AssertionError unless each is here once; those whose time was over by then, on a slow machine, need not be.
    """
    with ThreadPoolExecutor(clients) as pool:
        times = list(pool.map(lambda name: poll(target, name), names))
        found = users(target)
        told = time.monotonic()
    late = {name for name, (sent, _) in zip(names, times, strict=True) if told >= sent + HERE}
    assert len({*found}) == len(found)
    assert {*names} - late <= {*found} <= {*names}, f"{told - times[0][0]:.1f} s after the first was asked"
    return found, max(answered for _, answered in times)


@polling
def test_names_are_sorted_by_code_point(own: Target) -> None:
    found, _ = crowd(own, NAMES, 8)
    assert found == sorted(found)


@polling
def test_a_name_is_here_once(own: Target) -> None:
    for _ in range(3):
        poll(own, "ana")
    poll(own, "bia")
    poll(own, "ana")
    assert users(own) == ["ana", "bia"]


@polling
def test_nothing_else_makes_anybody_present(own: Target) -> None:
    for request in (
        Request("POST", "/messages", JSON, spelled(Message("ana", "oi"))),
        Request("POST", "/messages?user=ana&after=0", JSON, spelled(Message("ana", "oi"))),
        Request("GET", "/messages?after=0"),
        Request("GET", "/messages?User=ana&users=bia&user%5B%5D=caio"),
        Request("GET", "/messages?after=x&user=ana"),
        Request("GET", "/messages?after=-1&user=ana"),
        Request("GET", "/messages?user="),
        Request("GET", "/messages?user=&user=ana"),
        Request("GET", "/messages?user=ana%0A"),
        Request("OPTIONS", "/messages?user=ana"),
        Request("GET", "/presence?user=ana&after=0"),
        Request("GET", "/healthz?user=ana&after=0"),
        Request("GET", "/?user=ana&after=0"),
        Request("GET", "/messages/?user=ana&after=0"),
    ):
        right(request, exchange(own, request))
        assert users(own) == [], f"{request.method} {request.path} has made somebody present"


@polling
def test_a_crowd_comes_and_goes(own: Target) -> None:
    """Many names at once are there, each once, and leave nothing behind."""
    _, answered = crowd(own, [f"name {number:03}" for number in range(200)], 20)
    time.sleep(max(0, answered + HERE + LATE - time.monotonic()))
    assert users(own) == []


@with_sockets
def test_asking_makes_nobody_present(own: Target) -> None:
    for name in ("ana", "\U0001f600", "a" * 32):
        for method in ("GET", "HEAD"):
            poll(own, name, method)
            assert users(own) == []
