"""What a lab tells while it runs, several times a second: what the users get, and what the server uses."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from samewire.race.generator import Generator
from samewire.race.processes import Tree, all_processes, read
from samewire.race.snapshots import CoreTimes, core_times

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
        while not self._over.wait(self._every_s):
            now = time.monotonic()
            later, cores_later = self._tree.sample(all_processes(), None), core_times()
            seconds = now - before
            self._listener(
                {
                    "event": "machine",
                    "cpu_cores": round((later.cpu_s - usage.cpu_s) / seconds, 3),
                    "cores": [round(_busy(cores[core], cores_later[core]), 3) for core in sorted(cores)],
                    "threads": later.threads,
                    "running": _running(self._tree.pid),
                    "switches_per_s": round((later.switches - usage.switches) / seconds),
                    "memory_mib": round((later.pss_bytes or later.rss_bytes) / 2**20, 1),
                }
            )
            before, usage, cores = now, later, cores_later


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
