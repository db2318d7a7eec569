"""The report's contract as a pure function: the complete response to any request that its application sees.

Independent of every server: written from the contract, with no HTML library and no template engine in it; the page's
template is the one in README.md. How upstreams fail on the wire, and what is right then, `test_upstreams.py` says.

Layers that are for every service ask a service's model for `judge`, `problem` and `unavailable`, and for nothing else.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from email.utils import formatdate
from functools import cache
from pathlib import Path

from common_rules import Malformed, path_segments, read_json
from raytracer.golden import pictures

from samewire.contract.compare import differences, response_problems
from samewire.contract.images import NotPng, decode
from samewire.http import Request, Response

TODO_LIMIT = 1_048_576
IMAGE_LIMIT = 16_777_216
LARGEST_ID = 2**63 - 1

TODO_TARGET = "/todos?limit=100"
RAYTRACER_TARGET = "/render?width=320&height=240&depth=3"
SIZE, DEPTH = (320, 240), 3

_PAGE, _ROW = re.findall(r"```html\n(.*?)```", Path(__file__).with_name("README.md").read_text("utf-8"), re.DOTALL)

_TITLES = {
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}
_REASONS = _TITLES | {200: "OK"}


@dataclass(frozen=True)
class Item:
    """A todo."""

    id: int
    title: str
    completed: bool


@dataclass(frozen=True)
class Upstreams:
    """What the upstreams answer, each with 200 and the right type: the body of the list, and the image.

    `image` is None where it is a real raytracer's, whose bytes are its own: then the decoded pixels count.
    """

    todos: bytes
    image: bytes | None


EMPTY = Upstreams(b'{"items":[],"next":null}', None)
"""What the upstreams of the session's servers answer: a real todo server with nothing in it, and a real raytracer."""


def answer(request: Request, upstreams: Upstreams) -> Response:
    """The response to `request` of a report server with these upstreams; their image must be known."""
    segments = path_segments(request.path)
    if segments not in (["healthz"], ["report"]):
        response = problem(404, "No such resource.")
    elif request.method not in ("GET", "HEAD"):
        response = problem(405, "Method not allowed.", Allow="GET, HEAD")
    elif segments == ["healthz"]:
        response = _response(200, b'{"status":"ok"}', "application/json")
    else:
        response = _report(upstreams)
    return _without_body_for_head(request, response)


def judge(request: Request, response: Response, data: Upstreams = EMPTY) -> list[str]:
    """What is wrong with the response of a server with these upstreams, one sentence each; empty if it is right."""
    problems = response_problems(response, request)
    image = data.image
    if image is None and response.status == 200 and path_segments(request.path) == ["report"]:
        image = _stand_in(response, data) if request.method == "HEAD" else image_of(response.body)
        if request.method == "GET" and not is_rendering(image):
            problems.append("the page does not have the raytracer's picture in it")
    expected = answer(request, replace(data, image=image or b""))
    return problems + differences(expected, response, request=request, names=("contract", "server"))


def _stand_in(head: Response, data: Upstreams) -> bytes:
    """An image that makes the page as long as the answer to HEAD says, if any does."""
    stated = "".join(head.values("Content-Length"))
    rest = int(stated or 0) - len(page(items_of(data.todos), b""))
    return bytes(max(0, rest // 4 * 3))


def unavailable(request: Request) -> Response:
    """The response while an upstream is away."""
    return _without_body_for_head(request, BAD_UPSTREAM)


def problem(status: int, detail: str, **headers: str) -> Response:
    """An error response (RFC 9457) with further header fields, `_` for `-` in their names."""
    body = {"type": "about:blank", "title": _TITLES[status], "status": status, "detail": detail}
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return _response(status, content, "application/problem+json", **headers)


def _response(status: int, content: bytes, media_type: str, **headers: str) -> Response:
    fields = [("Date", formatdate(usegmt=True)), ("Content-Type", media_type), ("Content-Length", str(len(content)))]
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Response(status, _REASONS[status], "HTTP/1.1", tuple(fields), content)


def _without_body_for_head(request: Request, response: Response) -> Response:
    return replace(response, body=b"") if request.method == "HEAD" else response


BAD_UPSTREAM = problem(502, "Bad upstream response.")
TIMED_OUT = problem(504, "Upstream timed out.")


def _report(upstreams: Upstreams) -> Response:
    image = upstreams.image or b""
    if len(upstreams.todos) > TODO_LIMIT or len(image) > IMAGE_LIMIT:
        return BAD_UPSTREAM
    try:
        items = items_of(upstreams.todos)
    except Malformed:
        return BAD_UPSTREAM
    return _response(200, page(items, image), "text/html; charset=utf-8")


# --- the page

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def page(items: Sequence[Item], image: bytes) -> bytes:
    """The page, byte for byte."""
    completed = sum(item.completed for item in items)
    values = {
        "TOTAL": len(items),
        "COMPLETED": completed,
        "OPEN": len(items) - completed,
        "PERCENTAGE": percentage(completed, len(items)),
        "ROWS": "".join(map(_row, items)),
        "IMAGE": base64.b64encode(image).decode(),
    }
    return _filled(_PAGE, values).encode()


def percentage(completed: int, total: int) -> int:
    """Completed of total, rounded half up; 0 of nothing."""
    return (200 * completed + total) // (2 * total) if total else 0


def _row(item: Item) -> str:
    title = "".join(_ENTITIES.get(character, character) for character in item.title)
    return _filled(_ROW, {"ID": item.id, "TITLE": title, "STATE": "completed" if item.completed else "open"})


def _filled(template: str, values: dict[str, object]) -> str:
    return re.sub(r"\{([A-Z]+)\}", lambda name: str(values[name[1]]), template)


_IMAGE = re.compile(rb'<img src="data:image/png;base64,([^"]*)"')


def image_of(page: bytes) -> bytes:
    """The image in a page; empty if there is none."""
    found = _IMAGE.search(page)
    try:
        return base64.b64decode(found[1], validate=True) if found else b""
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


# --- the list of todos


def items_of(body: bytes) -> list[Item]:
    """The items of a list of todos. Raises Malformed."""
    value = read_json(body)
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list):
        raise Malformed("not an object with a list of items")
    return [_item(one) for one in items]


def _item(value: object) -> Item:
    if not isinstance(value, dict):
        raise Malformed("an item that is no object")
    id_, title, completed = (value.get(name) for name in ("id", "title", "completed"))
    if type(id_) is not int or not 1 <= id_ <= LARGEST_ID:
        raise Malformed("an id that is no positive integer of 64 bits")
    if not isinstance(title, str) or not isinstance(completed, bool):
        raise Malformed("a title that is no string, or a state that is no boolean")
    return Item(id_, title, completed)
