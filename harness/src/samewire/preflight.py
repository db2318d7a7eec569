"""A look at a URL before the suite judges what answers there: one line where none of it could be judged."""

import socket
from functools import cache
from urllib.parse import urlsplit

from samewire.contract.services import openapi, services
from samewire.http import (
    ConnectionClosed,
    ExchangeError,
    ProtocolError,
    Request,
    Response,
    Timeout,
    TlsError,
    address,
    connect,
    secured,
)
from samewire.manifest import SelectionError

_PATIENCE = 5.0
_HEALTH = "/healthz"
_ABSENT = {404, 410, 501}
_HEALTHY = {200, 503}
"""What a server of any service answers to /healthz."""
_NOT_REACHED = {502, 504}
_NOT_ALLOWED = {401, 403, 407}


class NotJudged(Exception):
    """No server of the service answers at the URL. The message says what is there, and what to do."""


def look(url: str, service: str) -> None:
    """Return when something at `url` answers as a server of `service` would.

    Asks a few requests that change nothing. Raises NotJudged, and SelectionError where the URL cannot be an address.
    """
    parts = urlsplit(url)
    try:
        wrong = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
    except ValueError:
        wrong = True
    if wrong:
        raise SelectionError(f"{url!r} is no address of a server: give http://HOST:PORT, with a port from 1 to 65535.")
    if parts.path.strip("/") or parts.query:
        raise SelectionError(
            f"{url} has a path. The paths of the contract begin right after the port: "
            f"serve them there, and give {parts.scheme}://{parts.netloc}."
        )
    health = _ask(url, Request("GET", _HEALTH))
    _not_between(url, health)
    if _serves(url, service):
        return
    for other in services():
        if other != service and health.status in _HEALTHY and _serves(url, other):
            raise NotJudged(f"{url} answers as the service {other} does. Say --service {other}, or give another URL.")
    paths = " or ".join(dict.fromkeys(path for _, path in _probes(service)))
    if _is_html(health):
        raise NotJudged(
            f"{url}: {_HEALTH} is a page of HTML (status {health.status}), and there is no {paths}. "
            "Another program answers here, or a framework's own page: look at the port and at the routes."
        )
    raise NotJudged(
        f"{url} has no {paths} ({_HEALTH}: status {health.status}). "
        "Give the address of a server that has it; a prefix such as /api is not part of the contract."
    )


def tls_of(url: str) -> str:
    """The version of TLS that answers at an https URL, and the protocol that it chooses of HTTP/2 and HTTP/1.1 (ALPN).

    Empty for http. Raises ExchangeError, and OSError.
    """
    host, port, tls = address(url)
    if not tls:
        return ""
    with secured(socket.create_connection((host, port), _PATIENCE), host, ("h2", "http/1.1")) as peer:
        return f"{peer.version()}, ALPN {peer.selected_alpn_protocol() or 'none'}"


def _not_between(url: str, health: Response) -> None:
    """Raise NotJudged where not the server answers, but what stands in front of it."""
    names = ", ".join([*health.values("Via"), *health.values("Server")]) or "without a name"
    if health.status in _NOT_REACHED:
        raise NotJudged(
            f"{url}: a proxy ({names}) answers {_HEALTH} with {health.status}: it reaches no server. "
            "Start the server behind it, or give its own address."
        )
    if health.status in _NOT_ALLOWED:
        raise NotJudged(
            f"{url}: {_HEALTH} asks for a login (status {health.status}, {names}). "
            "Give the address of the server itself: the contract has no login."
        )
    if health.status == 400:
        raise NotJudged(
            f"{url}: {_HEALTH} is answered with 400 ({names}). A port for TLS does that to clear text: try https://."
        )
    if 300 <= health.status < 400:
        raise NotJudged(
            f"{url}: {_HEALTH} redirects to {', '.join(health.values('Location')) or 'nowhere'} ({names}). "
            "Give the address of the server itself."
        )


def _serves(url: str, service: str) -> bool:
    """Whether one of the paths that only this service has is there."""
    return any(_is_there(_ask(url, _probe(method, path)), method, path, service) for method, path in _probes(service))


def _is_there(answer: Response, method: str, path: str, service: str) -> bool:
    # A framework that has its one page for every path answers 200 with HTML.
    unasked = answer.status == 200 and _is_html(answer) and "text/html" not in _probes(service)[method, path]
    return answer.status not in _ABSENT and not unasked


@cache
def _probes(service: str) -> dict[tuple[str, str], set[str]]:
    """Method and path → media types of its 200, of the operations that only this service has."""
    paths = openapi(service)["paths"]
    return {
        (method.upper(), path): set(operation["responses"].get("200", {}).get("content", {}))
        for path, methods in paths.items()
        for method, operation in methods.items()
        if path not in ("/", _HEALTH) and "{" not in path and method in ("get", "post")
    }


def _probe(method: str, path: str) -> Request:
    """A request that changes nothing: HEAD in place of GET, and a POST without the members that are required."""
    if method == "GET":
        return Request("HEAD", path)
    return Request(method, path, (("Content-Type", "application/json"),), b"{}")


def _ask(url: str, request: Request) -> Response:
    """The answer. Raises NotJudged where nothing listens or no HTTP comes back."""
    try:
        connection = connect(url, _PATIENCE)
    except TlsError as error:
        told = str(error).removesuffix("; received nothing")
        raise NotJudged(
            f"{url}: {told}. Name the file with its authority by --cacert, or give http:// in clear text."
        ) from None
    except ExchangeError as error:
        told = str(error).removesuffix("; received nothing")
        raise NotJudged(
            f"nothing listens at {url} ({told}). Start your server, or give the address that it prints."
        ) from None
    try:
        with connection:
            return connection.exchange(request)
    except ConnectionClosed as error:
        raise NotJudged(f"{url}: {error}. A port for TLS or for a database does that: give the one for HTTP.") from None
    except Timeout:
        raise NotJudged(
            f"{url}: no answer to {request.method} {request.path} in {_PATIENCE:g} s. "
            "Look whether the server hangs, or its database."
        ) from None
    except ProtocolError as error:
        raise NotJudged(f"{url} does not speak HTTP/1.1: {error}. Give the port of the HTTP server.") from None


def _is_html(answer: Response) -> bool:
    return any(value.lower().startswith("text/html") for value in answer.values("Content-Type"))
