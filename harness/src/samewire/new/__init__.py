"""A start for a server of one's own, in a folder anywhere: files to fill in, and none of our code.

A language is a folder of `languages/`: `start.toml` has its other names and the keys of the manifest that are the
language's, and the other files are the program. Any other language gets a manifest whose commands are still to be
written.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from samewire.contract.services import services
from samewire.datasets import schema, schema_file
from samewire.manifest import SelectionError
from samewire.settings import Setting, settings

LANGUAGES = Path(__file__).parent / "languages"
_ANY = "any"
"""The folder for a language that has none."""
_START = "start.toml"
_TEMPLATES = Path(__file__).parent / "templates"


class NotEmpty(Exception):
    """The folder for the new server has files already; the message names it."""


def languages() -> list[str]:
    """The languages that have a program to begin with."""
    return sorted(path.name for path in LANGUAGES.iterdir() if path.is_dir() and path.name != _ANY)


def program(language: str) -> str:
    """Which of `languages()` the program to begin with is in; empty where there is none."""
    name = language.lower()
    return next((one for one in languages() if name in (one, *_start(LANGUAGES / one).get("aliases", ()))), "")


def write(service: str, language: str, folder: Path) -> list[Path]:
    """Make the folder with the files of a server, and return them.

    Raises SelectionError where there is no such service, or the folder's name is none for a server, and NotEmpty.
    """
    if service not in services():
        raise SelectionError(f"no service is called {service!r}; there are: {', '.join(services())}")
    folder = folder.resolve()
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", folder.name):
        raise SelectionError(f"{folder.name!r} is no name for a server: use letters, digits, dots and hyphens")
    if folder.name in services():
        raise SelectionError(
            f"{folder.name!r} is the name of a service: give the folder another one, such as {folder.name}-mine"
        )
    if folder.exists() and any(path.name != ".git" for path in folder.iterdir()):
        raise NotEmpty(f"{folder} is not empty. Give --folder the name of a new folder.")
    made = []
    for name, text in _files(service, language, folder.name).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            file.chmod(0o755)
        made.append(file)
    return made


def _files(service: str, language: str, name: str) -> Mapping[str, str]:
    """The text of each file, by its path in the folder."""
    sources = LANGUAGES / (program(language) or _ANY)
    start = _start(sources)
    table = schema_file(service).exists()
    facts = {
        "service": service,
        "name": name,
        "language": start.get("language", language),
        "todo": start["todo"],
        "start": _without_facts(sources),
        "store": _store(service),
        "table": table,
        "variants": _variants(service),
        "transport": "polling" if service == "chat" else "",
        "variables": [("HOST", "the address to listen at; 127.0.0.1 where it is not set"), ("PORT", "the port"),
                      *([("POSTGRES_URL", "the database, `postgres://USER@HOST:PORT/DATABASE`")] if table else []),
                      *((one.name, _told(one)) for one in settings(service))],
    }  # fmt: skip
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([_TEMPLATES, sources]), keep_trailing_newline=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined,
        # Programs and workflows have braces of their own.
        variable_start_string="[[", variable_end_string="]]",
    )  # fmt: skip
    files = {"schema.sql": schema(service)} if table else {}
    for root in (_TEMPLATES, sources):
        for path in sorted(path for path in root.rglob("*") if path.is_file() and path.name != _START):
            relative = path.relative_to(root).as_posix()
            files[relative.removesuffix(".jinja")] = environment.get_template(relative).render(facts)
    return files


def _variants(service: str) -> dict[str, tuple[str, str]]:
    """The variants that the contract wants of each server, one for each choice that is no default: its setting."""
    return {
        f"no-{one.name.lower()}" if value == "off" else f"{one.name.lower()}-{value}": (one.name, value)
        for one in settings(service)
        for value in one.values
        if value != one.default
    }


def _store(service: str) -> str:
    """Where its records are."""
    if schema_file(service).exists():
        return "postgresql"
    return "files" if any(one.kind == "folder" for one in settings(service)) else "memory"


def _start(sources: Path) -> dict[str, Any]:
    """What a language says of its program."""
    return tomllib.loads((sources / _START).read_text(encoding="utf-8"))


def _without_facts(sources: Path) -> str:
    """The keys of the manifest that a language says, as they stand in its file."""
    lines = (sources / _START).read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith(("language =", "aliases =", "todo =")))


def _told(setting: Setting) -> str:
    """What a setting means, in a few words."""
    kinds = {"folder": "a folder to write to", "upstream": f"the URL of a {setting.service} server"}
    told = kinds.get(setting.kind, " or ".join(f"`{value}`" for value in setting.values) or setting.kind)
    return told if setting.required else f"{told}; {setting.default} where it is not set"
