"""The rate of an upload to a server, beside that at which its stack copies a raw body to a file."""

import json
import os
import socket
import statistics
import time
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPResponse

from samewire.floor.bench import Bench
from samewire.floor.programs import FloorError, Program
from samewire.manifest import Server

FILE_BYTES = 200_000_000
FILES = 3
"""How many of them are sent and timed in a round, after as many that are not."""


def measure_uploads(bench: Bench, entrants: Sequence[tuple[Server, Program]]) -> list[dict]:
    """Rates in bytes per second: of an upload to each server and of a raw copy by its stack, for each round."""
    jobs: dict[str, Callable[[], float]] = {}
    for server, copy in entrants:
        jobs[server.id] = lambda s=server: _upload(bench, s)
        jobs[copy.id] = lambda p=copy: _copy(bench, p)
    figures = bench.rounds(jobs, "bytes/s")
    return [
        {
            "server": server.id,
            "copy": copy.id,
            "upload_bps": figures[server.id],
            "copy_bps": figures[copy.id],
            "ratio": [ours / raw for ours, raw in zip(figures[server.id], figures[copy.id], strict=True)],
        }
        for server, copy in entrants
    ]


def _upload(bench: Bench, server: Server) -> float:
    boundary = b"samewire-floor"
    head = b'--%b\r\nContent-Disposition: form-data; name="files[]"; filename="a"\r\n\r\n' % boundary
    kind = "multipart/form-data; boundary=samewire-floor"

    def upload(url: str) -> float:
        rate, answer = _send_file(url, "POST /uploads", kind, head, b"\r\n--%b--\r\n" % boundary, 201)
        # As a copy replaces the one before it: else each file would take memory that nobody has used yet.
        id_ = json.loads(answer)["files"][0]["id"]
        urllib.request.urlopen(urllib.request.Request(f"{url}/uploads/{id_}", method="DELETE"), timeout=60).close()
        return rate

    with bench.server(server) as running:
        return _warm_rate(lambda: upload(running.target.url))


def _copy(bench: Bench, program: Program) -> float:
    with bench.program_server(program, {}) as (_, url, folder):
        rate = _warm_rate(lambda: _send_file(url, "PUT /", "application/octet-stream", b"", b"", 204)[0])
        copied = sum(path.stat().st_size for path in folder.iterdir())
        if copied != FILE_BYTES:
            raise FloorError(f"{program.id} has copied {copied:,} of {FILE_BYTES:,} bytes")
        return rate


def _warm_rate(send: Callable[[], float]) -> float:
    """The median rate of FILES files, after as many for the program's own sake, as the first lookups are."""
    return statistics.median([send() for _ in range(2 * FILES)][FILES:])


def _send_file(url: str, request: str, kind: str, before: bytes, after: bytes, status: int) -> tuple[float, bytes]:
    """Send FILE_BYTES of body between `before` and `after`; bytes per second until the answer, and the answer's body.

    Raises FloorError.
    """
    host, port = url.removeprefix("http://").split(":")
    block = os.urandom(1_000_000)
    length = len(before) + FILE_BYTES + len(after)
    head = f"{request} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    with socket.create_connection((host, int(port)), 60) as connection:
        began = time.monotonic()
        connection.sendall(head.encode() + before)
        for _ in range(FILE_BYTES // len(block)):
            connection.sendall(block)
        connection.sendall(after)
        with HTTPResponse(connection) as answer:
            answer.begin()
            took = time.monotonic() - began
            body = answer.read()
    if answer.status != status:
        raise FloorError(f"{request} of {FILE_BYTES:,} bytes to {url} was answered {answer.status}: {body[:200]!r}")
    return FILE_BYTES / took, body
