import gzip
from dataclasses import replace
from email.utils import formatdate
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from samewire.contract import tolerated
from samewire.contract.compare import differences, response_problems, side_by_side, substitute
from samewire.contract.files import ContractError
from samewire.http import Request, Response

GET, HEAD = Request("GET", "/a"), Request("HEAD", "/a")
NOW = 1_800_000_000.0
DATE = formatdate(NOW, usegmt=True)


def response(body: bytes = b'{"a":1}', status: int = 200, **headers: str) -> Response:
    fields = {"Date": DATE, "Content-Type": "application/json", "Content-Length": str(len(body))}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, "", "HTTP/1.1", tuple(fields.items()), body, received_at=NOW, sent_at=NOW)


def without(name: str, given: Response) -> Response:
    return replace(given, headers=tuple(field for field in given.headers if field[0] != name))


def with_fields(*fields: tuple[str, str]) -> Response:
    given = response()
    return replace(given, headers=(*given.headers, *fields))


def same(a: Response, b: Response, request: Request = GET) -> bool:
    found, turned = differences(a, b, request=request), differences(b, a, request=request)
    assert bool(found) == bool(turned)
    return not found


def test_equal() -> None:
    assert same(response(), response())


@pytest.mark.parametrize(
    "other",
    [
        response(status=201),
        response(b'{"a":2}'),
        response(b'{"a": 1}'),
        response(X_Powered_By="me"),
        response(Location="/"),
        response(Content_Type="text/plain"),
        response(Upgrade="h2c"),
        response(Proxy_Connection="keep-alive"),
        response(Content_Length="8"),
        without("Content-Length", response()),
        without("Content-Type", response()),
        without("Date", response()),
        with_fields(("Content-Type", "application/json")),
    ],
)
def test_different(other: Response) -> None:
    assert not same(response(), other)


@pytest.mark.parametrize("name", ["Connection", "Keep-Alive", "Transfer-Encoding", "Server"])
def test_fields_that_are_not_compared(name: str) -> None:
    assert same(response(), with_fields((name, "x"), (name.lower(), "y")))


def test_names_in_any_case_and_any_order() -> None:
    fields = tuple((name.upper(), value) for name, value in reversed(response().headers))
    assert same(response(), replace(response(), headers=fields))


def test_values_byte_for_byte() -> None:
    assert not same(response(Location="http://A/"), response(Location="http://a/"))
    assert not same(with_fields(("X", "1"), ("X", "2")), with_fields(("X", "2"), ("X", "1")))


def test_date_is_only_there_or_not() -> None:
    assert same(response(), response(Date="Thu, 01 Jan 1970 00:00:00 GMT"))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("application/json", "application/json; charset=utf-8", True),
        ("application/json", 'Application/JSON ;Charset="UTF-8"', True),
        ("application/problem+json", "application/problem+json;charset=utf-8", True),
        ("application/json", "application/json;charset=iso-8859-1", False),
        ("application/json", "application/json;profile=x", False),
        ("application/json", "application/problem+json", False),
        ("text/html; charset=utf-8", "text/html;charset=UTF-8", True),
        ("text/html; charset=utf-8", "text/html", False),
        ("text/html; a=b; c=d", "text/html; c=d; a=b", True),
        ("text/html; a=b", "text/html; a=B", False),
        ("text/html;", "text/html", True),
        ("text/html; =", "text/html", False),
    ],
)
def test_media_types(one: str, other: str, equal: bool) -> None:
    assert same(response(Content_Type=one), response(Content_Type=other)) is equal


@pytest.mark.parametrize(
    ("name", "one", "other", "equal"),
    [
        ("Allow", "GET, HEAD", "HEAD,GET", True),
        ("Allow", "GET, HEAD", "GET", False),
        ("Allow", "GET", "get", False),
        ("Vary", "Accept, Accept-Encoding", "accept-encoding, ACCEPT", True),
        ("Vary", "Accept", "Accept, Origin", False),
        ("Retry-After", "1", "2", False),
    ],
)
def test_sets(name: str, one: str, other: str, equal: bool) -> None:
    assert same(with_fields((name, one)), with_fields((name, other))) is equal


def test_a_set_in_two_fields() -> None:
    assert same(with_fields(("Allow", "GET, HEAD")), with_fields(("Allow", "GET"), ("Allow", "HEAD")))


