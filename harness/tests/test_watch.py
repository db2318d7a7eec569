"""`verify --watch`: a server is started and judged again when one of its sources changes, and only then."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from queue import Empty, Queue

import pytest

from samewire.cli.watch import whenever_changed
from samewire.new import write


@pytest.fixture
def server(tmp_path):
    """The folder of a server, in a git repository of its own."""
    folder = tmp_path / "randoms-mine"
    write("randoms", "python", folder)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def _next_line(lines, pattern, timeout=60):
    deadline, seen = time.monotonic() + timeout, []
    while time.monotonic() < deadline:
        try:
            seen.append(lines.get(timeout=1))
        except Empty:
            continue
        if re.search(pattern, seen[-1]):
            return
    pytest.fail(f"no {pattern!r} in:\n{''.join(seen)}")


@pytest.mark.timeout(150)
def test_a_change_judges_the_server_again(server) -> None:
    argv = [sys.executable, "-m", "samewire.cli", "verify", ".", "--only", "health/healthy", "-x", "--watch"]
    running = subprocess.Popen(
        argv, cwd=server, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        # What a shell starts in the background ignores it, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    lines: Queue[str] = Queue()
    threading.Thread(target=lambda: [lines.put(line) for line in running.stdout], daemon=True).start()
    try:
        _next_line(lines, "1 passed")
        _next_line(lines, "waiting for a change")
        source = server / "server.py"
        right = source.read_text()
        source.write_text(f"{right}\n(")
        _next_line(lines, "did not start .exit status 1")
        _next_line(lines, "waiting for a change")
        source.write_text(right)
        _next_line(lines, "1 passed")
        _next_line(lines, "waiting for a change")
        os.kill(running.pid, signal.SIGINT)
        assert running.wait(20) == 0
    finally:
        running.kill()
        running.wait()


def test_only_sources_count(server) -> None:
    rounds = whenever_changed([server])
    next(rounds)
    (server / "__pycache__").mkdir()
    found = threading.Event()
    waiting = threading.Thread(target=lambda: (next(rounds), found.set()), daemon=True)
    waiting.start()
    (server / "__pycache__/a.pyc").write_text("made by a build")
    assert not found.wait(1.5)
    (server / "added.py").write_text("")
    assert found.wait(5)


def test_a_change_while_it_is_judged_counts(server) -> None:
    rounds = whenever_changed([server])
    next(rounds)
    (server / "added.py").write_text("")
    started = time.monotonic()
    next(rounds)
    assert time.monotonic() - started < 1


def test_it_needs_git_and_something_to_start(tmp_path) -> None:
    write("randoms", "python", tmp_path / "mine")
    calls = {("mine",): "git init", ("todo", "http://127.0.0.1:1"): "give a folder with a server.toml"}
    for names, told in calls.items():
        argv = [sys.executable, "-m", "samewire.cli", "verify", *names, "--watch"]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2
        assert told in done.stderr
