"""The servers of the tutorial, outside `servers-*/`: built and judged where their toolchains are."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from samewire import record
from samewire.build import build
from samewire.manifest import add_folder
from samewire.paths import CHECKOUT

FOLDERS = sorted(file.parent for file in CHECKOUT.glob("docs/tutorial/*/server.toml"))

each_server = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def _call(*arguments):
    argv = [sys.executable, "-m", "samewire.cli", *map(str, arguments)]
    # What lives for seconds is not worth an optimising compiler.
    environment = os.environ | {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}
    return subprocess.run(argv, cwd=CHECKOUT, env=environment, capture_output=True, text=True, timeout=580)


@each_server
@pytest.mark.timeout(600)
def test_it_is_built_and_keeps_the_contract(folder) -> None:
    program = tomllib.loads((folder / "server.toml").read_text())["build"][0][0]
    if not shutil.which(program):
        pytest.skip(f"{program} is missing")
    done = _call("verify", folder, "--layer", "cases", "--layer", "wire")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(300)
def test_a_race_takes_a_server_by_its_folder_and_asks_for_its_pass(monkeypatch) -> None:
    if not shutil.which("go"):
        pytest.skip("go is missing")
    folder = CHECKOUT / "docs/tutorial/shortener-go"
    monkeypatch.setenv("SAMEWIRE_WITH", "")
    server = add_folder(folder)
    race = ("race", "shortener", folder.name, "--with", folder, "--profile", "smoke", "--rounds", "1")
    record.remove_pass(server)
    done = _call(*race)
    assert done.returncode == 1
    assert f"samewire verify {folder}" in " ".join(done.stderr.split())
    build(server)
    # What the suite says of it is the question of another test.
    record.write_pass(server, {"cases": {"passed": 1}}, {})
    try:
        done = _call(*race)
    finally:
        record.remove_pass(server)
    assert done.returncode == 0, done.stdout + done.stderr
    written = Path(re.search(r"^report: (.*)$", done.stdout, re.MULTILINE)[1]).parent
    (raced,) = json.loads((written / "run.json").read_text())["servers"]
    assert raced["id"] == folder.name
    shutil.rmtree(written)
