"""What faults are made of: ways to change an answer, and answers to a request that is changed."""

import json
from collections.abc import Callable
from dataclasses import replace

from faults.proxy import Exchange, Reply
from samewire.contract.cases import title
from samewire.http import Request, Response

# ------------------------------------------------------------------------------------------------- another answer


def reply(response: Response, status: int | None = None, body: bytes | None = None, *, measured: bool = True) -> Reply:
    """The response as bytes, with another status or body; Content-Length goes with the body if `measured`."""
    status = status or response.status
    if response.framing == "chunked":
        # The body has the coding removed.
        response = added(without(response, "transfer-encoding"), "Content-Length", str(len(response.body)))
    lines = [f"HTTP/1.1 {status} {title(status)}"]
    for name, value in response.headers:
        length = measured and body is not None and name.lower() == "content-length"
        lines.append(f"{name}: {len(body) if length else value}")
    body = response.body if body is None else body
    return ["\r\n".join([*lines, "", ""]).encode("latin-1") + body]


def added(response: Response, name: str, value: str) -> Response:
    """The response with a field more."""
    return replace(response, headers=(*response.headers, (name, value)))


def without(response: Response, *names: str) -> Response:
    """The response without the fields of these names, given in lower case."""
    return replace(response, headers=tuple(field for field in response.headers if field[0].lower() not in names))


def emptied(response: Response, status: int) -> Reply:
    """An answer of this status without a body."""
    return reply(without(response, "content-type", "content-length"), status, b"")


def headers_changed(exchange: Exchange, name: str, change: Callable[[str], str]) -> Reply | None:
    """The response with the values of a field changed; None if that changes nothing."""
    fields = tuple(
        (given, change(value) if given.lower() == name else value) for given, value in exchange.response.headers
    )
    return reply(replace(exchange.response, headers=fields)) if fields != exchange.response.headers else None


def header_left_out(exchange: Exchange, name: str) -> Reply | None:
    """The response without a field, its name in lower case; None if it has none of that name."""
    return reply(without(exchange.response, name)) if exchange.response.values(name) else None


def body_changed(exchange: Exchange, change: Callable[[bytes], bytes]) -> Reply | None:
    """The response with its body changed; None if it has none, or if that changes nothing."""
    body = exchange.response.body
    changed = change(body) if body else body
    return reply(exchange.response, body=changed) if changed != body else None


def json_changed(exchange: Exchange, change: Callable[[dict], object]) -> Reply | None:
    """The response with the object that is its body changed, and written as the contract has it."""
    return json_written(exchange, lambda value: compact(change(value)))


def json_written(exchange: Exchange, write: Callable[[dict], str]) -> Reply | None:
    """The response with the object that is its body written in another way; None if it has no such body."""
    value = json_of(exchange.response) if is_json(exchange.response) else None
    return body_changed(exchange, lambda _: write(value).encode()) if isinstance(value, dict) else None


def problem(exchange: Exchange, status: int, detail: str) -> Reply:
    """A problem instead of the response; to HEAD, its header fields."""
    body = compact({"type": "about:blank", "title": title(status), "status": status, "detail": detail}).encode()
    fields = (("Content-Type", "application/problem+json"), ("Content-Length", str(len(body))))
    response = without(exchange.response, "content-type", "content-length", "allow")
    response = replace(response, headers=response.headers + fields)
    return reply(response, status, b"" if exchange.request.method == "HEAD" else body, measured=False)


def renamed(response: Response, old: str, new: str) -> Reply:
    """The response with one text for another in header fields and body."""
    headers = tuple((name, value.replace(old, new)) for name, value in response.headers)
    body = response.body.replace(old.encode(), new.encode()) if response.body else None
    return reply(replace(response, headers=headers), body=body)


def compact(value: object) -> str:
    """JSON as the contract writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_json(response: Response) -> bool:
    """Whether it says so; a problem is JSON, too."""
    return any("json" in value for value in response.values("Content-Type"))


def has_length(response: Response) -> bool:
    """Whether there is a body with a Content-Length."""
    return bool(response.body and response.values("Content-Length"))


def json_of(message: Request | Response) -> object:
    """The JSON of a body; None if there is none."""
    try:
        return json.loads(message.body or b"")
    except (ValueError, RecursionError):
        return None


# ------------------------------------------------------------------------------------------------ another question


def asked(
    exchange: Exchange,
    *,
    method: str | None = None,
    path: str | None = None,
    body: bytes | None = None,
    headers: tuple[tuple[str, str], ...] = (),
) -> Reply | None:
    """The server's answer to the request with this changed; None if it is the answer that there is."""
    # The body is framed anew, for its transfer coding is removed.
    gone = {"content-length", "transfer-encoding", *(name.lower() for name, _ in headers)}
    kept = tuple(field for field in exchange.request.headers if field[0].lower() not in gone)
    request = exchange.request
    body = request.body if body is None else body
    answer = exchange.ask(Request(method or request.method, path or request.path, kept + headers, body or None))
    same = (answer.status, answer.body) == (exchange.response.status, exchange.response.body)
    return None if same else [answer.raw]


def asked_with_json(exchange: Exchange, value: object) -> Reply | None:
    """The server's answer to the request with this for its body."""
    return asked(exchange, body=json.dumps(value).encode(), headers=(("Content-Type", "application/json"),))


def if_status(answer: Reply | None, status: int) -> Reply | None:
    """The server's answer, if it has this status."""
    return answer if answer and answer[0].startswith(b"HTTP/1.1 %d " % status) else None


def path_of(exchange: Exchange) -> str:
    """The path of the request, as it came."""
    return exchange.request.path.partition("?")[0]


def asked_at(exchange: Exchange, path: str) -> Reply | None:
    """The server's answer to the request at another path, with the same query."""
    _, mark, query = exchange.request.path.partition("?")
    return asked(exchange, path=f"{path}{mark}{query}") if path != path_of(exchange) else None


def parameters_of(exchange: Exchange) -> list[str]:
    """What stands between the `&` of the query, as it came."""
    query = exchange.request.path.partition("?")[2]
    return query.split("&") if query else []


def asked_with_parameters(exchange: Exchange, parameters: list[str]) -> Reply | None:
    """The server's answer to the request with another query."""
    if parameters == parameters_of(exchange):
        return None
    return asked(exchange, path=f"{path_of(exchange)}?{'&'.join(parameters)}")


def values_changed(exchange: Exchange, change: Callable[[str, str], str]) -> Reply | None:
    """The server's answer to the request with the values of its parameters changed, by name and value."""
    pairs = [(pair, *pair.partition("=")) for pair in parameters_of(exchange)]
    changed = [f"{name}={change(name, value)}" if equals else pair for pair, name, equals, value in pairs]
    return asked_with_parameters(exchange, changed)
