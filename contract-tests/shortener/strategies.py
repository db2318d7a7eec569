"""Hypothesis strategies for requests to the shortener: ordinary ones, and those that a tired programmer forgets."""

# ruff: noqa: SIM905 (long lists of short words read better as text)

import json
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from samewire.http import Request, compact
from shortener.model import BODY_LIMIT, METHODS, NESTING_LIMIT, URL_LIMIT

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

# Names of routes, of members that every JavaScript object has, of what web servers add by themselves, and near-hashes.
NAMES = """
    healthz links Healthz LINKS link linkss favicon.ico index.php index.html .env server-status icons cgi-bin ~root ~
    * __proto__ constructor toString valueOf null undefined 000000 123456 1e1000 -00000 ... .... $where %7B%7Bx%7D%7D
""".split()
# Line ends, blanks, a letter, a digit and a one that only Unicode calls so, an incomplete UTF-8 sequence.
ODD_ENCODED = "%0A %0D %20 %09 %7F _ - . + %C3%A9 %D9%A1 %EF%BC%91 %FF %C3 %25 %3F %23".split()
ODD_QUERIES = """
    ? ?? ?a=1&a=2 ?hash=dktPz4 ?url=http://a.example/ ?/../healthz ?%C3%A9=%2F%3B ?XDEBUG_SESSION_START=1
    ?-s ?=PHPB8B5F2A0
""".split()


def percent_encoded(data: bytes) -> str:
    """Every byte as `%XX`."""
    return "".join(f"%{byte:02X}" for byte in data)


@st.composite
def partly_encoded(draw: st.DrawFn, text: str) -> str:
    """`text` with some of its characters percent-encoded, in either case."""
    spellings = [(character, f"%{ord(character):02X}", f"%{ord(character):02x}") for character in text]
    return "".join(draw(st.sampled_from(spelling)) for spelling in spellings)


@st.composite
def near_miss(draw: st.DrawFn, hash_: str) -> str:
    """A segment that is almost `hash_`."""
    place = draw(st.integers(0, len(hash_) - 1))
    before, one, after = hash_[:place], hash_[place], hash_[place + 1 :]
    odd = draw(st.sampled_from(ODD_ENCODED))
    doubly = percent_encoded(hash_.encode()).replace("%", "%25")
    misses = (
        before + one.swapcase() + after,
        before + after,
        before + odd + after,
        hash_ + one,
        hash_ + odd,
        odd + hash_,
    )
    return draw(st.sampled_from((*misses, hash_[::-1], doubly)))


def segments(hashes: Sequence[str]) -> st.SearchStrategy[str]:
    """One path segment, percent-encoded; none that a stack may read in its own way."""
    hash_ = st.sampled_from(hashes)
    parts = st.sampled_from(["a", "%61", "dktPz4", "%C3%A9", "-"])
    return st.one_of(
        hash_,
        hash_.flatmap(partly_encoded),
        hash_.flatmap(near_miss),
        st.text(ALPHANUMERIC, min_size=6, max_size=6),
        st.sampled_from(NAMES),
        st.sampled_from(["healthz", "links"]).flatmap(partly_encoded),
        st.text(PATH_CHARACTERS, max_size=12),
        st.binary(min_size=1, max_size=8).map(percent_encoded),
        st.builds(lambda part, times: part * times, parts, st.integers(1, 600)),
    )


def queries() -> st.SearchStrategy[str]:
    """Nothing, or a query string with its question mark."""
    text = st.text(QUERY_CHARACTERS, max_size=20).map("?{}".format)
    return st.one_of(st.just(""), text, st.sampled_from([*ODD_QUERIES, "?" + "q" * 2000]))


