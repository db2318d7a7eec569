"""The faults that a todo server may have besides the general ones, those of JSON bodies and those of parameters."""

import re

from faults.bodies import JSON_BODIES, limits_of_length, unknown_members_ignored
from faults.changes import asked, asked_at, asked_with_json, emptied, json_changed, json_of, path_of, problem, renamed
from faults.parameters import PARAMETERS, clamped, empty_values_ignored
from faults.proxy import Exchange, Fault, Reply, fault

FAULTS: list[Fault] = [*JSON_BODIES, *PARAMETERS]

NOT_HERE: dict[str, str] = {}

_TODO = re.compile("/todos/([^/]+)")


# --------------------------------------------------------------------------------------------------------------- ids


@fault(FAULTS)
def id_overflows(exchange: Exchange) -> Reply | None:
    """500 for an id that the database's type cannot hold."""
    match = re.fullmatch("/todos/([0-9]+)", path_of(exchange))
    # More digits than that, Python does not read.
    if exchange.response.status not in (400, 404) or not match or len(match[1]) > 100 or int(match[1]) < 2**63:
        return None
    return problem(exchange, 500, "Internal server error.")


@fault(FAULTS)
def id_with_leading_zeros(exchange: Exchange) -> Reply | None:
    """An id found with zeros before it."""
    return asked_at(exchange, re.sub("^/todos/0+([1-9])", r"/todos/\1", path_of(exchange)))


@fault(FAULTS)
def id_given_again(exchange: Exchange) -> Reply | None:
    """The id of a todo that was deleted given to the next one."""
    match = _TODO.fullmatch(path_of(exchange))
    if match and exchange.response.status == 204:
        exchange.memory["free"] = match[1]
    todo = json_of(exchange.response)
    if exchange.response.status != 201 or "free" not in exchange.memory:
        return None
    return renamed(exchange.response, str(todo["id"]), exchange.memory.pop("free"))


@fault(FAULTS)
def id_as_a_string(exchange: Exchange) -> Reply | None:
    """The id a string, as drivers return 64-bit integers."""
    return json_changed(exchange, lambda todo: todo | {"id": str(todo["id"])} if "id" in todo else todo)


# ----------------------------------------------------------------------------------------------- changes and deletion


@fault(FAULTS)
def change_resets(exchange: Exchange) -> Reply | None:
    """PATCH makes false of completed where it is not given."""
    given = json_of(exchange.request)
    if exchange.request.method != "PATCH" or exchange.response.status != 200 or "completed" in given:
        return None
    return asked_with_json(exchange, given | {"completed": False})


@fault(FAULTS)
def empty_change_refused(exchange: Exchange) -> Reply | None:
    """An empty object refused by PATCH."""
    if exchange.request.method != "PATCH" or json_of(exchange.request) != {} or exchange.response.status != 200:
        return None
    return problem(exchange, 400, "title is required.")


@fault(FAULTS)
def replacement_in_part(exchange: Exchange) -> Reply | None:
    """PUT keeps a member that is not given."""
    if exchange.request.method != "PUT" or exchange.response.status != 400:
        return None
    return asked(exchange, method="PATCH")


@fault(FAULTS)
def replacement_creates(exchange: Exchange) -> Reply | None:
    """PUT makes a todo where there is none."""
    if exchange.request.method != "PUT" or exchange.response.status != 404 or not _TODO.fullmatch(path_of(exchange)):
        return None
    return asked(exchange, method="POST", path="/todos")


@fault(FAULTS)
def read_from_a_cache(exchange: Exchange) -> Reply | None:
    """A todo read from a cache that no change empties."""
    if exchange.request.method != "GET" or not _TODO.fullmatch(path_of(exchange)):
        return None
    before = exchange.memory.setdefault(path_of(exchange), exchange.response)
    return [before.raw] if before.body != exchange.response.body else None


@fault(FAULTS)
def deleted_twice(exchange: Exchange) -> Reply | None:
    """DELETE of what is not there answered with 204."""
    if exchange.request.method != "DELETE" or exchange.response.status != 404 or not _TODO.fullmatch(path_of(exchange)):
        return None
    return emptied(exchange.response, 204)


