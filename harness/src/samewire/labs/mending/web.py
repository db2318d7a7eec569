"""The pages of labs in which a fault is mended: routes of the labs' application."""

import asyncio
from collections.abc import Mapping
from typing import Any

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from samewire.labs import hand_in
from samewire.labs.bodies import BadRequest, json_of, text_of
from samewire.labs.mending import HTML, MARKDOWN
from samewire.labs.mending import attempt as attempts
from samewire.labs.mending.attempt import Attempt
from samewire.labs.mending.declaration import HIGHEST_SEED, find_mendings, load
from samewire.labs.mending.verification import Verdict
from samewire.labs.result import write
from samewire.labs.runs import LabRun, Runs


def routes(runs: Runs, pages: jinja2.Environment) -> list[Route]:
    """The routes. The page of each of these labs is at its name, as that of any lab."""

    async def page(request: Request) -> Response:
        lab = load(request.url.path.rpartition("/")[2])
        kept = attempts.newest(lab)
        about = {"name": lab.name, "attempt": kept.shown() if kept else None}
        template = pages.get_template("mending.html.jinja")
        return HTMLResponse(template.render(lab=lab, about=about, highest_seed=HIGHEST_SEED))

    async def begin(request: Request) -> Response:
        lab = load(request.path_params["name"])
        seed = (await json_of(request)).get("seed")
        if seed is not None and not isinstance(seed, int):
            raise BadRequest("seed: an integer, or nothing")
        # A copy of a server takes a while, and a build of it longer.
        begun = await asyncio.to_thread(attempts.begin, lab, seed)
        return JSONResponse(begun.shown(), status_code=201)

    async def read(request: Request) -> Response:
        text = _attempt(request).workspace.read(request.query_params.get("name", ""))
        return JSONResponse({"text": text})

    async def keep(request: Request) -> Response:
        content = await json_of(request)
        workspace = _attempt(request).workspace
        workspace.write(text_of(content, "name"), text_of(content, "before"), text_of(content, "text"))
        return Response(status_code=204)

    async def predict(request: Request) -> Response:
        content = await json_of(request)
        attempt = _attempt(request)
        attempt.predict(text_of(content, "kind"), text_of(content, "file"), text_of(content, "why"))
        return JSONResponse(attempt.shown())

    async def verify(request: Request) -> Response:
        await json_of(request)
        attempt = _attempt(request)

        def told(run: LabRun, verdict: Verdict) -> Mapping[str, Any]:
            # As it is now: a prediction may have been made meanwhile.
            now = attempts.find(attempt.lab, attempt.seed)
            now.add(verdict)
            return {"event": "verified", "attempt": now.shown()}

        run = runs.begin(attempt.verification, told)
        return JSONResponse({"run": run.number}, status_code=202)

    async def handed_in(request: Request) -> Response:
        words = text_of(await json_of(request), "words")
        attempt = _attempt(request)
        if not attempt.mended:
            return PlainTextResponse("the suite is not green yet", status_code=409)
        found = attempt.result()
        write(found)
        return JSONResponse(
            {"markdown": hand_in.markdown(found, words, MARKDOWN), "html": hand_in.html(found, words, HTML)}
        )

    of_attempt = "/labs/{name}/attempts/{seed:int}"
    return [
        *(Route(f"/labs/{name}", page) for name in find_mendings()),
        Route("/labs/{name}/attempts", begin, methods=["POST"]),
        Route(f"{of_attempt}/file", read),
        Route(f"{of_attempt}/file", keep, methods=["POST"]),
        Route(f"{of_attempt}/prediction", predict, methods=["POST"]),
        Route(f"{of_attempt}/runs", verify, methods=["POST"]),
        Route(f"{of_attempt}/hand-in", handed_in, methods=["POST"]),
    ]


def _attempt(request: Request) -> Attempt:
    return attempts.find(load(request.path_params["name"]), request.path_params["seed"])
