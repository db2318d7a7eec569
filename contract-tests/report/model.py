"""The report service's contract as a function: the answer to a request that `openapi.yaml` describes.

The page is `page.html`, filled in; no HTML library and no template engine makes it. How upstreams fail on the wire, and
what is right then, `test_upstreams.py` says. Layers that are for every service ask for `judge`, `problem` and
`unavailable`.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from raytracer.golden import pictures
from selectolax.lexbor import LexborHTMLParser

from samewire.contract.compare import ANY
from samewire.contract.images import NotPng, decode
from samewire.contract.models import problem, problems_of, response_with
from samewire.http import Request, Response

TODO_LIMIT = 1_048_576
IMAGE_LIMIT = 16_777_216

TODO_TARGET = "/todos?limit=100"
RAYTRACER_TARGET = "/render?width=320&height=240&depth=3"
SIZE, DEPTH = (320, 240), 3


@dataclass(frozen=True)
class Item:
    """A todo."""

    id: int
    title: str
    completed: bool = False


@dataclass(frozen=True)
class Upstreams:
    """What the upstreams answer.

    `image` is None where it is a real raytracer's, whose bytes are its own: then the decoded pixels count.
    """

    items: tuple[Item, ...]
    image: bytes | None


EMPTY = Upstreams((), None)
"""What the upstreams of the session's servers answer: a real todo server with nothing in it, and a real raytracer."""


def judge(request: Request, response: Response, upstreams: Upstreams = EMPTY) -> list[str]:
    """What is wrong with the response of a server with these upstreams, one sentence each; empty if it is right.

    Of a request that the contract does not describe, nothing is wrong.
    """
    if request.method not in ("GET", "HEAD") or request.path not in ("/report", "/healthz"):
        return []
    if request.path == "/healthz":
        return problems_of(request, response_with(200, ANY), response)
    image, problems = upstreams.image, []
    if image is None:
        image = image_of(response.body)
        if request.method == "GET" and response.status == 200 and not is_rendering(image):
            problems.append("the page does not have the raytracer's picture in it")
    return problems + problems_of(request, report(page(upstreams.items, image)), response)


def report(page: bytes) -> Response:
    """A report with this page."""
    return response_with(200, page, "text/html; charset=utf-8")


def unavailable(request: Request) -> Response:
    """The answer to a request for a report while an upstream is away."""
    return BAD_UPSTREAM


BAD_UPSTREAM, TIMED_OUT = problem(502), problem(504)


# --- the page

_START, _ROW, _END = re.split("(<tr><td>.*\n)", Path(__file__).with_name("page.html").read_text("utf-8"))
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def page(items: Sequence[Item], image: bytes) -> bytes:
    """The page in one of its spellings."""
    completed = sum(item.completed for item in items)
    values = {
        "TOTAL": len(items),
        "COMPLETED": completed,
        "OPEN": len(items) - completed,
        "PERCENTAGE": percentage(completed, len(items)),
        "IMAGE": base64.b64encode(image).decode(),
    }
    return "".join([_filled(_START, values), *map(_row, items), _filled(_END, values)]).encode()


def percentage(completed: int, total: int) -> int:
    """Completed of total, rounded half up; 0 of nothing."""
    return (200 * completed + total) // (2 * total) if total else 0


def _row(item: Item) -> str:
    title = "".join(_ENTITIES.get(character, character) for character in item.title)
    return _filled(_ROW, {"ID": item.id, "TITLE": title, "STATE": "completed" if item.completed else "open"})


def _filled(template: str, values: dict[str, object]) -> str:
    return re.sub(r"\{([A-Z]+)\}", lambda name: str(values[name[1]]), template)


def image_of(page: bytes) -> bytes:
    """The image in a page; empty if there is none."""
    image = LexborHTMLParser(page).css_first("img")
    source = (image.attributes.get("src") or "") if image else ""
    try:
        return base64.b64decode(source.partition(",")[2], validate=True)
    except binascii.Error:
        return b""


def is_rendering(image: bytes) -> bool:
    """Whether this is the picture that a real raytracer renders for a report, pixel for pixel."""
    try:
        return hashlib.sha256(decode(image).pixels).hexdigest() == _rendering_digest()
    except NotPng:
        return False


@cache
def _rendering_digest() -> str:
    wanted = (*SIZE, DEPTH)
    return next(one.sha256 for one in pictures.read() if (one.width, one.height, one.depth) == wanted)
