"""PostgreSQL: a private cluster per command, copied from a cached one that has the links loaded."""

import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
from psycopg import sql

from samewire import datasets
from samewire import links as links_module
from samewire.databases.base import Database, DatabaseError
from samewire.datasets import Dataset
from samewire.locking import exclusive
from samewire.paths import CACHE
from samewire.process import (
    RunFolder,
    Spawned,
    StopTimeout,
    free_port,
    hand_over,
    unprivileged_user,
    wait_for_port,
)
from samewire.toolchains import postgresql, tool

USER = "samewire"
SETTINGS = {"listen_addresses": "127.0.0.1", "max_connections": "500", "shared_buffers": "256MB", "jit": "off"}
"""Durability settings are PostgreSQL's defaults, unless asked otherwise. No query is worth compiling: `jit` is off."""
NO_FSYNC = {"fsync": "off", "full_page_writes": "off"}
"""What is acknowledged outlives the processes, but not the machine (PostgreSQL's manual, "Non-Durable Settings")."""

_LONGEST_SOCKET_PATH = 107


def _fill(url: str, dataset: Dataset) -> None:
    table, columns = sql.Identifier(dataset.table), sql.SQL(", ").join(map(sql.Identifier, dataset.columns))
    with psycopg.connect(url) as connection:
        connection.execute(dataset.definition)
        if not dataset.size:
            return
        with connection.cursor().copy(sql.SQL("copy {} ({}) from stdin").format(table, columns)) as copy:
            for row in dataset.rows():
                copy.write_row(row)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("vacuum (analyze, freeze) {}").format(table))


class PostgreSQL(Database):
    """A PostgreSQL server that answers at `server_url`, made by us or by somebody else."""

    kind = "postgresql"

    def __init__(self, server_url: str, template_links: int | None = None) -> None:
        """`server_url` ends before the database's name; `template_links`: a database `links_N` is there to copy."""
        self._server_url = server_url
        self._template_links = template_links
        with self._administer() as connection:
            self.version = connection.info.parameter_status("server_version").split()[0]
        self.label = f"PostgreSQL {self.version}"

    def _administer(self) -> psycopg.Connection:
        return psycopg.connect(f"{self._server_url}/postgres", autocommit=True, connect_timeout=10)

    def url(self, name: str) -> str:
        return f"{self._server_url}/{name}"

    def create(self, name: str, dataset: Dataset) -> str:
        self.drop(name)
        with self._administer() as connection:
            database = sql.Identifier(name)
            if dataset.table == "links" and dataset.size == self._template_links:
                template = sql.Identifier(f"links_{dataset.size}")
                connection.execute(
                    sql.SQL("create database {} template {} strategy file_copy").format(database, template)
                )
                return self.url(name)
            connection.execute(
                sql.SQL("create database {} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'").format(
                    database
                )
            )
        _fill(self.url(name), dataset)
        return self.url(name)

    def drop(self, name: str) -> None:
        with self._administer() as connection:
            connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))

    def start(self) -> None:
        raise DatabaseError(f"{self._server_url} is not ours to start")

    def stop(self) -> None:
        raise DatabaseError(f"{self._server_url} is not ours to stop")

    kill = stop

    def close(self) -> None:
        """Nothing to do: it is not ours."""


