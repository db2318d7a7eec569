"""Clients of a server whose life is tested, and what is wrong with the answers that they get."""

import contextlib
import importlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from types import ModuleType

from samewire.contract.compare import differences, response_problems
from samewire.contract.wire import says_close
from samewire.http import PATIENCE, Connection, ConnectionClosed, ExchangeError, Request, Response, connect
from samewire.target import Target

STOP = 10.0
"""Seconds that a server has to end after its stop signal."""


# --- asking


@dataclass(frozen=True)
class Asked:
    """One request and what came of it; times are monotonic seconds."""

    request: Request
    answer: Response | ExchangeError
    sent: float
    answered: float
    reused: bool

    @property
    def dropped(self) -> bool:
        """Whether the connection was closed before any byte of an answer."""
        return isinstance(self.answer, ConnectionClosed) and not self.answer.received


def receive(connection: Connection, request: Request, sent: float, *, reused: bool = False) -> Asked:
    """Receive the answer to a request that was sent."""
    try:
        answer: Response | ExchangeError = connection.receive(request.method)
    except ExchangeError as error:
        answer = error
    return Asked(request, answer, sent, time.monotonic(), reused)


def patience(service: str) -> float:
    """Seconds for an answer of the service."""
    return getattr(importlib.import_module(f"{service}.life"), "PATIENCE", PATIENCE + 2)


class Client:
    """Asks on one connection as long as the server keeps it."""

    def __init__(self, target: Target, *, keep_alive: bool = True) -> None:
        self._target, self._keep_alive = target, keep_alive
        self._connection: Connection | None = None
        self._used = False

    def connect(self) -> None:
        """Open a connection if there is none. Raises ExchangeError."""
        if self._connection is None:
            self._connection, self._used = connect(self._target, patience(self._target.service)), False

    def ask(self, request: Request) -> Asked:
        """Ask, on a new connection if need be."""
        sent, reused = time.monotonic(), self._used
        try:
            self.connect()
            sent, reused = time.monotonic(), self._used
            assert self._connection
            self._connection.send(request)
        except ExchangeError as error:
            self.close()
            return Asked(request, error, sent, time.monotonic(), reused)
        asked = receive(self._connection, request, sent, reused=reused)
        self._used = True
        kept = isinstance(asked.answer, Response) and not says_close(asked.answer)
        if not (kept and self._keep_alive):
            self.close()
        return asked

    def close(self) -> None:
        """Close the connection."""
        if self._connection:
            self._connection.close()
        self._connection, self._used = None, False

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ask_anew(target: Target, request: Request) -> Asked:
    """Ask on a connection of its own."""
    with Client(target) as client:
        return client.ask(request)


@dataclass
class Load:
    """Clients that ask one request after the other until told to end, or until nobody takes a connection any more."""

    target: Target
    request_of: Callable[[int], Request]
    clients: int
    keep_alive: bool = True
    pause: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    refused: list[ExchangeError] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)
    _ending: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "Load":
        self._pool = ThreadPoolExecutor(self.clients)
        self._runs = [self._pool.submit(self._run) for _ in range(self.clients)]
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._pool.shutdown()
        for run in self._runs:
            run.result()

    def wait_for(self, answers: int, seconds: float = 15.0) -> None:
        """Wait until there are so many answers to requests sent from now on."""
        now = time.monotonic()
        enough = wait_until(lambda: sum(one.sent > now for one in self.asked[-2 * answers :]) >= answers, seconds)
        assert enough, f"no {answers} answers within {seconds:g} s.{last_lines(self.target)}"

    def _run(self) -> None:
        with Client(self.target, keep_alive=self.keep_alive) as client:
            while not self._ending.is_set():
                try:
                    client.connect()
                except ExchangeError as error:
                    self.refused.append(error)
                    return
                self.asked.append(client.ask(self.request_of(next(self._numbers))))
                self._ending.wait(self.pause)


