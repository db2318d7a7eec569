"""Hypothesis strategies for requests to the randoms, none of which is much work."""

# ruff: noqa: SIM905 (long lists of short words read better as text)

import string
from dataclasses import replace

from hypothesis import strategies as st

from randoms.model import LIMITS, draws_of
from samewire.http import Request

MOST_DRAWS = 20_000
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PATH_CHARACTERS = string.ascii_letters + string.digits + "-._~!$&'()*+,=:@"
QUERY_CHARACTERS = PATH_CHARACTERS + "/?;"
PATHS = """
    /randoms /randoms /randoms /randoms/sync /randoms/sync /info /healthz / /randoms/ /randoms/x /randoms/sync/
    /randomss /Randoms /random /randoms.json /randoms%20 /randoms/sync%20 /randoms/%73ync /randoms%0A /randoms%FF
    /%2572andoms /sync /healthz/ /healthz/x /Healthz /health /info/ /Info /info/x /%69nfo /index.php /index.html
    /favicon.ico /.env /__proto__ /randoms,x /randoms:x /randoms=x /a/b/c /r%C3%A9ndoms /%72%61%6E%64%6F%6D%73
    /%68ealthz /randoms%3Fx /randoms%23x /randoms/Sync /randoms/async /randoms/sync/sync
""".split()
# What a lenient reader takes for a number, and what a careless one cannot hold.
ODD_VALUES = """
    +1 %2B1 -1 -0 1. .5 1.0 0x10 0b1 0o7 1e1 1E2 01 00 1_0 1,0 %201 1%20 1%0A %091 1%00 NaN Infinity null true undefined
    %D9%A3 %EF%BC%93 %C2%B2 %E2%82%83 2147483648 4294967297 9223372036854775808 18446744073709551617 1%2C 1%3B 1%26 1%3D
    64k auto %22%22 %27 %5B%5D %7B%7D __proto__ %F0%9F%98%80 ;1 1;
""".split()
ODD_NAMES = """
    Count SEED count%20 +count count%5B%5D count%5B0%5D coun co_unt seed.x c s counts seeds __proto__ constructor
    %00count count%00 s%C3%A9ed page %20 _method
""".split()
IGNORED_FIELDS = (
    ("Accept", "text/html"), ("Accept", ""), ("Accept-Charset", "gzip"), ("TE", "gzip"), ("Content-Encoding", "gzip"),
    ("Range", "bytes=0-0"), ("If-None-Match", "*"), ("If-None-Match", '"a"'), ("If-Match", '"a"'),
    ("If-Modified-Since", "Sat, 01 Jan 2050 00:00:00 GMT"), ("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("If-Range", '"a"'), ("Cookie", "PHPSESSID=1; count=1"), ("Authorization", "Basic YTpi"), ("Proxy", "http://a"),
    ("Origin", "http://a.example"), ("X-HTTP-Method-Override", "DELETE"), ("X-Forwarded-Host", "a.example"),
    ("X-Original-URL", "/healthz"), ("Content-Type", "text/plain"), ("User-Agent", ""),
    ("Cache-Control", "no-transform"),
    ("Content-Type", "application/x-www-form-urlencoded"), ("X-Unknown", "\xc3\xa9"), ("X-Long", "v" * 1000),
)  # fmt: skip


def encoded(text: str) -> st.SearchStrategy[str]:
    """The text with some of its characters percent-encoded."""
    spelled = [st.sampled_from([one, one, one, f"%{ord(one):02X}", f"%{ord(one):02x}"]) for one in text]
    return st.tuples(*spelled).map("".join)


def values(name: str) -> st.SearchStrategy[str]:
    """Values of a parameter: small right ones, those at the limits and just beyond them, and odd ones."""
    least, most = LIMITS[name]
    right = st.one_of(st.integers(least, least + 3), st.integers(least, min(most, MOST_DRAWS)), st.integers(120, 140))
    if name == "seed":
        right |= st.integers(least, most) | st.sampled_from([most, most - 1, 2**31, 2**31 - 1, 2**31 + 1])
    limits = st.sampled_from([least - 1, least, most + 1, most + 2, 10 * most])
    text = st.text(QUERY_CHARACTERS.replace("&", ""), max_size=6)
    return st.one_of(*[right.map(str)] * 6, limits.map(str), st.sampled_from(ODD_VALUES), text)


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
        if name == "count" or draw(st.integers(0, 9)):
            parts.append(f"{draw(encoded(name))}={draw(values(name).flatmap(_some_encoded))}")
        for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            parts.insert(draw(st.integers(0, len(parts))), draw(pairs()))
    return "?" + "&".join(parts)


def _some_encoded(value: str) -> st.SearchStrategy[str]:
    return encoded(value) if value.isdigit() else st.just(value)


@st.composite
def codings(draw: st.DrawFn) -> tuple[tuple[str, str], ...]:
    """Accept-Encoding in no, one or two fields: mostly with gzip in it, mostly well-formed."""
    names = ["gzip", "gzip", "GZip", "*", "identity", "Identity", "br", "deflate", "zstd", "compress", "gzipx", "x"]
    weights = [
        "",
        "",
        "",
        "0",
        "0.0",
        "0.000",
        "1",
        "1.0",
        "1.000",
        "0.5",
        "0.50",
        "0.499",
        "0.001",
        "0.999",
        "0.",
        "1.",
    ]
    white = st.sampled_from(["", "", "", " ", "\t", "  \t"])

    def element() -> str:
        if draw(st.integers(0, 30)) == 0:
            return draw(
                st.sampled_from(["gzip;q=2", "gzip;q", "gzip;x=1", "gzip; q = 1", "x-gzip", "gz ip", ";q=1", "@"])
            )
        weight = draw(st.sampled_from(weights))
        given = f"{draw(white)};{draw(white)}{draw(st.sampled_from('qqQ'))}={weight}" if weight else ""
        return draw(st.sampled_from(names)) + given

    def field() -> str:
        elements = [element() if draw(st.integers(0, 9)) else "" for _ in range(draw(st.integers(0, 4)))]
        return "".join(f"{draw(white)}{one}{draw(white)}," for one in elements)[: draw(st.sampled_from([-1, None]))]

    return tuple(("Accept-Encoding", field().strip(" \t")) for _ in range(draw(st.sampled_from([0, 1, 1, 1, 1, 2]))))


def light(request: Request) -> bool:
    """Whether a request is little work."""
    return draws_of(request) <= MOST_DRAWS


def requests() -> st.SearchStrategy[Request]:
    """Any request: mostly for a result, with codings, fields and a body that mean nothing."""
    segment = st.text(PATH_CHARACTERS, min_size=1, max_size=8).filter(lambda text: text.strip("."))
    path = st.one_of(
        st.sampled_from(PATHS), st.lists(segment, min_size=1, max_size=3).map(lambda all_: "/" + "/".join(all_))
    )
    target = st.tuples(path, queries()).map("".join) | path.filter(lambda one: "rando" not in one)
    fields = st.lists(st.sampled_from(IGNORED_FIELDS), max_size=3, unique_by=lambda field: field[0]).map(tuple)
    headers = st.tuples(fields, codings()).map(lambda both: both[0] + both[1])
    body = st.one_of(st.none(), st.none(), st.binary(max_size=20))
    some = st.builds(Request, st.sampled_from([*METHODS, "GET", "GET", "HEAD"]), target, headers, body)
    # A body with HEAD is a wire matter: Akka HTTP refuses it.
    return some.map(lambda request: replace(request, body=None) if request.method == "HEAD" else request).filter(light)


def results() -> st.SearchStrategy[Request]:
    """Right requests, to both paths, of sizes on both sides of what is coded."""
    count = st.one_of(st.integers(0, 300), st.integers(0, MOST_DRAWS))
    seed = st.integers(*LIMITS["seed"])
    target = st.tuples(st.sampled_from(["/randoms", "/randoms/sync"]), count, seed)
    return st.builds(
        Request,
        st.sampled_from(["GET", "GET", "HEAD"]),
        target.map(lambda drawn: f"{drawn[0]}?count={drawn[1]}&seed={drawn[2]}"),
        codings(),
    )


def doubtful() -> st.SearchStrategy[Request]:
    """Requests whose percent-encoding a stack may refuse."""
    broken = st.sampled_from("% %1 %zz %u0031 %FF %C3 %ED%A0%80 %C0%B1 %F5%80%80%80 1%".split())
    pair = st.tuples(st.sampled_from(["seed=", "x=", "", "seed=6", "seed"]), broken).map("".join)
    return st.tuples(pair, st.booleans(), st.sampled_from(["GET", "GET", "HEAD", "DELETE"])).map(
        lambda drawn: Request(
            drawn[2],
            f"/randoms?{drawn[0]}&count=6&seed=1" if drawn[1] else f"/randoms/sync?count=6&{drawn[0]}&seed=1",
        )
    )
