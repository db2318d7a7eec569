"""The raytracer's contract as a function: what is right about an answer to a request that `openapi.yaml` describes.

Named errors need no model (openapi_requests.py knows their status). Small pictures it computes (`pixels.py`), others it
knows by their pinned digest; of the rest it knows what they are but not what they show. Layers that are for every
service ask for `judge`, `problem` and `unavailable`.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from urllib.parse import parse_qsl, urlsplit

from raytracer import pixels
from raytracer.golden import pictures
from samewire.contract import images
from samewire.contract.compare import ANY
from samewire.contract.models import problem, problems_of, response_with
from samewire.http import Request, Response

COMPUTED = 10_000
"""Pixels up to which the model computes a picture, in a fraction of a second."""

_LIMITS = {"width": (1, 1920), "height": (1, 1080), "depth": (0, 10)}
_RGB = 2


@dataclass(frozen=True)
class Size:
    """What is asked for."""

    width: int
    height: int
    depth: int


def judge(request: Request, response: Response, data: None = None) -> list[str]:
    """What is wrong with the response, one sentence each; empty if it is right.

    Of a request that the contract does not describe, nothing is wrong.
    """
    expected = answer(request)
    problems = problems_of(request, expected, response) if expected else []
    size = size_of(request)
    return problems + (_picture_problems(size, response.body) if size and response.body and not problems else [])


def answer(request: Request) -> Response | None:
    """What a server answers to a valid request; None if the contract does not say."""
    if request.method not in ("GET", "HEAD"):
        return None
    if request.path == "/healthz":
        return response_with(200, ANY)
    size = size_of(request)
    if not size:
        return None
    computed = request.method == "GET" and size.width * size.height <= COMPUTED
    return response_with(200, _png(size) if computed else ANY, "image/png")


def size_of(request: Request) -> Size | None:
    """The size that a valid request for a picture asks for; None for any other request."""
    parts = urlsplit(request.path)
    given = parse_qsl(parts.query, keep_blank_values=True)
    if parts.path != "/render" or len(given) != len(_LIMITS) or dict(given).keys() != _LIMITS.keys():
        return None
    if not all(re.fullmatch("0|[1-9][0-9]{0,3}", text) for _, text in given):
        return None
    numbers = {name: int(text) for name, text in given}
    in_range = all(least <= numbers[name] <= most for name, (least, most) in _LIMITS.items())
    return Size(**numbers) if in_range else None


def is_light(data: bytes) -> bool:
    """Whether bytes that may be read as requests for pictures ask for small ones."""
    return not re.search(rb"(width|height)=[0-9]{3}", data)


def unavailable(request: Request) -> Response:
    """The answer of a server that has too many pictures to render."""
    return problem(503)


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
