"""The Docker engine, by its own command: what runs in it, and where that is on this machine."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

from samewire.toolchains import ToolMissing


class EngineError(Exception):
    """The engine refused, or has not what was asked for; the message says what was asked and what next."""


def docker(*arguments: str) -> str:
    """What `docker` writes on standard output. Raises EngineError or ToolMissing."""
    if not shutil.which("docker"):
        raise ToolMissing("docker is missing: apt-get install docker.io, or https://docs.docker.com/engine/install/")
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise EngineError(f"docker {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


@dataclass(frozen=True)
class Container:
    """A container as `docker inspect` describes it."""

    about: dict

    @property
    def id(self) -> str:
        """Its full id."""
        return self.about["Id"]

    @property
    def name(self) -> str:
        """Its name, as `docker ps` shows it."""
        return self.about["Name"].lstrip("/")

    @property
    def image(self) -> str:
        """The id of its image: a digest of all that is in it."""
        return self.about["Image"]

    @property
    def labels(self) -> dict[str, str]:
        """Its labels, those of its image included."""
        return self.about["Config"]["Labels"] or {}

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self.about["State"]["Running"]

    @property
    def started_at(self) -> str:
        """When it was started last, as the engine writes it."""
        return self.about["State"]["StartedAt"]

    @property
    def exit_status(self) -> int:
        """The status of its main process, once that has ended."""
        return self.about["State"]["ExitCode"]

    @property
    def environment(self) -> dict[str, str]:
        """What its main process was given, the image's variables included."""
        return dict(line.split("=", 1) for line in self.about["Config"]["Env"])

    def published(self, port: int) -> int | None:
        """The port of this machine at which a port of the container is published."""
        bound = self.about["NetworkSettings"]["Ports"].get(f"{port}/tcp") or []
        return next((int(one["HostPort"]) for one in bound), None)

    @property
    def address(self) -> str:
        """Its IP address on its first network; empty when it has none of its own."""
        networks = self.about["NetworkSettings"]["Networks"].values()
        return next((network["IPAddress"] for network in networks if network["IPAddress"]), "")

    @property
    def pid(self) -> int | None:
        """The id that its main process has on this machine; None when it does not run, or runs on another machine."""
        pid = self.about["State"]["Pid"]
        try:
            if self.id not in Path(f"/proc/{pid}/cgroup").read_text():
                return None
            # docker-init only hands on signals: the program is its child.
            init = self.about["HostConfig"].get("Init")
            return next((child.pid for child in psutil.Process(pid).children()), None) if init else pid
        except (OSError, psutil.Error):
            return None

    def options(self) -> list[str]:
        """The options of `docker run` for another that is as confined as this one."""
        host = self.about["HostConfig"]
        options = ["--memory", str(host["Memory"])]
        options += ["--init"] if host["Init"] else []
        options += ["--read-only"] if host["ReadonlyRootfs"] else []
        options += [f"--tmpfs={path}:{how}" for path, how in (host["Tmpfs"] or {}).items()]
        options += [f"--cap-drop={one}" for one in host["CapDrop"] or []]
        return options + [f"--security-opt={one}" for one in host["SecurityOpt"] or []]

    def place(self, cpus: set[int]) -> None:
        """Keep it on these cores, all of which it may use, also from its next start on. Raises EngineError."""
        _update(self.id, ",".join(map(str, sorted(cpus))), len(cpus) * 10**9)

    def place_back(self) -> None:
        """Let it have the cores that it had when this was inspected. Raises EngineError."""
        host = self.about["HostConfig"]
        _update(self.id, host["CpusetCpus"] or f"0-{(os.cpu_count() or 1) - 1}", host["NanoCpus"])

    def again(self) -> "Container":
        """The same, as it is now. Raises EngineError."""
        return Container(json.loads(docker("inspect", "--type", "container", self.id))[0])


def _update(container: str, cpus: str, nano_cpus: int) -> None:
    docker("update", "--cpuset-cpus", cpus, "--cpus", f"{nano_cpus / 10**9:g}", container)


def container(name: str) -> Container | None:
    """The container of that name, if there is one."""
    try:
        return Container(json.loads(docker("inspect", "--type", "container", name))[0])
    except EngineError:
        return None


def signal(name: str, number: int) -> bool:
    """Send a signal to the main process of a container; whether it runs."""
    try:
        docker("kill", "--signal", str(int(number)), name)
    except EngineError:
        return False
    return True


def containers(label: str) -> list[Container]:
    """Every container with this label, running or not, by name. Raises EngineError or ToolMissing."""
    ids = docker("ps", "--all", "--quiet", "--no-trunc", "--filter", f"label={label}").split()
    found = json.loads(docker("inspect", "--type", "container", *ids)) if ids else []
    return sorted(map(Container, found), key=lambda one: one.name)
