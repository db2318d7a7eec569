import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samewire.http import (
    Connection,
    ConnectionClosed,
    ProtocolError,
    Request,
    Response,
    Timeout,
    address,
    compact,
    exchange,
)

GET = Request("GET", "/")


@contextmanager
def serving(*parts: bytes, close: bool = True, whole: bool = False) -> Iterator[Connection]:
    """A connection to a server that reads something, sends these parts one by one, and closes or stays."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            client, _ = listener.accept()
            with client:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                client.recv(65_536)
                for part in parts:
                    client.sendall(part)
                if not close:
                    done.wait()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            with Connection(*listener.getsockname(), timeout=5.0) as connection:
                yield connection
        finally:
            done.set()
            thread.join()


def answer(*parts: bytes, method: str = "GET") -> Response:
    with serving(*parts) as connection:
        return connection.exchange(Request(method, "/"))


def test_request_bytes() -> None:
    assert GET.to_bytes("h:1") == b"GET / HTTP/1.1\r\nHost: h:1\r\n\r\n"
    with_body = Request("POST", "/\xe9", (("X", "\xe9"),), b"{}")
    assert with_body.to_bytes("h:1") == (b"POST /\xe9 HTTP/1.1\r\nHost: h:1\r\nX: \xe9\r\nContent-Length: 2\r\n\r\n{}")


@pytest.mark.parametrize("field", [("content-length", "9"), ("Transfer-Encoding", "chunked"), ("host", "other")])
def test_request_fields_given_are_not_added(field: tuple[str, str]) -> None:
    head = Request("POST", "/", (field,), b"0\r\n\r\n").to_bytes("h").lower()
    assert head.count(field[0].lower().encode()) == 1


def test_curl_plain() -> None:
    assert GET.as_curl("http://h:1/") == "curl -i --globoff --path-as-is http://h:1/"
    assert "--head" in Request("HEAD", "/").as_curl("http://h:1")
    assert "--request-target '/a b' http://h:1" in Request("GET", "/a b").as_curl("http://h:1")
    json = Request("POST", "/links", (("Content-Type", "application/json"),), b'{"a":"\'"}').as_curl("http://h:1")
    assert json.endswith("""-H 'Content-Type: application/json' http://h:1/links --data-binary '{"a":"'"'"'"}'""")


def test_curl_leaves_out_what_it_would_add() -> None:
    assert "-H Content-Type:" in Request("POST", "/", (), b"x").as_curl("http://h:1")
    assert "-H 'X-Empty;'" in Request("GET", "/", (("X-Empty", ""),)).as_curl("http://h:1")


@pytest.mark.parametrize("body", [b"\0\xff", b"a" * 5000, bytes(range(256)) * 40])
def test_curl_of_a_body_for_no_shell(body: bytes) -> None:
    command = Request("PUT", "/", (), body).as_curl("http://h:1")
    assert command.startswith("python3 -c ")
    assert command.endswith("--data-binary @-")


def test_framing_of_its_own_is_not_given_to_curl() -> None:
    chunked = Request("POST", "/", (("Transfer-Encoding", "chunked"),), b"0\r\n\r\n")
    assert chunked.as_curl("http://h:1").endswith(" | nc h 1")


@given(
    st.binary(max_size=300)
    | st.builds(lambda a, n, b: a * n + b, st.binary(max_size=15), st.integers(0, 99), st.binary())
)
def test_compact_is_a_python_expression_for_the_bytes(data: bytes) -> None:
    assert eval(compact(data, limit=10**6)) == data


