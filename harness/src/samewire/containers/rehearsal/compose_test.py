"""`samewire compose-test`: from base images to healthy servers in docker-compose.yml, and nothing left behind."""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import yaml

from samewire.build import refuse_incomplete
from samewire.containers import compose
from samewire.containers.engine import Container, EngineError, containers, docker
from samewire.containers.rehearsal.bases import bases_of, make_base, missing_bases
from samewire.containers.rehearsal.daemon import engine
from samewire.databases import URL_VARIABLES
from samewire.manifest import Server
from samewire.paths import CHECKOUT, HARNESS
from samewire.toolchains import ToolMissing

PROJECT = "samewire-test"
"""Its containers, networks and volumes are apart from those of whoever uses docker-compose.yml."""

_STAND_INS = HARNESS / "containers/stand-ins/docker-compose.yml"
_SHOWN = 40
"""Lines of a failed command's output."""
_HEALTHY_TIMEOUT = 180.0
_BUILDER = {"COMPOSE_DOCKER_CLI_BUILD": "0"}
"""The engine's own builder, which needs no plugin."""

Jobs = Callable[[dict[str, Callable[[], object]]], None]
"""Runs named jobs one after the other and shows that they run."""


def sample(servers: Sequence[Server]) -> list[Server]:
    """The first server of each language on each database."""
    chosen: dict[tuple[str, str], Server] = {}
    for server in servers:
        if server.store in URL_VARIABLES:
            chosen.setdefault((server.language, server.store), server)
    return list(chosen.values())


@contextlib.contextmanager
def in_containers(servers: Sequence[Server], run: Jobs) -> Iterator[None]:
    """The servers, their databases and the data, healthy in containers for as long as the block runs.

    Raises NoEngine, ToolMissing, EngineError or BuildError.
    """
    names = [compose.name(server) for server in servers]
    with engine() as own:
        files = [compose.FILE]
        services = _services(files, names)
        mongo = services.get(compose.HOSTS["mongodb"])
        if mongo and missing_bases([mongo["image"]]):
            files.append(_STAND_INS)
            services = _services(files, names)
        lacking = missing_bases(_images(services.values()))
        if lacking and not own:
            raise EngineError(
                f"this engine has no registry that gives {', '.join(lacking)}, and it is not ours to fill"
            )
        run({f"base image {image}": (lambda i=image: make_base(i)) for image in lacking})
        run({f"image of {name}": (lambda n=name: _build(files, n)) for name, one in services.items() if "build" in one})
        try:
            run({"databases, data, servers": lambda: _up(files, names)})
            yield
        finally:
            run({"containers and volumes removed": lambda: _compose(files, "down", "--volumes")})


def _services(files: Sequence[Path], names: Sequence[str]) -> dict[str, dict]:
    """The services of these names, and what they depend on, by name, as docker-compose understands the files."""
    every = yaml.safe_load(_compose(files, "--profile", "all", "config").stdout)["services"]
    wanted: dict[str, dict] = {}

    def add(name: str) -> None:
        if name not in wanted:
            for needed in every[name].get("depends_on", ()):
                add(needed)
            wanted[name] = every[name]

    for name in names:
        add(name)
    return wanted


def _images(services: Iterable[dict]) -> list[str]:
    """The images that must be there before anything is built."""
    images: dict[str, None] = {}
    for service in services:
        if "build" in service:
            images |= dict.fromkeys(bases_of(CHECKOUT / service["build"]["dockerfile"]))
        else:
            images[service["image"]] = None
    return list(images)


def _build(files: Sequence[Path], service: str) -> None:
    done = _compose(files, "build", service)
    refuse_incomplete(f"docker-compose build {service}", done.stdout + done.stderr)


def _up(files: Sequence[Path], names: Sequence[str]) -> None:
    """Start the services and what they depend on, and wait until all say that they are healthy. Raises EngineError."""
    try:
        _compose(files, "up", "--detach", "--no-build", *names)
    except EngineError as error:
        # It names the container alone, and only by its id.
        for one in containers(f"com.docker.compose.project={PROJECT}"):
            if not one.running and one.exit_status:
                raise EngineError(
                    f"{one.name}: exit status {one.exit_status}. Its last lines:\n{_last_lines(one)}"
                ) from error
        raise
    deadline = time.monotonic() + _HEALTHY_TIMEOUT
    while waiting := [one for one in containers(f"com.docker.compose.project={PROJECT}") if not _is_done(one)]:
        ended = [one for one in waiting if not one.running]
        if ended or time.monotonic() > deadline:
            one = (ended or waiting)[0]
            state = f"exit status {one.exit_status}" if ended else f"not healthy after {_HEALTHY_TIMEOUT:g} s"
            raise EngineError(f"{one.name}: {state}. Its last lines:\n{_last_lines(one)}")
        time.sleep(0.5)


def _is_done(container: Container) -> bool:
    """Whether it is healthy, or a job that has ended well."""
    if "Healthcheck" not in container.about["Config"]:
        return not container.running and container.exit_status == 0
    return container.about["State"].get("Health", {}).get("Status") == "healthy"


def _last_lines(container: Container) -> str:
    done = subprocess.run(["docker", "logs", "--tail", "20", container.id], capture_output=True, text=True)
    return done.stdout + done.stderr


def _compose(files: Sequence[Path], *arguments: str) -> subprocess.CompletedProcess:
    """Run docker-compose. Raises EngineError with the end of its output, or ToolMissing."""
    done = subprocess.run(
        [*_program(), *(word for file in files for word in ("-f", str(file))), "-p", PROJECT, *arguments],
        cwd=CHECKOUT, env=_BUILDER | os.environ, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).rstrip().splitlines()[-_SHOWN:])
        raise EngineError(f"docker-compose {' '.join(arguments)} ended with status {done.returncode}:\n{last}")
    return done


def _program() -> list[str]:
    """docker-compose, or the newer plugin of docker. Raises ToolMissing."""
    if found := shutil.which("docker-compose"):
        return [found]
    try:
        docker("compose", "version")
    except EngineError:
        raise ToolMissing("docker-compose is missing: apt-get install docker-compose") from None
    return ["docker", "compose"]
