"""The report's requests for the life layer: nothing is made, and nothing asks a database."""

from samewire.http import Request, Response

HEALTH = Request("GET", "/healthz")
MAKES = False
DURABLE = False
PATIENCE = 60.0
"""Seconds for an answer: the contract gives the upstreams so long, and a hundred reports are a hundred pictures."""

ASKING = (Request("GET", "/report"), Request("HEAD", "/report"))
"""What asks the upstreams."""

NOT_ASKING = (HEALTH, Request("HEAD", "/healthz"))
"""What must be answered as ever while the upstreams are away."""


def making(number: int) -> Request:
    """A request with work in it."""
    return ASKING[0]


def made(response: Response) -> str | None:
    """Nothing is made."""
