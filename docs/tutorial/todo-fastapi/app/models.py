from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

# Not only blanks, and no U+0000, which PostgreSQL does not take.
Title = Annotated[
    str,
    Field(min_length=1, max_length=200, pattern=r"^[^\x00]*[^\x00 ][^\x00]*$"),
]


class Content(BaseModel):
    model_config = ConfigDict(strict=True)  # neither 1 nor "true" is a boolean

    title: Title
    completed: bool


class NewTodo(Content):
    completed: bool = False


class Changes(BaseModel):
    model_config = ConfigDict(strict=True)

    title: Title | None = None
    completed: bool | None = None


class Todo(BaseModel):
    id: int
    title: str
    completed: bool


class Page(BaseModel):
    items: list[Todo]
    next: int | None
