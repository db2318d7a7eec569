"""MongoDB: $MONGODB_URL, else a real mongod of this machine, else the stand-in."""

import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import pymongo
from pymongo.errors import PyMongoError

from samewire.databases.base import Database, DatabaseError
from samewire.datasets import Dataset, dataset
from samewire.process import (
    RunFolder,
    Spawned,
    StopTimeout,
    free_port,
    hand_over,
    unprivileged_user,
    wait_for_port,
)
from samewire.toolchains import WITHOUT_C2, mongod, mongodb_stand_in, tool

_BATCH = 10_000
_RACE_LINKS = 100_000


class MongoDB(Database):
    """A server that speaks MongoDB's protocol at `server_url`."""

    kind = "mongodb"

    def __init__(self, server_url: str, version: str | None = None) -> None:
        """`server_url` ends before the database's name; `version` as the launcher knows it, else as the server says."""
        self._server_url = server_url
        info = self._client().server_info()
        self.version = version or info["version"]
        self.label = f"MongoDB {self.version}"
        # What only speaks the protocol says a version as well; mongod alone says what it was built from.
        if not version and "gitVersion" not in info:
            self.stand_in = True
            self.label = f"MongoDB wire protocol, unknown stand-in at {server_url}"

    def _client(self) -> pymongo.MongoClient:
        return pymongo.MongoClient(self._server_url, serverSelectionTimeoutMS=10_000)

    def url(self, name: str) -> str:
        return f"{self._server_url}/{name}"

    def create(self, name: str, dataset: Dataset) -> str:
        self.drop(name)
        self._load(name, dataset)
        return self.url(name)

    def reload(self, name: str, dataset: Dataset) -> None:
        if not self.durable:
            # It came back empty. To drop what clients already write to makes the stand-in answer with errors.
            self._load(name, dataset)

    def _load(self, name: str, dataset: Dataset) -> None:
        with self._client() as client:
            for documents in dataset.documents(_BATCH):
                client[name][dataset.table].insert_many(documents, ordered=False)

    def drop(self, name: str) -> None:
        with self._client() as client:
            client.drop_database(name)

    def start(self) -> None:
        raise DatabaseError(f"{self._server_url} is not ours to start")

    def stop(self) -> None:
        raise DatabaseError(f"{self._server_url} is not ours to stop")

    kill = stop

    def close(self) -> None:
        """Nothing to do: it is not ours."""


class PrivateMongoDB(MongoDB):
    """A server of our own on a loopback port: `argv` starts it, with {port} filled in."""

    ours = True

    def __init__(self, run: RunFolder, argv: list[str], log: Path, version: str, cpus: set[int] | None) -> None:
        self._run, self._log, self._cpus = run, log, cpus
        self.host, self.port = "127.0.0.1", free_port()
        self._argv = [word.replace("{port}", str(self.port)) for word in argv]
        self._server: Spawned | None = None
        self.start()
        super().__init__(f"mongodb://{self.host}:{self.port}", version)

    def start(self) -> None:
        self._server = Spawned(self._argv, run=self._run, log=self._log, user=unprivileged_user(), cpus=self._cpus)
        self.pid = self._server.pid
        if not wait_for_port(self.port, 30, lambda: self._server.alive):
            self._server.kill()
            raise DatabaseError(f"{self._argv[0]} did not start on port {self.port}:\n{self._server.output()[-2000:]}")

    def stop(self) -> None:
        if self._server and self._server.alive:
            self._server.signal(signal.SIGTERM)
            try:
                self._server.wait(20)
            except StopTimeout:
                self._server.kill()
        self.pid = None

    def kill(self) -> None:
        if self._server:
            self._server.kill()
        self.pid = None

    def close(self) -> None:
        """End it at once: what it holds is deleted with the run."""
        self.kill()


class StandIn(PrivateMongoDB):
    """mongo-java-server, in memory: proves conformance, is never called MongoDB in a figure."""

    stand_in = True
    durable = False

    def __init__(self, run: RunFolder, links: int, cpus: set[int] | None, options: Sequence[str] | None = None) -> None:
        """Behind a few `links` it serves tests. `options` of the JVM, in place of the archive of its classes."""
        java, jar = tool("jdk").path, tool("mongodb-stand-in").path
        assert java
        # About 3 KB for each document; collection by one thread, since the machine's cores are for the servers.
        heap = f"-Xmx{512 + links * 5 // 1000}m"
        compiler = [WITHOUT_C2] if links < _RACE_LINKS else []
        if options is None:
            options = [f"-XX:SharedArchiveFile={_archive(jar)}", "-Xlog:cds=off,cds+dynamic=off"]
        argv = [str(java / "bin/java"), heap, "-XX:+UseSerialGC", *compiler, *options]
        argv += ["-jar", str(jar), "127.0.0.1", "{port}"]
        super().__init__(run, argv, run.folder("mongodb-stand-in") / "log", mongodb_stand_in().version, cpus)
        self.label = f"MongoDB wire protocol, stand-in mongo-java-server {self.version}, in memory, not durable"


def _archive(jar: Path) -> Path:
    return jar.with_suffix(".jsa")


def archive_classes() -> None:
    """Write the archive of classes with which the stand-in starts for two thirds of the processor time."""
    jar = tool("mongodb-stand-in").path
    assert jar
    run = RunFolder()
    try:
        folder = run.folder("classes")
        hand_over(folder)
        written = _archive(folder / jar.name)
        stand_in = StandIn(run, 0, None, [f"-XX:ArchiveClassesAtExit={written}"])
        try:
            stand_in.create("training", dataset("shortener", 100))
        finally:
            stand_in.stop()
        shutil.copyfile(written, _archive(jar))
    finally:
        run.remove()


def stands_in() -> bool:
    """Whether launch would start the stand-in."""
    return not os.environ.get("MONGODB_URL") and not mongod().found


def needs() -> list[str]:
    """The tools that launch needs for a database that is not private."""
    return ["mongodb-stand-in"] if stands_in() else []


def launch(run: RunFolder, *, links: int, private: bool, cpus: set[int] | None, fsync: bool) -> Database:
    """$MONGODB_URL, else a private mongod, else the stand-in; neither waits for the disk, whatever `fsync` says.

    Raises DatabaseError or ToolMissing.
    """
    if (given := os.environ.get("MONGODB_URL")) and not private:
        server_url = given.rstrip("/")
        if server_url.count("/") == 3:
            server_url = server_url.rpartition("/")[0]
        try:
            return MongoDB(server_url)
        except PyMongoError as error:
            raise DatabaseError(f"MONGODB_URL: cannot connect to {server_url}: {error}") from error
    if mongod().found:
        folder = run.folder("mongodb")
        hand_over(folder)
        argv = [str(mongod().path), "--dbpath", str(folder), "--port", "{port}", "--bind_ip", "127.0.0.1"]
        # Nobody uses its Unix socket, whose path may be too long here. Figures are of messages as they are sent, not of
        # their compression.
        argv += ["--nounixsocket", "--networkMessageCompressors", "disabled"]
        log = folder.parent / f"{folder.name}.log"
        return PrivateMongoDB(run, argv, log, mongod().version, cpus)
    return StandIn(run, links, cpus)
