"""The sampling profilers, one for each runtime: async-profiler for JVMs, V8's own for Node.js, perf for Apache."""

import contextlib
import os
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from samewire.manifest import Server
from samewire.process import RunningServer
from samewire.profiling import ProfilingError, async_profiler, cpuprofile, perf_script
from samewire.profiling.stacks import Stacks
from samewire.toolchains import ToolMissing, tool, version_of, with_jvm_options

INTERVAL_US = 1000
"""Microseconds between two samples."""


@dataclass(frozen=True)
class Sampled:
    """What a profiler saw: stacks, how many samples of waiting threads are not among them, and how it sampled."""

    stacks: Stacks
    idle: int
    how: dict[str, str | int]


class Profiler(ABC):
    """Samples one server for a while. Every method may raise ProfilingError.

    The order is `require`, `command`, the server's start, `prepare`, `begin`, `end`, the server's stop, `sampled`.
    """

    def __init__(self, folder: Path) -> None:
        """It may write to `folder`, which is empty and its own."""
        self._folder = folder
        self._window = cpuprofile.Window(0.0, 0.0)

    @property
    def seconds(self) -> float:
        """How long it sampled."""
        return self._window.end - self._window.begin

    def command(self, server: Server) -> Server:
        """The server with what the profiler needs on its command line."""
        return server

    @classmethod  # noqa: B027 (not every profiler needs something)
    def require(cls) -> None:
        """See that it can be used on this machine; installs it if it can be. Raises ToolMissing or BuildError, too."""

    def prepare(self, running: RunningServer) -> None:  # noqa: B027
        """What takes time and can be done before there is a load."""

    def begin(self, running: RunningServer) -> None:
        """Sample from now on."""
        self._window = cpuprofile.Window(time.monotonic(), 0.0)

    def end(self, running: RunningServer) -> None:
        """Sample no longer."""
        self._window = replace(self._window, end=time.monotonic())

    @abstractmethod
    def sampled(self, server: Server) -> Sampled:
        """What was seen, once the server has ended."""

    def close(self) -> None:  # noqa: B027
        """End what it has started, if a profile was broken off."""


class NodeProfiler(Profiler):
    """V8's profiler, in each thread from its start on; samples before and after are left out by their times."""

    def command(self, server: Server) -> Server:
        node, *rest = server.run
        options = ("--cpu-prof", f"--cpu-prof-dir={self._folder}", f"--cpu-prof-interval={INTERVAL_US}")
        return replace(server, run=(node, *options, *rest))

    def sampled(self, server: Server) -> Sampled:
        files = sorted(self._folder.glob("*.cpuprofile"))
        if not files:
            raise ProfilingError(
                f"{server.id}: Node.js wrote no profile. It does so when it ends by itself: see its log"
            )
        stacks, idle = cpuprofile.read(files, self._window, server.folder)
        how = {"name": "V8", "version": tool("node").version, "event": "wall clock", "interval_us": INTERVAL_US}
        return Sampled(stacks, idle, how)


class JvmProfiler(Profiler):
    """async-profiler: joins the running JVM."""

    EVENTS = ("cpu-clock", "ctimer", "itimer")
    """What it samples by, the best first: perf_events, which see the kernel and may be forbidden, and two timers."""

    def __init__(self, folder: Path, events: Sequence[str] = EVENTS) -> None:
        super().__init__(folder)
        self._events = events
        self._event = ""

    @classmethod
    def require(cls) -> None:
        async_profiler.installed()

    def command(self, server: Server) -> Server:
        # Without these a JVM tells only where it can be stopped, not where it is.
        precise = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints")
        return replace(server, run=tuple(with_jvm_options(server.run, *precise)))

    def prepare(self, running: RunningServer) -> None:
        # To join a JVM takes seconds if it is under load. It also shows which event can be had.
        problems = []
        for event in self._events:
            if not (problem := self._start(event, running)):
                self._call("stop", running, "-o", "collapsed", "-f", str(self._folder / "unused"))
                self._event = event
                return
            problems.append(f"{event}: {problem}")
        told = "; ".join(problems)
        raise ProfilingError(
            f"{running.target.name}: async-profiler cannot sample it ({told}). It has to run as the user of the server."
        )

    def begin(self, running: RunningServer) -> None:
        if problem := self._start(self._event, running):
            raise ProfilingError(f"{running.target.name}: async-profiler did not start again: {problem}")
        super().begin(running)

    def end(self, running: RunningServer) -> None:
        super().end(running)
        if problem := self._call("stop", running, "-o", "collapsed", "-f", str(self._stacks)):
            raise ProfilingError(f"{running.target.name}: async-profiler wrote no stacks: {problem}")

    def sampled(self, server: Server) -> Sampled:
        how = {"name": "async-profiler", "version": async_profiler.VERSION, "event": self._event}
        return Sampled(Stacks.read(self._stacks.read_text(errors="replace")), 0, how | {"interval_us": INTERVAL_US})

    @property
    def _stacks(self) -> Path:
        return self._folder / "stacks.collapsed"

    def _start(self, event: str, running: RunningServer) -> str:
        # Names of lambdas and hidden classes without their numbers are the same in every process.
        return self._call("start", running, "-e", event, "-i", f"{INTERVAL_US}us", "--norm")

    def _call(self, action: str, running: RunningServer, *options: str) -> str:
        """Why it failed in one line, empty if it did not."""
        argv = [str(async_profiler.installed().program), action, *options, str(running.pid)]
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace")
        return " ".join((done.stderr + done.stdout).split())[:500] if done.returncode else ""


