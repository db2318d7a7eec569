"""A part of its cores for a server: in each period of some milliseconds its processes run for so much of it at most.

Linux keeps to it (CFS bandwidth control, Turner, Rao & Rao, "CPU bandwidth control for CFS", Linux Symposium 2010). The
processes are in a control group of their own, which only root can make. It is one of version 1: only there the kernel
also tells by the clock what all processes use, without which nobody knows whether anything else ran.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import psutil

_ROOT = Path("/sys/fs/cgroup/cpu")
_PREFIX = "samewire-"
_SLICE_US = 2_500
"""For how long a core runs them at once. With 1,000, the least that Linux takes, they get no more than 85 % of their
part; with 2,500 they get 99 %.
"""


class QuotaError(Exception):
    """Processes cannot be held to a part of their cores; the message says why."""


@contextlib.contextmanager
def group(root: Path = _ROOT) -> Iterator[Path]:
    """A new control group without a limit, which processes may join; its folder. Raises QuotaError if there is none.

    Groups that killed commands have left are removed.
    """
    folder = root / f"{_PREFIX}{os.getpid()}"
    if not root.is_dir():
        raise QuotaError(f"there is no {root}: this system has no control groups of version 1")
    try:
        _remove_left(root)
        folder.mkdir()
    except OSError as error:
        raise QuotaError(f"{root} cannot be written ({error.strerror}); only root can hold them to a part") from error
    try:
        yield folder
    finally:
        # A process that still ends keeps it: the next command removes it then.
        with contextlib.suppress(OSError):
            folder.rmdir()


def _remove_left(root: Path) -> None:
    for left in root.glob(f"{_PREFIX}*"):
        if not psutil.pid_exists(int(left.name.removeprefix(_PREFIX))):
            with contextlib.suppress(OSError):
                left.rmdir()


def limit(pid: int, cores: int, share: float | None, root: Path = _ROOT) -> None:
    """Let the group of a process run for that share of so many cores, of all of them if None.

    A process in no group of ours is left as it is.
    """
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "cpu" in controllers.split(",") and re.search(rf"/{_PREFIX}\d+$", path):
            folder = root / path.strip("/")
            (folder / "cpu.cfs_quota_us").write_text("-1")
            if share is not None:
                (folder / "cpu.cfs_period_us").write_text(f"{_SLICE_US / share:.0f}")
                (folder / "cpu.cfs_quota_us").write_text(f"{_SLICE_US * cores}")
