"""Attacks on small servers that are right or wrong on purpose: each fault of a server is seen."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from samewire.attack import judge, results, rows, shown
from samewire.attack.clients import Seen, attack
from samewire.attack.rows import Attack
from samewire.cli import main
from samewire.contract import wire
from samewire.manifest import find_servers
from samewire.paths import CONTRACTS
from samewire.process import free_port, kill_tree, wait_for_port
from samewire.target import Target

SERVICES = sorted(path.parent.name for path in CONTRACTS.glob("*/openapi.yaml"))

SERVER = """
import os, socket, subprocess, sys, threading, time
kept, slow = [], threading.Event()
child = subprocess.Popen(["sleep", "60"])
def serve(client):
    with client:
        rest = b""
        while data := client.recv(65536):
            if data.startswith(b"GET /healthz") and slow.is_set():
                time.sleep(0.6)
            *requests, rest = (rest + data).split(b"\\r\\n\\r\\n")
            for request in requests:
                act(request, client)
                client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
def act(request, client):
    if not request.startswith(b"GET /evil"):
        return
    match sys.argv[2]:
        case "dies": os._exit(1)
        case "loses a child": child.kill()
        case "leaks connections": kept.append(client.dup())
        case "leaks memory": kept.append(os.urandom(1 << 24))
        case "leaves files": open(os.environ["TMPDIR"] + "/left", "w").close()
        case "starves": slow.set()
with socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=1000) as listener:
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""


@contextmanager
def server(fault: str, folder) -> Iterator[Target]:
    port = free_port()
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder)}
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port), fault], env=environment)
    try:
        assert wait_for_port(port, 10, lambda: process.poll() is None)
        yield Target("small", "todo", f"http://127.0.0.1:{port}", pid=process.pid)
    finally:
        kill_tree(process.pid)
        process.wait()


def evil(clients: int = 8) -> Attack:
    request = wire.parts(["GET /evil HTTP/1.1\r\nHost: a\r\n\r\n"])
    steps = ({"exchange": request, "answers": 1, "seconds": 2}, {"wait": 0.5})
    return Attack("small/evil[clients 8]", "small ones", "it asks for the fault", clients, steps)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "GIVEN_BACK_SECONDS", 1.5)
    monkeypatch.setattr(judge, "GROWTH", 100 << 20)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("dies", "the process has ended"),
        ("loses a child", "1 of its processes have ended"),
        ("leaks connections", "8 more connections"),
        ("leaks memory", "its memory grew by"),
        ("leaves files", "1 more temporary files"),
        ("starves", "GET /healthz of another client took"),
    ],
)
def test_a_fault_is_seen(fault: str, told: str, tmp_path) -> None:
    with server(fault, tmp_path) as target:
        before = judge.warm_up(target)
        problems = judge.carry_out([evil()], target, before, within=0.5)[0].problems
    assert any(problem.startswith(told) for problem in problems), problems


def test_a_server_that_withstands(tmp_path) -> None:
    with server("none", tmp_path) as target:
        before = judge.warm_up(target)
        verdict = judge.carry_out([evil(100), evil(2)], target, before)[0]
    assert verdict.problems == []
    assert str(verdict.seen) == "100 × 200"


def test_what_the_attackers_see(tmp_path) -> None:
    with server("none", tmp_path) as target:
        request = "GET / HTTP/1.1\r\n\r\n"
        exchange = {"exchange": wire.parts([{"repeat": request, "times": 5000}]), "answers": 5000, "seconds": 10}
        assert attack(target, Attack("a/b", "odd ones", "why", 2, (exchange,))).statuses == {200: 10_000}
        half = ({"send": wire.parts([request])}, {"half_close": True}, {"read": {"seconds": 5}})
        assert str(attack(target, Attack("a/b", "odd ones", "why", 3, half))) == "3 × 200; 3 ended by the server"
    assert str(attack(target, Attack("a/b", "odd ones", "why", 2, half))) == "no answer; 2 not connected"


@pytest.mark.parametrize(("pattern", "is_found"), [("L(e)ngth", True), ("nothing(.)", False)])
def test_what_is_bound_is_sent(pattern: str, is_found: bool, tmp_path) -> None:
    limits = {"answers": 1, "seconds": 2}
    first = {"exchange": wire.parts(["GET / HTTP/1.1\r\n\r\n"]), "bind": {"letter": pattern}, **limits}
    second = {"exchange": wire.parts(["GET /${letter}vil HTTP/1.1\r\n\r\n"]), **limits}
    with server("leaves files", tmp_path) as target:
        attack(target, Attack("a/b", "odd ones", "why", 2, (first, second)))
    assert (tmp_path / "left").exists() == is_found


def test_a_client_sips(tmp_path) -> None:
    send = {"send": wire.parts(["GET / HTTP/1.1\r\n\r\n"])}
    with server("none", tmp_path) as target:
        sips = attack(
            target, Attack("a/b", "odd ones", "why", 2, (send, {"sip": {"bytes": 3, "every": 0.1, "times": 5}}))
        )
        assert sips.ended == 0


