"""A part of its cores for a server: in each period of some milliseconds its processes run for so much of it at most.

Linux keeps to it (CFS bandwidth control, Turner, Rao & Rao, "CPU bandwidth control for CFS", Linux Symposium 2010). The
processes are in a control group of their own, of version 1 or 2, which only root can make.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import psutil

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "samewire-"
_SLICE_US = 1_000
"""The least that Linux takes as a quota, so that no server waits for longer than it must."""


class QuotaError(Exception):
    """Processes cannot be held to a part of their cores; the message says why."""


@contextlib.contextmanager
def group(root: Path = _ROOT) -> Iterator[Path]:
    """A new control group without a limit, which processes may join; its folder. Raises QuotaError if there is none.

    Groups that killed commands have left are removed.
    """
    parent = root / "cpu" if (root / "cpu").is_dir() else root
    folder = parent / f"{_PREFIX}{os.getpid()}"
    try:
        _remove_left(parent)
        if parent == root:
            (parent / "cgroup.subtree_control").write_text("+cpu")
        folder.mkdir()
    except OSError as error:
        raise QuotaError(f"{parent} cannot be written ({error.strerror}); only root can hold them to a part") from error
    try:
        yield folder
    finally:
        # A process that still ends keeps it: the next command removes it then.
        with contextlib.suppress(OSError):
            folder.rmdir()


def _remove_left(parent: Path) -> None:
    for left in parent.glob(f"{_PREFIX}*"):
        if not psutil.pid_exists(int(left.name.removeprefix(_PREFIX))):
            with contextlib.suppress(OSError):
                left.rmdir()


def limit(pid: int, cores: int, share: float | None, root: Path = _ROOT) -> None:
    """Let the group of a process run for that share of so many cores, of all of them if None.

    A process in no group of ours is left as it is.
    """
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if not re.search(rf"/{_PREFIX}\d+$", path):
            continue
        if controllers:
            folder = root / "cpu" / path.strip("/")
            (folder / "cpu.cfs_quota_us").write_text("-1")
            if share is not None:
                (folder / "cpu.cfs_period_us").write_text(f"{_SLICE_US / share:.0f}")
                (folder / "cpu.cfs_quota_us").write_text(f"{_SLICE_US * cores}")
        else:
            quota = "max" if share is None else f"{_SLICE_US * cores}"
            (root / path.strip("/") / "cpu.max").write_text(f"{quota} {_SLICE_US / (share or 1):.0f}")
