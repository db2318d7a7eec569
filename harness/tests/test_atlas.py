"""Inputs of the atlas against small servers that are right or wrong on purpose."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from samewire.atlas import inputs, mutants, page, pins, run, safety
from samewire.atlas.ask import Asked, ask
from samewire.atlas.inputs import Input
from samewire.contract import wire
from samewire.manifest import find_servers
from samewire.paths import CONTRACTS
from samewire.target import Target

SERVICES = sorted(path.parent.name for path in CONTRACTS.glob("*/openapi.yaml"))
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
BAD = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@contextmanager
def answering(first: bytes | None, *, close: bool = False) -> Iterator[Target]:
    """A server that gives this to what comes first on a connection, and 200 to whatever else; None: no answer."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(client: socket.socket) -> None:
            with client:
                while data := client.recv(65_536):
                    if data.startswith(b"GET /healthz"):
                        client.sendall(OK)
                    elif first is None:
                        stop.wait(5)
                    else:
                        client.sendall(first)
                        if close:
                            return

        def accept() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=(client,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield Target("fake", "todo", f"http://127.0.0.1:{listener.getsockname()[1]}")
        stop.set()
        listener.shutdown(socket.SHUT_RDWR)


def odd(send: str = "POST /x HTTP/1.1\r\nHost: a\r\n\r\n", **more) -> Input:
    return Input("http/odd/one", "http", "odd", "because it is odd", "send no such thing", wire.parts(send), **more)


@pytest.mark.parametrize(
    ("first", "close", "more", "line", "said"),
    [
        (BAD, True, {}, "400, closed", None),
        (OK.replace(b"200 OK", b"404 No"), False, {}, "404, open", None),
        (OK, False, {}, "200, open", "must be refused, and was answered with 200"),
        (OK, False, {"readings": (200,)}, "200, open", None),
        (OK, False, {"readings": ("GET /healthz",)}, "200, open", None),
        (OK.replace(b"200 OK", b"500 No"), False, {}, "500, open", "a client's fault"),
        (OK.replace(b"200 OK", b"501 No"), False, {}, "501, open", None),
        (OK.replace(b"200 OK", b"400 No"), False, {"ambiguous": True}, "400, open", "two parsers"),
        (BAD, True, {"ambiguous": True}, "400, closed", None),
        (b"nonsense", True, {}, "bytes that are no answer, not a status line; received b'nonsense'", "no answer"),
        (None, False, {}, "silent", "neither an answer nor an end"),
        (None, False, {"incomplete": True}, "silent", None),
        (
            b"HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n",
            False,
            {},
            "302, open",
            "must be refused, and was answered with 302",
        ),
    ],
)
def test_the_rule_of_safety(first, close, more, line, said) -> None:
    with answering(first, close=close) as target:
        asked = ask(odd(**more), target, patience=0.3)
        broken = safety.breaches(asked, target)
    assert asked.line == line
    assert any(said in one for one in broken) if said else broken == []


@pytest.mark.parametrize(
    ("target", "place", "safe"),
    [
        ("//a/./b?c", "/a/b?c", True),
        ("/a/..//b/", "/b/", True),
        ("/../../etc/passwd", "/etc/passwd", True),
        ("a:80", "/", True),
        ("//a.example/", "//a.example/", False),
        ("/a", "/b", False),
        ("/a", "/a/", False),
        ("/a//b", "http://a.example/a/b", False),
    ],
)
def test_a_redirect_to_the_normal_form_of_a_path_is_safe(target: str, place: str, safe: bool) -> None:
    answer = f"HTTP/1.1 307 Temporary Redirect\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()
    with answering(answer) as server:
        asked = ask(odd(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"), server, patience=0.3)
        assert (safety.breaches(asked, server) == []) is safe


def test_only_http_1_0_is_answered_with_its_version() -> None:
    with answering(OK.replace(b"HTTP/1.1", b"HTTP/1.0")) as server:
        for version, said in (("1.0", []), ("1.1", ["version is HTTP/1.0"])):
            request = f"GET /x HTTP/{version}\r\nHost: a\r\n\r\n"
            asked = ask(odd(request, readings=("GET /healthz",)), server, patience=0.3)
            broken = safety.breaches(asked, server)
            assert len(broken) == len(said)
            assert all(word in one for word, one in zip(said, broken, strict=True))


def test_markup_of_the_request_is_not_shown() -> None:
    markup = b"<script>alert(1)</script>"
    answer = b"HTTP/1.1 404 No\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%b"
    for shown, safe in ((markup, False), (b"&lt;script&gt;", True)):
        with answering(answer % (len(shown), shown)) as target:
            asked = ask(odd("GET /<script>alert(1)</script> HTTP/1.1\r\nHost: a\r\n\r\n"), target, patience=0.3)
            assert (safety.breaches(asked, target) == []) is safe


def test_pins() -> None:
    with answering(BAD, close=True) as target:
        asked = ask(odd(), target, patience=0.3)
    known = pins.Pins()
    assert known.differences([asked]) == [
        "http/odd/one: 400, closed; pinned: nothing",
        "http/odd/one: header fields of 400 that are not pinned: Connection, Content-Length",
    ]
    known.add([asked])
    assert known.differences([asked]) == []
    known.fields["400"] = ["Content-Length"]
    assert len(known.differences([asked])) == 1
    assert known.differences([Asked(odd(by_chance=True), asked.seen)]) == []


@pytest.mark.parametrize("service", SERVICES)
def test_every_input_can_be_shown_and_has_an_id_of_its_own(service: str) -> None:
    several = inputs.load(service)
    assert len({one.id for one in several}) == len(several)
    for one in several:
        assert all(one.shown())


@pytest.mark.parametrize("server", find_servers(), ids=lambda server: server.id)
def test_every_pinned_id_is_that_of_an_input(server) -> None:
    assert pins.read(server).answers.keys() <= {one.id for one in inputs.load(server.service)}


def test_no_known_breach_excuses_a_server_that_is_dead() -> None:
    known = {"breaches": {"fake": inputs.Breach("it is known")}}
    server = SimpleNamespace(stack=("fake",))
    with answering(OK.replace(b"200 OK", b"500 No")) as target:
        outcome = run.ask_all([odd(**known)], replace(target, server=server))
        assert (outcome.breaches, [*outcome.known]) == ({}, ["http/odd/one"])
    outcome = run.ask_all([odd(**known)], replace(target, server=server))
    assert any("afterwards" in one for one in outcome.breaches["http/odd/one"])


def test_mutants_are_the_same_for_the_same_seed() -> None:
    one, other, third = (mutants.mutants("todo", seed, 50) for seed in (1, 1, 2))
    assert one == other
    assert one != third


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", True),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET", False),
        (b"GET / HTTP/1.1\r\nHost: a\r\n", False),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na", False),
        (b"nonsense\r\n\r\n", False),
        (b"", False),
    ],
)
def test_whole_requests(data: bytes, whole: bool) -> None:
    assert mutants.is_whole(data) is whole


def test_a_mutant_that_breaks_the_rule_is_found() -> None:
    with answering(OK.replace(b"200 OK", b"500 No")) as target:
        outcome = mutants.send_all(mutants.mutants("todo", 1, 20), target)
    assert outcome.sent == 20
    assert outcome.breaches
    assert "500" in mutants.told(outcome)[0]


def test_the_page_shows_every_input(tmp_path) -> None:
    servers = find_servers()
    file = page.write(servers, tmp_path)
    text = file.read_text().partition('type="application/json">')[2].partition("</script>")[0]
    levels = json.loads(text)
    services = {server.service for server in servers}
    assert {level["name"] for level in levels} == {inputs.HTTP, "hostile-clients", *services}
    for level in levels[2:]:
        rows = sum(len(case["rows"]) for theme in level["themes"][:-2] for case in theme["cases"])
        assert rows == sum(one.level == level["name"] for one in inputs.load(level["name"]))


def test_answers_of_services_are_of_one_class() -> None:
    assert page.classes("100, 201 application/json, open") == "100, answered, open"
    assert page.classes("3 × 301, closed") == "3 × answered, closed"
    assert page.classes("400 text/html, closed") == "400, closed"
