"""The languages of the checkout: every `servers-*/language.toml`, and nothing else. A folder may do without one."""

import logging
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from samewire.contract.files import mistakes
from samewire.paths import CHECKOUT

FILE = "language.toml"
_PREFIX = "servers-"
_NOBODY = 65534


@dataclass(frozen=True)
class Toolchain:
    """How a program is found: on the PATH; `version` are the arguments with which it prints its version."""

    program: str
    version: tuple[str, ...]
    hint: str


@dataclass(frozen=True)
class Language:
    """One folder `servers-NAME`. `setup` is run in it where a toolchain is missing, `lint` in each of its servers.

    `user` is as whom its images run, `health` the command in them that asks /healthz, empty where there is none.
    """

    name: str
    folder: Path
    title: str
    place: int | None = None
    toolchains: Mapping[str, Toolchain] = field(default_factory=dict)
    setup: tuple[tuple[str, ...], ...] = ()
    lint: tuple[tuple[str, ...], ...] = ()
    user: int = _NOBODY
    health: tuple[str, ...] = ()


@cache
def find_languages(root: Path = CHECKOUT) -> Sequence[Language]:
    """Every language that has a folder, by its place among ports, then by name.

    A broken `language.toml` is told on standard error; the language is then as one without the file.
    """
    found = [_load(folder) for folder in root.glob(f"{_PREFIX}*/") if folder.is_dir()]
    return sorted(found, key=lambda one: (one.place is None, one.place or 0, one.name))


def language_of(folder: Path, root: Path = CHECKOUT) -> Language:
    """The language in whose folder a server is; for a server elsewhere, one of which nothing is known."""
    known = {one.folder: one for one in find_languages(root)}
    return known.get(folder.parent) or Language("", folder.parent, "")


def toolchains(root: Path = CHECKOUT) -> dict[str, Toolchain]:
    """What all languages say of toolchains, by the names that manifests use in `needs`."""
    return {name: one for language in find_languages(root) for name, one in language.toolchains.items()}


def _load(folder: Path) -> Language:
    name = folder.name.removeprefix(_PREFIX)
    bare = Language(name, folder, name.capitalize())
    file = folder / FILE
    if not file.exists():
        return bare
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        problems = [f"{problem.json_path}: {problem.message}" for problem in mistakes(content, "language.schema.json")]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems = [str(error)]
    if problems:
        told = "\n".join(f"{folder.name}/{FILE}: {problem}" for problem in problems)
        logging.getLogger(__name__).warning(f"{told}\nThis file is left out.")
        return bare
    container = content.get("container", {})
    return Language(
        name,
        folder,
        content["title"],
        content.get("place"),
        {
            key: Toolchain(one["program"], tuple(one["version"]), one["hint"])
            for key, one in content.get("toolchains", {}).items()
        },
        _commands(content, "setup"),
        _commands(content, "lint"),
        container.get("user", _NOBODY),
        tuple(container.get("health", ())),
    )


def _commands(content: Mapping, key: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(argv) for argv in content.get(key, ()))
