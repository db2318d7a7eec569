"""The action for GitHub and the job for GitLab, run as their runners run them: scripts of bash with some variables."""

import os
import signal
import subprocess
import sys
from itertools import pairwise

import pytest
import yaml

from samewire.manifest import find_servers, least_demanding
from samewire.paths import HARNESS
from samewire.process import free_port
from samewire.testbed import Testbed

ACTION = yaml.safe_load((HARNESS / "ci/action.yml").read_text())
JOB = yaml.safe_load((HARNESS / "ci/gitlab.yml").read_text())


def _run(tmp_path, url, arguments=""):
    """The step, with a `pipx` that runs the checkout's own command in place of a wheel's."""
    (step,) = ACTION["runs"]["steps"]
    assert step["shell"] == "bash"
    bin_ = tmp_path / "bin"
    bin_.mkdir(exist_ok=True)
    pipx = bin_ / "pipx"
    pipx.write_text(f'#!/bin/sh\ntest "$1 $2 $3 $4" = "run --spec a.whl samewire" || exit 9\nshift 4\n'
                    f'exec {sys.executable} -m samewire.cli "$@"\n')  # fmt: skip
    pipx.chmod(0o755)
    given = {"wheel": "a.whl", "service": "todo", "url": url, "wait-seconds": "1", "arguments": arguments}
    assert given.keys() == ACTION["inputs"].keys()
    variables = {
        name: value.replace("${{ inputs.", "").replace(" }}", "").strip() for name, value in step["env"].items()
    }
    environment = os.environ | {name: given[key] for name, key in variables.items()}
    environment |= {"RUNNER_TEMP": str(tmp_path), "CI": "true", "PATH": f"{bin_}:{os.environ['PATH']}"}
    environment |= {name: str(tmp_path / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=environment, capture_output=True, text=True, timeout=110, cwd=tmp_path,
    )  # fmt: skip


@pytest.mark.timeout(120)
def test_the_verdict_is_in_the_summary_of_the_job(tmp_path) -> None:
    able = [server for server in find_servers() if server.service == "todo"]
    with Testbed(brief=True) as testbed:
        done = _run(tmp_path, testbed.start(least_demanding(able)).target.url, "-k delete")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        (tmp_path / "GITHUB_STEP_SUMMARY")
        .read_text()
        .startswith("**Passes** a part (`-k delete`) of the contract suite")
    )
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"junit={tmp_path}/samewire.xml\n"
    assert 'failures="0"' in (tmp_path / "samewire.xml").read_text()


def test_a_server_that_is_not_there_fails_the_job(tmp_path) -> None:
    done = _run(tmp_path, "http://127.0.0.1:1")
    assert done.returncode == 1
    assert "nothing listens" in done.stderr
    assert not (tmp_path / "GITHUB_STEP_SUMMARY").exists()


@pytest.mark.timeout(120)
def test_the_job_for_gitlab_starts_the_server_and_judges_it(tmp_path) -> None:
    """As a runner runs it: the lines of `script`, in one shell that ends at the first that fails."""
    port, job = free_port(), JOB["prove"]
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    command = f"exec {sys.executable} -m samewire.cli"
    for file, text in (
        (bin_ / "pip", 'test "$*" = "install --quiet ./a.whl"'),
        (bin_ / "samewire", f'{command} "$@" -k healthy'),
        (tmp_path / "start-my-server", f"{command} serve randoms --port {port}"),
    ):
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
    given = {"WHEEL": "a.whl", "SERVICE": "randoms", "SERVER_URL": f"http://127.0.0.1:{port}"}
    assert given.keys() == job["variables"].keys()
    running = subprocess.Popen(
        ["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])], cwd=tmp_path, start_new_session=True,
        env=os.environ | given | {"CI": "true", "PATH": f"{bin_}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        # The server of the job holds the pipe open, so that it is not read to its end.
        status = running.wait(110)
    finally:
        os.killpg(running.pid, signal.SIGTERM)
        printed = running.communicate(timeout=30)[0]
    assert status == 0, printed
    assert 'failures="0"' in (tmp_path / job["artifacts"]["reports"]["junit"]).read_text()


def test_both_ask_the_same_layers() -> None:
    def layers(text: str) -> list[str]:
        words = text.split()
        return [after for word, after in pairwise(words) if word == "--layer"]

    assert layers(" ".join(JOB["prove"]["script"])) == layers(ACTION["runs"]["steps"][0]["run"])
