"""The shortener's requests for the life layer: which ask the database, which do not, and what makes something."""

from collections import ChainMap
from collections.abc import Mapping

from common_rules import read_json
from request_strategies import JSON

from samewire.http import Request, Response
from shortener import model
from shortener.strategies import spelled

HEALTH = Request("GET", "/healthz")

ASKING = (
    Request("GET", "/dktPz4"),
    Request("GET", "/nobody"),
    Request("HEAD", "/vOB9ro"),
    Request("GET", "/links/lWgSrt"),
    Request("GET", "/links/nobody"),
    HEALTH,
)
"""What cannot be answered while the database is away."""

NOT_ASKING = (
    Request("GET", "/no-hash"),
    Request("HEAD", "/links/no-hash"),
    Request("GET", "/"),
    Request("DELETE", "/dktPz4"),
    Request("POST", "/links", JSON, b"{"),
)
"""What must be answered as ever while the database is away."""


MAKES = True


def making(number: int) -> Request:
    """A request that makes something; the same for the same number."""
    return Request("POST", "/links", JSON, spelled(f"http://a.example/{number}"))


made = model.fresh_hash
"""What a response has made, as a name that nothing else may have; None if it has made nothing."""


def asking_for(response: Response) -> tuple[Request, Mapping[str, str]]:
    """A request for what `response` has made, and the data with which `judge` knows the answer."""
    hash_ = made(response)
    assert hash_
    return Request("GET", f"/links/{hash_}"), ChainMap({hash_: read_json(response.body)["url"]}, model.SEEDED)