class PerfProfiler(Profiler):
    """Linux's perf, over all processes of the server."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._perf: subprocess.Popen | None = None

    @classmethod
    def require(cls) -> None:
        if problem := perf_problem():
            raise ProfilingError(problem)

    def begin(self, running: RunningServer) -> None:
        main = psutil.Process(running.pid)
        pids = ",".join(str(process.pid) for process in [main, *main.children(recursive=True)])
        # Programs of Debian have no frame pointers: parts of the stack are kept, from which the callers are found.
        how = ("-e", "cpu-clock", "-F", str(1_000_000 // INTERVAL_US), "--call-graph", "dwarf,8192")
        with self._log.open("wb") as log:
            self._perf = subprocess.Popen(
                ["perf", "record", "--quiet", *how, "--pid", pids, "--output", str(self._data)],
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        super().begin(running)

    def end(self, running: RunningServer) -> None:
        super().end(running)
        assert self._perf
        ended_before = self._perf.poll() is not None
        self.close()
        if ended_before or not self._data.exists():
            told = self._log.read_text(errors="replace").strip()[-500:]
            raise ProfilingError(f"{running.target.name}: perf did not sample it: {told or 'it said nothing'}")

    def close(self) -> None:
        if self._perf:
            with contextlib.suppress(ProcessLookupError):
                self._perf.terminate()
            self._perf.wait()

    def sampled(self, server: Server) -> Sampled:
        argv = ["perf", "script", "--no-inline", "-i", str(self._data), "-F", perf_script.FIELDS]
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise ProfilingError(f"{server.id}: perf script ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        path = shutil.which("perf")
        how = {"name": "perf", "version": version_of(Path(path)) if path else "", "event": "cpu-clock"}
        return Sampled(perf_script.read(done.stdout), 0, how | {"interval_us": INTERVAL_US})

    @property
    def _data(self) -> Path:
        return self._folder / "perf.data"

    @property
    def _log(self) -> Path:
        return self._folder / "perf.log"


def perf_problem() -> str:
    """Why perf cannot sample here, and what to do; empty if it can. Raises ToolMissing where there is none."""
    if not shutil.which("perf"):
        raise ToolMissing("perf is missing: apt-get install linux-perf")
    argv = ["perf", "record", "--quiet", "-e", "cpu-clock", "--output", os.devnull, "--", "true"]
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace")
    if not done.returncode:
        return ""
    told = " ".join(done.stderr.split())[:300]
    return f"perf may not sample on this machine: {told}\nRun as root, or: sysctl kernel.perf_event_paranoid=1"


_BY_TOOL: dict[str, type[Profiler]] = {"node": NodeProfiler, "jdk": JvmProfiler, "apache-php": PerfProfiler}


def profiler_of(server: Server) -> type[Profiler]:
    """The profiler for the runtime of a server. Raises ProfilingError where none is known."""
    for need in server.needs:
        if need in _BY_TOOL:
            return _BY_TOOL[need]
    known = ", ".join(_BY_TOOL)
    raise ProfilingError(
        f"{server.id}: no profiler for what it needs ({', '.join(server.needs)}); there are for: {known}"
    )
