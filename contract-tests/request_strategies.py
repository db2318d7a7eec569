"""How requests are sent, whatever the service: with a length, or in chunks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from samewire.http import Request, compact

JSON = (("Content-Type", "application/json"),)


@dataclass(frozen=True)
class Sent:
    """A request and, where its body goes in chunks, the sizes at which it is cut."""

    request: Request
    chunks: tuple[int, ...] | None = None

    def _repr_pretty_(self, printer, cycle: bool) -> None:
        """How Hypothesis shows it: readable although a body may be very long."""
        parts = [
            self.request.method,
            compact(self.request.path.encode("latin-1")),
            *map(": ".join, self.request.headers),
        ]
        if self.request.body is not None:
            parts.append(
                compact(self.request.body, 300) + (f" in chunks {self.chunks}" if self.chunks is not None else "")
            )
        printer.text(" | ".join(parts))

    def on_the_wire(self) -> Request:
        """The request with its transfer coding."""
        if self.chunks is None or self.request.body is None:
            return self.request
        headers = (*self.request.headers, ("Transfer-Encoding", "chunked"))
        return replace(self.request, headers=headers, body=chunked(self.request.body, self.chunks))


def chunked(body: bytes, sizes: Sequence[int]) -> bytes:
    """`body` in the chunked transfer coding (RFC 9112, 7.1), cut after each of `sizes` bytes."""
    pieces, start = [], 0
    for size in [*sizes, len(body)]:
        if piece := body[start : start + size]:
            pieces.append(b"%x\r\n%b\r\n" % (len(piece), piece))
        start += size
    return b"".join(pieces) + b"0\r\n\r\n"


def framings() -> st.SearchStrategy[tuple[int, ...] | None]:
    """How a body is sent: mostly with its length, else in chunks."""
    return st.one_of(st.none(), st.none(), st.lists(st.integers(1, 3000), max_size=4).map(tuple))
