"""The shortener's contract as a pure function: the complete response to any request that its application sees.

Independent of every server: written from the contract, with no HTTP library and no URL parser in it. What a stack may
answer before its application sees the request is told apart by `wire_matter`; there only `readings` hold.

Layers that are for every service ask a service's model for `judge`, `problem` and `unavailable`, and for nothing else.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from email.utils import formatdate
from itertools import combinations
from urllib.parse import unquote_to_bytes

from samewire.contract.compare import differences, response_problems
from samewire.http import Request, Response
from samewire.links import links

BODY_LIMIT = 8192
URL_LIMIT = 2048
NESTING_LIMIT = 64
HEAD_LIMIT = 4000
"""Bytes of request line and header fields that every stack must take; beyond it the stack's own limits decide."""

HASH = re.compile(r"[0-9A-Za-z]{6}")
URL = re.compile(r"[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9._-]+(:[0-9]{1,5})?([/?#][!-~]*)?")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
"""The methods that every HTTP parser knows; a parser may refuse others."""

NO_FRESH_HASH = "??????"

SEEDED: Mapping[str, str] = dict(links(10_000))
"""What the suite loads into every server's database."""

_TITLES = {
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    503: "Service Unavailable",
}
_REASONS = _TITLES | {200: "OK", 201: "Created", 301: "Moved Permanently"}


class Malformed(ValueError):
    """A body that is not JSON as the contract reads it."""


class Refused(Exception):
    """A request that ends in a problem."""

    def __init__(self, status: int, detail: str, **headers: str) -> None:
        super().__init__(status, detail)
        self.status, self.detail, self.headers = status, detail, headers


def answer(request: Request, links: Mapping[str, str], fresh: str = NO_FRESH_HASH) -> Response:
    """The response to `request` of a shortener that holds `links` (hash to URL).

    `fresh` is the hash that the service chose, should the request make a link. A body is taken as plain content:
    its transfer coding, if it had one, is already removed.
    """
    try:
        response = _route(request, links, fresh)
    except Refused as refused:
        response = problem(refused.status, refused.detail, **refused.headers)
    return _without_body_for_head(request, response)


def _without_body_for_head(request: Request, response: Response) -> Response:
    return replace(response, body=b"") if request.method == "HEAD" else response


def judge(request: Request, response: Response, links: Mapping[str, str] = SEEDED) -> list[str]:
    """What is wrong with the response of a server that holds `links`, one sentence each; empty if it is right."""
    fresh = fresh_hash(response)
    expected = answer(request, links, fresh or NO_FRESH_HASH)
    problems = response_problems(response, request)
    problems += differences(expected, response, request=request, names=("contract", "server"))
    if fresh in links:
        problems.append(f"the hash {fresh} is not fresh: a link had it before")
    return problems


def fresh_hash(response: Response) -> str | None:
    """The hash that a 201 says it has made; None if there is none of the right form."""
    location = "".join(response.values("Location"))
    return location[1:] if response.status == 201 and re.fullmatch(f"/{HASH.pattern}", location) else None


def unavailable(request: Request) -> Response:
    """The response to a request that needs the database while it is away."""
    return _without_body_for_head(request, problem(503, "Service unavailable.", Retry_After="1"))


def problem(status: int, detail: str, **headers: str) -> Response:
    """An error response (RFC 9457) with further header fields, `_` for `-` in their names."""
    body = {"type": "about:blank", "title": _TITLES[status], "status": status, "detail": detail}
    return _response(status, body, "application/problem+json", **headers)


def _response(status: int, body: object = None, media_type: str | None = None, **headers: str) -> Response:
    content = b"" if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    fields = [("Date", formatdate(usegmt=True)), ("Content-Length", str(len(content)))]
    if media_type:
        fields.append(("Content-Type", media_type))
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Response(status, _REASONS[status], "HTTP/1.1", tuple(fields), content)


