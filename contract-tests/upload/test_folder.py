"""A server's folder: nothing of what was refused, cut short or too large is in it, and nothing outside. And memory."""

import contextlib
import hashlib
import http.client
import json
import os
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from request_strategies import chunked

from samewire.atlas import inputs
from samewire.http import Connection, ConnectionClosed, ExchangeError, Request, Response, connect, exchange
from samewire.manifest import Server
from samewire.process import RunningServer
from samewire.target import Target
from samewire.testbed import Testbed
from samewire.watching import Memory
from upload import model
from upload.forms import BOUNDARY, END, TYPE, exchange_while_sending, files_below, files_left, form, opening, upload

pytestmark = pytest.mark.layer("life")

MIB = 1024 * 1024
LARGEST_CHUNK = 256 * 1024
LIMITS = model.Limits(file=100_000, request=150_000)
HEALTH = Request("GET", "/healthz")


@contextlib.contextmanager
def serving(
    testbed: Testbed, server: Server, folder: Path, limits: model.Limits | None = None
) -> Iterator[RunningServer]:
    """A server with a folder of its own, stopped in the end."""
    env = {"UPLOAD_DIR": str(folder)}
    if limits:
        env |= {"MAX_FILE_BYTES": str(limits.file), "MAX_REQUEST_BYTES": str(limits.request)}
    running = testbed.start(server, env=env)
    try:
        yield running
        assert running.alive, f"{server.id} has died. Its last lines:\n{running.target.last_lines()}"
        printed = running.output()
        assert len(printed.splitlines()) <= 10, f"{server.id} is not quiet:\n{printed[:2000]}"
    finally:
        running.stop()


def right(target: Target, request: Request, response: Response, what: str, limits: model.Limits = LIMITS) -> Response:
    """The response, if it is what the contract says."""
    problems = model.judge(request, response, {}, limits)
    assert not problems, "\n".join([f"{target.name}, {what}:", *problems, target.last_lines()])
    return response


