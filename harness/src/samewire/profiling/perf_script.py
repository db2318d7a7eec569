"""What `perf script` prints, as stacks: C functions of programs, libraries and the kernel."""

import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import PurePath

from samewire.profiling.stacks import Stacks

_FRAME = re.compile(r"^\s+[0-9a-f]+ (?P<symbol>.*) \((?P<object>.*)\)$")
_KERNEL = ("[kernel.kallsyms]", "[guest.kernel.kallsyms]")
FIELDS = "comm,pid,tid,time,ip,sym,dso"
"""What perf has to print of a sample."""


def read(text: str) -> Stacks:
    """The stacks of `perf script -F FIELDS`: paragraphs of a head and a frame a line, the function that ran first.

    Without a symbol a frame has the name of its file in brackets; several of those on end are one. Frames of the kernel
    end in `_[k]`, as async-profiler has them. The name of the process is the first frame.
    """
    stacks = Stacks()
    for paragraph in text.split("\n\n"):
        head, *lines = paragraph.strip("\n").split("\n")
        frames = [found for line in lines if (found := _frame(line))]
        if frames:
            stacks.add([head.split()[0], *_without_repeated_unknown(reversed(frames))])
    return stacks


def _frame(line: str) -> str:
    """The name of a frame; empty where the line is none, or its address is in no file."""
    found = _FRAME.match(line)
    if not found or (found["symbol"], found["object"]) == ("[unknown]", "[unknown]"):
        return ""
    symbol, where = found["symbol"].partition("@@")[0], found["object"]
    if where in _KERNEL or where.endswith(".ko"):
        return f"{symbol}_[k]"
    return f"[{PurePath(where).name}]" if symbol == "[unknown]" else symbol


def _without_repeated_unknown(frames: Iterable[str]) -> Iterable[str]:
    for name, repeated in groupby(frames):
        yield from [name] if name.startswith("[") else repeated
