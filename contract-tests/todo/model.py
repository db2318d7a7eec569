"""The todo service's contract as a pure function: the complete response to any request that its application sees.

Independent of every server: written from the contract, with no HTTP library in it. What a stack may answer before its
application sees the request is told apart by `wire_matter`; there only `readings` hold.

Layers that are for every service ask a service's model for `judge`, `problem` and `unavailable`, and for nothing else.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import formatdate
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

BODY_LIMIT = 65_536
TITLE_LIMIT = 200
LARGEST = 2**63 - 1


NOT_MADE = 0
"""Stands for the id of a todo that the request makes, until the server has said it."""

_ID = re.compile("[1-9][0-9]{0,18}")
_SPACE = " \t\n\v\f\r"
_TITLES = {
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    503: "Service Unavailable",
}
_REASONS = _TITLES | {200: "OK", 201: "Created", 204: "No Content"}


@dataclass(frozen=True)
class Todo:
    """What can be changed of one."""

    title: str
    completed: bool = False

    def item(self, id_: int) -> dict:
        """As the service shows it."""
        return {"id": id_, "title": self.title, "completed": self.completed}


NONE: Mapping[int, Todo] = {}


def answer(request: Request, todos: Mapping[int, Todo] = NONE, fresh: int = NOT_MADE) -> Response:
    """The response to `request` of a service that holds `todos` and nothing else.

    `fresh` is the id that the service chose, should the request make a todo. A body is taken as plain content: its
    transfer coding, if it had one, is already removed.
    """
    return _played(request, todos, fresh)[0]


def held_after(request: Request, todos: Mapping[int, Todo], fresh: int = NOT_MADE) -> dict[int, Todo]:
    """What the service holds after `request`."""
    return _played(request, todos, fresh)[1]


def _played(request: Request, todos: Mapping[int, Todo], fresh: int) -> tuple[Response, dict[int, Todo]]:
    held = dict(todos)
    try:
        response = _route(request, held, fresh)
    except Refused as refused:
        response = problem(refused.status, refused.detail, **refused.headers)
    return _without_body_for_head(request, response), held


def _without_body_for_head(request: Request, response: Response) -> Response:
    return replace(response, body=b"") if request.method == "HEAD" else response


def judge(request: Request, response: Response, todos: Mapping[int, Todo] = NONE) -> list[str]:
    """What is wrong with the response of a server that holds `todos`, one sentence each; empty if it is right.

    The server may hold others' todos as well, of which nothing is known: `request` must not name them, and in a list
    they only have to look right.
    """
    problems = []
    fresh = fresh_id(response)
    if fresh in todos:
        problems.append(f"the id {fresh} is not fresh: a todo had it before")
    expected = answer(request, todos, fresh or NOT_MADE)
    page = page_asked_for(request)
    if page and request.method == "GET" and response.status == 200:
        problems += _page_problems(*page, response.body, todos)
        expected = _with_length(replace(expected, body=response.body))
    elif page and request.method == "HEAD":
        # How long the list is depends on others' todos.
        lengths = tuple(field for field in response.headers if field[0].lower() == "content-length")
        others = tuple(field for field in expected.headers if field[0].lower() != "content-length")
        expected = replace(expected, headers=(*others, *lengths))
    return problems + problems_of(request, expected, response)


def problems_of(request: Request, expected: Response, response: Response) -> list[str]:
    """Every way in which `response` is unsound or not `expected`."""
    problems = response_problems(response, request)
    return problems + differences(expected, response, request=request, names=("contract", "server"))


def fresh_id(response: Response) -> int | None:
    """The id that a 201 says it has made; None if there is none of the right form."""
    match = re.fullmatch(f"/todos/({_ID.pattern})", "".join(response.values("Location")))
    return int(match[1]) if response.status == 201 and match else None


def page_asked_for(request: Request) -> tuple[int, int] | None:
    """Limit and after of a request for a list that is answered with one; None for any other request."""
    try:
        if path_segments(request.path) == ["todos"] and request.method in ("GET", "HEAD"):
            return _page(request)
    except Refused:
        pass
    return None


def _page_problems(limit: int, after_: int, body: bytes, todos: Mapping[int, Todo]) -> list[str]:
    """What is wrong with a page among whose items may be others'; those of `todos` must be there as they are."""
    try:
        page = read_json(body)
        items, next_ = page["items"], page["next"]
        ids = [item["id"] for item in items]
        shown = {item["id"]: Todo(item["title"], item["completed"]) for item in items}
    except (Malformed, TypeError, LookupError) as error:
        return [f"no page of todos: {error!r}"]
    written = _compact({"items": [todo.item(id_) for id_, todo in shown.items()], "next": next_})
    problems = [] if written == body else ["the page is not written as the contract says"]
    if any(type(id_) is not int or not after_ < id_ <= LARGEST for id_ in ids) or ids != sorted(set(ids)):
        problems.append(f"ids that do not ascend from above {after_}: {ids}")
        return problems
    if any(type(one.completed) is not bool or not _is_title(one.title) for one in shown.values()):
        problems.append("an item that breaks the rules")
    if len(ids) > limit:
        problems.append(f"{len(ids)} items, more than the limit of {limit}")
    if next_ is not None and (type(next_) is not int or len(ids) != limit or next_ != ids[-1]):
        problems.append(f"next is {next_}: neither null nor the last id of a full page")
        return problems
    end = LARGEST if next_ is None else next_
    for id_ in sorted({*todos, *shown}):
        if id_ in todos and after_ < id_ <= end and shown.get(id_) != todos[id_]:
            problems.append(f"the todo {id_} should be {todos[id_]} and is {shown.get(id_, 'missing')}")
    return problems


