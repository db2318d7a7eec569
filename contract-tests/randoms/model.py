"""The randoms' contract as a pure function: the complete response to any request that its application sees.

Independent of every server: written from the contract, with no HTTP library in it. Draws up to a number it computes, in
another way than the servers do; some others it knows by their pinned digest; of the rest, and of those without a seed,
it knows what they are but not what was drawn.

Layers that are for every service ask a service's model for `judge`, `problem` and `unavailable`, and for nothing else.
"""

import gzip
import json
import re
from dataclasses import dataclass, replace
from email.utils import formatdate
from functools import cache, lru_cache
from urllib.parse import unquote_to_bytes

import numpy as np
from common_rules import Refused, allow, first_matter, path_matters, path_segments

from randoms.golden import draws
from samewire.contract.compare import content, differences, response_problems
from samewire.http import Request, Response

COMPUTED = 10_000_000
"""Draws up to which the model computes a result, in a fraction of a second."""
MOST = 100_000_000
"""The largest count, and the one that is meant when none is given."""
NUMBERS = 1000
"""Numbers from 1 to this are drawn."""

LIMITS = {"count": (0, MOST), "seed": (1, 2**32 - 1)}
"""The parameters in the order in which they are judged."""

_TITLES = {400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}
_REASONS = _TITLES | {200: "OK"}
_INTEGER = re.compile("0|[1-9][0-9]*")
_RESULTS = (["randoms"], ["randoms", "sync"])
_RESOURCES = (["healthz"], ["info"], *_RESULTS)

_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_CODING = re.compile(rf"({_TOKEN})(?:[ \t]*;[ \t]*[qQ]=(0(?:\.[0-9]{{0,3}})?|1(?:\.0{{0,3}})?))?")


@dataclass(frozen=True)
class Settings:
    """Those of a server, as far as they show in its answers."""

    compression: bool = True
    minimum: int = 1024


@dataclass(frozen=True)
class Asked:
    """What is asked for; without a seed the server takes one of its own."""

    count: int
    seed: int | None


class Doubtful(Exception):
    """A field of which the contract does not say what it means; the message says where."""


def answer(request: Request, settings: Settings = Settings(), shown: bytes = b"") -> Response:
    """The response to `request`; `shown` is the body, decoded, where the model does not know it.

    Where the contract leaves open whether it is coded, it is not.
    """
    try:
        response = _route(request, shown)
    except Refused as refused:
        response = problem(refused.status, refused.detail, **refused.headers)
    return _without_body_for_head(request, _coded(request, response, settings))


def judge(request: Request, response: Response, settings: Settings = Settings()) -> list[str]:
    """What is wrong with the response, one sentence each; empty if it is right."""
    problems = response_problems(response, request)
    shown = _stand_in(response, settings) if request.method == "HEAD" else content(response)
    assert isinstance(shown, bytes)  # There are no pictures here.
    try:
        accepts_gzip(request)
    except Doubtful:
        as_it_is = "gzip" if response.values("Content-Encoding") else "identity"
        others = tuple(field for field in request.headers if field[0].lower() != "accept-encoding")
        expected = answer(replace(request, headers=(*others, ("Accept-Encoding", as_it_is))), settings, shown)
    else:
        expected = answer(request, settings, shown)
    problems += differences(expected, response, request=request, names=("contract", "server"))
    if problems or response.status != 200 or request.method == "HEAD":
        return problems
    segments = path_segments(request.path)
    if segments == ["info"]:
        return _info_problems(shown)
    return _result_problems(asked(request.path), shown) if segments in _RESULTS else []


def _stand_in(head: Response, settings: Settings) -> bytes:
    """A body as long as an answer to HEAD says that it would be, which is all that can be known of some."""
    stated = "" if head.values("Content-Encoding") else "".join(head.values("Content-Length"))
    return bytes(int(stated) if stated else settings.minimum if head.values("Vary") else 0)


def unavailable(request: Request) -> Response:
    """The response of a server that has too much to draw."""
    return _without_body_for_head(request, problem(503, "Service unavailable.", Retry_After="1"))


def problem(status: int, detail: str, **headers: str) -> Response:
    """An error response (RFC 9457) with further header fields, `_` for `-` in their names."""
    body = {"type": "about:blank", "title": _TITLES[status], "status": status, "detail": detail}
    return _response(status, _json(body), "application/problem+json", **headers)


