"""The floor's load, on a server that answers the least."""

import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from rich.console import Console

from samewire import floor
from samewire.lab import Lab
from samewire.race import generator
from samewire.race.placement import place


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
    profile = floor.Profile(rounds=1, warm_up_s=0.2, measure_s=0.5, users=3)
    with Lab() as lab:
        bench = floor._Bench(lab, profile, place(server_cores=1), Console(), random.Random(1))
        load = bench._generator(generator.build(), [[("/", 200)]] * 3)
        try:
            hold = load.load(f"http://127.0.0.1:{server.server_port}", lambda line: None)["stages"]["hold"]
        finally:
            load.close()
            server.shutdown()
            server.server_close()
    assert hold["requests"] > 0
    assert not any(hold["errors"].values())
