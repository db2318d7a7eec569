import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from samewire import process
from samewire.outputs import FILE, PIPE, TERMINAL
from samewire.process import PORTS, RunFolder, Spawned, StopTimeout, free_port, remove_stale_runs, session_members
from samewire.target import Target


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "RUNS", tmp_path / "run")
    return tmp_path / "run"


def _sleeper(run, code="import time; time.sleep(60)"):
    return Spawned([sys.executable, "-c", code], run=run, log=run.path / "log")


def _gone(pid):
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


def test_free_ports_stay_clear_of_those_that_clients_use():
    assert all(free_port() in PORTS for _ in range(20))
    assert PORTS.stop <= 32768


def test_a_port_is_given_once(monkeypatch):
    """Also while nothing listens on it yet, and by another process."""
    first, second = free_port(), free_port()
    assert first != second
    monkeypatch.setattr(process.random, "sample", lambda ports, number: [first, second])
    with pytest.raises(process.StartError, match="no free port"):
        free_port()
    code = f"from samewire import process; process.random.sample = lambda *_: [{first}]; process.free_port()"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "no free port" in other.stderr


def test_what_a_killed_command_left_behind_is_ended_and_deleted(runs):
    """A command is killed by SIGKILL while its child runs: the next one finds the child by the record and ends it."""
    code = textwrap.dedent(f"""
        import pathlib, sys, time
        from samewire import process
        process.RUNS = pathlib.Path({str(runs)!r})
        run = process.RunFolder()
        memory = run.folder("data", in_memory=True)
        child = process.Spawned(["sleep", "300"], run=run, log=run.path / "log")
        print(child.pid, memory, flush=True)
        time.sleep(300)
    """)
    command = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    number, memory = command.stdout.readline().split()
    child = int(number)
    command.kill()
    command.wait()
    assert psutil.pid_exists(child)
    assert Path(memory).is_dir()
    assert remove_stale_runs() == 1
    assert _gone(child)
    assert not list(runs.iterdir())
    assert not Path(memory).parent.exists()


def test_what_is_asked_for_in_memory_is_there_where_there_is_room(tmp_path, monkeypatch):
    run = RunFolder()
    monkeypatch.setattr(process, "_MEMORY", tmp_path)
    monkeypatch.setattr(process, "_MEMORY_LEAST", 0)
    folder = run.folder("data", in_memory=True)
    assert folder.is_relative_to(tmp_path)
    assert run.folder("data").parent == run.path
    monkeypatch.setattr(process, "_MEMORY_LEAST", 1 << 60)
    assert run.folder("data", in_memory=True).parent == run.path
    monkeypatch.setattr(process, "_MEMORY", tmp_path / "nowhere")
    assert run.folder("data", in_memory=True).parent == run.path
    monkeypatch.setattr(process, "_MEMORY", tmp_path)
    run.remove()
    assert not folder.parent.exists()


def test_a_running_command_is_left_alone(runs):
    run = RunFolder()
    sleeper = _sleeper(run)
    assert remove_stale_runs() == 0
    assert sleeper.alive
    sleeper.kill()


def test_a_pid_that_another_program_has_now_is_left_alone(runs):
    """Process numbers are used again: only the same process, by its start time, is ended."""
    run = RunFolder()
    sleeper = _sleeper(run)
    recorded = run.path / "processes" / f"{sleeper.pid}.json"
    recorded.write_text(json.dumps({"pid": sleeper.pid, "started": 1}))
    (run.path / "owner.json").write_text(json.dumps({"pid": os.getpid(), "started": 1}))
    assert remove_stale_runs() == 1
    assert sleeper.alive
    sleeper.kill()


def test_status_is_that_of_a_shell():
    run = RunFolder()
    assert _sleeper(run, "raise SystemExit(7)").wait(10) == 7
    sleeper = _sleeper(run)
    sleeper.signal(signal.SIGTERM)
    assert sleeper.wait(10) == 128 + signal.SIGTERM


def test_one_that_does_not_end_in_time_is_reported_and_can_be_killed_with_its_children():
    run = RunFolder()
    sleeper = _sleeper(run, "import subprocess; subprocess.run(['sleep', '60'])")
    deadline = time.monotonic() + 10
    while not (children := psutil.Process(sleeper.pid).children()) and time.monotonic() < deadline:
        time.sleep(0.01)
    with pytest.raises(StopTimeout, match=str(sleeper.pid)):
        sleeper.wait(0.05)
    sleeper.kill()
    assert not sleeper.alive
    assert _gone(children[0].pid)


