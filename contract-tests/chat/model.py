"""The chat's contract over HTTP as a function: the answer to a request that `openapi.yaml` describes.

Named errors need no model (openapi_requests.py knows their status), but for the 404 of a file that there is none of.
Who listens to events is judged by `listening/`; what goes over Socket.IO, test_sockets.py says. Layers that are for
every service ask for `judge`, `problem` and `unavailable`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from samewire.contract.compare import ANY, media_type
from samewire.contract.models import problem, problems_of, response_with
from samewire.http import Request, Response
from samewire.paths import CHECKOUT

USER_LIMIT, TEXT_LIMIT = 32, 500
KEPT = 1_000
"""So many of the newest messages a room keeps."""
LARGEST = 2**53 - 1
HERE = 2.0
"""Seconds for which a user who has polled is present."""
LATE = 1.0
"""Seconds after these in which it must be gone."""

TRANSPORTS = ("polling", "socket.io", "socket.io-batched", "websocket")
ASSETS = {
    "chat.js": "text/javascript",
    "lines.js": "text/javascript",
    "room.js": "text/javascript",
    "chat.css": "text/css",
    "icon.svg": "image/svg+xml",
    "socket.io.js": "text/javascript",
    "websocket.js": "text/javascript",
}
"""The files of /assets/ and their media types."""
ASSETS_FOLDER = CHECKOUT / "servers-node/_shared/chat-page/assets"
PAGE = Path(__file__).with_name("golden") / "index.html"
POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NO_ROOM = "????????-????-????-????-????????????"
"""Stands for the room of a server that has not named it yet."""

_CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")


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
    users: tuple[str, ...] = ()

    def after(self, id_: int) -> range:
        """The ids of the messages that are newer than that of `id_`, and still kept."""
        return range(max(id_, self.last - KEPT) + 1, self.last + 1)


EMPTY = Room()


def judge(request: Request, response: Response, known: Room = EMPTY) -> list[str]:
    """What is wrong with the response of a server of whose room something is known; empty if it is right.

    Others may write to the room too, and be present. Their messages have to look right, to be where they belong by
    their ids, and to leave none out; those that are known must be there as they are. Of a request that the contract
    does not describe, nothing is wrong.
    """
    if not answer(request):
        return []
    room, problems = shown_by(request, response, known)
    problems += problems_of(request, answer(request, room), response)
    # Whether it has a charset as well is the stack's own.
    kind = {"/": "text/html"}.get(urlsplit(request.path).path) or ASSETS.get(_asset(request))
    if kind and media_type(response) != kind:
        problems.append(f"the media type is {media_type(response)!r} instead of {kind}")
    return problems


def answer(request: Request, room: Room = EMPTY) -> Response | None:
    """What a server with this room answers to a valid request; None if the contract does not say."""
    path, reads = urlsplit(request.path).path, request.method in ("GET", "HEAD")
    if path == "/messages" and request.method == "POST":
        message = message_of(request)
        return response_with(201, {"room": room.id, **message.item(room.last + 1)}) if message else None
    if not reads:
        return None
    if path == "/healthz":
        return response_with(200, ANY)
    if path == "/":
        return response_with(200, ANY, Content_Security_Policy=POLICY)
    if path == "/presence":
        return response_with(200, {"room": room.id, "users": list(room.users)})
    if path == "/messages":
        after = after_of(request)
        if after is None:
            return None
        items = [room.messages[id_].item(id_) for id_ in room.after(after) if id_ in room.messages]
        return response_with(200, {"room": room.id, "messages": items, "last": room.last})
    if name := _asset(request):
        return response_with(200, asset(name)) if name in ASSETS else problem(404)
    return None


def room_after(request: Request, room: Room) -> Room:
    """The room after a valid request, in which only the newest messages are kept."""
    message = message_of(request)
    if not message:
        return room
    last = room.last + 1
    kept = {id_: one for id_, one in room.messages.items() if id_ > last - KEPT}
    return replace(room, last=last, messages={**kept, last: message})


def shown_by(request: Request, response: Response, known: Room) -> tuple[Room, list[str]]:
    """The room to which `response` is the answer, and where that is at odds with what is known.

    Of a response that shows nothing of the room it is the room that is known.
    """
    path = urlsplit(request.path).path
    if response.status not in (200, 201) or request.method == "HEAD" or path not in ("/messages", "/presence"):
        return known, []
    try:
        value = json.loads(response.body)
        room, problems = replace(known, id=value["room"]), []
        if not UUID.fullmatch(room.id) or known.id not in (NO_ROOM, room.id):
            problems.append(f"the room is {room.id!r} and was {known.id!r}")
        if path == "/presence":
            users = value["users"]
            problems += [f"{user!r} is no name" for user in users if not is_user(user)]
            problems += [] if in_order(users) else [f"not each once, in ascending order: {users}"]
            return replace(room, users=tuple(users)), problems
        if request.method == "POST":
            room = replace(room, last=_last(value["id"]) - 1)
            return room, problems + _overtaken(known, room.last)
        room = replace(room, last=_last(value["last"]))
        shown = {item["id"]: Message(item["user"], item["text"]) for item in value["messages"]}
        problems += _overtaken(known, room.last)
        problems += _message_problems(room.after(after_of(request) or 0), shown, known)
        return replace(room, messages=shown), problems
    except (ValueError, TypeError, LookupError) as error:
        return known, [f"not the JSON of this resource: {error!r}"]


def _last(value: object) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise ValueError(f"{value!r} is no id")
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


# --- requests


def message_of(request: Request) -> Message | None:
    """The message of a valid POST; None for any other request."""
    types = [value for name, value in request.headers if name.lower() == "content-type"]
    if request.method != "POST" or not types or not types[0].startswith("application/json"):
        return None
    try:
        value = json.loads(request.body or b"")
        message = Message(value["user"], value["text"])
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return message if _surely(message.user, USER_LIMIT) and _surely(message.text, TEXT_LIMIT) else None


def after_of(request: Request) -> int | None:
    """The `after` of a valid GET of messages, be it that it waits; None for any other request."""
    given = parse_qsl(urlsplit(request.path).query, keep_blank_values=True)
    names, values = [name for name, _ in given], dict(given)
    after = values.get("after", "0")
    if len({*names}) < len(names) or not re.fullmatch("0|[1-9][0-9]{0,15}", after):
        return None
    if not re.fullmatch("[0-9]|1[0-9]|20", values.get("wait", "0")):
        return None
    return int(after) if int(after) <= LARGEST and _surely(values.get("user", "nobody"), USER_LIMIT) else None


def _asset(request: Request) -> str:
    """The name in /assets/; empty for any other path."""
    path = urlsplit(request.path).path
    return path.removeprefix("/assets/") if re.fullmatch("/assets/[a-z]+([.][a-z]+)+", path) else ""


@cache
def asset(name: str) -> bytes:
    """A file of the page."""
    return (ASSETS_FOLDER / name).read_bytes()


@cache
def page(transport: str) -> str:
    """The page of a server with this transport."""
    return PAGE.read_text().replace("$transport", transport)


def is_light(data: bytes) -> bool:
    """Whether mutants of a request may be sent: to those that wait for long, or listen, no answer comes to its end."""
    return not re.search(rb"wait=[^&\s]*([4-9]|[0-9]{2})|GET\s+/events", data)


def is_user(value: object) -> bool:
    """Whether some stack may take this for a name."""
    return _is_line(value, USER_LIMIT)


def is_text(value: object) -> bool:
    """Whether some stack may take this for a message's text."""
    return _is_line(value, TEXT_LIMIT)


def _is_line(value: object, limit: int) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= limit and not _CONTROL.search(value)


def _surely(value: object, limit: int) -> bool:
    """Whether every stack takes this, be it that it counts code points or UTF-16 units."""
    return _is_line(value, limit) and len(value.encode("utf-16-le", "surrogatepass")) <= 2 * limit


def in_order(users: list[str]) -> bool:
    """Whether each is there once, in ascending order, be it by code point or by UTF-16 unit."""
    by_unit = sorted({*users}, key=lambda user: user.encode("utf-16-be", "surrogatepass"))
    return users in (sorted({*users}), by_unit)


# --- answers


def unavailable(request: Request) -> Response:
    """Of no use here: there is no database that could be away."""
    return response_with(503, ANY) if request.path == "/healthz" else problem(503)
