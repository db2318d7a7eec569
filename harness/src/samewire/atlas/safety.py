"""The rule of safety (contract-tests/README.md): what no input at all may do to a server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from samewire.atlas.ask import Asked, label
from samewire.contract import json_values, wire
from samewire.contract.compare import media_type
from samewire.contract.models import model_of
from samewire.http import ExchangeError, Request, Response, exchange
from samewire.target import Target

NOT_IMPLEMENTED = (501, 505)
"""The only 5xx for what a client did (RFC 9110, 15.6.2 and 15.6.6)."""

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
    elif any(not _is_reading(answer, one.readings, service) for answer in taken):
        yield f"an answer that is right for none of: {', '.join(map(str, one.readings)) or '(nothing)'}"


def _is_reading(answer: Response, readings: tuple[str | int, ...], service: str) -> bool:
    """Whether it is the contract's answer to one of these requests."""
    for reading in readings:
        if isinstance(reading, int):
            if answer.status == reading:
                return True
            continue
        # An answer to HTTP/1.0 may end with its connection.
        if not model_of(service).judge(wire.request_of(reading), replace(answer, framing="length")):
            return True
    return False


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
