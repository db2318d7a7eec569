"""The place where servers and databases run together: real databases."""

import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import psycopg
import pytest

from samewire.manifest import Server, Variant
from samewire.process import StartError, wait_for_port
from samewire.testbed import Testbed


def test_a_database_that_was_stopped_is_there_again_for_whoever_needs_it_next() -> None:
    with Testbed(private=True, links=100, brief=True) as testbed:
        database = testbed.database("postgresql")
        port = database.port
        database.kill()
        with psycopg.connect(testbed.new_database("todo", "postgresql")) as connection:
            assert connection.info.port == port
        database.stop()
    assert testbed.databases() == {}


class _NothingStarts(Testbed):
    """Notes what it would have started: the command, and a variable of the variant."""

    def prepare(self, server):
        pass

    def launch(self, server, url, variables, *_):
        self.launched = server.run, variables.get("POOL")
        return SimpleNamespace(alive=False)

    def close(self):
        return []


def test_a_variant_is_started_by_its_command_and_with_its_environment(tmp_path) -> None:
    variants = {"both": Variant("", {"POOL": "1"}, run=("variant",)), "env": Variant("", {"POOL": "2"})}
    server = Server(
        "servers-a/x", tmp_path, "chat", "PHP", "memory", "event-loop", {}, needs=(), build=(), run=("server",),
        variants=variants,
    )  # fmt: skip
    with _NothingStarts() as testbed:

        def launched(one: Server, variant: str | None = None) -> tuple[tuple[str, ...], str | None]:
            testbed.spawn(one, variant=variant)
            return testbed.launched

        assert launched(server) == (("server",), None)
        assert launched(server, "env") == (("server",), "2")
        assert launched(server, "both") == (("variant",), "1")
        assert launched(server.in_variant("both")) == (("variant",), "1")
        # A profiler adds to the variant's command.
        profiled = replace(server.in_variant("both"), run=("variant", "--profile"))
        assert launched(profiled, "both") == (("variant", "--profile"), "1")


def _program(text, folder):
    """A server that is this program in Python."""
    return Server(
        "servers-a/x", folder, "chat", "Python", "memory", "event-loop", {}, needs=(), build=(),
        run=(sys.executable, "-c", text),
    )  # fmt: skip


_UNHEALTHY = """
import http.server, os


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(201)
        self.end_headers()


http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


def test_another_status_than_200_is_told(tmp_path) -> None:
    with Testbed(brief=True) as testbed:
        running = testbed.spawn(_program(_UNHEALTHY, tmp_path))
        with pytest.raises(StartError, match="GET /healthz is answered with 201"):
            testbed.wait_until_healthy(running, 3)


_AT_ANOTHER_PORT = """
import http.server, os
http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"]) + 1), http.server.SimpleHTTPRequestHandler).serve_forever()
"""


def test_a_server_at_another_port_is_told(tmp_path) -> None:
    with Testbed(brief=True) as testbed:
        running = testbed.spawn(_program(_AT_ANOTHER_PORT, tmp_path))
        assert wait_for_port(running.target.port + 1, 10, lambda: running.alive)
        told = f"it listens at 127.0.0.1:{running.target.port + 1}, and PORT is {running.target.port}"
        with pytest.raises(StartError, match=re.escape(told)):
            testbed.wait_until_healthy(running, 0.1)
