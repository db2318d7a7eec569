"""Bodies of requests, as the pages of labs send them."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

_MOST_BYTES = 64 * 1024


class BadRequest(Exception):
    """What a client sent is not what these pages send."""


async def json_of(request: Request) -> Mapping[str, Any]:
    """The object in a body. A form of another site cannot be of this type. Raises BadRequest."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise BadRequest("a body of the type application/json is needed")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            raise BadRequest(f"a body has {_MOST_BYTES:,} bytes at most")
    try:
        content = json.loads(body)
    except ValueError as error:
        raise BadRequest(f"the body is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise BadRequest("the body is an object")
    return content


def text_of(content: Mapping[str, Any], name: str) -> str:
    """A member that is text, empty where it is missing. Raises BadRequest."""
    value = content.get(name, "")
    if not isinstance(value, str):
        raise BadRequest(f"{name}: a string")
    return value
