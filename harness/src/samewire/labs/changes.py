"""Code that is wrong on purpose: pieces of files, each as it is and as it is wrong."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from samewire.labs import LabError


@dataclass(frozen=True)
class Change:
    """A piece of a file: as it is, and as it is wrong. `file` is a path below the folder of a server."""

    file: str
    right: str
    wrong: str


def plant(changes: Iterable[Change], folder: Path) -> None:
    """Write what is wrong into a copy of a server's folder. Raises LabError where the code is another."""
    for one in changes:
        _swap(folder / one.file, one.right, one.wrong)


def undo(changes: Sequence[Change], folder: Path) -> None:
    """Write what is right in the place of what was planted. Raises LabError where the code is another."""
    for one in reversed(changes):
        _swap(folder / one.file, one.wrong, one.right)


def _swap(path: Path, old: str, new: str) -> None:
    try:
        text = path.read_text()
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}, and a lab changes it") from error
    if (times := text.count(old)) != 1:
        raise LabError(f"{path}: a lab changes this piece, which is there {times} times and not once:\n{old}")
    path.write_text(text.replace(old, new))
