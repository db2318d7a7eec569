"""The randoms' contract as a function: what is right about an answer to a request that `openapi.yaml` describes.

Named errors need no model (openapi_requests.py knows their status). Results of up to so many draws it computes, in
another way than the servers do; some others it knows by their pinned digest; of the rest it knows what they are but not
what was drawn. Layers that are for every service ask for `judge`, `problem` and `unavailable`.
"""

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from randoms.golden import draws
from samewire.contract.compare import ANY, content
from samewire.contract.models import problem, problems_of, response_with
from samewire.http import Request, Response

COMPUTED = 10_000_000
"""Draws up to which the model computes a result, in a fraction of a second."""
MOST = 100_000_000
"""The largest count, and the one that is meant when none is given."""
NUMBERS = 1000
"""Numbers from 1 to this are drawn."""

_LIMITS = {"count": (0, MOST), "seed": (1, 2**32 - 1)}
_RESULTS = ("/randoms", "/randoms/sync")
_FEW = re.compile(rb"[^?#]*\?(?:[^&#\s]*&)*count=[0-9]{1,4}(?![0-9])(?!.*count=[0-9]{5})")
_GZIP = {"": False, "identity": False, "gzip": True, "gzip, deflate": True}


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


DEFAULT = Settings()


def judge(request: Request, response: Response, settings: Settings = DEFAULT) -> list[str]:
    """What is wrong with the response, one sentence each; empty if it is right.

    Of a request that the contract does not describe, nothing is wrong.
    """
    expected = answer(request)
    if not expected:
        return []
    problems = problems_of(request, expected, response)
    if problems or request.method == "HEAD":
        return problems
    if request.path == "/info":
        return _info_problems(response.body)
    if wanted := asked(request):
        return _coding_problems(request, response, settings) + _result_problems(wanted, content(response))
    return []


def answer(request: Request) -> Response | None:
    """What a server answers to a valid request, as far as it is the same for all; None if the contract does not say."""
    if request.method not in ("GET", "HEAD"):
        return None
    if request.path == "/healthz":
        return response_with(200, ANY)
    if request.path != "/info" and (not asked(request) or accepts_gzip(request) is None):
        return None
    return response_with(200, ANY, "application/json")


def asked(request: Request) -> Asked | None:
    """What a valid request for a result asks for; None for any other request."""
    parts = urlsplit(request.path)
    given = parse_qsl(parts.query, keep_blank_values=True)
    if parts.path not in _RESULTS or {name for name, _ in given} - _LIMITS.keys() or len(dict(given)) < len(given):
        return None
    numbers = {}
    for name, text in given:
        least, most = _LIMITS[name]
        if not re.fullmatch("0|[1-9][0-9]{0,9}", text) or not least <= int(text) <= most:
            return None
        numbers[name] = int(text)
    return Asked(numbers.get("count", MOST), numbers.get("seed"))


def accepts_gzip(request: Request) -> bool | None:
    """Whether the client is to get gzip if the result is large; None if the contract does not say."""
    lines = [value for name, value in request.headers if name.lower() == "accept-encoding"]
    return _GZIP.get(", ".join(lines))


def is_light(data: bytes) -> bool:
    """Whether bytes that may be read as requests for results ask for few draws; without a count it is the most."""
    lines = [line for line in data.splitlines() if b"andoms" in line]
    # Beyond 1,000 parameters a stack may not read the count.
    return all(_FEW.match(line) and line.count(b"&") < 900 for line in lines)


def unavailable(request: Request) -> Response:
    """The answer of a server that has too much to draw."""
    return problem(503)


def _coding_problems(request: Request, response: Response, settings: Settings) -> list[str]:
    """Whether a result is coded, if and only if it is to be, and says that it may be."""
    large = settings.compression and len(content(response)) >= settings.minimum
    codings, varies = response.values("Content-Encoding"), ",".join(response.values("Vary")).lower()
    problems = []
    if codings != (["gzip"] if large and accepts_gzip(request) else []):
        problems.append(f"Content-Encoding is {codings or 'not there'}, with {settings} and {request.headers}")
    if large and "accept-encoding" not in [name.strip() for name in varies.split(",")]:
        problems.append(f"Vary is {varies or 'not there'}, without Accept-Encoding")
    return problems


# -------------------------------------------------------------------------------------------------------------- draws


def spelled(value: object) -> bytes:
    """A result as it is pinned: without white space, numbers ascending."""
    if isinstance(value, dict) and isinstance(value.get("counts"), dict):
        value = {
            "count": value.get("count"),
            "counts": dict(sorted(value["counts"].items(), key=lambda one: _number(one[0]))),
        }
    return json.dumps(value, separators=(",", ":")).encode()


def _number(name: str) -> int:
    return int(name) if re.fullmatch("[1-9][0-9]{0,3}", name) else 0


@lru_cache(maxsize=1000)
def result(count: int, seed: int) -> bytes:
    """So many draws from a seed, as they are pinned."""
    drawn = {str(number): int(times) for number, times in enumerate(counts(count, seed)) if times}
    return spelled({"count": count, "counts": drawn})


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


def _result_problems(wanted: Asked, body: bytes) -> list[str]:
    """What is wrong with a result, the coding removed."""
    try:
        value = json.loads(body)
    except ValueError as error:
        return [f"no JSON: {error}"]
    if wanted.seed and wanted.count <= COMPUTED:
        right = result(wanted.count, wanted.seed)
        return [] if spelled(value) == right else [f"{_short(spelled(value))} instead of {_short(right)}"]
    if pinned := _pinned().get(wanted):
        return pinned.problems(spelled(value))
    drawn = value.get("counts") if isinstance(value, dict) else None
    if not isinstance(drawn, dict) or value.keys() != {"count", "counts"}:
        return ["not an object with count and counts"]
    if any(not 1 <= _number(name) <= NUMBERS for name in drawn):
        return [f"numbers other than 1 to {NUMBERS}"]
    if {*map(type, drawn.values())} - {int} or min(drawn.values(), default=1) < 1:
        return ["not every number was drawn a positive number of times"]
    if value["count"] != wanted.count or sum(drawn.values()) != wanted.count:
        return [f"{sum(drawn.values())} drawn, and said to be {value['count']}, instead of {wanted.count}"]
    return []


def _short(text: bytes) -> str:
    return text[:200].decode()


@cache
def _pinned() -> dict[Asked, draws.Draw]:
    return {Asked(one.count, one.seed): one for one in draws.read()}


def _info_problems(body: bytes) -> list[str]:
    """What is wrong with /info."""
    try:
        value = json.loads(body)
    except ValueError as error:
        return [f"no JSON: {error}"]
    names = {"arguments", "platform", "runtime", "pid", "cpus", "memory"}
    if not isinstance(value, dict) or value.keys() != names:
        return [f"not an object with {', '.join(sorted(names))}"]
    memory = value["memory"]
    right = {
        "arguments": isinstance(value["arguments"], list) and all(isinstance(one, str) for one in value["arguments"]),
        "platform": value["platform"] == "linux",
        "runtime": isinstance(value["runtime"], str) and bool(re.match("[^ ].* .*[0-9]", value["runtime"])),
        "pid": _is_positive(value["pid"]),
        "cpus": _is_positive(value["cpus"]),
        "memory": isinstance(memory, dict) and memory.keys() == {"rss"} and _is_positive(memory["rss"]),
    }
    return [f"{name} is {value[name]!r}" for name in right if not right[name]]


def _is_positive(value: object) -> bool:
    return type(value) is int and value > 0
