"""Hypothesis strategies for requests to the raytracer."""

# ruff: noqa: SIM905 (long lists of short words read better as text)

import string
from dataclasses import replace

from hypothesis import strategies as st

from raytracer.model import LIMITS
from samewire.http import Request

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PATH_CHARACTERS = string.ascii_letters + string.digits + "-._~!$&'()*+,=:@"
QUERY_CHARACTERS = PATH_CHARACTERS + "/?;"
PATHS = """
    /render /render /render /render /render /healthz / /render/ /render/x /renders /Render /rende /render.png /render%20
    /render%0A /render%FF /%2572ender /healthz/ /healthz/x /Healthz /health /index.php /index.html /favicon.ico /.env
    /__proto__ /render,x /render:x /render=x /a/b/c /r%C3%A9nder /%72%65%6E%64%65%72 /%68ealthz /render%3Fx /render%23x
""".split()
# What a lenient reader takes for a number, and what a careless one cannot hold.
ODD_VALUES = """
    +1 %2B1 -1 -0 1. .5 1.0 0x10 0b1 0o7 1e1 1E2 01 00 1_0 1,0 %201 1%20 1%0A %091 1%00 NaN Infinity null true undefined
    %D9%A3 %EF%BC%93 %C2%B2 %E2%82%83 2147483648 4294967297 9223372036854775808 18446744073709551617 1%2C 1%3B 1%26 1%3D
    64px auto %22%22 %27 %5B%5D %7B%7D __proto__ %F0%9F%98%80 ;1 1;
""".split()
ODD_NAMES = """
    Width HEIGHT depth%20 +width width%5B%5D width%5B0%5D widt wid_th height.x w h d x __proto__ constructor %00width
    width%00 d%C3%A9pth page %20 _method
""".split()
IGNORED_FIELDS = (
    ("Accept", "text/html"), ("Accept", ""), ("Accept-Encoding", "gzip, br"), ("Accept-Encoding", "identity;q=0"),
    ("Range", "bytes=0-0"), ("If-None-Match", "*"), ("If-None-Match", '"a"'), ("If-Match", '"a"'),
    ("If-Modified-Since", "Sat, 01 Jan 2050 00:00:00 GMT"), ("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("If-Range", '"a"'), ("Cookie", "PHPSESSID=1; width=1"), ("Authorization", "Basic YTpi"), ("Proxy", "http://a"),
    ("Origin", "http://a.example"), ("X-HTTP-Method-Override", "DELETE"), ("X-Forwarded-Host", "a.example"),
    ("X-Original-URL", "/healthz"), ("Content-Type", "text/plain"), ("Content-Encoding", "gzip"), ("User-Agent", ""),
    ("Content-Type", "application/x-www-form-urlencoded"), ("X-Unknown", "\xc3\xa9"), ("X-Long", "v" * 1000),
)  # fmt: skip


def encoded(text: str) -> st.SearchStrategy[str]:
    """The text with some of its characters percent-encoded."""
    spelled = [st.sampled_from([one, one, one, f"%{ord(one):02X}", f"%{ord(one):02x}"]) for one in text]
    return st.tuples(*spelled).map("".join)


def values(name: str) -> st.SearchStrategy[str]:
    """Values of a parameter: small right ones, those at the limits and just beyond them, and odd ones."""
    least, most = LIMITS[name]
    small = st.integers(least, min(most, 40)).map(str)
    limits = st.sampled_from([least - 1, least, most + 1, most + 2, 10 * most]).map(str)
    text = st.text(QUERY_CHARACTERS.replace("&", ""), max_size=6)
    return st.one_of(small, small, small, small, small, limits, st.sampled_from(ODD_VALUES), text)


def pairs() -> st.SearchStrategy[str]:
    """A pair that means nothing, or the second of its name."""
    text = st.text(QUERY_CHARACTERS.replace("&", ""), max_size=6)
    name = st.one_of(st.sampled_from(ODD_NAMES), st.sampled_from(list(LIMITS)), text)
    return st.one_of(st.tuples(name, st.just("="), text).map("".join), name, st.just(""))


@st.composite
def queries(draw: st.DrawFn) -> str:
    """A query about as likely to be right as to be wrong."""
    parts = []
    for name in draw(st.permutations(list(LIMITS))) if draw(st.booleans()) else LIMITS:
        if draw(st.integers(0, 9)):
            parts.append(f"{draw(encoded(name))}={draw(values(name).flatmap(_some_encoded))}")
        for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            parts.insert(draw(st.integers(0, len(parts))), draw(pairs()))
    return "?" + "&".join(parts)


def _some_encoded(value: str) -> st.SearchStrategy[str]:
    return encoded(value) if value.isdigit() else st.just(value)


def requests() -> st.SearchStrategy[Request]:
    """Any request: mostly for a picture, with fields and a body that mean nothing."""
    segment = st.text(PATH_CHARACTERS, min_size=1, max_size=8).filter(lambda text: text.strip("."))
    path = st.one_of(
        st.sampled_from(PATHS), st.lists(segment, min_size=1, max_size=3).map(lambda all_: "/" + "/".join(all_))
    )
    target = st.tuples(path, st.just("") | queries()).map("".join)
    fields = st.lists(st.sampled_from(IGNORED_FIELDS), max_size=3, unique_by=lambda field: field[0]).map(tuple)
    body = st.one_of(st.none(), st.none(), st.binary(max_size=20))
    some = st.builds(Request, st.sampled_from([*METHODS, "GET", "GET", "HEAD"]), target, fields, body)
    # A body with HEAD is a wire matter: Akka HTTP refuses it.
    return some.map(lambda request: replace(request, body=None) if request.method == "HEAD" else request)


def pictures() -> st.SearchStrategy[Request]:
    """Right requests for small pictures, in any spelling."""

    @st.composite
    def build(draw: st.DrawFn) -> Request:
        long, short = draw(st.integers(1, 120)), draw(st.integers(1, 40))
        width, height = (long, short) if draw(st.booleans()) else (short, long)
        return Request("GET", f"/render?width={width}&height={height}&depth={draw(st.integers(0, 10))}")

    return build()


def doubtful() -> st.SearchStrategy[Request]:
    """Requests whose percent-encoding a stack may refuse."""
    broken = st.sampled_from("% %1 %zz %u0031 %FF %C3 %ED%A0%80 %C0%B1 %F5%80%80%80 1%".split())
    pair = st.tuples(st.sampled_from(["width=", "x=", "", "height=6", "depth"]), broken).map("".join)
    return st.tuples(pair, st.booleans(), st.sampled_from(["GET", "GET", "HEAD", "DELETE"])).map(
        lambda drawn: Request(
            drawn[2],
            f"/render?{drawn[0]}&width=6&height=4&depth=1"
            if drawn[1]
            else f"/render?width=6&{drawn[0]}&height=4&depth=1",
        )
    )
