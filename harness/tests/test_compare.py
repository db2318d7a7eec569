import gzip
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from samewire.contract.compare import ANY, differences, response_problems, side_by_side
from samewire.http import Request, Response

GET, HEAD = Request("GET", "/a"), Request("HEAD", "/a")


def response(body: bytes = b'{"a":1}', status: int = 200, **headers: str) -> Response:
    fields = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, "", "HTTP/1.1", tuple(fields.items()), body)


def without(name: str, given: Response) -> Response:
    return replace(given, headers=tuple(field for field in given.headers if field[0] != name))


def with_fields(*fields: tuple[str, str]) -> Response:
    given = response()
    return replace(given, headers=(*given.headers, *fields))


def same(expected: Response, actual: Response, request: Request = GET) -> bool:
    return not differences(expected, actual, request=request)


def test_equal() -> None:
    assert same(response(), response())


@pytest.mark.parametrize(
    "other",
    [
        response(status=201),
        response(b'{"a":2}'),
        response(b'{"a":1.0}'),
        response(b'{"a":"1"}'),
        response(b'{"a":true}'),
        response(b'{"a":1,"b":1}'),
        response(b"{}"),
        response(b'{"a":1,"a":1}'),
        response(b'{"a":1'),
        response(Content_Type="text/plain"),
        without("Content-Type", response()),
        with_fields(("Content-Type", "application/json")),
    ],
)
def test_different(other: Response) -> None:
    assert not same(response(), other)


@pytest.mark.parametrize(
    "other",
    [
        response(b' { "a" : 1 }\n'),
        response(X_Powered_By="me"),
        response(ETag='"1"'),
        response(Date="yesterday"),
        response(Content_Length="8"),
        without("Content-Length", response()),
    ],
)
def test_what_is_the_stacks_own(other: Response) -> None:
    assert same(response(Date="today"), other)


def test_members_in_any_order_and_escapes_are_the_serialisers() -> None:
    assert same(response('{"a":"é/","b":[1]}'.encode()), response(rb'{"b":[1],"a":"\u00e9\/"}'))


def test_names_in_any_case_and_any_order() -> None:
    fields = tuple((name.upper(), value) for name, value in reversed(response().headers))
    assert same(response(), replace(response(), headers=fields))


def test_values_byte_for_byte() -> None:
    assert not same(response(Location="http://A/"), response(Location="http://a/"))
    assert not same(with_fields(("X", "1"), ("X", "2")), with_fields(("X", "2"), ("X", "1")))


def test_any_body() -> None:
    assert same(response(ANY), response(b"nonsense"))


PROBLEM = b'{"title":"Not Found","status":404,"detail":"..."}'


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"status":404,"title":"Nothing","detail":"here","instance":"/x"}', None),
        (b'{"status":404,"title":"Nothing"}', "no detail"),
        (b'{"status":404,"title":"","detail":"x"}', "no title"),
        (b'{"status":400,"title":"Nothing","detail":"x"}', "status is 400 instead of 404"),
        (b'{"status":"404","title":"Nothing","detail":"x"}', "status is"),
        (b"[]", "must be an object"),
        (b"<h1>", "is no JSON"),
    ],
)
def test_problems_are_compared_by_their_status(body: bytes, said: str | None) -> None:
    kind = {"Content_Type": "application/problem+json"}
    found = differences(response(PROBLEM, 404, **kind), response(body, 404, **kind), request=GET)
    assert [said in one for one in found] == [True] if said else found == []


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
    assert same(response(ANY, Content_Type=one), response(Content_Type=other)) is equal


def test_other_fields_are_compared_as_they_are() -> None:
    assert same(with_fields(("Location", "/a")), with_fields(("location", "/a")))
    assert not same(with_fields(("Location", "/a")), with_fields(("Location", "/A")))
    assert not same(with_fields(("Location", "/a")), with_fields(("Location", "/a"), ("Location", "/a")))


def test_head_has_no_body() -> None:
    assert same(response(), response(b"", Content_Length="7"), HEAD)
    assert not same(response(), response(), HEAD)


def test_every_difference_is_said() -> None:
    found = differences(response(X_A="1"), response(b"x", 500), request=GET, names=("contract", "php"))
    assert [line.partition(":")[0] for line in found] == ["status", "X-A", "body"]
    assert found[0] == "status: contract 200, php 500"
    assert found[1] == "X-A: contract '1', php none"


