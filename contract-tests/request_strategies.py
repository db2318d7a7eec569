"""Hypothesis strategies for what requests are made of, whatever the service."""

# ruff: noqa: SIM905 (long lists of short words read better as text)

import json
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

from common_rules import METHODS, NESTING_LIMIT
from hypothesis import strategies as st

from samewire.http import Request, compact

ALPHANUMERIC = string.digits + string.ascii_letters

PATH_CHARACTERS = ALPHANUMERIC + "-._~!$&'()*+,=:@"  # pchar of RFC 3986 but for "%" and ";"

QUERY_CHARACTERS = PATH_CHARACTERS + ";/?"

PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))

JSON = (("Content-Type", "application/json"),)

ODDITIES = (
    *r"""%zz % %4 %u0041 %00 %2F %2f %5C %5c \ ; ;a=1 // /// /. /./ /.. /../ /%2e/ /%2e%2e/ /%2E./ ..;/ # #a " < > ^ ` {
    | } [ ] %c0%af %252F %2e%2e%2f /..%5c""".split(),
    "\x7f", "\xe9", "\xc3\xa9", "\xff", "a" * 4100, "%61" * 2000, "/b" * 4000,
)  # fmt: skip
"""Parts of paths that stacks refuse or read in their own ways."""

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

CONTENT_CODINGS = ("identity", "IDENTITY", "Identity", "gzip", "br", "deflate", "x-gzip", "identity, gzip", "nonsense")

ODD_BYTES = (
    *rb"""" ' \ { } [ ] , : \ud800 \udc00 \udc00\ud800 \u \x41 \' /**/ # NaN Infinity 0x1 01 1. .5 +1 - 1e nul True
    undefined {} null ,,""".split(),
    b"\0", b"\x0b", b"\x0c", b"\x1f", b"\x85", b"\n", b"//c\n", b"\xef\xbb\xbf", b"\xc0\x80", b"\xed\xa0\x80", b"\xff",
    b"\xf4\x90\x80\x80", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xe3\x80\x80", b"",
)  # fmt: skip

ENCODINGS = "utf-16 utf-16-le utf-16-be utf-32 utf-32-be utf-8-sig utf-7 cp037".split()

METHODS_OF_OTHERS = "TRACE PROPFIND QUERY LINK PURGE FOO get Get M-SEARCH G!".split()

BLANKS = st.sampled_from(["", "", "", " ", "\n", "\t", "\r\n", "  "])


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


def framings() -> st.SearchStrategy[tuple[int, ...] | None]:
    """How a body is sent: mostly with its length, else in chunks."""
    return st.one_of(st.none(), st.none(), st.lists(st.integers(1, 3000), max_size=4).map(tuple))


def percent_encoded(data: bytes) -> str:
    """Every byte as `%XX`."""
    return "".join(f"%{byte:02X}" for byte in data)


@st.composite
def partly_encoded(draw: st.DrawFn, text: str) -> str:
    """`text` with some of its characters percent-encoded, in either case."""
    spellings = [(character, f"%{ord(character):02X}", f"%{ord(character):02x}") for character in text]
    return "".join(draw(st.sampled_from(spelling)) for spelling in spellings)


def ignored_fields() -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    """A few header fields that must change nothing."""
    name = st.text(ALPHANUMERIC + "-_.!#$%&'*+^`|~", min_size=1, max_size=10).map("X-{}".format)
    unknown = st.tuples(name, st.text(PRINTABLE + " ", max_size=20).map(str.strip))
    named = st.lists(st.sampled_from(IGNORED_FIELDS), max_size=4, unique_by=lambda field: field[0])
    return st.one_of(named, st.lists(unknown, max_size=1)).map(tuple)


