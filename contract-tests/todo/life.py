"""The todo service's requests for the life layer: which need the database, and what makes something."""

import json
from collections.abc import Mapping

from request_strategies import JSON

from samewire.http import Request, Response
from todo import model
from todo.model import LARGEST, Todo
from todo.strategies import spelled_todo

HEALTH = Request("GET", "/healthz")

ASKING = (
    Request("GET", f"/todos/{LARGEST}"),
    Request("HEAD", f"/todos/{LARGEST - 1}"),
    Request("GET", f"/todos?after={LARGEST}"),
    Request("PUT", f"/todos/{LARGEST}", JSON, spelled_todo(Todo("nobody's", True))),
    Request("PATCH", f"/todos/{LARGEST}", JSON, b'{"completed":true}'),
    Request("DELETE", f"/todos/{LARGEST}"),
    HEALTH,
)
"""What cannot be answered while the database is away."""

NOT_ASKING = ()
"""What must be answered as ever while the database is away: nothing, since a server may look at the database first."""

MAKES = True
DURABLE = True


def making(number: int) -> Request:
    """A request that makes something; the same for the same number."""
    return Request("POST", "/todos", JSON, spelled_todo(Todo(f"number {number}")))


def made(response: Response) -> str | None:
    """What a response has made, as a name that nothing else may have; None if it has made nothing."""
    id_ = model.fresh_id(response)
    return str(id_) if id_ else None


def asking_for(response: Response) -> tuple[Request, Mapping[int, Todo]]:
    """A request for what `response` has made, and the data with which `judge` knows the answer."""
    id_ = model.fresh_id(response)
    assert id_
    item = json.loads(response.body)
    return Request("GET", f"/todos/{id_}"), {id_: Todo(item["title"], item["completed"])}