def _response(status: int, body: bytes, media_type: str, **headers: str) -> Response:
    fields = [("Date", formatdate(usegmt=True)), ("Content-Type", media_type), ("Content-Length", str(len(body)))]
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Response(status, _REASONS[status], "HTTP/1.1", tuple(fields), body)


def _without_body_for_head(request: Request, response: Response) -> Response:
    return replace(response, body=b"") if request.method == "HEAD" else response


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


# ------------------------------------------------------------------------------------------------------------- routes


def _route(request: Request, shown: bytes) -> Response:
    segments = path_segments(request.path)
    if segments not in _RESOURCES:
        raise Refused(404, "No such resource.")
    allow(request, "GET", "HEAD")
    if segments == ["healthz"]:
        shown = b'{"status":"ok"}'
    elif segments != ["info"]:
        wanted = asked(request.path)
        shown = result(wanted.count, wanted.seed) if wanted.seed and wanted.count <= COMPUTED else shown
    return _response(200, shown, "application/json")


def asked(target: str) -> Asked:
    """What a request target asks for. Raises Refused."""
    given: dict[str, str] = {}
    for pair in target.partition("?")[2].split("&"):
        name, _, value = pair.replace("+", " ").partition("=")
        given.setdefault(_decoded(name), _decoded(value))
    numbers = {}
    for name, (least, most) in LIMITS.items():
        if (text := given.get(name)) is None:
            continue
        # More digits than this are too large whatever they are.
        if not _INTEGER.fullmatch(text) or len(text) > 10 or not least <= int(text) <= most:
            raise Refused(400, f"{name} must be an integer from {least} to {most}.")
        numbers[name] = int(text)
    return Asked(numbers.get("count", MOST), numbers.get("seed"))


def _decoded(text: str) -> str:
    return unquote_to_bytes(text.encode("latin-1")).decode("utf-8", "replace")


def draws_of(request: Request) -> int:
    """How many numbers a server draws for a request."""
    if request.method not in ("GET", "HEAD") or path_segments(request.path) not in _RESULTS:
        return 0
    try:
        return asked(request.path).count
    except Refused:
        return 0


def is_fixed(request: Request) -> bool:
    """Whether every server gives the same body, once decoded."""
    if path_segments(request.path) == ["info"] and request.method in ("GET", "HEAD"):
        return False
    return draws_of(request) == 0 or asked(request.path).seed is not None


def wire_matter(request: Request) -> str | None:
    """Why a stack may answer `request` before its application sees it; None when the model's answer must come."""
    return first_matter(path_matters(request))


# -------------------------------------------------------------------------------------------------------- compression


def _coded(request: Request, response: Response, settings: Settings) -> Response:
    if not settings.compression or len(response.body) < settings.minimum:
        return response
    try:
        gzipped = accepts_gzip(request)
    except Doubtful:
        gzipped = False
    headers = (*response.headers, ("Vary", "Accept-Encoding"))
    if not gzipped:
        return replace(response, headers=headers)
    body = gzip.compress(response.body, mtime=0)
    others = tuple(field for field in headers if field[0] != "Content-Length")
    fields = (("Content-Length", str(len(body))), ("Content-Encoding", "gzip"))
    return replace(response, headers=others + fields, body=body)


def accepts_gzip(request: Request) -> bool:
    """Whether the client is to get gzip. Raises Doubtful."""
    lines = [value for name, value in request.headers if name.lower() == "accept-encoding"]
    elements = [element.strip(" \t") for line in lines for element in line.split(",")]
    weights: dict[str, float] = {}
    for element in filter(None, elements):
        match = _CODING.fullmatch(element)
        if not match:
            raise Doubtful(f"{element!r} is no coding with a quality value")
        name = match[1].lower()
        if name in weights:
            raise Doubtful(f"{name} comes twice")
        if name == "x-gzip":
            raise Doubtful("an old name of gzip (RFC 9110, 8.4.1.3)")
        weights[name] = float(match[2] or 1)
    weight = weights.get("gzip", weights.get("*", 0.0))
    return weight > 0 and weight >= weights.get("identity", 0.0)


# -------------------------------------------------------------------------------------------------------------- draws


@lru_cache(maxsize=1000)
def result(count: int, seed: int) -> bytes:
    """The body for so many draws from a seed."""
    drawn = {str(number): int(times) for number, times in enumerate(counts(count, seed)) if times}
    return _json({"count": count, "counts": drawn})