def unavailable(request: Request) -> Response:
    """The response to a request that needs the database while it is away."""
    return _without_body_for_head(request, problem(503, "Service unavailable.", Retry_After="1"))


def problem(status: int, detail: str, **headers: str) -> Response:
    """An error response (RFC 9457) with further header fields, `_` for `-` in their names."""
    body = {"type": "about:blank", "title": _TITLES[status], "status": status, "detail": detail}
    return _response(status, body, "application/problem+json", **headers)


def _response(status: int, body: object, media_type: str = "application/json", **headers: str) -> Response:
    fields = [("Date", formatdate(usegmt=True)), ("Content-Type", media_type)]
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return _with_length(Response(status, _REASONS[status], "HTTP/1.1", tuple(fields), _compact(body)))


def _with_length(response: Response) -> Response:
    others = tuple(field for field in response.headers if field[0] != "Content-Length")
    return replace(response, headers=(*others, ("Content-Length", str(len(response.body)))))


def _compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _route(request: Request, todos: dict[int, Todo], fresh: int) -> Response:
    match path_segments(request.path):
        case ["healthz"]:
            allow(request, "GET", "HEAD")
            return _response(200, {"status": "ok"})
        case ["todos"]:
            allow(request, "GET", "HEAD", "POST")
            if request.method != "POST":
                return _response(200, _listed(todos, *_page(request)))
            todo = Todo(**_members(request, "title"))
            todos[fresh] = todo
            return _response(201, todo.item(fresh), Location=f"/todos/{fresh}")
        case ["todos", segment] if segment:
            allow(request, "GET", "HEAD", "PUT", "PATCH", "DELETE")
            required = {"PUT": ("title", "completed"), "PATCH": ()}.get(request.method)
            changes = {} if required is None else _members(request, *required)
            id_ = int(segment) if _ID.fullmatch(segment) else 0
            if id_ not in todos:
                raise Refused(404, "No such todo.")
            if request.method == "DELETE":
                del todos[id_]
                return Response(204, _REASONS[204], "HTTP/1.1", (("Date", formatdate(usegmt=True)),), b"")
            todos[id_] = replace(todos[id_], **changes)
            return _response(200, todos[id_].item(id_))
        case _:
            raise Refused(404, "No such resource.")


def _page(request: Request) -> tuple[int, int]:
    """Limit and after. Raises Refused."""
    parameters: dict[str, str] = {}
    for pair in request.path.partition("?")[2].split("&"):
        name, _, value = pair.partition("=")
        parameters.setdefault(_decoded(name), _decoded(value))
    limit, after_ = parameters.get("limit", "50"), parameters.get("after", "0")
    if not re.fullmatch("[1-9][0-9]?|100", limit):
        raise Refused(400, "limit must be an integer from 1 to 100.")
    if not re.fullmatch(f"0|{_ID.pattern}", after_) or int(after_) > LARGEST:
        raise Refused(400, "after must be a non-negative integer.")
    return int(limit), int(after_)


def _decoded(text: str) -> str:
    return unquote_to_bytes(text.replace("+", " ").encode("latin-1")).decode("latin-1")


def _listed(todos: Mapping[int, Todo], limit: int, after_: int) -> dict:
    ids = sorted(id_ for id_ in todos if id_ > after_)
    page = ids[:limit]
    return {"items": [todos[id_].item(id_) for id_ in page], "next": page[-1] if len(ids) > limit else None}


def _members(request: Request, *required: str) -> dict[str, object]:
    """The members of a body, of which some must be there. Raises Refused."""
    value = json_body(request, BODY_LIMIT)
    if not isinstance(value, dict):
        raise Refused(422, "Request body must be an object.")
    if unknown := sorted(value.keys() - {"title", "completed"}):
        raise Refused(422, f"Unknown member: {unknown[0]}.")
    rules = {
        "title": (_is_title, "title must be a string of 1 to 200 characters."),
        "completed": (lambda one: isinstance(one, bool), "completed must be a boolean."),
    }
    for name, (keeps, rule) in rules.items():
        if name in required and name not in value:
            raise Refused(422, f"{name} is required.")
        if name in value and not keeps(value[name]):
            raise Refused(422, rule)
    return value


def _is_title(value: object) -> bool:
    return isinstance(value, str) and len(value) <= TITLE_LIMIT and bool(value.strip(_SPACE)) and "\0" not in value


_NUL_NAME = re.compile(rb'"(\\u0000|\0)')


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
