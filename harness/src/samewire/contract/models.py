"""The services' contracts as functions (`contract-tests/<service>/model.py`), and what these are made of."""

from __future__ import annotations

import importlib
import json
import sys
from functools import cache
from types import ModuleType

from samewire.contract.cases import title
from samewire.contract.compare import PROBLEM, differences, response_problems
from samewire.http import Request, Response
from samewire.paths import CONTRACTS


@cache
def model_of(service: str) -> ModuleType:
    """The module that knows a service's contract. Raises ImportError."""
    if str(CONTRACTS) not in sys.path:
        sys.path.insert(0, str(CONTRACTS))
    return importlib.import_module(f"{service}.model")


def response_with(status: int, body: object = b"", media_type: str = "", **headers: str) -> Response:
    """A response that is expected. A body that is not bytes is sent as JSON; `_` in the name of a field means `-`."""
    if not isinstance(body, bytes):
        media_type = media_type or "application/json"
        body = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    fields = [("Content-Type", media_type)] if media_type else []
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Response(status, title(status), "HTTP/1.1", tuple(fields), body)


def problem(status: int) -> Response:
    """An error (RFC 9457), as it is expected: its title and its detail are the stack's own."""
    return response_with(status, {"title": title(status), "status": status, "detail": "…"}, PROBLEM)


def problems_of(request: Request, expected: Response, response: Response) -> list[str]:
    """Every way in which `response` is unsound or not `expected`, a sentence each; empty if it is right."""
    return response_problems(response, request) + differences(expected, response, request=request)