def test_content_length_of_head() -> None:
    assert same(response(b""), without("Content-Length", response(b"")), HEAD)
    assert not same(response(b""), response(b"", Content_Length="7"), HEAD)
    assert not same(response(b""), without("Content-Length", response(b"")), GET)


def test_every_difference_is_said() -> None:
    found = differences(response(), response(b"x", 500, X_A="1"), request=GET, names=("node", "php"))
    assert [line.partition(":")[0] for line in found] == ["status", "Content-Length", "X-A", "body"]
    assert found[0] == "status: node 200, php 500"
    assert found[2] == "X-A: node none, php '1'"


def test_sound() -> None:
    assert response_problems(response(), GET) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (replace(response(), http_version="HTTP/1.0"), "version"),
        (without("Date", response()), "Date is missing"),
        (response(Date="Sunday, 06-Nov-94 08:49:37 GMT"), "no IMF-fixdate"),
        (response(Date=DATE.replace("GMT", "+0000")), "no IMF-fixdate"),
        (response(Date="yesterday"), "no IMF-fixdate"),
        (response(Date=formatdate(NOW - 3, usegmt=True)), "-3.0 s away"),
        (response(Date=formatdate(NOW + 3, usegmt=True)), "+3.0 s away"),
        (with_fields(("Date", DATE)), "Date comes 2 times"),
        (with_fields(("content-type", "text/html")), "Content-Type comes 2 times"),
        (response(b"", 204), "Content-Length on a 204"),
        (response(b"", 304), "Content-Length on a 304"),
        (replace(response(), framing="close"), "cannot be told from a cut connection"),
        (replace(response(), trailers=(("X", "1"),)), "trailer"),
        (replace(response(), interim=(response(b"", 103),)), "interim"),
    ],
)
def test_problems(wrong: Response, said: str) -> None:
    problems = response_problems(wrong, GET)
    assert len(problems) == 1
    assert said in problems[0]


def test_a_slow_answer_may_have_the_date_of_its_beginning() -> None:
    early = replace(response(Date=formatdate(NOW - 8, usegmt=True)), sent_at=NOW - 9)
    assert response_problems(early, GET) == []


def test_lists_may_come_in_several_fields() -> None:
    assert response_problems(with_fields(("Allow", "GET"), ("Allow", "HEAD")), GET) == []


def test_continue_that_was_asked_for() -> None:
    given = replace(response(), interim=(response(b"", 100),))
    assert response_problems(given, Request("POST", "/", (("Expect", "100-continue"),), b"")) == []


def test_substitute() -> None:
    given = substitute(response(b'{"hash":"abc"}', Location="/abc"), {"abc": "xyz"})
    assert given.body == b'{"hash":"xyz"}'
    assert given.values("Location") == ["/xyz"]


def test_side_by_side() -> None:
    text = side_by_side(GET, {"a": response(), "b": response(X_A="1"), "c": response()}, url="http://h:1")
    lines = text.splitlines()
    assert lines[0] == "curl -i --globoff --path-as-is http://h:1/a"
    assert lines[1].split("│")[0].strip() == "a, c"
    assert [line for line in lines if line.startswith("≠")] == [line for line in lines if "X-A" in line]
    separate = side_by_side(GET, {"a": response(), "b": response()}, merge=False)
    assert separate.splitlines()[1].split() == ["a", "│", "b"]


def test_long_and_binary_bodies_are_shortened() -> None:
    text = side_by_side(GET, {"a": response(b"\0" * 5000), "b": response(b"a" * 5000)})
    assert r"b'\x00'*5000" in text
    assert "b'a'*5000" in text