JSON_TYPES = (
    *["application/json"] * 80,
    "application/json; charset=utf-8", "application/json;charset=UTF-8", "APPLICATION/JSON", "Application/Json ; a=b",
    "application/json;", "application/json; charset=latin1", 'application/json; a=";,"', "application/json\t; x",
    "", "application/jsonp", "application/problem+json", "application/json-patch+json", "text/json", "text/plain",
    "json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
    "application/json, text/plain", "text/plain; application/json", "application", "*/*",
    "application/*", "; application/json",
)  # fmt: skip


@st.composite
def content_fields(draw: st.DrawFn, *more_types: str) -> tuple[tuple[str, str], ...]:
    """Content-Type, mostly that of JSON, sometimes missing, and now and then a Content-Encoding."""
    fields = []
    if (media_type := draw(st.sampled_from([*JSON_TYPES, *more_types, None]))) is not None:
        fields.append((draw(st.sampled_from(["Content-Type", "content-type", "CONTENT-TYPE"])), media_type))
    if coding := draw(st.sampled_from([*CONTENT_CODINGS, *[None] * 80])):
        fields.append(("Content-Encoding", coding))
    return tuple(fields)


def queries(*odd: str) -> st.SearchStrategy[str]:
    """Nothing, or a query string with its question mark; `odd` are some of them."""
    text = st.text(QUERY_CHARACTERS, max_size=20).map("?{}".format)
    return st.one_of(st.just(""), text, st.sampled_from([*odd, "?" + "q" * 2000]))


# --- whole requests


def gets(paths: st.SearchStrategy[str]) -> st.SearchStrategy[Sent]:
    """GET and HEAD of these paths."""
    return st.builds(
        lambda method, path, fields: Sent(Request(method, path, fields)),
        st.sampled_from(["GET", "GET", "HEAD"]),
        paths,
        ignored_fields(),
    )


def any_method(
    paths: st.SearchStrategy[str],
    content: st.SearchStrategy[tuple[tuple[str, str], ...]],
    bodies: st.SearchStrategy[bytes],
) -> st.SearchStrategy[Sent]:
    """Any common method, with or without a body and the header fields of its content."""
    return st.builds(
        lambda method, path, fields, content, body, chunks: Sent(
            Request(method, path, (*fields, *(content if body is not None else ())), body), chunks
        ),
        st.sampled_from(METHODS),
        paths,
        ignored_fields(),
        content,
        st.one_of(st.none(), st.none(), bodies),
        framings(),
    )


def doubtful_requests(paths: st.SearchStrategy[str], doubtful_paths: st.SearchStrategy[str]) -> st.SearchStrategy[Sent]:
    """Requests that a stack may refuse or read in its own way, for their method or for their path."""
    return st.one_of(
        st.builds(Request, st.sampled_from(["GET", "GET", "HEAD", "POST", "DELETE"]), doubtful_paths),
        st.builds(Request, st.sampled_from([*METHODS_OF_OTHERS, "A" * 30]), paths),
    ).map(Sent)


# --- JSON


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
        character.map(lambda one: plain(one)[1:-1]),
        character.map(lambda one: json.dumps(one)[1:-1]),
        st.sampled_from([*r"\/ \u0041 \u00E9 \uD83D\uDE00 \b \n / \u0000 \" \\".split(), "\x7f", "\u2028", "a" * 50]),
    )
    return st.lists(part, max_size=6).map(lambda parts: '"' + "".join(["s", *parts]) + '"')


def plain(text: str) -> str:
    """A JSON string with as few escapes as JSON allows."""
    return json.dumps(text, ensure_ascii=False)


def slashes_escaped(text: str) -> str:
    """A JSON string in ASCII, its slashes escaped."""
    return json.dumps(text).replace("/", r"\/")


def every_character_escaped(text: str) -> str:
    """A JSON string of `\\u` escapes alone."""
    return '"' + "".join(f"\\u{unit:04x}" for unit in memoryview(text.encode("utf-16")[2:]).cast("H")) + '"'


# --- JSON bodies


