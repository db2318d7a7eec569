"""The command as a person or a script calls it: real databases, real servers, exit statuses."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from samewire.build import BuildError
from samewire.cli import progress
from samewire.cli.progress import with_progress
from samewire.manifest import find_servers, least_demanding
from samewire.paths import CHECKOUT, RUNS, STATE

SAMEWIRE = [sys.executable, "-m", "samewire.cli"]
# Any two shorteners will do: one for each store, the first of each.
SHORTENERS = [server for server in find_servers() if server.service == "shortener"]
ONE_OF_EACH_STORE = list({server.store: server for server in reversed(SHORTENERS)}.values())


def _call(*arguments, **environment):
    return subprocess.run(
        [*SAMEWIRE, *arguments], cwd=CHECKOUT, env=os.environ | environment, capture_output=True, text=True, timeout=60
    )


@contextmanager
def _up(*arguments):
    command = subprocess.Popen(
        [*SAMEWIRE, "up", *arguments, "--json"], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True,
        # What a shell starts in the background ignores it, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        yield command
    finally:
        if command.poll() is None:
            command.kill()
        command.wait()


def _gone(pid, seconds=5.0):
    deadline = time.monotonic() + seconds
    while psutil.pid_exists(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not psutil.pid_exists(pid)


def _get(url):
    with urllib.request.urlopen(url, timeout=5) as response:
        return response.status, response.read()


@pytest.mark.parametrize("stop_signal", [signal.SIGTERM, signal.SIGINT])
def test_up_says_where_each_server_is_and_stops_all_of_it(stop_signal):
    with _up(*(server.id for server in ONE_OF_EACH_STORE)) as command:
        lines = [json.loads(command.stdout.readline()) for _ in ONE_OF_EACH_STORE]
        assert {line["server"] for line in lines} == {server.id for server in ONE_OF_EACH_STORE}
        for line in lines:
            assert set(line) == {"server", "service", "url", "pid"}
            assert re.fullmatch(r"http://127\.0\.0\.1:2\d{4}", line["url"])
            assert _get(f"{line['url']}/healthz")[0] == 200
            assert _get(f"{line['url']}/links/dktPz4")[1] == b'{"hash":"dktPz4","url":"http://www.ford.com.br"}'
        (run,) = RUNS.glob(f"{command.pid}-*")
        children = psutil.Process(command.pid).children(recursive=True)
        assert len(children) >= 4
        command.send_signal(stop_signal)
        assert command.wait(20) == 0
    assert all(_gone(child.pid) for child in children)
    assert not run.exists()


def test_what_a_killed_up_left_running_is_ended_by_the_next_command():
    with _up(*(server.id for server in ONE_OF_EACH_STORE)) as command:
        pids = [json.loads(command.stdout.readline())["pid"] for _ in ONE_OF_EACH_STORE]
        family = psutil.Process(command.pid).children(recursive=True)
        memory = _shared_memory(family)
        command.kill()
        command.wait()
        assert all(map(psutil.pid_exists, pids))
        with _up(ONE_OF_EACH_STORE[0].id) as second:
            assert json.loads(second.stdout.readline())["pid"] not in pids
            assert all(_gone(process.pid) for process in family)
            assert not [path for path in memory if path.exists()]
            second.terminate()
            assert second.wait(20) == 0


def _shared_memory(processes: list[psutil.Process]) -> set[Path]:
    """The files in /dev/shm that these processes have mapped."""
    found = set()
    for process in processes:
        # One of a database may be gone already.
        with suppress(FileNotFoundError, ProcessLookupError):
            maps = Path(f"/proc/{process.pid}/maps").read_text()
            found |= {Path(line.split(None, 5)[5]) for line in maps.splitlines() if " /dev/shm/" in line}
    return found


def test_up_ends_and_says_so_when_a_server_dies():
    server = ONE_OF_EACH_STORE[0]
    command = subprocess.Popen(
        [*SAMEWIRE, "up", server.id, "--json"], cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    pid = json.loads(command.stdout.readline())["pid"]
    os.kill(pid, signal.SIGKILL)
    _, errors = command.communicate(timeout=20)
    assert command.returncode == 1
    assert f"{server.id} ended with status 137" in errors


def test_list_as_json():
    done = _call("list", "--json")
    assert done.returncode == 0
    listed = {row["server"]: row for row in json.loads(done.stdout)}
    assert set(listed) == {server.id for server in find_servers()}
    assert all(row["missing"] == {} for row in listed.values())


@pytest.mark.parametrize(
    "arguments", [("up", "shortner"), ("verify", "shortner"), ("verify", "--service", "todo", "--url", "nonsense")]
)
def test_a_wrong_call_is_status_2_and_says_what_there_is(arguments):
    done = _call(*arguments)
    assert done.returncode == 2
    assert "shortner" in done.stderr or "NAME=http://" in done.stdout + done.stderr


def test_a_database_that_is_not_there_is_status_1_and_names_its_address():
    server = next((one for one in find_servers() if one.store == "postgresql"), None)
    if not server:
        pytest.skip("no server here keeps its records in PostgreSQL")
    done = _call("verify", server.id, "--layer", "cases", POSTGRES_URL="postgres://nobody@127.0.0.1:1/none")
    assert done.returncode == 1
    assert "DatabaseError: POSTGRES_URL: cannot connect to postgres://nobody@127.0.0.1:1" in done.stdout + done.stderr


def test_a_name_that_no_test_has_is_status_2_and_one_clear_line():
    server = least_demanding(find_servers())
    done = _call("verify", server.id, "-k", "nothing_is_called_that")
    assert done.returncode == 2
    assert "no test was run" in done.stderr


def test_a_database_that_is_not_there_is_one_clear_line():
    done = _call("up", "shortener", POSTGRES_URL="postgres://nobody@127.0.0.1:1/x")
    assert done.returncode == 1
    assert "POSTGRES_URL: cannot connect" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_toolchain_is_status_3_and_says_how_to_get_it(tmp_path):
    server = next(server for server in find_servers() if "jdk" in server.needs)
    for program in ("git", "cp", "sleep"):
        (tmp_path / program).symlink_to(f"/usr/bin/{program}")
    done = _call("verify", server.id, PATH=str(tmp_path))
    assert done.returncode == 3
    assert "maven" in done.stderr
    assert "apt-get install maven" in done.stderr


def test_a_race_without_a_proof_is_refused(tmp_path):
    """In a checkout without records of passes: everything else is this one's."""
    for name in ("contract-tests", "bench", "harness", *(path.name for path in CHECKOUT.glob("servers-*"))):
        (tmp_path / name).symlink_to(CHECKOUT / name)
    (tmp_path / ".samewire").mkdir()
    (tmp_path / ".samewire/toolchains").symlink_to(CHECKOUT / ".samewire/toolchains")
    done = _call("race", "shortener", "--profile", "smoke", SAMEWIRE_CHECKOUT=str(tmp_path))
    assert done.returncode == 1
    assert "samewire verify" in done.stderr