def _route(request: Request, links: Mapping[str, str], fresh: str) -> Response:
    match path_segments(request.path):
        case ["healthz"]:
            _allow(request, "GET", "HEAD")
            return _response(200, {"status": "ok"}, "application/json")
        case ["links"]:
            _allow(request, "POST")
            url = _url_of(request)
            return _response(201, {"hash": fresh, "url": url}, "application/json", Location=f"/{fresh}")
        case ["links", hash_] if hash_:
            _allow(request, "GET", "HEAD")
            if not HASH.fullmatch(hash_) or hash_ not in links:
                raise Refused(404, "No such link.")
            return _response(200, {"hash": hash_, "url": links[hash_]}, "application/json")
        case [hash_] if hash_:
            _allow(request, "GET", "HEAD")
            if not HASH.fullmatch(hash_) or hash_ not in links:
                return _response(404)
            return _response(301, Location=links[hash_])
        case _:
            raise Refused(404, "No such resource.")


def path_segments(target: str) -> list[str]:
    """The percent-decoded segments of a request target's path, bytes as Latin-1 characters."""
    path = target.partition("?")[0]
    return [unquote_to_bytes(segment.encode("latin-1")).decode("latin-1") for segment in path.split("/")[1:]]


def _allow(request: Request, *methods: str) -> None:
    if request.method not in methods:
        raise Refused(405, "Method not allowed.", Allow=", ".join(methods))


def _url_of(request: Request) -> str:
    """The URL that a POST asks to shorten. Raises Refused."""
    media_type = _field(request, "content-type", "").partition(";")[0].strip(" \t").lower()
    coding = _field(request, "content-encoding", "identity").strip(" \t").lower()
    if media_type != "application/json" or coding != "identity":
        raise Refused(415, "Content-Type must be application/json.")
    body = request.body or b""
    if len(body) > BODY_LIMIT:
        raise Refused(413, "Request body too large.")
    try:
        value = read_json(body)
    except Malformed:
        raise Refused(400, "Request body is not valid JSON.") from None
    if not isinstance(value, dict) or list(value) != ["url"]:
        raise Refused(422, "Request body must be an object with the one member url.")
    url = value["url"]
    if not isinstance(url, str) or len(url.encode()) > URL_LIMIT or not URL.fullmatch(url):
        raise Refused(422, "url must be an absolute http or https URL of at most 2048 bytes.")
    return url


def _field(request: Request, name: str, default: str) -> str:
    return next((value for field, value in request.headers if field.lower() == name), default)


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


_PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@/%-]*")
_QUERY = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*")
_BAD_ENCODING = re.compile(r"%(?![0-9A-Fa-f]{2})|%00")
_DOT_SEGMENT = re.compile(r"/(\.|%2e){1,2}(/|$)", re.IGNORECASE)
_ENCODED_SEPARATOR = re.compile("%2f|%5c", re.IGNORECASE)
_LONG_NUMBER = re.compile(rb"[0-9.+eE-]{101}")
_NUL_NAME = re.compile(rb'"(\\u0000|\0)')


def wire_matter(request: Request) -> str | None:
    """Why a stack may answer `request` before its application sees it; None when the model's answer must come."""
    path, _, query = request.path.partition("?")
    body = request.body or b""
    names = [name.lower() for name, _ in request.headers]
    matters = {
        "a method that a parser may refuse": request.method not in METHODS,
        "an oversize head": len(request.to_bytes("")) - len(body) > HEAD_LIMIT,
        "a malformed request target": not _PATH.fullmatch(path) or not _QUERY.fullmatch(query),
        "a malformed percent-encoding": bool(_BAD_ENCODING.search(request.path)),
        "an empty segment": "//" in path,
        "a dot segment": bool(_DOT_SEGMENT.search(path)),
        "a semicolon in the path": ";" in path,
        "an encoded separator": bool(_ENCODED_SEPARATOR.search(path)),
        "a field that must not be repeated": any(names.count(f"content-{name}") > 1 for name in ("type", "encoding")),
        "a number of more than 100 digits": bool(_LONG_NUMBER.search(body)),
        "a member name that begins with NUL": bool(_NUL_NAME.search(body)),
    }
    return next((matter for matter, found in matters.items() if found), None)


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
