"""The databases behind the servers: private to this checkout, or ones that are already there.

Each engine is a `Database`: it makes databases of a given name with the links in them, and can be stopped, killed and
started again on the same port. `launch` picks the engine for a manifest's `store`.
"""

from samewire.databases.base import Database, DatabaseError
from samewire.databases.mongodb import launch_mongodb
from samewire.databases.postgresql import launch_postgresql
from samewire.process import RunFolder

URL_VARIABLES = {"postgresql": "POSTGRES_URL", "mongodb": "MONGODB_URL"}
"""The environment variable in which a server of each store finds its database."""

_LAUNCHERS = {"postgresql": launch_postgresql, "mongodb": launch_mongodb}


def launch(store: str, run: RunFolder, *, links: int, private: bool, cpus: set[int] | None = None) -> Database:
    """Start the database for a store and return it ready.

    `links` is the number of links that most databases in it will have (a hint for caching and memory); `private`
    means one of our own even where $POSTGRES_URL or $MONGODB_URL names another (tests stop and kill it).
    Raises DatabaseError.
    """
    return _LAUNCHERS[store](run, links=links, private=private, cpus=cpus)


__all__ = ["URL_VARIABLES", "Database", "DatabaseError", "launch"]
