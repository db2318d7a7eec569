"""Hypothesis strategies for what `openapi.yaml` says of links in words: hashes, and URLs that are taken or refused."""

import string
from collections.abc import Sequence

from hypothesis import strategies as st
from openapi_requests import operations, spelled

LINKS = operations("shortener")
MAKE, READ, LOOKUP = (LINKS[id_] for id_ in ("createLink", "readLink", "lookup"))

URL_LIMIT = MAKE.body["properties"]["url"]["maxLength"]

_UNRESERVED = string.ascii_letters + string.digits + "-._~"
_PATH = _UNRESERVED + "!$&'()*+,;=:@/"


def _text(characters: str) -> st.SearchStrategy[str]:
    """Characters of a part of a URL, some of them percent-encoded (RFC 3986, 2)."""
    encoded = st.integers(0, 255).map("%{:02X}".format)
    return st.lists(st.sampled_from(characters) | encoded, max_size=20).map("".join)


def urls() -> st.SearchStrategy[str]:
    """URLs that every server takes."""
    label = st.from_regex("[a-z]([a-z0-9]{0,8}|[a-z0-9]{1,4}-[a-z0-9]{1,4})", fullmatch=True)
    name = st.lists(label, min_size=1, max_size=3).map(lambda labels: ".".join([*labels, "example"]))
    host = st.one_of(name, name, st.sampled_from(["192.0.2.1", "www.example.com.br", "a.co"]))
    port = st.just("") | st.integers(1, 65535).map(":{}".format)
    path = st.just("") | _text(_PATH).map("/{}".format)
    query = st.just("") | _text(_PATH + "?").map("?{}".format)
    fragment = st.just("") | _text(_PATH + "?").map("#{}".format)
    whole = st.tuples(st.sampled_from(["http://", "https://"]), host, port, path, query, fragment).map("".join)
    long = st.integers(URL_LIMIT - 3, URL_LIMIT).map(lambda length: "http://example.org/".ljust(length, "a"))
    return st.one_of(whole, whole, whole, long)


def bad_urls() -> st.SearchStrategy[str]:
    """Texts that no server takes for an absolute http or https URL."""
    words = st.text(string.ascii_letters + string.digits + " ./-", max_size=30)
    other = st.sampled_from(["ftp", "ws", "file", "gopher", "httpx", "htp"])
    return st.one_of(
        words,
        st.tuples(other, st.just("://example.org/"), words).map("".join),
        st.tuples(st.sampled_from(["mailto:a@example.org?subject=", "javascript:", "data:,"]), words).map("".join),
        st.sampled_from(
            ["http", "http:", "http://", "https://", "//example.org/", "http//example.org", "example.org:80"]
        ),
        st.integers(URL_LIMIT + 1, URL_LIMIT + 1000).map(lambda length: "http://example.org/".ljust(length, "a")),
    )


OWN = {"url": urls()}
"""Strategies for members by name."""


def near(hashes: Sequence[str]) -> st.SearchStrategy[str]:
    """Hashes that are not these, but nearly: in another case, cut, lengthened, turned round; and any others."""
    ways = (str.swapcase, lambda one: one[:-1], lambda one: one[1:], lambda one: one + "0", lambda one: one[::-1])
    changed = st.tuples(st.sampled_from(ways), st.sampled_from(hashes)).map(lambda pair: pair[0](pair[1]))
    return st.one_of(changed, st.from_regex("[0-9A-Za-z]{1,12}", fullmatch=True)).filter(
        lambda one: one not in ("links", "healthz")
    )


def spelled_link(url: str) -> bytes:
    """The body that asks for `url`."""
    return spelled({"url": url})
