"""Labs: their declarations, knobs, results beside predictions, pages to hand in, and the application."""

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
import uvicorn
from click.testing import CliRunner

from samewire.cli import main
from samewire.containers.compose import out_of_date
from samewire.labs import LabError, NotFound, hand_in, lab, notes, runs, web
from samewire.labs.delay import DelayedLink
from samewire.labs.result import Guess, result
from samewire.labs.session import Ran, Stopped, Wish
from samewire.manifest import find_servers
from samewire.race.observation import Run
from samewire.race.workloads import Arrivals

each_lab = pytest.mark.parametrize("name", lab.find_labs())


@pytest.fixture
def able(monkeypatch):
    """Every toolchain is there."""
    monkeypatch.setattr(lab, "missing", lambda needs: [])


def _first():
    """A lab that can run here, with its trials."""
    for name in lab.find_labs():
        loaded = lab.load(name)
        try:
            return loaded, loaded.trials(find_servers(), loaded.values())[0]
        except LabError:
            continue
    pytest.skip("no lab has two servers here")


def _trials(loaded):
    """Its trials and what is left out; the test is skipped where its servers are not in the checkout."""
    try:
        return loaded.trials(find_servers(), loaded.values())
    except LabError:
        pytest.skip("its servers are not here")


@each_lab
def test_each_lab_says_what_it_is(name, able):
    loaded = lab.load(name)
    trials, left_out = _trials(loaded)
    assert len(trials) + len(left_out) == len(loaded.subjects)
    for trial in trials:
        told = trial.experiment.workload.metrics()
        assert {key for key in loaded.metrics if key not in told} == set()
    assert trials[0].profile.rounds >= 2


@each_lab
def test_each_value_of_each_knob_makes_a_load(name, able):
    loaded = lab.load(name)
    _trials(loaded)
    for knob in loaded.knobs:
        for value in knob.values:
            trials, _ = loaded.trials(find_servers(), loaded.values({knob.name: str(value)}))
            assert all(trial.experiment.workload.scenarios(trial.profile, 1) for trial in trials)


def test_knobs_are_put_into_the_load(able):
    loaded = replace(_first()[0], load={}, subjects=())
    assert lab._with_knobs({"users": "$n", "path": "/x?a=$n&b=${m}", "list": ["$m", 3]}, {"n": 4, "m": 0.5}) == {
        "users": 4, "path": "/x?a=4&b=0.5", "list": [0.5, 3],
    }  # fmt: skip
    with pytest.raises(LabError, match="has no knob 'colour'"):
        loaded.values({"colour": "red"})
    with pytest.raises(LabError, match="cannot be '7777'; it can be: "):
        loaded.values({loaded.knobs[0].name: "7777"})


def test_a_rate_is_that_of_the_subject_alone(able):
    loaded = lab.load("open-or-closed")
    try:
        closed, open_ = loaded.trials(find_servers(), loaded.values({"share": "0.5"}))[0]
    except LabError:
        pytest.skip("its servers are not here")
    assert closed.profile.cpu_share == 0
    assert open_.profile.cpu_share == 0.5
    assert isinstance(open_.experiment.workload, Arrivals)
    small = loaded.trials(find_servers(), loaded.values(), small=True)[0]
    assert small[1].profile.rate_per_s > 0
    assert small[1].profile.steady_within_s == 0


def test_a_wrong_file_is_told_with_its_place(tmp_path):
    (tmp_path / "a.toml").write_text('title = "A"\n')
    with pytest.raises(LabError, match=r"a\.toml: \$: 'question' is a required property"):
        lab.load("a", tmp_path)
    (tmp_path / "b.toml").write_text("title = \n")
    with pytest.raises(LabError, match=r"b\.toml: Invalid value"):
        lab.load("b", tmp_path)
    with pytest.raises(NotFound, match="no lab is called 'c'; there are: a, b"):
        lab.load("c", tmp_path)
    with pytest.raises(NotFound):
        lab.load("../labs/a", tmp_path)


def _ran(figures, warnings=()):
    """A lab that was run, with these figures of its prediction's metric by round for each of its trials."""
    loaded, trials = _first()
    loaded = replace(loaded, reasons=(), prediction=replace(loaded.prediction, metric="latency_p99_ms", best="lowest"))
    trials = [replace(trials[0], label=label) for label in figures]
    runs_ = {
        label: {
            number: Run("2026-11-27T10:00:00+00:00", metrics={"latency_p99_ms": value}, warnings=list(warnings))
            for number, value in enumerate(values, 1)
        }
        for label, values in figures.items()
    }
    wish = Wish(loaded, loaded.values(), 7)
    return Ran(wish, trials, runs_, ["a remark"], datetime(2026, 11, 27, 10, tzinfo=UTC), 3)


CLEAR = {"a": [1.0, 1.1, 1.05], "b": [10.0, 11.0, 10.2]}


