"""Builds servers, each only when its files, or the toolchains it needs, have changed."""

import json
import os
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from samewire.digests import digest_files, source_files
from samewire.locking import exclusive
from samewire.manifest import Server
from samewire.paths import STATE
from samewire.toolchains import environment, find

BUILDS = STATE / "build"


class BuildError(Exception):
    """A build, lint or test command failed; the message holds the command and the end of its output."""


def run_command(argv: Sequence[str], folder: Path, needs: Sequence[str]) -> str:
    """Run a command of a manifest in its folder and return its output. Raises BuildError or ToolMissing."""
    done = subprocess.run(
        argv, cwd=folder, env=environment(needs), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    command = f"{' '.join(argv)}   (in {folder})"
    if done.returncode:
        raise BuildError(f"{command}\nexit status {done.returncode}\n{_end(done.stdout)}")
    refuse_incomplete(command, done.stdout)
    return done.stdout


def refuse_incomplete(command: str, output: str) -> None:
    """Raise BuildError if Maven says that it could not have the POM of a dependency.

    It only warns of that, and then builds without what the dependency needs.
    """
    if incomplete := re.search(r".*The POM for .* is missing.*", output):
        raise BuildError(f"{command}\n{incomplete.group()}\nChoose a version that the registry has whole.")


def _end(output: str, lines: int = 60) -> str:
    return "\n".join(output.rstrip().splitlines()[-lines:])


_NOT_BUILT_FROM = ("Dockerfile", "README.md", "atlas.yaml", "attacks.yaml")


def source_folders(server: Server) -> list[Path]:
    """The folders that a build reads: the server's own, its language's shared kernels, and those of its `inputs`."""
    shared = server.folder.parent / "_shared"
    inputs = [Path(os.path.normpath(server.folder / folder)) for folder in server.inputs]
    return [server.folder, *([shared] if shared.is_dir() else []), *inputs]


def inputs_digest(server: Server) -> str:
    """What a build depends on: the sources in its folders, and the toolchains' versions."""
    files = [file for folder in source_folders(server) for file in source_files(folder)]
    files = [file for file in files if file.name not in _NOT_BUILT_FROM]
    tools = {name: find(name).version for name in server.needs}
    return f"{digest_files(files, server.folder.parents[1])} {json.dumps(tools, sort_keys=True)}"


def artefact_files(server: Server) -> dict[str, list[Path]]:
    """The built files that each path or glob of the manifest's `artefacts` means."""
    return {pattern: sorted(server.folder.glob(pattern)) for pattern in server.artefacts}


def is_built(server: Server) -> bool:
    """Whether the last build is of the files as they are now and its artefacts are there."""
    stamp = BUILDS / server.slug
    return all(artefact_files(server).values()) and stamp.exists() and stamp.read_text() == inputs_digest(server)


def build(server: Server) -> float:
    """Build a server if it is not built; the seconds it took. Raises BuildError or ToolMissing."""
    started = time.monotonic()
    with exclusive(BUILDS / f"{server.slug}.lock"):
        if not is_built(server):
            stamp = BUILDS / server.slug
            stamp.unlink(missing_ok=True)
            # As they are now: what changes during the build is not in it.
            inputs = inputs_digest(server)
            for argv in server.build:
                run_command(argv, server.folder, server.needs)
            for artefact, files in artefact_files(server).items():
                if not files:
                    raise BuildError(f"{server.id}: the build did not make {artefact}, which its manifest names")
            stamp.write_text(inputs)
    return time.monotonic() - started
