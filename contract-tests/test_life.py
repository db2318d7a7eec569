"""Servers from start to stop: bad configuration, storms, a graceful end, a database that goes and comes back.

What a service's requests are, `<service>/life.py` says; what their answers are, `<service>/model.py`.
"""

import contextlib
import itertools
import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from life_clients import (
    STOP,
    Asked,
    Client,
    Judge,
    Load,
    all_sorts,
    ask_anew,
    burst,
    complain,
    is_busy,
    last_lines,
    receive,
    takes_connections,
    wait_until,
)

from samewire.databases import URL_VARIABLES, Database
from samewire.datasets import dataset
from samewire.http import Connection, Response, connect
from samewire.manifest import Server
from samewire.process import RunningServer, free_port, session_members
from samewire.settings import Setting, settings
from samewire.target import Target
from samewire.testbed import START_TIMEOUT, Testbed

pytestmark = pytest.mark.layer("life")
has_database = pytest.mark.stores(*URL_VARIABLES)

DEAF = 1.0
"""Seconds after which a server that was told to stop takes no new connections."""
TRIES = 3
"""How often a server is tried that is late for DEAF while more than twice as many threads as cores want to run."""
RECOVERY = 10.0
"""Seconds that a server has to work again once its database is back."""
AWAY = 10.0
"""Seconds for an answer while the database is away: a wait of 5 s for a connection, and one for an answer."""
BUSY = 2.5
"""Seconds for which a database does not answer, though it is not away: longer than an answer may take if it is."""
POOL = 64
"""Clients at once, so that every connection of a server's pool, or every one of its processes, has work."""


# --- processes


@contextlib.contextmanager
def killed_in_the_end(*started: RunningServer) -> Iterator[None]:
    """Leave nothing behind when a test fails."""
    try:
        yield
    finally:
        for running in started:
            running.kill()


def is_read(target: Target, *connections: Connection) -> bool:
    """Whether the server has read every byte that came on these connections to it."""
    server, clients = f":{target.port:04X}", {f":{connection.local_port:04X}" for connection in connections}
    lines = (line for table in ("tcp", "tcp6") for line in Path("/proc/net", table).read_text().splitlines())
    # Thousands are of connections that other tests have closed.
    rows = (line.split() for line in lines if server in line)
    ours = (row for row in rows if row[1].endswith(server) and row[2][-5:] in clients)
    return not any(int(row[4].partition(":")[2], 16) for row in ours)


def resources(pid: int) -> tuple[int, int, int]:
    """Processes, threads and open files of a server."""
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    threads, files = 0, 0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            threads, files = threads + process.num_threads(), files + process.num_fds()
    return len(processes), threads, files


def dependencies(server: Server, testbed: Testbed) -> list[int]:
    """The processes that a server of this testbed asks: its database, or the servers upstream."""
    if server.store in URL_VARIABLES:
        pid = testbed.database(server.store).pid
        assert pid
        return [pid]
    return [testbed.upstream(one.service).pid for one in settings(server.service) if one.service]


@contextlib.contextmanager
def frozen(pids: Sequence[int]) -> Iterator[None]:
    """Nothing in these processes and their children moves: what they are asked stays in flight."""
    stopped: list[psutil.Process] = []
    try:
        for main in map(psutil.Process, pids):
            main.suspend()
            stopped.append(main)
            for child in main.children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.suspend()
                    stopped.append(child)
        yield
    finally:
        for process in reversed(stopped):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()


class StillListening(AssertionError):
    """A server takes new connections though it was told to stop."""


def stops_listening(running: RunningServer, signalled: float) -> None:
    """StillListening if the server takes new connections DEAF seconds after its stop signal."""
    target = running.target
    if wait_until(lambda: not takes_connections(target), signalled + DEAF - time.monotonic()):
        return
    # Whether it is late by little or never stops are two different mistakes.
    late = wait_until(lambda: not takes_connections(target), STOP)
    until = f"until {time.monotonic() - signalled:.2f} s after it" if late else "for as long as it was watched"
    load, *_ = os.getloadavg()
    raise StillListening(
        f"{target.name} takes new connections {DEAF:g} s after its stop signal, {until} (load {load:.1f})."
        f"{last_lines(target)}"
    )


