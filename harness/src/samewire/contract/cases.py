"""Cases: data that says what is sent and the exact answer that must come (contract-tests/README.md explains the words).

`load` turns the files of a service into `Case` objects with everything filled in but the values that a server chooses;
`run` plays one against a server; `report` says what was wrong in a way that can be read.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from samewire.contract import json_values
from samewire.contract.compare import ANY, PROBLEM, differences, response_problems, side_by_side
from samewire.contract.files import ContractError, no_doubles, read
from samewire.http import PATIENCE, Connection, ConnectionClosed, ExchangeError, Request, Response, connect
from samewire.paths import CONTRACTS
from samewire.target import Target

PAUSE = 0.02
"""Seconds between two pieces of a request that is sent in pieces, while no answer has come."""

PROBE = Request("GET", "/healthz")
"""Asked at the end of every case on every connection that should still be usable: what a wrong answer left behind
(a body after HEAD, too small a Content-Length) is found here, in the case that caused it."""

_PLACEHOLDER = re.compile(r"\$\{([a-z][a-z0-9_]*)\}")
_NAMED_STRING = re.compile(f'"{_PLACEHOLDER.pattern}"')
# Python 3.11 has the names of these two from before RFC 9110.
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}


@dataclass(frozen=True)
class Answer:
    """An expected answer. Header values and text may hold `${name}` of values that the server chooses."""

    name: str
    """As answers.yaml calls it; for one spelled out in the case, its kind."""
    status: int
    headers: tuple[tuple[str, str], ...]
    text: str | None
    """The body; None if the contract says nothing of it."""
    value: Any = None
    """Of a JSON body the value, with its placeholders."""

    def response(self, values: Mapping[str, str], method: str) -> Response:
        """What must come, with `values` filled in; without its body for HEAD."""
        headers = tuple((name, _bound(value, values)) for name, value in self.headers)
        unknown = self.text is None or set(_PLACEHOLDER.findall(self.text)) - values.keys()
        body = ANY if unknown else _bound(self.text, values).encode()
        return Response(self.status, title(self.status), "HTTP/1.1", headers, b"" if method == "HEAD" else body)

    def names(self) -> set[str]:
        """The names of values to be bound."""
        return {name for text in (*(value for _, value in self.headers), self.text or "") for name in _names(text)}


@dataclass(frozen=True)
class Step:
    """Send, then expect. The request may hold `${name}` of values bound in an earlier step."""

    request: Request
    answer: Answer | None
    """None in the atlas: what comes is the stack's own."""
    connection: str = ""
    pieces: int = 1


@dataclass(frozen=True)
class Case:
    """One case, or one example of it. `id` is `theme/id` or `theme/id[example]`."""

    service: str
    id: str
    why: str
    steps: tuple[Step, ...]
    bind: Mapping[str, str] = field(default_factory=dict)
    clients: int = 1

    @property
    def group(self) -> str:
        """`theme/id`, the same for all examples of a case."""
        return self.id.partition("[")[0]


@dataclass(frozen=True)
class Failure:
    """What was wrong with the answer to a step, or of the case as a whole (`step` 0)."""

    step: int
    problems: tuple[str, ...]
    request: Request | None = None
    expected: Response | None = None
    actual: Response | None = None


def title(status: int) -> str:
    """The standard reason phrase."""
    return _TITLES.get(status) or HTTPStatus(status).phrase


def answers(service: str, root: Path = CONTRACTS) -> dict[str, Any]:
    """The named answers of a service. ContractError if the file is wrong."""
    return read(root / service / "answers.yaml", "answers.schema.json")["answers"]


@cache
def load(service: str, root: Path = CONTRACTS) -> tuple[Case, ...]:
    """All cases of a service, by file and place in it. ContractError for whatever is wrong with the files."""
    named = answers(service, root)
    folder = root / service / "cases"
    cases: list[Case] = []
    for path in sorted(folder.glob("*.yaml")):
        for entry in read(path, "case.schema.json")["cases"]:
            for example, variables in entry.get("examples", {"": {}}).items():
                case_id = f"{path.stem}/{entry['id']}" + (f"[{example}]" if example else "")
                try:
                    cases.append(from_entry(service, case_id, entry, variables, named))
                except ValueError as error:
                    raise ContractError(f"{path}: case {case_id}: {error}") from error
    no_doubles(folder, "case", (case.id for case in cases))
    return tuple(cases)


