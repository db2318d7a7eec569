import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Annotated

import asyncpg
from fastapi import Depends, HTTPException, Request

logger = logging.getLogger("uvicorn.error")

POOL_SIZE = 10
WAIT_SECONDS = 4.5

AWAY = (
    OSError,  # of the network, and every time-out
    asyncpg.InternalClientError,  # PostgreSQL has just ended an idle connection
    asyncpg.PostgresConnectionError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,  # shutdown, start, statement_timeout
)


class Database:
    """Runs statements on a pool of connections. 503 while PostgreSQL is away."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._away = False

    async def fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        try:
            async with self._pool.acquire(timeout=WAIT_SECONDS) as connection:
                try:
                    rows = await connection.fetch(query, *args)
                except AWAY:
                    # It may be in the midst of an answer, or gone already.
                    with suppress(asyncpg.InterfaceError):
                        connection.terminate()
                    raise
        except AWAY as error:
            if not self._away:
                logger.error("PostgreSQL is away or busy: %r", error)
            self._away = True
            raise HTTPException(503, "The database is away or busy.") from error
        if self._away:
            logger.info("PostgreSQL answers again")
        self._away = False
        return rows


async def nothing_to_reset(_: asyncpg.Connection) -> None:
    """asyncpg's own reset is a round trip, and may fail after a change was made."""


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Database]:
    pool = await asyncpg.create_pool(
        url,
        min_size=0,  # so that the server starts while PostgreSQL is away
        max_size=POOL_SIZE,
        timeout=WAIT_SECONDS,  # to connect
        command_timeout=WAIT_SECONDS,  # PostgreSQL says nothing at all
        reset=nothing_to_reset,
        server_settings={
            "application_name": "todo-fastapi",
            "statement_timeout": "4000",  # PostgreSQL gives up
        },
    )
    try:
        yield Database(pool)
    finally:
        with suppress(OSError):
            async with asyncio.timeout(0.5):
                await pool.close()


async def get_database(request: Request) -> Database:
    return request.state.database


DatabaseDep = Annotated[Database, Depends(get_database)]
