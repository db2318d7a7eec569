"""The drawings of the models of concurrency, as data: who runs, is blocked or waits, and who sends to whom."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from samewire.paths import CHECKOUT

PAGES = CHECKOUT / "docs/models"
"""The pages, their drawings, and the data of these."""
DATA = PAGES / "lanes.toml"

RUNS, BLOCKED, WAITS = "runs", "blocked", "waits"
KINDS = (RUNS, BLOCKED, WAITS)
"""What a lane may do: work, be held and do nothing, or wait for its turn or an answer."""
ONE = "one"
"""The name of a model's drawing of one request."""


class LanesError(Exception):
    """A drawing that cannot be made of its data; the message names file, drawing and place, and what is right."""


@dataclass(frozen=True)
class Span:
    """What a lane does from one time to another, with a label in it, which may be empty."""

    lane: str
    kind: str
    start: float
    end: float
    label: str


@dataclass(frozen=True)
class Message:
    """Something that one lane sends to another at a time."""

    at: float
    sender: str
    receiver: str


@dataclass(frozen=True)
class Drawing:
    """Lanes over time, from the top to the bottom; `text` says in words what is to be seen. Time has no unit."""

    model: str
    name: str
    title: str
    text: str
    lanes: tuple[str, ...]
    spans: tuple[Span, ...]
    messages: tuple[Message, ...]

    @property
    def where(self) -> str:
        """The place of its data, for messages."""
        return f"docs/models/{DATA.name}: {self.model}.drawings.{self.name}"

    @property
    def file(self) -> str:
        """The name of its SVG file, which lies beside the model's page."""
        return f"{self.model}.svg" if self.name == ONE else f"{self.model}-{self.name}.svg"

    @property
    def end(self) -> float:
        """The time at which all is over; it begins at 0."""
        return max(span.end for span in self.spans)


@dataclass(frozen=True)
class Model:
    """A model of concurrency: its term in manifests, its name in words, and its drawings."""

    term: str
    title: str
    drawings: tuple[Drawing, ...]

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"{self.term}.md"


def load(path: Path = DATA) -> list[Model]:
    """The models in the order of the file. Raises LanesError with every problem of a drawing, one a line."""
    try:
        content = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LanesError(f"{path.name}: {error}") from error
    return [
        Model(term, about["title"], tuple(_drawing(term, name, one) for name, one in about["drawings"].items()))
        for term, about in content.items()
    ]


def _drawing(model: str, name: str, about: Mapping[str, Any]) -> Drawing:
    drawing = Drawing(
        model,
        name,
        about["title"],
        about["text"].strip(),
        tuple(about["lanes"]),
        tuple(Span(*row) for row in about["spans"]),
        tuple(Message(*row) for row in about["messages"]),
    )
    if problems := _problems(drawing):
        raise LanesError("\n".join(f"{drawing.where}: {problem}" for problem in problems))
    return drawing


def _problems(drawing: Drawing) -> list[str]:
    lanes = ", ".join(drawing.lanes)
    problems = []
    for span in drawing.spans:
        shown = f"span {[span.lane, span.kind, span.start, span.end]}"
        if span.lane not in drawing.lanes:
            problems.append(f"{shown}: no lane is called {span.lane!r}; there are: {lanes}")
        if span.kind not in KINDS:
            problems.append(f"{shown}: {span.kind!r} is none of {', '.join(KINDS)}")
        if not 0 <= span.start < span.end:
            problems.append(f"{shown}: it must begin at 0 or later, and before it ends")
    for lane in drawing.lanes:
        spans = sorted((span for span in drawing.spans if span.lane == lane), key=lambda span: span.start)
        problems += [
            f"lane {lane!r}: a span begins at {second.start}, and the one before ends at {first.end}"
            for first, second in pairwise(spans)
            if second.start < first.end
        ]
    for one in drawing.messages:
        if strangers := {one.sender, one.receiver} - set(drawing.lanes):
            problems.append(f"message at {one.at}: no lane is called {min(strangers)!r}; there are: {lanes}")
        elif one.sender == one.receiver:
            problems.append(f"message at {one.at}: {one.sender!r} sends it to itself")
    return problems
