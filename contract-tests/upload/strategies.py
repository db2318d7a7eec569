"""Hypothesis strategies for uploads: well-formed forms, however odd, and forms with something wrong in them."""

from dataclasses import replace

from hypothesis import strategies as st
from request_strategies import ALPHANUMERIC, Sent, framings

from samewire.http import Request

BOUNDARY_CHARACTERS = ALPHANUMERIC + "'()+_,-./:=? "
TOKEN_CHARACTERS = ALPHANUMERIC + "!#$%&'*+-.^_`|~"


# --- well-formed parts


def boundaries() -> st.SearchStrategy[str]:
    """Boundaries that every server takes."""
    browsers = st.sampled_from(
        ["----WebKitFormBoundary7MA4YWxkTrZu0gW", "---------------------------974767299852498929"]
    )
    any_one = st.text(BOUNDARY_CHARACTERS, min_size=1, max_size=70).filter(lambda text: not text.endswith(" "))
    return st.one_of(browsers, st.sampled_from(["b", "-", "--", "b\x20b", "x" * 70, "--b--"]), any_one)


@st.composite
def content_types(draw: st.DrawFn, boundary: str) -> str:
    """The request's Content-Type, spelled in one way or another."""
    is_token = all(character in TOKEN_CHARACTERS for character in boundary)
    value = draw(st.sampled_from([boundary, f'"{boundary}"'])) if is_token else f'"{boundary}"'
    form = draw(
        st.sampled_from([
            "multipart/form-data; boundary=*", "multipart/form-data; boundary=*", "multipart/form-data;boundary=*",
            "Multipart/Form-Data ; Boundary=*", "multipart/form-data; charset=utf-8; boundary=*",
            "multipart/form-data; boundary=*; charset=iso-8859-1",
        ])
    )  # fmt: skip
    return form.replace("*", value)


ODD_NAMES = (
    ".", "..", "/", "a/", "a/b/..", "...", " ", " a ", "~", "con", "a\tb", "a:b", "*", "?", "%", "%2F", "%00", "%2522",
    "=?utf-8?B?YQ==?=", "a; filename=b", "a;", "a,b", "'", "''", "utf-8''a", "\ufeff", "\u202e", "e\u0301", "\u2028",
    "\x85",
    "\U0001f469\u200d\U0001f467", "\uffff", "x" * 255, "é" * 400, "__proto__", "[]", "null", "0", "-rf", "$(id)",
    "`id`", "<b>",
)  # fmt: skip


def file_names() -> st.SearchStrategy[str]:
    """File names as a client has them; without control characters but tab, CR and LF."""
    character = st.characters(exclude_categories=["Cs"], exclude_characters=[*map(chr, range(0x20)), "\x7f"])
    segment = st.one_of(st.text(character, max_size=12), st.sampled_from(ODD_NAMES), st.just("photo.jpg"))
    path = st.builds(
        lambda parts, separator: separator.join(parts), st.lists(segment, max_size=3), st.sampled_from("/\\")
    )
    with_quotes = st.text(st.sampled_from('ab"\r\n\t/'), min_size=1, max_size=6)
    return st.one_of(segment, segment, path, with_quotes)


@st.composite
def quoted(draw: st.DrawFn, text: str) -> bytes:
    """A quoted string as a browser writes it, or an older client."""
    mark = draw(st.sampled_from(["%22", '\\"']))
    text = text.replace('"', mark).replace("\n", draw(st.sampled_from(["%0A", "%0a"]))).replace("\r", "%0D")
    # Which quotation mark ends the string after a backslash that is its own, parsers do not agree on.
    text = text.replace('\\\\"', "%22").rstrip("\\")
    return f'"{text}"'.encode()


