"""Hypothesis strategies for requests to the chat service: ordinary ones, and those that a tired programmer forgets.

None of their paths begins with /socket.io: what is below it belongs to the library of servers that have one.
"""

# ruff: noqa: SIM905 (long lists of short words read better as text)

import json
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from chat.model import ASSETS, BODY_LIMIT, LARGEST, METHODS, NESTING_LIMIT, TEXT_LIMIT, USER_LIMIT, Message
from samewire.http import Request, compact

ALPHANUMERIC = string.digits + string.ascii_letters
PATH_CHARACTERS = ALPHANUMERIC + "-._~!$&'()*+,=:@"  # pchar of RFC 3986 but for "%" and ";"
QUERY_CHARACTERS = PATH_CHARACTERS + ";/?"
PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
JSON = (("Content-Type", "application/json"),)


@dataclass(frozen=True)
class Sent:
    """A request and, where its body goes in chunks, the sizes at which it is cut."""

    request: Request
    chunks: tuple[int, ...] | None = None

    def _repr_pretty_(self, printer, cycle: bool) -> None:
        """How Hypothesis shows it: readable although a body may be very long."""
        parts = [
            self.request.method,
            compact(self.request.path.encode("latin-1")),
            *map(": ".join, self.request.headers),
        ]
        if self.request.body is not None:
            parts.append(
                compact(self.request.body, 300) + (f" in chunks {self.chunks}" if self.chunks is not None else "")
            )
        printer.text(" | ".join(parts))

    def on_the_wire(self) -> Request:
        """The request with its transfer coding."""
        if self.chunks is None or self.request.body is None:
            return self.request
        headers = (*self.request.headers, ("Transfer-Encoding", "chunked"))
        return replace(self.request, headers=headers, body=chunked(self.request.body, self.chunks))


def chunked(body: bytes, sizes: Sequence[int]) -> bytes:
    """`body` in the chunked transfer coding (RFC 9112, 7.1), cut after each of `sizes` bytes."""
    pieces, start = [], 0
    for size in [*sizes, len(body)]:
        if piece := body[start : start + size]:
            pieces.append(b"%x\r\n%b\r\n" % (len(piece), piece))
        start += size
    return b"".join(pieces) + b"0\r\n\r\n"


# --- paths

# Names of routes, of members that every JavaScript object has, and of what web servers add by themselves.
NAMES = """
    healthz messages presence assets Healthz MESSAGES message messagess favicon.ico index.php index.html .env ~root ~
    server-status icons cgi-bin * __proto__ constructor toString valueOf null undefined 0 1 -1 ... .... $where
    chat.js room.js chat.css icon.svg socket.io.js CHAT.JS chat.js.map chat.ts chat chat.j chat.js~ .chat.js
""".split()
ODD_QUERIES = """
    ? ?? ?a=1&a=2 ?id=1 ?text=oi ?/../healthz ?%C3%A9=%2F%3B ?XDEBUG_SESSION_START=1 ?-s ?=PHPB8B5F2A0
""".split()


def percent_encoded(data: bytes) -> str:
    """Every byte as `%XX`."""
    return "".join(f"%{byte:02X}" for byte in data)


@st.composite
def partly_encoded(draw: st.DrawFn, text: str) -> str:
    """`text` with some of its characters percent-encoded, in either case."""
    spellings = [(character, f"%{ord(character):02X}", f"%{ord(character):02x}") for character in text]
    return "".join(draw(st.sampled_from(spelling)) for spelling in spellings)


def segments() -> st.SearchStrategy[str]:
    """One path segment, percent-encoded; none that a stack may read in its own way."""
    parts = st.sampled_from(["a", "%61", "%31", "%C3%A9", "-"])
    return st.one_of(
        st.sampled_from(NAMES),
        st.sampled_from(["healthz", "messages", "presence", "assets", *ASSETS]).flatmap(partly_encoded),
        st.text(PATH_CHARACTERS, max_size=12),
        st.binary(min_size=1, max_size=8).map(percent_encoded),
        st.builds(lambda part, times: part * times, parts, st.integers(1, 600)),
    )


def queries() -> st.SearchStrategy[str]:
    """Nothing, or a query string with its question mark."""
    text = st.text(QUERY_CHARACTERS, max_size=20).map("?{}".format)
    return st.one_of(st.just(""), text, st.sampled_from([*ODD_QUERIES, "?" + "q" * 2000]))


