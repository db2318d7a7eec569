"""The faults that a randoms server may have besides the general ones and those of parameters.

The cases ask for a few draws at most, all with a seed, and for nothing that is large enough to be coded: what is coded
wrongly, `test_compression.py` has to notice.
"""

import re
from dataclasses import replace
from urllib.parse import parse_qsl

from faults.changes import (
    added,
    asked,
    asked_with_parameters,
    body_changed,
    header_left_out,
    json_changed,
    json_of,
    parameters_of,
    path_of,
    problem,
    reply,
    values_changed,
)
from faults.parameters import PARAMETERS, empty_values_ignored
from faults.proxy import Exchange, Fault, Reply, fault

from randoms.test_compression import Asking
from samewire.http import Request
from samewire.target import Target

FAULTS: list[Fault] = [*PARAMETERS]

NOT_HERE = {
    "created-as-ok": "nothing is made",
    "header-missing": "no answer has Location",
    "characters-escaped": "all text in its JSON is ASCII",
}

_MASK = 2**32 - 1


def _counts(exchange: Exchange) -> dict[str, int] | None:
    """What was drawn; None if the answer is no result of a seed of the contract."""
    if not _given_seed(exchange).isdecimal():
        return None
    value = json_of(exchange.response)
    return value.get("counts") if isinstance(value, dict) else None


def _given_seed(exchange: Exchange) -> str:
    """The seed as it was given: a stack may take `0xff` for a number."""
    return dict(reversed(parse_qsl(exchange.request.path.partition("?")[2]))).get("seed", "1")


def _seed(exchange: Exchange) -> int:
    """The seed of a result."""
    return int(_given_seed(exchange))


def _drawn(exchange: Exchange, count: int) -> dict[str, int]:
    """What a right server draws from the seed of the request."""
    value = json_of(exchange.ask(Request("GET", f"/randoms?count={count}&seed={_seed(exchange)}")))
    return value["counts"]


def _with_counts(exchange: Exchange, counts: object) -> Reply | None:
    """The answer with other numbers drawn."""
    return json_changed(exchange, lambda value: value | {"counts": counts})


def _ascending(counts: dict[str, int]) -> dict[str, int]:
    return {number: counts[number] for number in sorted(counts, key=int)}


# ------------------------------------------------------------------------------------------------------------- draws


@fault(FAULTS)
def seed_ignored(exchange: Exchange) -> Reply | None:
    """Numbers drawn from some other seed."""
    if not _counts(exchange):
        return None
    return values_changed(exchange, lambda name, value: "7" if name == "seed" else value)


@fault(FAULTS)
def one_draw_too_many(exchange: Exchange) -> Reply | None:
    """One number more than was asked for drawn."""
    counts = _counts(exchange)
    return _with_counts(exchange, _drawn(exchange, sum(counts.values()) + 1)) if counts else None


@fault(FAULTS)
def seed_drawn_first(exchange: Exchange) -> Reply | None:
    """The seed itself the first number."""
    counts = _counts(exchange)
    if not counts:
        return None
    first = str(1 + _seed(exchange) % 1000)
    drawn = _drawn(exchange, sum(counts.values()) - 1)
    return _with_counts(exchange, _ascending(drawn | {first: drawn.get(first, 0) + 1}))


@fault(FAULTS)
def signed_shift(exchange: Exchange) -> Reply | None:
    """The shift to the right of a signed integer, which brings ones in."""
    counts = _counts(exchange)
    if not counts:
        return None
    x, drawn = _seed(exchange), {}
    for _ in range(sum(counts.values())):
        x ^= x << 13 & _MASK
        x ^= (x - (x >> 31 << 32)) >> 17 & _MASK
        x ^= x << 5 & _MASK
        number = str(1 + x % 1000)
        drawn[number] = drawn.get(number, 0) + 1
    return _with_counts(exchange, _ascending(drawn))


@fault(FAULTS)
def generator_kept(exchange: Exchange) -> Reply | None:
    """The generator goes on where the request before with that seed ended."""
    counts = _counts(exchange)
    if not counts:
        return None
    before = exchange.memory.get(_seed(exchange), 0)
    exchange.memory[_seed(exchange)] = then = before + sum(counts.values())
    all_drawn, gone = _drawn(exchange, then), _drawn(exchange, before)
    left = {number: often - gone.get(number, 0) for number, often in all_drawn.items()}
    return _with_counts(exchange, {number: often for number, often in left.items() if often})


@fault(FAULTS)
def numbers_from_zero(exchange: Exchange) -> Reply | None:
    """Numbers from 0 to 999."""
    counts = _counts(exchange)
    return _with_counts(exchange, {str(int(number) - 1): often for number, often in counts.items()}) if counts else None


