"""Hypothesis strategies for what the upstreams answer, and for requests to the report."""

# ruff: noqa: SIM905 (long lists of short words read better as text)

import json
import string
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from request_strategies import BLANKS, every_character_escaped, plain, slashes_escaped

from report.model import Item, Upstreams
from report.upstreams import JSON, PNG, Script, message, playing
from samewire.http import Request, compact

# --- titles

MARKUP = (
    "<", ">", "&", '"', "'", "<b>x</b>", "</td></tr></table>", "<script>alert(1)</script>", "<!--", "-->", "]]>",
    "<?php", "<img src=x onerror=alert(1)>", "&amp;", "&lt;", "&#39;", "&#0;", "&quot", "&ampamp;", "<![CDATA[",
    "{{7*7}}", "${7*7}", "#{7}", "%s", "%d%%", "\\", "\\n", "\\u0041", "`", "$&", "$1", "{0}", "{TITLE}", "{ROWS}",
    "<%= 7 %>", "javascript:a",
)  # fmt: skip
"""What a template or an escape function may take for its own."""

ODD = (
    "\0", "\x01", "\t", "\n", "\r", "\r\n", "\x0b", "\x0c", "\x1b[31m", "\x7f", "\x80", "\x85", "\xa0", "\xad",
    "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff", "\ufffd", "\u200f", "\u202e", "e\u0301", "é", "ſ", "İ", "１",
    "中", "ก", "😀", "\U0001f469\u200d\U0001f467", "\U00010000", "\U0010ffff", " ", "  ",
)  # fmt: skip
"""What an encoding may lose."""


def titles() -> st.SearchStrategy[str]:
    """Any text: a report shows what it gets."""
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    part = st.one_of(st.sampled_from(MARKUP), st.sampled_from(ODD), st.text(string.printable, max_size=8), text)
    return st.one_of(part, st.lists(part, max_size=8).map("".join), st.integers(1, 200).map("é".__mul__))


def items() -> st.SearchStrategy[Item]:
    """One item."""
    ids = st.one_of(st.integers(1, 1000), st.integers(2**53 - 2, 2**53 + 5), st.integers(1, 2**63 - 1))
    return st.builds(Item, ids, titles(), st.booleans())


# --- the list, spelled in all ways

NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5),
    st.sampled_from(["next", "items", "id", "title", "completed", "__proto__", "constructor", "0", "Items", "ID", ""]),
)


def numbers() -> st.SearchStrategy[str]:
    """The text of a JSON number; no exponent of zero, for that makes an integer or not as parsers like it."""
    digits = st.text(string.digits, min_size=1, max_size=6) | st.text("9", min_size=15, max_size=40)
    return st.tuples(
        st.sampled_from(["", "", "-"]),
        digits.map(lambda text: text.lstrip("0") or "0"),
        st.just("") | digits.map(".{}".format),
        st.sampled_from(["", "", "E+1", "e-5", "e400", "E-400"]),
    ).map("".join)


SPELLINGS = st.sampled_from([plain, plain, json.dumps, slashes_escaped, every_character_escaped])


def values() -> st.SearchStrategy[str]:
    """The text of any JSON value."""
    scalar = st.one_of(st.sampled_from(["null", "true", "false", '""', "[]", "{}"]), numbers(), titles().map(plain))

    def composed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        member = st.tuples(NAMES.map(plain), BLANKS, st.just(":"), inner, BLANKS).map("".join)
        return st.one_of(
            st.lists(inner, max_size=3).map(lambda all_: f"[{','.join(all_)}]"),
            st.lists(member, max_size=3).map(lambda all_: "{" + ",".join(all_) + "}"),
        )

    return st.recursive(scalar, composed, max_leaves=6)


@st.composite
def an_object(draw: st.DrawFn, members: list[tuple[str, str]]) -> str:
    """The text of an object: these members in some order, others among them, and duplicates before them."""
    own = {name for name, _ in members}
    order = list(draw(st.permutations(members))) if draw(st.booleans()) else list(members)
    more = draw(st.lists(st.tuples(NAMES, values()), max_size=2)) if draw(st.integers(0, 3)) == 0 else []
    before = [(name, value) for name, value in more if name in own]
    others = [(name, value) for name, value in more if name not in own]
    place = draw(st.integers(0, len(order)))
    spelled = [
        f"{draw(BLANKS)}{draw(SPELLINGS)(name)}{draw(BLANKS)}:{draw(BLANKS)}{value}{draw(BLANKS)}"
        for name, value in [*before, *order[:place], *others, *order[place:]]
    ]
    return "{" + ",".join(spelled) + "}"


@st.composite
def right_lists(draw: st.DrawFn) -> bytes:
    """A list of todos, as its writer liked to spell it."""
    spelled = []
    for one in draw(st.lists(items(), max_size=6)):
        members = [
            ("id", str(one.id)),
            ("title", draw(SPELLINGS)(one.title)),
            ("completed", "true" if one.completed else "false"),
        ]
        spelled.append(draw(an_object(members)))
    whole = draw(an_object([("items", f"[{','.join(spelled)}]"), ("next", draw(st.sampled_from(["null", "1"])))]))
    return f"{draw(BLANKS)}{whole}{draw(BLANKS)}".encode()


