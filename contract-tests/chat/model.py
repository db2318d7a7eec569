"""The chat's contract over HTTP as a pure function: the complete response to any request that its application sees.

Independent of every server: written from the contract, with no HTTP library in it. What a stack may answer before its
application sees the request is told apart by `wire_matter`; there only `readings` hold. What goes over Socket.IO,
test_sockets.py says.

Layers that are for every service ask a service's model for `judge`, `problem` and `unavailable`, and for nothing else.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from functools import cache
from pathlib import Path
from urllib.parse import unquote_to_bytes

from common_rules import (
    Malformed,
    Refused,
    allow,
    first_matter,
    is_utf_8,
    json_body,
    path_segments,
    read_json,
    request_matters,
)

from samewire.contract.compare import differences, response_problems
from samewire.http import Request, Response
from samewire.paths import CHECKOUT

BODY_LIMIT = 65_536
USER_LIMIT, TEXT_LIMIT = 32, 500
KEPT = 1_000
"""So many of the newest messages a room keeps."""
LARGEST = 2**63 - 1
HERE = 2.0
"""Seconds for which one who has polled is present."""


TRANSPORTS = ("polling", "socket.io", "socket.io-batched")
ASSETS = {
    "chat.js": "text/javascript; charset=utf-8",
    "room.js": "text/javascript; charset=utf-8",
    "chat.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "socket.io.js": "text/javascript; charset=utf-8",
}
"""The files of /assets/ and their types; there are no others."""
ASSETS_FOLDER = CHECKOUT / "servers-node/_shared/chat-page/assets"
PAGE = Path(__file__).with_name("golden") / "index.html"
POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
NO_ROOM = "????????-????-4???-????-????????????"
"""Stands for the room of a server that has not named it yet."""

USER_RULE = f"user must be a string of 1 to {USER_LIMIT} characters."
TEXT_RULE = f"text must be a string of 1 to {TEXT_LIMIT} characters."

_INTEGER = re.compile("0|[1-9][0-9]{0,18}")
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
_TITLES = {
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    503: "Service Unavailable",
}
_REASONS = _TITLES | {200: "OK", 201: "Created"}


@dataclass(frozen=True)
class Message:
    """What somebody has said."""

    user: str
    text: str

    def item(self, id_: int) -> dict:
        """As the service shows it."""
        return {"id": id_, "user": self.user, "text": self.text}


@dataclass(frozen=True)
class Room:
    """A server's room. `messages` are those that are known, by id; `last` is the last id that was given."""

    id: str = NO_ROOM
    last: int = 0
    messages: Mapping[int, Message] = field(default_factory=dict)
    present: frozenset[str] = frozenset()
    transport: str = TRANSPORTS[0]

    def after(self, id_: int) -> range:
        """The ids of the messages that are newer than that of `id_`, and still kept."""
        return range(max(id_, self.last - KEPT) + 1, self.last + 1)


EMPTY = Room()


def answer(request: Request, room: Room = EMPTY) -> Response:
    """The response to `request` of a server with this room.

    A body is taken as plain content: its transfer coding, if it had one, is already removed.
    """
    return _played(request, room)[0]


def room_after(request: Request, room: Room) -> Room:
    """The room after `request`, in which only the newest messages are kept. Who is present, time decides."""
    return _played(request, room)[1]


def _played(request: Request, room: Room) -> tuple[Response, Room]:
    try:
        response, room = _route(request, room)
    except Refused as refused:
        response = problem(refused.status, refused.detail, **refused.headers)
    return _without_body_for_head(request, response), room


def _without_body_for_head(request: Request, response: Response) -> Response:
    return replace(response, body=b"") if request.method == "HEAD" else response


def judge(request: Request, response: Response, known: Room = EMPTY) -> list[str]:
    """What is wrong with the response of a server of whose room something is known; empty if it is right.

    Others may write to the room too, and be present. Their messages have to look right, to be where they belong by
    their ids, and to leave none out; those that are known must be there as they are.
    """
    room, problems = shown_by(request, response, known)
    expected = answer(request, room)
    if request.method == "HEAD" and path_segments(request.path) in (["messages"], ["presence"], [""]):
        # How long it is depends on others, and the page on the transport.
        lengths = tuple(one for one in response.headers if one[0].lower() == "content-length")
        others = tuple(one for one in expected.headers if one[0].lower() != "content-length")
        expected = replace(expected, headers=(*others, *lengths))
    return problems + problems_of(request, expected, response)


