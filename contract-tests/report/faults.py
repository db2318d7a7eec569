"""The faults that a report server may have besides the general ones.

The cases ask for no report: `test_upstreams.py` has what a page says, what the upstreams are asked and what comes
of their faults. So the faults here are of health, paths and methods alone.
"""

from urllib.parse import unquote

from faults.changes import added, asked, asked_at, json_changed, path_of, problem, reply, without
from faults.proxy import Exchange, Fault, Reply, fault

FAULTS: list[Fault] = []

NOT_HERE = {
    "created-as-ok": "nothing is made",
    "header-missing": "no answer has Location",
    "type-of-nothing": "every answer has a body, if not to HEAD",
    "characters-escaped": "no answer has a character outside ASCII",
    "slashes-escaped": "no JSON has a slash",
    "detail-of-the-parser": "nothing is parsed, and no answer is 400",
}


@fault(FAULTS)
def any_method_taken(exchange: Exchange) -> Reply | None:
    """A report for any method."""
    if exchange.response.status != 405 or path_of(exchange) != "/report":
        return None
    return asked(exchange, method="GET", body=b"")


@fault(FAULTS)
def upstreams_shown(exchange: Exchange) -> Reply | None:
    """The upstreams' paths led to the upstreams."""
    if not path_of(exchange).startswith(("/todos", "/render")):
        return None
    found = added(without(exchange.response, "content-type"), "Content-Type", "application/json")
    return reply(found, 200, b'{"items":[],"next":null}')


@fault(FAULTS)
def path_decoded_twice(exchange: Exchange) -> Reply | None:
    """A path that is percent-decoded twice."""
    return asked_at(exchange, unquote(path_of(exchange))) if "%25" in path_of(exchange) else None


@fault(FAULTS)
def path_trimmed(exchange: Exchange) -> Reply | None:
    """Space at the end of a path trimmed."""
    return asked_at(exchange, path_of(exchange).removesuffix("%20").removesuffix("%0A"))


@fault(FAULTS)
def query_in_the_path(exchange: Exchange) -> Reply | None:
    """The query taken for a part of the path."""
    return problem(exchange, 404, "No such resource.") if "?" in exchange.request.path else None


@fault(FAULTS)
def everything_below(exchange: Exchange) -> Reply | None:
    """Whatever is below /report or /healthz taken for it."""
    first, *below = path_of(exchange).split("/")[1:]
    return asked_at(exchange, f"/{first}") if below else None


@fault(FAULTS)
def files_served(exchange: Exchange) -> Reply | None:
    """Files of the server's own folder served."""
    if not path_of(exchange).endswith((".toml", ".json", ".ts")):
        return None
    found = added(without(exchange.response, "content-type"), "Content-Type", "text/plain")
    return reply(found, 200, b"[server]\n")


@fault(FAULTS)
def head_refused_for_health(exchange: Exchange) -> Reply | None:
    """HEAD of /healthz answered with 404."""
    is_head = exchange.request.method == "HEAD" and path_of(exchange) == "/healthz"
    return problem(exchange, 404, "No such resource.") if is_head else None


@fault(FAULTS)
def health_in_detail(exchange: Exchange) -> Reply | None:
    """More in the answer of /healthz than its status."""
    is_healthy = path_of(exchange) == "/healthz" and exchange.response.status == 200
    return json_changed(exchange, lambda value: value | {"uptime": 1}) if is_healthy else None


@fault(FAULTS)
def upgraded(exchange: Exchange) -> Reply | None:
    """An upgrade that nobody offered."""
    if not exchange.request.has("Upgrade"):
        return None
    return [b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", None]
