"""The faults: what each server that is wrong does wrong, and else nothing."""

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from time import gmtime, strftime, time
from urllib.parse import unquote

from shortener.golden import validation

from faults.proxy import Exchange, Fault, Reply
from samewire.contract.cases import title
from samewire.http import Response
from samewire.links import EXAMPLES

GENERAL: list[Fault] = []
"""Faults that any service may have."""

SHORTENER: list[Fault] = []

_HASH = re.compile(r"/([0-9A-Za-z]{6})")


def catalogue(service: str) -> list[Fault]:
    """The faults of a service, the general ones among them."""
    return GENERAL + {"shortener": SHORTENER}[service]


def fault(to: list[Fault], *themes: str, **options: object) -> Callable:
    """Add the function to the catalogue; its name and its docstring are the fault's."""

    def add(commit: Callable[[Exchange], Reply | None]) -> Callable:
        description = (commit.__doc__ or "").rstrip(".")
        to.append(Fault(commit.__name__.replace("_", "-"), description, commit, themes, **options))
        return commit

    return add


# ------------------------------------------------------------------------------------------------------------ status


@fault(GENERAL, "create")
def created_as_ok(exchange: Exchange) -> Reply | None:
    """201 answered as 200."""
    return _with(exchange.response, status=200) if exchange.response.status == 201 else None


@fault(GENERAL, "methods")
def method_not_allowed_as_not_found(exchange: Exchange) -> Reply | None:
    """405 answered as 404."""
    if exchange.response.status != 405:
        return None
    body = exchange.response.body.replace(b'"Method Not Allowed","status":405', b'"Not Found","status":404')
    return _with(exchange.response, status=404, body=body)


@fault(GENERAL, "health", "lookup")
def unavailable_now_and_then(exchange: Exchange) -> Reply | None:
    """503 instead of the answer, once in fifty."""
    return _with(exchange.response, status=503) if exchange.number % 50 == 49 else None


@fault(GENERAL, "headers")
def not_modified(exchange: Exchange) -> Reply | None:
    """A conditional request answered with 304."""
    if not exchange.request.has("If-None-Match"):
        return None
    return _with(_without(exchange.response, "content-length"), status=304, body=b"")


@fault(GENERAL, "headers")
def partial_content(exchange: Exchange) -> Reply | None:
    """A range answered with 206."""
    if not exchange.request.has("Range") or not exchange.response.body:
        return None
    size = len(exchange.response.body)
    return _with(_added(exchange.response, "Content-Range", f"bytes 0-0/{size}"), 206, exchange.response.body[:1])


@fault(GENERAL, "lookup")
def old_version(exchange: Exchange) -> Reply | None:
    """HTTP/1.0 in the status line."""
    return [exchange.response.raw.replace(b"HTTP/1.1", b"HTTP/1.0", 1)]


@fault(GENERAL, "lookup")
def early_hints(exchange: Exchange) -> Reply | None:
    """Early hints that nobody asked for."""
    return [b"HTTP/1.1 103 Early Hints\r\n\r\n", exchange.response.raw]


# ----------------------------------------------------------------------------------------------------- header fields


@fault(GENERAL, "create")
def header_missing(exchange: Exchange) -> Reply | None:
    """Location missing."""
    return _with(_without(exchange.response, "location")) if exchange.response.values("Location") else None


@fault(GENERAL, "lookup")
def header_extra(exchange: Exchange) -> Reply | None:
    """X-Powered-By added."""
    return _with(_added(exchange.response, "X-Powered-By", "Express"))


@fault(GENERAL, "head", "paths")
def cookie_on_errors(exchange: Exchange) -> Reply | None:
    """A session cookie set on errors."""
    failed = exchange.response.status >= 400
    return _with(_added(exchange.response, "Set-Cookie", "SESSION=1")) if failed else None


@fault(GENERAL, "paths")
def header_changed(exchange: Exchange) -> Reply | None:
    """Problems served as application/json."""
    return _headers(exchange, "content-type", lambda value: value.replace("problem+json", "json"))


