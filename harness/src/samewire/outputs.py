"""Where a program's standard output goes: into a file at once, or first through a pipe or a terminal."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

FILE = "file"
PIPE = "pipe"
TERMINAL = "terminal"


@contextlib.contextmanager
def opened(path: Path, output: str) -> Iterator[tuple[int, subprocess.Popen | None]]:
    """What a program is given as its standard output, and who reads it and writes it into the file, if somebody does.

    The reader is `cat`, on the cores of this process. It ends when nobody can write to it any more.
    """
    with path.open("ab") as file:
        if output == FILE:
            yield file.fileno(), None
            return
        theirs, ours = os.openpty() if output == TERMINAL else os.pipe()
        try:
            reader = subprocess.Popen(
                ["cat"], stdin=theirs, stdout=file, stderr=subprocess.DEVNULL, start_new_session=True
            )
            yield ours, reader
        finally:
            os.close(theirs)
            os.close(ours)