def test_sound() -> None:
    assert response_problems(response(), GET) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (replace(response(), http_version="HTTP/1.0"), "version"),
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


def test_lists_may_come_in_several_fields() -> None:
    assert response_problems(with_fields(("Allow", "GET"), ("Allow", "HEAD")), GET) == []


def test_continue_that_was_asked_for() -> None:
    given = replace(response(), interim=(response(b"", 100),))
    assert response_problems(given, Request("POST", "/", (("Expect", "100-continue"),), b"")) == []


def test_side_by_side() -> None:
    text = side_by_side(GET, {"a": response(X_A="1"), "b": response(X_B="1"), "c": response(X_A="1")}, url="http://h:1")
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


def png(pixels: bytes = bytes(range(12)), size: tuple[int, int] = (2, 2), mode: str = "RGB", **options) -> Response:
    file = BytesIO()
    Image.frombytes(mode, size, pixels).save(file, "PNG", **options)
    return response(file.getvalue(), Content_Type="image/png")


def test_images_are_compared_by_their_pixels() -> None:
    pixels = bytes(range(256)) * 48
    small, large = png(pixels, (64, 64), compress_level=9), png(pixels, (64, 64), compress_level=0)
    assert small.body != large.body
    assert same(small, large)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (png(bytes(range(11)) + b"\xff"), "1 of 4 pixels, first x=1 y=1: (9, 10, 11) and (9, 10, 255)"),
        (png(size=(4, 1)), "width 2 and 4"),
        (png(size=(1, 4)), "width 2 and 1"),
        (png(bytes(range(6)), (2, 1)), "height 2 and 1"),
        (png(bytes(16), mode="RGBA"), "colour type 2 and 6"),
        (png(bytes(4), mode="L"), "colour type 2 and 0"),
        (response(png().body[:28] + b"\1" + png().body[29:], Content_Type="image/png"), "no sound PNG from server"),
        (response(png().body + b"\n", Content_Type="image/png"), "no sound PNG from server"),
        (response(png().body[:-12], Content_Type="image/png"), "no sound PNG from server"),
        (response(b"", Content_Type="image/png"), "no sound PNG from server"),
    ],
)
def test_different_images(other: Response, said: str) -> None:
    assert any(said in difference for difference in differences(png(), other, request=GET))


def test_images_of_another_type_are_bytes() -> None:
    given = (response(png(compress_level=level).body, Content_Type="image/x-png") for level in (0, 9))
    assert not same(*given)


def gzipped(body: bytes, level: int = 9, **headers: str) -> Response:
    fields = {"Content_Encoding": "gzip", "Content_Type": "text/plain"} | headers
    return response(gzip.compress(body, level, mtime=level), **fields)


def test_gzip_is_compared_decoded() -> None:
    body = b'{"a":1}' * 500
    small, large = gzipped(body), gzipped(body, 0)
    assert small.body != large.body
    assert same(small, large)
    assert same(small, without("Content-Length", large))
    assert same(gzipped(b""), gzipped(b"", 0))
    assert not same(small, gzipped(body + b" "))
    assert not same(gzipped(body, Vary="Accept-Encoding"), small)
    assert not same(small, response(body))
    assert not same(response(body, Content_Encoding="br"), response(body))
    assert same(small, without("Content-Length", replace(large, body=b"")), HEAD)
    assert not same(small, replace(response(body), body=b""), HEAD)
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


PAGE = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Todos</title></head><body><main><h1>Todos</h1>'
    "<table><tbody><tr><td>1</td><td>milk</td></tr><tr><td>2</td><td> </td></tr></tbody></table>"
    '<p><b>a</b> <i>b</i></p><img src="data:,a" alt="A"></main></body></html>'
)


def page(text: str | bytes) -> Response:
    body = text.encode() if isinstance(text, str) else text
    return response(body, Content_Type="text/html; charset=utf-8")