@fault(GENERAL, "read-link")
def wrong_charset(exchange: Exchange) -> Reply | None:
    """JSON said to be in ISO 8859-1."""
    return _headers(exchange, "content-type", lambda value: f"{value}; charset=iso-8859-1")


@fault(GENERAL, "read-link")
def header_twice(exchange: Exchange) -> Reply | None:
    """Content-Type twice."""
    types = exchange.response.values("Content-Type")
    return _with(_added(exchange.response, "Content-Type", types[0])) if types else None


@fault(GENERAL, "lookup")
def type_of_nothing(exchange: Exchange) -> Reply | None:
    """A Content-Type on an empty body."""
    if exchange.response.values("Content-Type"):
        return None
    return _with(_added(exchange.response, "Content-Type", "text/html"))


@fault(GENERAL, "methods")
def allow_too_short(exchange: Exchange) -> Reply | None:
    """HEAD left out of Allow."""
    return _headers(exchange, "allow", lambda value: "GET" if "HEAD" in value else value)


@fault(GENERAL, "lookup")
def date_missing(exchange: Exchange) -> Reply | None:
    """Date missing."""
    return _with(_without(exchange.response, "date"))


@fault(GENERAL, "lookup")
def date_old(exchange: Exchange) -> Reply | None:
    """Date ten seconds old, as of a cache."""
    return _headers(exchange, "date", lambda value: formatdate(time() - 10, usegmt=True))


@fault(GENERAL, "lookup")
def date_in_another_format(exchange: Exchange) -> Reply | None:
    """Date in asctime's format."""
    return _headers(exchange, "date", lambda value: strftime("%a %b %d %H:%M:%S %Y", gmtime()))


# -------------------------------------------------------------------------------------------------- body and framing


@fault(GENERAL, "read-link")
def byte_changed(exchange: Exchange) -> Reply | None:
    """One byte of the body changed."""
    body = exchange.response.body
    return _with(exchange.response, body=body[:-1] + bytes([body[-1] ^ 1])) if body else None


@fault(GENERAL, "read-link")
def body_cut(exchange: Exchange) -> Reply | None:
    """The body cut, with a Content-Length to suit."""
    body = exchange.response.body
    return _with(exchange.response, body=body[:-1]) if body else None


@fault(GENERAL, "read-link", timeout=0.5)
def length_too_large(exchange: Exchange) -> Reply | None:
    """Content-Length larger than the body."""
    return _headers(exchange, "content-length", lambda value: str(int(value) + 1)) if _has_body(exchange) else None


@fault(GENERAL, "read-link")
def length_too_small(exchange: Exchange) -> Reply | None:
    """Content-Length smaller than the body."""
    return _headers(exchange, "content-length", lambda value: str(int(value) - 1)) if _has_body(exchange) else None


@fault(GENERAL, "read-link")
def length_missing(exchange: Exchange) -> Reply | None:
    """No Content-Length: the body ends with the connection."""
    if not _has_body(exchange):
        return None
    whole = _with(_added(_without(exchange.response, "content-length"), "Connection", "close"), measured=False)
    return [*whole, None]


@fault(GENERAL, "read-link")
def chunks_broken(exchange: Exchange) -> Reply | None:
    """Chunks whose sizes are wrong."""
    if not _has_body(exchange):
        return None
    body = exchange.response.body
    chunked = _added(_without(exchange.response, "content-length"), "Transfer-Encoding", "chunked")
    coded = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body) - 1, body)
    return _with(chunked, body=coded, measured=False)


@fault(GENERAL, "read-link", timeout=0.5)
def last_chunk_missing(exchange: Exchange) -> Reply | None:
    """The last chunk never sent."""
    if not _has_body(exchange):
        return None
    body = exchange.response.body
    chunked = _added(_without(exchange.response, "content-length"), "Transfer-Encoding", "chunked")
    return _with(chunked, body=b"%x\r\n%b\r\n" % (len(body), body), measured=False)


