"""The faults that a shortener may have besides the general ones and those of JSON bodies."""

import json
import re
from urllib.parse import unquote

from faults.bodies import JSON_BODIES, limits_of_length, unknown_members_ignored
from faults.changes import added, asked, compact, headers_changed, json_of, path_of, renamed, reply, without
from faults.proxy import Exchange, Fault, Reply, fault
from lockstep import Lockstep

from samewire.http import Request
from samewire.links import EXAMPLES
from samewire.target import Target
from shortener.golden import validation

FAULTS: list[Fault] = [*JSON_BODIES]

NOT_HERE = {"characters-escaped": "all text in its JSON is ASCII"}

_HASH = re.compile(r"/([0-9A-Za-z]{6})")


# ------------------------------------------------------------------------------------------------------------ lookup


@fault(FAULTS)
def temporary_redirect(exchange: Exchange) -> Reply | None:
    """302 instead of 301."""
    return reply(exchange.response, status=302) if exchange.response.status == 301 else None


@fault(FAULTS)
def not_found_with_a_body(exchange: Exchange) -> Reply | None:
    """An unknown hash answered with a problem."""
    if exchange.response.status != 404 or exchange.response.body or exchange.request.method != "GET":
        return None
    body = b'{"type":"about:blank","title":"Not Found","status":404,"detail":"No such link."}'
    return reply(added(exchange.response, "Content-Type", "application/problem+json"), body=body)


@fault(FAULTS)
def location_of_another(exchange: Exchange) -> Reply | None:
    """The URL of another link."""
    (_, first), (_, second) = EXAMPLES[:2]
    return headers_changed(exchange, "location", lambda value: second if value == first else value)


def _by_golden(target: Target) -> str | None:
    """The first of 200 golden rows to notice, with what it noticed."""
    with Lockstep([target]) as lockstep:
        for row in validation.read()[:200]:
            request = Request("GET", row.target)
            if problems := validation.judge(row, request, lockstep.ask({target.name: request})[target.name]):
                return f"{validation.FILE.name} {row.target}: {problems[0]}"
    return None


@fault(FAULTS, judge=_by_golden)
def one_link_wrong(exchange: Exchange) -> Reply | None:
    """One link of ten thousand wrong."""
    wanted = exchange.memory.setdefault("wanted", _golden_link())
    return headers_changed(exchange, "location", lambda value: value + "/" if value == wanted else value)


def _golden_link() -> str:
    """The URL of a link that no case asks for, but the golden data do."""
    return next(row.location for row in validation.read()[100:] if row.ordinary and row.status == 301)


@fault(FAULTS)
def url_normalised(exchange: Exchange) -> Reply | None:
    """URLs ended with a slash where they have no path."""
    return headers_changed(exchange, "location", lambda url: url if url.count("/") > 2 or url[0] == "/" else url + "/")


@fault(FAULTS)
def hashes_without_case(exchange: Exchange) -> Reply | None:
    """Hashes looked up without regard to case."""
    known = {hash_.lower(): hash_ for hash_, _ in EXAMPLES}
    match = _HASH.fullmatch(exchange.request.path)
    if exchange.response.status != 404 or not match or match[1].lower() not in known:
        return None
    return asked(exchange, path=f"/{known[match[1].lower()]}")


@fault(FAULTS)
def newline_after_the_hash(exchange: Exchange) -> Reply | None:
    """A newline after the hash not noticed, as by $."""
    path = exchange.request.path
    return asked(exchange, path=path.removesuffix("%0A")) if path.endswith("%0A") else None


@fault(FAULTS)
def hash_trimmed(exchange: Exchange) -> Reply | None:
    """Spaces around the hash trimmed."""
    trimmed = f"/{unquote(path_of(exchange)[1:]).strip(' ')}"
    if "%20" not in path_of(exchange) or not _HASH.fullmatch(trimmed):
        return None
    return asked(exchange, path=trimmed)


# ------------------------------------------------------------------------------------------------------------- links


@fault(FAULTS)
def not_stored(exchange: Exchange) -> Reply | None:
    """201 for a link that is not stored."""
    if exchange.response.status != 201:
        return None
    hash_ = json.loads(exchange.response.body)["hash"]
    return renamed(exchange.response, hash_, hash_[1:] + hash_[:1])


@fault(FAULTS)
def hash_reused(exchange: Exchange) -> Reply | None:
    """The same hash for every link."""
    if exchange.response.status != 201:
        return None
    hash_ = json.loads(exchange.response.body)["hash"]
    return renamed(exchange.response, hash_, exchange.memory.setdefault("hash", hash_))


@fault(FAULTS)
def overwritten(exchange: Exchange) -> Reply | None:
    """A link overwritten by the next."""
    made = exchange.memory.setdefault("made", {})
    if exchange.response.status == 201:
        link = json.loads(exchange.response.body)
        made[link["hash"]] = exchange.memory["last"] = link["url"]
    hash_ = exchange.request.path.rpartition("/")[2]
    if hash_ not in made or made[hash_] == exchange.memory["last"]:
        return None
    return renamed(exchange.response, made[hash_], exchange.memory["last"])


@fault(FAULTS)
def hash_by_url(exchange: Exchange) -> Reply | None:
    """The same hash for the same URL."""
    if exchange.response.status != 201:
        return None
    link = json.loads(exchange.response.body)
    first = exchange.memory.setdefault(link["url"], link["hash"])
    return renamed(exchange.response, link["hash"], first) if first != link["hash"] else None


@fault(FAULTS)
def line_break_gets_out(exchange: Exchange) -> Reply | None:
    """A URL with a line break stored, and written into Location."""
    link = json_of(exchange.request)
    url = link.get("url") if isinstance(link, dict) else None
    if isinstance(url, str) and "\r\n" in url and exchange.response.status == 400:
        exchange.memory["url"] = url
        created = added(without(exchange.response, "content-type"), "Content-Type", "application/json")
        return reply(added(created, "Location", "/BREAKS"), 201, compact({"hash": "BREAKS", "url": url}).encode())
    if exchange.request.path == "/BREAKS" and "url" in exchange.memory:
        return reply(added(exchange.response, "Location", exchange.memory["url"]), 301)
    return None


# ------------------------------------------------------------------------------------------------------------ bodies


limits_of_length(FAULTS, 8192)


@fault(FAULTS)
def other_members_ignored(exchange: Exchange) -> Reply | None:
    """Members that nobody knows ignored."""
    return unknown_members_ignored(exchange, "url")


@fault(FAULTS)
def url_trimmed(exchange: Exchange) -> Reply | None:
    """White space around the URL trimmed."""
    link = json_of(exchange.request)
    if exchange.response.status != 400 or not isinstance(link, dict) or not isinstance(link.get("url"), str):
        return None
    return asked(exchange, body=json.dumps(link | {"url": link["url"].strip()}).encode())
