"""Reports of a run of the suite; and the options that choose tests, on a server that is wrong."""

import json
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from samewire import conformance, outcomes
from samewire.cli import judge, main
from samewire.manifest import SelectionError
from samewire.outcomes import SUITE
from samewire.paths import CHECKOUT


def _result(test, outcome, problem="", layer="cases"):
    return {"test": test, "layer": layer, "servers": ["mine"], "outcome": outcome, "seconds": 0.5, "problem": problem}


LAST = {
    "outcomes": {
        "mine": {"cases": {"passed": 1, "failed": 1, "skipped": 1}, "life": {"skipped": 1}},
        SUITE: {"faults": {"passed": 1}},
    },
    "contracts": {"todo": "2.0.0"},
    "databases": {"postgresql": "PostgreSQL 18"},
    "tls": {"mine": "TLSv1.3, ALPN h2"},
    "narrowed": [],
    "reasons": {"life: not a server of this checkout": 1, "cases: known to fail, by known.txt": 1},
    "failures": ["test_cases.py::test_case[mine-a/b]: status: contract 201, server 200", "mine died during the tests"],
    "results": [
        _result("test_cases.py::test_case[mine-a/a]", "passed"),
        _result("test_cases.py::test_case[mine-a/b]", "failed", "status: <contract> 201\nthe byte \x00 and ``` in it"),
        _result("test_cases.py::test_case[mine-a/c]", "known", "known to fail, by known.txt"),
        _result("test_life.py::test_stop[mine]", "skipped", "not a server of this checkout", "life"),
    ],
}


def _written(tmp_path, kind, last=LAST):
    file = tmp_path / kind
    conformance.write(conformance.parse([f"{kind}={file}"]), last)
    return file.read_text()


def test_junit_has_a_suite_for_each_layer(tmp_path) -> None:
    report = ET.fromstring(_written(tmp_path, "junit"))
    assert {suite.get("name"): suite.get("tests") for suite in report} == {"cases": "3", "life": "1", "processes": "1"}
    assert (report.get("tests"), report.get("failures"), report.get("skipped"), report.get("errors")) == (
        "5", "1", "2", "1",
    )  # fmt: skip
    assert report.find("./testsuite/properties/property").get("value") == "2.0.0"
    failure = report.find(".//failure")
    assert failure.get("message") == "status: <contract> 201"
    assert failure.text == "status: <contract> 201\nthe byte \N{REPLACEMENT CHARACTER} and ``` in it"


def test_markdown_says_the_verdict_first(tmp_path) -> None:
    text = _written(tmp_path, "markdown")
    assert text.startswith(
        "**Fails** the contract suite of Samewire (todo 2.0.0): 1 tests passed, 1 failed, 1 were not tried"
    )
    assert "| server | cases | life |\n|---|---|---|\n| mine | 1 of 3 | 0 of 1 |\n" in text
    assert "- mine died during the tests\n" in text
    assert "- 1 of life: not a server of this checkout\n" in text
    assert "\n````text\nstatus: <contract> 201\n" in text
    assert SUITE not in text


def test_markdown_fits_in_a_comment(tmp_path) -> None:
    many = [_result(f"test_cases.py::test_case[mine-a/{i}]", "failed", "x" * 5000) for i in range(100)]
    text = _written(tmp_path, "markdown", LAST | {"results": many})
    assert len(text) < 65_536
    assert "more failures do not fit here" in text


def test_html_shows_what_was_sent_as_text(tmp_path) -> None:
    text = _written(tmp_path, "html")
    assert "<h1>Fails the contract suite</h1>" in text
    assert "status: &lt;contract&gt; 201" in text
    assert "<contract>" not in text


def test_ndjson_has_a_line_for_the_run_and_one_for_each_test(tmp_path) -> None:
    run, *tests = map(json.loads, _written(tmp_path, "ndjson").splitlines())
    assert run["counts"] == {"passed": 1, "failed": 1, "known": 1, "skipped": 1}
    assert run["passes"] is False
    assert [test["outcome"] for test in tests] == ["passed", "failed", "known", "skipped"]


def test_a_run_passes_where_something_was_tried_and_nothing_failed(tmp_path) -> None:
    passed = LAST | {"failures": [], "results": LAST["results"][:1]}
    assert json.loads(_written(tmp_path, "ndjson", passed).splitlines()[0])["passes"] is True
    assert json.loads(_written(tmp_path, "ndjson", outcomes.nothing()).splitlines()[0])["passes"] is False


def test_a_part_of_the_suite_is_told_as_a_part(tmp_path) -> None:
    last = LAST | {"narrowed": ["--layer cases"], "failures": [], "results": LAST["results"][:1]}
    assert json.loads(_written(tmp_path, "ndjson", last).splitlines()[0])["narrowed"] == ["--layer cases"]
    assert _written(tmp_path, "markdown", last).startswith("**Passes** a part (`--layer cases`) of the contract suite")
    assert "<h1>Passes a part of the contract suite</h1>" in _written(tmp_path, "html", last)
    properties = ET.fromstring(_written(tmp_path, "junit", last)).findall("./testsuite/properties/property")
    assert {one.get("name"): one.get("value") for one in properties}["a part of the suite"] == "--layer cases"
    _, shields = _badge(tmp_path, last)
    assert (shields["message"], shields["color"]) == ("1 passed, a part of the suite", "yellow")


def _badge(tmp_path, last):
    report = tmp_path / "report.ndjson"
    report.write_text(_written(tmp_path, "ndjson", last))
    done = CliRunner().invoke(main, ["badge", str(report)])
    assert done.exit_code == 0, done.output
    svg, shields = (Path(line) for line in done.output.split())
    drawn = ["".join(text.itertext()) for text in ET.parse(svg).iter("{http://www.w3.org/2000/svg}text")]
    return drawn[::2], json.loads(shields.read_text())


