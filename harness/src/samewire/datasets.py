"""What a fresh database of a service holds: a table (in MongoDB a collection) and its rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from samewire.links import links
from samewire.paths import CONTRACTS


@dataclass(frozen=True)
class Dataset:
    """`size` rows of a table. The first of `columns` is the key (`_id` in MongoDB)."""

    table: str
    definition: str
    """SQL that makes the table."""
    columns: tuple[str, ...]
    rows_of: Callable[[int], Iterator[tuple]]
    size: int

    def rows(self) -> Iterator[tuple]:
        """The rows, in the order of `columns`."""
        return self.rows_of(self.size)

    def documents(self, batch: int) -> Iterator[list[dict]]:
        """The rows as MongoDB documents, `batch` at a time."""
        names = ("_id", *self.columns[1:])
        rows = self.rows()
        while some := [dict(zip(names, row, strict=True)) for row in islice(rows, batch)]:
            yield some


def dataset(service: str, links_: int, todos: int = 0) -> Dataset:
    """What a fresh database of a service holds: the shortener's `links_` links, or so many todos.

    Raises KeyError for a service without a database.
    """
    make, size = {"shortener": (_links, links_), "todo": (_todos, todos)}[service]
    return make(size)


def _links(size: int) -> Dataset:
    return Dataset("links", schema("shortener"), ("hash", "url"), links, size)


def _todos(size: int) -> Dataset:
    return Dataset("todos", schema("todo"), ("id", "title", "completed"), _rows_of_todos, size)


def _rows_of_todos(size: int) -> Iterator[tuple]:
    return ((number, f"Todo number {number}", False) for number in range(1, size + 1))


def schema(service: str) -> str:
    """The SQL that makes the table of a service."""
    return schema_file(service).read_text(encoding="utf-8")


def schema_file(service: str) -> Path:
    """Where this SQL is; not there for a service without a table."""
    return CONTRACTS / service / "schema.sql"


def sql(service: str, links_: int) -> str:
    """A script for `psql`: the table of a service, and what a fresh database holds. Raises KeyError as `dataset`."""
    made = dataset(service, links_)
    rows = (", ".join(_literal(value) for value in row) for row in made.rows())
    values = ",\n".join(f"  ({row})" for row in rows)
    filled = f"insert into {made.table} ({', '.join(made.columns)}) values\n{values};\n" if values else ""
    return f"{made.definition.rstrip()}\n{filled}"


def _literal(value: str | int | bool) -> str:
    return "'{}'".format(value.replace("'", "''")) if isinstance(value, str) else str(value).lower()
