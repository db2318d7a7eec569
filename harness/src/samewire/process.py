"""Processes that a command starts, and the folder that lists them, so that a killed command leaves nothing for long.

Each command that starts processes owns one folder below `.samewire/run/`. It records every process in it. When the next
command finds a folder whose owner is gone, it ends the processes recorded there (by pid, if the pid is still the same
process) and deletes the folder.
"""

import contextlib
import json
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from samewire.manifest import Server
from samewire.outputs import FILE, opened
from samewire.paths import RUNS
from samewire.target import Target, stdout_beside

PORTS = range(20000, 30000)
"""Ports from 32768 up collide with those of clients."""


class StartError(Exception):
    """A process did not come up; the message holds the end of its output."""


class StopTimeout(Exception):
    """A process did not end in time and was killed."""


_reserved: list[socket.socket] = []


def free_port() -> int:
    """A TCP port of `PORTS` that nothing on the loopback address listens on just now, and that nobody else is given.

    Until a server listens on its port, another command might choose the same. So each holds what it was given, as long
    as it runs, by a name that all on this machine can see (unix(7), abstract sockets).
    """
    for port in random.sample(PORTS, 200):
        with socket.socket() as probe, contextlib.ExitStack() as unless_free:
            reservation = unless_free.enter_context(socket.socket(socket.AF_UNIX))
            try:
                reservation.bind(f"\0samewire-port-{port}")
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            unless_free.pop_all()
            _reserved.append(reservation)
            return port
    raise StartError(f"no free port between {PORTS.start} and {PORTS.stop - 1}: what holds them? (ss -ltnp)")


def unprivileged_user() -> str | None:
    """The user for programs that refuse to run as root; None when this process is not root itself."""
    return "nobody" if os.geteuid() == 0 else None


def hand_over(path: Path) -> None:
    """Give a file or folder to the unprivileged user, if there is one."""
    if user := unprivileged_user():
        entry = pwd.getpwnam(user)
        os.chown(path, entry.pw_uid, entry.pw_gid)


def wait_for_port(port: int, timeout: float, still_alive) -> bool:
    """Whether something listens on loopback `port` within `timeout` seconds; gives up when `still_alive()` is false."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline and still_alive():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        time.sleep(0.02)
    return False


_MEMORY = Path("/dev/shm")
_MEMORY_LEAST = 1 << 30


class RunFolder:
    """The folder of one running command: logs, temporary files, database files and the list of its processes.

    What is asked for in memory is in a second folder, of the same name, in /dev/shm.
    """

    def __init__(self) -> None:
        remove_stale_runs()
        RUNS.mkdir(parents=True, exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=RUNS))
        self.path.chmod(0o755)
        (self.path / "processes").mkdir()
        _write_identity(self.path / "owner.json", os.getpid())

    def folder(self, name: str, *, in_memory: bool = False) -> Path:
        """A new folder of this run, its name made unique; on disk all the same where /dev/shm has less than 1 GiB free.

        Thousands of small files are made faster there: in the seconds after files were deleted, ext4 tries inode after
        inode for one that was not used by them.
        """
        parent = self.path
        if in_memory and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _MEMORY_LEAST:
            parent = _in_memory(self.path)
            parent.mkdir(exist_ok=True)
            parent.chmod(0o755)
        path = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))
        path.chmod(0o755)
        return path

    def record(self, pid: int) -> None:
        """Remember a process, so that it can be ended should this command be killed."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # It is gone already.
            _write_identity(self.path / "processes" / f"{pid}.json", pid)

    def remove(self) -> None:
        """Delete the folder and all in it."""
        _delete(self.path)


def _in_memory(run: Path) -> Path:
    return _MEMORY / f"samewire-{run.name}"


def _delete(run: Path) -> None:
    shutil.rmtree(_in_memory(run), ignore_errors=True)
    shutil.rmtree(run, ignore_errors=True)


def _write_identity(path: Path, pid: int) -> None:
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps({"pid": pid, "started": _started(pid)}))
    # Whoever finds the file finds all of it: one without an owner in it is deleted with its folder.
    unfinished.rename(path)


