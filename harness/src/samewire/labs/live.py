"""What a lab tells while it runs, several times a second: what the users get, and what the server uses."""

import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from samewire.race.generator import Generator
from samewire.race.processes import PAGE, Tree, all_processes, read
from samewire.race.snapshots import CoreTimes, core_times
from samewire.race.updates import Updates, counted

EVERY_S = 0.25

Listener = Callable[[Mapping[str, Any]], None]
"""Takes an event: `{"event": "load" | "machine" | "state" | …}` and what it says. It may raise to end the lab."""


class Watched:
    """A load generator whose progress someone follows: its lines go to `listener`, and then where a race has them."""

    def __init__(self, generator: Generator, listener: Listener) -> None:
        self._generator, self._listener = generator, listener

    def load(self, url: str, progress: Callable[[dict], None], scenario: int = 0, rate_per_s: float | None = None):
        """As that of the generator."""

        def follow(line: dict) -> None:
            if "live" in line:
                self._listener({"event": "load", **line["live"]})
                return
            if "stage" in line:
                self._listener({"event": "stage", "stage": line["stage"]})
            elif "deliveries" in line:
                # The chat's generator tells of each second.
                self._listener({"event": "load", "seconds": 1.0, "p50_ms": None, **line})
            progress(line)

        return self._generator.load(url, follow, scenario, rate_per_s)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)


class LostUpdates:
    """Adds to what a generator tells of a load how many updates are lost by now, as the server at `url` tells its
    counter: at least so many, for updates go on while it is asked."""

    def __init__(self, url: str, path: str) -> None:
        self._url, self._path, self._answered = url, path, 0
        self._before = counted(url, path)

    def added(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        """The event, with `lost` if it is of the load."""
        if event["event"] != "load":
            return event
        self._answered += event["requests"] - event["errors"]
        return {**event, "lost": Updates(self._answered, counted(self._url, self._path) - self._before).lost}


class Monitor:
    """Looks at a server's processes and at the cores, and tells `listener`, until it is closed: a context manager."""

    def __init__(self, pid: int, listener: Listener, every_s: float = EVERY_S) -> None:
        self._tree, self._listener, self._every_s = Tree(pid), listener, every_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="monitor")

    def __enter__(self) -> "Monitor":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        before = time.monotonic()
        usage, cores = self._tree.sample(all_processes(), None), core_times()
        held = usage.pss_bytes
        while not self._over.wait(self._every_s):
            now = time.monotonic()
            later, cores_later = self._tree.sample(all_processes(), None), core_times()
            seconds = now - before
            # Read as often as its cost allows; resident memory would count what processes share once for each of them.
            held = later.pss_bytes or held
            self._listener(
                {
                    "event": "machine",
                    "cpu_cores": round((later.cpu_s - usage.cpu_s) / seconds, 3),
                    "cores": [round(_busy(cores[core], cores_later[core]), 3) for core in sorted(cores)],
                    "threads": later.threads,
                    "running": _running(self._tree.pid),
                    "switches_per_s": round((later.switches - usage.switches) / seconds),
                    "memory_mib": round(held / 2**20, 1) if held else None,
                    "sockets_mib": round(_in_sockets() / 2**20, 1),
                }
            )
            before, usage, cores = now, later, cores_later


def _in_sockets() -> int:
    """Bytes that the kernel holds for all TCP connections of the machine: sent and not yet taken, at both ends."""
    found = re.search(rb"^TCP:.* mem (\d+)", read("/proc/net/sockstat"), re.MULTILINE)
    return int(found[1]) * PAGE if found else 0


def _busy(then: CoreTimes, now: CoreTimes) -> float:
    """The share of the time in which a core was busy."""
    busy = now.busy - then.busy
    total = busy + now.idle - then.idle + now.iowait - then.iowait + now.steal - then.steal
    return busy / total if total else 0.0


def _running(root: int) -> int:
    """How many threads of a process and of its descendants run, or are ready to run, at this moment."""
    members, running = {root}, 0
    stats = all_processes()
    for pid, stat in sorted(stats.items()):
        if stat.parent in members:
            members.add(pid)
    for pid in members & stats.keys():
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for thread in threads:
            text = read(f"/proc/{pid}/task/{thread}/stat")
            # The state follows the command in parentheses, which may hold anything.
            running += text[text.rfind(b")") + 2 : text.rfind(b")") + 3] == b"R"
    return running
