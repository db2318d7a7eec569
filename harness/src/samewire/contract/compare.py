"""When two responses are identical (contract-tests/README.md states the rules in prose).

Status codes equal; header fields equal as sets, names without regard to case, values byte for byte; bodies equal byte
for byte once the transfer coding is removed. What is compared in another way is listed in `tolerated.yaml`, and
nothing else is: this module knows how to apply those rules, the file says to which fields. PNG images are compared by
what they show, and what is coded with gzip decoded.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace as _replace
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache

from samewire.contract import tolerated as rules
from samewire.contract.tolerated import Tolerated
from samewire.http import Request, Response, compact

CLOCK_TOLERANCE = 2.0
"""Seconds by which Date may be away from the clock."""

_PARAMETER = re.compile(r'[ \t]*;[ \t]*(?:([!#-\'*+\-.^-z|~\w]+)=("(?:[^"\\]|\\.)*"|[!#-\'*+\-.^-z|~\w]+))?', re.ASCII)
_BODILESS = (204, 304)


def response_problems(response: Response, request: Request, *, tolerated: Tolerated | None = None) -> list[str]:
    """What is wrong with a response whatever the contract says of its request: one sentence for each problem.

    Version HTTP/1.1; one Date, an IMF-fixdate within two seconds of the clock; no field twice unless it is a list; no
    Content-Length on 204 and 304; an end that can be told from a cut connection; no trailers; no 1xx that was not
    asked for; gzip that can be decoded. (That Content-Length agrees with the body, the connection sees to: `unread` has
    what is over.)
    """
    tolerated = tolerated or rules.load()
    problems = []
    if response.http_version != "HTTP/1.1":
        problems.append(f"version is {response.http_version} instead of HTTP/1.1")
    for name, values in response.fields.items():
        if len(values) > 1 and not tolerated.rules(name) & {rules.SET, rules.SET_ANY_CASE, rules.NOT_COMPARED}:
            problems.append(f"{_title(name)} comes {len(values)} times: {values}")
    problems += _date_problems(response)
    if response.status in _BODILESS and response.values("Content-Length"):
        problems.append(f"Content-Length on a {response.status}")
    if response.framing == "close":
        problems.append("neither Content-Length nor chunked: the end of the body cannot be told from a cut connection")
    if response.body and _is_gzip(response, tolerated) and _decoded(response.body) is None:
        problems.append("Content-Encoding is gzip, but the body is not one whole gzip member and nothing else")
    if response.trailers:
        problems.append(f"trailer fields: {response.trailers}")
    if response.interim and not request.has("Expect"):
        problems.append(f"interim responses nobody asked for: {[interim.status for interim in response.interim]}")
    return problems


def differences(
    a: Response,
    b: Response,
    *,
    request: Request,
    tolerated: Tolerated | None = None,
    names: tuple[str, str] = ("the one", "the other"),
) -> list[str]:
    """Every way in which two responses to `request` are not identical, one sentence each; empty if they are.

    `names` say whose responses they are. Whether each alone is sound, `response_problems` says.
    """
    tolerated = tolerated or rules.load()
    found = []
    if a.status != b.status:
        found.append(f"status: {names[0]} {a.status}, {names[1]} {b.status}")
    fields_a, fields_b = comparable(a, tolerated), comparable(b, tolerated)
    for name in sorted(fields_a.keys() | fields_b.keys()):
        one, other = fields_a.get(name), fields_b.get(name)
        optional = request.method == "HEAD" and rules.OPTIONAL_ON_HEAD in tolerated.rules(name)
        if one != other and not (optional and (one is None or other is None)):
            values = (_shown(a.values(name)), _shown(b.values(name)))
            found.append(f"{_title(name)}: {names[0]} {values[0]}, {names[1]} {values[1]}")
    if content(a, tolerated) != content(b, tolerated):
        found.append(f"body: {_body_difference(a, b, tolerated, names)}")
    return found


def comparable(response: Response, tolerated: Tolerated | None = None) -> dict[str, object]:
    """The header fields in the form in which they are compared: name in lower case → value.

    Fields that are not compared are left out, and so is the length of what is coded with gzip; Date counts as present
    or not, and so does the length of an image.
    """
    tolerated = tolerated or rules.load()
    fields: dict[str, object] = {}
    is_image, is_gzip = _is_image(response, tolerated), _is_gzip(response, tolerated)
    for name, values in response.fields.items():
        applying = tolerated.rules(name)
        if rules.NOT_COMPARED in applying or (is_gzip and name == "content-length"):
            continue
        if rules.CLOCK in applying or (is_image and name == "content-length"):
            fields[name] = len(values)
        elif rules.MEDIA_TYPE in applying:
            json_charset = rules.JSON_CHARSET in applying
            fields[name] = tuple(_media_type(value, drop_json_charset=json_charset) for value in values)
        elif rules.SET in applying:
            fields[name] = frozenset(_list(values))
        elif rules.SET_ANY_CASE in applying:
            fields[name] = frozenset(element.lower() for element in _list(values))
        else:
            fields[name] = tuple(values)
    return fields


def content(response: Response, tolerated: Tolerated | None = None) -> object:
    """The body in the form in which it is compared: the bytes, decoded if they are gzip, or what a PNG shows."""
    tolerated = tolerated or rules.load()
    if response.body and _is_gzip(response, tolerated):
        decoded = _decoded(response.body)
        return response.body if decoded is None else decoded
    if not response.body or not _is_image(response, tolerated):
        return response.body
    from samewire.contract import images  # which only pictures need, and which takes its time to load

    try:
        return images.decode(response.body)
    except images.NotPng:
        return response.body


def substitute(response: Response, values: Mapping[str, str]) -> Response:
    """The response with each text replaced in header values and body.

    For values that must differ between servers, such as a fresh hash: give each server's the same stand-in (of the
    same length, because of Content-Length), then compare.
    """
    headers, body = response.headers, response.body
    for old, new in values.items():
        headers = tuple((name, value.replace(old, new)) for name, value in headers)
        body = body.replace(old.encode(), new.encode())
    return _replace(response, headers=headers, body=body)


def side_by_side(
    request: Request,
    named_responses: Mapping[str, Response],
    *,
    url: str = "http://HOST",
    merge: bool = True,
    width: int = 150,
) -> str:
    """The request as curl and the responses in columns, header fields aligned, rows that are not all the same marked ≠.

    Servers with the same answer share a column if `merge`; more than three columns are set one below the other.
    """
    columns: dict[object, tuple[list[str], Response]] = {}
    for name, response in named_responses.items():
        same = (response.status, frozenset(comparable(response).items()), content(response))
        key = same if merge else name
        columns.setdefault(key, ([], response))[0].append(name)
    answers = list(columns.values())
    rows = _rows(answers)
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


def _rows(answers: Sequence[tuple[list[str], Response]]) -> list[tuple[list[list[str]], bool]]:
    """Cells of one row (lines, for each answer) and whether they differ: names, status, each field, body."""
    responses = [response for _, response in answers]

    def row(cells: list[list[str]], keys: Sequence[object]) -> tuple[list[list[str]], bool]:
        return cells, any(key != keys[0] for key in keys)

    rows = [([[", ".join(names)] for names, _ in answers], False)]
    starts = [[f"{response.http_version} {response.status} {response.reason}".rstrip()] for response in responses]
    rows.append(row(starts, [response.status for response in responses]))
    forms = [comparable(response) for response in responses]
    for name in sorted({name.lower() for response in responses for name, _ in response.headers}):
        cells = [
            [f"{_title(name)}: {_short(value)}" for value in response.values(name)] or ["—"] for response in responses
        ]
        rows.append(row(cells, [form.get(name) for form in forms]))
    contents = [content(response) for response in responses]
    bodies = [
        [_text(shown if isinstance(shown, bytes) else response.body)] if response.body else ["(no body)"]
        for response, shown in zip(responses, contents, strict=True)
    ]
    rows.append(row(bodies, contents))
    return rows


def _date_problems(response: Response) -> list[str]:
    values = response.values("Date")
    if not values:
        return ["Date is missing"]
    date = _imf_fixdate(values[0])
    if date is None:
        return [f"Date is no IMF-fixdate: {values[0]!r}"]
    # The server read its clock at some time between these two; how long the answer took is not Date's business.
    earliest, latest = response.sent_at - CLOCK_TOLERANCE, response.received_at + CLOCK_TOLERANCE
    if not earliest <= date <= latest:
        away = date - response.received_at
        return [f"Date is {away:+.1f} s away from the clock: {values[0]}"]
    return []


@lru_cache(maxsize=100)
def _imf_fixdate(value: str) -> float | None:
    """Seconds since the epoch; None if it is not written so. Thousands of answers have the same."""
    try:
        date = parsedate_to_datetime(value)
        return date.timestamp() if format_datetime(date, usegmt=True) == value else None
    except ValueError:
        return None


@lru_cache(maxsize=100)
def _media_type(value: str, *, drop_json_charset: bool) -> object:
    """Type and parameters, for comparison; the value itself if it is no media type."""
    essence, separator, rest = value.partition(";")
    parameters, position, rest = [], 0, separator + rest
    while position < len(rest) and (match := _PARAMETER.match(rest, position)):
        position = match.end()
        if match[1]:
            content = re.sub(r"\\(.)", r"\1", match[2][1:-1]) if match[2].startswith('"') else match[2]
            name = match[1].lower()
            parameters.append((name, content.lower() if name == "charset" else content))
    if rest[position:].strip(" \t"):
        return value
    essence = essence.strip(" \t").lower()
    is_json = essence == "application/json" or essence.endswith("+json")
    if is_json and drop_json_charset:
        parameters = [parameter for parameter in parameters if parameter != ("charset", "utf-8")]
    return essence, tuple(sorted(parameters))


def _list(values: Sequence[str]) -> list[str]:
    """The elements of a list-based field (RFC 9110, 5.6.1)."""
    return [element for value in values for element in (part.strip(" \t") for part in value.split(",")) if element]


def _is_image(response: Response, tolerated: Tolerated) -> bool:
    types = [value.lower() for value in response.values("Content-Type")]
    return types == ["image/png"] and rules.IMAGE in tolerated.rules("Content-Type")


def _is_gzip(response: Response, tolerated: Tolerated) -> bool:
    codings = [value.lower() for value in response.values("Content-Encoding")]
    return codings == ["gzip"] and rules.GZIP in tolerated.rules("Content-Encoding")


def _decoded(body: bytes) -> bytes | None:
    """What is in a gzip file of one member; None if it is not whole, or has something behind it."""
    decoder = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        decoded = decoder.decompress(body)
    except zlib.error:
        return None
    return decoded if decoder.eof and not decoder.unused_data else None


def _body_difference(one: Response, other: Response, tolerated: Tolerated, names: tuple[str, str]) -> str:
    pictures = content(one, tolerated), content(other, tolerated)
    if not any(isinstance(picture, bytes) for picture in pictures):
        return f"{names[0]} and {names[1]} show different pictures: {pictures[0].difference(pictures[1])}"
    broken = [
        name
        for name, response, picture in zip(names, (one, other), pictures, strict=True)
        if picture and isinstance(picture, bytes) and _is_image(response, tolerated)
    ]
    if broken:
        return f"no sound PNG from {' and '.join(broken)}"
    both = zip(pictures, (one, other), strict=True)
    a, b = (shown if isinstance(shown, bytes) else response.body for shown, response in both)
    place = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start = max(0, place - 20)
    one, other = (compact(body[start : place + 40]) if place < len(body) else "ended" for body in (a, b))
    lengths = f"{len(a)} and {len(b)} bytes, " if len(a) != len(b) else ""
    return f"{lengths}first difference at byte {place}: {names[0]} {one}, {names[1]} {other}"


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