@fault(GENERAL, "lookup", timeout=0.5)
def bare_line_feeds(exchange: Exchange) -> Reply | None:
    """Lines that end without a carriage return."""
    return [exchange.response.raw.replace(b"\r\n", b"\n")]


@fault(GENERAL, "head")
def body_after_head(exchange: Exchange) -> Reply | None:
    """A body after HEAD."""
    return [exchange.response.raw, b"x" * 48] if exchange.request.method == "HEAD" else None


@fault(GENERAL, "head")
def late_body_after_head(exchange: Exchange) -> Reply | None:
    """A body after HEAD, a moment later."""
    return [exchange.response.raw, 0.005, b"x" * 48] if exchange.request.method == "HEAD" else None


@fault(GENERAL, "headers")
def compressed(exchange: Exchange) -> Reply | None:
    """Compressed for whoever takes gzip."""
    accepted = ",".join(value for name, value in exchange.request.headers if name.lower() == "accept-encoding")
    if "gzip" not in accepted or not exchange.response.body:
        return None
    return _with(_added(exchange.response, "Content-Encoding", "gzip"), body=gzip.compress(exchange.response.body))


@fault(GENERAL, "read-link")
def white_space_in_json(exchange: Exchange) -> Reply | None:
    """JSON with white space."""
    return _json(exchange, lambda value: json.dumps(value))


@fault(GENERAL, "read-link")
def newline_after_json(exchange: Exchange) -> Reply | None:
    """JSON with a newline at its end."""
    return _with(exchange.response, body=exchange.response.body + b"\n") if exchange.response.body else None


@fault(GENERAL, "read-link")
def members_reordered(exchange: Exchange) -> Reply | None:
    """Members in another order."""
    return _json(exchange, lambda value: _compact(dict(reversed(value.items()))))


@fault(GENERAL, "read-link")
def slashes_escaped(exchange: Exchange) -> Reply | None:
    """Slashes escaped in JSON."""
    body = exchange.response.body
    return _with(exchange.response, body=body.replace(b"/", rb"\/")) if b"/" in body else None


@fault(GENERAL, "bodies")
def detail_of_the_parser(exchange: Exchange) -> Reply | None:
    """The parser's message in the detail of a 400."""
    if exchange.response.status != 400:
        return None
    body = exchange.response.body.replace(b"valid JSON.", b"valid JSON. Unexpected token at position 1")
    return _with(exchange.response, body=body)


# --------------------------------------------------------------------------------------------------- time and order


@fault(GENERAL, "lookup", timeout=0.3)
def slow(exchange: Exchange) -> Reply | None:
    """An answer later than any client waits."""
    return [1.0, exchange.response.raw]


@fault(GENERAL, "lookup")
def dropped(exchange: Exchange) -> Reply | None:
    """The connection closed instead of an answer, once in seven."""
    return [None] if exchange.number % 7 == 6 else None


