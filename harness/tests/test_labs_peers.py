"""Slow peers beside the load of a lab, code that is wrong on purpose, and what is measured of both."""

import contextlib
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace

import psutil
import pytest

from samewire.labs import LabError, lab, peers
from samewire.labs.changes import Change, plant, undo
from samewire.labs.code import side_by_side
from samewire.labs.live import Monitor, _in_sockets
from samewire.labs.peers import DOWNLOADS, UPLOADS, Peers
from samewire.manifest import find_servers
from samewire.process import RunFolder, kill_tree
from samewire.race import RaceError
from samewire.race.measured import Footprint
from samewire.race.metrics import METRICS
from samewire.race.processes import Usage

SLOW = Peers(UPLOADS, number=3, kib=64, kib_per_s=256)


@pytest.fixture
def run():
    folder = RunFolder()
    yield folder
    folder.remove()


@contextlib.contextmanager
def _listening(serve):
    """The URL of a server that gives each connection to `serve`, in a thread of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=serve, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        # A thread in accept() is not ended by a close alone.
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("kib", [1, 64, 1000])
def test_an_upload_is_as_long_as_it_says(kib):
    head, drip, closing, answer = replace(SLOW, kib=kib).attack().steps[:4]
    (head,), (closing,) = head["send"], closing["send"]
    fields, _, opening = head.partition(b"\r\n\r\n")
    sent = len(opening) + len(drip["drip"]["bytes"]) * drip["drip"]["times"] + len(closing)
    assert f"Content-Length: {sent}\r\n".encode() in fields + b"\r\n"
    assert sent >= kib * 1024
    assert answer["read"]["answers"] == 1


def test_peers_send_slowly_as_long_as_the_load_lasts(run):
    came, connections = [], []

    def serve(connection):
        connections.append(connection)
        with contextlib.suppress(OSError):
            while data := connection.recv(100_000):
                came.append(len(data))

    class Load:
        pid = 7

        def load(self, url, progress, scenario, rate_per_s):
            # From the moment at which all have begun.
            while len(connections) < SLOW.number:
                time.sleep(0.01)
            began, before = time.monotonic(), sum(came)
            time.sleep(1)
            return sum(came) - before, time.monotonic() - began

    with _listening(serve) as url:
        beside = peers.Beside(Load(), replace(SLOW, kib=10_000), run)
        assert beside.pid == 7
        sent, seconds = beside.load(url, print)
        # Never faster than they say, but for a piece that was under way; on a busy machine slower.
        assert 0 < sent <= SLOW.number * 1024 * SLOW.kib_per_s * (seconds + 0.5)
        time.sleep(0.1)
        after = sum(came)
        time.sleep(0.6)
        assert sum(came) == after, "peers go on after the load"


def test_peers_that_cannot_work_are_no_result(run):
    class Load:
        def load(self, *_):
            time.sleep(2)

    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    # Nobody listens there now.
    with pytest.raises(RaceError, match="ended before the load did"):
        peers.Beside(Load(), SLOW, run).load(url, print)
    with pytest.raises(RaceError, match="did not begin"):
        peers.Beside(Load(), replace(SLOW, direction=DOWNLOADS), run).load(url, print)


def test_the_kernel_tells_what_it_holds_for_connections():
    before = _in_sockets()
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for _ in range(20):
            client = stack.enter_context(socket.create_connection(listener.getsockname()))
            stack.enter_context(listener.accept()[0])
            client.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    client.send(b"x" * 100_000)
        assert _in_sockets() - before > 5 * 2**20


def test_memory_that_processes_share_is_counted_once():
    """While a load runs it is read now and then; in between it is what it was, and never the sum of what each has."""
    shared = "import os, time; held = bytes(range(256)) * 300_000; [os.fork() or time.sleep(60) for _ in range(6)]"
    process = subprocess.Popen([sys.executable, "-c", f"{shared}; time.sleep(60)"])
    told = []
    try:
        while len(psutil.Process(process.pid).children(recursive=True)) < 6:
            time.sleep(0.02)
        with Monitor(process.pid, told.append, every_s=0.05):
            time.sleep(1)
    finally:
        kill_tree(process.pid)
        process.wait()
    held = [event["memory_mib"] for event in told]
    assert len(held) > 2
    assert 60 < min(held) <= max(held) < 200


def test_memory_grows_from_idle_to_its_highest():
    usage = Usage(0, 0, 0, 0, 0, None, None, 100, None, 1, 1)
    loaded = [replace(usage, pss_bytes=held) for held in (None, 150, 300, None)]
    growth = METRICS["pss_growth"].of_footprint
    assert growth(Footprint(replace(usage, pss_bytes=100), loaded, [], None, None)) == 3
    assert growth(Footprint(usage, loaded, [], None, None)) is None
    assert growth(Footprint(replace(usage, pss_bytes=100), [usage], [], None, None)) is None


def test_what_is_planted_can_be_taken_back_and_is_there_once(tmp_path):
    (tmp_path / "a").write_text("one two three\n")
    changes = Change("a", "one", "1"), Change("a", "1 two", "1 2")
    plant(changes, tmp_path)
    assert (tmp_path / "a").read_text() == "1 2 three\n"
    undo(changes, tmp_path)
    assert (tmp_path / "a").read_text() == "one two three\n"
    for wrong in (Change("a", "four", "4"), Change("a", "e", "E"), Change("b", "one", "1")):
        with pytest.raises(LabError, match="a lab changes"):
            plant([wrong], tmp_path)


@pytest.mark.parametrize("name", lab.find_labs())
def test_what_is_wrong_on_purpose_is_in_the_code_and_says_so(name, monkeypatch):
    monkeypatch.setattr(lab, "missing", lambda needs: [])
    loaded = lab.load(name)
    if not any(subject.planted for subject in loaded.subjects):
        return
    try:
        trials, _ = loaded.trials(find_servers(), loaded.values())
    except LabError:
        pytest.skip("its servers are not here")
    shown = {label: shown for shown in side_by_side(trials) for label in shown.labels}
    for trial in trials:
        if trial.planted:
            assert "wrong on purpose" in trial.label
            assert any("Wrong on purpose" in region.code for region in shown[trial.label].regions)
            alike = [one for one in trials if one.entrant == trial.entrant and not one.planted]
            assert alike, "nothing stands beside it that differs in this alone"
            assert not any("Wrong on purpose" in region.code for region in shown[alike[0].label].regions)
