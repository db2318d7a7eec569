"""Hypothesis strategies for requests to the todo service: ordinary ones, and those that a tired programmer forgets.

None of them names a todo that may be another test's: a good id comes from the caller or is too large to be anybody's.
"""

# ruff: noqa: SIM905 (long lists of short words read better as text)

import json
import re
from urllib.parse import unquote

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

from samewire.http import Request
from todo.model import BODY_LIMIT, LARGEST, TITLE_LIMIT, Todo

NOBODYS = 2**62
"""No test gets so far as to make a todo of this id."""


# --- paths

# Names of routes, of members that every JavaScript object has, of what web servers add by themselves, and near-ids.
NAMES = """
    healthz todos Healthz TODOS todo todoss favicon.ico index.php index.html .env server-status icons cgi-bin ~root ~
    * __proto__ constructor toString valueOf null undefined NaN Infinity 0 00 01 -0 -1 +1 1.0 1e3 0x1 1_0 ... ....
    $where %7B%7Bx%7D%7D 9223372036854775808 18446744073709551617 99999999999999999999
""".split()
# Line ends, blanks, a letter, a digit and a one that only Unicode calls so, an incomplete UTF-8 sequence.
ODD_ENCODED = "%0A %0D %20 %09 %7F _ - . + %C3%A9 %D9%A1 %EF%BC%91 %FF %C3 %25 %3F %23".split()
ODD_QUERIES = """
    ? ?? ?a=1&a=2 ?id=1 ?title=milk ?/../healthz ?%C3%A9=%2F%3B ?XDEBUG_SESSION_START=1 ?-s ?=PHPB8B5F2A0
""".split()


def nobodys_ids() -> st.SearchStrategy[str]:
    """Good ids that no todo has."""
    return st.one_of(st.sampled_from([LARGEST, LARGEST - 1, NOBODYS]), st.integers(NOBODYS, LARGEST)).map(str)


@st.composite
def near_ids(draw: st.DrawFn) -> str:
    """A segment that is almost an id, or one that is too large."""
    id_ = draw(nobodys_ids())
    place = draw(st.integers(0, len(id_)))
    odd = draw(st.sampled_from(ODD_ENCODED))
    misses = (id_[:place] + odd + id_[place:], odd + id_, id_ + odd, "0" + id_, id_ + "0", "9" + id_, f"-{id_}")
    return draw(st.sampled_from(misses))


def segments() -> st.SearchStrategy[str]:
    """One path segment, percent-encoded; none that a stack may read in its own way, and no id of anybody's todo."""
    parts = st.sampled_from(["a", "%61", "%31", "%C3%A9", "-"])
    return st.one_of(
        nobodys_ids(),
        nobodys_ids().flatmap(partly_encoded),
        near_ids(),
        st.sampled_from(NAMES),
        st.sampled_from(["healthz", "todos"]).flatmap(partly_encoded),
        st.text(PATH_CHARACTERS, max_size=12),
        st.binary(min_size=1, max_size=8).map(percent_encoded),
        st.builds(lambda part, times: part * times, parts, st.integers(1, 600)),
    ).map(_of_nobody)


def _of_nobody(segment: str) -> str:
    id_ = unquote(segment)
    return f"{segment}x" if re.fullmatch("[1-9][0-9]{0,18}", id_) and int(id_) < NOBODYS else segment


def paths() -> st.SearchStrategy[str]:
    """Paths on which every stack must agree, with a query string now and then."""
    segment = segments()
    path = st.one_of(
        segment.map("/todos/{}".format),
        segment.map("/todos/{}".format),
        segment.map("/{}".format),
        st.lists(segment, max_size=5).map(lambda several: "/" + "/".join(several)),
        segment.map("/todos/{}/".format),
        st.integers(1, 400).map(lambda depth: "/a" * depth),
    )
    return st.tuples(path, queries(*ODD_QUERIES)).map("".join)


def doubtful_paths() -> st.SearchStrategy[str]:
    """Paths with oddities, beside or within good ones."""
    oddity = st.sampled_from(ODDITIES)
    good = st.sampled_from([f"/todos/{LARGEST}", "/todos/0", "/healthz", f"/todos?after={LARGEST}", "/"])
    plain = st.sampled_from([f"/todos/{LARGEST}", "/todos/0", "/healthz", "/"])
    query = st.sampled_from(
        "?%zz ?% ?%00 ?\xe9 ?[a] ?| ?# ?limit=%zz ?limit=% ?after=\xff ?limit=%00 ?limit=%FF".split()
    )
    return st.one_of(
        st.lists(segments() | oddity, min_size=1, max_size=4).map(lambda parts: "/todos/" + "".join(parts)),
        st.lists(segments() | oddity, min_size=1, max_size=4).map(lambda parts: "/" + "".join(parts)),
        st.builds(lambda path, odd, at: "/" + path[1:at] + odd + path[max(1, at) :], plain, oddity, st.integers(1, 12)),
        st.tuples(good, query).map("".join),
        query.map("/todos{}".format),
    )


