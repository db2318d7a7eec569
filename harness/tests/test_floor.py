"""The floor's load, on a server that answers the least; one server's lookup against its floor; what is printed."""

import io
import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from rich.console import Console

from samewire.build import build
from samewire.floor.bench import Bench, Profile
from samewire.floor.lookups import Lookups
from samewire.floor.programs import floor_of, programs
from samewire.floor.tables import print_tables
from samewire.lab import Lab
from samewire.manifest import find_servers, least_demanding
from samewire.race import generator
from samewire.race.placement import pinned, place


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_) -> None:
        pass


def test_all_users_ask_and_are_answered():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    profile = Profile(rounds=1, warm_up_s=0.2, measure_s=0.5, users=3)
    with Lab() as lab:
        bench = Bench(lab, profile, place(server_cores=1), Console(), random.Random(1))
        load = Lookups(bench)._generator(generator.build(), [[("/", 200)]] * 3)
        try:
            hold = load.load(f"http://127.0.0.1:{server.server_port}", lambda line: None)["stages"]["hold"]
        finally:
            load.close()
            server.shutdown()
            server.server_close()
    assert hold["requests"] > 0
    assert not any(hold["errors"].values())


def test_a_lookup_is_measured_against_a_program_that_does_nothing_else_and_against_its_two_parts():
    among = programs()
    floors = {
        server.id: found
        for server in find_servers()
        if all(found := [floor_of(server, kind, among) for kind in ("lookup", "answer", "query")])
    }
    if not floors:
        pytest.skip("no server here has a floor")
    server = least_demanding(server for server in find_servers() if server.id in floors)
    for program in floors[server.id]:
        build(program)
    profile = Profile(rounds=2, warm_up_s=0.5, measure_s=0.5, users=3)
    placement = place(server_cores=1)
    with pinned(placement.generator), Lab() as lab:
        bench = Bench(lab, profile, placement, Console(quiet=True), random.Random(1))
        (row,) = Lookups(bench).measure([(server, *floors[server.id])])
    assert row["server"] == server.id
    for name in ("lookup_us", "bare_us", "answer_us", "query_us"):
        assert len(row[name]) == 2
        assert min(row[name]) > 0
    assert row["ratio"] == pytest.approx([a / b for a, b in zip(row["lookup_us"], row["bare_us"], strict=True)])
    assert row["ratio_to_parts"][0] == pytest.approx(row["lookup_us"][0] / (row["answer_us"][0] + row["query_us"][0]))


@pytest.mark.parametrize(("lookup_us", "over"), [([26.0, 27.0, 20.0], False), ([26.1, 27.0, 20.0], True)])
def test_the_median_of_the_ratios_is_held_to_the_bound(lookup_us: list[float], over: bool):
    row = {
        "server": "servers-node/shortener-mongodb",
        "stand_in": True,
        "lookup_us": lookup_us,
        "bare_us": [20.0] * 3,
        "answer_us": [5.0] * 3,
        "query_us": [10.0] * 3,
        "ratio": [us / 20 for us in lookup_us],
        "ratio_to_parts": [us / 15 for us in lookup_us],
    }
    record = {"parameters": {"users": 10}, "lookups": [row], "uploads": [], "renders": []}
    console = Console(record=True, width=80, file=io.StringIO())
    print_tables(json.loads(json.dumps(record | {"databases": {"mongodb": "a stand-in"}})), console)
    lines = console.export_text().splitlines()
    against_bare, against_parts = (line for line in lines if line.startswith(row["server"]))
    assert ("over" in against_bare) == over
    assert "over" in against_parts
    assert lines[-1] == "* a stand-in"
