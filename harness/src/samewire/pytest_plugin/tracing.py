"""Every exchange of a test, printed as it goes over the wire."""

import sys
import time

import pytest

from samewire import http

_MOST_BYTES = 4_000
"""Of one piece, that are printed."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that asks for it."""
    parser.getgroup("samewire").addoption("--wire-trace", action="store_true", help="print what is sent and received")


def pytest_configure(config: pytest.Config) -> None:
    """Have it printed."""
    if config.getoption("--wire-trace"):
        http.trace = _Printer()


class _Printer:
    """Prints pieces: a line for each line in them, with milliseconds, the client's port, and all bytes visible."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, port: int, direction: str, data: bytes) -> None:
        """Print a piece."""
        mark = f"{1000 * (time.monotonic() - self._started):9.1f} ms {port} {direction}"
        shown = data[:_MOST_BYTES]
        lines = [f"{mark} {_visible(line)}" for line in shown.splitlines(keepends=True)] or [f"{mark} (end)"]
        if len(data) > len(shown):
            lines.append(f"{mark} … {len(data) - len(shown):,} bytes more")
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()


def _visible(line: bytes) -> str:
    """The text, as UTF-8 where it is; all that is no printable character is escaped, line ends among it."""
    text = line.decode("utf-8", "backslashreplace")
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