def problems_of(request: Request, expected: Response, response: Response) -> list[str]:
    """Every way in which `response` is unsound or not `expected`."""
    problems = response_problems(response, request)
    return problems + differences(expected, response, request=request, names=("contract", "server"))


def shown_by(request: Request, response: Response, known: Room) -> tuple[Room, list[str]]:
    """The room to which `response` is the answer, and where that is at odds with what is known.

    Of a response that shows nothing of the room it is the room that is known.
    """
    path = path_segments(request.path)
    if response.status not in (200, 201) or request.method == "HEAD":
        return known, []
    if path == [""]:
        pages = {page(transport): transport for transport in TRANSPORTS}
        return replace(known, transport=pages.get(response.body, known.transport)), []
    if path not in (["messages"], ["presence"]):
        return known, []
    try:
        value = read_json(response.body)
        id_ = value["room"]
        problems = [] if isinstance(id_, str) and UUID.fullmatch(id_) else [f"the room is {id_!r}: no UUID"]
        if known.id not in (NO_ROOM, id_):
            problems.append(f"the room is {id_!r} and was {known.id!r}")
        room = replace(known, id=id_)
        if path == ["presence"]:
            users = frozenset(value["users"])
            problems += [f"{user!r} is no name" for user in users if not is_user(user)]
            return replace(room, present=users), problems
        if request.method == "POST":
            room = replace(room, last=_last(value["id"]) - 1)
            return room, problems + _overtaken(known, room.last)
        room = replace(room, last=_last(value["last"]))
        shown = {item["id"]: Message(item["user"], item["text"]) for item in value["messages"]}
        problems += _overtaken(known, room.last)
        problems += _message_problems(room.after(_parameters(request)), shown, known)
        return replace(room, messages=shown), problems
    except (Malformed, Refused, TypeError, LookupError) as error:
        return known, [f"not the JSON of this resource: {error!r}"]


def _last(value: object) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise Malformed(f"{value!r} is no id")
    return value


def _overtaken(known: Room, last: int) -> list[str]:
    """A problem if an id that was given before is given again, or forgotten."""
    return [f"the last id before is {last}, though {known.last} was given"] if last < known.last else []


def _message_problems(due: range, shown: Mapping[int, Message], known: Room) -> list[str]:
    """Where the messages shown are not those of the ids that are due, or not what is known of them."""
    problems = []
    if list(shown) != list(due):
        gone, more = sorted({*due} - {*shown}), sorted({*shown} - {*due})
        problems.append(f"not the ids {due.start} to {due.stop - 1}: {gone} are missing, {more} too many")
    for id_, message in shown.items():
        if not (is_user(message.user) and is_text(message.text)):
            problems.append(f"message {id_} breaks the rules")
        if known.messages.get(id_, message) != message:
            problems.append(f"message {id_} is {message}, and was {known.messages[id_]}")
    return problems


def unavailable(request: Request) -> Response:
    """Of no use here: there is no database that could be away."""
    return _without_body_for_head(request, problem(503, "Service unavailable.", Retry_After="1"))


def problem(status: int, detail: str, **headers: str) -> Response:
    """An error response (RFC 9457) with further header fields, `_` for `-` in their names."""
    body = {"type": "about:blank", "title": _TITLES[status], "status": status, "detail": detail}
    return _json(status, body, "application/problem+json", **headers)


def _json(status: int, body: object, media_type: str = "application/json", **headers: str) -> Response:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return _response(status, content, media_type, **headers)


def _response(status: int, content: bytes, media_type: str, **headers: str) -> Response:
    fields = [("Date", formatdate(usegmt=True)), ("Content-Type", media_type), ("Content-Length", str(len(content)))]
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Response(status, _REASONS[status], "HTTP/1.1", tuple(fields), content)


