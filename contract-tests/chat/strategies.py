"""Hypothesis strategies for requests to the chat service: ordinary ones, and those that a tired programmer forgets.

None of their paths begins with /socket.io: what is below it belongs to the library of servers that have one.
"""

# ruff: noqa: SIM905 (long lists of short words read better as text)

import json

from hypothesis import strategies as st
from request_strategies import (
    ODDITIES,
    PATH_CHARACTERS,
    Sent,
    any_method,
    content_fields,
    doubtful_requests,
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
    written,
)

from chat.model import ASSETS, BODY_LIMIT, LARGEST, TEXT_LIMIT, USER_LIMIT, Message
from samewire.http import Request

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
    return st.tuples(path, queries(*ODD_QUERIES)).map("".join)


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


def spelled(message: Message) -> bytes:
    """The body that posts `message`, in its plainest form."""
    members = {"user": message.user, "text": message.text}
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()


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
            form.replace("USER", plain(message.user), 1)
            .replace("TEXT", plain(message.text), 1)
            .replace("OTHER", other)
            .encode()
        ),
        st.sampled_from(STRUCTURES),
        messages(),
        json_texts("user", "text", "User"),
    )


def bodies() -> st.SearchStrategy[bytes]:
    """Request bodies of all sorts."""
    text = json_texts("user", "text", "User").map(str.encode)
    good, latin = good_bodies(), '{"user":"ana","text":"café"}'
    deep = nested('{"user":"ana","text":NESTED}', '{"a":NESTED,"user":"ana"}')
    large = sized(
        BODY_LIMIT,
        (b'{"user":"ana","text":"oi"', b" ", b"}"),
        (b'{"user":"ana","text":"oi', b"x", b'"}'),
        (b"", b" ", b'{"user":"ana","text":"oi"}'),
        (b'{"user":"ana"}', b"\n", b""),
    )
    broken = mutated(good)
    odd = st.one_of(structures(), text, broken, broken, recoded(good, latin), deep, large, st.binary(max_size=20))
    # Many good ones, since a bad body hides what is wrong with a header field.
    return st.one_of(good_bodies(), near_bodies(), near_bodies(), odd, odd)


# --- whole requests


def lookups() -> st.SearchStrategy[Sent]:
    """GET and HEAD of any path on which every stack must agree."""
    return gets(paths())


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
    return any_method(st.one_of(routes, paths()), content_fields(), bodies())


def posts() -> st.SearchStrategy[Sent]:
    """POST with a body of any sort."""
    paths = st.one_of(
        st.just("/messages"),
        partly_encoded("messages").map("/{}".format),
        queries(*ODD_QUERIES).map("/messages{}".format),
    )
    return st.builds(
        lambda path, fields, content, body, chunks: Sent(Request("POST", path, (*fields, *content), body), chunks),
        paths,
        st.one_of(st.just(()), ignored_fields()),
        content_fields(),
        bodies(),
        framings(),
    )


def doubtful() -> st.SearchStrategy[Sent]:
    """Requests that a stack may refuse or read in its own way."""
    return doubtful_requests(paths(), doubtful_paths())
