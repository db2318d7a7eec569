"""The services that have a contract, and the version of each. contract-tests/CHANGELOG.md tells what changed."""

from functools import cache
from typing import Any

import yaml

from samewire.paths import CONTRACTS


@cache
def services() -> tuple[str, ...]:
    """The names of the services, sorted."""
    return tuple(sorted(path.parent.name for path in CONTRACTS.glob("*/openapi.yaml")))


@cache
def openapi(service: str) -> dict[str, Any]:
    """Its `openapi.yaml`, for all callers: none changes it."""
    text = (CONTRACTS / service / "openapi.yaml").read_text(encoding="utf-8")
    return yaml.load(text, yaml.CSafeLoader)


def version(service: str) -> str:
    """`info.version` of its `openapi.yaml`, such as `2.1.0`."""
    return openapi(service)["info"]["version"]