def test_a_race_of_other_servers_is_one_clear_line():
    others = [server.id for server in find_servers() if server.service != "shortener"]
    if not others:
        pytest.skip("here is no server of another service")
    done = _call("race", "shortener", others[0])
    assert done.returncode == 1
    assert "there is no server of the service 'shortener' to race among these" in done.stderr


def _write_servers(checkout, builds):
    """Servers that are built by shell scripts, by name, in a checkout of their own."""
    manifest = """
        service = "todo"
        language = "PHP"
        store = "memory"
        concurrency = "event-loop"
        needs = ["apache-php"]
        stack = { "Apache httpd" = "HTTP server" }
        artefacts = []
        lint = []
        test = []
        run = ["true"]
        stop_signal = "SIGTERM"
        stop_status = 0
    """
    for name, script in builds.items():
        folder = checkout / "servers-php" / name
        folder.mkdir(parents=True)
        (folder / "server.toml").write_text(f"{manifest}build = [{json.dumps(['sh', '-c', script])}]\n")
    (checkout / "contract-tests").symlink_to(CHECKOUT / "contract-tests")


def test_a_build_that_fails_ends_the_builds_and_is_told(tmp_path):
    """What it leaves to be built is not begun, and what was built is told."""
    # Of the others as many as are built at once, so that the last can only begin when the second has failed.
    others = [f"c{number:03}" for number in range(len(os.sched_getaffinity(0)))]
    built = "../../.samewire/build/servers-php--a"
    scripts = {"a": "true", "b": f"until [ -s {built} ]; do sleep 0.1; done; sleep 0.5; echo no compiler; exit 7"}
    scripts |= dict.fromkeys(others, "echo begun > begun; sleep 60; true")
    _write_servers(tmp_path, scripts)
    done = _call("build", SAMEWIRE_CHECKOUT=str(tmp_path))
    assert done.returncode == 1
    assert "no compiler\n" in done.stderr
    assert "exit status 7" in done.stderr
    assert "✓ build servers-php/a" in done.stdout
    assert "servers-php/b" not in done.stdout
    assert not (tmp_path / "servers-php" / others[-1] / "begun").exists()


