"""Asks whole servers the whole atlas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from samewire.atlas import safety
from samewire.atlas.ask import Asked, ask
from samewire.atlas.inputs import Input
from samewire.http import ExchangeError
from samewire.target import Target
from samewire.testbed import Testbed

AT_ONCE = 4
"""Inputs that one server is asked side by side."""
_MOST = 2000
"""Characters of a line that is shown."""


@dataclass
class Outcome:
    """What came of the inputs that one server was asked."""

    asked: list[Asked] = field(default_factory=list)
    breaches: dict[str, list[str]] = field(default_factory=dict)
    """Id of an input → the ways in which its answers break the rule of safety and are not known to."""
    known: dict[str, list[str]] = field(default_factory=dict)
    """The same for breaches that are known of the stack."""
    mended: list[str] = field(default_factory=list)
    """Ids of inputs with a known breach of which there was nothing to be seen."""
    spoilt: dict[str, list[str]] = field(default_factory=dict)
    """Id of an input → why it could not be asked."""


def ask_all(inputs: Sequence[Input], target: Target, testbed: Testbed | None = None) -> Outcome:
    """Ask a running server. Inputs that need one of their own get it in `testbed`; without one they are left out."""
    stack = tuple(target.server.stack) if target.server else ()
    apart = [one for one in inputs if {*one.alone} & {*stack}]
    together = [one for one in inputs if one not in apart]
    outcome = Outcome()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for asked, broken, dead in pool.map(lambda one: _ask(one, target), together):
            _note(outcome, asked, broken, dead, stack)
    for one in apart if testbed and target.server else ():
        running = testbed.start(target.server)
        try:
            _note(outcome, *_ask(one, running.target), stack)
        finally:
            running.stop()
    return outcome


def _ask(one: Input, target: Target) -> tuple[Asked, list[str], list[str]]:
    """What came, the ways in which it breaks the rule of safety, and the ways in which the server is dead by now."""
    try:
        asked = ask(one, target)
        broken = [] if asked.spoilt else safety.breaches(asked, target)
    except ExchangeError as error:
        asked, broken = Asked(one), [str(error)]
    return asked, broken, [*safety.alive(target)]


def _note(outcome: Outcome, asked: Asked, broken: list[str], dead: list[str], stack: Sequence[str]) -> None:
    one = asked.input
    outcome.asked.append(asked)
    if dead:
        # No breach that is known of a stack excuses a server that answers nobody else.
        outcome.breaches[one.id] = [*broken, *dead]
    elif asked.spoilt:
        outcome.spoilt[one.id] = asked.spoilt
    elif one.breach_of(stack):
        if broken:
            outcome.known[one.id] = broken
        elif not one.by_chance:
            outcome.mended.append(one.id)
    elif broken:
        outcome.breaches[one.id] = broken


def told(outcome: Outcome, stack: Sequence[str], url: str, more: Iterable[str] = ()) -> list[str]:
    """What is wrong, in lines for people: each input with its command, what came, and what to do."""
    by_id = {asked.input.id: asked for asked in outcome.asked}
    lines = []
    for id_, problems in {**outcome.breaches, **outcome.spoilt}.items():
        asked = by_id[id_]
        lines += [f"{id_} ({asked.input.why})", *(f"  - {problem}" for problem in problems)]
        lines += [f"  {_shortened(command)}" for command in asked.input.shown(url)]
        lines += [f"  {_shortened(line)}" for line in str(asked.seen).splitlines()]
    lines += [
        f"{id_}: the breach known of {'/'.join(stack)} is not seen any more: delete it from the input"
        for id_ in outcome.mended
    ]
    return [*lines, *more]


def _shortened(line: str) -> str:
    """The line as people can read it: of a body of a megabyte, the begin and the end."""
    if len(line) <= _MOST:
        return line
    begin, end = line[: _MOST - 200], line[-200:]
    return f"{begin} … ({len(line) - _MOST:,} characters are not shown) … {end}"
