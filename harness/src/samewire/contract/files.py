"""Reading the contract's YAML files: checked against a schema, so that a mistyped key is an error and not ignored."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import yaml

from samewire.paths import CONTRACTS

if TYPE_CHECKING:
    import jsonschema


class ContractError(Exception):
    """A file of the contract is wrong; the message names the file, the place and the reason."""


def read(path: Path, schema: str) -> Any:
    """The file's content, checked against `contract-tests/schema/<schema>`. ContractError with every mistake in it."""
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except (OSError, yaml.YAMLError) as error:
        raise ContractError(f"{path}: {error}") from None
    if errors := mistakes(data, schema):
        deepest = sorted(map(_deepest, errors), key=lambda error: error.json_path)
        raise ContractError("\n".join(f"{path}: at {error.json_path}: {error.message[:300]}" for error in deepest))
    return data


def no_doubles(path: Path, what: str, values: Iterable[Any]) -> None:
    """ContractError if a value comes twice."""
    seen = set()
    for value in values:
        if value in seen:
            raise ContractError(f"{path}: {what} {value!r} comes twice")
        seen.add(value)


class _Loader(yaml.CSafeLoader):
    """YAML in which a key may not come twice (the plain loader lets the last win)."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key, (key_node, _) in zip(keys, node.value, strict=True):
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} comes twice", key_node.start_mark)
        return super().construct_mapping(node, deep)


def mistakes(data: Any, schema: str) -> list[jsonschema.ValidationError]:
    """What `contract-tests/schema/<schema>` does not allow, by place; schemas may refer to each other by file name."""
    # That all is well, jsonschema-rs says sixty times faster; every process of the suite asks. What is not, jsonschema,
    # which takes 50 ms to import.
    if _fast_validator(schema).is_valid(data):
        return []
    return sorted(_validator(schema).iter_errors(data), key=lambda error: error.json_path)


@cache
def _schemas() -> dict[str, Any]:
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (CONTRACTS / "schema").iterdir()}


@cache
def _validator(schema: str) -> jsonschema.Draft202012Validator:
    import jsonschema
    from referencing import Registry, Resource

    registry = Registry().with_resources((name, Resource.from_contents(each)) for name, each in _schemas().items())
    return jsonschema.Draft202012Validator(_schemas()[schema], registry=registry)


@cache
def _fast_validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    base = "json-schema:///"
    registry = jsonschema_rs.Registry([(base + name, each) for name, each in _schemas().items()])
    return jsonschema_rs.Draft202012Validator(_schemas()[schema], registry=registry, base_uri=base + schema)


def _deepest(error: jsonschema.ValidationError) -> jsonschema.ValidationError:
    """Of the branches of an anyOf, the complaint that got furthest: the likeliest mistake."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    return error
