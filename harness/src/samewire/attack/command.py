"""The command `samewire attack`."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from samewire.attack import judge, rows
from samewire.attack.rows import Attack
from samewire.lab import Lab
from samewire.manifest import Server
from samewire.target import Target


class NotLoopback(Exception):
    """The host is another machine, and was not named as one to attack; the message says what to do."""


def attack_servers(servers: Sequence[Server], row: str, console: Console) -> int:
    """Attack servers of ours in full, each row on a process of its own; how many of them did not withstand."""
    bad = 0
    with Lab() as lab:
        for server in servers:
            console.print(f"[bold]{server.id}[/]", highlight=False)
            problems = 0
            for attacks in _in_full(server.service, row):
                running = lab.start(server)
                judge.warm_up(running.target)
                problems += sum(_attack(one, running.target, console) for one in attacks)
                running.kill()
            bad += bool(problems)
    return bad


def attack_url(url: str, service: str, row: str, allowed: str | None, console: Console) -> int:
    """Attack a server at a URL; 1 if it did not withstand. Raises NotLoopback."""
    target = Target(url, service, url)
    if not _is_loopback(target.host) and allowed != target.host:
        raise NotLoopback(f"{target.host} is not this machine. If you may attack it: --host {target.host}")
    return int(any([_attack(one, target, console) for attacks in _in_full(service, row) for one in attacks]))


def _in_full(service: str, row: str) -> list[tuple[Attack, ...]]:
    return [full for small, full in rows.load(service) if row in small.row]


def _attack(one: Attack, target: Target, console: Console) -> bool:
    """Whether the server did not withstand; a line says what came of it."""
    verdict = judge.carry_out([one], target)[0]
    limit = one.limit_of(tuple(target.server.stack)) if target.server else None
    mark = "[red]✗[/]" if verdict.problems else "[yellow]•[/]" if limit and verdict.starved else "[green]✓[/]"
    console.print(f"{mark} {escape(one.id)}: {escape(str(verdict))}", highlight=False, soft_wrap=True)
    if limit and verdict.starved:
        console.print(f"    others waited {verdict.starved:.1f} s in all: {limit}", markup=False, highlight=False)
    for problem in verdict.problems:
        console.print(f"    {problem}", markup=False, highlight=False, soft_wrap=True)
    return bool(verdict.problems)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
