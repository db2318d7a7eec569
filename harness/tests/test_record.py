import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from samewire import build as build_module
from samewire import record
from samewire.manifest import Server
from samewire.toolchains import Tool


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "PASSES", tmp_path / "passes")
    monkeypatch.setattr(build_module, "BUILDS", tmp_path / "build")
    contracts = tmp_path / "contract-tests"
    for service in ("shortener", "todo"):
        (contracts / service).mkdir(parents=True)
        (contracts / service / "openapi.yaml").write_text(f"info: {{ title: {service}, version: 1.2.3 }}")
    (contracts / "generated.py").write_text("[]")
    monkeypatch.setattr(record, "CONTRACTS", contracts)
    folder = tmp_path / "servers-node/shortener-x"
    folder.mkdir(parents=True)
    (folder / "main.ts").write_text("one")
    server = Server(
        id="servers-node/shortener-x", folder=folder, service="shortener", language="TypeScript", store="postgresql",
        concurrency="event-loop", stack={"node:http": "HTTP server"}, needs=(), run=("true",), artefacts=("made",),
        build=(("cp", "main.ts", "made"),),
    )  # fmt: skip
    judges = tmp_path / "harness/src/samewire"
    judges.mkdir(parents=True)
    for name in record.JUDGES:
        (judges / f"{name}.py").write_text("judge")
    monkeypatch.setattr(record, "HARNESS", tmp_path / "harness")
    (tmp_path / ".gitignore").write_text("made\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    build_module.build(server)
    return server


def _pass(server):
    record.write_pass(server, {"cases": {"passed": 3}}, {"postgresql": "PostgreSQL 18"})


def test_a_pass_is_fresh_until_something_changes(server):
    assert record.fresh_pass(server) is None
    assert "has not passed" in record.why_stale(server)
    _pass(server)
    assert record.fresh_pass(server)["database"] == "PostgreSQL 18"
    assert record.why_stale(server) == ""


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ("servers-node/shortener-x/main.ts", "its files"),
        ("servers-node/shortener-x/made", "its built files"),
        ("servers-node/shortener-x/atlas.yaml", "its pinned answers"),
        ("contract-tests/generated.py", "the contract"),
        ("contract-tests/shortener/openapi.yaml", "the contract"),
        ("harness/src/samewire/http.py", "the contract"),
        ("harness/src/samewire/toolchains.py", "the contract"),
    ],
)
def test_a_change_makes_it_stale_and_says_what_changed(server, tmp_path, changed, reason):
    _pass(server)
    (tmp_path / changed).write_text("two")
    assert record.fresh_pass(server) is None
    assert reason in record.why_stale(server)


@pytest.mark.parametrize("name", ["README.md", "Dockerfile", "atlas.yaml", "attacks.yaml"])
def test_what_says_something_of_a_server_is_not_what_it_is_built_from(server, name):
    (server.folder / name).write_text("two")
    assert build_module.is_built(server)


def test_a_pass_on_the_stand_in_is_none_on_a_real_mongodb(server, monkeypatch):
    server = replace(server, store="mongodb")
    monkeypatch.setattr(record, "mongod", lambda: Tool("mongod", None, "", ""))
    _pass(server)
    assert record.fresh_pass(server)
    monkeypatch.setattr(record, "mongod", lambda: Tool("mongod", Path("mongod"), "6.0.5", ""))
    assert record.fresh_pass(server) is None
    assert "its database changed" in record.why_stale(server)


@pytest.mark.parametrize("name", ["README.md", "shortener/README.md"])
def test_prose_does_not_matter(server, tmp_path, name):
    _pass(server)
    (tmp_path / "contract-tests" / name).write_text("two")
    assert record.fresh_pass(server)


def test_another_services_contract_does_not_matter(server, tmp_path):
    _pass(server)
    (tmp_path / "contract-tests/todo/openapi.yaml").write_text("two")
    assert record.fresh_pass(server)


def test_what_passed_as_an_image_says_nothing_of_the_process_nor_of_another_image(server):
    record.write_pass(server, {"cases": {"passed": 3}}, {}, "sha256:one")
    assert record.fresh_pass(server) is None
    assert record.fresh_pass(server, "sha256:one")
    assert record.fresh_pass(server, "sha256:two") is None
    assert "its image changed" in record.why_stale(server, "sha256:two")
    _pass(server)
    record.remove_pass(server, "sha256:two")
    assert record.fresh_pass(server)


def test_a_failure_removes_the_record(server):
    _pass(server)
    record.remove_pass(server)
    assert record.fresh_pass(server) is None


def test_a_build_is_done_once_and_again_after_a_change(server):
    made = server.folder / "made"
    made.write_text("touched by hand")
    build_module.build(server)
    assert made.read_text() == "touched by hand"
    (server.folder / "main.ts").write_text("two")
    build_module.build(server)
    assert made.read_text() == "two"


def test_a_failed_build_says_command_folder_and_output(server):
    broken = replace(server, id="servers-node/other", build=(("sh", "-c", "echo the reason; exit 3"),), artefacts=())
    with pytest.raises(build_module.BuildError, match=r"(?s)sh -c.*shortener-x.*status 3.*the reason"):
        build_module.build(broken)


def test_a_build_that_maven_did_with_a_missing_pom_is_a_failure(server):
    warning = "[WARNING] The POM for org.example:thing:jar:1 is missing, no dependency information available"
    broken = replace(server, id="servers-java/other", build=(("echo", warning),), artefacts=())
    with pytest.raises(build_module.BuildError, match=r"The POM for org\.example"):
        build_module.build(broken)