def run(case: Case, target: Target, *, timeout: float = PATIENCE) -> list[Failure]:
    """Play a case against a server; `timeout` (seconds) is for each answer. Empty if all was as it should be."""
    if case.clients == 1:
        failures, values = _play(case, target, timeout)
        return failures + _doubled([values])
    start = threading.Barrier(case.clients)

    def client(_: int) -> tuple[list[Failure], dict[str, str]]:
        start.wait()
        return _play(case, target, timeout)

    with ThreadPoolExecutor(case.clients) as pool:
        outcomes = list(pool.map(client, range(case.clients)))
    return [failure for failures, _ in outcomes for failure in failures] + _doubled([values for _, values in outcomes])


def report(case: Case, target: Target, failures: list[Failure]) -> str:
    """What went wrong: every mismatch, the request as curl, expected and got side by side, the server's last lines."""
    lines = [f"{case.service} case {case.id} fails on {target.name}", f"why: {case.why}"]
    for failure in failures[:5]:
        place = f"step {failure.step} of {len(case.steps)}" if failure.step else "the case as a whole"
        lines += ["", f"{place}:", *(f"  - {problem}" for problem in failure.problems)]
        if failure.request and failure.expected:
            columns = {"expected": failure.expected}
            if failure.actual:
                columns["got"] = failure.actual
            shown = side_by_side(failure.request, columns, url=target.url, merge=False)
            lines += ["", *(f"  {line}" for line in shown.splitlines())]
    if len(failures) > 5:
        lines += ["", f"… and {len(failures) - 5} more failures"]
    if last := target.last_lines():
        lines += ["", f"last lines of {target.name}:", last]
    return "\n".join(lines)


# -------------------------------------------------------------------------------------------------- from data to cases


def from_entry(service: str, case_id: str, entry: dict, variables: dict, named: dict[str, Any]) -> Case:
    """The case that an entry of a file describes, with the values of one of its examples. Raises ValueError."""
    bind = entry.get("bind", {})
    variables = {name: _filled(value, {}, bind) for name, value in variables.items()}
    for name, value in entry.get("let", {}).items():
        variables[name] = _filled(value, variables, bind)
    steps = tuple(_step(step, variables, bind, named) for step in entry.get("steps", [entry]))
    patterns = {name: next(iter(one.values())) if isinstance(one, dict) else one for name, one in bind.items()}
    return Case(service, case_id, entry["why"], steps, patterns, entry.get("clients", 1))


def _step(entry: dict, variables: dict[str, Any], bind: Mapping[str, Any], named: dict[str, Any]) -> Step:
    send = _filled(entry["send"], variables, bind)
    send = {"request": send} if isinstance(send, str) else send
    expect = entry.get("expect")
    return Step(
        _request(send),
        None if expect is None else _answer(expect, variables, bind, named),
        entry.get("connection", ""),
        send.get("pieces", 1),
    )


def _request(send: dict[str, Any]) -> Request:
    method, separator, target = _text(send["request"]).partition(" ")
    if not separator:
        raise ValueError(f"no request-target in {method!r}")
    headers = _headers(send.get("headers", {}))
    body = None
    if len(send.keys() & {"json", "text", "bytes"}) > 1:
        raise ValueError("more than one body")
    if "json" in send:
        body = _json(send["json"]).encode()
        if all(name.lower() != "content-type" for name, _ in headers):
            headers = (*headers, ("Content-Type", "application/json"))
    elif "text" in send:
        body = _text(send["text"]).encode()
    elif "bytes" in send:
        body = _text(send["bytes"]).encode("latin-1")
    if "chunked" in send and body is not None:
        headers = (*headers, ("Transfer-Encoding", "chunked"))
        chunks = (b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in _pieces(body, send["chunked"]))
        body = b"".join(chunks) + b"0\r\n\r\n"
    return Request(method, target, headers, body)


