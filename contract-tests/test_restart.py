"""A server at a URL that is stopped and started by commands of its user: no answer is lost, and nothing that was made.

It runs after all other tests, as they need the server.
"""

import subprocess
import tempfile
import time

import pytest
from life_clients import STOP, Judge, Load, all_sorts, ask_anew, burst, complain, takes_connections, wait_until

from samewire.outcomes import NO_COMMANDS
from samewire.pytest_plugin.selection import selected
from samewire.target import Target
from samewire.testbed import START_TIMEOUT

pytestmark = [pytest.mark.layer("life"), pytest.mark.alone, pytest.mark.timeout(180)]

CLIENTS = 8
PATIENCE = 60.0
"""Seconds that a command may take: a container's tool has work of its own before it sends a signal."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each server at a URL."""
    commands = metafunc.config.getoption("--stop-command")
    marks = () if commands else pytest.mark.skip(reason=NO_COMMANDS)
    names = [pytest.param(one.name, marks=marks) for one in selected(metafunc.config) if one.url]
    metafunc.parametrize("target", names, indirect=True, scope="session")


def run(command: str, name: str) -> None:
    """Run a command by the shell until it ends; what it starts goes on. AssertionError unless its status is 0."""
    # A file and no pipe: a server that the command starts keeps it open.
    with tempfile.TemporaryFile() as printed:
        try:
            done = subprocess.run(
                ["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=printed, stderr=printed, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{name} has not ended after {PATIENCE:g} s: {command}") from None
        printed.seek(0)
        lines = printed.read().decode(errors="replace")
    assert done.returncode == 0, f"{name} ended with status {done.returncode}: {command}\n{lines[-1000:]}"


def test_stopped_and_started_again(target: Target, request: pytest.FixtureRequest) -> None:
    judge = Judge(target.service)
    life = judge.life
    kept = burst(target, [life.making(number) for number in range(CLIENTS)], clients=CLIENTS, each=1)
    judge.all_right(kept, target, "while all is well")
    with Load(target, all_sorts(life), CLIENTS) as load:
        load.wait_for(40)
        signalled = time.monotonic()
        run(request.config.getoption("--stop-command"), "--stop-command")
        gone = wait_until(lambda: not takes_connections(target), STOP)
    # What becomes of a new connection that nobody has accepted yet is the stack's own.
    lost = (one for one in load.asked if not (one.dropped and (one.reused or one.answered > signalled)))
    run(request.config.getoption("--restart-command"), "--restart-command")
    healthy = wait_until(lambda: not judge.wrong(ask_anew(target, life.HEALTH)), START_TIMEOUT)
    assert gone, (
        f"{target.url} takes connections {STOP:g} s after --stop-command has ended. "
        "Let it wait for the end of the server; give the URL of the server, and not of a proxy."
    )
    complain(((one, judge.wrong(one)) for one in lost), target, "under load around its stop", since=signalled)
    assert healthy, f"{target.url} is not healthy {START_TIMEOUT:g} s after --restart-command has ended"
    judge.all_right(burst(target, life.ASKING, CLIENTS, 2), target, "after it was started again")
    for one in kept if life.DURABLE else ():
        again, data = life.asking_for(one.answer)
        there = ask_anew(target, again)
        complain([(there, judge.wrong(there, data))], target, "to what it made before it was stopped")
