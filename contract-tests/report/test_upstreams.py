"""Upstreams that are well, and upstreams that are not: what a report makes of every way in which they can behave.

What they send is of three sorts: right (the page), wrong (502 or 504), and odd. What is odd, the stack takes for what
it can mean, or refuses with a 502; it never makes another page of it.
"""

import gzip
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import parse_qsl, urlsplit

import pytest
from life_clients import is_busy

from report import model
from report.conftest import GET, IMAGE, IN_TIME, ITEMS, RIGHT, RIGHT_IMAGE, RIGHT_TODOS, TIMEOUT, TODOS, Scene
from report.model import BAD_UPSTREAM, TIMED_OUT, Item, Upstreams
from report.strategies import listing
from report.upstreams import JSON, PNG, Asked, End, Script, Step, Upstream, drip, flood, in_turn, message, playing
from samewire.http import PATIENCE, Request, Response
from samewire.watching import Memory

pytestmark = pytest.mark.layer("cases")

HEAD = Request("HEAD", "/report")
READ_AHEAD = 40_000_000
"""Bytes of an endless answer that may leave an upstream: the largest limit, and what the sockets' buffers hold."""
GROWTH = 300
"""MB by which a server may grow for four bodies of the limit, with what a garbage collector has not seen to yet."""


def assert_right(problems: Mapping[str, list[str]], scene: Scene) -> None:
    """AssertionError with everything that went wrong."""
    wrong = {name: found for name, found in problems.items() if found}
    lines = [f"{name}: {problem}" for name, found in wrong.items() for problem in found]
    log = f"\nThe server's last lines:\n{scene.target.last_lines(5) or '(none)'}"
    assert not wrong, "\n".join([f"{len(wrong)} of {len(problems)} went wrong", *lines[:40]]) + log


def is_page_of(answer: Response, pages: Sequence[bytes]) -> list[str]:
    """What is wrong with an answer that must be one of these pages."""
    found = [model.problems_of(GET, model.report(page), answer) for page in pages]
    return [] if [] in found else found[0]


def taken_or_refused(answer: Response, *pages: bytes) -> list[str]:
    """What is wrong with an answer to what is odd: it must be one of these pages, or a 502."""
    return model.problems_of(GET, BAD_UPSTREAM, answer) if answer.status == 502 else is_page_of(answer, pages)


def bad_or_late(answer: Response, seconds: float, request: Request = GET) -> list[str]:
    """What is wrong with an answer where an upstream is bad and also late: it must be a 502 or a 504."""
    expected = TIMED_OUT if answer.status == 504 else BAD_UPSTREAM
    return model.problems_of(request, expected, answer) + not_in_time(seconds)


def not_in_time(seconds: float) -> list[str]:
    """A sentence if an answer took longer than anything may."""
    return [f"took {seconds:.1f} s, the time-out being {TIMEOUT} s"] if seconds > IN_TIME else []


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition comes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def all_cut(upstream: Upstream) -> bool:
    """Whether every connection that was asked on is closed, by its time-out, before its answer was complete."""
    return wait_until(lambda: all(one.cut for one in upstream.asked), IN_TIME)


# --- upstreams that are well


def right_ways(body: bytes, media_type: str) -> dict[str, Script]:
    """Answers that are right, however unusual."""
    whole = message(body, media_type)
    one_chunk = b"%x;a=b\r\n%b\r\n0\r\nX-Trailer: 1\r\n\r\n" % (len(body), body)
    return {
        "Content-Length": playing(whole),
        "chunked": playing(message(body, media_type, framing="chunked")),
        "chunk extension and trailer": playing(
            message(b"", media_type, "Transfer-Encoding: chunked", framing="close") + one_chunk
        ),
        "until the end of the connection": playing(message(body, media_type, framing="close"), End.CLOSE),
        "Connection: close": playing(message(body, media_type, "Connection: close"), End.CLOSE),
        "byte by byte at first": lambda _: [*(bytes([byte]) for byte in whole[:200]), whole[200:]],
        "in two pieces": playing(whole[:-9], 0.05, whole[-9:]),
        "parameter": playing(message(body, f"{media_type}; charset=utf-8")),
        "parameter without space": playing(message(body, f"{media_type};a=b")),
        "in capitals": playing(message(body, media_type.upper())),
        "names in lower case": playing(whole.replace(b"Content-T", b"content-t").replace(b"Content-L", b"content-l")),
        "no reason phrase": playing(message(body, media_type, status="200 ")),
        "other reason phrase": playing(message(body, media_type, status="200 Not Found")),
        "many fields": playing(message(body, media_type, *(f"X-{number}: {'v' * 60}" for number in range(60)))),
        "fields for caches and browsers": playing(
            message(body, media_type, 'ETag: "a"', "Set-Cookie: a=b", "Location: /elsewhere", "Retry-After: 9")
        ),
    }


