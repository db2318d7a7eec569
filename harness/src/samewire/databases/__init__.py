"""The databases behind the servers: private to this checkout, or ones that are already there.

Each engine is a `Database`: it makes databases of a given name with the links in them, and can be stopped, killed and
started again on the same port. `launch` picks the engine for a manifest's `store`.
"""

import importlib

from samewire.databases.base import Database, DatabaseError
from samewire.process import RunFolder

URL_VARIABLES = {"postgresql": "POSTGRES_URL", "mongodb": "MONGODB_URL"}
"""The environment variable in which a server of each store finds its database."""


def launch(
    store: str, run: RunFolder, *, links: int, private: bool, cpus: set[int] | None = None, fsync: bool = True
) -> Database:
    """Start the database for a store and return it ready.

    `links` is the number of links that most databases in it will have (a hint for caching and memory); `private`
    means one of our own even where $POSTGRES_URL or $MONGODB_URL names another (tests stop and kill it).
    Without `fsync` no commit waits for the disk, in an engine of our own that lets one choose.
    Raises DatabaseError.
    """
    # Only here: drivers take a while to load, and most commands need none.
    engine = importlib.import_module(f"samewire.databases.{store}")
    return engine.launch(run, links=links, private=private, cpus=cpus, fsync=fsync)


def stands_in(store: str) -> bool:
    """Whether launch would start a stand-in for a store. Never for one that is no database."""
    return store in URL_VARIABLES and importlib.import_module(f"samewire.databases.{store}").stands_in()


def needs(store: str) -> list[str]:
    """The tools that launch needs for a store. None for one that is no database."""
    return importlib.import_module(f"samewire.databases.{store}").needs() if store in URL_VARIABLES else []


__all__ = ["URL_VARIABLES", "Database", "DatabaseError", "launch", "needs", "stands_in"]
