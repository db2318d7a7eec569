"""Hypothesis strategies for forms: valid ones, those with an error that the contract names, and mutated ones."""

from dataclasses import replace

from hypothesis import strategies as st
from openapi_requests import OTHER_TYPES
from request_strategies import Sent, framings

from samewire.http import Request
from upload import model
from upload.forms import BOUNDARY, END, form, upload

DASHED = b"--" + BOUNDARY

WHOLE = (
    "photo.jpg", "Käse.txt", "文件", "молоко.txt", "👩‍👧.png", " a  b ", "a;b=c,d", "'a'", "<b>&amp;", "100%25", "null",
)  # fmt: skip


def names() -> st.SearchStrategy[str]:
    """Names that come back as they were sent, as most ordinary ones do."""
    text = st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters='"/\\'), max_size=60)
    return st.one_of(st.sampled_from(WHOLE), text.map("a{}b".format).filter(model.NAME.fullmatch))


def contents() -> st.SearchStrategy[bytes]:
    """The content of a file: any bytes, and much that nearly ends it."""
    fragments = st.sampled_from([
        b"\r\n", b"\r", b"\n", b"--", b"\r\n--", b"\r\r\n--", DASHED[:-1], b"\r\n" + DASHED[:-1], b"\0", b"\xff", b"a",
    ])  # fmt: skip
    near = st.lists(fragments, max_size=12).map(b"".join)
    sizes = st.sampled_from([1000, 4090, 8192, 16_384, 70_000])
    large = st.builds(lambda one, size: one * (size // len(one)), fragments, sizes)
    # No client chooses a boundary that is in a file.
    return st.one_of(st.binary(max_size=30), near, near, large).filter(lambda content: DASHED not in content)


def files(least: int = 1, most: int = model.MAX_FILES) -> st.SearchStrategy[list[tuple[str, bytes]]]:
    """So many files, by name and content."""
    return st.lists(st.tuples(names(), contents()), min_size=least, max_size=most)


def forms() -> st.SearchStrategy[Sent]:
    """Valid uploads."""
    return st.builds(lambda several, chunks: Sent(upload(*several), chunks), files(), framings())


@st.composite
def wrong_forms(draw: st.DrawFn) -> Sent:
    """Uploads with one of the errors that the contract names."""
    several, chunks = draw(files()), draw(framings())
    too_many = draw(files(model.MAX_FILES + 1, 5))
    left_empty = upload(*[("", b"")] * len(several))
    elsewhere = upload(*several, field=draw(st.sampled_from(["file", "other", "Files[]"])))
    cut = form(*several)[: -len(END) - 2 - draw(st.integers(0, len(several[-1][1])))]
    other_type = (("Content-Type", draw(st.sampled_from(OTHER_TYPES))),)
    return draw(
        st.sampled_from([
            Sent(upload(*too_many), chunks),
            Sent(left_empty, chunks),
            Sent(elsewhere, chunks),
            Sent(replace(left_empty, body=cut), chunks),
            Sent(replace(left_empty, body=draw(st.sampled_from([b"", b"hello", b"{}"]))), chunks),
            Sent(replace(left_empty, headers=other_type, body=form(*several)), chunks),
        ])
    )  # fmt: skip


# --- safety

ODD_BYTES = (
    b"\0", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b"\n\n", b" ", b"-", b"--", b'"', b"\\", b";", b"=", b":", b"\x7f",
    b"\xff", b"\r\n ", b"filename*=utf-8''a", b"; filename=b", b"../", b"\r\nContent-Disposition: form-data",
    b"Content-Type: multipart/mixed; boundary=b\r\n", b"x" * 9000, b"\r\n" * 20, DASHED, b"\r\n" + DASHED, END,
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> Sent:
    """A valid upload with a few bytes removed, added or replaced, or its end cut off."""
    sent = draw(forms())
    body = sent.request.body or b""
    for _ in range(draw(st.integers(1, 3))):
        # Most of what can be got wrong is in the headers, near a delimiter.
        delimiter = body.find(DASHED, draw(st.integers(0, max(0, len(body) - 1))))
        near = max(0, delimiter + draw(st.integers(-4, 150)))
        place = min(len(body), draw(st.sampled_from([near, near, near, draw(st.integers(0, len(body)))])))
        odd = draw(st.sampled_from(ODD_BYTES) | st.binary(max_size=3))
        body = body[:place] + odd + body[place + draw(st.integers(0, 3)) :]
    if not draw(st.integers(0, 4)):
        body = body[: draw(st.integers(0, len(body)))]
    return replace(sent, request=Request("POST", "/uploads", sent.request.headers, body))
