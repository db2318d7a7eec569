"""Hypothesis strategies for requests to the shortener: ordinary ones, and those that a tired programmer forgets."""

# ruff: noqa: SIM905 (long lists of short words read better as text)

import json
import string
from collections.abc import Sequence

from hypothesis import strategies as st
from request_strategies import (
    ALPHANUMERIC,
    BLANKS,
    JSON,
    ODDITIES,
    PATH_CHARACTERS,
    PRINTABLE,
    Sent,
    any_method,
    content_fields,
    doubtful_requests,
    every_character_escaped,
    framings,
    gets,
    ignored_fields,
    json_texts,
    mutated,
    nested,
    partly_encoded,
    percent_encoded,
    plain,
    queries,
    recoded,
    sized,
    slashes_escaped,
)

from samewire.http import Request
from shortener.model import BODY_LIMIT, URL_LIMIT

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
    return st.tuples(path, queries(*ODD_QUERIES)).map("".join)


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


def spelled(url: str) -> bytes:
    """The body that asks for `url`, in its plainest form."""
    return f'{{"url":{plain(url)}}}'.encode()


@st.composite
def written(draw: st.DrawFn, url: str) -> bytes:
    """The body that asks for `url`, with escapes and white space as its writer liked them."""
    # Six bytes for each character would take a long URL over the limit of the body.
    spellings = [plain, plain, json.dumps, slashes_escaped, *([every_character_escaped] if len(url) < 1000 else [])]
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
        good_urls().map(plain),
        json_texts("url", "Url"),
    )


def bodies() -> st.SearchStrategy[bytes]:
    """Request bodies of all sorts."""
    near = urls_near_the_rule().flatmap(written)
    text = json_texts("url", "Url").map(str.encode)
    good, latin = good_bodies(), '{"url":"http://a.example/é"}'
    deep = nested('{"url":NESTED}', '{"a":NESTED,"url":"http://a.example"}')
    large = sized(
        BODY_LIMIT,
        (b'{"url":"http://a.example"', b" ", b"}"),
        (b'{"url":"http://a.example', b"x", b'"}'),
        (b"", b" ", b'{"url":"http://a.example"}'),
        (b'{"url":"http://a.example"}', b"\n", b""),
    )
    broken = mutated(good)
    odd = st.one_of(structures(), text, broken, broken, recoded(good, latin), deep, large, st.binary(max_size=20))
    # Many good ones, since a bad body hides what is wrong with a header field.
    return st.one_of(good_bodies(), near, odd, odd)


# --- whole requests


def lookups(hashes: Sequence[str]) -> st.SearchStrategy[Sent]:
    """GET and HEAD of any path on which every stack must agree."""
    return gets(paths(hashes))


def methods_and_paths(hashes: Sequence[str]) -> st.SearchStrategy[Sent]:
    """Any common method on any path, with or without a body of any type."""
    routes = st.sampled_from(["/", "/links", "/links/", "/healthz", f"/{hashes[0]}", f"/links/{hashes[0]}"])
    return any_method(st.one_of(routes, paths(hashes)), content_fields("application /json"), bodies())


def creations() -> st.SearchStrategy[Sent]:
    """POST /links with a body of any sort."""
    path = st.one_of(
        st.just("/links"),
        st.just("/links"),
        partly_encoded("links").map("/{}".format),
        queries(*ODD_QUERIES).map("/links{}".format),
    )
    return st.builds(
        lambda path, fields, content, body, chunks: Sent(Request("POST", path, (*fields, *content), body), chunks),
        path,
        st.one_of(st.just(()), ignored_fields()),
        content_fields("application /json"),
        bodies(),
        framings(),
    )


def doubtful(hashes: Sequence[str]) -> st.SearchStrategy[Sent]:
    """Requests that a stack may refuse or read in its own way."""
    return doubtful_requests(paths(hashes), doubtful_paths(hashes))
