"""Whether a response is what the contract says (contract-tests/README.md states the rules in prose).

An expected response names what a client relies on: the status, some header fields, and the body. Its header fields must
be there and equal; further ones are the stack's own. JSON is compared by its values, HTML by the tree that a browser
makes of it, PNG images by their pixels, and what is coded with gzip decoded. Of a problem (RFC 9457) only `status` is
compared: `title` and `detail` must be there.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache

from samewire.contract import json_values
from samewire.contract.json_values import NotJson
from samewire.http import Request, Response, compact

ANY = b"(the stack's own)"
"""The body of an expected response that says nothing of the body."""

PROBLEM = "application/problem+json"

_PARAMETER = re.compile(r'[ \t]*;[ \t]*(?:([!#-\'*+\-.^-z|~\w]+)=("(?:[^"\\]|\\.)*"|[!#-\'*+\-.^-z|~\w]+))?', re.ASCII)
_BODILESS = (204, 304)
_SINGLE = ("content-type", "content-length", "content-encoding", "content-disposition", "location", "transfer-encoding")
"""Fields that may come once (RFC 9110, 5.3); of others, a list may be in several fields."""
_NEVER_COMPARED = ("date", "content-length")
"""The clock and the framing are HTTP's; no contract names them."""


def response_problems(response: Response, request: Request) -> list[str]:
    """What is wrong with a response to any request, by HTTP itself: a sentence for each problem.

    Version HTTP/1.1; fields that are no list come once; no Content-Length on 204 and 304; an end that can be told from
    a cut connection; no trailers; no 1xx that was not asked for; gzip that can be decoded. (That Content-Length agrees
    with the body, the connection sees to: `unread` has what is over.)
    """
    problems = []
    if response.http_version != "HTTP/1.1":
        problems.append(f"version is {response.http_version} instead of HTTP/1.1")
    problems += [
        f"{_title(name)} comes {len(values)} times: {values}"
        for name, values in response.fields.items()
        if len(values) > 1 and name in _SINGLE
    ]
    if response.status in _BODILESS and response.values("Content-Length"):
        problems.append(f"Content-Length on a {response.status}")
    if response.framing == "close":
        problems.append("neither Content-Length nor chunked: the end of the body cannot be told from a cut connection")
    if response.body and _is_gzip(response) and _decoded(response.body) is None:
        problems.append("Content-Encoding is gzip, but the body is not one whole gzip member and nothing else")
    if response.trailers:
        problems.append(f"trailer fields: {response.trailers}")
    if response.interim and not request.has("Expect"):
        problems.append(f"interim responses nobody asked for: {[interim.status for interim in response.interim]}")
    return problems


def differences(
    expected: Response, response: Response, *, request: Request, names: tuple[str, str] = ("contract", "server")
) -> list[str]:
    """Every way in which `response` to `request` is not as `expected`, one sentence each; empty if it is.

    `names` say whose responses they are. Whether the response is sound by itself, `response_problems` says.
    """
    found = []
    if expected.status != response.status:
        found.append(f"status: {names[0]} {expected.status}, {names[1]} {response.status}")
    for name in [name for name in expected.fields if name not in _NEVER_COMPARED]:
        one, other = (_comparable(name, each) for each in (expected, response))
        if one != other:
            values = (_shown(expected.values(name)), _shown(response.values(name)))
            found.append(f"{_title(name)}: {names[0]} {values[0]}, {names[1]} {values[1]}")
    if request.method == "HEAD":
        return found + (["body: there is one after HEAD"] if response.body else [])
    if problem := _body_difference(expected, response, names):
        found.append(f"body: {problem}")
    return found


def content(response: Response) -> object:
    """The body in the form in which it is compared: the bytes, decoded if they are gzip, or the pixels of a PNG."""
    if response.body and _is_gzip(response):
        return _uncoded(response)
    if not response.body or media_type(response) != "image/png":
        return response.body
    from samewire.contract import images  # which only pictures need, and which takes its time to load

    try:
        return images.decode(response.body)
    except images.NotPng:
        return response.body


