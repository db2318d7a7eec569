"""The same request to every server at the same time, on keep-alive connections."""

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Self

from samewire.contract.compare import side_by_side
from samewire.contract.wire import says_close
from samewire.http import PATIENCE, Connection, ConnectionClosed, ExchangeError, Request, Response, connect
from samewire.outcomes import Blamed
from samewire.target import Target


class Lockstep:
    """One keep-alive connection to each target; all are asked before any answer is awaited."""

    def __init__(self, targets: Iterable[Target], timeout: float = PATIENCE) -> None:
        self.targets = {target.name: target for target in targets}
        self._timeout = timeout
        self._connections: dict[str, Connection] = {}

    def ask(self, requests: Mapping[str, Request]) -> dict[str, Response | ExchangeError]:
        """What each target answered to its own request; what went wrong where there was no whole answer."""
        reused = set(self._connections)
        refused = {name: self._send(name, request) for name, request in requests.items()}
        answers: dict[str, Response | ExchangeError] = {}
        for name, request in requests.items():
            answer = self._receive(name, request, refused[name])
            # A server may close an idle connection while the next request is on its way (RFC 9112, 9.5).
            if isinstance(answer, ConnectionClosed) and not answer.received and name in reused:
                answer = self._receive(name, request, self._send(name, request))
            answers[name] = answer
        return answers

    def hang_up(self) -> None:
        """Close all connections; the next request opens new ones."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def blame(
        self, problems: Mapping[str, list[str]], request: Request, columns: Mapping[str, Response], note: str = ""
    ) -> Blamed:
        """What to raise: who is wrong and how, the request with the columns side by side, what the wrong printed last.

        At least one target has a problem.
        """
        wrong = [name for name in problems if problems[name]]
        lines = [f"{name}: {problem}" for name in wrong for problem in problems[name]]
        lines += [*([f"({note})"] if note else []), "", side_by_side(request, columns, url=self.targets[wrong[0]].url)]
        for name in wrong:
            if log := self.targets[name].last_lines(10):
                lines += ["", f"the last lines of {name}:", log]
        return Blamed("\n".join(lines), wrong)

    def _send(self, name: str, request: Request) -> ExchangeError | None:
        try:
            if name not in self._connections:
                self._connections[name] = connect(self.targets[name], self._timeout)
            self._connections[name].send(request)
        except ExchangeError as error:
            return error
        return None

    def _receive(self, name: str, request: Request, refused: ExchangeError | None) -> Response | ExchangeError:
        if name not in self._connections:
            return refused or ConnectionClosed("not connected")
        connection, keep = self._connections[name], False
        try:
            # A server may answer and close before it has read everything: what it answered counts.
            answer: Response | ExchangeError = connection.receive(request.method)
            keep = not refused and not connection.unread and not says_close(answer)
            if connection.unread:
                answer = ExchangeError(
                    f"more bytes than the {answer.status} answer has", answer.raw + connection.unread
                )
        except ExchangeError as error:
            answer = error
        if not keep:
            self._connections.pop(name).close()
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hang_up()
