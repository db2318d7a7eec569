"""Forms as the tests write them, and what a server's folder holds."""

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from samewire.http import Connection, ExchangeError, Request, Response

BOUNDARY = b"----samewire"
TYPE = (("Content-Type", f"multipart/form-data; boundary={BOUNDARY.decode()}"),)
END = b"--" + BOUNDARY + b"--\r\n"


def opening(name: str, field: str = "files[]") -> bytes:
    """What comes before the content of a file."""
    disposition = f'Content-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
    return b"--" + BOUNDARY + b"\r\n" + disposition.encode() + b"Content-Type: application/octet-stream\r\n\r\n"


def form(*files: tuple[str, bytes], field: str = "files[]") -> bytes:
    """A form with files, by name and content."""
    return b"".join(opening(name, field) + content + b"\r\n" for name, content in files) + END


def upload(*files: tuple[str, bytes], field: str = "files[]") -> Request:
    """The request that uploads files, by name and content."""
    return Request("POST", "/uploads", TYPE, form(*files, field=field))


def exchange_while_sending(connection: Connection, request: Request) -> Response:
    """The answer to a request whose client reads while it sends: it may come before the request has ended."""

    def send() -> None:
        with contextlib.suppress(ExchangeError):
            connection.send(request)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(send)
        taken = False
        try:
            response = connection.receive(request.method)
            taken = response.status < 400
            return response
        finally:
            if not taken:
                # Nobody may read the rest.
                with contextlib.suppress(OSError):
                    connection.half_close()


def files_below(folder: Path) -> set[str]:
    """The names of all files there."""
    return {path.name for path in folder.rglob("*") if path.is_file()}


def files_left(folder: Path, expected: set[str], seconds: float = 5.0) -> set[str]:
    """The names of all files there once they are the expected ones, or when the time is up."""
    end = time.monotonic() + seconds
    while (found := files_below(folder)) != expected and time.monotonic() < end:
        time.sleep(0.02)
    return found