def media_type(response: Response) -> str:
    """The media type of the body in lower case, without parameters; empty if there is none."""
    return "".join(response.values("Content-Type")[:1]).partition(";")[0].strip(" \t").lower()


def side_by_side(
    request: Request,
    named_responses: Mapping[str, Response],
    *,
    url: str = "http://HOST",
    merge: bool = True,
    width: int = 150,
) -> str:
    """The request as curl and the responses in columns, header fields aligned.

    A row is marked ≠ where a response is not as the first one says. Equal responses share a column if `merge`; more
    than three columns are set one below the other.
    """
    columns: dict[object, tuple[list[str], Response]] = {}
    for name, response in named_responses.items():
        same = (response.status, frozenset(_without_date(response)), response.body)
        key = same if merge else name
        columns.setdefault(key, ([], response))[0].append(name)
    answers = list(columns.values())
    rows = _rows(request, answers)
    lines = [request.as_curl(url)]
    if len(answers) > 3:
        for index in range(len(answers)):
            lines += ["", *(line for cells, _ in rows for line in cells[index])]
        return "\n".join(lines)
    column_width = max(24, width // max(1, len(answers)) - 3)
    for cells, differs in rows:
        wrapped = [[part for line in cell for part in _wrap(line, column_width)] for cell in cells]
        for number in range(max(map(len, wrapped))):
            texts = [(cell[number] if number < len(cell) else "").ljust(column_width) for cell in wrapped]
            lines.append(f"{'≠' if differs and number == 0 else ' '} {' │ '.join(texts)}".rstrip())
    return "\n".join(lines)


def _rows(request: Request, answers: Sequence[tuple[list[str], Response]]) -> list[tuple[list[list[str]], bool]]:
    """Cells of one row (lines, for each answer) and whether they differ: names, status, each field, body."""
    first, *others = responses = [response for _, response in answers]
    rows = [([[", ".join(names)] for names, _ in answers], False)]
    starts = [[f"{response.http_version} {response.status} {response.reason}".rstrip()] for response in responses]
    rows.append((starts, any(first.status != other.status for other in others)))
    for name in sorted({name.lower() for response in responses for name, _ in response.headers}):
        cells = [
            [f"{_title(name)}: {_short(value)}" for value in response.values(name)] or ["—"] for response in responses
        ]
        named = name in first.fields and name not in _NEVER_COMPARED
        rows.append((cells, named and any(_comparable(name, first) != _comparable(name, other) for other in others)))
    bodies = []
    for response in responses:
        shown = content(response)
        bodies.append([_text(shown if isinstance(shown, bytes) else response.body)] if response.body else ["(no body)"])
    differs = request.method != "HEAD" and any(_body_difference(first, other, ("", "")) for other in others)
    return [*rows, (bodies, differs)]


def _without_date(response: Response) -> list[tuple[str, str]]:
    return [(name.lower(), value) for name, value in response.headers if name.lower() != "date"]


# ------------------------------------------------------------------------------------------------------ header fields


def _comparable(name: str, response: Response) -> object:
    """The values of a field in the form in which they are compared."""
    values = response.values(name)
    return tuple(map(_media_type, values)) if name == "content-type" else tuple(values)


@lru_cache(maxsize=100)
def _media_type(value: str) -> object:
    """Type and parameters, for comparison; the value itself if it is no media type."""
    essence, separator, rest = value.partition(";")
    parameters, position, rest = [], 0, separator + rest
    while position < len(rest) and (match := _PARAMETER.match(rest, position)):
        position = match.end()
        if match[1]:
            text = re.sub(r"\\(.)", r"\1", match[2][1:-1]) if match[2].startswith('"') else match[2]
            name = match[1].lower()
            parameters.append((name, text.lower() if name == "charset" else text))
    if rest[position:].strip(" \t"):
        return value
    essence = essence.strip(" \t").lower()
    # JSON is UTF-8, and some stacks say so.
    if essence == "application/json" or essence.endswith("+json"):
        parameters = [parameter for parameter in parameters if parameter != ("charset", "utf-8")]
    return essence, tuple(sorted(parameters))


# ------------------------------------------------------------------------------------------------------------- bodies


def _body_difference(expected: Response, response: Response, names: tuple[str, str]) -> str | None:
    """What is wrong with the body, in a sentence; None if it is as expected."""
    if expected.body == ANY:
        return None
    kind = media_type(expected)
    if kind == PROBLEM:
        return _problem_difference(expected, response)
    if kind == "application/json":
        try:
            return json_values.difference(json_values.parse(expected.body), json_values.parse(_uncoded(response)))
        except NotJson as error:
            return f"{names[1]} {compact(response.body, 300)} is no JSON: {error}"
    if kind == "text/html":
        from samewire.contract import html  # which only pages need

        return html.difference(_uncoded(expected), _uncoded(response), names)
    shown = content(expected), content(response)
    if shown[0] == shown[1]:
        return None
    if not any(isinstance(one, bytes) for one in shown):
        return f"{names[0]} and {names[1]} show different pictures: {shown[0].difference(shown[1])}"
    if kind == "image/png" and isinstance(shown[1], bytes):
        return f"no sound PNG from {names[1]}"
    a, b = (
        one if isinstance(one, bytes) else whole.body for one, whole in zip(shown, (expected, response), strict=True)
    )
    place = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start = max(0, place - 20)
    one, other = (compact(body[start : place + 40]) if place < len(body) else "ended" for body in (a, b))
    lengths = f"{len(a)} and {len(b)} bytes, " if len(a) != len(b) else ""
    return f"{lengths}first difference at byte {place}: {names[0]} {one}, {names[1]} {other}"


def _problem_difference(expected: Response, response: Response) -> str | None:
    """RFC 9457: an object whose `status` is the answer's; `title` and `detail` are in the stack's own words."""
    try:
        problem = json_values.parse(_uncoded(response))
    except NotJson as error:
        return f"{compact(response.body, 300)} is no JSON: {error}"
    if not isinstance(problem, dict):
        return f"{json_values.shown(problem)} is no problem (RFC 9457): it must be an object"
    if problem.get("status") != json_values.Number(str(expected.status)):
        return f"the problem's status is {json_values.shown(problem.get('status'))} instead of {expected.status}"
    for name in ("title", "detail"):
        if not isinstance(problem.get(name), str) or not problem[name]:
            return f"the problem has no {name}"
    return None


def _is_gzip(response: Response) -> bool:
    return [value.lower() for value in response.values("Content-Encoding")] == ["gzip"]


def _uncoded(response: Response) -> bytes:
    """The body, decoded if it is gzip that can be."""
    decoded = _decoded(response.body) if _is_gzip(response) else None
    return response.body if decoded is None else decoded


def _decoded(body: bytes) -> bytes | None:
    """What is in a gzip file of one member; None if it is not whole, or has something behind it."""
    decoder = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        decoded = decoder.decompress(body)
    except zlib.error:
        return None
    return decoded if decoder.eof and not decoder.unused_data else None


# ---------------------------------------------------------------------------------------------------------- for people


def _title(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


def _shown(values: list[str]) -> str:
    return " and ".join(repr(_short(value)) for value in values) or "none"


def _short(value: str) -> str:
    return value if len(value) <= 300 else compact(value.encode("latin-1"), 300)


def _text(body: bytes) -> str:
    """A body for people: as text if it is printable UTF-8, else as a Python literal."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return compact(body)
    return text if text.isprintable() and len(text) <= 300 else compact(body, 1000)


def _wrap(line: str, width: int) -> list[str]:
    return [line[start : start + width] for start in range(0, len(line), width)] or [""]
