"""Labs in which a fault is mended: their faults, the copy that a reader edits, what the suite says, and the pages."""

import json
import re
import shutil
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from click.testing import CliRunner
from rich.console import Console

from samewire import build
from samewire.checks import races
from samewire.cli import main
from samewire.labs import LabError, NotFound, hand_in
from samewire.labs.changes import Change, plant, undo
from samewire.labs.mending import HTML, MARKDOWN, declaration, verification, workspace
from samewire.labs.mending import attempt as attempts
from samewire.labs.mending.declaration import Fault, Kind, Mending
from samewire.labs.mending.verification import BROKEN, GREEN, RED, Failure, Verdict
from samewire.labs.runs import Runs
from samewire.labs.web import application
from samewire.manifest import Server, find_servers
from samewire.paths import CONTRACTS

LABS = [declaration.load(name) for name in declaration.find_mendings()]
each_fault = pytest.mark.parametrize(
    ("lab", "fault"),
    [pytest.param(lab, fault, id=f"{lab.name}-{fault.name}") for lab in LABS for fault in lab.faults],
)


def _server_of(fault):
    for server in find_servers():
        if server.id == fault.server:
            return server
    pytest.skip("its server is not here")


@each_fault
def test_each_fault_is_planted_in_the_code_as_it_is(lab, fault, tmp_path):
    server = _server_of(fault)
    for file in fault.files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(server.folder / file, tmp_path / file)
    plant(fault.changes, tmp_path)
    assert all((tmp_path / file).read_text() != (server.folder / file).read_text() for file in fault.files)
    undo(fault.changes, tmp_path)
    assert all((tmp_path / file).read_text() == (server.folder / file).read_text() for file in fault.files)


@each_fault
def test_a_reader_may_edit_the_files_of_each_fault_among_others(lab, fault):
    files = workspace._files(_server_of(fault).folder)
    assert set(fault.files) < set(files)


@each_fault
def test_the_tests_that_find_a_fault_are_there_and_it_does_not_give_itself_away(lab, fault):
    tests = "\n".join(path.read_text() for path in CONTRACTS.rglob("test_*.py"))
    for name in fault.found_by:
        assert f"def {name}(" in tests
    assert not any(re.search("fault|wrong|bug|race|lost|torn", one.wrong, re.IGNORECASE) for one in fault.changes)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_faults_are_of_several_kinds_and_languages(lab):
    assert len(lab.faults) >= 4
    assert len({fault.server.partition("/")[0] for fault in lab.faults}) >= 2
    assert {fault.kind for fault in lab.faults} < {kind.name for kind in lab.kinds}


