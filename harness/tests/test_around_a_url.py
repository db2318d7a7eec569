"""What a user tells about a server at a URL: commands that stop and start it, and the port of its upstreams."""

import json
import subprocess
import sys

import pytest

from samewire.build import build
from samewire.manifest import find_servers, least_demanding
from samewire.outcomes import EXCUSES, NO_COMMANDS, NO_UPSTREAMS, NOT_OURS
from samewire.paths import CHECKOUT
from samewire.process import free_port
from samewire.testbed import Testbed
from samewire.toolchains import environment, missing

pytestmark = pytest.mark.timeout(180)


def _server(service):
    able = [one for one in find_servers() if one.service == service and not missing(one.needs)]
    if not able:
        pytest.skip(f"no server of {service} can run here")
    server = least_demanding(able)
    build(server)
    return server


def _verify(tmp_path, service, url, *arguments):
    file = tmp_path / "report.ndjson"
    argv = [sys.executable, "-m", "samewire.cli", "verify", service, url, f"--report=ndjson={file}", *arguments]
    done = subprocess.run(argv, cwd=CHECKOUT, capture_output=True, text=True, timeout=150)
    lines = map(json.loads, file.read_text().splitlines()) if file.exists() else ()
    return done, {one["test"]: one for one in lines if one["type"] == "test"}


@pytest.fixture
def by_commands(tmp_path):
    """The URL of a todo server that runs, a command that stops it, and one that starts it."""
    server, port = _server("todo"), free_port()
    with Testbed(brief=True) as testbed:
        url = testbed.new_database("todo", server.store)
        pid, log = tmp_path / "pid", tmp_path / "log"
        variables = f"PORT={port} POSTGRES_URL={url} PATH={environment(server.needs)['PATH']}"
        start = f"cd {server.folder}; {variables} setsid {' '.join(server.run)} >{log} 2>&1 & echo $! >{pid}"
        stop = f"kill $(cat {pid}); while kill -0 $(cat {pid}) 2>/dev/null; do sleep 0.05; done"
        subprocess.run(["sh", "-c", start], check=True)
        try:
            ready = ["curl", "--silent", "--fail", "--retry", "100", "--retry-connrefused", "--retry-delay", "1"]
            subprocess.run([*ready, f"http://127.0.0.1:{port}/healthz"], check=True, capture_output=True, timeout=30)
            yield f"http://127.0.0.1:{port}", stop, start
        finally:
            subprocess.run(["sh", "-c", stop], timeout=20)


def test_commands_stop_a_server_and_start_it(by_commands, tmp_path) -> None:
    url, stop, start = by_commands
    asked = ("--layer", "life", "--layer", "cases", "-k", "started_again or healthy or graceful")
    done, tests = _verify(tmp_path, "todo", url, *asked, "--stop-command", stop, "--restart-command", start)
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = {name.partition("[")[0].partition("::")[2]: one["outcome"] for name, one in tests.items()}
    assert outcomes == {
        "test_case": "passed", "test_graceful_stop": "skipped", "test_stopped_and_started_again": "passed"
    }  # fmt: skip
    assert "cases" in done.stdout

    known = tmp_path / "known.txt"
    known.write_text("delete/delted\n")
    alone = ("--only", "test_stopped_and_started_again", "--stop-command", stop, "--restart-command", start)
    done, tests = _verify(tmp_path, "todo", url, *alone, "--known-failing", str(known))
    assert {one["outcome"] for one in tests.values()} == {"passed"}
    assert "no test is called delete/delted" in done.stdout
    assert done.returncode == 1

    done, tests = _verify(tmp_path, "todo", url, *asked, "--stop-command", "echo no; false", "--restart-command", start)
    assert done.returncode == 1
    (failed,) = (one["problem"] for one in tests.values() if one["outcome"] == "failed")
    assert "--stop-command ended with status 1: echo no; false" in failed

    done, tests = _verify(tmp_path, "todo", url, *asked)
    (skipped,) = (one["problem"] for name, one in tests.items() if "started_again" in name)
    assert skipped == NO_COMMANDS


def test_upstreams_are_started_for_a_server(tmp_path) -> None:
    server, port = _server("report"), free_port()
    upstreams = {name: f"http://127.0.0.1:{port + at}" for at, name in enumerate(("TODO_URL", "RAYTRACER_URL"))}
    with Testbed(brief=True) as testbed:
        url = testbed.start(server, env=upstreams | {"UPSTREAM_TIMEOUT_MS": "2000"}).target.url
        asked = ("--layer", "cases", "-k", "page or upstreams or image")
        done, tests = _verify(tmp_path, "report", url, *asked, f"--upstream-port={port}")
        assert done.returncode == 0, done.stdout + done.stderr
        assert {one["outcome"] for one in tests.values()} == {"passed"}
        assert sum("test_upstreams.py" in name for name in tests) > 5
        _, tests = _verify(tmp_path, "report", url, *asked, "-k", "right_upstreams")
    assert {one["problem"] for one in tests.values()} == {NO_UPSTREAMS}


def test_on_ci_it_passes_without_what_needs_its_process(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("CI", "true")
    with Testbed(brief=True) as testbed:
        url = testbed.start(_server("randoms")).target.url
        done, tests = _verify(tmp_path, "randoms", url)
    assert done.returncode == 0, done.stdout + done.stderr
    skipped = {one["problem"] for one in tests.values() if one["outcome"] == "skipped"}
    assert skipped <= set(EXCUSES)
    assert NOT_OURS in skipped


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--stop-command", "true"), "belong together: give both"),
        (("--upstream-port", "9001"), "a server of todo has no upstreams"),
        (("--upstream-port", "9001", "--against", "http://127.0.0.1:2"), "are for one server at a URL"),
    ],
)
def test_a_call_that_cannot_be_is_told(tmp_path, arguments, told) -> None:
    done, _ = _verify(tmp_path, "todo", "http://127.0.0.1:1", *arguments)
    assert done.returncode == 2
    assert told in " ".join(done.stderr.replace("│", "").split())
