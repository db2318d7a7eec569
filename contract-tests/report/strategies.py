"""Hypothesis strategies for what the upstreams answer: lists, as the todo service has them, and images."""

import json
import string
from dataclasses import dataclass

from hypothesis import strategies as st
from openapi_requests import MALFORMED, wrong_values

from report.model import Item, Upstreams
from report.upstreams import JSON, PNG, Script, message, playing
from samewire.http import compact

MARKUP = (
    "<", ">", "&", '"', "'", "<b>x</b>", "</td></tr></table>", "<script>alert(1)</script>", "<!--", "-->", "]]>",
    "<?php", "<img src=x onerror=alert(1)>", "&amp;", "&lt;", "&#39;", "&#0;", "&quot", "&ampamp;", "<![CDATA[",
    "{{7*7}}", "${7*7}", "#{7}", "%s", "%d%%", "\\", "\\n", "\\u0041", "`", "$&", "$1", "{0}", "{TITLE}", "{ROWS}",
    "<%= 7 %>", "javascript:a",
)  # fmt: skip
"""What a template or an escape function may take for its own."""

ODD = (
    "\x01", "\t", "\n", "\x0b", "\x0c", "\x1b[31m", "\x7f", "\x80", "\x85", "\xa0", "\xad", "\u2028", "\u2029",
    "\ufeff", "\ufffe", "\uffff", "\ufffd", "\u200f", "\u202e", "e\u0301", "é", "ſ", "İ", "１", "中", "ก", "😀",
    "\U0001f469\u200d\U0001f467", "\U00010000", "\U0010ffff", " ", "  ",
)  # fmt: skip
"""What an encoding may lose."""


def titles() -> st.SearchStrategy[str]:
    """Any text that HTML can carry, and a title can be: not empty, without U+0000 and carriage returns."""
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1, max_size=20)
    printable = st.text(string.printable.replace("\r", ""), min_size=1, max_size=8)
    part = st.one_of(st.sampled_from(MARKUP), st.sampled_from(ODD), printable, text)
    several = st.lists(part, min_size=1, max_size=8).map("".join)
    return st.one_of(part, several, st.integers(1, 200).map("é".__mul__))


def items() -> st.SearchStrategy[Item]:
    """One item."""
    ids = st.one_of(st.integers(1, 1000), st.integers(2**31 - 2, 2**32 + 1), st.integers(1, 2**53 - 1))
    return st.builds(Item, ids, titles(), st.booleans())


def listing(*items: Item, **spelling: object) -> bytes:
    """The list as the todo service writes it, or spelled with other options of `json.dumps`."""
    spelling = spelling or {"ensure_ascii": False, "separators": (",", ":")}
    return json.dumps({"items": [vars(one) for one in items], "next": None}, **spelling).encode()


@dataclass(frozen=True)
class Answered:
    """What both upstreams answer, and how it goes on the wire."""

    todos: bytes
    upstreams: Upstreams | None
    """What that means; None for a list that is none."""
    image: bytes = b"\x89PNG"
    framings: tuple[str, str] = ("length", "length")

    def scripts(self) -> tuple[Script, Script]:
        """What the upstreams do."""
        return (
            playing(message(self.todos, JSON, framing=self.framings[0])),
            playing(message(self.image, PNG, framing=self.framings[1])),
        )

    def _repr_pretty_(self, printer, cycle: bool) -> None:
        """How Hypothesis shows it."""
        printer.text(f"todos: {compact(self.todos, 3000)} image: {compact(self.image, 200)} {self.framings}")


def right(items: list[Item], image: bytes = b"\x89PNG", framings: tuple[str, str] = ("length", "length"), **spelling):
    """Right answers of both."""
    return Answered(listing(*items, **spelling), Upstreams(tuple(items), image), image, framings)


_IMAGES = st.one_of(st.binary(min_size=1, max_size=40), st.sampled_from([1000, 70_000]).map(lambda n: b"\xfb\xff" * n))
_FRAMINGS = st.tuples(*[st.sampled_from(["length", "chunked"])] * 2)
_SPELLINGS = st.sampled_from([{}, {}, {"ensure_ascii": True}, {"indent": 2}])


@st.composite
def right_answers(draw: st.DrawFn) -> Answered:
    """Right answers, spelled as ordinary libraries write JSON."""
    listed = draw(st.lists(items(), max_size=6))
    return right(listed, draw(_IMAGES), draw(_FRAMINGS), **draw(_SPELLINGS))


_MEMBERS = {"id": {"type": "integer"}, "title": {"type": "string"}, "completed": {"type": "boolean"}}


@st.composite
def wrong_answers(draw: st.DrawFn) -> Answered:
    """A list with one thing wrong: an item's member of another type or missing, another shape, or malformed JSON."""
    rows = [vars(one) for one in draw(st.lists(items(), min_size=1, max_size=4))]
    row, name = draw(st.sampled_from(rows)), draw(st.sampled_from(sorted(_MEMBERS)))
    changed = draw(st.sampled_from([{name: draw(wrong_values(_MEMBERS[name]))}, {name: None}, {}]))
    row_changed = {key: value for key, value in row.items() if key != name} | changed
    wrong_row = draw(st.sampled_from([row_changed, row_changed, row_changed, None, 7, "a", [], list(row.values())]))
    wrong_rows = [wrong_row if one is row else one for one in rows]
    whole = listing()
    texts = [
        json.dumps({"items": wrong_rows, "next": None}).encode(),
        json.dumps({"items": draw(st.sampled_from([None, {}, "", 0, row])), "next": None}).encode(),
        json.dumps(draw(st.sampled_from([rows, None, "items", 7, {}, {"next": None}]))).encode(),
        draw(st.sampled_from([*MALFORMED, b"", whole[:-1], whole + b"}", whole + whole])),
    ]
    return Answered(draw(st.sampled_from([texts[0], *texts])), None, framings=draw(_FRAMINGS))
