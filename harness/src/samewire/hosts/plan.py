"""What a hosts file says: which hosts there are, and where the servers run."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import jsonschema

from samewire.race import RaceError

SERVER, DATABASE, LOAD = "server", "database", "load"


class HostsError(RaceError):
    """A hosts file that is wrong, or a host that does not do what was asked; the message says which and what."""


@dataclass(frozen=True)
class Host:
    """A host as the file describes it. `port` is where a database listens, 0 for others."""

    name: str
    role: str
    address: str
    gateway: str
    port: int = 0


@dataclass(frozen=True)
class Plan:
    """The hosts of a race, and the URLs of the servers that run there, by id."""

    hosts: Sequence[Host]
    servers: Mapping[str, str]

    def of_role(self, role: str) -> list[Host]:
        """The hosts of a role, in the order of the file."""
        return [one for one in self.hosts if one.role == role]


def read(file: Path) -> Plan:
    """The plan of a file. Raises HostsError with what is wrong with it."""
    try:
        content = tomllib.loads(file.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise HostsError(f"{file}: {error}") from error
    schema = json.loads((files(__package__) / "hosts.schema.json").read_text())
    problems = sorted(jsonschema.Draft202012Validator(schema).iter_errors(content), key=lambda one: one.json_path)
    if problems:
        raise HostsError("\n".join(f"{file}: {problem.json_path}: {problem.message}" for problem in problems))
    plan = Plan([Host(**one) for one in content["hosts"]], content["servers"])
    names = [one.name for one in plan.hosts]
    if len(set(names)) < len(names):
        raise HostsError(f"{file}: $.hosts: two hosts have the same name")
    for role, least, most in ((SERVER, 1, 1), (DATABASE, 0, 1), (LOAD, 1, len(names))):
        if not least <= len(plan.of_role(role)) <= most:
            wanted = f"exactly {least}" if least == most else f"{least} or more" if most > 1 else f"at most {most}"
            raise HostsError(f"{file}: $.hosts: there must be {wanted} with the role {role}")
    return plan