def _answer(
    expect: str | dict[str, Any], variables: Mapping[str, Any], bind: Mapping[str, Any], named: dict[str, Any]
) -> Answer:
    name, given = (expect, {}) if isinstance(expect, str) else next(iter(expect.items()))
    given = _filled(given, variables, bind)
    kind, content = name, given
    if name in named:
        kind, content = next(iter(named[name].items()))
        needed = set(_PLACEHOLDER.findall(json.dumps(content)))
        if unknown := given.keys() - needed:
            raise ValueError(f"answer {name} has no {', '.join(sorted(unknown))}")
        # What the case does not give, the server chooses.
        content = _filled(content, given, bind)
    status, headers = content.get("status"), _headers(content.get("headers", {}))
    if kind == "status":
        return Answer(name, status, headers, None)
    if kind == "empty":
        return Answer(name, status, headers, "")
    if kind == "json":
        text = _NAMED_STRING.sub(lambda match: _as_bound(match, bind), _json(content["value"]))
        return Answer(name, status, (("Content-Type", "application/json"), *headers), text, content["value"])
    if kind == "problem":
        body = _json({"title": title(status), "status": status, "detail": "…"})
        return Answer(name, status, (("Content-Type", PROBLEM), *headers), body)
    if kind == "exactly":
        return Answer(name, status, headers, _text(content["text"]))
    raise ValueError(f"there is no answer {name}")


def _as_bound(match: re.Match[str], bind: Mapping[str, Any]) -> str:
    """A JSON string that is all a bound value: without its quotation marks if that is a number."""
    return match[0][1:-1] if isinstance(bind.get(match[1]), dict) else match[0]


def _filled(value: Any, variables: Mapping[str, Any], bind: Mapping[str, Any]) -> Any:
    """`value` with `${name}` replaced everywhere, once; names that are still to be bound stay."""
    if isinstance(value, dict):
        return {key: _filled(each, variables, bind) for key, each in value.items()}
    if isinstance(value, list):
        filled = [_filled(each, variables, bind) for each in value]
        return _text(filled) if any(map(_is_repetition, filled)) else filled
    if not isinstance(value, str):
        return value
    if (whole := _PLACEHOLDER.fullmatch(value)) and whole[1] in variables:
        return variables[whole[1]]

    def one(match: re.Match[str]) -> str:
        if match[1] in variables:
            return _text(variables[match[1]])
        if match[1] in bind:
            return match[0]
        raise ValueError(f"nothing is called {match[1]}")

    return _PLACEHOLDER.sub(one, value)


def _is_repetition(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"repeat", "times"}


def _text(value: Any) -> str:
    """A text, or its parts put together."""
    if isinstance(value, list):
        return "".join(map(_text, value))
    if isinstance(value, dict):
        return value["repeat"] * value["times"]
    return str(value)