@pytest.mark.parametrize(
    ("chosen", "message", "colour"),
    [
        (lambda one: True, "1 failed", "red"),
        (lambda one: one["outcome"] in ("passed", "known"), "1 passed, 1 known to fail", "yellow"),
        (lambda one: one["outcome"] == "passed", "1 passed", "green"),
        (lambda one: False, "fails", "red"),
    ],
)
def test_a_badge_tells_the_verdict_as_an_image_and_for_shields(tmp_path, chosen, message, colour) -> None:
    last = LAST | {"failures": [], "results": [one for one in LAST["results"] if chosen(one)]}
    drawn, shields = _badge(tmp_path, last)
    assert drawn == ["todo 2.0.0", message]
    assert shields == {"schemaVersion": 1, "label": "todo 2.0.0", "message": message, "color": colour}


@pytest.mark.parametrize("content", ["", "{}", "[]", "\xff", '{"counts": 1, "contracts": {}, "passes": true}'])
def test_a_badge_of_a_file_that_is_no_report_is_refused_in_one_line(tmp_path, content) -> None:
    report = tmp_path / "report.ndjson"
    report.write_bytes(content.encode("latin-1"))
    done = CliRunner().invoke(main, ["badge", str(report)])
    assert done.exit_code == 2
    assert "is no report that `samewire verify --report ndjson=FILE` wrote" in done.output
    assert not list(tmp_path.glob("*.svg"))


@pytest.mark.parametrize("given", ["junit", "junit=", "pdf=x", "html=/no/such/folder/x.html", "html=/tmp"])
def test_a_report_that_cannot_be_written_is_refused_at_once(given) -> None:
    with pytest.raises(SelectionError, match="--report"):
        conformance.parse([given])


def test_the_last_failed_are_chosen_by_their_ids(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(outcomes, "OUTCOMES", tmp_path / "outcomes.json")
    faults = _result("test_faults.py::test_a", "failed", layer="faults") | {"servers": [SUITE]}
    outcomes.OUTCOMES.write_text(json.dumps(LAST | {"results": [*LAST["results"], faults]}))
    assert judge._failed((), (), given=True) == ((), ("test_cases.py::test_case[mine-a/b]",))
    assert judge._failed(("todo",), ("x",), given=False) == (("todo",), ("x", "test_cases.py::test_case[mine-a/b]"))


@pytest.fixture(scope="module")
def wrong():
    """The URL of a TODO server that has its list and nothing else, and says of everything that it is fine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = b'{"items": [], "next": null}'
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def _verify(url, tmp_path, *arguments):
    """The exit status and the tests of a run on the server at a URL."""
    file = tmp_path / "report.ndjson"
    argv = [sys.executable, "-m", "samewire.cli", "verify", "--service", "todo", f"--url=mine={url}"]
    argv += ["--layer", "cases", f"--report=ndjson={file}"]
    done = subprocess.run([*argv, *arguments], cwd=CHECKOUT, capture_output=True, text=True, timeout=100)
    lines = file.read_text().splitlines() if file.exists() else []
    tests = [json.loads(line) for line in lines if '"type": "test"' in line]
    return done, {test["test"].partition("[")[2].removeprefix("mine-").removesuffix("]"): test for test in tests}


def test_the_first_failure_ends_the_run(wrong, tmp_path) -> None:
    done, tests = _verify(wrong, tmp_path, "-x")
    assert done.returncode == 1, done.stdout + done.stderr
    assert sum(test["outcome"] == "failed" for test in tests.values()) >= 1
    everything, all_tests = _verify(wrong, tmp_path)
    assert everything.returncode == 1
    assert len(tests) < len(all_tests)


def test_a_case_is_asked_alone_and_may_be_known_to_fail(wrong, tmp_path) -> None:
    done, tests = _verify(wrong, tmp_path, "--only", "health/healthy", "--only", "delete/deleted[any]")
    assert done.returncode == 1
    outcome_of = {name: test["outcome"] for name, test in tests.items()}
    assert outcome_of == {"health/healthy": "passed", "delete/deleted": "failed"}
    known = tmp_path / "known.txt"
    known.write_text("# Not there yet.\ndelete/deleted # a comment\n")
    done, again = _verify(wrong, tmp_path, *(f"--only={name}" for name in tests), "--known-failing", str(known))
    assert done.returncode == 0, done.stdout
    assert {test["outcome"] for test in again.values()} == {"passed", "known"}
    known.write_text("".join(f"{name}\n" for name in tests))
    done, _ = _verify(wrong, tmp_path, *(f"--only={name}" for name in tests), "--known-failing", str(known))
    assert done.returncode == 1
    assert "if it passes, delete its line" in done.stdout
    known.write_text("delete/deleted\ndelete/delted\n")
    done, _ = _verify(wrong, tmp_path, "--only=delete/deleted", "--known-failing", str(known))
    assert done.returncode == 1
    assert f"{known}: no test is called delete/delted." in re.sub(r"\s+", " ", done.stdout)


def test_a_trace_shows_what_goes_over_the_wire(wrong, tmp_path) -> None:
    done, _ = _verify(wrong, tmp_path, "--only", "health/healthy", "--trace")
    assert done.returncode == 0, done.stdout
    assert re.search(r"ms \d+ > GET /healthz HTTP/1\.1\\r\\n$", done.stdout, re.MULTILINE)
    assert re.search(r"ms \d+ < HTTP/1\.1 200 OK\\r\\n$", done.stdout, re.MULTILINE)
    assert re.search(r'ms \d+ < \{"items": \[\], "next": null\}$', done.stdout, re.MULTILINE)
