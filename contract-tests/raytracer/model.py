"""The raytracer's contract as a pure function: the complete response to any request that its application sees.

Independent of every server: written from the contract, with no HTTP library in it. Small pictures it computes
(`pixels.py`), others it knows by their pinned digest, of the rest it knows what they are but not what they show.

Layers that are for every service ask a service's model for `judge`, `problem` and `unavailable`, and for nothing else.
"""

import hashlib
import json
import re
from dataclasses import dataclass, replace
from email.utils import formatdate
from functools import cache
from urllib.parse import unquote_to_bytes

from common_rules import Refused, allow, first_matter, path_matters, path_segments

from raytracer import pixels
from raytracer.golden import pictures
from samewire.contract import images
from samewire.contract.compare import differences, response_problems
from samewire.http import Request, Response

COMPUTED = 10_000
"""Pixels up to which the model computes a picture, in a fraction of a second."""

LIMITS = {"width": (1, 1920), "height": (1, 1080), "depth": (0, 10)}
"""The parameters in the order in which they are judged."""

_TITLES = {400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}
_REASONS = _TITLES | {200: "OK"}
_INTEGER = re.compile("0|[1-9][0-9]*")
_RGB = 2


@dataclass(frozen=True)
class Size:
    """What is asked for."""

    width: int
    height: int
    depth: int


def answer(request: Request, shown: bytes = b"") -> Response:
    """The response to `request`; `shown` is the body of a picture that the model does not compute."""
    try:
        response = _route(request, shown)
    except Refused as refused:
        response = problem(refused.status, refused.detail, **refused.headers)
    return _without_body_for_head(request, response)


def judge(request: Request, response: Response, data: None = None) -> list[str]:
    """What is wrong with the response, one sentence each; empty if it is right."""
    problems = response_problems(response, request)
    expected = answer(request, response.body)
    problems += differences(expected, response, request=request, names=("contract", "server"))
    if not problems and response.status == 200 and response.body and path_segments(request.path) == ["render"]:
        problems += _picture_problems(size_of(request.path), response.body)
    return problems


def unavailable(request: Request) -> Response:
    """The response of a server that has too many pictures to render."""
    return _without_body_for_head(request, problem(503, "Service unavailable.", Retry_After="1"))


def problem(status: int, detail: str, **headers: str) -> Response:
    """An error response (RFC 9457) with further header fields, `_` for `-` in their names."""
    body = {"type": "about:blank", "title": _TITLES[status], "status": status, "detail": detail}
    content = json.dumps(body, separators=(",", ":")).encode()
    return _response(status, content, "application/problem+json", **headers)


def _response(status: int, content: bytes, media_type: str, **headers: str) -> Response:
    fields = [("Date", formatdate(usegmt=True)), ("Content-Type", media_type), ("Content-Length", str(len(content)))]
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Response(status, _REASONS[status], "HTTP/1.1", tuple(fields), content)


def _without_body_for_head(request: Request, response: Response) -> Response:
    return replace(response, body=b"") if request.method == "HEAD" else response


def _route(request: Request, shown: bytes) -> Response:
    segments = path_segments(request.path)
    if segments not in (["healthz"], ["render"]):
        raise Refused(404, "No such resource.")
    allow(request, "GET", "HEAD")
    if segments == ["healthz"]:
        return _response(200, b'{"status":"ok"}', "application/json")
    size = size_of(request.path)
    computed = request.method == "GET" and size.width * size.height <= COMPUTED
    return _response(200, _png(size) if computed else shown, "image/png")


def size_of(target: str) -> Size:
    """The size that a request target asks for. Raises Refused."""
    given: dict[str, str] = {}
    for pair in target.partition("?")[2].split("&"):
        name, _, value = pair.replace("+", " ").partition("=")
        given.setdefault(_decoded(name), _decoded(value))
    numbers = {}
    for name, (least, most) in LIMITS.items():
        text = given.get(name, "")
        # More digits than this are too large whatever they are.
        if not _INTEGER.fullmatch(text) or len(text) > 9 or not least <= int(text) <= most:
            raise Refused(400, f"{name} must be an integer from {least} to {most}.")
        numbers[name] = int(text)
    return Size(**numbers)


def _decoded(text: str) -> str:
    return unquote_to_bytes(text.encode("latin-1")).decode("utf-8", "replace")


@cache
def _png(size: Size) -> bytes:
    return images.encode(size.width, size.height, pixels.picture(size.width, size.height, size.depth))


@cache
def _pinned() -> dict[Size, str]:
    return {Size(one.width, one.height, one.depth): one.sha256 for one in pictures.read()}


def _picture_problems(size: Size, body: bytes) -> list[str]:
    """What is wrong with an image that need not have been computed here."""
    try:
        picture = images.decode(body)
    except images.NotPng as error:
        return [f"no sound PNG: {error}"]
    found = (picture.width, picture.height, picture.bit_depth, picture.colour_type, picture.interlaced)
    if found != (size.width, size.height, 8, _RGB, False):
        return [f"(width, height, bit depth, colour type, interlaced) are {found}"]
    pinned = _pinned().get(size)
    if pinned and hashlib.sha256(picture.pixels).hexdigest() != pinned:
        return ["the pixels are not those that are pinned"]
    return []


def wire_matter(request: Request) -> str | None:
    """Why a stack may answer `request` before its application sees it; None when the model's answer must come."""
    return first_matter(path_matters(request))
