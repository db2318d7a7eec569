"""What servers do wrong with JSON that they are sent, for the services that take any."""

import json

from faults.changes import asked, asked_with_json, json_of, problem
from faults.proxy import Exchange, Fault, Reply, fault

JSON_BODIES: list[Fault] = []


@fault(JSON_BODIES)
def first_member_counts(exchange: Exchange) -> Reply | None:
    """Of duplicate members the first counts."""
    last = json_of(exchange.request)
    if not isinstance(last, dict):
        return None
    first = json.loads(exchange.request.body, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    return asked_with_json(exchange, first) if first != last else None


@fault(JSON_BODIES)
def lone_surrogate_taken(exchange: Exchange) -> Reply | None:
    """A lone surrogate let through to the rule."""
    body = exchange.request.body or b""
    if exchange.response.status != 400 or rb"\ud800" not in body:
        return None
    return asked(exchange, body=body.replace(rb"\ud800", b"?"))


@fault(JSON_BODIES)
def latin_1_taken(exchange: Exchange) -> Reply | None:
    """What is not UTF-8 taken for Latin-1."""
    body = exchange.request.body or b""
    try:
        body.decode()
    except UnicodeDecodeError:
        return asked(exchange, body=body.decode("latin-1").encode())
    return None


@fault(JSON_BODIES)
def comma_at_the_end_taken(exchange: Exchange) -> Reply | None:
    """A comma after the last member taken."""
    body = exchange.request.body or b""
    return asked(exchange, body=body.replace(b",}", b"}")) if b",}" in body else None


@fault(JSON_BODIES)
def nested_without_end(exchange: Exchange) -> Reply | None:
    """500 for lists that are nested too deeply."""
    too_deep = b"[" * 65 in (exchange.request.body or b"") and exchange.response.status == 400
    return problem(exchange, 500, "Internal server error.") if too_deep else None


@fault(JSON_BODIES)
def any_media_type_taken(exchange: Exchange) -> Reply | None:
    """JSON taken whatever its Content-Type is."""
    if exchange.response.status != 415:
        return None
    return asked(exchange, headers=(("Content-Type", "application/json"),))


@fault(JSON_BODIES)
def media_type_with_case(exchange: Exchange) -> Reply | None:
    """Content-Type compared with regard to case."""
    types = [value for name, value in exchange.request.headers if name.lower() == "content-type"]
    if exchange.response.status >= 400 or all("application/json" in value for value in types):
        return None
    return problem(exchange, 415, "Content-Type must be application/json.")


def limits_of_length(to: list[Fault], limit: int) -> None:
    """Add the faults of a service whose bodies have at most so many bytes."""

    @fault(to)
    def length_limit_too_low(exchange: Exchange) -> Reply | None:
        """A limit that is one byte too low."""
        if len(exchange.request.body or b"") != limit or exchange.response.status != 201:
            return None
        return asked(exchange, body=b" " * (limit + 1))

    @fault(to)
    def length_limit_too_high(exchange: Exchange) -> Reply | None:
        """A limit that is one byte too high."""
        body = exchange.request.body or b""
        return asked(exchange, body=body.strip()) if len(body) == limit + 1 else None


def unknown_members_ignored(exchange: Exchange, *known: str) -> Reply | None:
    """The answer to the object without the members that are not known."""
    value = json_of(exchange.request)
    if not isinstance(value, dict) or not value.keys() - set(known):
        return None
    return asked_with_json(exchange, {name: value[name] for name in known if name in value})
