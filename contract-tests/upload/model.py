"""The upload's contract as a pure function: the complete response to any request that its application sees.

Independent of every server: written from the contract, with no HTTP or MIME library in it. Where parsers do not agree
(the list is in README.md) it says so with `Doubtful`, and `judge` takes 201 or any 4xx.

Layers that are for every service ask a service's model for `judge`, `problem` and `unavailable`, and for nothing else.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from email.utils import formatdate
from functools import cache

from common_rules import Refused, allow, path_segments

from samewire.contract.compare import differences, response_problems
from samewire.http import Request, Response
from samewire.paths import CONTRACTS

MAX_FILES = 2
HEADERS_TAKEN, HEADERS_REFUSED = 8_192, 16_384
"""Bytes of a part's headers that every parser takes, and that none does."""
MAX_HEADER_LINES = 20

UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
NO_ID = "????????-????-4???-????-????????????"

_REASONS = {
    200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
    413: "Content Too Large", 415: "Unsupported Media Type", 503: "Service Unavailable", 507: "Insufficient Storage",
}  # fmt: skip

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_BOUNDARY = re.compile(r"[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]")
_HEADER_LINE = re.compile(rb"(" + _TOKEN + rb"):([^\r\n]*)")
_UNFINISHED_LINE = re.compile(rb"(?:" + _TOKEN + rb"(?::[^\r\n]*)?)?\r?")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PARAMETER = re.compile(
    rb"[ \t]*;[ \t]*(" + _TOKEN + rb")=(?:(" + _TOKEN + rb')|"((?:[^"\\]|\\"|\\(?!["\\])|\\\\+(?!"))*)")'
)
_TYPE = re.compile(rb"[ \t]*(" + _TOKEN + rb")")


@dataclass(frozen=True)
class Limits:
    """Those of a server's settings."""

    file: int = 209_715_200
    request: int = 241_172_480


@dataclass(frozen=True)
class File:
    """A file of a form."""

    name: str
    content: bytes


class Doubtful(Exception):
    """A request in which parsers differ; the message says where."""


class _Ended(Exception):
    """The body ends before its closing delimiter."""


def answer(
    request: Request, stored: Mapping[str, bytes], fresh: Sequence[str] = (), limits: Limits = Limits()
) -> Response:
    """The response to `request` of a server that holds `stored` (id to content). Raises Doubtful.

    `fresh` are the ids that the server chose, should the request store files. A body is taken as plain content: its
    transfer coding, if it had one, is already removed.
    """
    try:
        response = _route(request, stored, fresh, limits)
    except Refused as refused:
        response = problem(refused.status, refused.detail, **refused.headers)
    return _without_body_for_head(request, response)


def judge(
    request: Request, response: Response, stored: Mapping[str, bytes] | None = None, limits: Limits = Limits()
) -> list[str]:
    """What is wrong with the response of a server that holds `stored`, one sentence each; empty if it is right."""
    stored = stored or {}
    fresh = fresh_ids(response)
    problems = response_problems(response, request)
    try:
        expected = answer(request, stored, fresh, limits)
    except Doubtful as doubt:
        fine = response.status == 201 or 400 <= response.status <= 499
        return problems + ([] if fine else [f"status {response.status}: neither 201 nor a 4xx, to {doubt}"])
    problems += differences(expected, response, request=request, names=("contract", "server"))
    if len(set(fresh)) < len(fresh) or stored.keys() & set(fresh):
        problems.append(f"not fresh: {fresh}")
    return problems


def fresh_ids(response: Response) -> list[str]:
    """The ids that a 201 says it has made, those of the right form."""
    if response.status != 201:
        return []
    try:
        ids = [file["id"] for file in json.loads(response.body)["files"]]
    except (ValueError, KeyError, TypeError):
        return []
    return [id_ for id_ in ids if isinstance(id_, str) and UUID.fullmatch(id_)]


def unavailable(request: Request) -> Response:
    """Of no use here: there is no database that could be away."""
    return _without_body_for_head(request, problem(503, "Service unavailable.", Retry_After="1"))


def problem(status: int, detail: str, **headers: str) -> Response:
    """An error response (RFC 9457) with further header fields, `_` for `-` in their names."""
    body = {"type": "about:blank", "title": _REASONS[status], "status": status, "detail": detail}
    return _json(status, body, "application/problem+json", **headers)


def _json(status: int, body: object, media_type: str = "application/json", **headers: str) -> Response:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return _response(status, content, Content_Type=media_type, **headers)