@fault(GENERAL, "read-link")
def dropped_half_way(exchange: Exchange) -> Reply | None:
    """The connection closed in the middle of an answer."""
    raw = exchange.response.raw
    return [raw[: len(raw) // 2], None] if exchange.response.body else None


@fault(GENERAL, "lookup")
def answer_of_another(exchange: Exchange) -> Reply | None:
    """The answer to the request before."""
    before = exchange.memory.get("before", exchange.response)
    exchange.memory["before"] = exchange.response
    return [before.raw] if before.raw != exchange.response.raw else None


# --------------------------------------------------------------------------------------------------------- shortener


@fault(SHORTENER, "lookup")
def temporary_redirect(exchange: Exchange) -> Reply | None:
    """302 instead of 301."""
    return _with(exchange.response, status=302) if exchange.response.status == 301 else None


@fault(SHORTENER, "lookup")
def not_found_with_a_body(exchange: Exchange) -> Reply | None:
    """An unknown hash answered with a problem."""
    if exchange.response.status != 404 or exchange.response.body or exchange.request.method != "GET":
        return None
    body = b'{"type":"about:blank","title":"Not Found","status":404,"detail":"No such link."}'
    return _with(_added(exchange.response, "Content-Type", "application/problem+json"), body=body)


@fault(SHORTENER, "lookup")
def location_of_another(exchange: Exchange) -> Reply | None:
    """The URL of another link."""
    (_, first), (_, second) = EXAMPLES[:2]
    return _headers(exchange, "location", lambda value: second if value == first else value)


@fault(SHORTENER, by_golden=True)
def one_link_wrong(exchange: Exchange) -> Reply | None:
    """One link of ten thousand wrong."""
    wanted = exchange.memory.setdefault("wanted", _golden_link())
    return _headers(exchange, "location", lambda value: value + "/" if value == wanted else value)


@fault(SHORTENER, "lookup")
def url_normalised(exchange: Exchange) -> Reply | None:
    """URLs ended with a slash where they have no path."""
    return _headers(exchange, "location", lambda url: url if url.count("/") > 2 or url[0] == "/" else url + "/")


@fault(SHORTENER, "url-rule")
def scheme_in_lower_case(exchange: Exchange) -> Reply | None:
    """Schemes written in lower case."""
    return _headers(exchange, "location", lambda url: re.sub("^[A-Za-z]+:", lambda scheme: scheme[0].lower(), url))


@fault(SHORTENER, "lookup")
def hashes_without_case(exchange: Exchange) -> Reply | None:
    """Hashes looked up without regard to case."""
    known = {hash_.lower(): hash_ for hash_, _ in EXAMPLES}
    match = _HASH.fullmatch(exchange.request.path)
    if exchange.response.status != 404 or not match or match[1].lower() not in known:
        return None
    return [exchange.ask(replace(exchange.request, path=f"/{known[match[1].lower()]}")).raw]


@fault(SHORTENER, "lookup")
def newline_after_the_hash(exchange: Exchange) -> Reply | None:
    """A newline after the hash not noticed, as by $."""
    if not exchange.request.path.endswith("%0A"):
        return None
    return [exchange.ask(replace(exchange.request, path=exchange.request.path.removesuffix("%0A"))).raw]


@fault(SHORTENER, "lookup")
def hash_trimmed(exchange: Exchange) -> Reply | None:
    """Spaces around the hash trimmed."""
    trimmed = f"/{unquote(exchange.request.path[1:]).strip(' ')}"
    if "%20" not in exchange.request.path or not _HASH.fullmatch(trimmed):
        return None
    return [exchange.ask(replace(exchange.request, path=trimmed)).raw]


@fault(SHORTENER, "paths")
def slash_redirected(exchange: Exchange) -> Reply | None:
    """A slash after the hash taken off by a redirect."""
    path = exchange.request.path
    if not path.endswith("/") or path == "/":
        return None
    redirect = _added(_without(exchange.response, "content-type"), "Location", path.rstrip("/"))
    return _with(redirect, status=301, body=b"")


@fault(SHORTENER, "create")
def not_stored(exchange: Exchange) -> Reply | None:
    """201 for a link that is not stored."""
    if exchange.response.status != 201:
        return None
    hash_ = json.loads(exchange.response.body)["hash"]
    return _renamed(exchange.response, hash_, hash_[1:] + hash_[:1])


@fault(SHORTENER, "create")
def hash_reused(exchange: Exchange) -> Reply | None:
    """The same hash for every link."""
    if exchange.response.status != 201:
        return None
    hash_ = json.loads(exchange.response.body)["hash"]
    return _renamed(exchange.response, hash_, exchange.memory.setdefault("hash", hash_))


@fault(SHORTENER, "create")
def overwritten(exchange: Exchange) -> Reply | None:
    """A link overwritten by the next."""
    made = exchange.memory.setdefault("made", {})
    if exchange.response.status == 201:
        link = json.loads(exchange.response.body)
        made[link["hash"]] = exchange.memory["last"] = link["url"]
    hash_ = exchange.request.path.rpartition("/")[2]
    if hash_ not in made or made[hash_] == exchange.memory["last"]:
        return None
    return _renamed(exchange.response, made[hash_], exchange.memory["last"])


@fault(SHORTENER, "create")
def hash_by_url(exchange: Exchange) -> Reply | None:
    """The same hash for the same URL."""
    if exchange.response.status != 201:
        return None
    link = json.loads(exchange.response.body)
    first = exchange.memory.setdefault(link["url"], link["hash"])
    return _renamed(exchange.response, link["hash"], first) if first != link["hash"] else None


@fault(SHORTENER, "limits")
def limit_too_low(exchange: Exchange) -> Reply | None:
    """A limit that is one byte too low."""
    if len(exchange.request.body or b"") != 8192 or exchange.response.status != 201:
        return None
    return [exchange.ask(replace(exchange.request, headers=_TYPE, body=b" " * 8193)).raw]


@fault(SHORTENER, "limits")
def limit_too_high(exchange: Exchange) -> Reply | None:
    """A limit that is one byte too high."""
    body = exchange.request.body or b""
    if len(body) != 8193:
        return None
    return [exchange.ask(replace(exchange.request, headers=_TYPE, body=body.strip())).raw]


@fault(SHORTENER, "bodies")
def first_member_counts(exchange: Exchange) -> Reply | None:
    """Of duplicate members the first counts."""
    if exchange.response.status != 422 and exchange.response.status != 201:
        return None
    written = json.loads(exchange.request.body, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    if not isinstance(written, dict) or written == json.loads(exchange.request.body):
        return None
    return [exchange.ask(replace(exchange.request, headers=_TYPE, body=json.dumps(written).encode())).raw]


@fault(SHORTENER, "bodies")
def lone_surrogate_taken(exchange: Exchange) -> Reply | None:
    """A lone surrogate let through to the rule."""
    if exchange.response.status != 400 or rb"\ud800" not in (exchange.request.body or b""):
        return None
    body = exchange.request.body.replace(rb"\ud800", b"?")
    return [exchange.ask(replace(exchange.request, headers=_TYPE, body=body)).raw]


# ----------------------------------------------------------------------------------------------------------- helpers

_TYPE = (("Content-Type", "application/json"),)


def _with(response: Response, status: int | None = None, body: bytes | None = None, *, measured: bool = True) -> Reply:
    """The response as bytes, with another status or body; Content-Length goes with the body if `measured`."""
    status = status or response.status
    lines = [f"HTTP/1.1 {status} {title(status)}"]
    for name, value in response.headers:
        length = measured and body is not None and name.lower() == "content-length"
        lines.append(f"{name}: {len(body) if length else value}")
    body = response.body if body is None else body
    return ["\r\n".join([*lines, "", ""]).encode("latin-1") + body]


def _added(response: Response, name: str, value: str) -> Response:
    return replace(response, headers=(*response.headers, (name, value)))


def _without(response: Response, *names: str) -> Response:
    return replace(response, headers=tuple(field for field in response.headers if field[0].lower() not in names))


def _headers(exchange: Exchange, name: str, change: Callable[[str], str]) -> Reply | None:
    """The response with the values of a field changed; None if that changes nothing."""
    fields = tuple(
        (given, change(value) if given.lower() == name else value) for given, value in exchange.response.headers
    )
    return _with(replace(exchange.response, headers=fields)) if fields != exchange.response.headers else None


def _json(exchange: Exchange, write: Callable[[dict], str]) -> Reply | None:
    """The response with its JSON written in another way."""
    if not exchange.response.body:
        return None
    return _with(exchange.response, body=write(json.loads(exchange.response.body)).encode())


def _compact(value: dict) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _has_body(exchange: Exchange) -> bool:
    return bool(exchange.response.body and exchange.response.values("Content-Length"))


def _renamed(response: Response, old: str, new: str) -> Reply:
    """The response with one text for another in header fields and body."""
    headers = tuple((name, value.replace(old, new)) for name, value in response.headers)
    body = response.body.replace(old.encode(), new.encode()) if response.body else None
    return _with(replace(response, headers=headers), body=body)


def _golden_link() -> str:
    """The URL of a link that no case asks for, but the golden data do."""
    return next(row.location for row in validation.read()[100:] if row.status == 301)
