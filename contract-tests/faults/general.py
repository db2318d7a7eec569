"""The faults that any service may have: what each server that is wrong does wrong, and else nothing."""

import gzip
import re

from faults.changes import (
    added,
    asked,
    asked_at,
    body_changed,
    has_length,
    header_left_out,
    headers_changed,
    is_json,
    path_of,
    problem,
    reply,
    without,
)
from faults.proxy import Exchange, Fault, Reply, fault

GENERAL: list[Fault] = []

# ------------------------------------------------------------------------------------------------------------ status


@fault(GENERAL)
def created_as_ok(exchange: Exchange) -> Reply | None:
    """201 answered as 200."""
    return reply(exchange.response, status=200) if exchange.response.status == 201 else None


@fault(GENERAL)
def method_not_allowed_as_not_found(exchange: Exchange) -> Reply | None:
    """405 answered as 404."""
    return problem(exchange, 404, "No such resource.") if exchange.response.status == 405 else None


@fault(GENERAL)
def head_refused(exchange: Exchange) -> Reply | None:
    """HEAD answered with 405 where GET is not."""
    return reply(exchange.response, 405) if exchange.request.method == "HEAD" else None


@fault(GENERAL)
def method_of_a_header(exchange: Exchange) -> Reply | None:
    """The method taken from X-HTTP-Method-Override."""
    methods = [value for name, value in exchange.request.headers if name.lower() == "x-http-method-override"]
    return asked(exchange, method=methods[0]) if methods else None


@fault(GENERAL)
def unavailable_now_and_then(exchange: Exchange) -> Reply | None:
    """503 instead of the answer, once in fifty."""
    return reply(exchange.response, status=503) if exchange.number % 50 == 49 else None


@fault(GENERAL)
def old_version(exchange: Exchange) -> Reply | None:
    """HTTP/1.0 in the status line."""
    return [exchange.response.raw.replace(b"HTTP/1.1", b"HTTP/1.0", 1)]


@fault(GENERAL)
def early_hints(exchange: Exchange) -> Reply | None:
    """Early hints that nobody asked for."""
    return [b"HTTP/1.1 103 Early Hints\r\n\r\n", exchange.response.raw]


# ----------------------------------------------------------------------------------------------------- header fields


@fault(GENERAL)
def header_missing(exchange: Exchange) -> Reply | None:
    """Location missing."""
    return header_left_out(exchange, "location")


@fault(GENERAL)
def header_extra(exchange: Exchange) -> Reply | None:
    """X-Powered-By added."""
    return reply(added(exchange.response, "X-Powered-By", "Express"))


@fault(GENERAL)
def entity_tag(exchange: Exchange) -> Reply | None:
    """An ETag on what can be read."""
    return reply(added(exchange.response, "ETag", 'W/"1"')) if exchange.response.status == 200 else None


@fault(GENERAL)
def vary_everywhere(exchange: Exchange) -> Reply | None:
    """Vary on whatever has a body."""
    if not exchange.response.body or exchange.response.values("Vary"):
        return None
    return reply(added(exchange.response, "Vary", "Accept-Encoding"))


@fault(GENERAL)
def cross_origin(exchange: Exchange) -> Reply | None:
    """Access-Control-Allow-Origin for whoever says its origin."""
    if not exchange.request.has("Origin"):
        return None
    return reply(added(exchange.response, "Access-Control-Allow-Origin", "*"))


@fault(GENERAL)
def cookie_on_errors(exchange: Exchange) -> Reply | None:
    """A session cookie set on errors."""
    failed = exchange.response.status >= 400
    return reply(added(exchange.response, "Set-Cookie", "SESSION=1")) if failed else None


@fault(GENERAL)
def header_changed(exchange: Exchange) -> Reply | None:
    """Problems served as application/json."""
    return headers_changed(exchange, "content-type", lambda value: value.replace("problem+json", "json"))


@fault(GENERAL)
def wrong_charset(exchange: Exchange) -> Reply | None:
    """JSON, or a page, said to be in ISO 8859-1."""
    if not is_json(exchange.response) and not any(
        "html" in value for value in exchange.response.values("Content-Type")
    ):
        return None
    return headers_changed(exchange, "content-type", lambda value: f"{value.partition(';')[0]}; charset=iso-8859-1")


@fault(GENERAL)
def header_twice(exchange: Exchange) -> Reply | None:
    """Content-Type twice."""
    types = exchange.response.values("Content-Type")
    return reply(added(exchange.response, "Content-Type", types[0])) if types else None


@fault(GENERAL)
def type_of_nothing(exchange: Exchange) -> Reply | None:
    """A Content-Type on an empty body."""
    if exchange.response.values("Content-Type"):
        return None
    return reply(added(exchange.response, "Content-Type", "text/html"))


# -------------------------------------------------------------------------------------------------- body and framing


@fault(GENERAL)
def byte_changed(exchange: Exchange) -> Reply | None:
    """One byte of the body changed."""
    return body_changed(exchange, lambda body: body[:-1] + bytes([body[-1] ^ 1]))


