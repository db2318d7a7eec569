"""The faults that a report server may have besides the general ones.

No case looks at the page: `page_problems` does, and inputs of the atlas that must be answered with a report.
`test_upstreams.py` has what the upstreams are asked and what comes of their faults.
"""

import re
from urllib.parse import unquote

from faults.changes import added, asked, asked_at, body_changed, path_of, problem, reply, without
from faults.proxy import Exchange, Fault, Reply, fault

from report import model
from samewire.http import Request
from samewire.http import exchange as ask
from samewire.target import Target

FAULTS: list[Fault] = []

NOT_HERE = {
    "created-as-ok": "nothing is made",
    "header-missing": "no answer has Location",
    "members-reordered": "its answers are pages and problems",
    "characters-escaped": "its answers are pages and problems",
    "slashes-escaped": "its answers are pages and problems",
    "detail-of-the-parser": "no request of a case is wrong",
}


# ---------------------------------------------------------------------------------------------------------- the page


def page_problems(target: Target) -> str | None:
    """What the contract finds wrong with a report before real upstreams."""
    request = Request("GET", "/report")
    return next(iter(model.judge(request, ask(target, request))), None)


@fault(FAULTS, judge=page_problems)
def share_of_nothing(exchange: Exchange) -> Reply | None:
    """The percentage of an empty list divided by zero."""
    return body_changed(exchange, lambda body: body.replace(b">0%<", b">NaN%<"))


@fault(FAULTS, judge=page_problems)
def picture_left_out(exchange: Exchange) -> Reply | None:
    """A page without the bytes of the picture."""
    return body_changed(exchange, lambda body: re.sub(b"base64,[^\"']*", b"base64,", body))


@fault(FAULTS, judge=page_problems)
def picture_in_the_alphabet_of_urls(exchange: Exchange) -> Reply | None:
    """The picture in the alphabet of base64 that is for URLs."""
    return body_changed(
        exchange, lambda body: re.sub(b"base64,[^\"']*", lambda match: match[0].replace(b"+", b"-"), body)
    )


@fault(FAULTS, judge=page_problems)
def script_added(exchange: Exchange) -> Reply | None:
    """A script in the page."""
    return body_changed(exchange, lambda body: body.replace(b"</main>", b"</main><script></script>"))


@fault(FAULTS, judge=page_problems)
def attribute_missing(exchange: Exchange) -> Reply | None:
    """An attribute of the picture missing."""
    return body_changed(exchange, lambda body: re.sub(b" alt=(\"[^\"]*\"|'[^']*')", b"", body))


# ------------------------------------------------------------------------------------------- paths, methods, health


@fault(FAULTS)
def any_method_taken(exchange: Exchange) -> Reply | None:
    """A report for any method."""
    if exchange.response.status != 405 or path_of(exchange) != "/report":
        return None
    return asked(exchange, method="GET", body=b"")


@fault(FAULTS)
def upstreams_shown(exchange: Exchange) -> Reply | None:
    """The upstreams' paths led to the upstreams."""
    if not path_of(exchange).startswith(("/todos", "/render")):
        return None
    found = added(without(exchange.response, "content-type"), "Content-Type", "application/json")
    return reply(found, 200, b'{"items":[],"next":null}')


@fault(FAULTS)
def path_decoded_twice(exchange: Exchange) -> Reply | None:
    """A path that is percent-decoded twice."""
    return asked_at(exchange, unquote(path_of(exchange))) if "%25" in path_of(exchange) else None


@fault(FAULTS)
def path_trimmed(exchange: Exchange) -> Reply | None:
    """Space at the end of a path trimmed."""
    return asked_at(exchange, path_of(exchange).removesuffix("%20").removesuffix("%0A"))


@fault(FAULTS)
def query_in_the_path(exchange: Exchange) -> Reply | None:
    """The query taken for a part of the path."""
    return problem(exchange, 404, "No such resource.") if "?" in exchange.request.path else None


@fault(FAULTS)
def everything_below(exchange: Exchange) -> Reply | None:
    """Whatever is below /report or /healthz taken for it."""
    _, *names = path_of(exchange).split("/")
    return asked_at(exchange, f"/{names[0]}") if len(names) > 1 else None


@fault(FAULTS)
def files_served(exchange: Exchange) -> Reply | None:
    """Files of the server's own folder served."""
    if not path_of(exchange).endswith((".toml", ".json", ".ts")):
        return None
    found = added(without(exchange.response, "content-type"), "Content-Type", "text/plain")
    return reply(found, 200, b"[server]\n")


@fault(FAULTS)
def head_refused_for_health(exchange: Exchange) -> Reply | None:
    """HEAD of /healthz answered with 404."""
    is_head = exchange.request.method == "HEAD" and path_of(exchange) == "/healthz"
    return problem(exchange, 404, "No such resource.") if is_head else None


@fault(FAULTS)
def upgraded(exchange: Exchange) -> Reply | None:
    """An upgrade that nobody offered."""
    if not exchange.request.has("Upgrade"):
        return None
    return [b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", None]
