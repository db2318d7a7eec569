"""The upload service's contract as a function: the answer to a request that `openapi.yaml` describes.

It reads forms as ordinary clients write them. Of any other form, name or path it says nothing: that is the stack's own.
Layers that are for every service ask for `judge` and `problem`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from samewire.contract.compare import ANY
from samewire.contract.models import problem, problems_of, response_with
from samewire.http import Request, Response
from samewire.paths import CONTRACTS

MAX_FILES = 2
UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
NO_ID = "????????-????-4???-????-????????????"
"""Stands for an id that the server has yet to choose."""

NAME = re.compile(r'(?!\.{1,2}$)(?:(?!%0a|%0d|%22)[^"/\\\x00-\x1f\x7f-\x9f])*', re.IGNORECASE)
"""File names that come back as they were sent."""

_TYPE = re.compile(r"multipart/form-data; boundary=([0-9A-Za-z'+_.-]{1,70})")
_PART = re.compile(
    rb'\r\nContent-Disposition: form-data; name="([^"\\\r\n]*)"(?:; filename="([^"\r\n]*)")?'
    rb"(?:\r\nContent-Type: [^\r\n]+)?\r\n\r\n(.*)",
    re.DOTALL,
)


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
    field: str = "files[]"


@dataclass(frozen=True)
class Form:
    """What is in a form."""

    files: tuple[File, ...]
    """The parts with a file name that is not empty."""
    texts: bool
    """Whether there are parts that are no file fields."""
    ended: bool
    """Whether the closing delimiter is there."""

    @property
    def stored(self) -> list[File]:
        """The files that count."""
        return [file for file in self.files if file.field == "files[]"]


NOTHING: Mapping[str, bytes] = {}


def judge(
    request: Request, response: Response, stored: Mapping[str, bytes] = NOTHING, limits: Limits = Limits()
) -> list[str]:
    """What is wrong with the response of a server that holds `stored` (id to content), one sentence each.

    Where several errors apply, which one is told is the stack's own. Of a request that the contract does not describe,
    nothing is wrong.
    """
    if wrong := errors(request, limits):
        return problems_of(request, problem(response.status if response.status in wrong else min(wrong)), response)
    fresh = fresh_ids(response)
    problems = []
    if len(set(fresh)) < len(fresh) or stored.keys() & set(fresh):
        problems.append(f"ids that are not fresh: {fresh}")
    expected = answer(request, stored, fresh)
    return problems + (problems_of(request, expected, response) if expected else [])


def errors(request: Request, limits: Limits = Limits()) -> set[int]:
    """The statuses of the errors that apply to an upload; none if it is valid, or not in the contract."""
    if (request.method, request.path) != ("POST", "/uploads"):
        return set()
    media_type = _content_type(request).partition(";")[0]
    if media_type and media_type != "multipart/form-data":
        return {415}
    form = form_of(request)
    if not form:
        return set()
    count, sizes = len(form.stored), [len(file.content) for file in form.files]
    too_large = max(sizes, default=0) > limits.file or len(request.body or b"") > limits.request
    return ({400} if not form.ended or not 1 <= count <= MAX_FILES else set()) | ({413} if too_large else set())


def answer(request: Request, stored: Mapping[str, bytes] = NOTHING, fresh: Sequence[str] = ()) -> Response | None:
    """What a service that holds `stored` answers to a request without an error; None if the contract does not say.

    `fresh` are the ids that the service chose, should the request store files.
    """
    method = "GET" if request.method == "HEAD" else request.method
    match method, request.path.split("/")[1:]:
        case "GET", [""]:
            return response_with(200, page(), "text/html; charset=utf-8")
        case "GET", ["healthz"]:
            return response_with(200, ANY)
        case "POST", ["uploads"]:
            files = files_of(request)
            ids = [*fresh, *[NO_ID] * MAX_FILES]
            shown = [
                {"id": id_, "name": one.name, "size": len(one.content)} for id_, one in zip(ids, files, strict=False)
            ]
            return response_with(201, {"files": shown}, "application/json") if files else None
        case (("GET" | "DELETE"), ["uploads", id_]) if UUID.fullmatch(id_):
            if id_ not in stored:
                return problem(404)
            return response_with(204) if method == "DELETE" else _download(stored[id_])
    return None


def _download(content: bytes) -> Response:
    fields = {"Content_Disposition": "attachment", "X_Content_Type_Options": "nosniff"}
    return response_with(200, content, "application/octet-stream" if content else "", **fields)


def fresh_ids(response: Response) -> list[str]:
    """The ids that a 201 says it has made, those of the right form."""
    try:
        ids = [file["id"] for file in json.loads(response.body)["files"]] if response.status == 201 else []
    except (ValueError, KeyError, TypeError):
        return []
    return [id_ for id_ in ids if isinstance(id_, str) and UUID.fullmatch(id_)]


def files_of(request: Request) -> list[File]:
    """The files that a form uploads; none if not all that it holds is in the contract."""
    form = form_of(request)
    return form.stored if form and not form.texts and len(form.files) == len(form.stored) else []


def form_of(request: Request) -> Form | None:
    """What an ordinary client's form holds; None if it is no such form."""
    boundary = _TYPE.fullmatch(_content_type(request))
    if not boundary:
        return None
    before, *pieces = (b"\r\n" + (request.body or b"")).split(b"\r\n--" + boundary[1].encode())
    if not pieces:
        return Form((), texts=False, ended=False)
    ended = pieces[-1] == b"--\r\n"
    parts = [_PART.fullmatch(piece) for piece in (pieces[:-1] if ended else pieces)]
    if before or not all(parts):
        return None
    try:
        files = tuple(File(part[2].decode(), part[3], part[1].decode()) for part in parts if part[2])
    except UnicodeDecodeError:
        return None
    if not all(NAME.fullmatch(file.name) for file in files):
        return None
    return Form(files, any(part[2] is None or (part[3] and not part[2]) for part in parts), ended)


def _content_type(request: Request) -> str:
    return next((value for name, value in request.headers if name.lower() == "content-type"), "")


@cache
def page() -> bytes:
    """What GET / answers."""
    return (CONTRACTS / "upload/assets/index.html").read_bytes()