def paths(hashes: Sequence[str]) -> st.SearchStrategy[str]:
    """Paths on which every stack must agree, with a query string now and then."""
    segment = segments(hashes)
    path = st.one_of(
        segment.map("/{}".format),
        segment.map("/{}".format),
        segment.map("/links/{}".format),
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


def doubtful_paths(hashes: Sequence[str]) -> st.SearchStrategy[str]:
    """Paths with oddities, beside or within good ones."""
    oddity = st.sampled_from(ODDITIES)
    good = st.sampled_from([f"/{hashes[0]}", f"/links/{hashes[0]}", "/healthz", "/links", "/"])
    query = st.sampled_from("?%zz ?% ?%00 ?\xe9 ?[a] ?| ?#".split())
    return st.one_of(
        st.lists(segments(hashes) | oddity, min_size=1, max_size=4).map(lambda parts: "/" + "".join(parts)),
        st.builds(lambda path, odd, at: "/" + path[1:at] + odd + path[max(1, at) :], good, oddity, st.integers(1, 12)),
        st.tuples(good, query).map("".join),
    )


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
    "application/json, text/plain", "text/plain; application/json", "application /json", "application", "*/*",
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


# --- URLs


def url_of_length(length: int) -> str:
    """A good URL of so many bytes, if that is not more than the limit."""
    return "http://a.example/".ljust(length, "x")


def good_urls() -> st.SearchStrategy[str]:
    """URLs that the contract takes."""
    scheme = st.sampled_from(["http", "https", "HTTP", "hTtPs"])
    host = st.text(ALPHANUMERIC + "._-", min_size=1, max_size=12)
    port = st.text(string.digits, min_size=1, max_size=5).map(":{}".format)
    tail = st.tuples(st.sampled_from("/?#"), st.text(PRINTABLE, max_size=30)).map("".join)
    whole = st.tuples(scheme, st.just("://"), host, st.just("") | port, st.just("") | tail).map("".join)
    return st.one_of(whole, whole, st.integers(URL_LIMIT - 3, URL_LIMIT).map(url_of_length))


ODD_IN_URLS = (
    *r"""\ " @ : ::1 [::1] :0 :99999 :123456 :-1 % %00 .. // ? # < ' é １ ſ K 😀 ü.example""".split(),
    *" \n\r\t\0\x7f\x1f\x85\xa0\xad\u2028\ufeff\u3000",
)
ODD_URLS = (
    *r"""http http: http:/ http:// https:// http:///a //a.example a.example ftp://a.example javascript:alert(1) httpss://a
    http//a http://u@a http://a: http://a:/ http://a:1:2 http://a:99999/ http://a:100000 http://[::1]/ xhttp://a http://-
    http://. http://_ http://a? http://a# http://a\b http://a/é http:\\a http://a/% http://ａ http://a/~!$&'()*+,;=:@%zz
    http://a/<"'>""".split(),
    "", "http://a\n", " http://a", "http://a ", "http://a/\x7f", "http://a\r\nX: y", "http://a\nhttp://b",
    *(url_of_length(URL_LIMIT - missing) + "é" for missing in range(4)),
    *(url_of_length(URL_LIMIT + more) for more in range(-2, 3)),
)  # fmt: skip


@st.composite
def urls_near_the_rule(draw: st.DrawFn) -> str:
    """Strings about as likely to keep the rule as to break it."""
    url = draw(good_urls())
    place = draw(st.integers(0, min(len(url), 60)))
    odd = draw(st.sampled_from(ODD_IN_URLS) | st.characters(exclude_categories=["Cs"]))
    changed = url[:place] + odd + url[place + draw(st.integers(0, 2)) :]
    return draw(st.sampled_from([url, url, changed, draw(st.sampled_from(ODD_URLS))]))


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
    name = st.one_of(strings(), st.sampled_from(['"url"', '""', '"__proto__"', '"constructor"', '"0"', '"Url"']))

    def composed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        member = st.tuples(BLANKS, name, BLANKS, st.just(":"), BLANKS, inner, BLANKS).map("".join)
        array = st.lists(st.tuples(BLANKS, inner, BLANKS).map("".join), max_size=4).map(
            lambda all_: f"[{','.join(all_)}]"
        )
        return array | st.lists(member, max_size=4).map(lambda members: "{" + ",".join(members) + "}")

    return st.recursive(scalar, composed, max_leaves=8)


def _plain(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def spelled(url: str) -> bytes:
    """The body that asks for `url`, in its plainest form."""
    return f'{{"url":{_plain(url)}}}'.encode()


def _every_character_escaped(text: str) -> str:
    return '"' + "".join(f"\\u{unit:04x}" for unit in memoryview(text.encode("utf-16")[2:]).cast("H")) + '"'


def _slashes_escaped(text: str) -> str:
    return json.dumps(text).replace("/", r"\/")


@st.composite
def written(draw: st.DrawFn, url: str) -> bytes:
    """The body that asks for `url`, with escapes and white space as its writer liked them."""
    # Six bytes for each character would take a long URL over the limit of the body.
    spellings = [_plain, _plain, json.dumps, _slashes_escaped, *([_every_character_escaped] if len(url) < 1000 else [])]
    spell = draw(st.sampled_from(spellings))
    name = draw(st.sampled_from(['"url"', '"url"', '"url"', r'"\u0075rl"', r'"\u0075\u0072\u006C"']))
    tokens = ["", "{", name, ":", spell(url), "}"]
    return "".join(token + draw(BLANKS) for token in tokens).encode()


def good_bodies() -> st.SearchStrategy[bytes]:
    """Bodies that make a link."""
    return good_urls().flatmap(written)


def good_creations() -> st.SearchStrategy[Sent]:
    """Requests that make a link."""
    return st.builds(
        lambda body, chunks: Sent(Request("POST", "/links", JSON, body), chunks), good_bodies(), framings()
    )


STRUCTURES = r"""
    OTHER {"url":OTHER} {"url":URL,"url":OTHER} {"url":OTHER,"url":URL} {"url":URL,"more":OTHER}
    {"more":OTHER,"url":URL} {"url":URL,"__proto__":OTHER} {"__proto__":{"url":URL}} {"":URL} {"URL":URL}
    {"url\u0020":URL} {"url\u0000":URL} [{"url":URL}] ["url",URL] {"url":[URL]} {"url":{"url":URL}} URL
""".split()


def structures() -> st.SearchStrategy[bytes]:
    """Well-formed JSON that is close to a good body: more members, other types, duplicates, wrappers."""
    return st.builds(
        lambda form, url, other: form.replace("URL", url, 1).replace("OTHER", other, 1).encode(),
        st.sampled_from(STRUCTURES),
        good_urls().map(_plain),
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
        st.builds(lambda text, encoding: text.decode().encode(encoding), body, st.sampled_from(ENCODINGS)),
        good_urls().map(lambda url: f'{{"url":"{url}é"}}'.encode("latin-1")),
        st.tuples(extra, body).map(b"".join),
        st.tuples(body, extra).map(b"".join),
    )


@st.composite
def nested(draw: st.DrawFn) -> bytes:
    """Arrays and objects nested about as deep as the limit, whole or cut short, alone or within an object."""
    depth = draw(st.integers(NESTING_LIMIT - 3, NESTING_LIMIT + 2) | st.sampled_from([1000, 2700]))
    kinds = draw(st.lists(st.sampled_from(["[]", ['{"a":', "}"]]), min_size=1, max_size=3))
    levels = [kinds[level % len(kinds)] for level in range(depth)]
    start, end = "".join(opening for opening, _ in levels), "".join(closing for _, closing in reversed(levels))
    text = start + draw(st.sampled_from(["1", '"a"', "[]", "{}"])) + end
    return draw(
        st.sampled_from([text, f'{{"url":{text}}}', f'{{"a":{text},"url":"http://a.example"}}', start])
    ).encode()


@st.composite
def sized(draw: st.DrawFn) -> bytes:
    """Bodies about as large as the limit: good ones padded, and bad ones."""
    size = draw(st.integers(BODY_LIMIT - 2, BODY_LIMIT + 3) | st.sampled_from([10_000, 70_000]))
    start, filler, end = draw(
        st.sampled_from([
            (b'{"url":"http://a.example"', b" ", b"}"),
            (b'{"url":"http://a.example', b"x", b'"}'),
            (b"", b" ", b'{"url":"http://a.example"}'),
            (b'{"url":"http://a.example"}', b"\n", b""),
            (b"", b"\0", b""),
            (b"", b"[", b""),
        ])
    )  # fmt: skip
    return start + filler * (size - len(start) - len(end)) + end


def bodies() -> st.SearchStrategy[bytes]:
    """Request bodies of all sorts."""
    near = urls_near_the_rule().flatmap(written)
    text = json_texts().map(str.encode)
    odd = st.one_of(structures(), text, mutated(), mutated(), recoded(), nested(), sized(), st.binary(max_size=20))
    # Many good ones, since a bad body hides what is wrong with a header field.
    return st.one_of(good_bodies(), near, odd, odd)


# --- whole requests


def framings() -> st.SearchStrategy[tuple[int, ...] | None]:
    """How a body is sent: mostly with its length, else in chunks."""
    return st.one_of(st.none(), st.none(), st.lists(st.integers(1, 3000), max_size=4).map(tuple))


def lookups(hashes: Sequence[str]) -> st.SearchStrategy[Sent]:
    """GET and HEAD of any path on which every stack must agree."""
    return st.builds(
        lambda method, path, fields: Sent(Request(method, path, fields)),
        st.sampled_from(["GET", "GET", "HEAD"]),
        paths(hashes),
        ignored_fields(),
    )


def methods_and_paths(hashes: Sequence[str]) -> st.SearchStrategy[Sent]:
    """Any common method on any path, with or without a body of any type."""
    routes = st.sampled_from(["/", "/links", "/links/", "/healthz", f"/{hashes[0]}", f"/links/{hashes[0]}"])
    return st.builds(
        lambda method, path, fields, content, body, chunks: Sent(
            Request(method, path, (*fields, *(content if body is not None else ())), body), chunks
        ),
        st.sampled_from(METHODS),
        st.one_of(routes, paths(hashes)),
        ignored_fields(),
        content_fields(),
        st.one_of(st.none(), st.none(), bodies()),
        framings(),
    )


def creations() -> st.SearchStrategy[Sent]:
    """POST /links with a body of any sort."""
    path = st.one_of(
        st.just("/links"),
        st.just("/links"),
        partly_encoded("links").map("/{}".format),
        queries().map("/links{}".format),
    )
    return st.builds(
        lambda path, fields, content, body, chunks: Sent(Request("POST", path, (*fields, *content), body), chunks),
        path,
        st.one_of(st.just(()), ignored_fields()),
        content_fields(),
        bodies(),
        framings(),
    )


METHODS_OF_OTHERS = "TRACE PROPFIND QUERY LINK PURGE FOO get Get M-SEARCH G!".split()


def doubtful(hashes: Sequence[str]) -> st.SearchStrategy[Sent]:
    """Requests that a stack may refuse or read in its own way."""
    return st.one_of(
        st.builds(Request, st.sampled_from(["GET", "GET", "HEAD", "POST", "DELETE"]), doubtful_paths(hashes)),
        st.builds(Request, st.sampled_from([*METHODS_OF_OTHERS, "A" * 30]), paths(hashes)),
    ).map(Sent)