@pytest.mark.parametrize(
    "other",
    [
        PAGE.replace("<tr>", "\n\t<tr>\n").replace("<img", "\n  <img").replace("<main>", "\r\n<main>\r\n") + "\n",
        PAGE.replace("<meta", "\n  <meta").replace("<title>", "\n  <title>").replace("<body>", "\n<body>"),
        PAGE.replace("<td>milk</td>", " <td>milk</td> "),
        PAGE.replace("<p>", "<p>\n").replace("</p>", "\n</p>"),
        PAGE.replace('<img src="data:,a" alt="A">', "<IMG alt=A src='data:,a' />"),
        PAGE.replace("milk", "&#109;il&#x6B;"),
        PAGE.replace("</td>", "").replace("</tr>", "").replace("<tbody>", ""),
        PAGE.replace("<!DOCTYPE html>", "\ufeff<!doctype HTML>\n"),
    ],
)
def test_pages_are_compared_by_their_trees(other: str) -> None:
    assert other != PAGE
    assert differences(page(PAGE), page(other), request=GET) == []


CELL = "main > table > tbody > tr[1] > td[2]"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("milk", "silk"), f"{CELL}: the text is contract 'milk', server 'silk'"),
        (("milk", " milk"), f"{CELL}: the text is contract 'milk', server ' milk'"),
        (("milk", "<u>milk</u>"), f"{CELL}: contract has the text 'milk', server has <u>"),
        (
            ("<td> ", "<td>"),
            "main > table > tbody > tr[2] > td[2]: contract has the text ' ', server has the end",
        ),
        (("<td> ", "<td>  "), "main > table > tbody > tr[2] > td[2]: the text is contract ' ', server '  '"),
        (("</b> <i>", "</b><i>"), "main > p: contract has the text ' ', server has <i>"),
        (("<h1>Todos", "<h1>Todos "), "main > h1: the text is contract 'Todos', server 'Todos '"),
        (("<h1>Todos</h1>", "<h2>Todos</h2>"), "main > h1: contract has <h1>, server has <h2>"),
        (("<td>1</td>", "<th>1</th>"), "main > table > tbody > tr[1] > td[1]: contract has <td>, server has <th>"),
        ((' alt="A"', ""), "main > img: alt: contract 'A', server missing"),
        ((' alt="A"', ' alt=""'), "main > img: alt: contract 'A', server ''"),
        ((' alt="A"', ' alt="A" id="x"'), "main > img: id: contract missing, server 'x'"),
        (("data:,a", "data:,b"), "main > img: src: contract 'data:,a', server 'data:,b'"),
        (("</main>", "<!-- x --></main>"), "main: contract has the end of <main>, server has <!-- x -->"),
        (("</main>", "</main><script>x</script>"), "the page: contract has the end of <body>, server has <script>"),
        (("</html>", "</html>x"), "the page: contract has the end of <body>, server has the text 'x'"),
        (("<!DOCTYPE html>", ""), "the page: contract has <!DOCTYPE html>, server has <html>"),
        (
            ("<!DOCTYPE html>", '<!DOCTYPE html SYSTEM "about:legacy-compat">'),
            "the page: contract has <!DOCTYPE",
        ),
        (
            ("<tr><td>2</td><td> </td></tr>", ""),
            "main > table > tbody > tr[2]: contract has <tr>, server has the end",
        ),
    ],
)
def test_different_pages(change: tuple[str, str], said: str) -> None:
    (found,) = differences(page(PAGE), page(PAGE.replace(*change, 1)), request=GET)
    assert found.startswith(f"body: {said}")


@pytest.mark.parametrize("change", [("<pre> <b>", "<pre><b>"), ("<template>a", "<template>b"), (">a\n<", ">a<")])
def test_pages_with_white_space_that_shows(change: tuple[str, str]) -> None:
    text = "<!DOCTYPE html><pre> <b>x</b></pre><template>a</template><p>a\n<i>b</i>"
    assert not same(page(text), page(text.replace(*change)))


def test_pages_are_shown_where_they_differ() -> None:
    (found,) = differences(page(f"<p>{'a' * 500}b{'c' * 500}"), page(f"<p>{'a' * 500}d{'c' * 500}"), request=GET)
    assert found.startswith("body: p: the text is contract 'aaaaaaaaaaaaaaaaaaaabccc")
    assert found.endswith("(from character 480)")
    assert len(found) < 300
    assert not same(page(PAGE), page(b""))
    assert not same(page(PAGE), page(PAGE.encode("utf-16")))
    assert not same(page("é"), page("é".encode("latin-1")))


def test_a_page_may_be_coded() -> None:
    kind = {"Content_Type": "text/html; charset=utf-8"}
    assert same(gzipped(PAGE.encode(), **kind), gzipped(PAGE.encode() + b"\n", **kind))