def _headers(given: dict[str, Any] | list[list[Any]]) -> tuple[tuple[str, str], ...]:
    pairs = given.items() if isinstance(given, dict) else given
    return tuple((name, _text(value)) for name, value in pairs)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _pieces(data: bytes, count: int) -> list[bytes]:
    """`data` in up to `count` pieces of nearly the same size, none empty."""
    size = max(1, -(-len(data) // count))
    return [data[start : start + size] for start in range(0, len(data), size)]


# --------------------------------------------------------------------------------------------------- playing a case


def _play(case: Case, target: Target, timeout: float) -> tuple[list[Failure], dict[str, str]]:
    """One client's way through the case: failures, and the values that the server chose."""
    failures: list[Failure] = []
    values: dict[str, str] = {}
    connections: dict[str, Connection] = {}
    try:
        for number, step in enumerate(case.steps, 1):
            request = bound_request(step.request, values)
            actual, problems = None, []
            try:
                connection, actual = exchange_on(
                    connections.get(step.connection), target, request, step.pieces, timeout
                )
                connections[step.connection] = connection
            except ExchangeError as error:
                problems.append(f"no answer: {error}")
            else:
                problems += response_problems(actual, request)
                problems += bind_values(step.answer, actual, case.bind, values)
                if excess := connection.settle():
                    problems.append(f"{len(excess)} bytes after the end of the answer, beginning {excess[:60]!r}")
            expected = step.answer.response(values, request.method)
            if actual:
                problems += differences(expected, actual, request=request)
            if problems:
                failures.append(Failure(number, tuple(problems), request, expected, actual))
                if not actual or case.bind.keys() - values.keys():
                    return failures, values
            if actual and "close" in ",".join(actual.values("Connection")).lower():
                connections.pop(step.connection).close()
        failures += _probe(connections)
        return failures, values
    finally:
        for connection in connections.values():
            connection.close()


def exchange_on(
    connection: Connection | None, target: Target, request: Request, pieces: int, timeout: float
) -> tuple[Connection, Response]:
    """The response, and the connection over which it came: a new one if the server had closed the given one."""
    if connection:
        try:
            return connection, _send_and_receive(connection, request, pieces)
        except ConnectionClosed as error:
            connection.close()
            # A reused connection that is closed before any byte of a response may be tried again (RFC 9112, 9.3.1).
            if error.received:
                raise
    connection = connect(target, timeout)
    try:
        return connection, _send_and_receive(connection, request, pieces)
    except ExchangeError:
        connection.close()
        raise


def _send_and_receive(connection: Connection, request: Request, pieces: int) -> Response:
    if pieces == 1:
        return connection.exchange(request)
    for number, piece in enumerate(_pieces(request.to_bytes(connection.authority), pieces)):
        if number:
            # As a client that reads while it sends: a reset would take an early answer from one that does not.
            connection.settle(PAUSE)
        try:
            connection.send_raw(piece)
        except ConnectionClosed:
            if not connection.unread:
                raise
            break
    return connection.receive(request.method)


def bind_values(answer: Answer, actual: Response, bind: Mapping[str, str], values: dict[str, str]) -> list[str]:
    """Bind what the answer is the first to show, into `values`; what could not be bound is a problem."""
    for name, template in answer.headers:
        for shown in actual.values(name)[:1]:
            _bind_text(template, shown, bind, values)
    if answer.value is not None:
        with contextlib.suppress(json_values.NotJson):
            _bind_json(answer.value, json_values.parse(actual.body), bind, values)
    elif answer.text:
        _bind_text(answer.text, actual.body.decode("utf-8", "replace"), bind, values)
    return [f"{name}: no value that matches {bind[name]}" for name in sorted(answer.names() - values.keys())]


def _bind_json(template: object, shown: object, bind: Mapping[str, str], values: dict[str, str]) -> None:
    if isinstance(template, dict) and isinstance(shown, dict):
        for name in template.keys() & shown.keys():
            _bind_json(template[name], shown[name], bind, values)
    elif isinstance(template, list) and isinstance(shown, list):
        for one, other in zip(template, shown, strict=False):
            _bind_json(one, other, bind, values)
    elif isinstance(template, str) and isinstance(shown, str | json_values.Number):
        _bind_text(template, str(shown), bind, values)


def _bind_text(template: str, shown: str, bind: Mapping[str, str], values: dict[str, str]) -> None:
    names = [name for name in _names(template) if name not in values]
    if names and (match := re.fullmatch(_pattern(template, bind, values), shown)):
        values.update({name: match[name] for name in names})


def _pattern(template: str, bind: Mapping[str, str], values: Mapping[str, str]) -> str:
    """A regular expression for the template, with a group for each name that is not bound yet."""
    parts, seen, end = [], set(), 0
    for match in _PLACEHOLDER.finditer(template):
        name = match[1]
        parts.append(re.escape(template[end : match.start()]))
        if name in values:
            parts.append(re.escape(values[name]))
        else:
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>{bind[name]})")
        seen.add(name)
        end = match.end()
    return "".join([*parts, re.escape(template[end:])])


def _probe(connections: Mapping[str, Connection]) -> list[Failure]:
    """Whether every connection still works, with nothing in it that nobody asked for."""
    failures = []
    for connection in connections.values():
        try:
            answer = connection.exchange(PROBE)
            problem = "" if answer.status == 200 else f"status {answer.status}"
        except ExchangeError as error:
            closed = isinstance(error, ConnectionClosed) and not error.received
            problem = "" if closed else str(error)
        if problem:
            failures.append(Failure(0, (f"{PROBE.path} on the same connection afterwards: {problem}",)))
    return failures


def _doubled(clients: list[dict[str, str]]) -> list[Failure]:
    """A failure if the server chose a value twice."""
    chosen = [value for values in clients for value in values.values()]
    doubled = sorted({value for value in chosen if chosen.count(value) > 1})
    return [Failure(0, (f"chosen more than once by the server: {', '.join(doubled)}",))] if doubled else []


def _names(text: str) -> list[str]:
    return _PLACEHOLDER.findall(text)


def _bound(template: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], f"<{match[1]}>"), template)


def bound_request(request: Request, values: Mapping[str, str]) -> Request:
    """The request with the values that were bound in it."""
    if not values:
        return request
    body = request.body
    if body is not None and b"${" in body:
        body = _bound(body.decode("latin-1"), values).encode("latin-1")
    headers = tuple((name, _bound(value, values)) for name, value in request.headers)
    return replace(request, path=_bound(request.path, values), headers=headers, body=body)