# --- parameters of lists

NUMBERS = """
    0 1 2 3 5 9 10 49 50 51 99 100 101 1000 -1 +1 %2B1 -0 00 01 1.0 1. .5 1e1 0x1 1_0 %201 1%20 1%0A +5 5+ %31 %31%30
    %D9%A1 %EF%BC%91 %C2%B2 null NaN true x 5x 5;after=1 5=5 %FF1%FF 4294967297 9007199254740993 9223372036854775806
    9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551617 99999999999999999999
""".split()
NEAR_NAMES = """
    Limit LIMIT limits limi After afte %20limit limit%20 limit%5B%5D limit. limit_ +limit ?limit page offset %C3%A9 -
""".split()


@st.composite
def parameters(draw: st.DrawFn) -> str:
    """A query string with its question mark: limits, afters and others, in any number and order."""
    names = st.one_of(
        st.sampled_from(["limit", "after", "limit", "after", *NEAR_NAMES, ""]),
        st.sampled_from(["limit", "after"]).flatmap(partly_encoded),
    )
    good_limit = st.integers(1, 100).map("limit={}".format)
    good_after = st.integers(NOBODYS, LARGEST).map("after={}".format)
    values = st.one_of(st.sampled_from([*NUMBERS, ""]), st.text(PATH_CHARACTERS, max_size=5))
    any_pair = st.tuples(names, st.sampled_from(["=", "=", "=", ""]), values).map("".join)
    pairs = draw(st.lists(st.one_of(good_limit, good_after, good_after, any_pair, st.just("")), max_size=4))
    return "?" + "&".join(pairs)


# --- todos

WHITE_SPACE = " \t\n\v\f\r"
ODD_IN_TITLES = (
    *r"""\ " ' / <b> & $1 ? %s {0} ; -- é １ ſ 😀 𐀀 ％00""".split(),
    *WHITE_SPACE, "e\u0301", "\U0001f468\u200d\U0001f469", "\0", "\x01", "\x1c", "\x1f", "\x7f", "\x85", "\xa0",
    "\u1680", "\u200b", "\u2028", "\u3000", "\ud7ff", "\ue000", "\ufdd0", "\ufeff", "\ufffd", "\uffff", "\U0010ffff",
)  # fmt: skip
BAD_TITLES = ("", " ", WHITE_SPACE, " " * TITLE_LIMIT, "\0", "milk\0", " \0 ")


def _with_something(title: str) -> str:
    return title if title.strip(WHITE_SPACE) else f"{title}x"[-TITLE_LIMIT:]


def good_titles() -> st.SearchStrategy[str]:
    """Titles that the contract takes."""
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
    odd = st.lists(st.sampled_from([one for one in ODD_IN_TITLES if one != "\0"]), min_size=1, max_size=8).map("".join)
    long = st.builds(
        lambda one, length: one * length,
        st.sampled_from(["a", "é", "牛", "😀", '"', "\x01"]),
        st.integers(TITLE_LIMIT - 2, TITLE_LIMIT),
    )
    return st.one_of(st.sampled_from(["milk", "bread"]), text, odd, long).map(_with_something)


def near_titles() -> st.SearchStrategy[str]:
    """Strings about as likely to keep the rule as to break it."""
    odd = st.lists(st.sampled_from(ODD_IN_TITLES), max_size=6).map("".join)
    blank = st.text(WHITE_SPACE + "\0\x1c\x85\xa0", max_size=6)
    long = st.builds(
        lambda one, length, end: one * length + end,
        st.sampled_from(["a", "é", "😀", " ", "\r"]),
        st.integers(TITLE_LIMIT - 2, TITLE_LIMIT + 2),
        st.sampled_from(["", "x", "😀", "\0", " "]),
    )
    return st.one_of(good_titles(), odd, blank, long, st.sampled_from(BAD_TITLES))


def todos() -> st.SearchStrategy[Todo]:
    """Todos that the contract takes."""
    return st.builds(Todo, good_titles(), st.booleans())


def spelled(todo: Todo) -> bytes:
    """The body that makes `todo` or puts it in another's place, in its plainest form."""
    return spelled_members({"title": todo.title, "completed": todo.completed})


def spelled_members(members: dict[str, object]) -> bytes:
    """An object of these members in its plainest form."""
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()


def good_bodies() -> st.SearchStrategy[bytes]:
    """Bodies that POST, PUT and PATCH all take."""
    members = st.fixed_dictionaries({"title": good_titles(), "completed": st.booleans()})
    return members.flatmap(written)


