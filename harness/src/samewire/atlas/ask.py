"""Asks one server one input, and puts what came back into words that can be pinned."""

from __future__ import annotations

from dataclasses import dataclass, field

from samewire.atlas.inputs import Input
from samewire.contract import cases, wire
from samewire.contract.compare import differences, media_type, response_problems
from samewire.http import Connection, ExchangeError, Response
from samewire.target import Target


@dataclass
class Asked:
    """What came of an input."""

    input: Input
    seen: wire.Observed = field(default_factory=wire.Observed)
    spoilt: list[str] = field(default_factory=list)
    """What was wrong with the steps that the contract names, so that the input could not be asked."""

    @property
    def line(self) -> str:
        """What is pinned: the answers in order, then what became of the connection."""
        # How often a server says 100 depends on how quickly it reads.
        answers = self.seen.answers
        told = [
            label(answer)
            for number, answer in enumerate(answers)
            if answer.status >= 200 or not number or answers[number - 1].status != answer.status
        ]
        if self.seen.unread:
            told.append("a body without a head" if self.input.bare else "bytes that are no answer")
        return ", ".join([*_counted(told), *([self.seen.end] if self.seen.end else [])])

    @property
    def fields(self) -> dict[str, set[str]]:
        """Label of an answer → the names of header fields that answers of it had, as one text each."""
        found: dict[str, set[str]] = {}
        for answer in self.seen.answers:
            found.setdefault(label(answer), set()).add(names(answer))
        return found


def label(answer: Response) -> str:
    """Status, media type and, where the body is coded, how."""
    return " ".join(filter(None, [str(answer.status), media_type(answer), *answer.values("Content-Encoding")]))


def names(answer: Response) -> str:
    """The names of its header fields, each once, in the order of the alphabet."""
    spelled = {name.lower(): name for name, _ in reversed(answer.headers)}
    return ", ".join(spelled[name] for name in sorted(spelled)) or "(none)"


def _counted(told: list[str]) -> list[str]:
    """`[a, a, a]` as `[3 × a]`."""
    runs: list[list] = []
    for one in told:
        if runs and runs[-1][1] == one:
            runs[-1][0] += 1
        else:
            runs.append([1, one])
    return [one if times == 1 else f"{times} × {one}" for times, one in runs]


def ask(one: Input, target: Target, patience: float = wire.PATIENCE) -> Asked:
    """Ask a server; `patience` (seconds) is for each answer. Raises ExchangeError if there is no connection."""
    if one.case:
        return _take_steps(one, one.case, target, patience)
    methods = [*wire.methods(one.parts), *["GET"] * one.answers][: one.answers]
    asked = Asked(one, wire.play(target, one.parts, methods, patience))
    if one.bare and asked.seen.unread and not asked.seen.answers:
        asked.seen.end = wire.CLOSED
    return asked


def _take_steps(one: Input, case: cases.Case, target: Target, patience: float) -> Asked:
    """The steps of a case on one connection: those with an answer are judged, of the others what comes is kept."""
    asked, values = Asked(one), {}
    connection: Connection | None = None
    try:
        for number, step in enumerate(case.steps, 1):
            request = cases.bound_request(step.request, values)
            try:
                connection, answer = cases.exchange_on(connection, target, request, step.pieces, patience)
            except ExchangeError as error:
                connection = None
                if step.answer:
                    asked.spoilt.append(f"step {number}: no answer: {error}")
                    return asked
                asked.seen.end, asked.seen.unread = wire.end_of(error), error.received
                continue
            if step.answer:
                problems = response_problems(answer, request)
                problems += cases.bind_values(step.answer, answer, case.bind, values)
                problems += differences(step.answer.response(values, request.method), answer, request=request)
                if problems:
                    asked.spoilt += [f"step {number}: {problem}" for problem in problems]
                    return asked
            else:
                asked.seen.answers.append(answer)
                asked.seen.end = None
            if wire.says_close(answer) and number < len(case.steps):
                connection.close()
                connection = None
        if connection:
            wire.watch_the_end(connection, asked.seen)
        return asked
    finally:
        if connection:
            connection.close()