def test_tolerated_rules_are_all_known_and_all_used() -> None:
    assert {entry.rule for entry in tolerated.load().entries} == set(tolerated.RULES)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{name: a, field: Server, rule: whatever, reason: because it is so}", "rule"),
        ("{name: a, field: Server, rule: as-set, reason: short}", "reason"),
        ("{name: a, field: Server, rule: as-set, reason: because it is so, more: 1}", "more"),
        ("{name: a, name: a, field: Server, rule: as-set, reason: because it is so}", "twice"),
        ("{field: Server, rule: as-set, reason: because it is so}", "name"),
    ],
)
def test_a_wrong_line_is_an_error(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "tolerated.yaml"
    path.write_text(f"tolerated:\n  - {line}\n")
    with pytest.raises(ContractError, match=said):
        tolerated.load(path)


def test_a_name_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "tolerated.yaml"
    line = "  - {name: a, field: %s, rule: as-set, reason: because it is so}\n"
    path.write_text("tolerated:\n" + line % "A" + line % "B")
    with pytest.raises(ContractError, match="name 'a' comes twice"):
        tolerated.load(path)


def png(pixels: bytes = bytes(range(12)), size: tuple[int, int] = (2, 2), mode: str = "RGB", **options) -> Response:
    file = BytesIO()
    Image.frombytes(mode, size, pixels).save(file, "PNG", **options)
    return response(file.getvalue(), Content_Type="image/png")


def test_images_are_compared_by_their_pixels() -> None:
    pixels = bytes(range(256)) * 48
    small, large = png(pixels, (64, 64), compress_level=9), png(pixels, (64, 64), compress_level=0)
    assert small.body != large.body
    assert same(small, large)
    heads = [replace(one, body=b"") for one in (small, large)]
    assert same(*heads, HEAD)
    assert same(without("Content-Length", heads[0]), heads[1], HEAD)
    assert not same(without("Content-Length", small), large)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (png(bytes(range(11)) + b"\xff"), "1 of 4 pixels, first x=1 y=1: (9, 10, 11) and (9, 10, 255)"),
        (png(size=(4, 1)), "width 2 and 4"),
        (png(size=(1, 4)), "width 2 and 1"),
        (png(bytes(range(6)), (2, 1)), "height 2 and 1"),
        (png(bytes(16), mode="RGBA"), "colour type 2 and 6"),
        (png(bytes(4), mode="L"), "colour type 2 and 0"),
        (response(png().body[:28] + b"\1" + png().body[29:], Content_Type="image/png"), "no sound PNG from the other"),
        (response(png().body + b"\n", Content_Type="image/png"), "no sound PNG from the other"),
        (response(png().body[:-12], Content_Type="image/png"), "no sound PNG from the other"),
        (response(b"", Content_Type="image/png"), "ended"),
    ],
)
def test_different_images(other: Response, said: str) -> None:
    assert any(said in difference for difference in differences(png(), other, request=GET))


def test_images_of_another_type_are_bytes() -> None:
    given = (response(png(compress_level=level).body, Content_Type="image/x-png") for level in (0, 9))
    assert not same(*given)


def gzipped(body: bytes, level: int = 9, **headers: str) -> Response:
    return response(gzip.compress(body, level, mtime=level), Content_Encoding="gzip", **headers)


def test_gzip_is_compared_decoded() -> None:
    body = b'{"a":1}' * 500
    small, large = gzipped(body), gzipped(body, 0)
    assert small.body != large.body
    assert same(small, large)
    assert same(small, without("Content-Length", large))
    assert same(gzipped(b""), gzipped(b"", 0))
    assert not same(small, gzipped(body + b" "))
    assert not same(small, gzipped(body, Vary="Accept-Encoding"))
    assert not same(small, response(body))
    assert not same(without("Content-Encoding", small), without("Content-Encoding", large))
    assert not same(response(body, Content_Encoding="br"), without("Content-Length", response(body)))
    assert same(replace(small, body=b""), without("Content-Length", replace(large, body=b"")), HEAD)
    assert not same(replace(small, body=b""), replace(response(body), body=b""), HEAD)
    (said,) = differences(small, gzipped(body + b"!"), request=GET, names=("a", "b"))
    assert said == 'body: 3500 and 3501 bytes, first difference at byte 3500: a ended, b b\'"a":1}{"a":1}{"a":1}!\''


@pytest.mark.parametrize("level", [0, 9])
def test_gzip_is_whole(level: int) -> None:
    body = b'{"a":1}' * 500
    right = gzipped(body, level)
    assert response_problems(right, GET) == []
    assert response_problems(replace(right, body=b""), HEAD) == []
    several = right.body + right.body
    for wrong in (body, right.body[:-1], right.body[:-8], right.body + b"\n", several, right.body[:50] + several, b"x"):
        assert response_problems(replace(right, body=wrong), GET) == [
            "Content-Encoding is gzip, but the body is not one whole gzip member and nothing else"
        ]
