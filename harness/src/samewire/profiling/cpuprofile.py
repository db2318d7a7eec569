"""Profiles of V8, `.cpuprofile`: a tree of calls, and which of its nodes ran at each moment."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from samewire.profiling import ProfilingError
from samewire.profiling.stacks import Stacks

_WAITING = ("(idle)", "atomicsWaitLoop")
"""Functions in which a thread waits for work: V8's own name for it, and where a worker of Piscina waits for a task."""
_ROOT = "(root)"


@dataclass(frozen=True)
class Window:
    """A span of the clock CLOCK_MONOTONIC, in seconds: V8 tells times by the same one."""

    begin: float
    end: float


def read(paths: Iterable[Path], window: Window, folder: Path) -> tuple[Stacks, int]:
    """The stacks of all threads in a window, merged, and how many samples were of threads that waited.

    Files of the server are named from its `folder` on, packages from their name on. Raises ProfilingError if a file
    cannot be read.
    """
    stacks, idle = Stacks(), 0
    for path in paths:
        try:
            content = json.loads(path.read_text())
            idle += _add(content, window, folder, stacks)
        except (OSError, ValueError, KeyError) as error:
            told = f"{type(error).__name__}: {error}"
            raise ProfilingError(f"{path}: not a profile of V8 ({told}). Did its process end by itself?") from error
    return stacks, idle


def _add(content: Mapping[str, Any], window: Window, folder: Path, stacks: Stacks) -> int:
    """Add the samples of one thread to `stacks`; how many others there were in which it waited."""
    nodes = {node["id"]: node for node in content["nodes"]}
    parents = {child: node["id"] for node in content["nodes"] for child in node.get("children", ())}
    times = list(accumulate(content["timeDeltas"], initial=content["startTime"]))[1:]
    begin, end = window.begin * 1e6, window.end * 1e6
    sampled = zip(content["samples"], times, strict=True)
    counts = Counter(node for node, at in sampled if begin <= at <= end)
    idle = 0
    for node, count in counts.items():
        if nodes[node]["callFrame"]["functionName"] in _WAITING:
            idle += count
            continue
        frames, at = [], node
        while at is not None:
            call = nodes[at]["callFrame"]
            if call["functionName"] != _ROOT:
                frames.append(_name(call, folder))
            at = parents.get(at)
        stacks.add(reversed(frames), count)
    return idle


def _name(call: Mapping[str, Any], folder: Path) -> str:
    """The function, and where it is: `handle router/index.js:152`; V8's own functions have no place."""
    name, url = call["functionName"] or "(anonymous)", call["url"]
    return f"{name} {_place(url, folder)}:{call['lineNumber'] + 1}" if url else name


def _place(url: str, folder: Path) -> str:
    path = url.removeprefix("file://")
    if "/node_modules/" in path:
        return path.rpartition("/node_modules/")[2]
    for root in (folder, folder.parent, folder.parents[1]):
        if path.startswith(f"{root}/"):
            return path.removeprefix(f"{root}/")
    return path
