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

from common_rules import Refused, allow, first_matter, json_body, path_segments, request_matters

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
            allow(request, "GET", "HEAD")
            return _response(200, {"status": "ok"}, "application/json")
        case ["links"]:
            allow(request, "POST")
            url = _url_of(request)
            return _response(201, {"hash": fresh, "url": url}, "application/json", Location=f"/{fresh}")
        case ["links", hash_] if hash_:
            allow(request, "GET", "HEAD")
            if not HASH.fullmatch(hash_) or hash_ not in links:
                raise Refused(404, "No such link.")
            return _response(200, {"hash": hash_, "url": links[hash_]}, "application/json")
        case [hash_] if hash_:
            allow(request, "GET", "HEAD")
            if not HASH.fullmatch(hash_) or hash_ not in links:
                return _response(404)
            return _response(301, Location=links[hash_])
        case _:
            raise Refused(404, "No such resource.")


def _url_of(request: Request) -> str:
    """The URL that a POST asks to shorten. Raises Refused."""
    value = json_body(request, BODY_LIMIT)
    if not isinstance(value, dict) or list(value) != ["url"]:
        raise Refused(422, "Request body must be an object with the one member url.")
    url = value["url"]
    if not isinstance(url, str) or len(url.encode()) > URL_LIMIT or not URL.fullmatch(url):
        raise Refused(422, "url must be an absolute http or https URL of at most 2048 bytes.")
    return url


_NUL_NAME = re.compile(rb'"(\\u0000|\0)')


def wire_matter(request: Request) -> str | None:
    """Why a stack may answer `request` before its application sees it; None when the model's answer must come."""
    nul = bool(_NUL_NAME.search(request.body or b""))
    return first_matter({**request_matters(request), "a member name that begins with NUL": nul})