@st.composite
def lists_near_the_rule(draw: st.DrawFn) -> bytes:
    """Lists about as likely to break the contract's shape as to keep it; the model knows which do."""
    members = {"id": "1", "title": '"t"', "completed": "true"}
    if draw(st.booleans()):
        members[draw(st.sampled_from(sorted(members)))] = draw(values())
    if draw(st.integers(0, 5)) == 0:
        del members[draw(st.sampled_from(sorted(members)))]
    item = draw(an_object(list(members.items())))
    whole = draw(an_object([("items", draw(st.sampled_from([f"[{item}]", f"[{item}]", item, "[]"])))])).encode()
    place = draw(st.integers(0, len(whole)))
    broken = whole[:place] + draw(st.binary(max_size=2)) + whole[place + draw(st.integers(0, 2)) :]
    return draw(st.sampled_from([whole, whole, broken, draw(values()).encode()]))


# --- what the upstreams answer


@dataclass(frozen=True)
class Answered:
    """The bodies of both upstreams and how they go on the wire."""

    upstreams: Upstreams
    framings: tuple[str, str]

    def scripts(self) -> tuple[Script, Script]:
        """What the upstreams do."""
        todos, image = self.upstreams.todos, self.upstreams.image or b""
        return (
            playing(message(todos, JSON, framing=self.framings[0])),
            playing(message(image, PNG, framing=self.framings[1])),
        )

    def _repr_pretty_(self, printer, cycle: bool) -> None:
        """How Hypothesis shows it."""
        todos, image = self.upstreams.todos, self.upstreams.image or b""
        printer.text(f"todos: {compact(todos, 3000)} image: {compact(image, 200)} {self.framings}")


def images() -> st.SearchStrategy[bytes]:
    """Any bytes: a report does not look at them."""
    return st.one_of(st.binary(max_size=40), st.sampled_from([0, 1, 2, 1000, 70_000]).map(lambda n: b"\xfb\xff" * n))


def answered(lists: st.SearchStrategy[bytes]) -> st.SearchStrategy[Answered]:
    """Both upstreams' answers, the list being one of these."""
    framing = st.sampled_from(["length", "chunked"])
    return st.builds(Answered, st.builds(Upstreams, lists, images()), st.tuples(framing, framing))


# --- requests

PATH_CHARACTERS = string.ascii_letters + string.digits + "-._~!$&'()*+,=:@"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PATHS = """
    /report /report /report /healthz / /report/ /report/x /reports /Report /repor /report.html /report%20
    /report%0A /report%FF /%2572eport /healthz/ /healthz/x /Healthz /health /todos /render /index.php
    /index.html /favicon.ico /.env /__proto__ /report,x /report:x /report=x /a/b/c /r%C3%A9port
    /%72%65%70%6F%72%74 /%68ealthz /report%3Fx /report%23x
""".split()
QUERIES = "? ?? ?a=1&a=2 ?limit=9 ?width=1&height=1 ?/../healthz ?%C3%A9=%2F%3B ?_method=DELETE ?=PHPB8B5F2A0".split()
IGNORED_FIELDS = (
    ("Accept", "application/json"), ("Accept", ""), ("Accept-Encoding", "gzip, br"), ("Range", "bytes=0-0"),
    ("Accept-Encoding", "identity;q=0"), ("If-None-Match", "*"), ("If-None-Match", '"a"'), ("If-Match", '"a"'),
    ("If-Modified-Since", "Sat, 01 Jan 2050 00:00:00 GMT"), ("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("If-Range", '"a"'), ("Cookie", "PHPSESSID=1; a=b"), ("Authorization", "Basic YTpi"), ("Proxy", "http://a"),
    ("Origin", "http://a.example"), ("X-HTTP-Method-Override", "DELETE"), ("X-Forwarded-Host", "a.example"),
    ("X-Original-URL", "/healthz"), ("Content-Type", "text/plain"), ("Content-Encoding", "gzip"), ("User-Agent", ""),
    ("TE", "trailers"), ("X-Unknown", "\xe9\xff"), ("X-Long", "v" * 1000), ("Cache-Control", "no-cache"),
    ("Host", "a.example"),
)  # fmt: skip


def requests() -> st.SearchStrategy[Request]:
    """Requests on which every stack must agree."""
    segment = st.text(PATH_CHARACTERS, min_size=1, max_size=8).filter(lambda text: text.strip("."))
    path = st.one_of(
        st.sampled_from(PATHS), st.lists(segment, min_size=1, max_size=3).map(lambda all_: "/" + "/".join(all_))
    )
    target = st.tuples(path, st.just("") | st.sampled_from(QUERIES)).map("".join)
    fields = st.lists(st.sampled_from(IGNORED_FIELDS), max_size=3, unique_by=lambda field: field[0]).map(tuple)
    body = st.one_of(st.none(), st.none(), st.binary(max_size=20))
    method = st.sampled_from([*METHODS, "GET", "GET", "HEAD"])
    # Content in a HEAD request may be refused by a stack (RFC 9110, 9.3.2).
    return st.builds(Request, method, target, fields, body).map(
        lambda one: replace(one, body=None) if one.method == "HEAD" else one
    )
