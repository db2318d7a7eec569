"""What a server of a service is given in its environment: `contract-tests/<service>/settings.toml`.

HOST, PORT and the database's URL, which every server may need, are not in there.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from samewire.contract.files import ContractError, mistakes
from samewire.paths import CONTRACTS


@dataclass(frozen=True)
class Setting:
    """One environment variable.

    `kind` is `folder` (an empty folder that the server may write to), `upstream` (the base URL of a running server of
    `service`), `choice` (one of the words in `values`), or `bytes`, `milliseconds`, `count` (an integer from `minimum`
    on). The last four are optional, `default` when absent.
    """

    name: str
    kind: str
    default: int | str | None = None
    service: str | None = None
    values: tuple[str, ...] = ()
    minimum: int = 1

    @property
    def required(self) -> bool:
        """Whether a server does not start without it."""
        return self.default is None


@cache
def settings(service: str, root: Path = CONTRACTS) -> tuple[Setting, ...]:
    """The settings of a service, in the file's order. Raises ContractError."""
    path = root / service / "settings.toml"
    if not path.exists():
        return ()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{path}: {error}") from error
    if problems := mistakes(content, "settings.schema.json"):
        raise ContractError("\n".join(f"{path}: {problem.json_path}: {problem.message}" for problem in problems))
    found = [Setting(name, **(about | {"values": tuple(about.get("values", ()))})) for name, about in content.items()]
    for one in found:
        if one.values and one.default not in one.values:
            raise ContractError(f"{path}: $.{one.name}: {one.default!r} is none of its values")
        if isinstance(one.default, int) and one.default < one.minimum:
            raise ContractError(f"{path}: $.{one.name}: {one.default} is less than its minimum")
    return tuple(found)
