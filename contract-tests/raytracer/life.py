"""The raytracer's requests for the life layer: nothing is made, but a picture is work."""

from samewire.http import Request, Response

HEALTH = Request("GET", "/healthz")
MAKES = False
DURABLE = False

ASKING = (
    Request("GET", "/render?width=32&height=24&depth=3"),
    Request("GET", "/render?width=320&height=240&depth=3"),
    Request("GET", "/render?width=1&height=1&depth=0"),
    Request("HEAD", "/render?width=64&height=48&depth=10"),
    HEALTH,
)
"""What does real work, and what is asked beside it."""

NOT_ASKING = ()
"""There is no dependency that could be away."""


def making(number: int) -> Request:
    """A request with work in it, of one of a few sizes."""
    return Request("GET", f"/render?width={32 + number % 5}&height=24&depth={number % 3}")


def made(response: Response) -> str | None:
    """Nothing is made."""
