"""What a stack may choose for itself: each is a change of every answer that no case and no input may notice.

They keep the suite from asking for more than the contract does.
"""

import json
from email.utils import formatdate
from time import gmtime, strftime, time

from faults.changes import (
    added,
    body_changed,
    has_length,
    header_left_out,
    headers_changed,
    is_json,
    json_changed,
    json_written,
    reply,
    without,
)
from faults.proxy import Exchange, Fault, Reply, fault

FREEDOMS: list[Fault] = []


@fault(FREEDOMS)
def date_missing(exchange: Exchange) -> Reply | None:
    """Date missing."""
    return header_left_out(exchange, "date")


@fault(FREEDOMS)
def date_old(exchange: Exchange) -> Reply | None:
    """Date ten seconds old, as of a cache."""
    return headers_changed(exchange, "date", lambda value: formatdate(time() - 10, usegmt=True))


@fault(FREEDOMS)
def date_in_another_format(exchange: Exchange) -> Reply | None:
    """Date in asctime's format."""
    return headers_changed(exchange, "date", lambda value: strftime("%a %b %d %H:%M:%S %Y", gmtime()))


@fault(FREEDOMS)
def length_of_nothing(exchange: Exchange) -> Reply | None:
    """A Content-Length of 0 with HEAD."""
    is_head = exchange.request.method == "HEAD"
    return headers_changed(exchange, "content-length", lambda value: "0") if is_head else None


@fault(FREEDOMS)
def white_space_in_json(exchange: Exchange) -> Reply | None:
    """JSON with white space."""
    return json_written(exchange, json.dumps)


@fault(FREEDOMS)
def newline_after_json(exchange: Exchange) -> Reply | None:
    """JSON with a newline at its end."""
    return body_changed(exchange, lambda body: body + b"\n") if is_json(exchange.response) else None


@fault(FREEDOMS)
def members_reordered(exchange: Exchange) -> Reply | None:
    """Members in another order."""
    return json_changed(exchange, lambda value: dict(reversed(value.items())))


@fault(FREEDOMS)
def characters_escaped(exchange: Exchange) -> Reply | None:
    """Characters outside ASCII escaped in JSON."""
    return json_written(exchange, lambda value: json.dumps(value, separators=(",", ":")))


@fault(FREEDOMS)
def slashes_escaped(exchange: Exchange) -> Reply | None:
    """Slashes escaped in JSON."""
    return body_changed(exchange, lambda body: body.replace(b"/", rb"\/")) if is_json(exchange.response) else None


@fault(FREEDOMS)
def detail_of_the_parser(exchange: Exchange) -> Reply | None:
    """The parser's message in the detail of a 400."""
    if exchange.response.status != 400 or not is_json(exchange.response):
        return None
    return json_changed(exchange, lambda value: value | {"detail": f"{value['detail']} Unexpected token at position 1"})


@fault(FREEDOMS)
def chunks_instead_of_a_length(exchange: Exchange) -> Reply | None:
    """A body in chunks where the server has sent its length."""
    if not has_length(exchange.response):
        return None
    body = exchange.response.body
    chunked = added(without(exchange.response, "content-length"), "Transfer-Encoding", "chunked")
    return reply(chunked, body=b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body), measured=False)
