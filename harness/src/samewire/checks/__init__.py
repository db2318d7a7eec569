"""What `make lint` and `make test` run, and the one table at their end."""

import random
import time
from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape

from samewire.checks.job import LAST_LINES, Check, print_checks, run_all
from samewire.checks.races import race_all
from samewire.checks.static import lint_all, lint_jobs, unit_test_jobs
from samewire.manifest import Server, find_servers
from samewire.outcomes import keep_outcomes, last_outcomes
from samewire.record import fresh_pass
from samewire.table import print_outcomes

__all__ = ["Check", "lint_all", "print_checks", "test_all"]


def _judge(console: Console, servers: list[Server], *, again: bool) -> Check:
    """Run the suite on those servers that have no fresh record of a pass; on all of them if `again`."""
    from samewire.suite import run_suite

    names = tuple(server.id for server in servers if again or not fresh_pass(server))
    if unchanged := len(servers) - len(names):
        console.print(f"{unchanged} of {len(servers)} servers are unchanged since they passed: ", end="")
        console.print("samewire test --again judges them, too", highlight=False)
    if not names:
        keep_outcomes([])
        return Check("contract suite", 0.0, unchanged=True)
    started = time.monotonic()
    status = run_suite(console, names, faults=True, table=False)
    failures = last_outcomes()["failures"]
    told = [f"{len(failures)} failed, among them" if failures else "it could not be run\nsee above"]
    problem = "\n".join(told + failures[: LAST_LINES - 1]) if status else ""
    return Check("contract suite", time.monotonic() - started, problem)


def _passed_before(servers: Iterable[Server], judged: Iterable[str]) -> dict[str, dict[str, dict[str, int]]]:
    """Server → layer → outcome → number, by the records of servers that were not judged now."""
    records = {server.id: fresh_pass(server) for server in servers if server.id not in judged}
    return {name: record["layers"] for name, record in records.items() if record}


def test_all(console: Console, *, again: bool, seed: int | None) -> int:
    """Everything that must hold; prints one table at its end; 0 when all is well, else 1.

    What has passed, and has not changed since, is left out; with `again`, servers are judged all the same. `seed` draws
    the servers of the races and the one whose folder is deleted; a fresh one is drawn by default, and printed.
    """
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    console.rule("Linters and unit tests", align="left")
    # Those that take longest come first.
    checks = run_all(console, [*unit_test_jobs(), *lint_jobs()])
    console.rule("Contract suite", align="left")
    servers = find_servers()
    suite = _judge(console, servers, again=again)
    checks.append(suite)
    console.rule("Race", align="left")
    if suite.problem:
        checks.append(Check("races in small", 0.0, "not run: only servers that are proven identical race"))
    else:
        console.print(f"servers are drawn by seed {seed}: samewire test --seed {seed}", highlight=False)
        checks += race_all(console, servers, seed)
    console.rule("All of it", align="left")
    print_checks(console, checks)
    last = last_outcomes()
    last["outcomes"] |= _passed_before(servers, last["outcomes"])
    print_outcomes(console, last)
    failed = [check for check in checks if check.problem]
    for check in failed:
        # Once more, briefly: it may be far above, and of a long log often only the end is kept.
        console.print(f"[red]✗[/] {escape(check.name)}", highlight=False)
        for line in check.problem.rstrip().splitlines()[-LAST_LINES:]:
            console.print(line[: 2 * console.width], markup=False, highlight=False)
    console.print(f"checks: {len(checks) - len(failed)} passed, {len(failed)} failed", highlight=False)
    return 1 if failed else 0