class PrivatePostgreSQL(PostgreSQL):
    """A cluster of our own in a run folder: loopback only, not as root."""

    ours = True

    def __init__(
        self, run: RunFolder, folder: Path, *, template_links: int | None, cpus: set[int] | None, fsync: bool = True
    ) -> None:
        self._run, self._folder, self._cpus = run, folder, cpus
        self._settings = SETTINGS if fsync else SETTINGS | NO_FSYNC
        self.host, self.port = "127.0.0.1", free_port()
        self._server: Spawned | None = None
        self.start()
        super().__init__(f"postgres://{USER}@{self.host}:{self.port}", template_links)

    def start(self) -> None:
        binaries = tool("postgresql").path
        assert binaries
        socket = self._folder / f".s.PGSQL.{self.port}"
        sockets = self._folder if len(str(socket)) <= _LONGEST_SOCKET_PATH else ""
        settings = {**self._settings, "port": str(self.port), "unix_socket_directories": str(sockets)}
        (self._folder / "postmaster.pid").unlink(missing_ok=True)
        log = self._folder.parent / f"{self._folder.name}.log"
        self._server = Spawned(
            [str(binaries / "bin/postgres"), "-D", str(self._folder)]
            + [word for name, value in settings.items() for word in ("-c", f"{name}={value}")],
            run=self._run, log=log, cwd=self._folder, user=unprivileged_user(), cpus=self._cpus,
        )  # fmt: skip
        self.pid = self._server.pid
        _wait_until_ready(self._server, f"postgres://{USER}@127.0.0.1:{self.port}/postgres")

    def stop(self) -> None:
        # SIGINT is PostgreSQL's fast stop: it closes the connections and writes a checkpoint.
        self._end(lambda server: server.signal(signal.SIGINT))

    def kill(self) -> None:
        self._end(lambda server: server.kill())

    def close(self) -> None:
        """Stop without a checkpoint: the files are deleted with the run."""
        self._end(lambda server: server.signal(signal.SIGQUIT))

    def _end(self, how: Callable[[Spawned], None]) -> None:
        if self._server and self._server.alive:
            how(self._server)
            try:
                self._server.wait(20)
            except StopTimeout:
                self._server.kill()
        self.pid = None


def _wait_until_ready(server: Spawned, url: str) -> None:
    port = int(url.rpartition(":")[2].partition("/")[0])
    if wait_for_port(port, 20, lambda: server.alive):
        for _ in range(400):
            try:
                psycopg.connect(url, connect_timeout=5).close()
                return
            except psycopg.OperationalError:  # "the database system is starting up"
                if not server.alive:
                    break
                time.sleep(0.05)
    server.kill()
    raise DatabaseError(f"PostgreSQL did not start on port {port}:\n{server.output()[-2000:]}")


def _template(run: RunFolder, links: int) -> Path:
    """The cached cluster with a database `links_N`; made at the first call, which takes some seconds for a million."""
    binaries, version = tool("postgresql").path, postgresql().version
    assert binaries
    sources = (links_module.__file__, datasets.__file__, __file__)
    digest = hashlib.sha256(b"".join(Path(source).read_bytes() for source in sources)).hexdigest()[:12]
    template = CACHE / f"postgresql-{version}-links-{links}-{digest}"
    with exclusive(CACHE / "postgresql.lock"):
        if template.exists():
            return template
        for old in CACHE.glob(f"postgresql-*-links-{links}-*"):
            shutil.rmtree(old)
        made = run.folder("initdb")
        hand_over(made)
        done = subprocess.run(
            [binaries / "bin/initdb", "-D", made, "-U", USER, "-A", "trust", "--encoding=UTF8", "--locale=C"],
            cwd=made, user=unprivileged_user(), extra_groups=[] if unprivileged_user() else None,
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            raise DatabaseError(
                f"initdb failed in {made}:\n{done.stderr}"
                "PostgreSQL does not run as root. Is every folder above it open to other users? "
                "In a wheel, XDG_CACHE_HOME names another folder."
            )
        cluster = PrivatePostgreSQL(run, made, template_links=None, cpus=None)
        try:
            cluster.create(f"links_{links}", datasets.dataset("shortener", links))
        finally:
            cluster.stop()
        made.rename(template)
    return template


def stands_in() -> bool:
    """Whether launch would start a stand-in: there is none."""
    return False


def needs() -> list[str]:
    """The tools that launch needs for a database that is not private."""
    return [] if os.environ.get("POSTGRES_URL") else ["postgresql"]


def launch(run: RunFolder, *, links: int, private: bool, cpus: set[int] | None, fsync: bool) -> Database:
    """$POSTGRES_URL, else a private cluster. Raises DatabaseError or ToolMissing."""
    if (given := os.environ.get("POSTGRES_URL")) and not private:
        server_url = given.rstrip("/")
        if server_url.count("/") == 3:
            server_url = server_url.rpartition("/")[0]
        try:
            return PostgreSQL(server_url)
        except psycopg.OperationalError as error:
            raise DatabaseError(f"POSTGRES_URL: cannot connect to {server_url}: {error}") from error
    template = _template(run, links)
    # Whoever does not wait for the disk needs none.
    folder = run.folder("postgresql", in_memory=not fsync)
    folder.rmdir()
    subprocess.run(["cp", "-a", "--reflink=auto", template, folder], check=True)
    return PrivatePostgreSQL(run, folder, template_links=links, cpus=cpus, fsync=fsync)