@pytest.mark.parametrize(("fault", "is_excused"), [("starves", True), ("leaves files", False)])
def test_a_limit_excuses_only_that_others_wait(
    fault: str, is_excused: bool, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two healthy answers of 0.6 s have to fit, on a busy machine, too.
    monkeypatch.setattr(judge, "GIVEN_BACK_SECONDS", 5)
    limits = {"small/evil": "One request at once, for 0.6 s."}
    with server(fault, tmp_path) as target:
        limited, other = (
            replace(target, server=SimpleNamespace(limits=each)) for each in (limits, {"small/other": ""})
        )
        before = judge.warm_up(target)
        verdict = judge.carry_out([evil()], limited, before, within=0.5)[0]
        assert (verdict.problems == []) == bool(verdict.excused) == is_excused, verdict
        assert judge.carry_out([evil()], other, before, within=0.5)[0].problems


def test_an_attack_that_does_not_take_place(tmp_path) -> None:
    nobody = Target("nobody", "todo", f"http://127.0.0.1:{free_port()}")
    assert judge.carry_out([evil()], nobody, judge.resources(nobody))[0].problems[0].endswith("no client could connect")
    with server("none", tmp_path) as target:
        wrong = replace(evil(), expect=(301,))
        problems = judge.carry_out([wrong], target, judge.warm_up(target))[0].problems
    assert problems == ["small/evil[clients 8]: none of 301 was answered, but 8 × 200"]


@pytest.mark.parametrize("service", SERVICES)
def test_every_row_can_be_read(service: str) -> None:
    every = rows.load(service)
    assert len(every) > 10
    for small, full in every:
        ids = [one.id for one in full]
        assert len(ids) == len(set(ids))
        assert small.clients <= 15, f"{small.id}: in small there are few clients"
        for one in [small, *full]:
            bound = {name for step in one.steps for name in step.get("bind", ())}
            assert {*re.findall(r"\$\{([^}]*)\}", repr(one.steps))} <= bound


@pytest.mark.parametrize("service", SERVICES)
def test_a_body_is_as_long_as_it_says(service: str) -> None:
    for small, full in rows.load(service):
        for one in [small, *full]:
            data = b"".join(part for step in one.steps for part in step.get("exchange", ()))
            head, _, body = data.partition(b"\r\n\r\n")
            if (
                one.id.startswith("bodies/")
                and service != "upload"
                and (length := head.partition(b"Content-Length: ")[2])
            ):
                assert len(body) == int(length), one.id


def test_no_other_machine_is_attacked_by_mistake() -> None:
    result = CliRunner().invoke(main, ["attack", "http://192.0.2.1:80", "--service", "todo"])
    assert result.exit_code == 2
    assert "--host 192.0.2.1" in result.stderr
    assert "--service" in CliRunner().invoke(main, ["attack", "http://127.0.0.1:1"]).stderr


def test_results_are_kept_and_shown(tmp_path) -> None:
    servers = {
        name: replace(find_servers()[0], id=name, folder=tmp_path / name) for name in ("one", "other", "unknown")
    }
    first = rows.load("todo")[0][1][0]
    seen = Seen(connected=1)
    for name, problems, excused in [("one", [], ["it waits"]), ("other", ["it has ended.\nIts last lines"], [])]:
        servers[name].folder.mkdir()
        verdict = judge.Verdict(first, seen, problems, excused, slowest=2.345, growth=5 << 20)
        kept = results.of(verdict, at_once=3 if name == "other" else 1)
        results.write(servers[name], {first.id: kept, "gone": kept}, [first.id])
    servers["one"] = replace(servers["one"], limits={first.row: "One at once, for 3 s."})
    assert results.read(servers["one"]).keys() == {first.id}
    theme = shown.theme({name: [server] for name, server in servers.items()}, "todo")
    cells = {row[0]: row[2] for case in theme["cases"] for row in case["rows"] if case["id"] == first.row}
    one, other, unknown = cells[first.id.partition("[")[2].rstrip("]")]
    assert one == ["others wait", "One at once, for 3 s.", 2, "others 2.35 s, +5 MiB"]
    assert other == ["does not withstand", "other: it has ended.", 1, "others 2.35 s, +5 MiB; up to 3 servers at once"]
    assert unknown is None
    worst = shown.level({"stack": [*servers.values()]}, ["todo"])["themes"][0]["cases"][0]["rows"][0][2][0]
    assert worst[0] == "does not withstand"


def test_servers_with_the_same_problem_stand_together(tmp_path) -> None:
    first = rows.load("todo")[0][1][0]
    servers = [replace(find_servers()[0], id=name, folder=tmp_path / name) for name in ("one", "two", "three")]
    late, wrong = f"{judge.OTHERS} took 3.1 s", f"{judge.OTHERS}: 408"
    for server, problems in zip(servers, ([late], [late, wrong], [wrong]), strict=True):
        server.folder.mkdir()
        verdict = judge.Verdict(first, Seen(connected=1), problems, [], slowest=3.1, growth=0)
        results.write(server, {first.id: results.of(verdict)}, [first.id])
    cell = shown.level({"stack": servers}, ["todo"])["themes"][0]["cases"][0]["rows"][0][2][0]
    assert cell[1] == f"one, two: others wait too long; two, three: {wrong}"


@pytest.mark.parametrize("service", SERVICES)
def test_every_step_is_told(service: str) -> None:
    assert all(shown.told(step) for _, full in rows.load(service) for one in full for step in one.steps)
