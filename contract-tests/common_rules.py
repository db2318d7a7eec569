"""What every service keeps to, as the models need it: JSON as it is read, paths, and how stacks read odd ones."""

import json
import re
from itertools import combinations
from urllib.parse import unquote_to_bytes

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
"""The methods that every HTTP parser knows; a parser may refuse others."""

NESTING_LIMIT = 64

HEAD_LIMIT = 4000
"""Bytes of request line and header fields that every stack must take; beyond it the stack's own limits decide."""

PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@/%-]*")

QUERY = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*")

BAD_ENCODING = re.compile(r"%(?![0-9A-Fa-f]{2})|%00")

DOT_SEGMENT = re.compile(r"/(\.|%2e){1,2}(/|$)", re.IGNORECASE)

ENCODED_SEPARATOR = re.compile("%2f|%5c", re.IGNORECASE)

LONG_NUMBER = re.compile(rb"[0-9.+eE-]{101}")


class Malformed(ValueError):
    """A body that is not JSON as the contract reads it."""


class _Members(list):
    """The members of a JSON object as they were written, duplicates and all."""


def read_json(body: bytes) -> object:
    """The one JSON value of a body; strict UTF-8, nesting at most 64, no lone surrogates. Raises Malformed.

    Of duplicate members the last counts, but the earlier ones must be well-formed too.
    """
    try:
        written = json.loads(body.decode("utf-8"), object_pairs_hook=_Members, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Malformed(str(error)) from error
    return _checked(written, 1)


def _no_constant(name: str) -> None:
    raise Malformed(f"{name} is no JSON")


def _checked(value: object, depth: int) -> object:
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        raise Malformed("lone surrogate")
    if not isinstance(value, list):
        return value
    if depth > NESTING_LIMIT:
        raise Malformed("nested too deeply")
    if isinstance(value, _Members):
        return {_checked(name, depth): _checked(member, depth + 1) for name, member in value}
    return [_checked(element, depth + 1) for element in value]


def path_segments(target: str) -> list[str]:
    """The percent-decoded segments of a request target's path, bytes as Latin-1 characters."""
    path = target.partition("?")[0]
    return [unquote_to_bytes(segment.encode("latin-1")).decode("latin-1") for segment in path.split("/")[1:]]


_READINGS = (
    lambda path: re.sub("%00.*|[#\\0].*", "", path),
    lambda path: re.sub(";[^/]*", "", path),
    lambda path: re.sub("%2f", "/", path, flags=re.IGNORECASE),
    lambda path: re.sub("%5c", "\\\\", path, flags=re.IGNORECASE),
    lambda path: path.replace("\\", "/"),
    lambda path: re.sub("%2e", ".", path, flags=re.IGNORECASE),
    lambda path: re.sub("//+", "/", path),
    lambda path: _without_dot_segments(path),
)


def readings(target: str) -> set[str]:
    """The paths that a stack may take a doubtful request target for; the target as it is among them."""
    path = target.partition("?")[0]
    found = {target}
    for count in range(1, len(_READINGS) + 1):
        for chosen in combinations(_READINGS, count):
            reading = path
            for read in chosen:
                reading = read(reading)
            found.add(reading if reading.startswith("/") else f"/{reading}")
    return found


def _without_dot_segments(path: str) -> str:
    """RFC 3986, 5.2.4."""
    segments: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            del segments[-1:]
        elif segment != ".":
            segments.append(segment)
    if path.endswith(("/.", "/..")):
        segments.append("")
    return "/" + "/".join(segments)
