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

from common_rules import (
    BAD_ENCODING,
    DOT_SEGMENT,
    ENCODED_SEPARATOR,
    HEAD_LIMIT,
    LONG_NUMBER,
    METHODS,
    PATH,
    QUERY,
    Malformed,
    path_segments,
    read_json,
)

from samewire.contract.compare import differences, response_problems
from samewire.http import Request, Response
from samewire.links import links

BODY_LIMIT = 8192
URL_LIMIT = 2048

HASH = re.compile(r"[0-9A-Za-z]{6}")
URL = re.compile(r"[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9._-]+(:[0-9]{1,5})?([/?#][!-~]*)?")

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


_NUL_NAME = re.compile(rb'"(\\u0000|\0)')


def wire_matter(request: Request) -> str | None:
    """Why a stack may answer `request` before its application sees it; None when the model's answer must come."""
    path, _, query = request.path.partition("?")
    body = request.body or b""
    names = [name.lower() for name, _ in request.headers]
    matters = {
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
        "a member name that begins with NUL": bool(_NUL_NAME.search(body)),
    }
    return next((matter for matter, found in matters.items() if found), None)
