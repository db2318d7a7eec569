"""What a server of a service is given in its environment: `contract-tests/<service>/settings.toml`.

HOST, PORT and the database's URL, which every server may need, are not in there.
"""

import tomllib
from dataclasses import dataclass
from functools import cache

from samewire.contract.files import ContractError, validator
from samewire.paths import CONTRACTS


@dataclass(frozen=True)
class Setting:
    """One environment variable.

    `kind` is `folder` (an empty folder that the server may write to), `upstream` (the base URL of a running server of
    `service`), or `bytes`, `milliseconds`, `count`: a positive integer, optional, `default` when absent.
    """

    name: str
    kind: str
    default: int | None = None
    service: str | None = None

    @property
    def required(self) -> bool:
        """Whether a server does not start without it."""
        return self.default is None


@cache
def settings(service: str) -> tuple[Setting, ...]:
    """The settings of a service, in the file's order. Raises ContractError."""
    path = CONTRACTS / service / "settings.toml"
    if not path.exists():
        return ()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{path}: {error}") from error
    problems = sorted(validator("settings.schema.json").iter_errors(content), key=lambda one: one.json_path)
    if problems:
        raise ContractError("\n".join(f"{path}: {problem.json_path}: {problem.message}" for problem in problems))
    return tuple(Setting(name, **about) for name, about in content.items())