@fault(FAULTS)
def counts_as_a_list(exchange: Exchange) -> Reply | None:
    """What was drawn as a list of pairs; an empty one for nothing, as by PHP."""
    counts = _counts(exchange)
    return _with_counts(exchange, [[int(number), often] for number, often in counts.items()]) if counts == {} else None


@fault(FAULTS)
def zeros_kept(exchange: Exchange) -> Reply | None:
    """Numbers that were not drawn counted, too."""
    counts = _counts(exchange)
    if counts is None:
        return None
    return _with_counts(exchange, {str(number): counts.get(str(number), 0) for number in range(1, 1001)})


@fault(FAULTS)
def sync_missing(exchange: Exchange) -> Reply | None:
    """No /randoms/sync."""
    return problem(exchange, 404, "No such resource.") if path_of(exchange) == "/randoms/sync" else None


# -------------------------------------------------------------------------------------------------------- parameters


@fault(FAULTS)
def count_without_limit(exchange: Exchange) -> Reply | None:
    """A count of any size taken."""
    # Few draws take the place of many, to save time.
    too_many = re.compile("count=[1-9][0-9]{8,}")
    if exchange.response.status != 400:
        return None
    return asked_with_parameters(exchange, [too_many.sub("count=1", pair) for pair in parameters_of(exchange)])


@fault(FAULTS)
def seed_zero_taken(exchange: Exchange) -> Reply | None:
    """A seed of 0 taken for another."""
    if "count=0" not in parameters_of(exchange):
        return None
    return values_changed(exchange, lambda name, value: "1" if (name, value) == ("seed", "0") else value)


@fault(FAULTS)
def seed_in_32_bits(exchange: Exchange) -> Reply | None:
    """Of a seed the lower 32 bits."""
    if exchange.response.status != 400:
        return None

    def read(name: str, value: str) -> str:
        return str(int(value) & _MASK) if name == "seed" and re.fullmatch("[1-9][0-9]{9,19}", value) else value

    return values_changed(exchange, read)


@fault(FAULTS)
def seed_signed(exchange: Exchange) -> Reply | None:
    """A seed over 2147483647 refused."""
    if _counts(exchange) is None or _seed(exchange) < 2**31:
        return None
    return problem(exchange, 400, "seed must be an integer from 1 to 4294967295.")


@fault(FAULTS)
def empty_seed_ignored(exchange: Exchange) -> Reply | None:
    """An empty seed taken for none."""
    return empty_values_ignored(exchange, "seed")


@fault(FAULTS)
def query_before_method(exchange: Exchange) -> Reply | None:
    """The query judged before the method."""
    if exchange.response.status != 405 or "=-1" not in exchange.request.path:
        return None
    return asked(exchange, method="GET")


# ------------------------------------------------------------------------------------------------------- compression


@fault(FAULTS)
def identity_refused(exchange: Exchange) -> Reply | None:
    """406 for whoever refuses identity."""
    accepted = [value for name, value in exchange.request.headers if name.lower() == "accept-encoding"]
    return problem(exchange, 406, "Not acceptable.") if "identity;q=0" in "".join(accepted) else None


@fault(FAULTS)
def coding_named(exchange: Exchange) -> Reply | None:
    """Content-Encoding says identity where there is none."""
    if not exchange.response.body or exchange.response.values("Content-Encoding"):
        return None
    return reply(added(exchange.response, "Content-Encoding", "identity"))


def _compression(target: Target) -> str | None:
    """What one result that is large enough to be coded shows, asked for with gzip and without."""
    asking = Asking(target)
    with asking.lockstep:
        try:
            asking.size("/randoms?count=300&seed=5")
        except AssertionError as error:
            return "test_compression: " + str(error).split("\n")[1]
    return None


@fault(FAULTS, judge=_compression)
def vary_missing(exchange: Exchange) -> Reply | None:
    """No Vary on what may be coded."""
    return header_left_out(exchange, "vary")


@fault(FAULTS, judge=_compression)
def never_coded(exchange: Exchange) -> Reply | None:
    """gzip for nobody."""
    return _as_for(exchange, "identity")


@fault(FAULTS, judge=_compression)
def always_coded(exchange: Exchange) -> Reply | None:
    """gzip for everybody."""
    return _as_for(exchange, "gzip")


@fault(FAULTS, judge=_compression)
def gzip_cut_short(exchange: Exchange) -> Reply | None:
    """The end of a gzip body missing."""
    if not exchange.response.values("Content-Encoding"):
        return None
    return body_changed(exchange, lambda body: body[:-1])


def _as_for(exchange: Exchange, accepted: str) -> Reply | None:
    """The answer to a client that accepts something else."""
    request = exchange.request
    others = tuple(field for field in request.headers if field[0].lower() != "accept-encoding")
    answer = exchange.ask(replace(request, headers=(*others, ("Accept-Encoding", accepted))))
    return [answer.raw] if answer.values("Content-Encoding") != exchange.response.values("Content-Encoding") else None