def padded(size: int) -> bytes:
    """The list with so many bytes."""
    return TODOS + b" " * (size - len(TODOS))


ITEM, TEXT = Item(1, "t"), '{"id":1,"title":"t","completed":false}'


def texts(*items: str) -> bytes:
    """A list with these items."""
    return f'{{"items":[{",".join(items)}],"next":null}}'.encode()


def nested(depth: int) -> bytes:
    """A list with nothing in it, and a value in so many lists and objects."""
    return b'{"items":[],"more":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


RIGHT_LISTS: dict[str, tuple[bytes, tuple[Item, ...]]] = {
    "empty": (listing(), ()),
    "next": (texts(TEXT).replace(b"null", b"1"), (ITEM,)),
    "white space": (
        b' \t\r\n{ "items" : [ {"id" : 1 ,"title":\n"t","completed": false } ], "next" : null } \n',
        (ITEM,),
    ),
    "members in another order": (
        b'{"next":null,"items":[{"completed":true,"title":"t","id":7}]}',
        (Item(7, "t", True),),
    ),
    "escapes": (
        texts(TEXT.replace('"t"', r'"\u0041\/\ud83d\ude00\n\"\\"').replace("title", r"t\u0069tle")),
        (Item(1, 'A/😀\n"\\'),),
    ),
    "escaped markup": (texts(TEXT.replace('"t"', r'"<\u003c/td>&amp;&#39;\u0027"')), (Item(1, "<</td>&amp;&#39;'"),)),
    "blanks": (listing(Item(1, "  a  b ")), (Item(1, "  a  b "),)),
    "largest id": (listing(Item(2**53 - 1, "t")), (Item(2**53 - 1, "t"),)),
    "descending": (listing(Item(2, "t"), ITEM), (Item(2, "t"), ITEM)),
    "as large as may be": (padded(model.TODO_LIMIT), ITEMS),
}


def spelled_id(number: str, *readings: int) -> tuple[bytes, tuple[tuple[Item, ...], ...]]:
    """A list with an item whose id is spelled so."""
    return texts(TEXT.replace("1", number, 1)), tuple((Item(one, "t"),) for one in readings)


def spelled_title(title: bytes, *readings: str) -> tuple[bytes, tuple[tuple[Item, ...], ...]]:
    """A list with an item whose title is spelled so."""
    return texts(TEXT).replace(b'"t"', title), tuple((Item(1, one),) for one in readings)


LOST = "\ufffd"
"""What a decoder puts in the place of what it cannot read."""

ODD_LISTS: dict[str, tuple[bytes, tuple[tuple[Item, ...], ...]]] = {
    "no next": (b'{"items":[]}', ((),)),
    "more members": (b'{"a":1,"items":[{"x":[{}],"id":7,"title":"t","completed":false}]}', ((Item(7, "t"),),)),
    "items twice": (b'{"items":[],"items":[%b]}' % TEXT.encode(), ((ITEM,), ())),
    "members twice": (texts('{"id":1,"id":2,"title":"t","completed":false}'), ((Item(2, "t"),), (ITEM,))),
    "members twice, of two types": (
        b'{"items":7,"items":[{"id":"x","id":3,"title":0,"title":"t","completed":false}]}',
        ((Item(3, "t"),),),
    ),
    "empty title": spelled_title(b'""', ""),
    "long title": spelled_title(b'"%b"' % (b"t" * 5000), "t" * 5000),
    "same id twice": (listing(ITEM, ITEM), ((ITEM, ITEM),)),
    "101 items": (listing(*[ITEM] * 101), ((ITEM,) * 101,)),
    "numbers of all sorts": (
        b'{"items":[],"next":null,"n":[1e400,-0.0,1E-400,123456789012345678901234567890]}',
        ((),),
    ),
    "64 deep": (nested(64), ((),)),
    "65 deep": (nested(65), ((),)),
    "very deep": (nested(100_000), ((),)),
    "id 0": spelled_id("0", 0),
    "id -0": spelled_id("-0", 0),
    "id -1": spelled_id("-1", -1),
    "id 1.0": spelled_id("1.0", 1),
    "id 1e2": spelled_id("1e2", 100),
    **{f"id {one}": spelled_id(str(one), one) for one in (2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 + 1, 10**99 + 1)},
    "byte order mark": (b"\xef\xbb\xbf" + TODOS, (ITEMS,)),
    "UTF-16": (TODOS.decode().encode("utf-16-le"), (ITEMS,)),
    "not UTF-8": spelled_title(b'"a\xffb"', f"a{LOST}b"),
    "overlong UTF-8": spelled_title(b'"a\xc0\xafb"', f"a{LOST}b", f"a{LOST * 2}b"),
    "a surrogate in UTF-8": spelled_title(b'"a\xed\xa0\x80b"', *(f"a{LOST * times}b" for times in (1, 2, 3))),
    "lone surrogate": spelled_title(rb'"a\ud800b"', f"a{LOST}b", "a?b", f"a{LOST * 3}b"),
    "lone surrogate elsewhere": (b'{"items":[],"next":null,"more":["\\udc00"]}', ((),)),
    "lone surrogate in a name": (b'{"items":[],"next":null,"\\ud800":1}', ((),)),
    "lone surrogate in a duplicate": (b'{"items":"\\ud800","items":[]}', ((),)),
    # A browser drops the character, but makes U+FFFD of `&#0;`.
    "U+0000": spelled_title(rb'"a\u0000<b>"', "a<b>", f"a{LOST}<b>"),
}
"""The list, and what it can mean."""