def in_chunks(request: Request, first: int, others: int) -> Request:
    """The same request in chunks of these sizes, without Content-Length."""
    body = request.body or b""
    headers = (*request.headers, ("Transfer-Encoding", "chunked"))
    return Request(request.method, request.path, headers, chunked(body, [first] + [others] * (len(body) // others)))


def test_limits(server: Server, testbed: Testbed) -> None:
    folder = testbed.new_folder("uploads")
    small, most, more = b"x" * 1000, b"x" * LIMITS.file, b"x" * (LIMITS.file + 1)
    frame = len(form(("a", most), ("b", b"")))

    def two_files(size: int) -> Request:
        """A form of so many bytes, of files that are not too large."""
        return upload(("a", most), ("b", b"x" * (size - frame)))

    requests = {
        "a file of the limit": upload(("a", most)),
        "a file of a byte more": upload(("a", more)),
        "the second file of a byte more": upload(("a", small), ("b", more)),
        # By more than a delimiter: so much a parser may hold back until it knows that it is none.
        "a larger file, and no end": Request("POST", "/uploads", TYPE, form(("a", more + b"x" * 100))[: -len(END)]),
        "a file of megabytes": upload(("a", b"x" * 4_000_000)),
        "a large file in the wrong field": upload(("a", more), field="other"),
        "a large third file": upload(("a", small), ("b", small), ("c", more)),
        "a request of the limit": two_files(LIMITS.request),
        "a request of a byte more": two_files(LIMITS.request + 1),
        "a request of two files of the limit": upload(("a", most), ("b", most)),
    }
    stored: set[str] = set()
    with serving(testbed, server, folder, LIMITS) as running:
        target = running.target
        for what, request in requests.items():
            for sent in (request, in_chunks(request, 100, 50_000)):
                with connect(target, 20) as connection:
                    response = right(target, request, exchange_while_sending(connection, sent), what)
                stored |= set(model.fresh_ids(response))
                assert files_left(folder, stored) == stored, f"{target.name} has left files behind: {what}"
        assert exchange(target, HEALTH).status == 200
        assert files_below(folder) == stored


def test_vanishing_clients(server: Server, testbed: Testbed) -> None:
    folder = testbed.new_folder("uploads")
    first = upload(("kept", b"kept"))
    request = upload(("a", b"a" * 150_000), ("b", b"b" * 90_000))
    with serving(testbed, server, folder) as running:
        target = running.target
        stored = set(model.fresh_ids(right(target, first, exchange(target, first), "a file", model.Limits())))
        whole = request.to_bytes(f"{target.host}:{target.port}")
        body = whole.index(b"\r\n\r\n") + 4
        delimiters = [place for place in range(body, len(whole)) if whole.startswith(b"--" + BOUNDARY, place)]
        places = {0, 1, body - 1, body, *range(body, len(whole), 9_973), len(whole) - 1}
        places |= {place + more for place in delimiters for more in (-2, 0, 1, len(BOUNDARY) + 2, len(BOUNDARY) + 60)}
        places = {place for place in places if place < len(whole) - len(b"\r\n")}
        for number, place in enumerate(sorted(places)):
            with connect(target) as connection:
                with contextlib.suppress(ExchangeError):
                    connection.send_raw(whole[:place])
                if number % 3 == 0:
                    connection.abort()
                elif number % 3 == 1:
                    connection.half_close()
                    with contextlib.suppress(ExchangeError):
                        # Whoever does not wait for an answer may still get one.
                        connection.timeout = 5
                        status = connection.receive("POST").status
                        assert 400 <= status <= 499, f"{target.name}: {status} to half a body"
        left = files_left(folder, stored)
        assert left == stored, f"{target.name} has left {len(left - stored)} files behind: {sorted(left - stored)[:5]}"
        assert exchange(target, HEALTH).status == 200
        (id_,) = stored
        assert exchange(target, Request("GET", f"/uploads/{id_}")).body == b"kept"


def test_nothing_is_kept_before_the_end(server: Server, testbed: Testbed) -> None:
    folder = testbed.new_folder("uploads")
    request = upload(("a", b"a" * 100_000), ("b", b"b"))
    killed = None
    try:
        with contextlib.ExitStack() as stack:
            env = {"UPLOAD_DIR": str(folder)}
            killed = testbed.start(server, env=env)
            connection = stack.enter_context(connect(killed.target))
            whole = request.to_bytes(connection.authority)
            connection.send_raw(whole[: -len(END)])
            time.sleep(0.3)
            early = [name for name in files_below(folder) if model.UUID.fullmatch(name)]
            for name in early:
                status = exchange(killed.target, Request("GET", f"/uploads/{name}")).status
                assert status == 404, f"{server.id}: {status} for {name} before the closing delimiter was sent"
            kept = [name for name in early if (folder / name).exists()]
            assert not kept, f"{server.id} has kept {kept} before the closing delimiter was sent"
            connection.send_raw(whole[-len(END) :])
            response = right(killed.target, request, connection.receive("POST"), "in two parts", model.Limits())
            stored = set(model.fresh_ids(response))
            assert files_left(folder, stored) == stored

            # What a server that is killed leaves behind, the next one deletes.
            half = stack.enter_context(connect(killed.target))
            half.send_raw(whole[: -len(END)])
            time.sleep(0.3)
            killed.kill()
        with serving(testbed, server, folder) as running:
            assert files_left(folder, stored) == stored, f"{server.id} keeps what its predecessor has left half-written"
            for id_, content in zip(model.fresh_ids(response), [b"a" * 100_000, b"b"], strict=True):
                assert exchange(running.target, Request("GET", f"/uploads/{id_}")).body == content
    finally:
        if killed:
            killed.kill()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A file system of one MiB."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m,mode=777", "samewire", str(folder)], capture_output=True, text=True
    )
    if done.returncode:
        message = f"a full disk cannot be tested here: mount -t tmpfs needs root ({done.stderr.strip()})"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    try:
        yield
    finally:
        if subprocess.run(["umount", str(folder)], capture_output=True).returncode:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_full_disk(server: Server, testbed: Testbed) -> None:
    folder = testbed.new_folder("uploads")
    full = model.problem(507)
    with small_disk(folder), serving(testbed, server, folder) as running:
        target = running.target
        fits = upload(("a", b"a" * 300_000))
        stored = set(model.fresh_ids(right(target, fits, exchange(target, fits), "a file that fits", model.Limits())))
        for what, request in {
            "a file that is too large": upload(("a", b"x" * 3_000_000)),
            "the second of two": upload(("a", b"a" * 300_000), ("b", b"b" * 900_000)),
            "a byte more than there is": upload(("a", b"x" * (MIB - 300_000 + 1))),
        }.items():
            for sent in (request, in_chunks(request, 100_000, LARGEST_CHUNK)):
                with connect(target, 20) as connection:
                    response = exchange_while_sending(connection, sent)
                problems = model.problems_of(request, full, response)
                assert not problems, "\n".join([f"{target.name}, {what}:", *problems, target.last_lines()])
                assert files_left(folder, stored) == stored, f"{target.name} has left files behind: {what}"
        stored |= set(
            model.fresh_ids(right(target, fits, exchange(target, fits), "then one that fits", model.Limits()))
        )
        for id_ in stored:
            assert exchange(target, Request("GET", f"/uploads/{id_}")).body == b"a" * 300_000
            assert exchange(target, Request("DELETE", f"/uploads/{id_}")).status == 204
        assert files_below(folder) == set()


def test_odd_uploads_stay_in_the_folder(server: Server, testbed: Testbed) -> None:
    """Whatever names and parts an upload has: what a 201 names is in the folder, and nothing else is anywhere."""
    home = testbed.new_folder("home")
    folder = home / "a/b/uploads"
    folder.mkdir(parents=True)
    for each in (folder, *folder.parents[:2]):
        each.chmod(0o777)
    steps = [step.request for one in inputs.load("upload") if one.case for step in one.case.steps]
    odd = [request for request in steps if request.method == "POST" and "${" not in request.path]

    with serving(testbed, server, folder) as running:

        def files_made(request: Request) -> dict[str, int]:
            with contextlib.suppress(ExchangeError), connect(running.target) as connection:
                response = exchange_while_sending(connection, request)
                made = json.loads(response.body)["files"] if response.status == 201 else []
                return {file["id"]: file["size"] for file in made}
            return {}

        with ThreadPoolExecutor(8) as pool:
            named = {id_: size for made in pool.map(files_made, odd) for id_, size in made.items()}
        assert len(odd) > 100 < len(named)
        left = files_left(folder, set(named))
        assert left == set(named), f"{server.id} has left files that no 201 has named: {left ^ set(named)}"
        assert {id_: (folder / id_).stat().st_size for id_ in named} == named
        assert files_below(home) == set(named), f"{server.id} has files outside its folder"
        assert not Path("/tmp/samewire-escaped").exists()


PHP = "mod_php 8.2"
"""Breaches of this part of a stack, which the server's README names first: it takes a form that is cut after a whole
part (in the atlas: cut-after-a-part), and answers 500 to a field that has no room in its memory."""


def test_cut_bodies(server: Server, testbed: Testbed) -> None:
    """A body that ends anywhere before its form does is refused, and nothing of it is stored."""
    folder = testbed.new_folder("uploads")
    whole = form(("a", b"1\r\n--"), ("b", b"22"))
    taken = 0
    with serving(testbed, server, folder) as running:
        for end in range(len(whole) - len(b"--\r\n")):
            response = exchange(running.target, Request("POST", "/uploads", TYPE, whole[:end]))
            if PHP in server.stack and response.status == 201:
                taken += 1
                for file in json.loads(response.body)["files"]:
                    exchange(running.target, Request("DELETE", f"/uploads/{file['id']}"))
                continue
            problem = model.problems_of(Request("POST", "/uploads"), model.problem(400), response)
            assert not problem, f"{server.id}, a form cut after {whole[:end]!r}: {problem}"
        assert files_left(folder, set()) == set()
    assert (taken > 0) == (PHP in server.stack), f"{server.id} took {taken} forms that were cut"


# --- what is large


def send_large(connection: Connection, before: bytes, block: bytes, times: int) -> Response:
    """Upload one part of so many blocks."""
    after = b"\r\n" + END
    length = ("Content-Length", str(len(before) + len(block) * times + len(after)))
    connection.send(Request("POST", "/uploads", (*TYPE, length)))
    connection.send_raw(before)
    for _ in range(times):
        connection.send_raw(block)
    connection.send_raw(after)
    return connection.receive("POST")


def stays_small(target: Target, memory: Memory, idle: int) -> None:
    """AssertionError if it has taken more than the contract allows."""
    grown = memory.peak - idle
    print(f"{target.name}: {idle / MIB:.0f} MiB idle, {grown / MIB:.0f} MiB more")
    assert grown <= 256 * 1_000_000, f"{target.name} takes {grown / MIB:.0f} MiB more than idle ({idle / MIB:.0f} MiB)"


def test_large_field(server: Server, testbed: Testbed) -> None:
    """A part that is no file may be taken or refused, but takes no memory either."""
    folder = testbed.new_folder("uploads")
    before = b"--" + BOUNDARY + b'\r\nContent-Disposition: form-data; name="comment"\r\n\r\n'
    with serving(testbed, server, folder) as running:
        target = running.target
        for _ in range(5):
            exchange(target, upload(("small", b"small"), field="other"))
        with Memory(running.pid) as memory, connect(target, 60) as connection:
            idle = memory.now()
            try:
                status = send_large(connection, before, b"x" * MIB, 200).status
            except ConnectionClosed:
                # It may answer, or only close, before it has read everything.
                status = 400
        allowed = [500] if PHP in server.stack else range(400, 500)
        assert status in allowed, f"{target.name}: {status} to a form without a file"
        stays_small(target, memory, idle)
        assert files_left(folder, set()) == set()


def test_large_file(server: Server, testbed: Testbed, record_property) -> None:
    folder = testbed.new_folder("uploads")
    block, times = os.urandom(MIB), 200
    digest = hashlib.sha256()
    for _ in range(times):
        digest.update(block)
    with serving(testbed, server, folder) as running:
        target = running.target
        # What a server needs to answer at all does not count.
        for _ in range(5):
            exchange(target, upload(("small", b"small")))
        with Memory(running.pid) as memory, connect(target, 60) as connection:
            idle = memory.now()
            response = send_large(connection, opening("large"), block, times)
            assert response.status == 201, f"{target.name}: {response.status} {response.body!r}"
            (id_,) = model.fresh_ids(response)
            assert (folder / id_).stat().st_size == times * MIB

            client = http.client.HTTPConnection(target.host, target.port, timeout=60)
            client.request("GET", f"/uploads/{id_}")
            answer, received = client.getresponse(), hashlib.sha256()
            assert answer.status == 200
            while data := answer.read(MIB):
                received.update(data)
            client.close()
        record_property("memory_grown", memory.peak - idle)
        assert received.digest() == digest.digest(), f"{target.name}: the file that came back is another"
        stays_small(target, memory, idle)
        assert exchange(target, Request("DELETE", f"/uploads/{id_}")).status == 204