def test_a_server_that_does_not_build_and_one_that_does_not_start_break_no_other():
    quick = [one for one in find_servers() if one.needs == ("apache-php",) and not one.transport]
    good = next((one for one in quick if one.store == "memory"), None)
    if not good:
        pytest.skip("here is no server that is built in a second")
    # Not below pytest's folder, which Apache's processes may not read.
    with tempfile.TemporaryDirectory(dir=STATE, prefix="checkout-") as folder:
        checkout = Path(folder)
        checkout.chmod(0o755)
        for needed in (good.folder.parent / "_shared", good.folder):
            shutil.copytree(needed, checkout / needed.relative_to(CHECKOUT))
        _write_servers(checkout, {"broken": "echo no compiler; exit 7", "silent": "true"})
        for name in ("broken", "silent"):
            manifest = checkout / "servers-php" / name / "server.toml"
            manifest.write_text(manifest.read_text().replace('"todo"', f'"{good.service}"'))
        cases = ("verify", good.service, "--layer", "cases", "-k", "test_cases.py")
        done = _call(*cases, SAMEWIRE_CHECKOUT=str(checkout))
    assert done.returncode == 1
    assert "servers-php/broken does not build; the others are judged" in done.stdout
    assert "no compiler\n" in done.stdout
    assert "servers-php/silent did not start" in done.stdout
    assert re.search(rf"^{good.id} +[1-9][0-9]* ", done.stdout, re.M), done.stdout


def test_builds_that_are_interrupted_end_at_once(tmp_path):
    _write_servers(tmp_path, dict.fromkeys("ab", "echo $$ > pid; sleep 60; true"))
    environment = os.environ | {"SAMEWIRE_CHECKOUT": str(tmp_path)}
    command = subprocess.Popen([*SAMEWIRE, "build"], env=environment, stderr=subprocess.PIPE, text=True)
    pids = [tmp_path / "servers-php" / name / "pid" for name in "ab"]
    try:
        deadline = time.monotonic() + 30
        while not any(pid.exists() and pid.read_text() for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.05)
        command.terminate()
        told = command.communicate(timeout=20)[1]
    finally:
        command.kill()
    assert command.returncode == 130
    assert "interrupted" in told
    begun = [int(pid.read_text()) for pid in pids if pid.exists() and pid.read_text()]
    assert begun
    assert all(map(_gone, begun))


def test_an_interruption_while_jobs_are_handed_over_ends_those_that_have_begun(monkeypatch):
    class Interrupted(ThreadPoolExecutor):
        def submit(self, *given):
            if given[1] == "second":
                while not psutil.Process().children():
                    time.sleep(0.01)
                raise KeyboardInterrupt
            return super().submit(*given)

    monkeypatch.setattr(progress, "ThreadPoolExecutor", Interrupted)
    ended = []

    def sleep():
        ended.append(subprocess.run(["sleep", "60"]).returncode)

    with pytest.raises(KeyboardInterrupt):
        with_progress({"first": sleep, "second": sleep}, at_once=2)
    assert ended == [-signal.SIGKILL]


def test_problems_that_are_passed_over_are_returned():
    begun = []

    def fail():
        raise BuildError("no compiler")

    problems = with_progress({"one": fail, "two": lambda: begun.append("two")}, passed_over=BuildError)
    assert begun == ["two"]
    assert {name: str(problem) for name, problem in problems.items()} == {"one": "no compiler"}


def test_after_a_problem_no_other_job_is_begun():
    begun = []

    def fail():
        raise BuildError("no compiler")

    with pytest.raises(BuildError, match="no compiler"):
        with_progress({"one": lambda: begun.append("one"), "two": fail, "three": lambda: begun.append("three")})
    assert begun == ["one"]
