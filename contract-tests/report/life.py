"""The report's requests for the life layer. Nothing is made, and nothing asks a database."""

from samewire.http import Request, Response

HEALTH = Request("GET", "/healthz")
REPORT = Request("GET", "/report")
MAKES = False
PATIENCE = 60.0
"""Seconds for an answer: the contract gives the upstreams so long, and a hundred reports are a hundred pictures."""

ASKING = (
    REPORT,
    Request("HEAD", "/report"),
    Request("GET", "/report?width=640"),
    Request("GET", "/%72eport"),
)
"""What asks the upstreams."""

NOT_ASKING = (
    HEALTH,
    Request("HEAD", "/healthz"),
    Request("GET", "/"),
    Request("GET", "/reports"),
    Request("POST", "/report", (("Content-Type", "application/json"),), b"{}"),
    Request("DELETE", "/healthz"),
)
"""What is answered without asking anybody."""


def making(number: int) -> Request:
    """A request with work in it."""
    return Request("GET", f"/report?{number}")


def made(response: Response) -> str | None:
    """Nothing is made."""
