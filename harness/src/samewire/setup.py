"""Installs what the harness takes from npm and Maven Central, below `.samewire/`."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from samewire.archives import unpack
from samewire.build import run_command
from samewire.databases.mongodb import archive_classes
from samewire.digests import digest_files, source_files
from samewire.paths import HARNESS, STATE, TOOLCHAINS
from samewire.race import generator
from samewire.toolchains import TOOLS, chosen_by_machine, mongodb_stand_in, version_of


@dataclass(frozen=True)
class _Part:
    """Something to install or build: what it is made from, how, and whether it is there."""

    name: str
    folder: Path
    install: Callable[[], None]
    is_there: Callable[[], bool]

    @property
    def _stamp(self) -> Path:
        return STATE / "setup" / self.name.replace(" ", "-")

    def _digest(self) -> str:
        return digest_files(source_files(self.folder), self.folder)

    def is_due(self) -> bool:
        return not (self.is_there() and self._stamp.exists() and self._stamp.read_text() == self._digest())

    def run(self) -> None:
        self.install()
        self._stamp.parent.mkdir(parents=True, exist_ok=True)
        self._stamp.write_text(self._digest())
        for tool in TOOLS.values():
            tool.cache_clear()


_NODE = HARNESS / "toolchains/node"
_POSTGRESQL = HARNESS / "databases/postgresql"
_STAND_IN = HARNESS / "databases/mongodb-stand-in"


def steps() -> list[dict[str, Callable[[], None]]]:
    """What is to be installed or built now, by name: first tools, then what is made with them.

    Those of one of the two may run side by side; empty when all is there and up to date.
    """
    node = _Part("Node.js", _NODE, _install_node, lambda: TOOLS["node"]().found)
    tools = [
        *([] if chosen_by_machine("node") else [node]),
        _Part("PostgreSQL", _POSTGRESQL, _unpack_postgresql, lambda: TOOLS["postgresql"]().found),
        _Part("MongoDB stand-in", _STAND_IN, _build_stand_in, lambda: TOOLS["mongodb-stand-in"]().found),
    ]
    made = [_Part(f"load generator {module.name}", module, *_generator(module)) for module in generator.MODULES]
    return [{part.name: part.run for part in parts if part.is_due()} for parts in (tools, made)]


def _generator(module: Path) -> tuple[Callable[[], object], Callable[[], bool]]:
    return partial(generator.build, module), partial(generator.is_built, module)


def _package(module: Path) -> None:
    run_command(["mvn", "-B", "-ntp", "clean", "package", "-DskipTests"], module, ["jdk", "maven"])


def _build_stand_in() -> None:
    _package(_STAND_IN)
    mongodb_stand_in.cache_clear()
    archive_classes()


def _install_node() -> None:
    folder = TOOLCHAINS / "node"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(_NODE / name, folder)
    run_command(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder, [])


def _unpack_postgresql() -> None:
    _package(_POSTGRESQL)
    (archive,) = (_POSTGRESQL / "target").glob("*.txz")
    made = TOOLCHAINS / "postgresql.new"
    shutil.rmtree(made, ignore_errors=True)
    unpack(archive, made)
    version = version_of(made / "bin/postgres")
    for old in TOOLCHAINS.glob("postgresql-*"):
        shutil.rmtree(old)
    made.rename(TOOLCHAINS / f"postgresql-{version}")
