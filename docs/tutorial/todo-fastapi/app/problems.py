"""Every error is a problem (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse(
        {"title": HTTPStatus(status).phrase, "status": status, "detail": detail},
        status,
        headers,
        media_type="application/problem+json",
    )


async def http_problem(_: Request, error: HTTPException) -> JSONResponse:
    return problem(error.status_code, str(error.detail), error.headers)


async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
    # What the client sent stays out: it may not even be Unicode.
    faults = (
        f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()
    )
    return problem(400, "; ".join(faults))


async def failed(_: Request, __: Exception) -> JSONResponse:
    # uvicorn logs why, and closes the connection.
    return problem(500, "The server has failed.", {"Connection": "close"})


def add_problem_handlers(app: FastAPI) -> None:
    app.add_exception_handler(HTTPException, http_problem)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, failed)