def counts(count: int, seed: int) -> np.ndarray:
    """How often each number was drawn, by number; the 0th is 0.

    Servers step from one state to the next. A step is linear over GF(2), so that one of 2^k steps is a matrix, too:
    here each state of a block is taken that many steps ahead at once.
    """
    drawn = np.zeros(NUMBERS + 1, np.int64)
    block = _STEPS[0].ahead(np.array([seed], np.uint32))
    for steps in _STEPS[:_LARGEST]:
        if len(block) >= count:
            break
        block = np.concatenate((block, steps.ahead(block)))
    while count > 0:
        drawn += np.bincount(1 + block[:count] % NUMBERS, minlength=NUMBERS + 1)
        count -= len(block)
        block = _STEPS[_LARGEST].ahead(block)
    return drawn


class _Steps:
    """So many steps of xorshift32 at once: what becomes of each bit, put together for each byte of a state."""

    def __init__(self, of_bits: np.ndarray) -> None:
        self.of_bits = of_bits
        bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(bool)
        self._of_bytes = [
            np.bitwise_xor.reduce(np.where(bits, of_bits[first : first + 8], 0), axis=1) for first in (0, 8, 16, 24)
        ]

    def ahead(self, states: np.ndarray) -> np.ndarray:
        """Each state so many steps later."""
        parts = (table[states >> 8 * place & 255] for place, table in enumerate(self._of_bytes))
        return np.bitwise_xor.reduce(list(parts))

    def doubled(self) -> "_Steps":
        """Twice as many."""
        return _Steps(self.ahead(self.of_bits))


def _one_step(x: int) -> int:
    x ^= x << 13 & 0xFFFFFFFF
    x ^= x >> 17
    return x ^ x << 5 & 0xFFFFFFFF


_LARGEST = 16
_STEPS = [_Steps(np.array([_one_step(1 << bit) for bit in range(32)], np.uint32))]
for _ in range(_LARGEST):
    _STEPS.append(_STEPS[-1].doubled())


# ------------------------------------------------------------------------------- what cannot be known, or only in part


_NUMBERS = {str(number): number for number in range(1, NUMBERS + 1)}


def _result_problems(wanted: Asked, body: bytes) -> list[str]:
    """What is wrong with a result that need not have been computed here."""
    if pinned := _pinned().get(wanted):
        return pinned.problems(body)
    value = _parsed(body)
    if not isinstance(value, dict) or list(value) != ["count", "counts"] or not isinstance(value["counts"], dict):
        return ["not an object with count and counts, written without white space"]
    drawn = value["counts"]
    numbers = [_NUMBERS.get(name, 0) for name in drawn]
    if 0 in numbers or numbers != sorted(numbers):
        return [f"the numbers are not some of 1 to {NUMBERS}, ascending"]
    if {*map(type, drawn.values())} - {int} or min(drawn.values(), default=1) < 1:
        return ["not every number was drawn a positive number of times"]
    if value["count"] != wanted.count or sum(drawn.values()) != wanted.count:
        return [f"{sum(drawn.values())} drawn, and said to be {value['count']}, instead of {wanted.count}"]
    return []


@cache
def _pinned() -> dict[Asked, draws.Draw]:
    return {Asked(one.count, one.seed): one for one in draws.read()}


def _info_problems(body: bytes) -> list[str]:
    """What is wrong with the shape of /info."""
    value = _parsed(body)
    names = ["arguments", "platform", "runtime", "pid", "cpus", "memory"]
    if not isinstance(value, dict) or list(value) != names:
        return [f"not an object with {', '.join(names)}, written without white space"]
    arguments, memory = value["arguments"], value["memory"]
    problems = []
    if not isinstance(arguments, list) or not all(isinstance(one, str) for one in arguments):
        problems.append("arguments is not a list of strings")
    if value["platform"] != "linux":
        problems.append(f"platform is {value['platform']!r}")
    if not isinstance(value["runtime"], str) or not re.fullmatch(r"\S+( \S+)* [0-9]\S*", value["runtime"]):
        problems.append(f"runtime is {value['runtime']!r} instead of a name and a version")
    problems += [f"{name} is {value[name]!r}" for name in ("pid", "cpus") if not _is_positive(value[name])]
    if not isinstance(memory, dict) or list(memory) != ["rss"] or not _is_positive(memory["rss"]):
        problems.append(f"memory is {memory!r}")
    return problems


def _is_positive(value: object) -> bool:
    return type(value) is int and value > 0


def _parsed(body: bytes) -> object:
    """The value of a JSON text; None if it is none, or not written as every body here is."""
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if _json(value) == body else None