def test_content_length() -> None:
    response = answer(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-A: 1\r\nx-a:\t2 \r\n\r\nabcHTTP/1.1")
    assert (response.status, response.reason, response.body, response.framing) == (200, "OK", b"abc", "length")
    assert response.values("X-A") == ["1", "2"]


def test_no_reason_and_empty_values() -> None:
    response = answer(b"HTTP/1.1 404 \r\nContent-Length: 0\r\nX:\r\n\r\n")
    assert (response.status, response.reason, response.values("X")) == (404, "", [""])


def test_chunked_with_extension_and_trailer() -> None:
    response = answer(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2;x=y\r\nab\r\nA\r\n0123456789\r\n0\r\nX: 1\r\n\r\n"
    )
    assert (response.body, response.framing, response.trailers) == (b"ab0123456789", "chunked", (("X", "1"),))


def test_until_close() -> None:
    response = answer(b"HTTP/1.1 200 OK\r\n\r\nab", b"c")
    assert (response.body, response.framing) == (b"abc", "close")


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
def test_no_body(method: str, status: int) -> None:
    with serving(b"HTTP/1.1 %d X\r\nContent-Length: 3\r\n\r\nabc" % status) as connection:
        response = connection.exchange(Request(method, "/"))
        assert (response.body, response.framing) == (b"", "none")
        assert connection.closed_by_peer(5)
        assert connection.unread == b"abc"


def test_two_in_one_segment() -> None:
    with serving(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nb") as both:
        both.send_raw(b"anything")
        assert both.receive("GET").body == b"a"
        assert both.settle()
        assert both.receive("GET").body == b"b"
        assert both.settle() == b""


def test_a_request_is_sent_from_its_first_byte_on() -> None:
    ok = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    with serving(ok, ok, close=False) as connection:
        connection.send_raw(b"GET / HTTP/1.1\r\n")
        between = time.time()
        connection.send_raw(b"Host: a\r\n\r\n")
        assert connection.receive("GET").sent_at <= between <= time.time()
        connection.send_raw(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert connection.receive("GET").sent_at >= between


def test_interim() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    final = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    response = answer(early + final)
    assert (response.status, [one.status for one in response.interim]) == (200, [103])
    assert response.raw == final
    with serving(early, final) as connection:
        connection.send(GET)
        assert connection.receive("GET", interim=True).status == 103
        assert connection.receive("GET").status == 200


@pytest.mark.parametrize(
    "wrong",
    [
        b"x",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 200 O\0K\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\nB: c\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
    ],
)
def test_what_is_no_response(wrong: bytes) -> None:
    with pytest.raises(ProtocolError):
        answer(wrong)


@pytest.mark.parametrize(
    "part",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na",
    ],
)
def test_cut_short(part: bytes) -> None:
    with pytest.raises(ConnectionClosed) as closed:
        answer(part)
    assert closed.value.received == part
    with serving(part, close=False) as connection:
        connection.send(GET)
        # It is there before the time begins in which the rest does not come.
        assert connection.settle(5.0 if part else 0.0) == part
        connection.timeout = 0.1
        with pytest.raises(Timeout) as late:
            connection.receive("GET")
    assert late.value.received == part


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream;charset=utf-8\r\n"


def test_a_stream_of_events_has_no_end_to_wait_for() -> None:
    chunks = b"5\r\ndata:\r\n", b"4\r\n 1\n\n\r\n"
    with serving(STREAM + b"Transfer-Encoding: chunked\r\n\r\n", *chunks, close=False) as connection:
        stream = connection.exchange(GET)
        assert (stream.framing, stream.body) == ("stream", b"")
        pieces = connection.pieces(stream)
        assert [next(pieces), next(pieces)] == [b"data:", b" 1\n\n"]
        connection.timeout = 0.05
        assert [next(pieces), next(pieces)] == [b"", b""]


@pytest.mark.parametrize(
    "parts",
    [(b"Transfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n0\r\n\r\n",), (b"\r\nda", b"ta:")],
    ids=["chunks", "until-close"],
)
def test_a_stream_that_the_server_ends(parts: tuple[bytes, ...]) -> None:
    with serving(STREAM + parts[0], *parts[1:]) as connection:
        assert b"".join(connection.pieces(connection.exchange(GET))) == b"data:"


def test_a_stream_that_is_cut_off() -> None:
    with serving(STREAM + b"Transfer-Encoding: chunked\r\n\r\n5\r\nda") as connection:
        stream = connection.exchange(GET)
        with pytest.raises(ConnectionClosed):
            list(connection.pieces(stream))


def test_head_and_errors_are_no_streams() -> None:
    assert answer(STREAM + b"\r\n", method="HEAD").framing == "none"
    failed = STREAM.replace(b"200 OK", b"400 Bad Request") + b"Content-Length: 1\r\n\r\n\n"
    assert answer(failed).framing == "length"


def test_closed_by_peer() -> None:
    with serving(b"bye") as closing:
        closing.send_raw(b"x")
        assert closing.closed_by_peer(5)
        assert closing.unread == b"bye"
    with serving(b"stay", close=False) as staying:
        staying.send_raw(b"x")
        assert not staying.closed_by_peer(0.05)


def test_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectionClosed, match="refused"):
        exchange(f"http://127.0.0.1:{port}", GET)


def test_address() -> None:
    assert address("http://example.org") == ("example.org", 80, False)
    assert address("http://[::1]:8080/x") == ("::1", 8080, False)
    assert address("https://example.org/") == ("example.org", 443, True)
    with pytest.raises(ValueError, match="not an http URL"):
        address("ftp://example.org")


TOKEN = st.text("abcXYZ-_09", min_size=1, max_size=9).filter(
    lambda name: name.lower() not in ("content-length", "transfer-encoding", "connection")
)
VALUE = st.text("aZ09 ,;=\t\"'", max_size=12).map(lambda text: re.sub(r"^\s+|\s+$", "", text))


@given(st.lists(st.tuples(TOKEN, VALUE), max_size=4), st.lists(st.binary(max_size=40), max_size=4), st.booleans())
def test_reads_what_h11_writes(headers: list[tuple[str, str]], parts: list[bytes], chunked: bool) -> None:
    """Any response of h11's making, handed over in one piece or byte by byte."""
    writer = h11.Connection(h11.SERVER)
    writer.receive_data(GET.to_bytes("h"))
    writer.next_event()
    framing = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(sum(map(len, parts))))
    sent = writer.send(h11.Response(status_code=200, headers=[*headers, framing], reason=b"OK")) or b""
    sent += b"".join(writer.send(h11.Data(part)) or b"" for part in parts) + writer.send(h11.EndOfMessage())

    for size in (len(sent), 1):
        connection = Fed(sent, size)
        response = connection.receive("GET")
        assert response.body == b"".join(parts)
        assert [(name.lower(), value) for name, value in response.headers] == [
            (name.lower(), value) for name, value in [*headers, framing]
        ]
        assert connection.unread == b""
        assert response.raw == sent


class Fed(Connection):
    """A connection over which these bytes come, `size` at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.timeout, self.unread, self._sent_at = 5.0, b"", 0.0
        self._rest, self._size = data, size

    def _fill(self, deadline: float) -> None:
        assert self._rest
        self.unread += self._rest[: self._size]
        self._rest = self._rest[self._size :]
