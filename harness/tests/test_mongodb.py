"""Where MongoDB and its stand-in may differ for our servers, on both: docs/explanation/mongodb.md has the table."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pymongo
import pytest
from pymongo.errors import ConnectionFailure, DuplicateKeyError, PyMongoError

from samewire.databases import mongodb
from samewire.datasets import dataset
from samewire.process import RunFolder
from samewire.toolchains import Tool, mongod, mongodb_stand_in

STAND_IN, REAL = "stand-in", "mongod"


@pytest.fixture(params=[STAND_IN, REAL])
def engine(request):
    return request.param


@pytest.fixture
def database(engine, monkeypatch):
    if engine == REAL and not mongod().found:
        pytest.skip(f"no mongod: {mongod().hint}")
    if engine == STAND_IN:
        if not mongodb_stand_in().found:
            pytest.skip(f"no stand-in: {mongodb_stand_in().hint}")
        monkeypatch.setattr(mongodb, "mongod", lambda: Tool("mongod", None, "", ""))
    run = RunFolder()
    with ExitStack() as stack:
        stack.callback(run.remove)
        launched = mongodb.launch(run, links=0, private=True, cpus=None, fsync=False)
        stack.callback(launched.close)
        yield launched


@pytest.fixture
def links(database):
    with pymongo.MongoClient(database.url("shortener"), serverSelectionTimeoutMS=2_000) as client:
        yield client.get_default_database()["links"]


def _hello(links):
    return links.database.client.admin.command("isMaster")


def test_a_stand_in_is_never_called_mongodb(engine, database):
    assert database.stand_in == (engine == STAND_IN)
    assert database.durable == (engine == REAL)
    assert database.label.startswith("MongoDB wire protocol, stand-in" if engine == STAND_IN else "MongoDB 6.")


def test_of_a_hundred_clients_that_insert_one_key_one_wins(links):
    ready = threading.Barrier(20)

    def insert(number):
        ready.wait()
        try:
            links.insert_one({"_id": "abc", "url": f"https://example.com/{number}"})
        except DuplicateKeyError as error:
            return error.code
        return 0

    with ThreadPoolExecutor(20) as pool:
        codes = sorted(pool.map(insert, range(20))) + sorted(pool.map(insert, range(20)))
    assert codes == [0, *[11000] * 39]


def test_only_a_real_one_has_sessions_and_says_when_something_changes(engine, links):
    hello = _hello(links)
    assert ("logicalSessionTimeoutMinutes" in hello) == (engine == REAL)
    assert ("topologyVersion" in hello) == (engine == REAL)


def test_the_version_of_the_wire_protocol(engine, links):
    assert _hello(links)["maxWireVersion"] == {STAND_IN: 9, REAL: 17}[engine]


def test_messages_are_not_compressed(database):
    with pymongo.MongoClient(database.url("shortener"), compressors="zlib") as client:
        assert not client.admin.command("isMaster", compression=["zlib"]).get("compression")


def test_after_a_kill_only_a_real_one_has_what_was_written(engine, database, links):
    links.insert_one({"_id": "abc"})
    # Past the interval at which the journal is written, 100 ms by default.
    links.database.client.admin.command("ping")
    threading.Event().wait(0.5)
    database.kill()
    with pytest.raises(ConnectionFailure):
        links.find_one({})
    database.start()
    assert links.count_documents({}) == (1 if engine == REAL else 0)


def test_what_is_loaded_is_there_again_after_a_stop(database):
    few = dataset("shortener", 100)
    url = database.create("shortener", few)
    database.stop()
    database.start()
    database.reload("shortener", few)
    with pymongo.MongoClient(url) as client:
        assert client.get_default_database()[few.table].count_documents({}) == 100


def test_while_it_stops_a_client_is_answered_or_disconnected(engine, database, links):
    """A real one also answers with errors that mean "not now"; servers give a 503 for both."""
    links.insert_one({"_id": "abc"})
    problems, stopped = [], threading.Event()

    def ask():
        while not stopped.is_set():
            try:
                links.find_one({"_id": "abc"})
            except PyMongoError as error:
                problems.append(error)

    clients = [threading.Thread(target=ask) for _ in range(4)]
    for one in clients:
        one.start()
    database.stop()
    threading.Event().wait(0.2)
    stopped.set()
    for one in clients:
        one.join()
    assert problems
    codes = {getattr(problem, "code", None) for problem in problems if not isinstance(problem, ConnectionFailure)}
    assert codes <= ({91, 11600, 11602} if engine == REAL else set())