def _response(status: int, content: bytes | None = b"", **headers: str) -> Response:
    fields = [("Date", formatdate(usegmt=True))]
    if content is not None:
        fields.append(("Content-Length", str(len(content))))
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Response(status, _REASONS[status], "HTTP/1.1", tuple(fields), content or b"")


def _without_body_for_head(request: Request, response: Response) -> Response:
    return replace(response, body=b"") if request.method == "HEAD" else response


@cache
def page() -> bytes:
    """What GET / answers."""
    return (CONTRACTS / "upload/assets/index.html").read_bytes()


# --- routes


def _route(request: Request, stored: Mapping[str, bytes], fresh: Sequence[str], limits: Limits) -> Response:
    match path_segments(request.path):
        case [""]:
            allow(request, "GET", "HEAD")
            return _response(200, page(), Content_Type="text/html; charset=utf-8")
        case ["healthz"]:
            allow(request, "GET", "HEAD")
            return _json(200, {"status": "ok"})
        case ["uploads"]:
            allow(request, "POST")
            names = files_of(request, limits)
            ids = [*fresh, NO_ID, NO_ID]
            files = [
                {"id": id_, "name": file.name, "size": len(file.content)} for id_, file in zip(ids, names, strict=False)
            ]
            return _json(201, {"files": files})
        case ["uploads", id_] if id_:
            allow(request, "GET", "HEAD", "DELETE")
            if id_ not in stored:
                raise Refused(404, "No such upload.")
            if request.method == "DELETE":
                return _response(204, None)
            return _response(
                200,
                stored[id_],
                Content_Type="application/octet-stream",
                Content_Disposition="attachment",
                X_Content_Type_Options="nosniff",
            )
        case _:
            raise Refused(404, "No such resource.")


# --- the head of POST /uploads


def files_of(request: Request, limits: Limits = Limits()) -> list[File]:
    """The files that a POST stores. Raises Refused or Doubtful."""
    content_type = _field(request, "content-type", "").encode("latin-1")
    coding = _field(request, "content-encoding", "identity").strip(" \t").lower()
    media_type = content_type.partition(b";")[0].strip(b" \t").lower()
    if media_type != b"multipart/form-data" or coding != "identity":
        raise Refused(415, "Content-Type must be multipart/form-data.")
    body = request.body or b""
    if int(_field(request, "content-length", str(len(body)))) > limits.request and not request.has("Transfer-Encoding"):
        raise Refused(413, "Request body too large.")
    _, _, rest = content_type.strip(b" \t").partition(b";")
    parameters = _parameters(b";" + rest if rest else b"", "the request's Content-Type")
    boundary = parameters.get(b"boundary", b"")
    if not _BOUNDARY.fullmatch(boundary.decode("latin-1")):
        raise _malformed()
    try:
        files = _files(body[: limits.request], boundary, limits)
    except _Ended:
        raise (_too_large() if len(body) > limits.request else _malformed()) from None
    if len(body) > limits.request:
        raise Doubtful("a body that becomes too large after its end")
    if not files:
        raise Refused(400, "At least one file is required.")
    return files


def _field(request: Request, name: str, default: str) -> str:
    return next((value for field, value in request.headers if field.lower() == name), default)


def _malformed() -> Refused:
    return Refused(400, "Malformed multipart body.")


def _too_large() -> Refused:
    return Refused(413, "Request body too large.")


# --- its body


def _files(body: bytes, boundary: bytes, limits: Limits) -> list[File]:
    """The files of a body, in order. Raises Refused for the first problem, Doubtful, or _Ended."""
    dashed = b"--" + boundary
    start = body.find(dashed)
    if start < 0:
        raise _Ended
    if start > 0 and body[start - 2 : start] != b"\r\n":
        raise Doubtful("a preamble with a boundary in it")
    files: list[File] = []
    position = start + len(dashed)
    while True:
        after = body[position : position + 2]
        if after == b"--":
            if body.find(b"\r\n" + dashed, position) >= 0:
                raise Doubtful("a delimiter after the end")
            return files
        if after in (b"", b"-", b"\r"):
            raise _Ended
        if after != b"\r\n":
            raise Doubtful("a boundary followed by something else")
        headers, position = _headers(body, position + 2, dashed)
        name = _file_name(headers, files)
        if body.startswith(dashed, position):
            raise Doubtful("a delimiter right after the headers")
        end = body.find(b"\r\n" + dashed, position)
        content = body[position : end if end >= 0 else _surely_content(body, position, dashed)]
        if name is not None and len(content) > limits.file:
            raise _too_large()
        if end < 0:
            raise _Ended
        if name is not None:
            files.append(File(name, content))
        position = end + 2 + len(dashed)