@fault(GENERAL)
def body_cut(exchange: Exchange) -> Reply | None:
    """The body cut, with a Content-Length to suit."""
    # The end of a page every browser puts right.
    return body_changed(exchange, lambda body: body[: len(body) // 2 if body.startswith(b"<!") else -1])


@fault(GENERAL, timeout=0.3)
def length_too_large(exchange: Exchange) -> Reply | None:
    """Content-Length larger than the body."""
    return (
        headers_changed(exchange, "content-length", lambda value: str(int(value) + 1))
        if has_length(exchange.response)
        else None
    )


@fault(GENERAL)
def length_too_small(exchange: Exchange) -> Reply | None:
    """Content-Length smaller than the body."""
    return (
        headers_changed(exchange, "content-length", lambda value: str(int(value) - 1))
        if has_length(exchange.response)
        else None
    )


@fault(GENERAL)
def length_missing(exchange: Exchange) -> Reply | None:
    """No Content-Length: the body ends with the connection."""
    if not has_length(exchange.response):
        return None
    whole = reply(added(without(exchange.response, "content-length"), "Connection", "close"), measured=False)
    return [*whole, None]


@fault(GENERAL)
def chunks_broken(exchange: Exchange) -> Reply | None:
    """Chunks whose sizes are wrong."""
    if not has_length(exchange.response):
        return None
    body = exchange.response.body
    chunked = added(without(exchange.response, "content-length"), "Transfer-Encoding", "chunked")
    coded = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body) - 1, body)
    return reply(chunked, body=coded, measured=False)


@fault(GENERAL, timeout=0.3)
def last_chunk_missing(exchange: Exchange) -> Reply | None:
    """The last chunk never sent."""
    if not has_length(exchange.response):
        return None
    body = exchange.response.body
    chunked = added(without(exchange.response, "content-length"), "Transfer-Encoding", "chunked")
    return reply(chunked, body=b"%x\r\n%b\r\n" % (len(body), body), measured=False)


@fault(GENERAL, timeout=0.3)
def bare_line_feeds(exchange: Exchange) -> Reply | None:
    """Lines that end without a carriage return."""
    return [exchange.response.raw.replace(b"\r\n", b"\n")]


@fault(GENERAL)
def body_after_head(exchange: Exchange) -> Reply | None:
    """A body after HEAD."""
    return [exchange.response.raw, b"x" * 48] if exchange.request.method == "HEAD" else None


@fault(GENERAL)
def late_body_after_head(exchange: Exchange) -> Reply | None:
    """A body after HEAD, a moment later."""
    return [exchange.response.raw, 0.005, b"x" * 48] if exchange.request.method == "HEAD" else None


@fault(GENERAL)
def compressed(exchange: Exchange) -> Reply | None:
    """Compressed for whoever takes gzip, however small it is."""
    accepted = ",".join(value for name, value in exchange.request.headers if name.lower() == "accept-encoding")
    response = exchange.response
    if "gzip" not in accepted or not response.body or response.values("Content-Encoding"):
        return None
    return reply(added(response, "Content-Encoding", "gzip"), body=gzip.compress(response.body))


@fault(GENERAL)
def page_of_the_stack(exchange: Exchange) -> Reply | None:
    """The stack's own page for a 404."""
    if exchange.response.status != 404 or not exchange.response.body:
        return None
    page = added(without(exchange.response, "content-type"), "Content-Type", "text/html")
    return reply(page, body=b"<h1>Not Found</h1>")


@fault(GENERAL)
def body_left_behind(exchange: Exchange) -> Reply | None:
    """The body of a GET, HEAD or DELETE taken for the next request."""
    if not exchange.request.body or exchange.request.method not in ("GET", "HEAD", "DELETE"):
        return None
    return [exchange.response.raw, b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", None]


# ------------------------------------------------------------------------------------------------------------- paths


@fault(GENERAL)
def slash_redirected(exchange: Exchange) -> Reply | None:
    """A slash at the end of a path taken off by a redirect."""
    path = path_of(exchange)
    if exchange.response.status != 404 or not path.endswith("/") or path == "/":
        return None
    redirect = added(without(exchange.response, "content-type"), "Location", path.rstrip("/"))
    return reply(redirect, 301, b"")


@fault(GENERAL)
def slash_ignored(exchange: Exchange) -> Reply | None:
    """A slash at the end of a path means nothing."""
    return asked_at(exchange, path_of(exchange).rstrip("/") or "/")


@fault(GENERAL)
def paths_without_case(exchange: Exchange) -> Reply | None:
    """Paths matched without regard to case."""
    return asked_at(exchange, path_of(exchange).lower()) if exchange.response.status == 404 else None


@fault(GENERAL)
def paths_not_decoded(exchange: Exchange) -> Reply | None:
    """Paths not percent-decoded."""
    return asked_at(exchange, path_of(exchange).replace("%", "%25"))


@fault(GENERAL)
def paths_not_in_utf_8(exchange: Exchange) -> Reply | None:
    """500 for a path that is not UTF-8."""
    return problem(exchange, 500, "Internal server error.") if re.search("%f[ef]", path_of(exchange), re.I) else None


# --------------------------------------------------------------------------------------------------- time and order


@fault(GENERAL, timeout=0.3)
def slow(exchange: Exchange) -> Reply | None:
    """An answer later than any client waits."""
    return [1.0, exchange.response.raw]


@fault(GENERAL)
def dropped(exchange: Exchange) -> Reply | None:
    """The connection closed instead of an answer, once in seven."""
    return [None] if exchange.number % 7 == 6 else None


@fault(GENERAL)
def dropped_half_way(exchange: Exchange) -> Reply | None:
    """The connection closed in the middle of an answer."""
    raw = exchange.response.raw
    return [raw[: len(raw) // 2], None] if exchange.response.body else None


@fault(GENERAL)
def answer_of_another(exchange: Exchange) -> Reply | None:
    """The answer to the request before."""
    before = exchange.memory.get("before", exchange.response)
    exchange.memory["before"] = exchange.response
    return [before.raw] if before.raw != exchange.response.raw else None
