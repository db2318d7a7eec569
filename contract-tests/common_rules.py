"""What every service keeps to, as the models need it: errors, JSON as it is read, paths, how stacks read odd ones."""

import json
import re
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from samewire.http import Request

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


class Refused(Exception):
    """A request that ends in a problem; header fields with `_` for `-` in their names."""

    def __init__(self, status: int, detail: str, **headers: str) -> None:
        super().__init__(status, detail)
        self.status, self.detail, self.headers = status, detail, headers


def allow(request: Request, *methods: str) -> None:
    """Raises Refused for any other method."""
    if request.method not in methods:
        raise Refused(405, "Method not allowed.", Allow=", ".join(methods))


def json_body(request: Request, limit: int) -> object:
    """The value of a body of at most `limit` bytes. Raises Refused."""
    media_type = _field(request, "content-type", "").partition(";")[0].strip(" \t").lower()
    coding = _field(request, "content-encoding", "identity").strip(" \t").lower()
    if media_type != "application/json" or coding != "identity":
        raise Refused(415, "Content-Type must be application/json.")
    body = request.body or b""
    if len(body) > limit:
        raise Refused(413, "Request body too large.")
    try:
        return read_json(body)
    except Malformed:
        raise Refused(400, "Request body is not valid JSON.") from None


def _field(request: Request, name: str, default: str) -> str:
    return next((value for field, value in request.headers if field.lower() == name), default)


_SURROGATE = re.compile("[\ud800-\udfff]")


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
    if isinstance(value, str) and _SURROGATE.search(value):
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


def path_matters(request: Request) -> Mapping[str, bool]:
    """Reasons why a stack may answer a request without a body before its application sees it, and whether they hold."""
    query = request.path.partition("?")[2]
    return {
        "a malformed percent-encoding": bool(re.search("%(?![0-9A-Fa-f]{2})", request.path)),
        "a query that is not UTF-8": not is_utf_8(unquote_to_bytes(query.encode("latin-1"))),
    }


def request_matters(request: Request) -> Mapping[str, bool]:
    """Reasons why a stack may answer any request before its application sees it, and whether they hold."""
    path, _, query = request.path.partition("?")
    body = request.body or b""
    names = [name.lower() for name, _ in request.headers]
    return {
        "a method that a parser may refuse": request.method not in METHODS,
        "an oversize head": len(request.to_bytes("")) - len(body) > HEAD_LIMIT,
        "a malformed request target": not PATH.fullmatch(path) or not QUERY.fullmatch(query),
        "a malformed percent-encoding": bool(BAD_ENCODING.search(request.path)),
        "an empty segment": "//" in path,
        "a dot segment": bool(DOT_SEGMENT.search(path)),
        "a semicolon in the path": ";" in path,
        "an encoded separator": bool(ENCODED_SEPARATOR.search(path)),
        "a field that must not be repeated": any(names.count(f"content-{name}") > 1 for name in ("type", "encoding")),
        "a number of more than 100 digits": bool(LONG_NUMBER.search(body)),
    }


def first_matter(matters: Mapping[str, bool]) -> str | None:
    """The first reason that holds."""
    return next((matter for matter, holds in matters.items() if holds), None)


def is_utf_8(data: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


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
    found = {target.partition("?")[0]}
    for read in _READINGS:
        found |= {read(path) for path in found}
    return {target} | {path if path.startswith("/") else f"/{path}" for path in found}


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