def _lab(server="servers-test/small"):
    fault = Fault(
        "swapped", server, "torn", ("cases",), "not test_variant", ("test_a",), ("look", "look at it"),
        ("one", "two", "three"), (Change("src/a.ts", "right();\n", "left();\n"),),
    )  # fmt: skip
    kinds = (Kind("torn", "in pieces"), Kind("leak", "runs out"))
    return Mending("small", "Small", "What?", "About.", 1, (), kinds, ("Go on.",), (fault,))


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A server of two files, which needs no build and no toolchain; and where attempts at its lab are kept."""
    monkeypatch.setattr(build, "BUILDS", tmp_path / "build")
    folder = tmp_path / "servers-test/small"
    (folder / "src").mkdir(parents=True)
    (folder / "node_modules/one").mkdir(parents=True)
    (folder / "node_modules/one/index.js").write_text("installed")
    (folder / ".gitignore").write_text("built\n")
    (folder / "built").write_text("by a compiler")
    (folder / "src/a.ts").write_text("// #region one\nright();\n// #endregion one\n")
    (folder / "src/b.ts").write_text("// #region two\nother();\n// #endregion two\n")
    (folder / "src/c.ts").write_text("no step\n")
    (folder.parent / "_shared").mkdir()
    return Server("servers-test/small", folder, "todo", "TypeScript", "memory", "", {}, (), (), ("true",))


@pytest.fixture
def attempt(small, tmp_path):
    return attempts.begin(_lab(), 7, tmp_path / "attempts", [small])


def _verdict(status, *failures):
    return Verdict("2026-11-27T10:00:00+00:00", status, 12.3, failures, "all that was printed")


FAILURE = Failure("todo/test_a.py", "test_a", "A thing is <whole>.", "AssertionError: half")


def test_a_copy_has_the_fault_and_is_a_checkout_of_its_own(attempt, small):
    checkout = attempt.workspace.checkout
    assert attempt.workspace.folder == checkout / small.id
    assert "left();" in (attempt.workspace.folder / "src/a.ts").read_text()
    assert "right();" in (small.folder / "src/a.ts").read_text()
    assert (attempt.workspace.folder / "built").read_text() == "by a compiler"
    assert (checkout / "contract-tests/pytest.ini").is_file()
    assert not (checkout / "contract-tests").is_symlink()
    assert (checkout / "servers-test/_shared").is_symlink()
    assert attempt.workspace.diff() == ""
    # What is written over in the copy is not written over in the server.
    (attempt.workspace.folder / "built").write_text("anew")
    assert (small.folder / "built").read_text() == "by a compiler"


def test_a_reader_writes_what_has_steps_and_nothing_else(attempt):
    copy = attempt.workspace
    assert copy.files == ("src/a.ts", "src/b.ts")
    text = copy.read("src/a.ts")
    copy.write("src/a.ts", text, text.replace("left", "right"))
    assert "-left();\n+right();\n" in copy.diff()
    with pytest.raises(workspace.Conflict, match="was changed elsewhere"):
        copy.write("src/a.ts", text, "other")
    for file in ("src/c.ts", "../../../../etc/passwd", "/etc/passwd", ""):
        with pytest.raises(LabError, match="is not one of"):
            copy.read(file)
        with pytest.raises(LabError, match="is not one of"):
            copy.write(file, "", "x")
    (copy.folder / "src/new.ts").write_text("new file\n")
    assert "+new file" in copy.diff()


def test_an_attempt_is_gone_on_with_until_it_is_mended(attempt, small, tmp_path):
    lab, folder = attempt.lab, tmp_path / "attempts"
    attempt.add(_verdict(RED, FAILURE))
    attempt.predict("leak", "src/b.ts", "a guess")
    again = attempts.begin(lab, 7, folder, [small])
    assert again.runs == attempt.runs
    assert again.prediction == attempt.prediction
    assert attempts.newest(lab, folder).seed == 7
    # Green by luck is not mended: nothing was changed.
    again.add(_verdict(GREEN))
    assert not again.mended
    again.mend()
    again.add(_verdict(GREEN))
    assert again.mended
    assert attempts.newest(lab, folder) is None
    assert "right();" in again.workspace.read("src/a.ts")
    # The same seed plants the same fault anew.
    assert attempts.begin(lab, 7, folder, [small]).runs == []
    with pytest.raises(NotFound, match="seed 8"):
        attempts.find(lab, 8, folder)
    with pytest.raises(LabError, match="from 1 to"):
        attempts.begin(lab, 0, folder, [small])


def test_what_the_fault_is_comes_out_only_when_it_is_mended(attempt):
    shown = json.dumps(attempt.shown())
    assert "swapped" not in shown
    assert "torn" not in shown
    assert attempt.shown()["hints"] == []
    attempt.add(_verdict(RED, FAILURE))
    assert attempt.shown()["hints"] == ["look", "look at it"]
    assert attempt.shown()["result"] is None
    attempt.mend()
    attempt.add(_verdict(GREEN))
    assert attempt.shown()["result"]["why"] == ["one", "two", "three"]
    assert "-right();\n+left();" in attempt.shown()["result"]["planted"]


@pytest.mark.parametrize(
    ("kind", "file", "told"),
    [
        ("torn", "src/a.ts", "You named the kind: torn. You named the file, src/a.ts."),
        ("leak", "src/b.ts", "You expected: leak. It is: torn. You expected it in src/b.ts. It is in src/a.ts."),
    ],
)
def test_the_prediction_stands_beside_what_was_planted(attempt, kind, file, told):
    attempt.add(_verdict(RED, FAILURE))
    attempt.predict(kind, file)
    attempt.add(_verdict(BROKEN))
    attempt.mend()
    attempt.add(_verdict(GREEN))
    assert attempt.result()["verdict"].endswith(f"Runs of the suite: 3, and not green: 2. {told}")
    for wrong in (("deadlock", file), (kind, "src/c.ts")):
        with pytest.raises(LabError, match="these are"):
            attempt.predict(*wrong)


def test_a_page_to_hand_in_has_the_failing_test_the_change_and_the_words(attempt):
    attempt.add(_verdict(RED, FAILURE))
    attempt.predict("torn", "src/a.ts", "it is <half>")
    attempt.mend()
    attempt.add(_verdict(GREEN))
    text = hand_in.markdown(attempt.result(), "Because\nso", MARKDOWN)
    assert "- `todo/test_a.py`, `test_a`: A thing is <whole>." in text
    assert "AssertionError: half" in text
    assert "\n    -left();\n    +right();\n" in text
    assert "> Because\n> so" in text
    assert "| seed | 7 |" in text
    assert "| 2 | 2026-11-27T10:00:00+00:00 | green | 0 |" in text
    page = hand_in.html(attempt.result(), "it is <half>", HTML)
    assert "A thing is &lt;whole&gt;." in page
    assert page.count("it is &lt;half&gt;") == 2
    assert "+right();" in page


def test_failures_say_what_their_tests_are_about():
    module = "todo/test_concurrency.py"
    lines = [
        f"{module}::test_one_delete_of_many_finds_it[servers-java/todo-spring]: assert 3 == 1",
        "test_cases.py::test_case[servers-java/todo-spring-create]: todo-spring: an answer: of another kind",
        f"{module}::test_a_patch_brings_nothing_back[servers-java/todo-spring-empty]: AssertionError: lost",
        "servers-java/todo-spring does not build: mvn package",
    ]
    first, second, third = verification._failures(lines, CONTRACTS.parent, "servers-java/todo-spring")
    assert (first.module, first.test, first.message) == (module, "test_one_delete_of_many_finds_it", "assert 3 == 1")
    assert first.about.startswith("Of all who delete the same todo")
    assert second.about == "create"
    assert second.message == "todo-spring: an answer: of another kind"
    assert third.about.startswith("One client writes the title")
    assert third.about.endswith("(empty)")


def test_a_seed_chooses_among_the_faults_that_can_be_planted_here(small, monkeypatch):
    (lab, *_) = LABS
    monkeypatch.setattr(declaration, "missing", lambda needs: [])
    able = lab.able(find_servers())
    if not able:
        pytest.skip("its servers are not here")
    drawn = [lab.drawn(find_servers(), seed)[0].name for seed in range(1, 200)]
    assert set(drawn) == {fault.name for fault, _ in able}
    assert drawn == [lab.drawn(find_servers(), seed)[0].name for seed in range(1, 200)]
    with pytest.raises(LabError, match="none of its servers is here"):
        lab.drawn([small], 1)


def test_a_wrong_file_is_told_with_its_place(tmp_path):
    folder = tmp_path / "a"
    shutil.copytree(declaration.LABS / LABS[0].name, folder)
    fault = sorted((folder / "faults").glob("*.toml"))[0]
    right = fault.read_text()
    fault.write_text(right.replace("why = [", "because = ["))
    with pytest.raises(LabError, match=rf"faults/{fault.name}: \$: "):
        declaration.load("a", tmp_path)
    fault.write_text(re.sub(r'^kind = ".*"', 'kind = "odd"', right, flags=re.MULTILINE))
    with pytest.raises(LabError, match=r"a/lab\.toml: \$\.kinds has not: odd"):
        declaration.load("a", tmp_path)
    fault.write_text("kind = \n")
    with pytest.raises(LabError, match=f"faults/{fault.name}: Invalid value"):
        declaration.load("a", tmp_path)
    with pytest.raises(NotFound, match="no lab is called 'b'"):
        declaration.load("b", tmp_path)


def test_the_command_lists_these_labs_and_says_what_is_wrong():
    listed = CliRunner().invoke(main, ["lab"])
    assert listed.exit_code == 0
    for lab in LABS:
        assert lab.name in listed.output
        for wrong in (["--set", "a=1"], ["--keep"]):
            assert CliRunner().invoke(main, ["lab", lab.name, *wrong]).exit_code == 2, wrong


def test_make_test_runs_each_of_them_with_a_fault_that_can_be_planted(monkeypatch):
    monkeypatch.setattr(declaration, "missing", lambda needs: [])
    servers = find_servers()
    able = [lab for lab in LABS if lab.able(servers)]
    jobs = races._mending_jobs(Console(), servers, 7, [])
    assert [job.name for job in jobs] == [f"lab {lab.name} in small" for lab in able]
    assert races._mending_jobs(Console(), [], 7, []) == []


@contextmanager
def _served():
    server = uvicorn.Server(uvicorn.Config(application(Runs()), port=0, log_level="warning"))
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


def _ask(url, body=None):
    content = body if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, content, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_pages_show_the_copy_and_take_changes(attempt, monkeypatch):
    lab = LABS[0]
    monkeypatch.setattr(attempts, "find", lambda lab, seed: attempt if seed == 7 else _nothing())
    monkeypatch.setattr(attempts, "newest", lambda lab: None)
    with _served() as url:
        assert f'href="/labs/{lab.name}"' in _ask(url)[1]
        status, page = _ask(f"{url}/labs/{lab.name}")
        assert status == 200
        assert all(kind.name in page for kind in lab.kinds)
        own = f"{url}/labs/{lab.name}/attempts/7"
        text = json.loads(_ask(f"{own}/file?name=src/a.ts")[1])["text"]
        assert "left();" in text
        assert _ask(f"{own}/file", {"name": "src/a.ts", "before": text, "text": text + "\n"})[0] == 204
        assert _ask(f"{own}/file", {"name": "src/a.ts", "before": text, "text": "x"})[0] == 409
        assert _ask(f"{own}/file", {"name": "src/c.ts", "before": "", "text": "x"})[0] == 422
        assert _ask(f"{own}/file", {"name": 7})[0] == 400
        assert _ask(f"{own}/file?name=/etc/passwd")[0] == 422
        assert json.loads(_ask(f"{own}/prediction", {"kind": "torn", "file": "src/a.ts"})[1])["prediction"]
        assert _ask(f"{own}/prediction", {"kind": "odd", "file": "src/a.ts"})[0] == 422
        assert _ask(f"{own}/hand-in", {"words": ""}) == (409, "the suite is not green yet")
        assert _ask(f"{url}/labs/{lab.name}/attempts/8/runs", {})[0] == 404
        assert _ask(f"{url}/labs/{lab.name}/attempts", {"seed": "x"})[0] == 400
        assert _ask(f"{url}/labs/none/attempts", {})[0] == 404


def _nothing():
    raise NotFound("nothing was planted")


def test_an_attempt_of_a_fault_that_is_gone_is_told(attempt, tmp_path):
    path = Path(attempt.folder, "attempt.json")
    path.write_text(path.read_text().replace('"swapped"', '"another"'))
    with pytest.raises(LabError, match="plant another one"):
        attempts.find(attempt.lab, 7, tmp_path / "attempts")
    assert attempts.newest(attempt.lab, tmp_path / "attempts") is None
