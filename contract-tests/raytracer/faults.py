"""The faults that a raytracer may have besides the general ones and those of parameters.

Cases look at the type of a picture alone: what it shows, the model has to notice, as in `test_pixels.py`.
"""

import re

from faults.changes import (
    added,
    asked,
    asked_with_parameters,
    header_left_out,
    headers_changed,
    if_status,
    parameters_of,
    path_of,
    reply,
    without,
)
from faults.parameters import PARAMETERS, clamped
from faults.proxy import Exchange, Fault, Reply, fault

from raytracer import model
from samewire.contract import images
from samewire.http import Request, exchange
from samewire.target import Target

FAULTS: list[Fault] = [*PARAMETERS]

NOT_HERE = {
    "created-as-ok": "nothing is made",
    "header-missing": "no answer has Location",
    "characters-escaped": "all text in its JSON is ASCII",
}

_RIGHT = {"width": "1", "height": "1", "depth": "0"}


def _names(exchange: Exchange) -> set[str]:
    """The names of the parameters that are given."""
    return {pair.partition("=")[0] for pair in parameters_of(exchange)}


def _with_right(exchange: Exchange, *names: str) -> Reply | None:
    """The answer with right values put before whatever is given."""
    return asked_with_parameters(exchange, [*(f"{name}={_RIGHT[name]}" for name in names), *parameters_of(exchange)])


@fault(FAULTS)
def defaults(exchange: Exchange) -> Reply | None:
    """Defaults for parameters that are not there."""
    missing = _RIGHT.keys() - _names(exchange)
    if exchange.response.status != 400 or path_of(exchange) != "/render" or not missing:
        return None
    return _with_right(exchange, *missing)


@fault(FAULTS)
def width_clamped(exchange: Exchange) -> Reply | None:
    """A width over 1920 taken for 1920."""
    return clamped(exchange, "width", 1920)


@fault(FAULTS)
def height_clamped(exchange: Exchange) -> Reply | None:
    """A height over 1080 taken for 1080."""
    return clamped(exchange, "height", 1080)


@fault(FAULTS)
def depth_clamped(exchange: Exchange) -> Reply | None:
    """A depth over 10 taken for 10."""
    return clamped(exchange, "depth", 10)


@fault(FAULTS)
def query_before_method(exchange: Exchange) -> Reply | None:
    """The query judged before the method."""
    if exchange.response.status != 405 or path_of(exchange) != "/render":
        return None
    answer = asked(exchange, method="HEAD")
    return asked(exchange, method="GET") if if_status(answer, 400) else None


@fault(FAULTS)
def head_not_judged(exchange: Exchange) -> Reply | None:
    """HEAD answered with 200 whatever the parameters are."""
    if exchange.request.method != "HEAD" or exchange.response.status != 400:
        return None
    return reply(added(without(exchange.response, "content-type"), "Content-Type", "image/png"), 200)


@fault(FAULTS)
def largest_refused(exchange: Exchange) -> Reply | None:
    """The largest picture refused."""
    largest = re.search("width=1920&height=1080", exchange.request.path)
    return asked(exchange, path="/render?width=1921") if largest and exchange.response.status == 200 else None


@fault(FAULTS)
def type_of_octets(exchange: Exchange) -> Reply | None:
    """A picture of no particular type."""
    return headers_changed(
        exchange, "content-type", lambda value: value.replace("image/png", "application/octet-stream")
    )


@fault(FAULTS)
def type_missing(exchange: Exchange) -> Reply | None:
    """No Content-Type with HEAD."""
    return header_left_out(exchange, "content-type") if exchange.request.method == "HEAD" else None


@fault(FAULTS)
def parameters_of_the_body(exchange: Exchange) -> Reply | None:
    """Parameters taken from the body of a form."""
    body = (exchange.request.body or b"").decode("latin-1")
    if "width=" not in body or path_of(exchange) != "/render" or exchange.request.method != "GET":
        return None
    return asked_with_parameters(exchange, [*parameters_of(exchange), *body.split("&")])


# ------------------------------------------------------------------------------------------------------------ pixels

_PICTURE = Request("GET", "/render?width=16&height=12&depth=3")


def _pixels(target: Target) -> str | None:
    """What the model finds in one picture."""
    problems = model.judge(_PICTURE, exchange(target, _PICTURE))
    return f"the pixels: {problems[0]}" if problems else None


@fault(FAULTS, judge=_pixels)
def pixel_changed(exchange: Exchange) -> Reply | None:
    """One value of one pixel wrong by one."""
    if exchange.request.path != _PICTURE.path:
        return None
    picture = images.decode(exchange.response.body)
    last = bytes([picture.pixels[-1] ^ 1])
    return reply(exchange.response, body=images.encode(picture.width, picture.height, picture.pixels[:-1] + last))


@fault(FAULTS, judge=_pixels)
def one_reflection_less(exchange: Exchange) -> Reply | None:
    """Reflections that end one too early."""
    return asked(exchange, path=exchange.request.path.replace("depth=3", "depth=2"))
