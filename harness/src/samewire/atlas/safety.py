"""The rule of safety (contract-tests/README.md): what no input at all may do to a server."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from samewire.atlas.ask import Asked, label
from samewire.atlas.inputs import Input
from samewire.contract import json_values, wire
from samewire.contract.compare import media_type
from samewire.contract.models import model_of
from samewire.http import ExchangeError, Request, Response, exchange
from samewire.target import Target

NOT_IMPLEMENTED = (501, 505)
"""The only 5xx for what a client did (RFC 9110, 15.6.2 and 15.6.6)."""

_REDIRECTS = (301, 302, 303, 307, 308)
_PATH = re.compile(rb"[^ \r\n]+ (/[^ \r\n?#]*)")
_HTTP_1_0 = re.compile(rb"[^\r\n]+ HTTP/1\.0\r\n")
_MARKUP = re.compile(rb"<[a-z][^<>\r\n]{4,60}>", re.IGNORECASE)


def breaches(asked: Asked, target: Target) -> list[str]:
    """Every way in which what came back breaks the rule, a sentence each; empty if it is safe.

    Whether the server lives on, `alive` says.
    """
    return [
        *unsafe_answers(asked.seen, asked.input.sent(), may_wait=asked.input.incomplete),
        *_own_rules(asked, target.service),
        *_stored(asked, target),
    ]


def unsafe_answers(seen: wire.Observed, sent: Iterable[bytes], *, may_wait: bool = False) -> Iterator[str]:
    """What no answers to any bytes that were sent may be; with `may_wait` a server may be silent for now."""
    markup = {match[0] for data in sent for match in _MARKUP.finditer(data)}
    for answer in seen.answers:
        if answer.status >= 500 and answer.status not in NOT_IMPLEMENTED:
            yield f"{label(answer)}: a client's fault is no fault of the server"
        if media_type(answer) == "text/html" and any(one in answer.body for one in markup):
            yield "markup of the request stands in a page, where a browser runs it"
    if seen.end == wire.SILENT:
        if may_wait:
            return
        yield f"neither an answer nor an end within {wire.PATIENCE:g} s"
    elif seen.end not in (wire.OPEN, wire.CLOSED, None):
        yield f"the connection: {seen.end}"


def _own_rules(asked: Asked, service: str) -> Iterator[str]:
    """What the input itself says of its answers."""
    one, seen = asked.input, asked.seen
    finals = [answer for answer in seen.answers if answer.status >= 200]
    taken = [answer for answer in finals if answer.status < 400]
    if seen.unread and not one.bare:
        yield "bytes that are no answer"
    if one.case:
        observed = sum(step.answer is None for step in one.case.steps)
        if len(finals) > observed:
            yield f"{len(finals)} answers to {observed} requests"
        if one.refused and taken:
            yield f"{label(taken[0])}: there is nothing to be found here"
        return
    if len(taken) > one.answers:
        yield f"{len(taken)} answers below 400 to {one.answers} requests"
    elif len(finals) > one.answers and seen.end == wire.OPEN:
        yield f"{len(finals)} answers to {one.answers} requests, on a connection that goes on"
    if one.ambiguous and (taken or seen.end != wire.CLOSED):
        yield "framing that two parsers can read in two ways is not refused, with the connection closed"
    else:
        for answer in taken:
            if (wrong := _not_a_reading(answer, one, service)) and not _leads_to_normal_form(answer, one):
                yield wrong
                return


def _not_a_reading(answer: Response, one: Input, service: str) -> str:
    """Why it is the contract's answer to none of the input's readings, in a sentence; empty if it is one."""
    answer = replace(answer, framing="length")  # it may end with its connection
    if _HTTP_1_0.match(one.sent()[0]) and answer.http_version == "HTTP/1.0":
        answer = replace(answer, http_version="HTTP/1.1")  # an answer may have the version of its request
    reasons = []
    for reading in one.readings:
        if isinstance(reading, int):
            problems = [] if answer.status == reading else [f"status {answer.status}"]
        else:
            problems = model_of(service).judge(wire.request_of(reading), answer)
        if not problems:
            return ""
        reasons.append(f"{reading} ({problems[0]})")
    if not reasons:
        return f"the request must be refused, and was answered with {answer.status}"
    return f"an answer that is right for none of: {', '.join(reasons)}"


def _leads_to_normal_form(answer: Response, one: Input) -> bool:
    """Whether it redirects to the same path without its empty and dot segments (RFC 3986, 6.2.2.3): it has no data."""
    path = match[1].decode("latin-1") if (match := _PATH.match(one.sent()[0])) else ""
    place = "".join(answer.values("Location")).partition("?")[0]
    normal = posixpath.normpath("/" + path.lstrip("/"))
    if path.endswith(("/", "/.", "/..")) and normal != "/":
        # The path of a folder stays one, or loses its slash.
        return answer.status in _REDIRECTS and place != path and place in (normal, f"{normal}/")
    return answer.status in _REDIRECTS and place != path and place == normal


def _stored(asked: Asked, target: Target) -> Iterator[str]:
    """What a 201 shows in JSON is what is found at its Location, if that is shown in JSON."""
    for answer in asked.seen.answers:
        place = "".join(answer.values("Location"))
        if answer.status != 201 or not place.startswith("/") or media_type(answer) != "application/json":
            continue
        try:
            found = exchange(target, Request("GET", place), wire.PATIENCE)
            yield from (f"GET {place}, which it has made: {field}" for field in _injected(found, asked.input.sent()))
            if found.status >= 500:
                yield f"GET {place}, which it has made: {found.status}"
            elif found.status == 200 and media_type(found) == "application/json":
                different = json_values.difference(json_values.parse(answer.body), json_values.parse(found.body))
                if different:
                    yield f"GET {place}, which it has made: {different}"
        except (ExchangeError, json_values.NotJson) as error:
            yield f"GET {place}, which it has made: {error}"


def _injected(found: Response, sent: Iterable[bytes]) -> Iterator[str]:
    """Header fields that stand in a request's body: a line break got out. (Parts of a form name their Content-Type.)"""
    bodies = [data.partition(b"\r\n\r\n")[2] for data in sent]
    for name, value in found.headers:
        if name.lower() != "content-type" and any(f"{name}: {value}".encode("latin-1") in body for body in bodies):
            yield f"the field {name}: {value} is the client's"


def alive(target: Target) -> Iterator[str]:
    """Whether it answers somebody else afterwards."""
    try:
        answer = exchange(target, wire.HEALTH, wire.PATIENCE)
        if answer.status != 200:
            yield f"GET /healthz on a new connection afterwards: {answer.status}"
    except ExchangeError as error:
        yield f"GET /healthz on a new connection afterwards: {error}"
