"""The chat's requests for the life layer: what reads the room, and what writes to it."""

import json

from request_strategies import JSON

from chat.model import LARGEST, Message, Room
from chat.strategies import spelled
from samewire.http import Request, Response

HEALTH = Request("GET", "/healthz")

ASKING = (
    Request("GET", f"/messages?after={LARGEST}"),
    Request("GET", f"/messages?after={LARGEST}&user=life"),
    Request("GET", "/presence"),
    Request("HEAD", "/messages"),
    Request("GET", "/"),
    Request("GET", "/assets/chat.js"),
    Request("GET", "/assets/nothing.js"),
    HEALTH,
)
"""Work that leaves nothing behind for long."""

NOT_ASKING = ()
"""There is no database that could be away."""

MAKES = True
DURABLE = False


def making(number: int) -> Request:
    """A request that posts something; the same for the same number."""
    return Request("POST", "/messages", JSON, spelled(Message("life", f"number {number}")))


def made(response: Response) -> str | None:
    """What a response has made, as a name that nothing else may have; None if it has made nothing."""
    if response.status != 201:
        return None
    message = json.loads(response.body)
    return f"{message['room']}/{message['id']}"


def asking_for(response: Response) -> tuple[Request, Room]:
    """A request for what `response` has made, and the data with which `judge` knows the answer."""
    message = json.loads(response.body)
    id_ = message["id"]
    known = Room(message["room"], id_, {id_: Message(message["user"], message["text"])})
    return Request("GET", f"/messages?after={id_ - 1}"), known
