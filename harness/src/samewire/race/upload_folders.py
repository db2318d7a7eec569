"""The folders that servers keep uploads in: emptied and renewed between loads, and what disk they are on."""

import os
import shutil
import tempfile
import time
from pathlib import Path

FOLDER = "UPLOAD_DIR"
"""The setting of the contract that names where a server keeps its files."""

_SPENT = ".spent-"
_SEARCHED_PAST_S = 60.0  # RECENCY_MIN of ext4's ialloc.c


def renew(folder: Path) -> None:
    """Put a new folder, with the same folders in it, in the place of one, and leave that with emptied files beside it.

    Deleted files slow down what comes after them: for a minute ext4, if it has no journal, does not use their numbers
    again and searches past each of them whenever a file is made.
    """
    spent = Path(tempfile.mkdtemp(prefix=_SPENT, dir=folder.parent), folder.name)
    folder.rename(spent)
    for place, _, files in os.walk(spent):
        new, state = folder / Path(place).relative_to(spent), Path(place).stat()
        new.mkdir()
        os.chown(new, state.st_uid, state.st_gid)
        new.chmod(state.st_mode)
        for name in files:
            if not (path := Path(place, name)).is_symlink():
                os.truncate(path, 0)


def make_room(folder: Path) -> None:
    """Delete what `renew` has left beside a folder, once the file system has room for as many files again at most."""
    system = os.statvfs(folder)
    if system.f_ffree < system.f_files / 2:
        for spent in folder.parent.glob(f"{_SPENT}*"):
            shutil.rmtree(spent)
        time.sleep(_SEARCHED_PAST_S)


def disk(folder: Path) -> str:
    """What a folder, made or not, is on, such as `sda, rotating`, or its device number if that is no disk.

    Of a virtual disk the kernel does not know what is behind it.
    """
    device = next(path for path in (folder, *folder.parents) if path.exists()).stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    block = Path(f"/sys/dev/block/{number}").resolve()
    # A partition's properties are those of the disk that it is a part of.
    for path in (block, block.parent):
        rotational = path / "queue/rotational"
        if rotational.exists():
            if "virt" in str(path):
                return f"{path.name}, virtual"
            return f"{path.name}, {'rotating' if rotational.read_text().strip() == '1' else 'not rotating'}"
    return f"device {number}"
