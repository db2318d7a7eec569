"""`contract-tests/tolerated.yaml`: every difference between two responses that is not compared, with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from samewire.contract.files import no_doubles, read
from samewire.paths import CONTRACTS

NOT_COMPARED = "not-compared"
CLOCK = "near-the-clock"
MEDIA_TYPE = "as-media-type"
JSON_CHARSET = "charset-utf-8-ignored-on-json"
SET = "as-set"
SET_ANY_CASE = "as-set-without-case"
OPTIONAL_ON_HEAD = "optional-on-head"
IMAGE = "png-by-its-pixels"
GZIP = "gzip-decoded"
RULES = (NOT_COMPARED, CLOCK, MEDIA_TYPE, JSON_CHARSET, SET, SET_ANY_CASE, OPTIONAL_ON_HEAD, IMAGE, GZIP)
"""What `samewire.contract.compare` can do with a header field, or the body that it describes, other than comparing it
byte for byte."""


@dataclass(frozen=True)
class Tolerance:
    """One line of the file."""

    name: str
    field: str
    rule: str
    reason: str


@dataclass(frozen=True)
class Tolerated:
    """The whole file."""

    entries: tuple[Tolerance, ...]

    def rules(self, field: str) -> Set[str]:
        """The rules that apply to this header field."""
        return self._rules.get(field.lower(), frozenset())

    @cached_property
    def _rules(self) -> Mapping[str, Set[str]]:
        fields = {entry.field.lower() for entry in self.entries}
        return {
            field: frozenset(entry.rule for entry in self.entries if entry.field.lower() == field) for field in fields
        }


@cache
def load(path: Path = CONTRACTS / "tolerated.yaml") -> Tolerated:
    """Read and check the file; ContractError for an unknown key, rule or a name used twice."""
    data = read(path, "tolerated.schema.json")
    entries = tuple(Tolerance(**entry) for entry in data["tolerated"])
    no_doubles(path, "name", (entry.name for entry in entries))
    no_doubles(path, "field and rule", ((entry.field.lower(), entry.rule) for entry in entries))
    return Tolerated(entries)
