"""The randoms' requests for the life layer: nothing is made, but draws are work."""

from samewire.http import Request, Response

HEALTH = Request("GET", "/healthz")
MAKES = False
DURABLE = False

ASKING = (
    Request("GET", "/randoms?count=1000000&seed=4294967295"),
    Request("GET", "/randoms/sync?count=1000&seed=1"),
    Request("GET", "/randoms?count=500000"),
    Request("HEAD", "/randoms?count=10000&seed=7"),
    Request("GET", "/randoms?count=1001&seed=42", (("Accept-Encoding", "gzip"),)),
    Request("GET", "/info"),
    HEALTH,
)
"""What does real work, and what is asked beside it."""

NOT_ASKING = ()
"""There is no dependency that could be away."""


def making(number: int) -> Request:
    """A request with work in it, of one of a few counts and seeds."""
    return Request("GET", f"/randoms?count={300_000 + number % 5}&seed={1 + number % 3}")


def made(response: Response) -> str | None:
    """Nothing is made."""