def test_a_child_that_is_just_being_started_is_killed_too():
    run = RunFolder()
    # With so much memory a fork takes some milliseconds.
    code = textwrap.dedent("""
        import os, time
        much = b"1" * 200_000_000
        for _ in range(300):
            if not os.fork():
                break
        time.sleep(60)
    """)
    for _ in range(5):
        forking = _sleeper(run, code)
        while not psutil.Process(forking.pid).children():
            time.sleep(0.005)
        forking.kill()
        deadline = time.monotonic() + 10
        while (left := session_members(forking.pid)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not left


def test_whoever_is_killed_has_ended_by_then():
    """A child holds 300 MB, so that its end takes a while: its parent's is not to be taken for it."""
    run = RunFolder()
    code = """
        import os, time
        if not os.fork():
            held = b"x" * 300_000_000
            print("ready", flush=True)
        time.sleep(60)
    """
    parent = _sleeper(run, textwrap.dedent(code))
    while not parent.stdout():
        time.sleep(0.01)
    (child,) = psutil.Process(parent.pid).children()
    parent.kill()
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    run.remove()


def test_standard_output_and_standard_error_are_told_apart():
    run = RunFolder()
    sleeper = _sleeper(run, "import sys; print('said'); print('complained', file=sys.stderr)")
    sleeper.wait(10)
    assert (sleeper.stdout(), sleeper.stderr()) == ("said\n", "complained\n")
    assert sleeper.output() == "said\ncomplained\n"


KIND = (
    "import os, stat; m = os.fstat(1).st_mode; print('terminal' if os.isatty(1) else stat.filemode(m)[0], flush=True)"
)


@pytest.mark.parametrize(("output", "kind"), [(FILE, "-\n"), (PIPE, "p\n"), (TERMINAL, "terminal\n")])
def test_standard_output_may_go_through_a_pipe_or_a_terminal(output, kind):
    run = RunFolder()
    readers = len(psutil.Process().children())
    program = Spawned([sys.executable, "-c", KIND], run=run, log=run.path / "log", output=output)
    assert program.wait(10) == 0
    assert program.stdout() == kind
    assert len(psutil.Process().children()) == readers


@pytest.mark.parametrize("output", [PIPE, TERMINAL])
def test_who_reads_a_pipe_or_a_terminal_ends_with_a_program_that_is_killed(output):
    """Also where the program leaves a process that could still write."""
    run = RunFolder()
    code = "import os, subprocess; print(subprocess.Popen(['sleep', '60'], start_new_session=True).pid, flush=True)"
    program = Spawned([sys.executable, "-c", code], run=run, log=run.path / "log", output=output)
    assert program.wait(10) == 0
    left = psutil.Process(int(program.stdout()))
    assert not [child for child in psutil.Process().children() if child.name() == "cat"]
    left.kill()
    endless = Spawned(
        [sys.executable, "-c", "while True: print('x' * 1000)"], run=run, log=run.path / "more", output=output
    )
    time.sleep(0.3)
    endless.kill()
    assert "xxxx" in endless.stdout()
    assert not [child for child in psutil.Process().children() if child.name() == "cat"]


def test_a_program_that_is_not_there_is_a_start_error():
    run = RunFolder()
    with pytest.raises(process.StartError, match="no-such-program"):
        Spawned(["no-such-program"], run=run, log=run.path / "log")


def test_last_lines_say_what_was_thrown_however_deep(tmp_path):
    log = tmp_path / "log"
    frames = "".join(f"\tat akka.actor.ActorCell.sendMessage(ActorCell.scala:{number})\n" for number in range(1024))
    log.write_text(f"ready\njava.lang.StackOverflowError\n{frames}Caused by: java.io.IOException\n\tat one\n")
    told = Target("x", "chat", "http://127.0.0.1:1", log=log).last_lines(10).splitlines()
    assert told[:2] == ["ready", "java.lang.StackOverflowError"]
    assert told[-3:] == ["\t…", "Caused by: java.io.IOException", "\tat one"]
    assert len(told) == 9
