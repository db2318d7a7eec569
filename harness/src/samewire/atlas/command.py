"""The command `samewire atlas`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from rich.console import Console

from samewire.atlas import inputs, mutants, pins, run
from samewire.attack import judge
from samewire.manifest import Server
from samewire.testbed import Testbed

AT_ONCE = 2
"""Servers that are asked side by side."""
LEFT_SECONDS = 75.0
"""Seconds after which nothing of the mutants is left: a server may wait 60 s for a request that is not whole."""


def ask_servers(servers: Sequence[Server], console: Console, *, update: bool) -> int:
    """Ask the servers all their inputs; write the pins with `update`; how many servers are not as they should be."""
    return _tell(servers, console, lambda one, testbed: _ask(one, testbed, update=update))


def send_mutants(servers: Sequence[Server], console: Console, number: int, seed: int) -> int:
    """Send each server so many mutants of its inputs; to how many servers one was not safe."""
    return _tell(servers, console, lambda one, testbed: _send_mutants(one, testbed, number, seed))


def _tell(servers: Sequence[Server], console: Console, judge: Callable[[Server, Testbed], list[str]]) -> int:
    bad = 0
    with Testbed(brief=True) as testbed, ThreadPoolExecutor(AT_ONCE) as pool:
        for server, lines in zip(servers, pool.map(lambda one: judge(one, testbed), servers), strict=True):
            console.print(f"[{'red' if lines else 'green'}]{'✗' if lines else '✓'}[/] {server.id}", highlight=False)
            for line in lines:
                console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)
            bad += bool(lines)
    return bad


def _send_mutants(server: Server, testbed: Testbed, number: int, seed: int) -> list[str]:
    """What was not safe, and what the server has not given back, in lines."""
    running = testbed.start(server)
    before = judge.warm_up(running.target)
    outcome = mutants.send_all(mutants.mutants(server.service, seed, number), running.target)
    left = judge.not_given_back(running.target, before, time.monotonic() + LEFT_SECONDS)
    running.stop()
    return [*mutants.told(outcome), *left]


def _ask(server: Server, testbed: Testbed, *, update: bool) -> list[str]:
    """What is wrong with a server, in lines; empty if it is safe and as pinned."""
    running = testbed.start(server)
    outcome = run.ask_all(inputs.load(server.service), running.target, testbed)
    running.stop()
    if update:
        new = pins.Pins()
        new.add(outcome.asked)
        pins.write(server, new)
        return run.told(outcome, tuple(server.stack), running.target.url)
    changed = pins.read(server).differences(outcome.asked)
    if changed:
        changed.append(f"If that is right: samewire atlas {server.argument} --update")
    return run.told(outcome, tuple(server.stack), running.target.url, changed)