def tried_again(stop: Callable[[], None]) -> None:
    """Stop a server, and one more while it is late on a busy machine; AssertionError after TRIES of them."""
    for late in range(1, TRIES + 1):
        try:
            stop()
        except StillListening as error:
            if late == TRIES or not is_busy():
                raise AssertionError(f"Late {late} times out of {late}, the last time: {error}") from error
        else:
            return


def has_started(running: RunningServer) -> None:
    """Wait until the server starts no more processes: httpd serves, and heeds no signal, while it forks its 64."""
    seen, since = 0, time.monotonic()
    deadline = since + START_TIMEOUT
    while time.monotonic() < min(deadline, since + 0.2):
        now = len(psutil.Process(running.pid).children(recursive=True))
        seen, since = now, since if now == seen else time.monotonic()
        time.sleep(0.02)


def ends_well(running: RunningServer, signalled: float) -> None:
    """AssertionError unless the server ends in time and with the status that its manifest promises."""
    target, promised = running.target, running.target.server.stop_status
    in_time = wait_until(lambda: not running.alive, signalled + STOP - time.monotonic())
    assert in_time, f"{target.name} still runs {STOP:g} s after its stop signal.{last_lines(target)}"
    status = running.wait(0)
    assert status == promised, f"{target.name} ended with status {status} instead of {promised}.{last_lines(target)}"
    alone = wait_until(lambda: not session_members(running.pid), max(1, signalled + STOP - time.monotonic()))
    left = session_members(running.pid)
    assert alone, f"{target.name} ended, and left processes behind: {left}.{last_lines(target)}"


# --- the tests: the longest first, so that the others run beside them


def open_whole_pool(judge: Judge, target: Target) -> None:
    """Every one of a server's processes is asked: each of Apache's opens its connection when it first needs it."""
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(POOL) as pool:
        # None is closed before all are answered: a process that keeps its client takes no other.
        clients = [stack.enter_context(Client(target)) for _ in range(POOL)]
        judge.all_right(pool.map(lambda client: client.ask(judge.life.ASKING[0]), clients), target, "of 64 at once")


def settled_resources(running: RunningServer) -> tuple[int, int, int]:
    """The resources once connections that were closed are gone on the server's side as well."""
    seen = [resources(running.pid)]

    def settled() -> bool:
        time.sleep(0.05)
        seen.append(resources(running.pid))
        return len(set(seen[-4:])) == 1 and len(seen) > 4

    wait_until(settled, 5)
    return seen[-1]