def paths() -> st.SearchStrategy[str]:
    """Paths on which every stack must agree, with a query string now and then."""
    segment = segments()
    path = st.one_of(
        segment.map("/{}".format),
        segment.map("/{}".format),
        segment.map("/assets/{}".format),
        segment.map("/messages/{}".format),
        st.sampled_from(["/", "/healthz", "/messages", "/presence", *map("/assets/{}".format, ASSETS)]),
        st.lists(segment, max_size=5).map(lambda several: "/" + "/".join(several)),
        segment.map("/{}/".format),
        st.integers(1, 400).map(lambda depth: "/a" * depth),
    )
    return st.tuples(path, queries()).map("".join)


ODDITIES = (
    *r"""%zz % %4 %u0041 %00 %2F %2f %5C %5c \ ; ;a=1 // /// /. /./ /.. /../ /%2e/ /%2e%2e/ /%2E./ ..;/ # #a " < > ^ ` {
    | } [ ] %c0%af %252F %2e%2e%2f /..%5c""".split(),
    "\x7f", "\xe9", "\xc3\xa9", "\xff", "a" * 4100, "%61" * 2000, "/b" * 4000,
)  # fmt: skip
"""Parts of paths that stacks refuse or read in their own ways."""


def doubtful_paths() -> st.SearchStrategy[str]:
    """Paths with oddities, beside or within good ones."""
    oddity = st.sampled_from(ODDITIES)
    good = st.sampled_from(["/messages", "/presence", "/healthz", f"/messages?after={LARGEST}", "/assets/chat.js", "/"])
    plain = st.sampled_from(["/messages", "/presence", "/healthz", "/assets/chat.css", "/"])
    query = st.sampled_from("?%zz ?% ?%00 ?\xe9 ?[a] ?| ?# ?after=%zz ?user=% ?after=\xff ?user=%00 ?user=%FF".split())
    return st.one_of(
        st.lists(segments() | oddity, min_size=1, max_size=4).map(lambda parts: "/assets/" + "".join(parts)),
        st.lists(segments() | oddity, min_size=1, max_size=4).map(lambda parts: "/" + "".join(parts)),
        st.builds(lambda path, odd, at: "/" + path[1:at] + odd + path[max(1, at) :], plain, oddity, st.integers(1, 12)),
        st.tuples(good, query).map("".join),
        query.map("/messages{}".format),
    )


# --- parameters

NUMBERS = """
    0 1 2 3 10 999 1000 1001 -1 +1 %2B1 -0 00 01 1.0 1. .5 1e1 0x1 1_0 %201 1%20 1%0A +5 5+ %31 %31%30 %D9%A1
    %EF%BC%91 %C2%B2 null NaN true x 5x 5;after=1 5=5 %FF1%FF 4294967297 9007199254740993 9223372036854775806
    9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551617 99999999999999999999
""".split()
NEAR_NAMES = """
    After AFTER afters afte User USER users use %20after after%20 user%5B%5D user. user_ +user ?after name %C3%A9 -
""".split()


@st.composite
def parameters(draw: st.DrawFn) -> str:
    """A query string with its question mark: afters, users and others, in any number and order."""
    names = st.one_of(
        st.sampled_from(["after", "user", "after", "user", *NEAR_NAMES, ""]),
        st.sampled_from(["after", "user"]).flatmap(partly_encoded),
    )
    good_after = st.one_of(st.just(LARGEST), st.integers(0, 2000), st.integers(0, LARGEST)).map("after={}".format)
    any_user = near_users().map(lambda user: f"user={percent_encoded(user.encode())}")
    values = st.one_of(st.sampled_from([*NUMBERS, ""]), st.text(PATH_CHARACTERS, max_size=5))
    any_pair = st.tuples(names, st.sampled_from(["=", "=", "=", ""]), values).map("".join)
    pairs = draw(st.lists(st.one_of(good_after, good_after, any_user, any_pair, st.just("")), max_size=4))
    return "?" + "&".join(pairs)


# --- header fields

