from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypedDict

from fastapi import FastAPI

from . import todos
from .database import Database, DatabaseDep, connected
from .limits import BodyLimits
from .problems import add_problem_handlers
from .settings import Settings


class State(TypedDict):
    database: Database


def create_app(settings: Settings) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[State]:
        async with connected(str(settings.postgres_url)) as database:
            yield {"database": database}

    app = FastAPI(title="Todo", lifespan=lifespan, openapi_url=None)
    app.add_middleware(BodyLimits)
    add_problem_handlers(app)
    app.include_router(todos.router)

    @app.api_route("/healthz", methods=["GET", "HEAD"])
    async def health(database: DatabaseDep) -> dict[str, str]:
        await database.fetch("select 1")
        return {"status": "ok"}

    return app