def contents(boundary: str) -> st.SearchStrategy[bytes]:
    """The content of a part: any bytes, and much that nearly ends it."""
    dashed = b"--" + boundary.encode()
    fragments = st.sampled_from([
        b"\r\n", b"\r", b"\n", b"--", b"-", b"\r\n--", b"\r\n-", b"\r\r\n--", boundary.encode(), dashed[:-1],
        b"x" + dashed,
        b"\r\n" + dashed[:-1], b"\n" + dashed, b"\0", b"\xff", b"a", b"Content-Disposition: form-data", b"\r\n\r\n",
    ])  # fmt: skip
    near = st.lists(fragments, max_size=12).map(b"".join)
    sizes = st.sampled_from([1000, 4090, 8192, 16_384, 70_000])
    large = st.builds(lambda one, size: one * (size // len(one)), fragments, sizes)
    whole = st.one_of(st.binary(max_size=30), near, near, large)
    return whole.filter(lambda content: b"\r\n" + dashed not in content and not content.startswith(dashed))


HEADER_LINES = (
    b"Content-Type: application/octet-stream", b"Content-Type: text/plain; charset=utf-16", b"Content-Type: image/png",
    b"content-type: nonsense", b"Content-Type:", b"Content-Transfer-Encoding: base64", b"Content-Length: 3",
    b"Content-Encoding: gzip", b"X-Long: " + b"v" * 3000, b"X-Bytes: \xe9\xff\x80", b"X-Empty:",
    b"Transfer-Encoding: chunked",
    b"Content-Range: bytes 0-1/2", b'X-Quotes: "', b"Content-Disposition-X: a", b"Boundary: b", b"X-Tab:\ta\tb\t",
)  # fmt: skip


@st.composite
def part(draw: st.DrawFn, boundary: str, disposition: bytes) -> bytes:
    """A part with this Content-Disposition, among other header lines."""
    lines = draw(
        st.lists(st.sampled_from(HEADER_LINES), max_size=2, unique_by=lambda line: line.split(b":")[0].lower())
    )
    lines.insert(draw(st.integers(0, len(lines))), disposition)
    return b"\r\n".join(lines) + b"\r\n\r\n" + draw(contents(boundary))


@st.composite
def file_dispositions(draw: st.DrawFn) -> bytes:
    """The Content-Disposition of a file in the right field."""
    name = draw(file_names().filter(bool).flatmap(quoted))
    form = draw(
        st.sampled_from([
            b'Content-Disposition: form-data; name="files"; filename=*',
            b'Content-Disposition: form-data; name="files"; filename=*',
            b'content-disposition:form-data;filename=*;name=files',
            b'CONTENT-DISPOSITION: Form-Data ;\tNAME="files" ; x="; filename=\\"y"; FileName=*',
        ])
    )  # fmt: skip
    return form.replace(b"*", name)


def files(boundary: str) -> st.SearchStrategy[bytes]:
    """Parts that are files."""
    return file_dispositions().flatmap(lambda disposition: part(boundary, disposition))


IGNORED = (
    b'Content-Disposition: form-data; name="x"', b'Content-Disposition: form-data; name="files"',
    b'Content-Disposition: form-data; name="files"; filename=""',
    b'Content-Disposition: attachment; filename="a"; name="files"',
    b"X-No: disposition", b'Content-Disposition: form-data-x; name="files"; filename="a"',
    b'Content-Disposition: form-data; name="a[b][__proto__]"', b'Content-Disposition: form-data; name="\xff"',
)  # fmt: skip

REFUSED = (
    b'Content-Disposition: form-data; name="file"; filename="a"', b'Content-Disposition: form-data; filename="a"',
    b'Content-Disposition: form-data; name=""; filename="a"',
    b'Content-Disposition: form-data; name="files[]"; filename="a"',
    b'Content-Disposition: form-data; name="files"; filename="\xff"',
    b'X: \x00\r\nContent-Disposition: form-data; name="x"',
    b'Content-Disposition: form-data; name="files"; filename="a\x01"',
    b'Content-Disposition: form-data; name="FILES"; filename=a',
    b'X: ' + b"v" * 20_000,
)  # fmt: skip


@st.composite
def bodies(draw: st.DrawFn, boundary: str) -> bytes:
    """Well-formed bodies, mostly with one or two files."""
    right = st.sampled_from(IGNORED).flatmap(lambda disposition: part(boundary, disposition))
    wrong = st.sampled_from(REFUSED).flatmap(lambda disposition: part(boundary, disposition))
    parts = [draw(files(boundary)) for _ in range(draw(st.sampled_from([1, 1, 2, 2, 2, 0, 3])))]
    others = right if draw(st.integers(0, 4)) else right | wrong
    for other in draw(st.lists(others, max_size=3)):
        parts.insert(draw(st.integers(0, len(parts))), other)
    dashed = b"--" + boundary.encode()
    preamble = draw(st.sampled_from([b"", b"", b"", b"\r\n", b"preamble\r\n", b"--\r\n\r\n", b"x" * 9000 + b"\r\n"]))
    epilogue = draw(
        st.sampled_from([b"\r\n", b"\r\n", b"", b"epilogue", b"\n" + dashed + b"\r\n\r\n", b"-", b"\0" * 9000])
    )
    if dashed in preamble:
        preamble = b""
    return preamble + b"".join(dashed + b"\r\n" + one + b"\r\n" for one in parts) + dashed + b"--" + epilogue


@st.composite
def forms(draw: st.DrawFn) -> Sent:
    """POST /uploads with a well-formed body."""
    boundary = draw(boundaries())
    headers = (("Content-Type", draw(content_types(boundary))),)
    return Sent(Request("POST", "/uploads", headers, draw(bodies(boundary))), draw(framings()))


# --- with something wrong

ODD_BYTES = (
    b"", b"\0", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b"\n\n", b" ", b"\t", b"-", b"--", b'"', b"\\", b";", b"=", b":",
    b"\x7f", b"\xff",
    b"\r\n ", b"filename*=utf-8''a", b"; filename=b", b"multipart/mixed; boundary=c",
    b"\r\nContent-Disposition: form-data",
    b"Content-Type: multipart/mixed; boundary=b\r\n", b"x" * 9000, b"\r\n" * 20,
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> Sent:
    """A well-formed form with a few bytes removed, added, replaced or moved, or its end cut off."""
    sent = draw(forms())
    assert sent.request.body is not None
    body = sent.request.body
    boundary = b"--" + body.split(b"--", 1)[1].split(b"\r\n")[0] if b"--" in body else b"--b"
    for _ in range(draw(st.integers(1, 3))):
        # Most of what can be got wrong is in the headers, near a delimiter.
        delimiter = body.find(boundary, draw(st.integers(0, max(0, len(body) - 1))))
        near = max(0, delimiter + draw(st.integers(-4, 150)))
        place = min(len(body), draw(st.sampled_from([near, near, near, draw(st.integers(0, len(body)))])))
        odd = draw(
            st.sampled_from((*ODD_BYTES, boundary, b"\r\n" + boundary, boundary + b"--")) | st.binary(max_size=3)
        )
        body = body[:place] + odd + body[place + draw(st.integers(0, 3)) :]
    if not draw(st.integers(0, 4)):
        body = body[: draw(st.integers(0, len(body)))]
    return replace(sent, request=replace(sent.request, body=body))


ODD_TYPES = (
    "multipart/form-data", "multipart/form-data;", "multipart/form-data; boundary", "multipart/form-data; boundary=",
    'multipart/form-data; boundary="', 'multipart/form-data; boundary="b', "multipart/form-data; boundary=b;",
    "multipart/form-data; boundary=b; boundary=c", 'multipart/form-data; boundary="\\b"',
    "multipart/form-data, text/plain",
    "multipart/form-data; boundary = b", "multipart/form-data; boundary=b c", "multipart/form-data; boundary*=utf-8''b",
    "multipart/mixed; boundary=b", "multipart/form-data boundary=b", "multipart/form-data; boundary=b\xe9",
)  # fmt: skip


def odd_types() -> st.SearchStrategy[Sent]:
    """A good body with a Content-Type that is not quite right."""
    return st.builds(
        lambda type_, body: Sent(Request("POST", "/uploads", (("Content-Type", type_),), body)),
        st.sampled_from(ODD_TYPES),
        bodies("b"),
    )


# --- other requests

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PATHS = (
    "/", "/healthz", "/uploads", "/uploads/", "/uploads/x", "/uploads/x/y", "/upload", "/%75ploads", "/uploads%20",
    "/UPLOADS",
    "/uploads/00000000-0000-4000-8000-000000000000", "/uploads/%30%30000000-0000-4000-8000-000000000000",
    "/uploads/%FF",
    "/uploads/%2E%2E%2Epart", "/index.html", "/?a", "/healthz?a=b&a", "/uploads?files=1", "/uploads/%E2%80%8B",
    "/" + "a" * 1000,
    "/uploads/" + "a" * 1000, "/uploads/.part-x", "/uploads/index.html", "/uploads/%0A", "/*", "/uploads/*",
    "/uploads/~",
)  # fmt: skip
IGNORED_FIELDS = (
    ("Accept", "text/html"), ("Accept-Encoding", "gzip, br"), ("Range", "bytes=0-0"), ("Range", "bytes=9-1"),
    ("If-None-Match", "*"),
    ("If-Match", '"a"'), ("If-Modified-Since", "Sat, 01 Jan 2050 00:00:00 GMT"),
    ("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("Origin", "http://a.example"), ("X-HTTP-Method-Override", "DELETE"), ("Cookie", "a=b"), ("TE", "trailers"),
    ("User-Agent", ""),
)  # fmt: skip


def others() -> st.SearchStrategy[Sent]:
    """Any common method on any path, with fields that must change nothing."""
    fields = st.lists(st.sampled_from(IGNORED_FIELDS), max_size=3, unique_by=lambda field: field[0]).map(tuple)
    return st.builds(
        lambda method, path, headers: Sent(Request(method, path, headers)),
        st.sampled_from(METHODS),
        st.sampled_from(PATHS),
        fields,
    )