IGNORED_FIELDS = (
    ("Accept", "text/html"), ("Accept", "application/xml;q=0"), ("Accept", ""), ("Accept-Encoding", "gzip, br"),
    ("Accept-Encoding", "identity;q=0"), ("Accept-Language", "pt-BR"), ("Range", "bytes=0-0"), ("Range", "bytes=9-1"),
    ("If-None-Match", "*"), ("If-None-Match", '"a"'), ("If-Match", '"a"'), ("If-Range", '"a"'),
    ("If-Modified-Since", "Sat, 01 Jan 2050 00:00:00 GMT"), ("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("Cookie", "PHPSESSID=1; a=b"), ("Authorization", "Basic YTpi"), ("Authorization", "nonsense"),
    ("Origin", "http://a.example"), ("Access-Control-Request-Method", "POST"), ("X-HTTP-Method-Override", "DELETE"),
    ("X-Forwarded-Host", "a.example"), ("X-Forwarded-For", "1.2.3.4"), ("X-Original-URL", "/healthz"),
    ("X-Rewrite-URL", "/healthz"), ("Forwarded", "for=1.2.3.4"), ("Proxy", "http://a"), ("User-Agent", ""),
    ("User-Agent", "() { :; }; echo"), ("TE", "trailers"), ("Cache-Control", "no-cache"), ("Content-Language", "en"),
    ("X-Unknown", "\xe9\xff"), ("X-Tab", "a\tb"), ("X-Long", "v" * 1000), ("x-lower", "1"), ("Keep-Alive", "timeout=1"),
    ("Max-Forwards", "0"), ("Via", "1.1 a"), ("Prefer", "return=minimal"), ("Date", "0"), ("X_Under.Score", "1"),
)  # fmt: skip
"""Fields that must change nothing in the answer."""


def ignored_fields() -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    """A few header fields that must change nothing."""
    name = st.text(ALPHANUMERIC + "-_.!#$%&'*+^`|~", min_size=1, max_size=10).map("X-{}".format)
    unknown = st.tuples(name, st.text(PRINTABLE + " ", max_size=20).map(str.strip))
    named = st.lists(st.sampled_from(IGNORED_FIELDS), max_size=4, unique_by=lambda field: field[0])
    return st.one_of(named, st.lists(unknown, max_size=1)).map(tuple)


CONTENT_TYPES = (
    *["application/json"] * 80,
    "application/json; charset=utf-8", "application/json;charset=UTF-8", "APPLICATION/JSON", "Application/Json ; a=b",
    "application/json;", "application/json; charset=latin1", 'application/json; a=";,"', "application/json\t; x",
    "", "application/jsonp", "application/problem+json", "application/json-patch+json", "text/json", "text/plain",
    "json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
    "application/json, text/plain", "text/plain; application/json", "application", "*/*",
    "application/*", "; application/json",
)  # fmt: skip
CONTENT_CODINGS = ("identity", "IDENTITY", "Identity", "gzip", "br", "deflate", "x-gzip", "identity, gzip", "nonsense")


@st.composite
def content_fields(draw: st.DrawFn) -> tuple[tuple[str, str], ...]:
    """Content-Type, mostly right, sometimes missing, and now and then a Content-Encoding."""
    fields = []
    if (media_type := draw(st.sampled_from([*CONTENT_TYPES, None]))) is not None:
        fields.append((draw(st.sampled_from(["Content-Type", "content-type", "CONTENT-TYPE"])), media_type))
    if coding := draw(st.sampled_from([*CONTENT_CODINGS, *[None] * 80])):
        fields.append(("Content-Encoding", coding))
    return tuple(fields)


# --- JSON bodies


def numbers() -> st.SearchStrategy[str]:
    """The text of a JSON number of at most 100 digits."""
    digits = st.text(string.digits, min_size=1, max_size=6) | st.text("9", min_size=15, max_size=40)
    return st.tuples(
        st.sampled_from(["", "-"]),
        digits.map(lambda text: text.lstrip("0") or "0"),
        st.just("") | digits.map(".{}".format),
        st.sampled_from(["", "e0", "E+1", "e-5", "e400", "E-400", "e99999999999"]),
    ).map("".join)


def strings() -> st.SearchStrategy[str]:
    """The text of a JSON string that does not begin with NUL, its characters escaped in one way or another."""
    character = st.characters(exclude_categories=["Cs"])
    part = st.one_of(
        character.map(lambda one: _plain(one)[1:-1]),
        character.map(lambda one: json.dumps(one)[1:-1]),
        st.sampled_from([*r"\/ \u0041 \u00E9 \uD83D\uDE00 \b \n / \u0000 \" \\".split(), "\x7f", "\u2028", "a" * 50]),
    )
    return st.lists(part, max_size=6).map(lambda parts: '"' + "".join(["s", *parts]) + '"')


BLANKS = st.sampled_from(["", "", "", " ", "\n", "\t", "\r\n", "  "])


def json_texts() -> st.SearchStrategy[str]:
    """The text of any JSON value."""
    scalar = st.one_of(st.sampled_from(["null", "true", "false", '""', "[]", "{}"]), numbers(), strings())
    name = st.one_of(strings(), st.sampled_from(['"user"', '"text"', '""', '"__proto__"', '"0"', '"User"']))

    def composed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        member = st.tuples(BLANKS, name, BLANKS, st.just(":"), BLANKS, inner, BLANKS).map("".join)
        array = st.lists(st.tuples(BLANKS, inner, BLANKS).map("".join), max_size=4).map(
            lambda all_: f"[{','.join(all_)}]"
        )
        return array | st.lists(member, max_size=4).map(lambda members: "{" + ",".join(members) + "}")

    return st.recursive(scalar, composed, max_leaves=8)


# --- messages

ODD_CHARACTERS = (
    *r"""\ " ' / <b> & $1 ? %s {0} ; -- é １ ſ 😀 𐀀 ％00 </script>""".split(),
    " ", "e\u0301", "\U0001f468\u200d\U0001f469", "\xa0", "\xad", "\u1680", "\u200b", "\u2028", "\u2029", "\u3000",
    "\u061c", "\u202e", "\ud7ff", "\ue000", "\ufdd0", "\ufeff", "\ufffd", "\uffff", "\U00010000", "\U0010ffff",
)  # fmt: skip
CONTROLS = ("\0", "\x01", "\t", "\n", "\r", "\x1b", "\x1f", "\x7f", "\x80", "\x85", "\x9f")


def _good(limit: int) -> st.SearchStrategy[str]:
    """Strings of 1 to `limit` characters that the contract takes."""
    text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=min(limit, 20))
    odd = st.lists(st.sampled_from(ODD_CHARACTERS), min_size=1, max_size=8).map("".join).map(lambda one: one[:limit])
    long = st.builds(
        lambda one, length: one * length,
        st.sampled_from(["a", "é", "牛", "😀", '"', " "]),
        st.integers(limit - 2, limit),
    )
    return st.one_of(st.sampled_from(["ana", "oi"]), text, odd, long)


