"""The shortener's contract as a function: the answer to a request that `openapi.yaml` describes.

Named errors need no model (openapi_requests.py knows their status), but for the 404 of a link that is not there. Layers
that are for every service ask for `judge`, `problem` and `unavailable`.
"""

import json
import re
from collections.abc import Mapping

from samewire.contract.compare import ANY
from samewire.contract.models import problem, problems_of, response_with
from samewire.http import Request, Response
from samewire.links import links

NOT_MADE = "??????"
"""Stands for the hash of a link that the request makes, until the server has said it."""

SEEDED: Mapping[str, str] = dict(links(10_000))
"""What the suite loads into every server's database: hash → URL."""

_LINK = re.compile("/(links/)?([0-9A-Za-z]{1,32})")


def judge(request: Request, response: Response, links: Mapping[str, str] = SEEDED) -> list[str]:
    """What is wrong with the response of a server that holds `links`, one sentence each; empty if it is right.

    Of a request that the contract does not describe, nothing is wrong.
    """
    fresh = fresh_hash(response)
    problems = [f"the hash {fresh} is not fresh: a link had it before"] if fresh in links else []
    expected = answer(request, links, fresh or NOT_MADE)
    return problems + (problems_of(request, expected, response) if expected else [])


def answer(request: Request, links: Mapping[str, str] = SEEDED, fresh: str = NOT_MADE) -> Response | None:
    """What a service that holds `links` answers to a valid request; None if the contract does not say.

    `fresh` is the hash that the service chose, should the request make a link.
    """
    if request.method == "POST" and request.path == "/links":
        return response_with(201, {"hash": fresh, "url": url_of(request)}, Location=f"/{fresh}")
    if request.method not in ("GET", "HEAD") or request.path == "/links":
        return None
    if request.path == "/healthz":
        return response_with(200, ANY)
    match = _LINK.fullmatch(request.path)
    if not match:
        return None
    as_resource, hash_ = match.groups()
    url = links.get(hash_)
    if as_resource:
        return response_with(200, {"hash": hash_, "url": url}) if url else problem(404)
    return response_with(301, ANY, Location=url) if url else response_with(404, b"")


def url_of(request: Request) -> str:
    """The URL that a valid POST asks to shorten."""
    return json.loads(request.body or b"")["url"]


def fresh_hash(response: Response) -> str | None:
    """The hash that a 201 says it has made; None if there is none of the right form."""
    match = re.fullmatch("/([0-9A-Za-z]{6})", "".join(response.values("Location")))
    return match[1] if response.status == 201 and match else None


def unavailable(request: Request) -> Response:
    """The answer to a request that needs the database while it is away."""
    return response_with(503, ANY) if request.path == "/healthz" else problem(503)
