"""What every database engine can do for the harness."""

from abc import ABC, abstractmethod

from samewire.datasets import Dataset


class DatabaseError(Exception):
    """A database did not start, or refused; the message says what to do."""


class Database(ABC):
    """One running database server."""

    kind: str
    """`postgresql` or `mongodb`, as in manifests."""
    version: str
    label: str
    """How tables and reports name it; a stand-in is called one here."""
    stand_in = False
    durable = True
    """Whether what was acknowledged is still there after `kill` and `start`."""
    host: str
    port: int
    ours = False
    """Whether it is a process of our own, which a test may stop, and of which nothing is left when it closes."""
    pid: int | None = None
    """Of its main process, where that is on this machine; None while one of ours is stopped."""

    @abstractmethod
    def url(self, name: str) -> str:
        """The URL of the database of that name."""

    @abstractmethod
    def create(self, name: str, dataset: Dataset) -> str:
        """Make a fresh database with the dataset in it and return its URL."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Delete a database."""

    def reload(self, name: str, dataset: Dataset) -> None:
        """Load the dataset again after `start`, where the engine lost it."""
        if not self.durable:
            self.create(name, dataset)

    @abstractmethod
    def start(self) -> None:
        """Start it again on the port it had. Raises DatabaseError."""

    @abstractmethod
    def stop(self) -> None:
        """Stop it in order: connections are closed by the server."""

    @abstractmethod
    def kill(self) -> None:
        """End all its processes by SIGKILL."""

    @abstractmethod
    def close(self) -> None:
        """Stop it for good."""