@st.composite
def written(draw: st.DrawFn, members: dict[str, object]) -> bytes:
    """An object of these members, with order, escapes and white space as its writer liked them."""
    spell = draw(st.sampled_from([plain, plain, json.dumps, slashes_escaped, every_character_escaped]))
    spell_name = draw(st.sampled_from([plain, plain, plain, every_character_escaped]))
    tokens = ["", "{"]
    for number, name in enumerate(draw(st.permutations(list(members)))):
        value = members[name]
        tokens += [","] if number else []
        tokens += [spell_name(name), ":", spell(value) if isinstance(value, str) else json.dumps(value)]
    return "".join(token + draw(BLANKS) for token in [*tokens, "}"]).encode()


def json_texts(*names: str) -> st.SearchStrategy[str]:
    """The text of any JSON value; `names` are those that members are likely to have."""
    scalar = st.one_of(st.sampled_from(["null", "true", "false", '""', "[]", "{}"]), numbers(), strings())
    likely = st.sampled_from([*names, "", "__proto__", "constructor", "0"]).map(json.dumps)
    name = st.one_of(strings(), likely)

    def composed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        member = st.tuples(BLANKS, name, BLANKS, st.just(":"), BLANKS, inner, BLANKS).map("".join)
        array = st.lists(st.tuples(BLANKS, inner, BLANKS).map("".join), max_size=4).map(
            lambda all_: f"[{','.join(all_)}]"
        )
        return array | st.lists(member, max_size=4).map(lambda members: "{" + ",".join(members) + "}")

    return st.recursive(scalar, composed, max_leaves=8)


@st.composite
def mutated(draw: st.DrawFn, good: st.SearchStrategy[bytes]) -> bytes:
    """A good body with a few bytes removed, added or replaced."""
    body = draw(good)
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(body)))
        odd = draw(st.sampled_from(ODD_BYTES) | st.binary(max_size=3))
        body = body[:place] + odd + body[place + draw(st.integers(0, 3)) :]
    return body


def recoded(good: st.SearchStrategy[bytes], latin: str) -> st.SearchStrategy[bytes]:
    """Bodies in character encodings that JSON does not have, and good ones with something before or after.

    `latin` is a body that would be good in UTF-8, and is not all ASCII.
    """
    extra = st.sampled_from(ODD_BYTES)
    return st.one_of(
        st.builds(lambda text, encoding: text.decode().encode(encoding, "replace"), good, st.sampled_from(ENCODINGS)),
        st.just(latin.encode("latin-1")),
        st.tuples(extra, good).map(b"".join),
        st.tuples(good, extra).map(b"".join),
    )


@st.composite
def nested(draw: st.DrawFn, *forms: str) -> bytes:
    """Arrays and objects nested about as deep as the limit, whole or cut short; alone, or for NESTED in a form."""
    depth = draw(st.integers(NESTING_LIMIT - 3, NESTING_LIMIT + 2) | st.sampled_from([1000, 2700, 10_000]))
    kinds = draw(st.lists(st.sampled_from(["[]", ['{"a":', "}"]]), min_size=1, max_size=3))
    levels = [kinds[level % len(kinds)] for level in range(depth)]
    start, end = "".join(opening for opening, _ in levels), "".join(closing for _, closing in reversed(levels))
    text = start + draw(st.sampled_from(["1", '"a"', "[]", "{}"])) + end
    return draw(st.sampled_from([text, start, *(form.replace("NESTED", text) for form in forms)])).encode()


@st.composite
def sized(draw: st.DrawFn, limit: int, *parts: tuple[bytes, bytes, bytes]) -> bytes:
    """Bodies about as large as the limit: of each of `parts` the middle is repeated; and bad ones."""
    size = draw(st.integers(limit - 2, limit + 3) | st.sampled_from([limit + 5000, limit + 60_000]))
    start, filler, end = draw(st.sampled_from([*parts, (b"", b"\0", b""), (b"", b"[", b"")]))
    return start + filler * (size - len(start) - len(end)) + end