def _started(pid: int) -> int:
    """When a process was started, in clock ticks since the machine was: a date would change if the clock were set."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def _read_identity(path: Path) -> psutil.Process | None:
    """The process that a file names, if it is still the same one."""
    try:
        identity = json.loads(path.read_text())
        process = psutil.Process(identity["pid"])
        return process if _started(process.pid) == identity["started"] else None
    except (OSError, ValueError, KeyError, psutil.Error):
        return None


def remove_stale_runs() -> int:
    """End what killed commands left behind and delete their folders; how many there were."""
    stale = 0
    for folder in RUNS.glob("*/"):
        owner = folder / "owner.json"
        if not owner.exists():
            # Another command may be making it at this very moment.
            with contextlib.suppress(OSError):
                if time.time() - folder.stat().st_mtime < 60:
                    continue
        elif _read_identity(owner):
            continue
        stale += 1
        _end_gently([process for recorded in folder.glob("processes/*.json") if (process := _read_identity(recorded))])
        _delete(folder)
    return stale


def _end_gently(processes: Sequence[psutil.Process], seconds: float = 3.0) -> None:
    """SIGINT to each process, and `kill_tree` to what has not ended in time of them and all their descendants.

    A PostgreSQL that is killed leaves its shared memory; only one that starts on the same files would remove it.
    """
    families: list[psutil.Process] = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            families += [process, *process.children(recursive=True)]
            process.send_signal(signal.SIGINT)
    _, running = psutil.wait_procs(families, timeout=seconds)
    for process in running:
        kill_tree(process.pid)


def kill_tree(pid: int) -> None:
    """SIGKILL a process and all its descendants, each by its pid, and wait until they have ended.

    Until then they hold what they held: a port, or the memory without which PostgreSQL does not start again.
    """
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        family, found = set(), {root}
        # All are stopped before anybody is killed: whoever runs may start a child that is not seen here.
        while found:
            for member in found:
                with contextlib.suppress(psutil.NoSuchProcess):
                    member.suspend()
            for member in found:
                # A signal to stop that comes in the middle of a fork takes effect after it.
                _wait_until(member, psutil.STATUS_STOPPED, *_ENDED, timeout=1.0)
            family |= found
            found = set(root.children(recursive=True)) - family
        for member in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        for member in family:
            _wait_until(member, *_ENDED, timeout=10.0)


def proportional_memory(pid: int) -> int:
    """Bytes of proportional set size (`/proc/PID/smaps_rollup`) of a process and its children."""
    total = 0
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        total = sum(proportional_set_size(member.pid) for member in [root, *root.children(recursive=True)])
    return total


def proportional_set_size(pid: int) -> int:
    """The same of one process; 0 of one that has ended."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_bytes()
    except OSError:
        return 0
    found = re.search(rb"^Pss:\s*(\d+) kB", rollup, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def session_members(leader: int) -> list[int]:
    """Who runs of the session that a process has started, itself among them; zombies do not."""
    members = []
    for process in psutil.process_iter():
        with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):
            if os.getsid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                members.append(process.pid)
    return members


_ENDED = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)


def _wait_until(process: psutil.Process, *statuses: str, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    with contextlib.suppress(psutil.NoSuchProcess):
        while process.status() not in statuses and time.monotonic() < deadline:
            time.sleep(0.001)


class Spawned:
    """A started process: its standard error goes to the file `log`, its standard output to one beside it, at once or
    as `output` says. It runs on the cores `cpus`, in the control group whose folder is `cgroup`, if they are given.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        run: RunFolder,
        log: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        cpus: set[int] | None = None,
        output: str = FILE,
        cgroup: Path | None = None,
    ) -> None:
        self.log = log

        def place() -> None:
            if cgroup:
                # Itself.
                (cgroup / "cgroup.procs").write_text("0")
            if cpus:
                os.sched_setaffinity(0, cpus)

        with opened(stdout_beside(log), output) as (stdout, self._reader), log.open("ab") as errors:
            try:
                self._popen = subprocess.Popen(
                    argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=errors,
                    start_new_session=True, user=user, group="nogroup" if user == "nobody" else None,
                    extra_groups=[] if user else None,
                    # Before exec, so that threads which the program starts at once are placed as well.
                    preexec_fn=place if cpus or cgroup else None,
                )  # fmt: skip
            except OSError as error:
                raise StartError(f"cannot run {' '.join(argv)}: {error}") from error
        run.record(self.pid)
        if self._reader:
            run.record(self._reader.pid)

    @property
    def pid(self) -> int:
        """The process id of the started program."""
        return self._popen.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    def stdout(self) -> str:
        """All that it wrote so far on standard output."""
        return stdout_beside(self.log).read_text(errors="replace")

    def stderr(self) -> str:
        """All that it wrote so far on standard error."""
        return self.log.read_text(errors="replace")

    def output(self) -> str:
        """All that it wrote so far: standard output, then standard error."""
        return self.stdout() + self.stderr()

    def signal(self, number: int) -> None:
        """Send a signal to the process itself, not to its children."""
        self._popen.send_signal(number)

    def wait(self, timeout: float) -> int:
        """The exit status as a shell gives it (143 for an end by SIGTERM). Raises StopTimeout."""
        try:
            status = self._popen.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise StopTimeout(f"pid {self.pid} still runs after {timeout:g} s") from error
        self._end_reader()
        return status if status >= 0 else 128 - status

    def kill(self) -> None:
        """End it and its descendants at once."""
        if self.alive:
            kill_tree(self.pid)
        self._popen.wait()
        self._end_reader()

    def _end_reader(self) -> None:
        """It ends by itself when it has read all, unless the process left others that may still write."""
        if self._reader:
            try:
                self._reader.wait(1)
            except subprocess.TimeoutExpired:
                self._reader.kill()
                self._reader.wait()


class RunningServer(Spawned):
    """A server of ours that runs."""

    output_is_immediate = True
    """Whether what it writes is in its files at once."""

    def __init__(self, server: Server, url: str, argv: Sequence[str], **spawn) -> None:
        super().__init__(argv, **spawn)
        self.target = Target(server.name, server.service, url, server, self.pid, self.log)

    def stop(self, timeout: float = 10.0) -> int:
        """Stop it as its manifest says and return the exit status. Raises StopTimeout after having killed it."""
        if self.alive:
            self.signal(self.target.server.stop_signal if self.target.server else signal.SIGTERM)
        try:
            return self.wait(timeout)
        except StopTimeout:
            self.kill()
            raise StopTimeout(f"{self.target.name} did not stop within {timeout:g} s and was killed") from None
