"""The programs of labs: which counters lose updates and which never do, and that a lab tells of it."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from samewire.labs import LabError, lab
from samewire.labs.code import side_by_side
from samewire.labs.programs import find_programs
from samewire.labs.result import result
from samewire.labs.session import Session, Wish
from samewire.race import RaceError
from samewire.race.updates import Updates, counted
from samewire.testbed import Testbed
from samewire.toolchains import missing

COUNTERS = "actors-or-locks"
VARIANTS = [(one, variant) for one in find_programs(COUNTERS) for variant in ("", *one.variants)]
WRITERS = 8
LONG = str(20_000_000)
"""Rounds of arithmetic between a read and a write: tens of milliseconds, in which all other writers come."""


def _is_wrong(variant):
    return variant.startswith("wrong")


class _Writers:
    """Writers whose connections are open before they write: an event loop accepts one connection in each round."""

    def __init__(self, port):
        self._connections = [HTTPConnection("127.0.0.1", port, timeout=60) for _ in range(WRITERS)]
        for one in self._connections:
            assert self._ask("GET", one) == 0

    def _ask(self, method, connection):
        connection.request(method, "/counter")
        answer = connection.getresponse()
        assert answer.status == 200
        return int(answer.read())

    def lost(self):
        """How many updates are lost of those that all send at the same moment."""
        before = self._ask("GET", self._connections[0])
        with ThreadPoolExecutor(WRITERS) as pool:
            told = list(pool.map(lambda one: self._ask("POST", one), self._connections))
        counted = self._ask("GET", self._connections[0]) - before
        assert 1 <= counted <= WRITERS
        assert (len(set(told)) == WRITERS) == (counted == WRITERS)
        return WRITERS - counted


@pytest.mark.parametrize(("program", "variant"), VARIANTS, ids=[f"{one.id}:{variant}" for one, variant in VARIANTS])
def test_a_counter_loses_updates_where_it_is_wrong_on_purpose_and_nowhere_else(program, variant):
    if missing(program.needs):
        pytest.skip("its toolchain is not here")
    with Testbed(brief=True) as testbed:
        writers = _Writers(testbed.start(program, variant=variant, env={"WORK": LONG}).target.port)
        # The first time is enough, unless writers come one by one: on a machine that does much else.
        assert any(writers.lost() for _ in range(10 if _is_wrong(variant) else 2)) == _is_wrong(variant)


def _of_node():
    """The lab with the two programs that start at once."""
    loaded = lab.load(COUNTERS)
    of_node = [one for one in loaded.subjects if ("concurrency", "event-loop") in one.select.fields]
    return replace(loaded, subjects=tuple(of_node))


def test_a_lab_tells_of_lost_updates_live_and_in_its_result():
    if missing(["jdk", "maven", "node"]):
        pytest.skip("a toolchain is not here")
    loaded = _of_node()
    values = loaded.values(small=True)
    trials, _ = loaded.trials([], values, small=True)
    live, subject = {}, ""

    def listen(event):
        nonlocal subject
        subject = event.get("subject", subject)
        if event["event"] == "load":
            live[subject] = event["lost"]

    found = result(Session(Wish(loaded, values, 7, small=True), trials, [], listen).run(), None)
    assert len(trials) == 2
    for number, trial in enumerate(trials):
        kept, lost = (found["figures"][key]["rows"][number]["mean"] for key in ("kept_update_share", "lost_updates"))
        if _is_wrong(trial.entrant.variant):
            assert (kept < 100, lost > 0, live[trial.label] > 0) == (True, True, True)
        else:
            assert (kept, lost, live[trial.label]) == (100, 0, 0)
    assert [one["not_proven"] for one in found["trials"]] == ["", ""]
    assert found["prediction"]["best"] == trials[[_is_wrong(one.entrant.variant) for one in trials].index(True)].label


def test_the_code_of_each_program_stands_beside_the_others(monkeypatch):
    monkeypatch.setattr(lab, "missing", lambda needs: [])
    loaded = lab.load(COUNTERS)
    trials, left_out = loaded.trials([], loaded.values())
    assert not left_out
    shown = side_by_side(trials)
    assert [one.labels for one in shown] == [(trial.label,) for trial in trials]
    assert all(len(one.regions) == 1 for one in shown)
    wrong = [trial.label for trial in trials if _is_wrong(trial.entrant.variant)]
    assert len(wrong) == 2
    assert all("wrong on purpose" in label for label in wrong)


@pytest.mark.parametrize("program", find_programs(), ids=lambda one: one.id)
def test_a_program_is_well_under_100_lines(program):
    files = [path for ending in ("java", "scala", "ts", "php") for path in program.folder.glob(f"**/*.{ending}")]
    files = [path for path in files if not {"target", "node_modules"} & {*path.parts}]
    assert files
    assert all(len(path.read_text().splitlines()) < 80 for path in files)


def test_a_broken_program_is_told_with_its_place(tmp_path):
    manifest = tmp_path / "a/b/program.toml"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('language = "C"\n')
    with pytest.raises(LabError, match=r"a/b/program\.toml: \$: 'concurrency' is a required property"):
        find_programs("a", tmp_path, tmp_path)
    manifest.write_text("language = \n")
    with pytest.raises(LabError, match=r"a/b/program\.toml: Invalid value"):
        find_programs("a", tmp_path, tmp_path)
    assert find_programs("c", tmp_path, tmp_path) == []


def test_an_update_is_lost_if_it_was_answered_and_is_not_counted():
    assert (Updates(10, 7).lost, Updates(10, 7).kept_share) == (3, 0.7)
    # One without an answer was counted.
    assert (Updates(10, 11).lost, Updates(10, 11).kept_share) == (0, 1.0)
    assert (Updates(0, 0).lost, Updates(0, 0).kept_share) == (0, None)


@contextmanager
def _answering(text):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(10)


def test_a_counter_that_tells_no_number_is_told():
    with _answering(b"42\n") as url:
        assert counted(url, "/counter") == 42
    with _answering(b"many") as url, pytest.raises(RaceError, match="GET /counter has to answer"):
        counted(url, "/counter")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(RaceError, match="GET /counter has to answer"):
            counted(f"http://127.0.0.1:{nobody.getsockname()[1]}", "/counter")
