"""The todo service's requests for the life layer: which ask the database, which do not, and what makes something."""

from collections.abc import Mapping

from common_rules import read_json
from request_strategies import JSON

from samewire.http import Request, Response
from todo import model
from todo.model import Todo
from todo.strategies import spelled

HEALTH = Request("GET", "/healthz")

ASKING = (
    Request("GET", "/todos/9223372036854775807"),
    Request("HEAD", "/todos/9223372036854775806"),
    Request("GET", "/todos?after=9223372036854775807"),
    Request("PUT", "/todos/9223372036854775807", JSON, spelled(Todo("nobody's", True))),
    Request("PATCH", "/todos/9223372036854775807", JSON, b"{}"),
    Request("DELETE", "/todos/9223372036854775807"),
    HEALTH,
)
"""What cannot be answered while the database is away."""

NOT_ASKING = (
    Request("GET", "/todos/0"),
    Request("HEAD", "/todos/nothing-here"),
    Request("DELETE", "/todos/9223372036854775808"),
    Request("GET", "/"),
    Request("PATCH", "/todos"),
    Request("GET", "/todos?limit=0"),
    Request("POST", "/todos", JSON, b"{"),
    Request("POST", "/todos", JSON, b'{"title":""}'),
    Request("PUT", "/todos/9223372036854775807", JSON, b"{}"),
)
"""What must be answered as ever while the database is away."""

MAKES = True


def making(number: int) -> Request:
    """A request that makes something; the same for the same number."""
    return Request("POST", "/todos", JSON, spelled(Todo(f"number {number}")))


def made(response: Response) -> str | None:
    """What a response has made, as a name that nothing else may have; None if it has made nothing."""
    id_ = model.fresh_id(response)
    return str(id_) if id_ else None


def asking_for(response: Response) -> tuple[Request, Mapping[int, Todo]]:
    """A request for what `response` has made, and the data with which `judge` knows the answer."""
    id_ = model.fresh_id(response)
    assert id_
    item = read_json(response.body)
    return Request("GET", f"/todos/{id_}"), {id_: Todo(item["title"], item["completed"])}
