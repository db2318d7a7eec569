"""The shortener's requests for the life layer: which need the database, and what makes something."""

import json
from collections import ChainMap
from collections.abc import Mapping

from request_strategies import JSON

from samewire.http import Request, Response
from shortener import model
from shortener.strategies import spelled_link

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

NOT_ASKING = ()
"""What must be answered as ever while the database is away: nothing, since a server may look at the database first."""

MAKES = True
DURABLE = True


def making(number: int) -> Request:
    """A request that makes something; the same for the same number."""
    return Request("POST", "/links", JSON, spelled_link(f"http://a.example/{number}"))


made = model.fresh_hash
"""What a response has made, as a name that nothing else may have; None if it has made nothing."""


def asking_for(response: Response) -> tuple[Request, Mapping[str, str]]:
    """A request for what `response` has made, and the data with which `judge` knows the answer."""
    hash_ = made(response)
    assert hash_
    return Request("GET", f"/links/{hash_}"), ChainMap({hash_: json.loads(response.body)["url"]}, model.SEEDED)
