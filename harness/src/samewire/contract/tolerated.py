"""`contract-tests/tolerated.yaml`: every difference between two responses that is not compared, with its reason."""

from __future__ import annotations

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

    def applies(self, rule: str, field: str) -> bool:
        """Whether `rule` applies to this header field."""
        return (rule, field.lower()) in self._pairs

    @cached_property
    def _pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset((entry.rule, entry.field.lower()) for entry in self.entries)


@cache
def load(path: Path = CONTRACTS / "tolerated.yaml") -> Tolerated:
    """Read and check the file; ContractError for an unknown key, rule or a name used twice."""
    data = read(path, "tolerated.schema.json")
    entries = tuple(Tolerance(**entry) for entry in data["tolerated"])
    no_doubles(path, "name", (entry.name for entry in entries))
    no_doubles(path, "field and rule", ((entry.field.lower(), entry.rule) for entry in entries))
    return Tolerated(entries)
