"""Attacks on small servers that are right or wrong on purpose: each fault of a server is seen."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from samewire.attack import judge, rows
from samewire.attack.clients import attack
from samewire.attack.rows import Attack
from samewire.cli import main
from samewire.contract import wire
from samewire.paths import CONTRACTS
from samewire.process import free_port, wait_for_port
from samewire.target import Target

SERVICES = sorted(path.parent.name for path in CONTRACTS.glob("*/openapi.yaml"))

SERVER = """
import os, socket, sys, threading, time
kept, slow = [], threading.Event()
def serve(client):
    with client:
        rest = b""
        while data := client.recv(65536):
            if data.startswith(b"GET /healthz") and slow.is_set():
                time.sleep(0.9)
            *requests, rest = (rest + data).split(b"\\r\\n\\r\\n")
            for request in requests:
                act(request, client)
                client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
def act(request, client):
    if not request.startswith(b"GET /evil"):
        return
    match sys.argv[2]:
        case "dies": os._exit(1)
        case "leaks connections": kept.append(client.dup())
        case "leaks memory": kept.append(os.urandom(1 << 26))
        case "leaves files": open(os.environ["TMPDIR"] + "/left", "w").close()
        case "starves": slow.set()
with socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=1000) as listener:
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""


@contextmanager
def server(fault: str, folder) -> Iterator[Target]:
    port = free_port()
    environment = {"PORT": str(port), "TMPDIR": str(folder)}
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port), fault], env=environment)
    try:
        assert wait_for_port(port, 10, lambda: process.poll() is None)
        yield Target("small", "todo", f"http://127.0.0.1:{port}", pid=process.pid)
    finally:
        process.kill()
        process.wait()


def evil(clients: int = 8) -> Attack:
    request = wire.parts(["GET /evil HTTP/1.1\r\nHost: a\r\n\r\n"])
    steps = ({"exchange": request, "answers": 1, "seconds": 2}, {"wait": 0.5})
    return Attack("small/evil[clients 8]", "it asks for the fault", clients, steps)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "GIVEN_BACK_SECONDS", 1.5)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("dies", "GET /healthz afterwards"),
        ("leaks connections", "8 more connections"),
        ("leaks memory", "its memory grew by 5"),
        ("leaves files", "1 more temporary files"),
        ("starves", "GET /healthz of another client took 0.9"),
    ],
)
def test_a_fault_is_seen(fault: str, told: str, tmp_path) -> None:
    with server(fault, tmp_path) as target:
        judge.warm_up(target)
        problems = judge.carry_out([evil()], target, within=0.5)[0].problems
    assert any(problem.startswith(told) for problem in problems), problems


def test_a_server_that_withstands(tmp_path) -> None:
    with server("none", tmp_path) as target:
        judge.warm_up(target)
        verdict = judge.carry_out([evil(100), evil(2)], target)[0]
    assert verdict.problems == []
    assert str(verdict.seen) == "100 × 200"


def test_what_the_attackers_see(tmp_path) -> None:
    with server("none", tmp_path) as target:
        request = "GET / HTTP/1.1\r\n\r\n"
        exchange = {"exchange": wire.parts([{"repeat": request, "times": 5000}]), "answers": 5000, "seconds": 10}
        assert attack(target, Attack("a/b", "why", 2, (exchange,))).statuses == {200: 10_000}
        half = ({"send": wire.parts([request])}, {"half_close": True}, {"read": {"seconds": 5}})
        assert str(attack(target, Attack("a/b", "why", 3, half))) == "3 × 200; 3 ended by the server"
    assert str(attack(target, Attack("a/b", "why", 2, half))) == "no answer; 2 not connected"


def test_a_limit_excuses_only_that_others_wait(tmp_path) -> None:
    with server("starves", tmp_path) as target:
        limited = Attack("a/b", "why", 1, evil().steps, limits={"Slow": "one request at once, for 3 s"})
        slow, quick = (replace(target, server=SimpleNamespace(stack=(name,))) for name in ("Slow", "Quick"))
        assert not judge.carry_out([limited], slow, within=0.5)[0].problems
        assert judge.carry_out([limited], quick, within=0.5)[0].problems


@pytest.mark.parametrize("service", SERVICES)
def test_every_row_can_be_read(service: str) -> None:
    every = rows.load(service)
    assert len(every) > 10
    for small, full in every:
        ids = [one.id for one in full]
        assert len(ids) == len(set(ids))
        assert small.clients <= 40, f"{small.id}: in small there are few clients"
        assert "${" not in repr([small, *full])


def test_no_other_machine_is_attacked_by_mistake() -> None:
    result = CliRunner().invoke(main, ["attack", "http://192.0.2.1:80", "--service", "todo"])
    assert result.exit_code == 2
    assert "--host 192.0.2.1" in result.stderr
    assert "--service" in CliRunner().invoke(main, ["attack", "http://127.0.0.1:1"]).stderr