def test_right_upstreams(scene: Scene) -> None:
    assert (problem := model.judge(GET, scene.ask()[0], RIGHT)) == [], problem
    problems = {}
    for name, script in right_ways(TODOS, JSON).items():
        scene.upstreams.answer(todo=script)
        problems[f"todo, {name}"] = model.judge(GET, scene.ask()[0], RIGHT)
    for name, script in right_ways(IMAGE, PNG).items():
        scene.upstreams.answer(raytracer=script)
        problems[f"raytracer, {name}"] = model.judge(GET, scene.ask()[0], RIGHT)
    for name, (listed, items) in RIGHT_LISTS.items():
        scene.upstreams.answer(todo=playing(message(listed, JSON)))
        problems[name] = model.judge(GET, scene.ask()[0], Upstreams(items, IMAGE))
    for size in (1, 2, 3, 300_000):
        image = ((b"\xff\xfe\xfb" + bytes(range(256))) * (size // 259 + 1))[:size]
        scene.upstreams.answer(raytracer=playing(message(image, PNG)))
        problems[f"image of {size} bytes"] = model.judge(GET, scene.ask()[0], Upstreams(ITEMS, image))
    assert_right(problems, scene)


def test_the_largest_image(scene: Scene) -> None:
    image = bytes(range(256)) * (model.IMAGE_LIMIT // 256)
    scene.upstreams.answer(raytracer=playing(message(image, PNG)))
    # Our own client is for small answers.
    with urllib.request.urlopen(f"{scene.target.url}/report", timeout=10) as answer:
        page = Response(200, "OK", "HTTP/1.1", tuple(answer.getheaders()), answer.read())
    problems = model.judge(GET, page, Upstreams(ITEMS, image))
    assert not problems, problems


def test_what_upstreams_are_asked(scene: Scene) -> None:
    scene.upstreams.answer()
    problems = {"answer": model.judge(GET, scene.ask()[0], RIGHT)}
    for upstream, target in (
        (scene.upstreams.todo, model.TODO_TARGET),
        (scene.upstreams.raytracer, model.RAYTRACER_TARGET),
    ):
        assert len(upstream.asked) == 1, f"{upstream.url} was asked {len(upstream.asked)} times"
        problems[target] = wrong_with_request(upstream.asked[0], target, upstream.authority)
    assert_right(problems, scene)


def wrong_with_request(asked: Asked, target: str, authority: str) -> list[str]:
    """What is wrong with a request to an upstream."""
    method, given, _ = asked.line.split(" ")
    same = [(urlsplit(one).path, sorted(parse_qsl(urlsplit(one).query))) for one in (target, given)]
    wrong = [] if method == "GET" and same[0] == same[1] else [f"request line {asked.line!r}"]
    if asked.values("Host") != [authority]:
        wrong.append(f"Host {asked.values('Host')}")
    if asked.values("Transfer-Encoding") or asked.values("Content-Length") not in ([], ["0"]):
        wrong.append("it has a body")
    return wrong


def test_both_are_asked_at_the_same_time(scene: Scene) -> None:
    todo_asked, raytracer_asked = threading.Event(), threading.Event()
    # Each answers only when the other has been asked as well.
    scene.upstreams.answer(
        playing(todo_asked.set, lambda: raytracer_asked.wait(5), message(TODOS, JSON)),
        playing(raytracer_asked.set, lambda: todo_asked.wait(5), message(IMAGE, PNG)),
    )
    problems = model.judge(GET, scene.ask()[0], RIGHT)
    assert not problems, problems


def at_once(scene: Scene, clients: int) -> list[tuple[Response, float]]:
    """What so many clients get that ask at the same time."""
    barrier = threading.Barrier(clients, timeout=PATIENCE)

    def one(_: int) -> tuple[Response, float]:
        barrier.wait()
        return scene.ask()

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(one, range(clients)))


def test_fifty_reports_at_once(scene: Scene) -> None:
    scene.upstreams.answer(playing(0.2, message(TODOS, JSON)), playing(0.2, message(IMAGE, PNG, framing="chunked")))
    answers = at_once(scene, 50)
    if is_busy() and any(answer.status == 504 for answer, _ in answers):
        # The server may have waited for a core, and not for the upstreams.
        answers = at_once(scene, 50)
    assert_right({f"client {number}": model.judge(GET, one[0], RIGHT) for number, one in enumerate(answers)}, scene)
    slowest = max(seconds for _, seconds in answers)
    assert slowest < 5, f"50 reports at once took up to {slowest:.1f} s, with upstreams that take 0.2 s"


RIGHT_PAGE = model.page(ITEMS, IMAGE)


# --- connections that are kept


def dropping(end: End, right: bytes) -> Script:
    """Takes the second request on a connection and closes without an answer, as if it had closed a moment before."""
    return lambda asked: (end,) if asked.place else (right,)


def test_upstreams_that_close_idle_connections(scene: Scene) -> None:
    todos, image = message(TODOS, JSON), message(IMAGE, PNG)
    ways: dict[str, Callable[[bytes], Script]] = {
        "at once": lambda right: playing(right, End.CLOSE),
        "after a moment": lambda right: playing(right, 0.02, End.CLOSE),
        "when the next request comes": lambda right: dropping(End.CLOSE, right),
        "with a reset when the next request comes": lambda right: dropping(End.RESET, right),
    }
    problems = {}
    for name, way in ways.items():
        scene.upstreams.answer(way(todos), way(image))
        for number in range(10):
            problems[f"closed {name}, report {number}"] = model.judge(GET, scene.ask()[0], RIGHT)
            time.sleep(number % 3 * 0.01)
        several = at_once(scene, 8) + at_once(scene, 8)
        for number, (answer, _) in enumerate(several):
            problems[f"closed {name}, client {number}"] = model.judge(GET, answer, RIGHT)
    scene.upstreams.answer()
    for number in range(10):
        problems[f"all closed, report {number}"] = model.judge(GET, scene.ask()[0], RIGHT)
        scene.upstreams.todo.hang_up()
        scene.upstreams.raytracer.hang_up()
    assert_right(problems, scene)


def test_bytes_after_an_answer_are_no_answer(scene: Scene) -> None:
    todos, image, over = message(TODOS, JSON), message(IMAGE, PNG), threading.Event()

    def adding_later(_: Asked) -> Iterator[Step]:
        try:
            yield from (todos, 0.02, message(listing(), JSON))
        finally:
            over.set()

    ways = {
        "todo answers twice": (playing(todos + message(listing(), JSON)), RIGHT_IMAGE),
        "raytracer answers twice": (RIGHT_TODOS, playing(image + message(b"x", PNG))),
        "todo adds a second answer later": (adding_later, RIGHT_IMAGE),
        "todo adds a line end": (playing(todos + b"\r\n"), RIGHT_IMAGE),
        "todo adds rubbish": (playing(todos + b"rubbish"), RIGHT_IMAGE),
    }
    problems = {}
    for name, (todo, raytracer) in ways.items():
        scene.upstreams.answer(todo, raytracer)
        for _ in range(3):
            over.clear()
            answer, _ = scene.ask()
            # The first answer was complete. A client that sees more may say so, too.
            problems[name] = problems.get(name, []) + taken_or_refused(answer, RIGHT_PAGE)
            # What came after the next request would be its answer: nobody could tell.
            assert todo is not adding_later or over.wait(5)
            time.sleep(0.03)
        problems[f"after {name}"] = scene.right_again()
    assert_right(problems, scene)


# --- upstreams that fail


def wrong_ways(body: bytes, media_type: str) -> dict[str, Script]:
    """Answers that are wrong, whichever upstream gives them."""
    whole = message(body, media_type)
    head, _, _ = whole.partition(b"\r\n\r\n")
    chunked = message(body, media_type, framing="chunked")
    other = PNG if media_type == JSON else JSON

    def redirected(status: str) -> Script:
        """Would be right for a client that follows."""
        away = message(body, media_type, "Location: /elsewhere", status=status)
        return lambda asked: (whole if "/elsewhere" in asked.line else away,)

    def with_status(status: str) -> Script:
        return playing(message(body, media_type, status=status))

    def chunks(data: bytes, *more: Step) -> Script:
        return playing(message(b"", media_type, "Transfer-Encoding: chunked", framing="close") + data, *more)

    return {
        "closed before the head": playing(End.CLOSE),
        "reset before the head": playing(End.RESET),
        "closed in the status line": playing(b"HTTP/1.1 20", End.CLOSE),
        "closed in the head": playing(head[:-9], End.CLOSE),
        "reset in the head": playing(head[:-9], 0.02, End.RESET),
        "closed after the head": playing(head + b"\r\n\r\n", End.CLOSE),
        "reset after the head": playing(head + b"\r\n\r\n", 0.02, End.RESET),
        "closed in the body": playing(whole[:-1], End.CLOSE),
        "reset in the body": playing(whole[:-1], 0.02, End.RESET),
        "closed before the last chunk": playing(chunked[:-5], End.CLOSE),
        "closed in a chunk": playing(chunked[:-20], End.CLOSE),
        "reset in a chunk": playing(chunked[:-20], 0.02, End.RESET),
        "a chunk size that is none": chunks(b"zz\r\n" + body + b"\r\n0\r\n\r\n"),
        "a negative chunk size": chunks(b"-1\r\n" + body + b"\r\n0\r\n\r\n"),
        "an immense chunk size": chunks(b"f" * 40 + b"\r\n" + body, End.CLOSE),
        "more than the chunk size": chunks(b"3\r\n" + body + b"\r\n0\r\n\r\n"),
        **{
            f"status {status}": with_status(status)
            for status in (
                "400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found", "429 Too Many Requests",
                "500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout",
                "499 A", "599 A",
            )
        },
        "status 204": playing(b"HTTP/1.1 204 No Content\r\n\r\n"),
        "status 205": playing(b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n"),
        "status 304": playing(b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'),
        "status 401 with a challenge": playing(
            message(body, media_type, 'WWW-Authenticate: Basic realm="a"', status="401 Unauthorized")
        ),
        **{
            f"status {status}": redirected(status)
            for status in (
                "300 Multiple Choices", "301 Moved Permanently", "302 Found", "303 See Other",
                "307 Temporary Redirect", "308 Permanent Redirect",
            )
        },
        **{
            f"type {wrong}": playing(message(body, wrong))
            for wrong in (
                "text/plain", "text/html; charset=utf-8", "application/octet-stream", other, f"{media_type}p",
                f"x{media_type}", f"text/plain; {media_type}", "image/jpeg",
            )
        },
        "no HTTP": playing(b"220 mail.example ESMTP\r\n\r\n", End.CLOSE),
        "TLS": playing(b"\x15\x03\x01\x00\x02\x02\x28", End.CLOSE),
        "no HTTP for long": playing(b"no HTTP " * 3000, b"\r\n\r\n", End.CLOSE),
        "no status": playing(whole.replace(b" 200 OK", b"")),
        "a status of letters": playing(whole.replace(b"200", b"two")),
        "a status of two digits": playing(whole.replace(b"200", b"20")),
        "a length that is none": playing(whole.replace(b"Content-Length: ", b"Content-Length: x")),
        "a negative length": playing(whole.replace(b"Content-Length: ", b"Content-Length: -")),
        "two lengths": playing(whole.replace(b"Content-Length: ", b"Content-Length: 1\r\nContent-Length: ")),
        "an endless head": flood(b"HTTP/1.1 200 OK\r\nX: ", 100_000_000, chunked=False),
    }  # fmt: skip


def odd_ways(body: bytes, media_type: str) -> dict[str, Script]:
    """Answers whose framing, status, type or coding a stack may take as it likes, whichever upstream gives them."""
    chunked = message(body, media_type, framing="chunked")

    def encoded(coding: str, content: bytes = body) -> Script:
        return playing(message(content, media_type, f"Content-Encoding: {coding}"))

    return {
        "closed in the last chunk": playing(chunked[:-4], End.CLOSE),
        # RFC 9112, 8: a body that the connection ends is complete.
        "reset at the end of a body of unstated length": playing(
            message(body, media_type, framing="close"), 0.02, End.RESET
        ),
        **{
            f"status {status}": playing(message(body, media_type, status=status))
            for status in (
                "201 Created", "202 Accepted", "203 Non-Authoritative Information", "206 Partial Content", "299 A",
            )
        },
        "no type": playing(message(body, None)),
        "empty type": playing(message(body, "")),
        **{
            f"type {odd}": playing(message(body, odd))
            for odd in (media_type.partition("/")[0], "*/*", media_type.replace("/", "/problem+"))
        },
        "identity": encoded("identity"),
        "gzip": encoded("gzip", gzip.compress(body)),
        "gzip in capitals": encoded("GZIP", gzip.compress(body)),
        "x-gzip": encoded("x-gzip", gzip.compress(body)),
        **{f"no {coding} that says so": encoded(coding) for coding in ("gzip", "deflate", "br", "aes128gcm")},
    }  # fmt: skip


WRONG_LISTS: dict[str, bytes] = {
    "nothing": b"",
    "blank": b" ",
    "cut off": TODOS[:-1],
    "two values": TODOS + b"{}",
    "a comma too many": TODOS.replace(b"}]", b"},]"),
    "single quotes": b"{'items':[]}",
    "no JSON": b"<html>",
    "NaN": b'{"items":[],"n":NaN}',
    "comment": b'{"items":[]}//',
    "line end in a string": texts(TEXT.replace('"t"', '"\n"')),
    "number with a leading zero": b'{"items":[],"n":01}',
    "bad escape": texts(TEXT.replace('"t"', r'"\x41"')),
    "a list": b"[]",
    "a string": b'"items"',
    "null": b"null",
    "no items": b'{"next":null}',
    "items in capitals": b'{"Items":[]}',
    "items is null": b'{"items":null}',
    "items is an object": b'{"items":{}}',
    "items is an object with places": b'{"items":{"0":' + TEXT.encode() + b"}}",
    "items is a string": b'{"items":"[]"}',
    "one byte too large": padded(model.TODO_LIMIT + 1),
    **{
        f"an item is {value}": texts(TEXT, value)
        for value in ("null", "7", '"a"', "[]", "{}", "true", '[1,"t",false]')
    },
    **{f"id {value}": texts(TEXT.replace("1", value, 1)) for value in ("1.5", '"1"', "null", "true", "[1]", "{}")},
    **{f"title {value}": texts(TEXT.replace('"t"', value)) for value in ("null", "7", "true", '["t"]', "{}")},
    **{
        f"completed {value}": texts(TEXT.replace("false", value))
        for value in ("null", "0", "1", '"true"', '""', "[]", "{}", "0.0")
    },
    **{
        f"no {name}": texts(TEXT.replace(f'"{name}"', '"other"')) for name in ("id", "title", "completed")
    },
}  # fmt: skip


def wrong_answers(scene: Scene, ways: Mapping[str, Script], which: str) -> dict[str, list[str]]:
    """What is wrong with the answers while one upstream fails in each of these ways, and with the next reports."""
    problems = {}
    for name, script in ways.items():
        scene.upstreams.answer(**{which: script})
        answer, seconds = scene.ask()
        found = model.problems_of(GET, BAD_UPSTREAM, answer) + not_in_time(seconds)
        problems[f"{which}, {name}"] = found + scene.right_again()
    return problems


def test_a_todo_upstream_that_answers_wrongly(scene: Scene) -> None:
    assert_right(wrong_answers(scene, wrong_ways(TODOS, JSON), "todo"), scene)


def test_a_raytracer_upstream_that_answers_wrongly(scene: Scene) -> None:
    ways = wrong_ways(IMAGE, PNG)
    ways["one byte too large"] = playing(message(bytes(model.IMAGE_LIMIT + 1), PNG))
    ways["one byte too large, chunked"] = playing(message(bytes(model.IMAGE_LIMIT + 1), PNG, framing="chunked"))
    assert_right(wrong_answers(scene, ways, "raytracer"), scene)


def test_lists_that_are_none(scene: Scene) -> None:
    ways = {name: playing(message(body, JSON)) for name, body in WRONG_LISTS.items()}
    ways["one byte too large, chunked"] = playing(message(padded(model.TODO_LIMIT + 1), JSON, framing="chunked"))
    assert_right(wrong_answers(scene, ways, "todo"), scene)


def test_odd_upstreams(scene: Scene) -> None:
    problems = {}
    for which, body, media_type in (("todo", TODOS, JSON), ("raytracer", IMAGE, PNG)):
        for name, script in odd_ways(body, media_type).items():
            scene.upstreams.answer(**{which: script})
            found = taken_or_refused(scene.ask()[0], RIGHT_PAGE)
            problems[f"{which}, {name}"] = found + scene.right_again()
    scene.upstreams.answer(raytracer=playing(message(b"", PNG)))
    problems["an empty image"] = taken_or_refused(scene.ask()[0], model.page(ITEMS, b"")) + scene.right_again()
    assert_right(problems, scene)


def test_odd_lists(scene: Scene) -> None:
    problems = {}
    for name, (listed, readings) in ODD_LISTS.items():
        scene.upstreams.answer(todo=playing(message(listed, JSON)))
        found = taken_or_refused(scene.ask()[0], *(model.page(items, IMAGE) for items in readings))
        problems[name] = found + scene.right_again()
    # A browser makes line ends of carriage returns, but not of `&#13;`.
    page = model.page((Item(1, "a\rb\r\n<c>"),), IMAGE)
    scene.upstreams.answer(todo=playing(message(spelled_title(rb'"a\rb\r\n<c>"')[0], JSON)))
    problems["carriage returns"] = taken_or_refused(scene.ask()[0], page, page.replace(b"\r", b"&#13;"))
    assert_right(problems, scene)


def test_upstreams_that_are_not_there(scene: Scene) -> None:
    todo, raytracer = scene.upstreams.todo, scene.upstreams.raytracer
    problems = {}
    for name, away in {"todo": [todo], "raytracer": [raytracer], "both": [todo, raytracer]}.items():
        problems[f"before {name}"] = scene.right_again()
        with all_refusing(away):
            for request in (GET, HEAD):
                answer, seconds = scene.ask(request)
                found = model.problems_of(request, model.unavailable(request), answer) + not_in_time(seconds)
                problems[f"{name}, {request.method}"] = found
            health = Request("GET", "/healthz")
            problems[f"{name}, health"] = model.judge(health, scene.ask(health)[0])
        problems[f"after {name}"] = scene.right_again()
    assert_right(problems, scene)


@contextmanager
def all_refusing(upstreams: list[Upstream]) -> Iterator[None]:
    """None of them listens for a while."""
    if not upstreams:
        yield
        return
    with upstreams[0].refusing(), all_refusing(upstreams[1:]):
        yield


# --- upstreams that are bad and late


def failures_on_the_way(body: bytes, media_type: str, limit: int) -> dict[str, Script]:
    """Failures that can be known before the answer is complete; nothing more comes then."""
    return {
        "reset": playing(End.RESET),
        "wrong status, the body never comes": playing(
            message(b"", media_type, "Content-Length: 9", status="500 A", framing="close"), End.HANG
        ),
        "redirect, the body never comes": playing(
            message(b"", media_type, "Content-Length: 9", "Location: /a", status="301 A", framing="close"), End.HANG
        ),
        "wrong type, the body never comes": playing(
            message(b"", "text/plain", "Content-Length: 9", framing="close"), End.HANG
        ),
        "a length over the limit, the body never comes": playing(
            message(b"", media_type, f"Content-Length: {limit + 1}", framing="close"), End.HANG
        ),
        "a body over the limit that does not end": playing(
            message(bytes(limit + 1), media_type, framing="chunked")[:-5], End.HANG
        ),
    }


@pytest.mark.parametrize("which", ["todo", "raytracer"])
def test_one_is_bad_and_the_other_late(scene: Scene, which: str) -> None:
    """Which of the two is told, and whether the answer waits for the other, is the stack's own."""
    failing, hanging = (scene.upstreams.todo, scene.upstreams.raytracer)
    if which == "raytracer":
        failing, hanging = hanging, failing
        ways = failures_on_the_way(IMAGE, PNG, model.IMAGE_LIMIT)
    else:
        ways = failures_on_the_way(TODOS, JSON, model.TODO_LIMIT)
        ways["malformed JSON"] = playing(message(b"{", JSON))
        ways["another shape"] = playing(message(b"{}", JSON))
    problems = {}
    for name, script in ways.items():
        other_asked = threading.Event()
        scene.upstreams.answer()

        def wait_for_the_other(
            asked: Asked, script: Script = script, event: threading.Event = other_asked
        ) -> Iterator[Step]:
            yield lambda: event.wait(5)
            yield from script(asked)

        failing.answers(wait_for_the_other)
        hanging.answers(playing(other_asked.set, b"HTTP/1.1 200 OK\r\n", End.HANG))
        problems[name] = bad_or_late(*scene.ask())
        if not all_cut(hanging):
            problems[name].append("the exchange with the other upstream was not cut")
        problems[name] += scene.right_again()
    assert_right(problems, scene)


# --- upstreams that are slow


def slow_ways(body: bytes, media_type: str) -> list[Script]:
    """Answers that do not come, or not in time."""
    whole = message(body, media_type)
    head, _, _ = whole.partition(b"\r\n\r\n")
    chunked = message(body, media_type, framing="chunked")
    return [
        playing(End.HANG),
        playing(head[:-9], End.HANG),
        playing(head + b"\r\n\r\n", End.HANG),
        playing(whole[:-1], End.HANG),
        playing(chunked[:-5], End.HANG),
        playing(message(body, media_type, framing="close"), End.HANG),
        drip(whole[:200], 0.05),
        lambda _: [whole[:-100], *(piece for byte in whole[-100:] for piece in (bytes([byte]), 0.05))],
    ]


@pytest.mark.parametrize("which", ["todo", "raytracer", "both"])
def test_slow_upstreams(scene: Scene, which: str) -> None:
    todo = in_turn(*slow_ways(TODOS, JSON)) if which != "raytracer" else RIGHT_TODOS
    raytracer = in_turn(*slow_ways(IMAGE, PNG)) if which != "todo" else RIGHT_IMAGE
    scene.upstreams.answer(todo, raytracer)
    clients = len(slow_ways(TODOS, JSON))
    problems = {}
    for number, (answer, seconds) in enumerate(at_once(scene, clients)):
        found = model.problems_of(GET, TIMED_OUT, answer) + not_in_time(seconds)
        problems[f"slow upstream {number}"] = found + (["gave up early"] if seconds < TIMEOUT - 0.05 else [])
    slow = [one for one in (scene.upstreams.todo, scene.upstreams.raytracer) if which in (one_name(scene, one), "both")]
    for upstream in slow:
        problems[f"{one_name(scene, upstream)} is let go"] = (
            [] if all_cut(upstream) else ["not all exchanges were cut at the time-out"]
        )
    problems["afterwards"] = scene.right_again()
    assert_right(problems, scene)


def one_name(scene: Scene, upstream: Upstream) -> str:
    """Which of the two it is."""
    return "todo" if upstream is scene.upstreams.todo else "raytracer"


def test_slow_enough(scene: Scene) -> None:
    todos, image = message(TODOS, JSON), message(IMAGE, PNG)
    pause = TIMEOUT / 8
    scene.upstreams.answer(
        playing(pause * 2, todos[:-1], pause, todos[-1:]),
        playing(pause, image[:20], pause, image[20:900], pause, image[900:]),
    )
    problems = model.judge(GET, scene.ask()[0], RIGHT)
    assert not problems, problems


# --- upstreams that send too much


@pytest.mark.parametrize("which", ["todo", "raytracer"])
@pytest.mark.parametrize("chunked", [True, False], ids=["chunked", "unstated-length"])
def test_a_flood_is_not_read(scene: Scene, which: str, chunked: bool) -> None:
    fields = ("Transfer-Encoding: chunked",) if chunked else ()
    head = message(b"", JSON if which == "todo" else PNG, *fields, framing="close")
    scene.upstreams.answer(**{which: flood(head, 100_000_000, chunked=chunked)})
    assert_bounded(scene, which, endless=True)


def assert_bounded(scene: Scene, which: str, *, endless: bool = False) -> None:
    """AssertionError if four reports at once take more of what an upstream sends than they may."""
    with Memory(scene.target.pid) as memory:
        idle = memory.now()
        answers = at_once(scene, 4)
    grown = (memory.peak - idle) / 1e6
    problems = {f"client {number}": bad_or_late(*one) for number, one in enumerate(answers)}
    flooding = getattr(scene.upstreams, which)
    problems["cut"] = ["an exchange was not cut"] if endless and not all_cut(flooding) else []
    problems["reading"] = [f"{one.sent} bytes were read" for one in flooding.asked if one.sent > READ_AHEAD]
    problems["memory"] = [f"grew by {grown:.0f} MB"] if grown > GROWTH else []
    problems["afterwards"] = scene.right_again()
    assert_right(problems, scene)


@pytest.mark.parametrize(("which", "media_type"), [("todo", JSON), ("raytracer", PNG)], ids=["todo", "raytracer"])
def test_a_bomb_is_not_unpacked(scene: Scene, which: str, media_type: str) -> None:
    start = {"todo": b'{"items":[],"next":null,"more":"', "raytracer": b"\x89PNG"}[which]
    bomb = gzip.compress(start + b" " * 200_000_000, 1)
    scene.upstreams.answer(**{which: playing(message(bomb, media_type, "Content-Encoding: gzip"))})
    assert_bounded(scene, which)