def _surely_content(body: bytes, start: int, dashed: bytes) -> int:
    """Where the content that has no end in `body` ends at least: the last bytes may begin a delimiter."""
    delimiter = b"\r\n" + dashed
    for length in range(min(len(delimiter) - 1, len(body) - start), 0, -1):
        if body.endswith(delimiter[:length]):
            return len(body) - length
    return len(body)


def _headers(body: bytes, start: int, dashed: bytes) -> tuple[list[tuple[bytes, bytes]], int]:
    """The header fields of the part that starts there, names in lower case, and where its content starts."""
    if body.startswith(b"\r\n", start):
        raise Doubtful("a part without headers")
    end = body.find(b"\r\n\r\n", start)
    *lines, last = (body[start:end] if end >= 0 else body[start:]).split(b"\r\n")
    if end >= 0:
        lines.append(last)
    fields = []
    for line in lines:
        _check_line(line, dashed)
        if not (field := _HEADER_LINE.fullmatch(line)):
            raise Doubtful(f"a header line that is none: {line[:40]!r}")
        fields.append((field[1].lower(), field[2].strip(b" \t")))
    if end < 0:
        _check_line(last.removesuffix(b"\r"), dashed)
        if not _UNFINISHED_LINE.fullmatch(last):
            raise Doubtful(f"a header line that cannot become one: {last[:40]!r}")
    size = (end if end >= 0 else len(body)) - start
    if size > HEADERS_REFUSED:
        raise _malformed()
    if end < 0:
        raise _Ended
    if size > HEADERS_TAKEN - 100:
        raise Doubtful("headers of more than 8 KiB")
    if len(lines) > MAX_HEADER_LINES:
        raise Doubtful("many header lines")
    return fields, end + 4


def _check_line(line: bytes, dashed: bytes) -> None:
    if odd := re.search(rb"[\r\n]", line):
        if (control := _CONTROL.search(line)) and control.start() < odd.start():
            raise _malformed()
        raise Doubtful("a bare CR or LF in headers")
    if line.startswith(dashed):
        raise Doubtful("a delimiter in headers")
    if line.startswith((b" ", b"\t")):
        raise Doubtful("a folded line")
    if _CONTROL.search(line):
        raise _malformed()


def _file_name(headers: list[tuple[bytes, bytes]], files: list[File]) -> str | None:
    """The name of the file that the part is; None for a part that is ignored. Raises Refused or Doubtful."""
    types = [value.lower() for name, value in headers if name == b"content-type"]
    if any(value.startswith(b"multipart/") for value in types):
        raise Doubtful("multipart within a part")
    octets = any(value.startswith(b"application/octet-stream") for value in types)
    dispositions = [value for name, value in headers if name == b"content-disposition"]
    if not dispositions:
        return None
    if len(dispositions) > 1 or len(types) > 1:
        raise Doubtful("a header field twice")
    if not (kind := _TYPE.match(dispositions[0])):
        raise Doubtful("a Content-Disposition without a type")
    parameters = _parameters(dispositions[0][kind.end() :], "Content-Disposition")
    if kind[1].lower() != b"form-data":
        return None
    field, raw = parameters.get(b"name", b""), parameters.get(b"filename", b"")
    if not raw:
        if octets and not field:
            raise Doubtful("application/octet-stream with neither a name nor a file name")
        return None
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _malformed() from None
    if field != b"files":
        raise Refused(400, "Unexpected file field.")
    if len(files) == MAX_FILES:
        raise Refused(400, f"At most {MAX_FILES} files are accepted.")
    return re.split(r"[/\\]", name)[-1]


_BROWSERS_ESCAPES = {b"%0a": b"\n", b"%0d": b"\r", b"%22": b'"'}


def _parameters(text: bytes, of: str) -> dict[bytes, bytes]:
    """The parameters after a type, names in lower case."""
    found: dict[bytes, bytes] = {}
    position = 0
    while position < len(text.rstrip(b" \t")):
        if not (parameter := _PARAMETER.match(text, position)):
            raise Doubtful(f"a malformed parameter of {of}: {text[position : position + 40]!r}")
        name, value = parameter[1].lower(), parameter[2]
        if value is None:
            value = parameter[3].replace(b'\\"', b'"')
            if of != "Content-Disposition" and b"\\" in parameter[3]:
                raise Doubtful(f"an escape in a parameter of {of}")
        if name in found or name.endswith(b"*"):
            raise Doubtful(f"{name!r}, a doubled or extended parameter of {of}")
        if of == "Content-Disposition":
            value = re.sub(b"%0[aAdD]|%22", lambda match: _BROWSERS_ESCAPES[match[0].lower()], value)
        found[name] = value
        position = parameter.end()
    return found
