"""LOG: a line for each result on standard output, its JSON as in the body; by default nothing at all."""

import contextlib
import json
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
from lockstep import Lockstep

from randoms import model
from samewire.http import Request, Response
from samewire.manifest import Server
from samewire.outcomes import NOT_OURS
from samewire.process import RunningServer
from samewire.target import Target, stdout_beside
from samewire.testbed import Testbed

pytestmark = pytest.mark.layer("cases")

RESULTS = (
    Request("GET", "/randoms?count=3&seed=2147483647"),
    Request("GET", "/randoms/sync?count=1&seed=1"),
    Request("GET", "/randoms?count=0&seed=1"),
    Request("GET", "/randoms/sync?count=0"),
    Request("GET", "/randoms?count=2000&seed=1"),
    # Coded or not, the line is the JSON.
    Request("GET", "/randoms?count=2000&seed=2", (("Accept-Encoding", "gzip"),)),
    Request("GET", "/randoms/sync?count=100000&seed=3", (("Accept-Encoding", "gzip"),)),
)
OTHERS = (
    Request("GET", "/healthz"),
    Request("GET", "/info"),
    Request("GET", "/randoms?count=x"),
    Request("GET", "/randoms/sync?seed=0"),
)
"""What gives no result, and no line."""

PASSED_ON = "process-pool"
"""Term of the manifest: a process of a pool prints into a pipe, and the manager of the pool writes what comes there."""


def logged(line: str) -> bytes | None:
    """The result that a line holds, as it is pinned: at its end or, if the whole line is JSON, a member or its text."""
    with contextlib.suppress(ValueError):
        value = json.loads(line)
        if isinstance(value, dict) and value.keys() != {"count", "counts"}:
            results = [one for one in map(_result, value.values()) if one]
            return results[0] if len(results) == 1 else None
    return _result(line[start:]) if (start := line.find('{"count')) >= 0 else None


def _result(value: object) -> bytes | None:
    with contextlib.suppress(ValueError):
        value = json.loads(value) if isinstance(value, str) else value
    return model.spelled(value) if isinstance(value, dict) and value.keys() == {"count", "counts"} else None


def ask(target: Target, requests: Iterable[Request]) -> None:
    """AssertionError if an answer is wrong."""
    with Lockstep([target]) as lockstep:
        for request in requests:
            answer = lockstep.ask({target.name: request})[target.name]
            problems = model.judge(request, answer) if isinstance(answer, Response) else [str(answer)]
            assert not problems, f"{target.name}: {request.method} {request.path}: {problems}"


def expected(requests: Iterable[Request]) -> Counter:
    """The lines for these requests, in any order."""
    wanted = filter(None, map(model.asked, requests))
    return Counter(model.result(one.count, one.seed or 1) for one in wanted)


class Log:
    """What a server has written on standard output."""

    def __init__(self, running: RunningServer) -> None:
        self.running = running

    def check(self, wanted: Counter, how: str) -> None:
        """AssertionError unless these lines, and no others, are there."""
        found = Counter(map(logged, self._lines()))
        name = self.running.target.name
        odd = [line[:300] for line in self._lines() if logged(line) not in wanted]
        assert not odd, f"{name}, LOG={how}: lines that are none of the results: {odd[:3]}"
        missing = [(line[:100], times - found[line]) for line, times in wanted.items() if found[line] < times]
        assert not missing, f"{name}, LOG={how}: lines that are missing, and how often: {missing[:5]}"
        over = [(line[:100], times - wanted[line]) for line, times in found.items() if wanted[line] < times]
        assert not over, f"{name}, LOG={how}: lines that are over, and how often: {over[:5]}"
        # A stack may say there that it has started, or that it ends.
        errors = self.running.stderr()
        assert len(errors.splitlines()) <= 5, f"{name}, LOG={how}, on standard error: {errors[:1000]}"

    def _lines(self) -> list[str]:
        text = self.running.stdout()
        # The last may not be whole yet.
        return text[: text.rfind("\n") + 1].splitlines()


def test_a_line_for_each_result(server: Server, testbed: Testbed) -> None:
    loggers = [name.removeprefix("log-") for name in server.variants if name.startswith("log-")]
    assert {"sync", "async"} <= {*loggers}, f"{server.id} has only the loggers {loggers}"
    for how in loggers:
        logs(server, testbed, how)


def logs(server: Server, testbed: Testbed, how: str) -> None:
    """AssertionError if a variant does not write a line for each result, or writes others."""
    running = testbed.start(server, variant=f"log-{how}")
    target, log = running.target, Log(running)
    try:
        # With `sync` a line is there before the answer is; but some lines come by way of a manager, or of an engine.
        at_once = how == "sync" and running.output_is_immediate and server.concurrency != PASSED_ON
        wanted = Counter()
        for request in RESULTS:
            ask(target, [request])
            wanted += expected([request])
            if at_once:
                log.check(wanted, how)
        ask(target, OTHERS)

        # Lines of more than one buffer, written at the same time, do not mix.
        many = [Request("GET", f"/randoms{('', '/sync')[n % 2]}?count={30_000 + n % 5}&seed=9") for n in range(60)]
        with ThreadPoolExecutor(20) as pool:
            list(pool.map(lambda request: ask(target, [request]), many))
        wanted += expected(many)

        last = [Request("GET", f"/randoms?count=500&seed={seed}") for seed in range(1, 41)]
        ask(target, last)
        status = running.stop()
        assert status == server.stop_status, f"{target.name} ended with status {status}"
        # None is lost, and what was no result has left none.
        log.check(wanted + expected(last), how)
    finally:
        running.kill()


def test_nothing_by_default(target: Target) -> None:
    if target.log is None:
        pytest.skip(NOT_OURS)
    ask(target, [*RESULTS, *OTHERS])
    time.sleep(0.5)
    written = stdout_beside(target.log).read_text()
    assert not written, f"{target.name} has written on standard output {written[:1000]}"


def test_lines_are_read_so() -> None:
    result = b'{"count":1,"counts":{"370":1}}'
    text = result.decode()
    for line in (
        text,
        json.dumps(json.loads(text)),
        f"14:00:00 INFO {text}",
        f'{{"level":30,"result":{text}}}',
        json.dumps({"time": 1, "msg": text}),
    ):
        assert logged(line) == result
    for line in ("", "370", '{"level":30}', f'{{"a":{text},"b":{text}}}', f"{text},", f'{{"result":{text}}} x'):
        assert logged(line) is None
    assert logged('{"count":1,"counts":{"371":1}}') != result