def near_bodies() -> st.SearchStrategy[bytes]:
    """Objects that may lack a member, have one more, or break a rule of one."""
    nearly_boolean = st.sampled_from([True, False, True, False, None, 0, 1, "true", "", [], {}, [True]])
    others = st.sampled_from("id Title done a b __proto__ constructor toJSON é 😀 \ufffd".split()) | st.just("")
    return st.builds(
        lambda members, more: {**members, **dict.fromkeys(more, 1)},
        st.fixed_dictionaries({}, optional={"title": near_titles(), "completed": nearly_boolean}),
        st.one_of(st.just([]), st.just([]), st.lists(others, max_size=2)),
    ).flatmap(written)


STRUCTURES = r"""
    OTHER {"title":OTHER} {"completed":OTHER} {"title":TITLE,"title":OTHER} {"title":OTHER,"title":TITLE}
    {"title":TITLE,"completed":OTHER} {"title":OTHER,"completed":OTHER} {"title":TITLE,"more":OTHER}
    {"more":OTHER,"title":TITLE,"completed":true} {"title":TITLE,"__proto__":OTHER} {"__proto__":{"title":TITLE}}
    {"":TITLE} {"TITLE":TITLE} {"title\u0020":TITLE} {"title\u0000":TITLE} [{"title":TITLE}] ["title",TITLE]
    {"title":[TITLE]} {"title":{"title":TITLE}} TITLE {"completed":true,"completed":OTHER} {"b":OTHER,"a":OTHER}
""".split()


def structures() -> st.SearchStrategy[bytes]:
    """Well-formed JSON that is close to a good body: more members, other types, duplicates, wrappers."""
    return st.builds(
        lambda form, title, other: form.replace("TITLE", title, 1).replace("OTHER", other).encode(),
        st.sampled_from(STRUCTURES),
        good_titles().map(plain),
        json_texts("title", "Title"),
    )


def bodies() -> st.SearchStrategy[bytes]:
    """Request bodies of all sorts."""
    text = json_texts("title", "Title").map(str.encode)
    good, latin = good_bodies(), '{"title":"café"}'
    deep = nested('{"title":NESTED}', '{"a":NESTED,"title":"milk"}')
    large = sized(
        BODY_LIMIT,
        (b'{"title":"milk","completed":true', b" ", b"}"),
        (b'{"title":"milk', b"x", b'"}'),
        (b"", b" ", b'{"title":"milk"}'),
        (b'{"completed":false}', b"\n", b""),
    )
    broken = mutated(good)
    odd = st.one_of(structures(), text, broken, broken, recoded(good, latin), deep, large, st.binary(max_size=20))
    # Many good ones, since a bad body hides what is wrong with a header field.
    return st.one_of(good_bodies(), near_bodies(), near_bodies(), odd, odd)


# --- whole requests


def lookups() -> st.SearchStrategy[Sent]:
    """GET and HEAD of any path on which every stack must agree."""
    return gets(paths())


def lists() -> st.SearchStrategy[Sent]:
    """GET and HEAD of /todos with any parameters, none of which lets others' todos be seen."""
    return st.builds(
        lambda method, path, query, fields: Sent(Request(method, path + query, fields)),
        st.sampled_from(["GET", "GET", "HEAD"]),
        st.one_of(st.just("/todos"), st.just("/todos"), partly_encoded("todos").map("/{}".format)),
        parameters(),
        st.one_of(st.just(()), ignored_fields()),
    )


def methods_and_paths() -> st.SearchStrategy[Sent]:
    """Any common method on any path, with or without a body of any type."""
    routes = st.sampled_from(["/", "/todos", "/todos/", "/healthz", f"/todos/{LARGEST}", "/todos/0"])
    return any_method(st.one_of(routes, paths()), content_fields(), bodies())


def writings(ids: st.SearchStrategy[str]) -> st.SearchStrategy[Sent]:
    """POST, PUT and PATCH with a body of any sort, on a todo with one of these ids."""
    path = ids.map("/todos/{}".format)
    making = st.tuples(
        st.just("POST"),
        st.one_of(
            st.just("/todos"), partly_encoded("todos").map("/{}".format), queries(*ODD_QUERIES).map("/todos{}".format)
        ),
    )
    return st.builds(
        lambda where, fields, content, body, chunks: Sent(Request(*where, (*fields, *content), body), chunks),
        st.one_of(making, st.tuples(st.sampled_from(["PUT", "PATCH"]), path)),
        st.one_of(st.just(()), ignored_fields()),
        content_fields(),
        bodies(),
        framings(),
    )


def doubtful() -> st.SearchStrategy[Sent]:
    """Requests that a stack may refuse or read in its own way."""
    return doubtful_requests(paths(), doubtful_paths())
