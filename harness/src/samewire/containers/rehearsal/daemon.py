"""A Docker engine of our own, for machines where Docker is installed but not running."""

import contextlib
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from samewire.containers.engine import EngineError, docker
from samewire.locking import exclusive
from samewire.paths import CHECKOUT, STATE
from samewire.toolchains import ToolMissing

_FOLDER = STATE / "containers"
# Sockets have short paths only, so they are not below the checkout.
_SOCKETS = Path("/run") / f"samewire-{hashlib.sha256(str(CHECKOUT).encode()).hexdigest()[:8]}"
_START_TIMEOUT = 60.0
_STOP_TIMEOUT = 60.0

_FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
_MADE_BY_DOCKER = (Path("/etc/docker/key.json"), Path("/run/docker"), Path("/run/containerd"))
"""What Docker and containerd make outside of the folders that they are told to use."""


class NoEngine(Exception):
    """No Docker engine answers and none can be started here; the message says why and what to do."""


@contextlib.contextmanager
def engine() -> Iterator[bool]:
    """A Docker engine for as long as the block runs, in $DOCKER_HOST; yields whether it is our own.

    The one that answers already, else one that is started here and leaves nothing behind but its images, below
    `.samewire/containers`. Raises NoEngine.
    """
    if _answers():
        yield False
        return
    if given := os.environ.get("DOCKER_HOST"):
        raise NoEngine(f"no Docker engine answers at DOCKER_HOST={given}.\nStart it, or unset the variable.")
    dockerd = shutil.which("dockerd", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if os.geteuid() != 0 or not dockerd:
        why = "dockerd is not installed (apt-get install docker.io)" if os.geteuid() == 0 else "this is not root"
        raise NoEngine(f"no Docker engine answers, and none can be started: {why}.\nStart Docker, or set DOCKER_HOST.")
    with exclusive(_FOLDER / "lock"), _machine_as_it_was():
        stop_stale_engine()
        _remove_sockets()
        _SOCKETS.mkdir()
        os.environ["DOCKER_HOST"] = f"unix://{_SOCKETS}/docker.sock"
        try:
            daemon = _start(dockerd)
            try:
                yield True
            finally:
                _stop(psutil.Process(daemon.pid))
                daemon.wait()
        finally:
            del os.environ["DOCKER_HOST"]
            _remove_sockets()


def _answers() -> bool:
    try:
        docker("info", "--format", "{{.ServerVersion}}")
    except (EngineError, ToolMissing):
        return False
    return True


def _start(dockerd: str) -> subprocess.Popen:
    """Start the daemon and wait until it answers. Raises NoEngine with the end of its log."""
    log = _FOLDER / "dockerd.log"
    argv = [
        dockerd, f"--host=unix://{_SOCKETS}/docker.sock", f"--data-root={_FOLDER / 'engine'}",
        f"--exec-root={_SOCKETS}/exec", f"--pidfile={_SOCKETS}/pid",
    ]  # fmt: skip
    with log.open("wb") as output:
        daemon = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
    deadline = time.monotonic() + _START_TIMEOUT
    while daemon.poll() is None and time.monotonic() < deadline:
        if _answers():
            return daemon
        time.sleep(0.2)
    if daemon.poll() is None:
        _stop(psutil.Process(daemon.pid))
    daemon.wait()
    last = "\n".join(log.read_text(errors="replace").splitlines()[-5:])
    raise NoEngine(f"no Docker engine answers, and dockerd does not start here ({log}). Its last lines:\n{last}")


def _stop(daemon: psutil.Process) -> None:
    """Stop a daemon, which stops its containers first."""
    with contextlib.suppress(psutil.NoSuchProcess):
        daemon.terminate()
        try:
            daemon.wait(_STOP_TIMEOUT)
        except psutil.TimeoutExpired:
            daemon.kill()


def stop_stale_engine() -> None:
    """Stop the engine that a killed command left."""
    with contextlib.suppress(OSError, ValueError, psutil.Error):
        daemon = psutil.Process(int((_SOCKETS / "pid").read_text()))
        if f"--exec-root={_SOCKETS}/exec" in daemon.cmdline():
            _stop(daemon)


def _remove_sockets() -> None:
    """Delete the folder of sockets, with what the daemon mounted there and leaves."""
    for line in Path("/proc/mounts").read_text().splitlines():
        point = line.split()[1]
        if Path(point).is_relative_to(_SOCKETS):
            _run("umount", point)
    shutil.rmtree(_SOCKETS, ignore_errors=True)


@contextlib.contextmanager
def _machine_as_it_was() -> Iterator[None]:
    """Take away what the daemon leaves on the machine when it stops: its bridge, packet filter rules and files.

    How it was before is kept in a file as well, for the command after one that was killed.
    """
    kept = _FOLDER / "before.json"
    if not kept.exists():
        before = {
            "bridge": Path("/sys/class/net/docker0").exists(),
            "forwarding": _FORWARDING.read_text(),
            "files": [str(path) for path in _MADE_BY_DOCKER if path.exists()],
            "rules": {table: _rules(table) for table in ("filter", "nat")},
        }
        kept.write_text(json.dumps(before))
    before = json.loads(kept.read_text())
    try:
        yield
    finally:
        for table, old in before["rules"].items():
            _restore_rules(table, old)
        if not before["bridge"]:
            _run("ip", "link", "delete", "docker0")
        _FORWARDING.write_text(before["forwarding"])
        for path in _MADE_BY_DOCKER:
            if path.is_dir() and str(path) not in before["files"]:
                shutil.rmtree(path, ignore_errors=True)
            elif str(path) not in before["files"]:
                path.unlink(missing_ok=True)
        kept.unlink()


def _restore_rules(table: str, old: list[str]) -> None:
    new = [rule for rule in _rules(table) if rule not in old and re.search("DOCKER|docker0", rule)]
    # A chain goes when no rule leads to it any more.
    changes = [rule.replace("-A", "-D", 1) for rule in new if rule.startswith("-A")]
    changes += [rule.replace("-N", flag, 1) for flag in ("-F", "-X") for rule in new if rule.startswith("-N")]
    changes += [rule for rule in old if rule.startswith("-P")]
    for change in changes:
        _run("iptables", "-t", table, *shlex.split(change))


def _rules(table: str) -> list[str]:
    return _run("iptables", "-t", table, "-S").splitlines()


def _run(*argv: str) -> str:
    try:
        return subprocess.run(argv, capture_output=True, text=True).stdout
    except FileNotFoundError:
        return ""