def _near(limit: int) -> st.SearchStrategy[str]:
    """Strings about as likely to keep the rule as to break it."""
    odd = st.lists(st.sampled_from([*ODD_CHARACTERS, *CONTROLS]), max_size=6).map("".join)
    long = st.builds(
        lambda one, length, end: one * length + end,
        st.sampled_from(["a", "é", "😀", " "]),
        st.integers(limit - 2, limit + 2),
        st.sampled_from(["", "x", "😀", "\x85", " "]),
    )
    return st.one_of(_good(limit), odd, long, st.sampled_from(["", " ", *CONTROLS, "a\n"]))


def good_users() -> st.SearchStrategy[str]:
    """Names that the contract takes."""
    return _good(USER_LIMIT)


def near_users() -> st.SearchStrategy[str]:
    """Names, and what is nearly one."""
    return _near(USER_LIMIT)


def messages() -> st.SearchStrategy[Message]:
    """Messages that the contract takes."""
    return st.builds(Message, good_users(), _good(TEXT_LIMIT))


def _plain(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def spelled(message: Message) -> bytes:
    """The body that posts `message`, in its plainest form."""
    members = {"user": message.user, "text": message.text}
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()


def _every_character_escaped(text: str) -> str:
    return '"' + "".join(f"\\u{unit:04x}" for unit in memoryview(text.encode("utf-16")[2:]).cast("H")) + '"'


def _slashes_escaped(text: str) -> str:
    return json.dumps(text).replace("/", r"\/")


@st.composite
def written(draw: st.DrawFn, members: dict[str, object]) -> bytes:
    """An object of these members, with order, escapes and white space as its writer liked them."""
    spell = draw(st.sampled_from([_plain, _plain, json.dumps, _slashes_escaped, _every_character_escaped]))
    spell_name = draw(st.sampled_from([_plain, _plain, _plain, _every_character_escaped]))
    tokens = ["", "{"]
    for number, name in enumerate(draw(st.permutations(list(members)))):
        value = members[name]
        tokens += [","] if number else []
        tokens += [spell_name(name), ":", spell(value) if isinstance(value, str) else json.dumps(value)]
    return "".join(token + draw(BLANKS) for token in [*tokens, "}"]).encode()


def good_bodies() -> st.SearchStrategy[bytes]:
    """Bodies that make a message."""
    return st.fixed_dictionaries({"user": good_users(), "text": _good(TEXT_LIMIT)}).flatmap(written)


def near_bodies() -> st.SearchStrategy[bytes]:
    """Objects that may lack a member, have one more, or break a rule of one."""
    no_string = st.sampled_from([True, None, 0, 1, 1.5, [], {}, ["ana"], {"a": "oi"}])
    others = st.sampled_from("id room User to a b __proto__ constructor toJSON é 😀 \ufffd".split()) | st.just("")
    return st.builds(
        lambda members, more: {**members, **dict.fromkeys(more, 1)},
        st.fixed_dictionaries(
            {}, optional={"user": near_users() | near_users() | no_string, "text": _near(TEXT_LIMIT) | no_string}
        ),
        st.one_of(st.just([]), st.just([]), st.lists(others, max_size=2)),
    ).flatmap(written)


STRUCTURES = r"""
    OTHER {"user":OTHER} {"text":OTHER} {"user":USER,"text":OTHER} {"user":OTHER,"text":TEXT} {"text":TEXT,"user":USER}
    {"user":USER,"text":TEXT,"text":OTHER} {"user":OTHER,"user":USER,"text":TEXT} {"user":USER,"text":TEXT,"more":OTHER}
    {"more":OTHER,"user":USER,"text":TEXT} {"user":USER,"__proto__":OTHER} {"__proto__":{"user":USER,"text":TEXT}}
    {"":USER,"text":TEXT} {"USER":USER,"text":TEXT} {"user\u0020":USER} {"text\u0000":TEXT} [{"user":USER,"text":TEXT}]
    ["user",USER] {"user":[USER],"text":TEXT} {"user":{"user":USER},"text":TEXT} USER {"b":OTHER,"a":OTHER}
""".split()


def structures() -> st.SearchStrategy[bytes]:
    """Well-formed JSON that is close to a good body: more members, other types, duplicates, wrappers."""
    return st.builds(
        lambda form, message, other: (
            form.replace("USER", _plain(message.user), 1)
            .replace("TEXT", _plain(message.text), 1)
            .replace("OTHER", other)
            .encode()
        ),
        st.sampled_from(STRUCTURES),
        messages(),
        json_texts(),
    )


ODD_BYTES = (
    *rb"""" ' \ { } [ ] , : \ud800 \udc00 \udc00\ud800 \u \x41 \' /**/ # NaN Infinity 0x1 01 1. .5 +1 - 1e nul True
    undefined {} null ,,""".split(),
    b"\0", b"\x0b", b"\x0c", b"\x1f", b"\x85", b"\n", b"//c\n", b"\xef\xbb\xbf", b"\xc0\x80", b"\xed\xa0\x80", b"\xff",
    b"\xf4\x90\x80\x80", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xe3\x80\x80", b"",
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good body with a few bytes removed, added or replaced."""
    body = draw(good_bodies())
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(body)))
        odd = draw(st.sampled_from(ODD_BYTES) | st.binary(max_size=3))
        body = body[:place] + odd + body[place + draw(st.integers(0, 3)) :]
    return body


ENCODINGS = "utf-16 utf-16-le utf-16-be utf-32 utf-32-be utf-8-sig utf-7 cp037".split()


def recoded() -> st.SearchStrategy[bytes]:
    """Bodies in character encodings that JSON does not have, and good ones with something before or after."""
    body, extra = good_bodies(), st.sampled_from(ODD_BYTES)
    return st.one_of(
        st.builds(lambda text, encoding: text.decode().encode(encoding, "replace"), body, st.sampled_from(ENCODINGS)),
        st.just('{"user":"ana","text":"café"}'.encode("latin-1")),
        st.tuples(extra, body).map(b"".join),
        st.tuples(body, extra).map(b"".join),
    )


@st.composite
def nested(draw: st.DrawFn) -> bytes:
    """Arrays and objects nested about as deep as the limit, whole or cut short, alone or within an object."""
    depth = draw(st.integers(NESTING_LIMIT - 3, NESTING_LIMIT + 2) | st.sampled_from([1000, 10_000]))
    kinds = draw(st.lists(st.sampled_from(["[]", ['{"a":', "}"]]), min_size=1, max_size=3))
    levels = [kinds[level % len(kinds)] for level in range(depth)]
    start, end = "".join(opening for opening, _ in levels), "".join(closing for _, closing in reversed(levels))
    text = start + draw(st.sampled_from(["1", '"a"', "[]", "{}"])) + end
    return draw(
        st.sampled_from([text, f'{{"user":"ana","text":{text}}}', f'{{"a":{text},"user":"ana"}}', start])
    ).encode()


@st.composite
def sized(draw: st.DrawFn) -> bytes:
    """Bodies about as large as the limit: good ones padded, and bad ones."""
    size = draw(st.integers(BODY_LIMIT - 2, BODY_LIMIT + 3) | st.sampled_from([70_000, 200_000]))
    start, filler, end = draw(
        st.sampled_from([
            (b'{"user":"ana","text":"oi"', b" ", b"}"),
            (b'{"user":"ana","text":"oi', b"x", b'"}'),
            (b"", b" ", b'{"user":"ana","text":"oi"}'),
            (b'{"user":"ana"}', b"\n", b""),
            (b"", b"\0", b""),
            (b"", b"[", b""),
        ])
    )  # fmt: skip
    return start + filler * (size - len(start) - len(end)) + end


def bodies() -> st.SearchStrategy[bytes]:
    """Request bodies of all sorts."""
    text = json_texts().map(str.encode)
    odd = st.one_of(structures(), text, mutated(), mutated(), recoded(), nested(), sized(), st.binary(max_size=20))
    # Many good ones, since a bad body hides what is wrong with a header field.
    return st.one_of(good_bodies(), near_bodies(), near_bodies(), odd, odd)


# --- whole requests


def framings() -> st.SearchStrategy[tuple[int, ...] | None]:
    """How a body is sent: mostly with its length, else in chunks."""
    return st.one_of(st.none(), st.none(), st.lists(st.integers(1, 3000), max_size=4).map(tuple))


def lookups() -> st.SearchStrategy[Sent]:
    """GET and HEAD of any path on which every stack must agree."""
    return st.builds(
        lambda method, path, fields: Sent(Request(method, path, fields)),
        st.sampled_from(["GET", "GET", "HEAD"]),
        paths(),
        ignored_fields(),
    )


def polls() -> st.SearchStrategy[Sent]:
    """GET and HEAD of /messages with any parameters."""
    return st.builds(
        lambda method, path, query, fields: Sent(Request(method, path + query, fields)),
        st.sampled_from(["GET", "GET", "HEAD"]),
        st.one_of(st.just("/messages"), st.just("/messages"), partly_encoded("messages").map("/{}".format)),
        parameters(),
        st.one_of(st.just(()), ignored_fields()),
    )


def methods_and_paths() -> st.SearchStrategy[Sent]:
    """Any common method on any path, with or without a body of any type."""
    routes = st.sampled_from(["/", "/messages", "/messages/", "/presence", "/healthz", "/assets/chat.js", "/assets/"])
    return st.builds(
        lambda method, path, fields, content, body, chunks: Sent(
            Request(method, path, (*fields, *(content if body is not None else ())), body), chunks
        ),
        st.sampled_from(METHODS),
        st.one_of(routes, paths()),
        ignored_fields(),
        content_fields(),
        st.one_of(st.none(), st.none(), bodies()),
        framings(),
    )


def posts() -> st.SearchStrategy[Sent]:
    """POST with a body of any sort."""
    paths = st.one_of(
        st.just("/messages"), partly_encoded("messages").map("/{}".format), queries().map("/messages{}".format)
    )
    return st.builds(
        lambda path, fields, content, body, chunks: Sent(Request("POST", path, (*fields, *content), body), chunks),
        paths,
        st.one_of(st.just(()), ignored_fields()),
        content_fields(),
        bodies(),
        framings(),
    )


METHODS_OF_OTHERS = "TRACE PROPFIND QUERY LINK PURGE FOO get Get M-SEARCH G!".split()


def doubtful() -> st.SearchStrategy[Sent]:
    """Requests that a stack may refuse or read in its own way."""
    return st.one_of(
        st.builds(Request, st.sampled_from(["GET", "GET", "HEAD", "POST", "DELETE"]), doubtful_paths()),
        st.builds(Request, st.sampled_from([*METHODS_OF_OTHERS, "A" * 30]), paths()),
    ).map(Sent)
