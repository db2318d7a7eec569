"""A part of its cores for a server, by the kernel of this machine where it lets us."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from samewire.process import RunFolder, Spawned
from samewire.race.quota import QuotaError, group, limit

SPIN = "import os; os.fork(); x = 0\nwhile True: x += 1"
"""Two processes that never wait."""


@pytest.fixture
def cgroup():
    try:
        with group() as folder:
            yield folder
    except QuotaError as error:
        pytest.skip(str(error))


def _share_used(pid, seconds=1.0):
    """Cores that a process and its children keep busy; less than they may where other tests want the core too."""

    def used():
        root = psutil.Process(pid)
        return sum(sum(one.cpu_times()[:2]) for one in (root, *root.children()))

    before, began = used(), time.monotonic()
    time.sleep(seconds)
    return (used() - before) / (time.monotonic() - began)


def test_a_process_and_its_children_are_held_to_a_part(cgroup):
    run = RunFolder()
    core = min(os.sched_getaffinity(0))
    spinning = Spawned([sys.executable, "-c", SPIN], run=run, log=run.path / "log", cpus={core}, cgroup=cgroup)
    try:
        time.sleep(0.2)
        limit(spinning.pid, 1, 0.25)
        assert _share_used(spinning.pid) < 0.35
        limit(spinning.pid, 1, None)
        assert any(_share_used(spinning.pid) > 0.35 for _ in range(20))
    finally:
        spinning.kill()
        run.remove()


def test_the_group_goes_with_the_race_and_what_a_killed_one_left_with_the_next(cgroup):
    """That of another race stays, also between two of its runs, when nothing is in it."""
    left = cgroup.with_name(f"samewire-{2**22 + 1}")
    left.mkdir()
    program = "from samewire.race.quota import group\nwith group() as folder: print(folder)"
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not Path(made.stdout.strip()).exists()
    assert not left.exists()
    assert cgroup.exists()


def test_a_process_in_no_group_of_ours_is_left_alone(tmp_path):
    limit(os.getpid(), 1, 0.5, tmp_path)
    assert not list(tmp_path.iterdir())


def test_without_control_groups_of_version_1_there_is_none(tmp_path):
    with pytest.raises(QuotaError, match="no control groups of version 1"), group(tmp_path / "cpu"):
        pass


def test_where_no_group_can_be_made_it_is_told(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(QuotaError, match=r"cannot be written \(Permission denied\)"), group(tmp_path):
        pass
