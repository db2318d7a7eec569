"""What was uploaded comes back: files of many sizes, bodies cut anywhere, many at once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from samewire.http import Connection, Request, Response, connect
from samewire.target import Target
from upload import model
from upload.forms import TYPE, exchange_while_sending, upload

pytestmark = pytest.mark.layer("cases")

KIB = 1024
MIB = 1024 * KIB


def ask(connection: Connection, request: Request, stored: dict[str, bytes]) -> Response:
    """The answer to a request, judged."""
    response = connection.exchange(request)
    problems = model.judge(request, response, stored)
    assert not problems, "\n".join([f"{request.method} {request.path}:", *problems])
    return response


def read_and_delete(connection: Connection, request: Request, response: Response) -> None:
    """See that what `request` has uploaded can be read, byte for byte, and deleted."""
    contents = [file.content for file in model.files_of(request)]
    assert contents
    stored = dict(zip(model.fresh_ids(response), contents, strict=True))
    for id_ in stored:
        ask(connection, Request("GET", f"/uploads/{id_}"), stored)
        ask(connection, Request("HEAD", f"/uploads/{id_}"), stored)
        ask(connection, Request("DELETE", f"/uploads/{id_}"), stored)
        ask(connection, Request("GET", f"/uploads/{id_}"), {})


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, MIB, 3_000_000])
def test_size(target: Target, size: int) -> None:
    every_byte = bytes(range(256))
    content = (every_byte * (size // 256 + 1))[:size]
    request = upload(("a", content), ("b", content[::-1]))
    with connect(target) as connection:
        read_and_delete(connection, request, ask(connection, request, {}))


SMALL = upload(("photo.jpg", b"\r\n--\r\n\r\n-" + bytes(range(40))), ("b", b""))


def test_cut_at_every_byte(target: Target) -> None:
    with connect(target) as connection:
        whole = SMALL.to_bytes(connection.authority)
        for place in range(whole.index(b"\r\n\r\n"), len(whole)):
            connection.send_raw(whole[:place])
            time.sleep(0.001)
            connection.send_raw(whole[place:])
            response = connection.receive("POST")
            problems = model.judge(SMALL, response)
            assert not problems, f"cut after {place} bytes, {whole[:place][-30:]!r}: {problems}"
            for id_ in model.fresh_ids(response):
                ask(connection, Request("DELETE", f"/uploads/{id_}"), {id_: b""})


def test_byte_by_byte(target: Target) -> None:
    with connect(target) as connection:
        for byte in SMALL.to_bytes(connection.authority):
            connection.send_raw(bytes([byte]))
        response = connection.receive("POST")
        assert not model.judge(SMALL, response)
        read_and_delete(connection, SMALL, response)


def test_delimiter_at_every_place_of_a_buffer(target: Target) -> None:
    around = [4 * KIB, 8 * KIB, 16 * KIB, 64 * KIB]
    with connect(target) as connection:
        head = len(upload(("a", b"")).body or b"")
        for size in around:
            for content in range(size - head - 40, size - head + 110, 9):
                request = upload(("a", b"\r" * content), ("b", b"\n"))
                read_and_delete(connection, request, ask(connection, request, {}))


def test_after_refusals(target: Target) -> None:
    """What was refused leaves nothing behind in the thread or process that comes to serve somebody else."""
    content = b"x" * 500_000

    def all_at_once(request: Request) -> None:
        start = threading.Barrier(64)

        def client(_: int) -> None:
            with connect(target, 30) as connection:
                start.wait()
                response = exchange_while_sending(connection, request)
                assert not model.judge(request, response)
                if response.status == 201:
                    read_and_delete(connection, request, response)

        with ThreadPoolExecutor(64) as pool:
            list(pool.map(client, range(64)))

    for refused in (upload(("a", content), field="other"), upload(("a", b""), ("b", content), ("c", b""))):
        all_at_once(refused)
        all_at_once(upload(("a", content)))


def test_a_hundred_at_once(target: Target) -> None:
    start = threading.Barrier(100)

    def client(number: int) -> list[str]:
        request = upload((f"{number}", f"{number},".encode() * 10_000), ("same", b"same"))
        with connect(target, 30) as connection:
            start.wait()
            response = ask(connection, request, {})
            read_and_delete(connection, request, response)
        return model.fresh_ids(response)

    with ThreadPoolExecutor(100) as pool:
        ids = [id_ for several in pool.map(client, range(100)) for id_ in several]
    assert len(set(ids)) == 200


def test_deleted_while_it_is_read(target: Target) -> None:
    content = bytes(range(256)) * 40_000
    request = upload(("large", content))
    with connect(target, 30) as reader, connect(target, 30) as other:
        (id_,) = model.fresh_ids(ask(other, request, {}))
        reader.send(Request("GET", f"/uploads/{id_}"))
        time.sleep(0.2)  # Its beginning fills the socket's buffers; the rest waits for a reader.
        ask(other, Request("DELETE", f"/uploads/{id_}"), {id_: content})
        ask(other, Request("GET", f"/uploads/{id_}"), {})
        assert reader.receive("GET").body == content


def test_continue(target: Target) -> None:
    request = Request("POST", "/uploads", (*TYPE, ("Expect", "100-continue")), SMALL.body)
    with connect(target) as connection:
        head, _, body = request.to_bytes(connection.authority).partition(b"\r\n\r\n")
        connection.send_raw(head + b"\r\n\r\n")
        assert connection.receive("POST", interim=True).status == 100
        connection.send_raw(body)
        response = connection.receive("POST")
        assert response.status == 201
        read_and_delete(connection, SMALL, response)
