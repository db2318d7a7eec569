"""/info: what it says of a server is so."""

import json
import re
from pathlib import Path

import psutil
import pytest

from randoms import model
from samewire.http import Request, exchange
from samewire.manifest import Server
from samewire.outcomes import NOT_OURS
from samewire.target import Target
from samewire.testbed import Testbed

pytestmark = pytest.mark.layer("cases")


def info(target: Target) -> dict:
    """What the server says. AssertionError if it is not of the right shape."""
    request = Request("GET", "/info")
    answer = exchange(target, request)
    problems = model.judge(request, answer)
    assert not problems, f"{target.name}: {problems}\n{answer.body.decode(errors='replace')}"
    return json.loads(answer.body)


def test_head(target: Target) -> None:
    request = Request("HEAD", "/info")
    problems = model.judge(request, exchange(target, request))
    assert not problems, f"{target.name}: {problems}"


def own_pid(process: psutil.Process) -> int:
    """The id by which a process knows itself: in a container it is another than here."""
    (line,) = re.findall(r"^NSpid:(.*)$", Path(f"/proc/{process.pid}/status").read_text(), re.MULTILINE)
    return int(line.split()[-1])


def test_it_is_so(target: Target) -> None:
    if not target.server or not target.pid:
        pytest.skip(NOT_OURS)
    said = info(target)
    main = psutil.Process(target.pid)
    processes = {own_pid(one): one for one in [main, *main.children(recursive=True)]}
    assert said["pid"] in processes, f"{said['pid']} is none of its processes: {sorted(processes)}"
    answering = processes[said["pid"]]
    assert said["cpus"] <= len(answering.cpu_affinity())
    # It may have grown or shrunk since; another unit than bytes would be a factor of a thousand.
    rss = answering.memory_info().rss
    assert rss / 3 < said["memory"]["rss"] < rss * 3, f"it says {said['memory']['rss']}, and has {rss}"


def test_it_is_as_of_now(server: Server, testbed: Testbed) -> None:
    # One that has just started: its memory grows with its first work, that of a warm one need not.
    running = testbed.start(server)
    sizes = set()
    for _ in range(200):
        sizes.add(info(running.target)["memory"]["rss"])
        if len(sizes) > 1:
            break
        exchange(running.target, Request("GET", "/randoms/sync?count=100000"))
    assert len(sizes) > 1, f"{server.id} always says the same: {sizes}"
    running.stop()
