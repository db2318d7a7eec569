"""The page of the labs: a Starlette application for loopback, which runs labs and tells of them as they run."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import jinja2
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from samewire.labs import LabError, NotFound, hand_in
from samewire.labs.bodies import BadRequest, json_of, text_of
from samewire.labs.code import side_by_side, styles
from samewire.labs.lab import Lab, find_labs, load
from samewire.labs.mending import declaration as mending
from samewire.labs.mending.web import routes as mending_routes
from samewire.labs.mending.workspace import Conflict
from samewire.labs.result import Guess
from samewire.labs.runs import FAILURES, Busy, LabRun, Runs
from samewire.manifest import find_servers
from samewire.race.metrics import metric

_TOLD_EVERY_S = 0.1
_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


class _SafeHeaders:
    """Nothing but this page's own files is loaded, and no other page may frame it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS]
            await send(message)

        await self._app(scope, receive, with_headers)


def application(runs: Runs, *, small: bool = False) -> Starlette:
    """The application. `small` runs labs for seconds, on cold servers: for tests."""
    pages = jinja2.Environment(loader=jinja2.PackageLoader(__package__), autoescape=True, trim_blocks=True)
    pages.filters["told"] = _told

    async def index(request: Request) -> Response:
        labs, broken = [], []
        for read, names in ((load, find_labs()), (mending.load, mending.find_mendings())):
            for name in names:
                try:
                    labs.append(read(name))
                except LabError as error:
                    broken.append(str(error))
        return HTMLResponse(pages.get_template("index.html.jinja").render(labs=labs, broken=broken))

    async def lab_page(request: Request) -> Response:
        lab = load(request.path_params["name"])
        trials, left_out = lab.trials(find_servers(), lab.values())
        about = _about(lab) | {"subjects": [trial.label for trial in trials]}
        page = pages.get_template("lab.html.jinja").render(
            lab=lab, trials=trials, left_out=left_out, code=side_by_side(trials), about=about
        )
        return HTMLResponse(page)

    async def start(request: Request) -> Response:
        lab = load(request.path_params["name"])
        content = await json_of(request)
        knobs = content.get("knobs", {})
        if not isinstance(knobs, dict):
            raise BadRequest("knobs: an object")
        run = runs.start(
            lab, {name: str(value) for name, value in knobs.items()}, _guess(content.get("guess")), small=small
        )
        return JSONResponse({"run": run.number}, status_code=202)

    async def events(request: Request) -> Response:
        run = _found(request)
        first = request.headers.get("last-event-id", "")
        # Each id is the number of an event: a page that comes back goes on behind the last that it has.
        begin = int(first) + 1 if first.isdecimal() else 0
        return StreamingResponse(_stream(run, begin), media_type="text/event-stream")

    async def stop(request: Request) -> Response:
        run = _found(request)
        await json_of(request)
        runs.stop(run.number)
        return Response(status_code=204)

    async def handed_in(request: Request) -> Response:
        run = _found(request)
        words = text_of(await json_of(request), "words")
        if not run.found:
            return PlainTextResponse("this run has no result", status_code=409)
        return JSONResponse({"markdown": hand_in.markdown(run.found, words), "html": hand_in.html(run.found, words)})

    def _found(request: Request) -> LabRun:
        run = runs.get(request.path_params["run"])
        if not run:
            raise NotFound("there is no such run")
        return run

    async def colours(request: Request) -> Response:
        return Response(styles(), media_type="text/css")

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(runs.close)

    return Starlette(
        routes=[
            Route("/", index),
            *mending_routes(runs, pages),
            Route("/labs/{name}", lab_page),
            Route("/labs/{name}/runs", start, methods=["POST"]),
            Route("/runs/{run:int}/events", events),
            Route("/runs/{run:int}/stop", stop, methods=["POST"]),
            Route("/runs/{run:int}/hand-in", handed_in, methods=["POST"]),
            Route("/code.css", colours),
            Mount("/static", StaticFiles(packages=[(__package__, "static")])),
        ],
        # A page of another site may not use this one by a name of its own that leads to this machine.
        middleware=[
            Middleware(_SafeHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"]),
        ],
        exception_handlers={
            NotFound: _refuse(404),
            Busy: _refuse(409),
            Conflict: _refuse(409),
            **dict.fromkeys(FAILURES, _refuse(422)),
            BadRequest: _refuse(400),
        },
        lifespan=lifespan,
    )


def _told(text: str) -> Markup:
    """A sentence of a lab's file: what is between backticks is code."""
    parts = (
        Markup("<code>{}</code>").format(part) if number % 2 else part for number, part in enumerate(text.split("`"))
    )
    return Markup("").join(parts)


async def _stream(run: LabRun, begin: int) -> AsyncIterator[str]:
    place = begin
    while True:
        over, told = run.over, run.events[place:]
        for number, event in enumerate(told, place):
            yield f"id: {number}\ndata: {json.dumps(event)}\n\n"
        place += len(told)
        if over and place >= len(run.events):
            return
        await asyncio.sleep(_TOLD_EVERY_S)


def _guess(content: Any) -> Guess | None:
    """A prediction of the page. Raises BadRequest."""
    if content is None:
        return None
    try:
        best, factor, why = content["best"], float(content["factor"]), content.get("why", "")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadRequest("guess: best, a factor, and why") from error
    if not isinstance(best, str) or not isinstance(why, str) or not 1 <= factor < 1e9:
        raise BadRequest("guess: best and why are strings, and the factor is at least 1")
    return Guess(best, factor, why)


def _about(lab: Lab) -> dict[str, Any]:
    """What the page's script has to know."""
    asked = metric(lab.prediction.metric)
    return {
        "name": lab.name,
        "charts": lab.charts,
        "knobs": [one.name for one in lab.knobs],
        "metric": {"name": asked.name, "unit": asked.unit},
        "asked_for": lab.prediction.best,
    }


def _refuse(status: int) -> Callable[[Request, Exception], Response]:
    """Answers with a status and the message of an error."""
    return lambda request, error: PlainTextResponse(str(error), status_code=status)