@pytest.mark.parametrize(
    ("guess", "told"),
    [
        (Guess("a", 10), "You named the right one. Your factor, 10, is inside the interval."),
        (Guess("a", 15), "You named the right one. Your factor, 15, is outside the interval, by less than 2 times."),
        (Guess("b", 100), "You named 'b', and it is another. Your factor, 100, is far off."),
        (None, "'a' has the lowest latency"),
    ],
)
def test_the_prediction_stands_beside_what_was_measured(guess, told):
    found = result(_ran(CLEAR), guess)["prediction"]
    assert found["verdict"].startswith(told)
    assert found["best"] == "a"
    assert found["ratio"]["low"] < 9.9 < found["ratio"]["high"]
    assert not found["not_told_apart"]


def test_what_these_rounds_do_not_decide_is_said():
    found = result(_ran({"a": [1.0, 1.3, 0.9], "b": [1.1, 1.0, 1.2]}), Guess("b", 1))["prediction"]
    assert found["not_told_apart"] == ["b"]
    assert "these rounds do not decide between it and the first" in found["verdict"]


def test_a_highest_is_asked_for_the_other_way_round():
    ran = _ran(CLEAR)
    highest = replace(ran.wish.lab, prediction=replace(ran.wish.lab.prediction, best="highest"))
    found = result(replace(ran, wish=replace(ran.wish, lab=highest)), None)["prediction"]
    assert (found["best"], found["worst"]) == ("b", "a")
    assert found["ratio"]["mean"] == pytest.approx(9.9, rel=0.05)


def test_a_bound_is_shown_as_one_and_decides_nothing_beyond_it():
    stolen = ["the hypervisor gave 5% of the time to other machines"]
    found = result(_ran(CLEAR, stolen), None)
    assert found["figures"]["latency_p99_ms"]["rows"][0]["text"].startswith("≤")
    assert [one for one in found["remarks"] if "hypervisor" in one and "(3 runs)" in one]


def test_nothing_is_decided_on_cold_servers_of_a_lab_in_small():
    ran = _ran(CLEAR)
    found = result(replace(ran, wish=replace(ran.wish, small=True)), None)
    assert found["prediction"]["not_told_apart"] == ["b"]
    assert found["prediction"]["verdict"].endswith(" Nothing is decided: 'a' was cold.")


def test_a_page_to_hand_in_has_figures_seed_machine_prediction_and_words():
    found = result(_ran(CLEAR), Guess("a", 10, "a <b> guess"))
    text = hand_in.markdown(found, "Because\nit waits <i>")
    assert "| seed | 7 |" in text
    assert "cores" in text
    assert "> Because\n> it waits <i>" in text
    row = next(line for line in text.splitlines() if line.startswith("| a |"))
    assert row == f"| a | {found['figures']['latency_p99_ms']['rows'][0]['text']} |"
    assert "because: a <b> guess" in text
    page = hand_in.html(found, "it waits <i>")
    assert "it waits &lt;i&gt;" in page
    assert "a &lt;b&gt; guess" in page
    assert found["prediction"]["verdict"].replace("'", "&#39;") in page


class _Session:
    """Stands in for a lab under way: it waits to be stopped."""

    def __init__(self, wish, trials, left_out, listener):
        self._listener, self._stopped = listener, threading.Event()

    def run(self):
        self._listener({"event": "state", "text": "under way"})
        assert self._stopped.wait(10)
        raise Stopped

    def stop(self):
        self._stopped.set()


