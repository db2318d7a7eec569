"""The todo service's contract as a function: the answer to a request that `openapi.yaml` describes.

Named errors need no model (openapi_requests.py knows their status), but for the 404 of a todo that is not there. Layers
that are for every service ask for `judge`, `problem` and `unavailable`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlsplit

from samewire.contract.compare import ANY
from samewire.contract.models import problem, problems_of, response_with
from samewire.http import Request, Response

LARGEST = 2**53 - 1
NOT_MADE = 0
"""Stands for the id of a todo that the request makes, until the server has said it."""

_ITEM = re.compile("/todos/([1-9][0-9]{0,15})")


@dataclass(frozen=True)
class Todo:
    """What can be changed of one."""

    title: str
    completed: bool = False

    def item(self, id_: int) -> dict:
        """As the service shows it."""
        return {"id": id_, "title": self.title, "completed": self.completed}


NONE: Mapping[int, Todo] = {}


def judge(request: Request, response: Response, todos: Mapping[int, Todo] = NONE) -> list[str]:
    """What is wrong with the response of a server that holds `todos`, one sentence each; empty if it is right.

    The server may hold others' todos as well, of which nothing is known: `request` must not name them, and in a list
    they only have to look right. Of a request that the contract does not describe, nothing is wrong.
    """
    problems = []
    fresh = fresh_id(response)
    if fresh in todos:
        problems.append(f"the id {fresh} is not fresh: a todo had it before")
    expected = answer(request, todos, fresh or NOT_MADE)
    page = page_asked_for(request)
    if page and response.status == 200 and request.method == "GET":
        problems += _page_problems(*page, response.body, todos)
        expected = replace(expected, body=ANY)
    return problems + (problems_of(request, expected, response) if expected else [])


def answer(request: Request, todos: Mapping[int, Todo] = NONE, fresh: int = NOT_MADE) -> Response | None:
    """What a service that holds `todos` and nothing else answers to a valid request.

    `fresh` is the id that the service chose, should the request make a todo. None if the contract does not say.
    """
    path = urlsplit(request.path).path
    method = "GET" if request.method == "HEAD" else request.method
    if path == "/healthz" and method == "GET":
        return response_with(200, ANY)
    if path == "/todos" and method == "GET" and (page := page_asked_for(request)):
        return response_with(200, _listed(todos, *page))
    if path == "/todos" and method == "POST":
        todo = Todo(**json.loads(request.body or b""))
        return response_with(201, todo.item(fresh), Location=f"/todos/{fresh}")
    match = _ITEM.fullmatch(path)
    if not match or method not in ("GET", "PUT", "PATCH", "DELETE"):
        return None
    id_ = int(match[1])
    if id_ not in todos:
        return problem(404)
    if method == "DELETE":
        return response_with(204, b"")
    return response_with(200, _changed(request, todos[id_]).item(id_))


def held_after(request: Request, todos: Mapping[int, Todo], fresh: int = NOT_MADE) -> dict[int, Todo]:
    """What the service holds after a valid request."""
    held = dict(todos)
    match = _ITEM.fullmatch(urlsplit(request.path).path)
    if request.method == "POST" and fresh:
        held[fresh] = Todo(**json.loads(request.body or b""))
    elif match and int(match[1]) in held:
        if request.method == "DELETE":
            del held[int(match[1])]
        else:
            held[int(match[1])] = _changed(request, held[int(match[1])])
    return held


def _changed(request: Request, todo: Todo) -> Todo:
    return replace(todo, **json.loads(request.body)) if request.method in ("PUT", "PATCH") else todo


def fresh_id(response: Response) -> int | None:
    """The id that a 201 says it has made; None if there is none of the right form."""
    match = _ITEM.fullmatch("".join(response.values("Location")))
    return int(match[1]) if response.status == 201 and match else None


def page_asked_for(request: Request) -> tuple[int, int] | None:
    """Limit and after of a valid request for a list; None for any other request."""
    parts = urlsplit(request.path)
    given = dict(parse_qsl(parts.query))
    limit, after = given.get("limit", "50"), given.get("after", "0")
    if parts.path != "/todos" or request.method not in ("GET", "HEAD") or not f"{limit}{after}".isdecimal():
        return None
    return (int(limit), int(after)) if 1 <= int(limit) <= 100 else None


def _listed(todos: Mapping[int, Todo], limit: int, after: int) -> dict:
    ids = sorted(id_ for id_ in todos if id_ > after)
    page = ids[:limit]
    return {"items": [todos[id_].item(id_) for id_ in page], "next": page[-1] if len(ids) > limit else None}


def _page_problems(limit: int, after: int, body: bytes, todos: Mapping[int, Todo]) -> list[str]:
    """What is wrong with a page among whose items may be others'; those of `todos` must be there as they are."""
    try:
        page = json.loads(body)
        items, next_ = page["items"], page["next"]
        ids = [item["id"] for item in items]
        shown = {item["id"]: Todo(item["title"], item["completed"]) for item in items}
    except (ValueError, TypeError, LookupError) as error:
        return [f"no page of todos: {error!r}"]
    if page.keys() != {"items", "next"} or any(item.keys() != {"id", "title", "completed"} for item in items):
        return ["a page or an item with other members than the contract names"]
    if any(type(id_) is not int or id_ <= after for id_ in ids) or ids != sorted(set(ids)):
        return [f"ids that do not ascend from above {after}: {ids}"]
    problems = []
    if any(type(one.completed) is not bool or not isinstance(one.title, str) for one in shown.values()):
        problems.append("an item that breaks its schema")
    if len(ids) > limit:
        problems.append(f"{len(ids)} items, more than the limit of {limit}")
    if next_ is not None and (len(ids) != limit or next_ != ids[-1]):
        return [*problems, f"next is {next_}: neither null nor the last id of a full page"]
    for id_ in sorted({*todos, *shown}):
        if id_ in todos and after < id_ <= (next_ or LARGEST) and shown.get(id_) != todos[id_]:
            problems.append(f"the todo {id_} should be {todos[id_]} and is {shown.get(id_, 'missing')}")
    return problems


def unavailable(request: Request) -> Response:
    """The answer to a request that needs the database while it is away."""
    return response_with(503, ANY) if request.path == "/healthz" else problem(503)