def test_storms(server: Server, testbed: Testbed) -> None:
    judge = Judge(server.service)
    life = judge.life
    running = testbed.start(server)
    target = running.target
    with killed_in_the_end(running):
        racing = burst(target, [life.making(0)], clients=100, each=1)
        judge.all_right(racing, target, "when 100 clients ask for the same at once")
        if life.MAKES:
            made = [life.made(one.answer) for one in racing]
            assert None not in made, f"{target.name} has made nothing for some of 100 clients: {made}"
            assert len(set(made)) == 100, f"{target.name} has made the same twice for 100 clients: {sorted(made)}"
        if server.store in URL_VARIABLES:
            open_whole_pool(judge, target)
        usual = settled_resources(running)
        printed_before = len(running.output().splitlines())

        for number in range(200):
            with connect(target) as connection:
                request = life.making(number).to_bytes(connection.authority)
                connection.send_raw((b"", request[: number // 2], request, request[:-1])[number % 4])
                connection.abort()
        # The second is answered when all is done that they have asked for, even where that waits in a queue.
        after = [ask_anew(target, life.HEALTH), ask_anew(target, life.ASKING[0])]
        judge.all_right(after, target, "after 200 clients have vanished")

        with contextlib.ExitStack() as idle:
            for number in range(100):
                client = idle.enter_context(Client(target))
                client.connect()
                if number % 2:
                    judge.all_right([client.ask(life.HEALTH)], target, f"with {number} idle connections")
            started = time.monotonic()
            judge.all_right([ask_anew(target, life.ASKING[0])], target, "with 100 idle connections")
            took = time.monotonic() - started
            assert took < 5, f"{target.name} lets a new client wait {took:.1f} s when 100 connections are idle"

        # A leak would be of about 200 files; pools may still grow a little.
        limits = [number + slack for number, slack in zip(usual, (5, 5, 50), strict=True)]
        back = wait_until(lambda: all(map(int.__le__, resources(running.pid), limits)), 5)
        now = resources(running.pid)
        assert back, (
            f"{target.name} had (processes, threads, files) {usual} before the storms, and has {now} after them"
        )
        printed = running.output().splitlines()[printed_before:]
        lines = "\n".join(printed)[:2000]
        assert len(printed) <= 5, f"{target.name} is not quiet; while nothing went wrong it printed\n{lines}"

        # The first try is of the server that has lived through it all.
        servers = itertools.chain([running], iter(lambda: testbed.start(server), None))
        tried_again(lambda: stops_with_idle_clients(judge, next(servers)))


def stops_with_idle_clients(judge: Judge, running: RunningServer) -> None:
    """AssertionError unless clients that are idle, or never end, keep a server no longer than STOP, even if it is told
    to stop once more.
    """
    target, life = running.target, judge.life
    with killed_in_the_end(running), contextlib.ExitStack() as clients:
        has_started(running)
        idle = [clients.enter_context(Client(target)) for _ in range(10)]
        judge.all_right([client.ask(life.HEALTH) for client in idle], target, "before the end")
        # Its client never sends the end of this request.
        half_sent = clients.enter_context(connect(target))
        half_sent.send_raw(life.making(0).to_bytes(half_sent.authority)[:-5])
        assert wait_until(lambda: is_read(target, half_sent), 5), f"{target.name} does not read what is sent to it"
        signalled = time.monotonic()
        running.signal(target.server.stop_signal)
        stops_listening(running, signalled)
        running.signal(target.server.stop_signal)
        ends_well(running, signalled)


class Away:
    """A server's own database, which the test takes away and brings back."""

    def __init__(self, server: Server, testbed: Testbed) -> None:
        self.database = testbed.database(server.store)
        self.url = testbed.new_database(server.service, server.store)
        self._dataset = dataset(server.service, testbed.links)

    def bring_back(self) -> None:
        """Start it again, with its data in it."""
        self.database.start()
        self.database.reload(self.url.rpartition("/")[2], self._dataset)


@dataclass(frozen=True)
class Outage:
    """When the database went (from, to), when it was called back, and when all worked again."""

    leaving: float
    away: float
    coming: float
    again: float

    def problems(self, judge: Judge, one: Asked, *, durable: bool) -> list[str]:
        """What is wrong with an answer around the outage."""
        if one.answered <= self.leaving or one.sent >= self.again or one.request in judge.life.NOT_ASKING:
            return late(one) or judge.wrong(one)
        if one.sent >= self.away and one.answered <= self.coming:
            return late(one) or judge.not_unavailable(one)
        # An engine that keeps nothing comes back empty, and is filled again while it is being asked.
        empty_too = not durable and not judge.wrong(one, {})
        return late(one) or ([] if empty_too else judge.not_unavailable(one) and judge.wrong(one))


def late(one: Asked) -> list[str]:
    """A sentence if the answer took too long for an outage."""
    took = one.answered - one.sent
    return [f"took {took:.1f} s"] if took > AWAY else []


def works_again(judge: Judge, target: Target, back: float, when: str) -> float:
    """When it worked again, on every connection of its pool. AssertionError if that is not in time."""
    health = ask_anew(target, judge.life.HEALTH)
    while judge.wrong(health) and time.monotonic() < back + RECOVERY:
        time.sleep(0.02)
        health = ask_anew(target, judge.life.HEALTH)

    def ask(times: int) -> list[Asked]:
        return [one for _ in range(times) for one in burst(target, judge.life.ASKING, POOL, times)]

    # Briefly until all is well, then thoroughly: a burst may by chance not have met the process that has yet to look
    # for its database again, which may take seconds.
    while any(map(judge.wrong, asked := ask(1))) or any(map(judge.wrong, asked := ask(2))):
        if time.monotonic() > back + RECOVERY:
            break
        time.sleep(0.5)
    judge.all_right(asked, target, f"{RECOVERY:g} s after its database came back, which was away {when}")
    return time.monotonic()


@has_database
def test_database_goes_and_returns(server: Server, testbed: Testbed) -> None:
    judge = Judge(server.service)
    life = judge.life
    away = Away(server, testbed)
    running = testbed.start(server, database=away.url)
    target = running.target
    with killed_in_the_end(running):
        kept = burst(target, [life.making(number) for number in range(8)], clients=8, each=1)
        judge.all_right(kept, target, "while all is well")
        durable = away.database.durable
        for how, take_away in {"stopped": away.database.stop, "killed": away.database.kill}.items():
            load = Load(target, all_sorts(life), clients=6, pause=0.02)
            with load:
                load.wait_for(40)
                leaving = time.monotonic()
                take_away()
                gone = time.monotonic()
                load.wait_for(load.clients)
                coming = time.monotonic()
                away.bring_back()
                # A server may take seconds to look for it again: nothing is learnt from asking it all the time.
                load.pause = 0.1
                again = works_again(judge, target, time.monotonic(), f"while it was {how}")
                load.pause = 0.02
                load.wait_for(20)
            assert not load.refused, f"{target.name} refused a connection: {load.refused[0]}{last_lines(target)}"
            outage = Outage(leaving, gone, coming, again)
            judged = (
                (one, outage.problems(judge, one, durable=durable))
                for one in load.asked
                if not (one.dropped and one.reused)
            )
            complain(judged, target, f"around an outage in which the database was {how}", since=leaving)
            for one in kept if durable else ():
                request, data = life.asking_for(one.answer)
                there = ask_anew(target, request)
                complain([(there, judge.wrong(there, data))], target, f"to what it made before it was {how}")
        signalled = time.monotonic()
        running.signal(server.stop_signal)
        ends_well(running, signalled)


@has_database
def test_database_returns_while_nobody_asks(server: Server, testbed: Testbed) -> None:
    """A connection, or a process, that was idle all the while finds its database again at its first request."""
    judge = Judge(server.service)
    away = Away(server, testbed)
    running = testbed.start(server, database=away.url)
    target = running.target
    with killed_in_the_end(running):
        judge.all_right(burst(target, judge.life.ASKING, POOL, 1), target, "while all is well")
        away.database.stop()
        away.bring_back()
        time.sleep(RECOVERY)
        asked = burst(target, judge.life.ASKING, POOL, 1)
        judge.all_right(asked, target, f"{RECOVERY:g} s after its database came back, while nobody asked")
        stops_without_its_database(judge, running, away.database)


def stops_without_its_database(judge: Judge, running: RunningServer, database: Database) -> None:
    """AssertionError unless a server ends in time whose database says nothing more, with requests in flight."""
    target = running.target
    assert database.pid
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(connect(target)) for _ in range(POOL)]
        for connection in waiting:
            assert not judge.model.judge(judge.life.HEALTH, connection.exchange(judge.life.HEALTH))
        stack.enter_context(frozen([database.pid]))
        for number, connection in enumerate(waiting):
            connection.send(judge.life.ASKING[number % len(judge.life.ASKING)])
        assert wait_until(lambda: is_read(target, *waiting), 3), f"{target.name} does not read what is sent to it"
        signalled = time.monotonic()
        running.signal(target.server.stop_signal)
        ends_well(running, signalled)


@has_database
def test_database_away_at_start(server: Server, testbed: Testbed) -> None:
    judge = Judge(server.service)
    life = judge.life
    away = Away(server, testbed)
    away.database.stop()
    running = testbed.spawn(server, database=away.url)
    target = running.target
    with killed_in_the_end(running):
        wait_until(lambda: takes_connections(target) or not running.alive, 20)
        assert running.alive, f"{target.name} does not start while its database is away.{last_lines(target)}"
        asking, not_asking = (*life.ASKING, life.making(0)), life.NOT_ASKING
        with ThreadPoolExecutor(len(asking)) as pool:
            asked = list(pool.map(lambda request: ask_anew(target, request), (*asking, *not_asking)))
        judged = []
        for one in asked:
            wrong = judge.wrong if one.request in not_asking else judge.not_unavailable
            judged.append((one, late(one) or wrong(one)))
        complain(judged, target, "to requests while its database is away, as it was at its start")
        away.bring_back()
        works_again(judge, target, time.monotonic(), "at its start")

        away.database.kill()
        signalled = time.monotonic()
        running.signal(server.stop_signal)
        ends_well(running, signalled)


@pytest.mark.stores("postgresql")
def test_database_busy(server: Server, testbed: Testbed) -> None:
    """Who waits for a connection that others use does not take the database for one that is away."""
    # Only here: it takes a tenth of a worker's start, and most workers need none.
    import psycopg
    from psycopg import sql

    judge = Judge(server.service)
    life = judge.life
    url = testbed.new_database(server.service, server.store)
    running = testbed.start(server, database=url)
    with killed_in_the_end(running), ThreadPoolExecutor(1) as pool:
        requests = [*life.ASKING, *map(life.making, range(len(life.ASKING)))]
        with psycopg.connect(url) as busy:
            table = sql.Identifier(dataset(server.service, testbed.links).table)
            busy.execute(sql.SQL("lock table {} in access exclusive mode").format(table))
            asking = pool.submit(burst, running.target, requests, POOL, 1)
            time.sleep(BUSY)
            busy.rollback()
        asked = asking.result()
        assert max(one.answered - one.sent for one in asked) > BUSY / 2, "nobody had to wait"
        judge.all_right(asked, running.target, f"of a database that was busy for {BUSY:g} s")


@dataclass(frozen=True)
class Failure:
    """Why statements fail on a database that is there: SQL that makes and mends it, and what PostgreSQL says."""

    begin: str
    mend: str
    message: str
    of_reads: bool = False
    """Whether a statement that only reads fails, too."""


def refused(state: str) -> Failure:
    """Each change fails with this SQLSTATE, be there a row or not."""
    return Failure(
        "create function refuse() returns trigger language plpgsql as "
        f"$$ begin raise exception 'refused by a trigger' using errcode = '{state}'; end $$;"
        "create trigger refuse before insert or update or delete on {table} execute function refuse()",
        "drop function refuse cascade",
        "refused by a trigger",
    )


FAILURES = {
    "its table is missing": Failure(
        "alter table {table} rename to missing",
        "alter table missing rename to {table}",
        "does not exist",
        of_reads=True,
    ),
    "a permission is missing": refused("42501"),
    "PostgreSQL has a fault": refused("XX000"),
}
"""Of a server whose database is not away: it answers 500, logs why, and works as soon as the failure is mended."""


def fails_well(
    judge: Judge, running: RunningServer, why: str, cause: AbstractContextManager, message: str, *, of_reads: bool
) -> None:
    """AssertionError unless what fails is a 500 that is logged, and all is well before the cause and after it."""
    target, life = running.target, judge.life
    requests = [one for one in (*life.ASKING, *map(life.making, range(3))) if one != life.HEALTH]
    judge.all_right(burst(target, requests, POOL, 2), target, f"before {why}")
    printed = len(running.output())
    with cause:
        asked = burst(target, requests, POOL, 2)
    again = burst(target, requests, POOL, 2)
    judged = []
    for one in asked:
        fails = of_reads or one.request.method not in ("GET", "HEAD")
        judged.append((one, judge.not_failed(one) if fails else judge.wrong(one)))
    complain(judged, target, f"while {why}")
    told = [one.answer for one in asked if isinstance(one.answer, Response) and message.encode() in one.answer.raw]
    assert not told, f"{target.name} tells its client what the database says: {told[0].raw}"
    logged = wait_until(lambda: message in running.output()[printed:], 5)
    assert logged, f"{target.name} does not log that {why}.{last_lines(target)}"
    judge.all_right(again, target, f"after this was mended: {why}")


@pytest.mark.stores("postgresql")
def test_statements_fail(server: Server, testbed: Testbed) -> None:
    import psycopg
    from psycopg import sql

    url = testbed.new_database(server.service, server.store)
    table = sql.Identifier(dataset(server.service, testbed.links).table)

    @contextlib.contextmanager
    def failing(failure: Failure) -> Iterator[None]:
        database.execute(sql.SQL(failure.begin).format(table=table))
        yield
        database.execute(sql.SQL(failure.mend).format(table=table))

    running = testbed.start(server, database=url)
    with killed_in_the_end(running), psycopg.connect(url, autocommit=True) as database:
        for why, one in FAILURES.items():
            fails_well(Judge(server.service), running, why, failing(one), one.message, of_reads=one.of_reads)


REFUSALS = {"a permission is missing": 13, "MongoDB has a fault": 1}
"""Why MongoDB refuses a command though it is not away, and its code."""


@pytest.mark.stores("mongodb")
def test_commands_fail(server: Server, testbed: Testbed) -> None:
    from refusing_mongodb import Relay

    url = urlsplit(testbed.new_database(server.service, server.store))
    assert url.hostname
    assert url.port
    with Relay(url.hostname, url.port) as relay:
        running = testbed.start(server, database=url._replace(netloc=f"127.0.0.1:{relay.port}").geturl())
        with killed_in_the_end(running):
            for why, code in REFUSALS.items():
                refusing = relay.refusing(code, "refused on the way")
                fails_well(Judge(server.service), running, why, refusing, "refused on the way", of_reads=True)


def test_graceful_stop(server: Server, testbed: Testbed) -> None:
    tried_again(lambda: stops_gracefully(server, testbed))


def stops_gracefully(server: Server, testbed: Testbed) -> None:
    """AssertionError unless a server under load loses no request when it is told to stop, and ends in time."""
    judge = Judge(server.service)
    life = judge.life
    running = testbed.start(server)
    target, requests = running.target, all_sorts(life)
    with killed_in_the_end(running):
        has_started(running)
        with contextlib.ExitStack() as stack:
            clients = [
                stack.enter_context(Load(target, requests, 8)),
                stack.enter_context(Load(target, requests, 4, False)),
            ]
            for load in clients:
                load.wait_for(40)
            # Half a head is no request yet: only one with a body can be in flight and not yet whole.
            halves = [life.making(number) for number in range(4)] if life.MAKES else []
            slow = [(stack.enter_context(connect(target)), request) for request in halves]
            slow_sent = time.monotonic()
            for connection, request in slow:
                connection.send_raw(request.to_bytes(connection.authority)[:-5])
            in_flight = [(stack.enter_context(connect(target)), life.ASKING[n % len(life.ASKING)]) for n in range(16)]
            # So that none still waits to be accepted when it matters. At once: they may not be idle for long.
            with ThreadPoolExecutor(len(in_flight)) as pool:
                list(pool.map(lambda one: one[0].exchange(life.HEALTH), in_flight))
            with frozen(dependencies(server, testbed)):
                sent = time.monotonic()
                for connection, request in in_flight:
                    connection.send(request)
                assert wait_until(lambda: is_read(target, *(one for one, _ in in_flight)), 1), (
                    f"{target.name} does not read what is sent to it"
                )
                signalled = time.monotonic()
                running.signal(server.stop_signal)
                # What is in flight may not stay frozen for long: a server does not wait for its database forever.
                wait_until(lambda: not takes_connections(target), 0.3)
                for connection, request in slow:
                    connection.send_raw(request.to_bytes(connection.authority)[-5:])
            stops_listening(running, signalled)
            finished = [receive(connection, request, sent) for connection, request in in_flight]
            finished += [receive(connection, request, slow_sent) for connection, request in slow]
            judge.all_right(finished, target, "to requests that were in flight when it was told to stop")
            ends_well(running, signalled)
        asked = [one for load in clients for one in load.asked]
        # A connection that is closed before any byte may be tried again if it was used before; what becomes of a new
        # one that nobody has accepted yet is the stack's own.
        lost = (one for one in asked if not (one.dropped and (one.reused or one.answered > signalled)))
        complain(((one, judge.wrong(one)) for one in lost), target, "under load around its stop", since=signalled)


def test_stop_while_starting(server: Server, testbed: Testbed) -> None:
    """SIGTERM ends a server whose port is not open yet: it does not open it later, and leaves nothing running."""
    url = testbed.new_database(server.service, server.store) if server.store in URL_VARIABLES else None
    began = time.monotonic()
    with killed_in_the_end(testbed.start(server, database=url)):
        to_start = time.monotonic() - began
    for part in (0.4, 0.8):
        running = testbed.spawn(server, database=url)
        with killed_in_the_end(running):
            time.sleep(part * to_start)
            running.signal(signal.SIGTERM)
            ended = wait_until(lambda running=running: not session_members(running.pid), STOP)
            when = f"{STOP:g} s after SIGTERM at {part:.0%} of its start"
            assert ended, f"{running.target.name} still runs {when}.{last_lines(running.target)}"


def unusable(setting: Setting) -> tuple[str, ...]:
    """Values that a server must refuse."""
    if setting.kind == "folder":
        return ("/nowhere/at/all", "/etc/passwd", "")
    if setting.kind == "upstream":
        return ("nonsense", "ftp://127.0.0.1:1", "http://")
    if setting.kind == "choice":
        return (setting.values[-1].upper(), "")
    return ("12x", str(setting.minimum - 1), "")


def bad_environments(server: Server, taken: int) -> dict[str, tuple[dict[str, str | None], str]]:
    """What is wrong → the environment that is so, and what the server's line must name."""
    bad: dict[str, tuple[dict[str, str | None], str]] = {
        "no PORT": ({"PORT": None}, "PORT"),
        "PORT is no number": ({"PORT": "80a"}, "PORT"),
        "PORT is 0": ({"PORT": "0"}, "PORT"),
        "PORT is negative": ({"PORT": "-1"}, "PORT"),
        "PORT is 65536": ({"PORT": "65536"}, "PORT"),
        "PORT is taken": ({"PORT": str(taken)}, str(taken)),
        # 203.0.113.0/24 is for documentation: no machine has such an address.
        "HOST is not ours": ({"HOST": "203.0.113.1"}, "203.0.113.1"),
    }
    if variable := URL_VARIABLES.get(server.store):
        bad |= {
            f"no {variable}": ({variable: None}, variable),
            f"{variable} of another scheme": ({variable: "http://127.0.0.1:1/a"}, variable),
            f"{variable} is no URL": ({variable: "nonsense"}, variable),
        }
    for setting in settings(server.service):
        values = (None, *unusable(setting)) if setting.required else unusable(setting)
        bad |= {f"{setting.name} is {value!r}": ({setting.name: value}, setting.name) for value in values}
    return bad


def _plain(text: str) -> str:
    """Letters and digits alone: a stack has its own spelling of the same name (`POSTGRES_URL`, `postgres.url`)."""
    return re.sub("[^a-z0-9]", "", text.lower())


@pytest.mark.timeout(300)
def test_bad_configuration(server: Server, testbed: Testbed) -> None:
    url = testbed.database(server.store).url("none") if server.store in URL_VARIABLES else None
    # Nobody is asked, so that no upstream need run.
    upstreams = {one.name: "http://127.0.0.1:1" for one in settings(server.service) if one.kind == "upstream"}

    def problems_with(what: str, env: dict[str, str | None], named: str) -> Iterator[str]:
        running = testbed.spawn(server, database=url, env=upstreams | env)
        with killed_in_the_end(running):
            # One that listens all the same has not refused: it need not be waited for as long as one that starts.
            reachable = not {"PORT", "HOST"} & env.keys()
            wait_until(lambda: not running.alive or (reachable and takes_connections(running.target)), START_TIMEOUT)
            if not wait_until(lambda: not running.alive, 2):
                yield f"{what}: still runs, and does not name {named}"
                return
            status, printed = running.wait(0), running.output()
            if status == 0:
                yield f"{what}: exit status 0"
            if _plain(named) not in _plain(printed):
                yield f"{what}: nothing that it printed names {named}, but {printed[-1000:]!r}"

    # Two at once: their time is that of a start, and other tests start servers as well.
    with socket.create_server(("127.0.0.1", free_port())) as taken, ThreadPoolExecutor(2) as pool:
        bad = bad_environments(server, taken.getsockname()[1])
        found = pool.map(lambda item: list(problems_with(item[0], *item[1])), bad.items())
        problems = [problem for several in found for problem in several]
    assert not problems, "\n".join([f"{server.id}:", *problems])