@contextmanager
def _served(monkeypatch):
    monkeypatch.setattr(runs, "Session", _Session)
    server = uvicorn.Server(uvicorn.Config(web.application(runs.Runs()), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
    assert not thread.is_alive()


def _ask(url, body=None, **headers):
    """Status, body and headers of an answer."""
    content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | {name.replace("_", "-"): one for name, one in headers.items()}
    request = urllib.request.Request(url, content, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers


def test_the_application_runs_one_lab_at_a_time(monkeypatch):
    loaded, trials = _first()
    with _served(monkeypatch) as url:
        status, page, headers = _ask(url)
        assert status == 200
        assert loaded.title in page
        assert "default-src 'self'" in headers["content-security-policy"]
        status, page, _ = _ask(f"{url}/labs/{loaded.name}")
        assert status == 200
        assert all(trial.label in page for trial in trials)
        guess = {"best": trials[0].label, "factor": 2, "why": ""}
        begin = f"{url}/labs/{loaded.name}/runs"
        status, run, _ = _ask(begin, {"knobs": {}, "guess": guess})
        assert (status, json.loads(run)) == (202, {"run": 1})
        assert _ask(begin, {"knobs": {}, "guess": guess})[0] == 409
        assert _ask(f"{url}/runs/1/hand-in", {"words": ""})[0] == 409
        assert _ask(f"{url}/runs/1/stop", {})[0] == 204
        told = _ask(f"{url}/runs/1/events")[1]
        assert "under way" in told
        assert '"problem": "stopped"' in told
        assert "under way" not in _ask(f"{url}/runs/1/events", Last_Event_ID="0")[1]


@pytest.mark.parametrize(
    ("path", "body", "status", "told"),
    [
        ("/labs/none", None, 404, "no lab is called"),
        ("/labs/..%2f..%2fREADME", None, 404, ""),
        ("/runs/9/events", None, 404, "no such run"),
        ("/labs/LAB/runs", b"{", 400, "no JSON"),
        ("/labs/LAB/runs", b"[]", 400, "an object"),
        ("/labs/LAB/runs", b'{"x": "' + 70_000 * b"a" + b'"}', 400, "65,536 bytes"),
        ("/labs/LAB/runs", {"knobs": 3}, 400, "knobs"),
        ("/labs/LAB/runs", {"knobs": {"colour": "red"}}, 422, "has no knob"),
        ("/labs/LAB/runs", {"guess": {"best": "x", "factor": "many"}}, 400, "guess"),
        ("/labs/LAB/runs", {"guess": {"best": "nobody", "factor": 2}}, 422, "not take part"),
        ("/labs/LAB/runs", {"guess": {"best": "x", "factor": float("nan")}}, 400, "guess"),
    ],
)
def test_bad_input_is_refused_and_the_application_goes_on(path, body, status, told, monkeypatch):
    loaded, _ = _first()
    with _served(monkeypatch) as url:
        answer = _ask(url + path.replace("LAB", loaded.name), body)
        assert (answer[0], told in answer[1]) == (status, True), answer
        assert _ask(url)[0] == 200


def test_another_site_cannot_use_it(monkeypatch):
    loaded, _ = _first()
    with _served(monkeypatch) as url:
        assert _ask(url, Host="evil.example")[0] == 400
        assert _ask(f"{url}/labs/{loaded.name}/runs", b"{}", Content_Type="text/plain")[0] == 400


def test_the_command_lists_labs_and_says_what_is_wrong():
    listed = CliRunner().invoke(main, ["lab"])
    assert listed.exit_code == 0
    assert all(name in listed.output for name in lab.find_labs())
    assert CliRunner().invoke(main, ["lab", "none"]).exit_code == 2
    loaded, _ = _first()
    for wrong in (["--set", "x"], ["--predict", "nobody=3"], ["--serve"]):
        assert CliRunner().invoke(main, ["lab", loaded.name, *wrong]).exit_code == 2, wrong


def test_a_failed_run_is_told(monkeypatch):
    class Failing(_Session):
        def run(self):
            raise LabError("nothing starts")

    monkeypatch.setattr(runs, "Session", Failing)
    loaded, _ = _first()
    under_way = runs.Runs()
    run = under_way.start(loaded, {}, None)
    under_way.close()
    assert [event["problem"] for event in run.events] == ["nothing starts"]
    assert run.over


def test_a_database_far_away_answers_later_and_the_same():
    def answer(connection):
        with connection:
            while data := connection.recv(100):
                connection.sendall(data.upper())

    with socket.create_server(("127.0.0.1", 0)) as near:
        port = near.getsockname()[1]

        def serve():
            connection, _ = near.accept()
            answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        with DelayedLink(f"postgres://user@127.0.0.1:{port}/todos?a=b", 0.05) as link:
            assert link.url.startswith("postgres://user@127.0.0.1:")
            assert link.url.endswith("/todos?a=b")
            with socket.create_connection(("127.0.0.1", urlsplit(link.url).port), timeout=10) as client:
                began = time.monotonic()
                client.sendall(b"one")
                assert client.recv(100) == b"ONE"
                assert time.monotonic() - began >= 0.1
        thread.join(10)
        assert not thread.is_alive()


def test_a_teacher_is_told_what_kept_results_have(tmp_path):
    loaded, _ = _first()
    found = result(_ran(CLEAR), None)
    for day, factor in (("27", 1.0), ("28", 2.0), ("29", 1.5)):
        one = json.loads(json.dumps(found))
        one["started_at"] = f"2026-11-{day}T10:00:00+00:00"
        one["figures"]["latency_p99_ms"]["rows"][0]["mean"] *= factor
        (tmp_path / f"202611{day}T100000Z-{loaded.name}.json").write_text(json.dumps(one))
    turned = found | {"knobs": {loaded.knobs[0].name: "another"}}
    (tmp_path / f"20261130T100000Z-{loaded.name}.json").write_text(json.dumps(turned))
    for name in lab.find_labs():
        (tmp_path / f"{name}.md").write_text("# Lab\n<!-- figures -->\n<!-- /figures -->\n")
    pages = notes.written(tmp_path, tmp_path)
    text = pages[tmp_path / f"{loaded.name}.md"]
    middle = found["figures"]["latency_p99_ms"]["rows"][0]["mean"]
    assert f"| a | {1.5 * middle:.2f} ({middle:.2f}–{2 * middle:.2f}) |" in text
    assert "3 runs of 3 rounds, 2026-11-27 to 2026-11-29" in text
    others = [pages[tmp_path / f"{name}.md"] for name in lab.find_labs() if name != loaded.name]
    assert all("No result of this lab is kept" in other for other in others)


def test_the_pages_of_labs_are_as_kept_results_say():
    assert not out_of_date(notes.written()), "run: samewire lab --notes"
