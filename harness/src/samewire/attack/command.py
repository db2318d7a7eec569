"""The command `samewire attack`."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

from rich.console import Console
from rich.markup import escape

from samewire.attack import clients, judge, results, rows
from samewire.attack.rows import Attack
from samewire.contract.wire import HEALTH
from samewire.http import ExchangeError, exchange
from samewire.manifest import Server
from samewire.target import Target
from samewire.testbed import Testbed


class NotAttacked(Exception):
    """There is no such row, or the host is not to be attacked; the message says what to do."""


def attack_servers(
    servers: Sequence[Server], row: str, console: Console, *, at_once: int = 1, update: bool = False
) -> int:
    """Attack servers of ours in full, each row on a process of its own; how many of them did not withstand.

    In small, each row is carried out first, and not judged: a JVM compiles what it runs, and pools are filled.
    Servers that are attacked side by side share the machine: it is harder for each of them. With `update` the results
    are written to their folders. Raises NotAttacked.
    """
    ending, at_once = Event(), min(at_once, len(servers))
    with Testbed() as testbed, ThreadPoolExecutor(at_once) as pool:
        try:
            attack = partial(
                _attack_server, row=row, testbed=testbed, console=console, ending=ending, at_once=at_once, update=update
            )
            return sum(pool.map(attack, servers))
        finally:
            ending.set()  # after Ctrl-C: no thread starts another server


def _attack_server(
    server: Server, *, row: str, testbed: Testbed, console: Console, ending: Event, at_once: int, update: bool
) -> bool:
    """Whether the server did not withstand."""
    known = [one.id for _, attacks in _in_full(server.service, "") for one in attacks]
    fell = False
    for small, attacks in _in_full(server.service, row):
        if ending.is_set():
            break
        running = testbed.start(server)
        before = judge.warm_up(running.target)
        clients.attack(running.target, small)
        verdicts = [_attack(one, running.target, before, console) for one in attacks]
        running.kill()
        fell |= any(verdict.problems for verdict in verdicts)
        if update:
            results.write(server, {one.attack.id: results.of(one, at_once) for one in verdicts}, known)
    return fell


def attack_url(url: str, service: str, row: str, allowed: str | None, console: Console) -> int:
    """Attack a server at a URL; 1 if it did not withstand. Raises NotAttacked."""
    target = Target(url, service, url)
    if not url.startswith("http://"):
        raise NotAttacked(f"{url}: only http:// can be attacked")
    if not _is_loopback(target.host) and allowed != target.host:
        raise NotAttacked(f"{target.host} is not this machine. If you may attack it: --host {target.host}")
    try:
        exchange(target, HEALTH)
    except ExchangeError as error:
        raise NotAttacked(f"{url} does not answer GET /healthz: {error}") from None
    before = judge.resources(target)
    every = [one for _, attacks in _in_full(service, row) for one in attacks]
    return int(any([_attack(one, target, before, console).problems for one in every]))


def _in_full(service: str, row: str) -> list[tuple[Attack, tuple[Attack, ...]]]:
    """The rows that are meant: each in small, and in the sizes that are meant."""
    every = rows.load(service)
    found = [(small, tuple(one for one in full if row in one.id)) for small, full in every]
    if not any(full for _, full in found):
        raise NotAttacked(f"no row of {service} has {row!r} in its id: {', '.join(small.row for small, _ in every)}")
    return [(small, full) for small, full in found if full]


def _attack(one: Attack, target: Target, before: judge.Resources, console: Console) -> judge.Verdict:
    """Attack, and print in a line what came of it."""
    verdict = judge.carry_out([one], target, before)[0]
    mark = "[red]✗[/]" if verdict.problems else "[yellow]•[/]" if verdict.excused else "[green]✓[/]"
    lines = [f"{mark} {escape(target.name)} {escape(one.id)}: {escape(str(verdict))}"]
    lines += [f"    {escape(problem)}" for problem in [*verdict.problems, *verdict.excused]]
    if verdict.excused:
        lines.append(f"    its limit: {escape(judge.limit_of(one, target) or '')}")
    console.print("\n".join(lines), highlight=False, soft_wrap=True)
    return verdict


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