def all_sorts(life: ModuleType) -> Callable[[int], Request]:
    """Requests of all sorts by their number, every fourth of which makes something."""
    others = [*life.ASKING, *life.NOT_ASKING]
    return lambda number: life.making(number) if number % 4 == 3 else others[number * 3 // 4 % len(others)]


def burst(target: Target, requests: Sequence[Request], clients: int, each: int) -> list[Asked]:
    """So many clients, connected at the same time, each for so many requests."""
    connected = threading.Barrier(clients, timeout=PATIENCE)

    def one_client(number: int) -> list[Asked]:
        with Client(target) as client:
            with contextlib.suppress(ExchangeError):  # `ask` will tell.
                client.connect()
            connected.wait()
            return [client.ask(requests[(number + turn) % len(requests)]) for turn in range(each)]

    with ThreadPoolExecutor(clients) as pool:
        return [one for asked in pool.map(one_client, range(clients)) for one in asked]


# --- judging


class Judge:
    """Says what is wrong with the answers of one server."""

    def __init__(self, service: str) -> None:
        self.model = importlib.import_module(f"{service}.model")
        self.life = importlib.import_module(f"{service}.life")

    def wrong(self, one: Asked, data: Mapping[str, str] | None = None) -> list[str]:
        """What is wrong with an answer while all is well; `data` is what the database holds, if not what was loaded."""
        if isinstance(one.answer, ExchangeError):
            return [str(one.answer)]
        return self.model.judge(one.request, one.answer, *([] if data is None else [data]))

    def not_unavailable(self, one: Asked) -> list[str]:
        """What is wrong with an answer while the database is away, to a request that needs it."""
        return self._not(self.model.unavailable(one.request), one)

    def not_failed(self, one: Asked) -> list[str]:
        """What is wrong with an answer for which a statement has failed."""
        return self._not(self.model.problem(500), one)

    def _not(self, expected: Response, one: Asked) -> list[str]:
        if isinstance(one.answer, ExchangeError):
            return [str(one.answer)]
        problems = response_problems(one.answer, one.request)
        return problems + differences(expected, one.answer, request=one.request, names=("contract", "server"))

    def all_right(self, asked: Iterable[Asked], target: Target, when: str) -> None:
        """AssertionError with the first few answers that are wrong."""
        complain(((one, self.wrong(one)) for one in asked), target, when)


def complain(judged: Iterable[tuple[Asked, list[str]]], target: Target, when: str, since: float | None = None) -> None:
    """AssertionError that shows the first few requests with problems, if there are any."""
    bad = [(one, problems) for one, problems in judged if problems]
    if not bad:
        return
    zero = bad[0][0].sent if since is None else since
    lines = [f"{target.name}: {len(bad)} wrong answers {when}, among them"]
    for one, problems in bad[:4]:
        times = f"sent at {one.sent - zero:+.3f} s, over after {one.answered - one.sent:.3f} s"
        lines += ["", one.request.as_curl(target.url), f"({times}, {'a reused' if one.reused else 'a new'} connection)"]
        lines += [*problems, f"received: {one.answer.raw if isinstance(one.answer, Response) else one.answer}"]
    raise AssertionError("\n".join(lines) + last_lines(target))


def last_lines(target: Target) -> str:
    """The end of the server's output, as the end of a message."""
    return f"\nThe server's last lines:\n{target.last_lines() or '(none)'}"


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition comes true in time; looks every few milliseconds, and once when the time is over.

    A look may take its time: one that began before the end does not tell that the condition came too late.
    """
    end = time.monotonic() + seconds
    over = False
    while not condition():
        if over:
            return False
        time.sleep(0.005)
        over = time.monotonic() > end
    return True


def takes_connections(target: Target) -> bool:
    """Whether somebody listens."""
    with contextlib.suppress(ExchangeError), connect(target, 1):
        return True
    return False


def is_busy() -> bool:
    """Whether the machine has more than two processes for each core: what is late then may be late by that."""
    load, *_ = os.getloadavg()
    return load > 2 * (os.cpu_count() or 1)
