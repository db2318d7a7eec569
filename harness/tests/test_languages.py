"""A language is a folder: one that is added in a copy of the checkout is known, and a broken one breaks itself."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import yaml

from samewire.containers.ports import ports
from samewire.idioms.steps import load_steps
from samewire.languages import find_languages
from samewire.manifest import find_servers, load
from samewire.paths import CHECKOUT, STATE

GO = """
title = "Go"
lint = [["gofmt", "-l", "."]]

[toolchains.go]
program = "go"
version = ["version"]
hint = "https://go.dev/dl/"

[container]
user = 4242
health = ["/server", "healthy"]
"""
SERVER = "servers-go/shortener-net-http"


def _left_out(folder, names):
    made = {"node_modules", "target", "vendor", "__pycache__", "bin", ".venv", ".git"}
    return made | {".samewire"} if Path(folder) == CHECKOUT else made | {"results", "site"}


@pytest.fixture(scope="module")
def checkout():
    """A copy of the checkout with one language more, which has one server."""
    # Not below pytest's folder, which other users may not read: PostgreSQL does not run as root.
    with tempfile.TemporaryDirectory(dir=STATE, prefix="copy-") as folder:
        Path(folder).chmod(0o755)
        yield _copied(Path(folder) / "checkout")


def _copied(copy):
    shutil.copytree(CHECKOUT, copy, ignore=_left_out, symlinks=True)
    # It lies in a folder that git ignores, and is a repository of its own.
    subprocess.run(["git", "init", "--quiet"], cwd=copy, check=True)
    (copy / ".samewire").mkdir()
    for kept in ("toolchains", "cache"):
        (copy / ".samewire" / kept).symlink_to(STATE / kept)
    shutil.copytree(CHECKOUT / "docs/tutorial/shortener-go", copy / SERVER, ignore=_left_out)
    (copy / "servers-go/language.toml").write_text(GO)
    manifest = copy / SERVER / "server.toml"
    manifest.write_text(manifest.read_text().replace("needs = []", 'needs = ["go"]'))
    # The idiom pages ask each server of the checkout for the steps of its service.
    steps = [step.name for step in load_steps() if step.concerns(load(manifest, copy))]
    regions = (f"// #region {step}\nvar _ = {step!r}\n\n// #endregion {step}\n" for step in steps)
    (copy / SERVER / "regions.go").write_text("\n".join(["package main\n", *regions]).replace("'", '"'))
    return copy


def _call(checkout, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "samewire.cli", *arguments],
        cwd=checkout, env=os.environ | {"SAMEWIRE_CHECKOUT": str(checkout)},
        capture_output=True, text=True, timeout=170,
    )  # fmt: skip


def test_its_server_is_listed_with_its_toolchain(checkout) -> None:
    rows = {row["server"]: row for row in json.loads(_call(checkout, "list", "--json").stdout)}
    assert rows[SERVER]["language"] == "Go"
    assert set(rows[SERVER]["missing"]) == (set() if shutil.which("go") else {"go"})


def test_compose_and_kubernetes_have_it(checkout) -> None:
    done = _call(checkout, "compose")
    assert done.returncode == 0, done.stderr
    composed = yaml.safe_load((checkout / "docker-compose.yml").read_text())["services"]["shortener-net-http"]
    assert composed["healthcheck"]["test"] == ["CMD", "/server", "healthy"]
    assert "go" in composed["profiles"]
    before = ports(find_servers())
    page = (checkout / "docs/reference/ports.md").read_text()
    assert all(f"| `{server}` | `http://127.0.0.1:{port}` |" in page for server, port in before.items())
    assert "Go from 81." in page
    done = _call(checkout, "kubernetes")
    assert done.returncode == 0, done.stderr
    rendered = (checkout / "bench/kubernetes/base/shortener/shortener-net-http.yaml").read_text()
    assert yaml.safe_load_all(rendered).__next__()["spec"]["template"]["spec"]["securityContext"]["runAsUser"] == 4242


def test_idiom_pages_show_its_code(checkout) -> None:
    done = _call(checkout, "idioms")
    assert done.returncode == 0, done.stderr
    assert 'var _ = "shortener.lookup"' in (checkout / "docs/idioms/shortener.lookup.md").read_text()


@pytest.mark.skipif(not shutil.which("go"), reason="go is missing")
@pytest.mark.timeout(180)
def test_it_is_built_and_judged(checkout) -> None:
    done = _call(checkout, "verify", SERVER, "--layer", "cases")
    assert done.returncode == 0, done.stdout + done.stderr


PASS = f"""
from samewire import record
from samewire.build import build
from samewire.manifest import find_servers, select

(server,) = select(find_servers(), ["{SERVER}"])
build(server)
record.write_pass(server, {{"cases": {{"passed": 1}}}}, {{}})
"""


@pytest.mark.skipif(not shutil.which("go"), reason="go is missing")
@pytest.mark.timeout(180)
def test_it_races(checkout) -> None:
    # What the suite says of it is the question of another test.
    environment = os.environ | {"SAMEWIRE_CHECKOUT": str(checkout)}
    subprocess.run([sys.executable, "-c", PASS], cwd=checkout, env=environment, check=True)
    done = _call(checkout, "race", "shortener", SERVER, "--profile", "smoke", "--rounds", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = checkout.glob("bench/results/*/run.json")
    (raced,) = json.loads(run.read_text())["servers"]
    assert raced["id"] == SERVER


def test_a_broken_language_breaks_itself_alone(checkout) -> None:
    file = checkout / "servers-go/language.toml"
    try:
        file.write_text("title = 3\n")
        done = _call(checkout, "list", "--json")
        assert done.returncode == 0
        assert "servers-go/language.toml: $.title: 3 is not" in done.stderr
        rows = {row["server"]: row for row in json.loads(done.stdout)}
        assert rows.keys() > {server.id for server in find_servers()}
        assert "no servers-*/language.toml says what it is" in rows[SERVER]["missing"]["go"]
    finally:
        file.write_text(GO)


def test_the_languages_of_the_checkout_are_well_formed(caplog) -> None:
    assert all(language.title and language.health for language in find_languages())
    assert not caplog.messages
