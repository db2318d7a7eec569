"""Profiles of real servers under the load of an experiment, one of each runtime."""

import gzip
import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest
from click.testing import CliRunner
from rich.console import Console

from samewire.cli import main
from samewire.manifest import find_servers
from samewire.profiling import record, run
from samewire.profiling.profilers import JvmProfiler, perf_problem
from samewire.profiling.stacks import Stacks
from samewire.race import validity
from samewire.toolchains import ToolMissing, missing


def _server(tool):
    """A server that needs this tool, of a service whose load is light and needs no database."""
    found = [one for one in find_servers() if one.service == "randoms" and tool in one.needs]
    if not found:
        pytest.skip(f"no server of randoms needs {tool}")
    if lacking := missing([*found[0].needs, "jdk", "maven"]):
        pytest.skip(f"{lacking[0].name} is missing")
    return found[0]


@pytest.fixture
def results(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    return tmp_path


def _profile(server, *patterns, seconds=2.0):
    """A profile of a server that is warmed for a moment."""
    experiment = run.experiment_of("randoms", "event-loop")
    smoke = replace(experiment.profile("smoke"), steady_within_s=1.0)
    experiment = replace(experiment, profiles={"smoke": smoke})
    (found,) = run.profile([run.entrant(server.id)], run.Wish(experiment, "smoke", seconds, patterns, 7), Console())
    return found


@contextmanager
def _noise():
    """Something else that keeps the machine busy, as far as nobody needs it."""
    busy = subprocess.Popen(["nice", "-n", "19", sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        busy.terminate()
        busy.wait()


def _is_written(profiled, results, events):
    """The record, and that it is of what is in the folder."""
    assert profiled.folder.parent == results
    held = json.loads((profiled.folder / "profile.json").read_text())
    stacks = Stacks.read(gzip.decompress((profiled.folder / "stacks.collapsed.gz").read_bytes()).decode())
    assert stacks.samples == held["samples"] > 0
    # How many there are is a matter of what else the machine does. Few are told.
    assert any("shares are rough" in one for one in held["warnings"]) == (stacks.samples < record.FEW)
    assert held["ranked"] is held["server"]["ranked"] is False
    assert held["profiler"]["event"] in events
    assert held["warming"]["windows"]
    assert held["load"]["requests"] > 0
    assert 1.5 < held["seconds"] < 4
    assert {"files", "artefacts", "contract", "pins"} <= held["server"]["digest"].keys()
    assert held["experiment"]["name"] == "event-loop"
    assert held["functions"][0].keys() == {"name", "self", "total"}
    return held


def test_a_command_profiles_two_variants_of_a_node_server_and_compares_them(results):
    name = _server("node").id
    argv = [name, "event-loop", "--against", f"{name}:log-sync", "--profile", "smoke", "--seconds", "2"]
    patterns = ["--share", "consoleCall", "--share", "src/app", "--share", "consoleCall|src/app"]
    with _noise():
        done = CliRunner().invoke(main, ["profile", *argv, *patterns], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "unranked" in done.output
    plain, printing = sorted(results.iterdir())
    assert printing.name.endswith("-profile-randoms-express-log-sync")
    records = [json.loads((folder / "profile.json").read_text()) for folder in (plain, printing)]
    assert [one["server"]["variant"] for one in records] == ["", "log-sync"]
    assert all(validity.COLD in one["warnings"] for one in records)
    assert all("the machine was not quiet during the run" in str(one["warnings"]) for one in records)
    console, app, both = ([one["metrics"][f"stack_share of {it}"] for one in records] for it in patterns[1::2])
    assert console[0] == 0.0 < 0.02 < console[1]
    assert min(app) > 0.1
    assert all(max(pair) <= one < 1 for one, pair in zip(both, zip(console, app, strict=True), strict=True))
    assert any("consoleCall" in one["name"] for one in records[1]["functions"])
    pages = [plain / "flame.html", printing / "flame.html", printing / "difference.html"]
    assert all(f"flame graph: {page}" in done.output.replace("\n", "") for page in pages)
    assert f"from {name} to {name}:log-sync" in pages[2].read_text()


def test_a_jvm_server_is_profiled(results):
    held = _is_written(_profile(_server("jdk"), r"^org/samewire/.*\.\w+$"), results, JvmProfiler.EVENTS)
    assert held["profiler"]["name"] == "async-profiler"
    assert held["metrics"][r"stack_share of ^org/samewire/.*\.\w+$"] > 0.01


def test_a_server_of_many_processes_is_profiled(results):
    server = _server("apache-php")
    try:
        if problem := perf_problem():
            pytest.skip(problem)
    except ToolMissing as missing_perf:
        pytest.skip(str(missing_perf))
    held = _is_written(_profile(server, "^php_|^zend_"), results, ["cpu-clock"])
    assert held["profiler"]["name"] == "perf"
    assert held["metrics"]["stack_share of ^php_|^zend_"] > 0.1


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["nobody"], 2, "no service, server or folder with a server.toml is called 'nobody'"),
        (["randoms"], 1, "'randoms' means "),
        (["randoms-express", "tea"], 2, "no experiment is called 'tea'"),
        (["randoms-express", "--share", "("], 1, "is no regular expression"),
        (["randoms-express", "--against", "shortener-pg"], 1, "not one of servers-node/shortener-pg"),
    ],
)
def test_a_call_that_cannot_be_is_told_before_anything_starts(results, arguments, status, told):
    done = CliRunner().invoke(main, ["profile", *arguments])
    assert (done.exit_code, told in done.output) == (status, True), done.output
    assert not list(results.iterdir())
