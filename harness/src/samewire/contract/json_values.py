"""JSON as values that can be compared: members in any order, numbers as they are spelled."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A JSON number as it is spelled: `1` and `1.0` are two numbers."""

    text: str

    def __str__(self) -> str:
        return self.text


class NotJson(ValueError):
    """The text is not one JSON value, or one of its objects has a member twice."""


def parse(text: bytes | str) -> object:
    """The value of a JSON text: dict, list, str, bool, None, and `Number`. Raises NotJson."""
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        return json.loads(
            decoded, parse_int=Number, parse_float=Number, parse_constant=_refuse, object_pairs_hook=_object
        )
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error


def difference(expected: object, actual: object, place: str = "") -> str | None:
    """Where two values differ first, in a sentence; None if they are equal."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in expected:
            if name not in actual:
                return f"{place or 'the object'} has no member {name!r}"
            if found := difference(expected[name], actual[name], f"{place}.{name}".lstrip(".")):
                return found
        more = [name for name in actual if name not in expected]
        return f"{place or 'the object'} has a member {more[0]!r} that the contract does not name" if more else None
    if isinstance(expected, list) and isinstance(actual, list):
        for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
            if found := difference(one, other, f"{place}[{index}]"):
                return found
        if len(expected) != len(actual):
            return f"{place or 'the list'} has {len(actual)} elements instead of {len(expected)}"
        return None
    if type(expected) is type(actual) and expected == actual:
        return None
    return f"{place or 'the value'} is {shown(actual)} instead of {shown(expected)}"


def shown(value: object, limit: int = 200) -> str:
    """The value as JSON, cut if it is long."""
    text = json.dumps(_plain(value), ensure_ascii=False)
    return text if len(text) <= limit else f"{text[:limit]}…"


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    if isinstance(value, Number):
        # Long integers and exponents stay readable as text.
        return int(value.text) if value.text.lstrip("-").isdecimal() and len(value.text) < 300 else value.text
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise NotJson("a member comes twice")
    return members


def _refuse(name: str) -> object:
    raise NotJson(f"{name} is no JSON")
