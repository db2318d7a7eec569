"""The one-shot jobs of docker-compose.yml that fill the servers' databases: `python -m samewire.containers.data`.

Each argument is STORE:SERVICE:DATABASE. The stores' servers are in $POSTGRES_URL and $MONGODB_URL, without a database's
name. $SAMEWIRE_LINKS is how many links each database of the shortener gets. What is filled already stays as it is.
"""

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import cache

import psycopg
import pymongo
from psycopg import sql

from samewire.databases import URL_VARIABLES
from samewire.databases.mongodb import MongoDB
from samewire.databases.postgresql import PostgreSQL
from samewire.datasets import Dataset, dataset

LINKS = 10_000
Wanted = tuple[str, Dataset]
"""A database's name and what is to be in it."""
Say = Callable[[str], None]


@cache
def _last_key(data: Dataset) -> object:
    """The key of the row that is written last; None without rows."""
    last = deque(data.rows(), maxlen=1)
    return last[0][0] if last else None


def fill(store: str, server_url: str, wanted: Iterable[Wanted], say: Say) -> None:
    """Fill those databases of a store's server that are not filled yet, with a line about each."""
    {"postgresql": _fill_postgresql, "mongodb": _fill_mongodb}[store](server_url, wanted, say)


def _fill_postgresql(server_url: str, wanted: Iterable[Wanted], say: Say) -> None:
    server = PostgreSQL(server_url)
    with psycopg.connect(f"{server_url}/postgres") as connection:
        there = {name for (name,) in connection.execute("select datname from pg_database")}

    def is_filled(name: str, data: Dataset) -> bool:
        if name not in there:
            return False
        table, key = sql.Identifier(data.table), sql.Identifier(data.columns[0])
        with psycopg.connect(f"{server_url}/{name}") as connection:
            if connection.execute("select to_regclass(%s)", [data.table]).fetchone() == (None,):
                return False
            if data.size == 0:
                return True
            found = connection.execute(
                sql.SQL("select 1 from {} where {} = %s").format(table, key), [_last_key(data)]
            ).fetchone()
            return found is not None

    for name, data in wanted:
        if is_filled(name, data):
            say(f"{name}: filled already")
            continue
        template = f"links_{data.size}"
        if data.table == "links" and not is_filled(template, data):
            _timed(template, data, server.create, say)
            there.add(template)
        _timed(name, data, PostgreSQL(server_url, template_links=data.size).create, say)


def _fill_mongodb(server_url: str, wanted: Iterable[Wanted], say: Say) -> None:
    server = MongoDB(server_url)
    with pymongo.MongoClient(server_url) as client:
        for name, data in wanted:
            last = {"_id": _last_key(data)}
            if data.size and client[name][data.table].find_one(last):
                say(f"{name}: filled already")
            else:
                _timed(name, data, server.create, say)


def _timed(name: str, data: Dataset, create: Callable[[str, Dataset], str], say: Say) -> None:
    began = time.monotonic()
    create(name, data)
    say(f"{name}: {data.size:,} rows of {data.table} in {time.monotonic() - began:.1f} s")


def main(arguments: Iterable[str]) -> None:
    """Fill what the arguments name."""
    links = int(os.environ.get("SAMEWIRE_LINKS") or LINKS)
    wanted: dict[str, list[Wanted]] = {}
    for argument in arguments:
        store, service, name = argument.split(":")
        wanted.setdefault(store, []).append((name, dataset(service, links)))
    for store, databases in wanted.items():
        fill(store, os.environ[URL_VARIABLES[store]].rstrip("/"), databases, lambda line: print(line, flush=True))


if __name__ == "__main__":
    main(sys.argv[1:])
