from typing import Annotated

import asyncpg
from fastapi import APIRouter, Depends, Header, HTTPException, Path, Query, Response

from .database import DatabaseDep
from .models import Changes, Content, NewTodo, Page, Todo

MAX_ID = 2**63 - 1

TodoId = Annotated[int, Path(ge=1, le=MAX_ID)]


async def json_only(content_type: Annotated[str, Header()] = "") -> None:
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "The body must be application/json.")


router = APIRouter(prefix="/todos", tags=["todos"])


@router.api_route("", methods=["GET", "HEAD"])
async def list_todos(
    database: DatabaseDep,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    after: Annotated[int, Query(ge=0, le=MAX_ID)] = 0,
) -> Page:
    rows = await database.fetch(
        "select id, title, completed from todos where id > $1 order by id limit $2",
        after,
        limit + 1,  # one more than is shown says whether there is a next page
    )
    items = [Todo(**row) for row in rows[:limit]]
    return Page(items=items, next=items[-1].id if len(rows) > limit else None)


@router.post("", status_code=201, dependencies=[Depends(json_only)])
async def create_todo(new: NewTodo, response: Response, database: DatabaseDep) -> Todo:
    rows = await database.fetch(
        "insert into todos (title, completed) values ($1, $2)"
        " returning id, title, completed",
        new.title,
        new.completed,
    )
    todo = found(rows)
    response.headers["Location"] = f"/todos/{todo.id}"
    return todo


@router.api_route("/{todo_id}", methods=["GET", "HEAD"])
async def read_todo(todo_id: TodoId, database: DatabaseDep) -> Todo:
    return found(
        await database.fetch(
            "select id, title, completed from todos where id = $1", todo_id
        )
    )


@router.put("/{todo_id}", dependencies=[Depends(json_only)])
async def replace_todo(
    todo_id: TodoId, content: Content, database: DatabaseDep
) -> Todo:
    return found(
        await database.fetch(
            "update todos set title = $2, completed = $3 where id = $1"
            " returning id, title, completed",
            todo_id,
            content.title,
            content.completed,
        )
    )


@router.patch("/{todo_id}", dependencies=[Depends(json_only)])
async def change_todo(todo_id: TodoId, changes: Changes, database: DatabaseDep) -> Todo:
    return found(
        await database.fetch(
            "update todos set title = coalesce($2, title),"
            " completed = coalesce($3, completed) where id = $1"
            " returning id, title, completed",
            todo_id,
            changes.title,
            changes.completed,
        )
    )


@router.delete("/{todo_id}", status_code=204)
async def delete_todo(todo_id: TodoId, database: DatabaseDep) -> None:
    found(
        await database.fetch(
            "delete from todos where id = $1 returning id, title, completed", todo_id
        )
    )


def found(rows: list[asyncpg.Record]) -> Todo:
    if not rows:
        raise HTTPException(404, "No such todo.")
    return Todo(**rows[0])
