"""The copy that a reader edits: a small checkout with one server in it, and a git repository of its own.

Its only commit is the copy as it was given, so that a diff is what the reader has changed. The suite runs in it as in
any checkout.
"""

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from samewire.build import build
from samewire.idioms.regions import find_regions
from samewire.labs import LabError
from samewire.labs.changes import plant
from samewire.labs.copies import copy_server
from samewire.labs.mending.declaration import Fault
from samewire.manifest import Server
from samewire.paths import CACHE, CHECKOUT, CONTRACTS, HARNESS, RUNS, STATE, TOOLCHAINS

_GIT = (
    "git", "-c", "init.defaultBranch=main", "-c", "user.name=Samewire", "-c", "user.email=samewire@localhost",
    "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null",
)  # fmt: skip


class Conflict(LabError):
    """A file is not as the page has shown it."""


@dataclass(frozen=True)
class Workspace:
    """A checkout with a copy of one server, whose id is `server`. A reader may write its `files`."""

    checkout: Path
    server: str
    files: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """The copy of the server's folder."""
        return self.checkout / self.server

    def read(self, file: str) -> str:
        """The text of one of its files. Raises LabError."""
        return self._path(file).read_text()

    def write(self, file: str, before: str, text: str) -> None:
        """Write one of its files, which had the text `before`. Raises Conflict if it has another now, and LabError."""
        path = self._path(file)
        if path.read_text() != before:
            raise Conflict(f"{file} was changed elsewhere, in {path}: read it again, or go on there")
        path.write_text(text)

    def _path(self, file: str) -> Path:
        if file not in self.files:
            raise LabError(f"{file!r} is not one of: {', '.join(self.files)}")
        return self.folder / file

    def diff(self) -> str:
        """What differs from the copy as it was given, as git shows it; empty where nothing does."""
        _git(self.checkout, "add", "--intent-to-add", "--all")
        return _git(self.checkout, "diff", "--no-color", "--no-ext-diff")


def make(checkout: Path, fault: Fault, server: Server) -> Workspace:
    """A new workspace with a fault in it. Raises LabError, BuildError or ToolMissing."""
    build(server)
    checkout.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=checkout.parent, prefix="unfinished-"))
    try:
        shutil.copytree(CONTRACTS, unfinished / CONTRACTS.name, ignore=shutil.ignore_patterns("__pycache__"))
        folder = copy_server(server, unfinished)
        plant(fault.changes, folder)
        (unfinished / HARNESS.name).symlink_to(HARNESS)
        shutil.copy(CHECKOUT / ".gitignore", unfinished)
        (unfinished / STATE.name).mkdir()
        # What a killed run of the suite leaves behind is found, and ended, by the next command of this checkout.
        RUNS.mkdir(parents=True, exist_ok=True)
        for shared in (TOOLCHAINS, CACHE, RUNS, STATE / "setup"):
            if shared.exists():
                (unfinished / STATE.name / shared.name).symlink_to(shared)
        _git(unfinished, "init", "--quiet")
        _git(unfinished, "add", "--all")
        _git(unfinished, "commit", "--quiet", "--message", "As given")
        # Whoever a server runs as may read it.
        unfinished.chmod(0o755)
        unfinished.rename(checkout)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return Workspace(checkout, server.id, _files(checkout / server.id))


def _files(folder: Path) -> tuple[str, ...]:
    """The files with a step of the project in them: there a reader looks for the fault."""
    regions, _ = find_regions(folder)
    paths = {one.path.relative_to(folder).as_posix() for of_name in regions.values() for one in of_name}
    return tuple(sorted(paths))


def _git(checkout: Path, *arguments: str) -> str:
    # What names another repository, as for a hook that runs this, is not meant.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run([*_GIT, *arguments], cwd=checkout, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise LabError(f"git {arguments[0]} in {checkout}: {done.stderr.strip()}")
    return done.stdout
