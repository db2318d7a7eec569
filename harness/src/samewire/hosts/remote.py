"""What a host does for a race, in a process of its own there: it samples its processes, or loads servers.

`serve` answers calls that come through an execnet channel, one after the other: `(function, arguments)`. An answer is
`("done", value)` or `("failed", why)`; before it `("progress", line)` may come. Values are what execnet can send.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import psutil

from samewire.process import RunFolder
from samewire.race import generator
from samewire.race.machine import machine
from samewire.race.sampler import Sampler
from samewire.race.snapshots import Snapshot

PINGS = 50


def serve(channel: Any) -> None:
    """Answer the calls of a channel until it is closed."""
    work = _Work(channel)
    try:
        for function, arguments in channel:
            try:
                channel.send(("done", getattr(work, function)(**arguments)))
            except Exception as error:  # Whatever it is: the caller tells it, and goes on or ends.
                channel.send(("failed", f"{type(error).__name__}: {error}"))
    finally:
        work.close()


class _Work:
    """The functions that may be called, with what they have started."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel
        self._sampler: Sampler | None = None
        self._generator: generator.Generator | None = None
        self._run: RunFolder | None = None
        self._bandwidth: subprocess.Popen | None = None

    def about(self) -> dict[str, Any]:
        """The machine, and the cores that this process may use."""
        return machine() | {"cores_here": sorted(os.sched_getaffinity(0))}

    def watch(self, trees: Mapping[str, int | None], port: int, server_port: int, database_port: int | None) -> int:
        """Sample these trees, by name the first process of each, or None for that which listens on `port`.

        The id of the last one's.
        """
        found = {name: pid or _listening(port) for name, pid in trees.items()}
        self._sampler = Sampler(found, server_port, database_port)
        return [*found.values()][-1]

    def snapshot(self, pss_of: str | None) -> dict[str, Any]:
        """Sample now."""
        assert self._sampler
        return _plain(self._sampler.snapshot(pss_of))

    def begin(self, pss_of: str | None) -> dict[str, Any]:
        """Sample now, and then every second."""
        assert self._sampler
        return _plain(self._sampler.start(pss_of))

    def sampled(self) -> list[dict[str, Any]]:
        """What was sampled every second."""
        assert self._sampler
        return [*map(_plain, self._sampler.snapshots)]

    def end(self) -> dict[str, Any]:
        """End sampling; what it cost."""
        assert self._sampler
        self._sampler.stop()
        return asdict(self._sampler.cost)

    def generate(self, module: str, contents: Sequence[Mapping[str, Any]]) -> int:
        """Start the load generator of a folder of `bench/` with these scenarios; its process id."""
        self._run = RunFolder()
        program = generator.build(generator.BENCH / module)
        self._generator = generator.Generator(program, [*contents], self._run)
        return self._generator.pid

    def load(self, url: str, scenario: int, rate_per_s: float | None) -> dict[str, Any]:
        """Load a server; progress is told."""
        assert self._generator
        return self._generator.load(url, lambda line: self._channel.send(("progress", line)), scenario, rate_per_s)

    def complaints(self) -> list[str]:
        """What the generator complained of since the last call."""
        assert self._generator
        return self._generator.complaints()

    def ping(self, address: str) -> dict[str, float]:
        """Round trips to an address in ms: the lowest, the mean, the highest and the mean deviation of PINGS."""
        argv = ["ping", "-n", "-q", "-c", str(PINGS), "-i", "0.02", address]
        told = _run(argv).rpartition(" = ")[2].split()[0].split("/")
        return dict(zip(("min", "mean", "max", "mdev"), map(float, told), strict=True))

    def receive(self, port: int) -> None:
        """Wait for one measurement of bandwidth."""
        if self._bandwidth:
            # It ends with the measurement before this one, and has the port until then.
            self._bandwidth.wait(10)
        self._bandwidth = subprocess.Popen(["iperf3", "-s", "-1", "-p", str(port)], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        # Not by a connection: that would be the one measurement.
        while self._bandwidth.pid not in _listeners(port):
            if self._bandwidth.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"iperf3 does not listen on port {port}")
            time.sleep(0.02)

    def bandwidth(self, address: str, port: int) -> float:
        """What this host can send to an address in a second, in bits."""
        return json.loads(_run(["iperf3", "-c", address, "-p", str(port), "-J", "-t", "1"]))["end"]["sum_sent"][
            "bits_per_second"
        ]

    def close(self) -> None:
        """End all that was started."""
        if self._sampler:
            self._sampler.stop()
        if self._generator:
            self._generator.close()
        if self._bandwidth:
            self._bandwidth.kill()
            self._bandwidth.wait()
        if self._run:
            self._run.remove()


def _run(argv: Sequence[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {(done.stdout + done.stderr).strip()}")
    return done.stdout


def _listening(port: int) -> int:
    """The process that listens on a port: of several, the one that the others descend from."""
    pids = {pid for pid in _listeners(port) if pid}
    firsts = [pid for pid in pids if not pids & {one.pid for one in psutil.Process(pid).parents()}]
    if not firsts:
        raise RuntimeError(f"no process that this user may see listens on port {port}")
    return min(firsts)


def _listeners(port: int) -> Iterator[int | None]:
    for one in psutil.net_connections("tcp"):
        if one.status == psutil.CONN_LISTEN and one.laddr.port == port:
            yield one.pid


def _plain(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "at": snapshot.at,
        "trees": {name: asdict(usage) for name, usage in snapshot.trees.items()},
        "cores": {number: asdict(times) for number, times in snapshot.cores.items()},
        "harness_cpu_s": snapshot.harness_cpu_s,
    }