@fault(FAULTS)
def deleted_todo_returned(exchange: Exchange) -> Reply | None:
    """DELETE answered with 200 and an object."""
    if exchange.response.status != 204:
        return None
    answer = problem(exchange, 200, "Deleted.")
    return [answer[0].replace(b"problem+json", b"json")]


# ------------------------------------------------------------------------------------------------------------- lists


@fault(FAULTS)
def limit_clamped(exchange: Exchange) -> Reply | None:
    """A limit over 100 taken for 100."""
    return clamped(exchange, "limit", 100)


@fault(FAULTS)
def limit_zero_taken(exchange: Exchange) -> Reply | None:
    """A limit of 0 taken for the default."""
    return asked(exchange, path="/todos") if exchange.request.path == "/todos?limit=0" else None


@fault(FAULTS)
def empty_parameters_ignored(exchange: Exchange) -> Reply | None:
    """An empty limit or after taken for none."""
    return empty_values_ignored(exchange, "limit", "after")


@fault(FAULTS)
def next_of_an_empty_page(exchange: Exchange) -> Reply | None:
    """The next of an empty page is what was asked for."""
    return json_changed(exchange, lambda page: page | {"next": 0} if page.get("items") == [] else page)


@fault(FAULTS)
def next_left_out(exchange: Exchange) -> Reply | None:
    """No next where it is null."""
    return json_changed(exchange, lambda page: {name: value for name, value in page.items() if value is not None})


# ------------------------------------------------------------------------------------------------------------ bodies


def _title(exchange: Exchange) -> str:
    """The title that is sent; empty if there is none."""
    todo = json_of(exchange.request)
    title = todo.get("title") if isinstance(todo, dict) else None
    return title if isinstance(title, str) else ""


@fault(FAULTS)
def title_trimmed(exchange: Exchange) -> Reply | None:
    """White space around a title trimmed."""
    title = _title(exchange)
    if title == title.strip():
        return None
    return asked_with_json(exchange, json_of(exchange.request) | {"title": title.strip()})


@fault(FAULTS)
def blank_title_taken(exchange: Exchange) -> Reply | None:
    """A title of white space alone taken."""
    title = _title(exchange)
    if not title or title.strip() or exchange.response.status != 400:
        return None
    return asked_with_json(exchange, json_of(exchange.request) | {"title": "blank"})


@fault(FAULTS)
def title_in_bytes(exchange: Exchange) -> Reply | None:
    """The limit of a title counted in bytes."""
    return _title_longer_than(exchange, 200, "utf-8")


def _title_longer_than(exchange: Exchange, limit: int, encoding: str) -> Reply | None:
    if exchange.response.status >= 400 or len(_title(exchange).encode(encoding)) <= limit:
        return None
    return problem(exchange, 400, "title must be a string of 1 to 200 characters.")


@fault(FAULTS)
def title_escaped(exchange: Exchange) -> Reply | None:
    """A title escaped for HTML."""
    return json_changed(
        exchange,
        lambda todo: todo | {"title": todo["title"].replace("<", "&lt;")} if "title" in todo and "id" in todo else todo,
    )


@fault(FAULTS)
def nul_in_the_title(exchange: Exchange) -> Reply | None:
    """500 for U+0000, which PostgreSQL does not take."""
    if exchange.response.status != 400 or "\0" not in _title(exchange):
        return None
    return problem(exchange, 500, "Internal server error.")


@fault(FAULTS)
def other_members_ignored(exchange: Exchange) -> Reply | None:
    """Members that nobody knows ignored."""
    return unknown_members_ignored(exchange, "title", "completed")


@fault(FAULTS)
def numbers_as_booleans(exchange: Exchange) -> Reply | None:
    """0 and 1 taken for false and true."""
    todo = json_of(exchange.request)
    completed = todo.get("completed") if isinstance(todo, dict) else None
    if type(completed) is not int or completed not in (0, 1):
        return None
    return asked_with_json(exchange, todo | {"completed": bool(completed)})


limits_of_length(FAULTS, 65_536)
