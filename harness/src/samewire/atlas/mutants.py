"""Requests of the contract and of the atlas, changed at random: whatever comes of them has to be safe."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import h11

from samewire.atlas import safety
from samewire.atlas.inputs import load
from samewire.contract import cases, wire
from samewire.contract.models import model_of
from samewire.http import ConnectionClosed, ExchangeError, ProtocolError, Timeout, compact, connect
from samewire.target import Target

AT_ONCE = 8
QUIET = 0.05
"""Seconds without a byte after which a server is taken to wait for more, where the request is not whole."""

_PIECES = (
    *rb"""% %00 %ff / // .. ; ? & = # " \ { } [ ] : , -1 0 1e999 99999999999999999999 \u0000 \ud800""".split(),
    b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"0\r\n\r\n",
    b"Content-Length: 1\r\n", b"Transfer-Encoding: chunked\r\n", b"Expect: 100-continue\r\n", b"Connection: close\r\n",
    b"Content-Encoding: gzip\r\n", b"X-A: \xe9\r\n",
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """Bytes made of those of a case or an input."""

    origin: str
    data: bytes


@dataclass
class Outcome:
    """How many were sent, and what was not safe: a mutant with the ways in which it broke the rule."""

    sent: int = 0
    breaches: list[tuple[Mutant, list[str]]] = field(default_factory=list)
    known: int = 0
    """How many broke the rule in a way that is known of the stack."""


def messages(service: str) -> list[tuple[str, bytes]]:
    """Id and bytes of each request of the service's cases and inputs that is not too large."""
    every = [(one.id, data) for one in load(service) for data in one.sent()]
    every += [(one.id, step.request.to_bytes("a")) for one in cases.load(service) for step in one.steps]
    return [(id_, data) for id_, data in every if 0 < len(data) < 20_000]


def mutants(service: str, seed: int, number: int) -> list[Mutant]:
    """So many mutants of a service's messages, the same for the same seed.

    Where a service does as much work as it is asked for, its model's `is_light` says which mutants are not too much.
    """
    generator = random.Random(seed)
    is_light = getattr(model_of(service), "is_light", lambda data: True)
    found, several = [], messages(service)
    while len(found) < number:
        origin, data = generator.choice(several)
        for _ in range(generator.randint(1, 4)):
            data = _changed(data, generator, several)
        if is_light(data):
            found.append(Mutant(origin, data))
    return found


def _changed(data: bytes, generator: random.Random, messages: Sequence[tuple[str, bytes]]) -> bytes:
    start = generator.randrange(len(data) + 1)
    end = min(len(data), start + generator.choice((0, 1, 1, 2, 4, 16, 64)))
    kind = generator.randrange(8)
    if kind == 0:
        return data[:start] + data[end:]
    if kind == 1:
        return data[:start] + data[start:end] * generator.choice((2, 3, 50)) + data[end:]
    if kind == 2:
        other = generator.choice(messages)[1]
        return data[:start] + other[generator.randrange(len(other)) :]
    if kind == 3:
        return data[:start] + bytes([generator.randrange(256)]) + data[start + 1 :]
    if kind == 4:
        return re.sub(rb"[0-9]+", lambda match: _number(match[0], generator), data, count=generator.randint(1, 3))
    if kind == 5:
        lines = data.split(b"\r\n")
        lines.insert(generator.randrange(len(lines)), generator.choice(lines))
        return b"\r\n".join(lines)
    return data[:start] + generator.choice(_PIECES) + data[start:]


def _number(text: bytes, generator: random.Random) -> bytes:
    powers = (b"%d" % 2**bits for bits in (31, 63, 64))
    return generator.choice((text, b"0", b"-1", text + b"0", b"0" + text, b"+" + text, *powers, text[:-1] or b"9"))


def send_all(several: Iterable[Mutant], target: Target) -> Outcome:
    """Send the mutants, some side by side. The known breaches of inputs excuse mutants that match them."""
    stack = tuple(target.server.stack) if target.server else ()
    excuses = [
        re.compile(breach.pattern.encode("latin-1"))
        for one in load(target.service)
        if (breach := one.breach_of(stack)) and breach.pattern
    ]
    outcome = Outcome()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for mutant, broken in pool.map(lambda one: (one, _send(one, target)), several):
            outcome.sent += 1
            if broken and any(excuse.search(mutant.data) for excuse in excuses):
                outcome.known += 1
            elif broken:
                outcome.breaches.append((mutant, broken))
    if problems := [*safety.alive(target)]:
        outcome.breaches.append((Mutant("afterwards", b""), problems))
    return outcome


def _send(mutant: Mutant, target: Target) -> list[str]:
    """The ways in which what comes back breaks the rule of safety."""
    whole, seen = is_whole(mutant.data), wire.Observed()
    methods = wire.methods([mutant.data])
    try:
        with connect(target, wire.PATIENCE) as connection:
            try:
                connection.send_raw(mutant.data)
                while len(seen.answers) < 200:
                    waits_for_it = whole and not seen.answers
                    if not connection.unread and not connection.settle(wire.PATIENCE if waits_for_it else QUIET):
                        silent = waits_for_it and not connection.closed_by_peer(QUIET)
                        seen.end = wire.SILENT if silent else None
                        break
                    method = (*methods[len(seen.answers) :], "GET")[0]
                    seen.answers.append(connection.receive(method, interim=True))
            except ConnectionClosed:
                seen.end = wire.CLOSED
            except (Timeout, ProtocolError):
                # Which request an answer belongs to is not known where the bytes are odd, so neither is its end.
                seen.end = None
    except ExchangeError as error:
        return [f"no connection: {error}"]
    return [*safety.unsafe_answers(seen, [mutant.data])]


def is_whole(data: bytes) -> bool:
    """Whether a strict parser sees one whole request in the bytes, and nothing after it that a server may wait for."""
    parser = h11.Connection(h11.SERVER)
    try:
        parser.receive_data(data)
        while True:
            event = parser.next_event()
            if isinstance(event, h11.EndOfMessage):
                return not parser.trailing_data[0]
            # No bytes at all are the end of the connection, again and again.
            if event is h11.NEED_DATA or event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                return False
    except h11.RemoteProtocolError:
        return False


def told(outcome: Outcome, most: int = 5) -> list[str]:
    """What was not safe, in lines for people."""
    lines = []
    for mutant, problems in outcome.breaches[:most]:
        lines += [f"made of {mutant.origin}: {'; '.join(problems)}", f"  {compact(mutant.data, 2000)}"]
    more = len(outcome.breaches) - most
    return lines + ([f"… and {more} more"] if more > 0 else [])