def _route(request: Request, room: Room) -> tuple[Response, Room]:
    match path_segments(request.path):
        case ["healthz"]:
            allow(request, "GET", "HEAD")
            return _json(200, {"status": "ok"}), room
        case [""]:
            allow(request, "GET", "HEAD")
            fields = {"Content_Security_Policy": POLICY, "X_Content_Type_Options": "nosniff"}
            return _response(200, page(room.transport), "text/html; charset=utf-8", **fields), room
        case ["assets", name] if name in ASSETS:
            allow(request, "GET", "HEAD")
            return _response(200, asset(name), ASSETS[name], X_Content_Type_Options="nosniff"), room
        case ["messages"]:
            allow(request, "GET", "HEAD", "POST")
            if request.method == "POST":
                return _posted(Message(**_members(request)), room)
            items = [room.messages[id_].item(id_) for id_ in room.after(_parameters(request)) if id_ in room.messages]
            return _json(200, {"room": room.id, "messages": items, "last": room.last}), room
        case ["presence"]:
            allow(request, "GET", "HEAD")
            return _json(200, {"room": room.id, "users": sorted(room.present)}), room
        case _:
            raise Refused(404, "No such resource.")


def _posted(message: Message, room: Room) -> tuple[Response, Room]:
    last = room.last + 1
    kept = {id_: one for id_, one in room.messages.items() if id_ > last - KEPT}
    response = _json(201, {"room": room.id, **message.item(last)})
    return response, replace(room, last=last, messages={**kept, last: message})


@cache
def page(transport: str) -> bytes:
    """The page of a server with this transport."""
    return PAGE.read_bytes().replace(b"$transport", transport.encode())


@cache
def asset(name: str) -> bytes:
    """A file of the page."""
    return (ASSETS_FOLDER / name).read_bytes()


def _parameters(request: Request) -> int:
    """`after`, when `user` is right as well. Raises Refused."""
    parameters: dict[bytes, bytes] = {}
    for pair in request.path.partition("?")[2].split("&"):
        name, _, value = pair.partition("=")
        parameters.setdefault(_decoded(name), _decoded(value))
    after = parameters.get(b"after", b"0").decode("latin-1")
    if not _INTEGER.fullmatch(after) or int(after) > LARGEST:
        raise Refused(400, "after must be a non-negative integer.")
    if not is_user(parameters.get(b"user", b"nobody").decode("utf-8", "replace")):
        raise Refused(422, USER_RULE)
    return int(after)


def _decoded(text: str) -> bytes:
    return unquote_to_bytes(text.replace("+", " ").encode("latin-1"))


def is_user(value: object) -> bool:
    """Whether this may be a name."""
    return _is_line(value, USER_LIMIT)


def is_text(value: object) -> bool:
    """Whether this may be a message's text."""
    return _is_line(value, TEXT_LIMIT)


def _is_line(value: object, limit: int) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= limit and not _CONTROL.search(value)


def _members(request: Request) -> dict[str, str]:
    """The members of a body. Raises Refused."""
    value = json_body(request, BODY_LIMIT)
    if not isinstance(value, dict):
        raise Refused(422, "Request body must be an object.")
    if unknown := sorted(value.keys() - {"user", "text"}):
        raise Refused(422, f"Unknown member: {unknown[0]}.")
    if not is_user(value.get("user")):
        raise Refused(422, USER_RULE)
    if not is_text(value.get("text")):
        raise Refused(422, TEXT_RULE)
    return value


_NUL_NAME = re.compile(rb'"(\\u0000|\0)(?:[^"\\]|\\.)*"[ \t\r\n]*:', re.DOTALL)


def wire_matter(request: Request) -> str | None:
    """Why a stack may answer `request` before its application sees it; None when the model's answer must come."""
    query = request.path.partition("?")[2]
    matters = {
        **request_matters(request),
        "content in a HEAD request": request.method == "HEAD" and request.body is not None,
        "a query that is not UTF-8": not is_utf_8(unquote_to_bytes(query.encode("latin-1"))),
        "a member name that begins with NUL": bool(_NUL_NAME.search(request.body or b"")),
    }
    return first_matter(matters)
