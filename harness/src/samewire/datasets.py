"""What a fresh database of a service holds: a table (in MongoDB a collection) and its rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from samewire.links import links
from samewire.manifest import find_servers


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

    Raises NoSchema, and KeyError for a service without a database.
    """
    make, size = {"shortener": (_links, links_), "todo": (_todos, todos)}[service]
    return make(size)


def _links(size: int) -> Dataset:
    definition = 'create table links (hash text collate "C" primary key, url text not null)'
    return Dataset("links", definition, ("hash", "url"), links, size)


def _todos(size: int) -> Dataset:
    return Dataset("todos", schema("todo"), ("id", "title", "completed"), _rows_of_todos, size)


def _rows_of_todos(size: int) -> Iterator[tuple]:
    return ((number, f"Todo number {number}", False) for number in range(1, size + 1))


class NoSchema(Exception):
    """No server of a service says what its table is."""


def schema(service: str) -> str:
    """The SQL that makes the table of a service: the `schema.sql` beside the first of its servers that has one.

    All servers of a service ask the same table; a test of the harness holds their files to each other. Raises NoSchema.
    """
    for server in find_servers():
        file = server.folder / "schema.sql"
        if server.service == service and file.exists():
            return file.read_text()
    raise NoSchema(f"no server of {service} has a schema.sql, which makes its table")
