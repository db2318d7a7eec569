"""Hostile clients, in small: every attack of `attacks/*.yaml` at the same time on a server of its own.

`samewire attack` carries them out in full, one after the other.
"""

from dataclasses import replace

import pytest

from samewire.attack import judge, rows
from samewire.manifest import Server
from samewire.testbed import Testbed

pytestmark = [pytest.mark.layer("attack"), pytest.mark.waits, pytest.mark.timeout(300)]

PATIENCE = 60.0
"""Seconds for an answer to others, by the rule of safety. Other tests run beside this one."""


def test_attacks(server: Server, testbed: Testbed) -> None:
    running = testbed.start(server)
    # The process in a container is known only once it runs.
    target = replace(running.target, pid=running.pid)
    before = judge.warm_up(target)
    every = [small for small, _ in rows.load(server.service)]
    unknown = server.limits.keys() - {one.row for one in every}
    assert not unknown, f"{server.id}/server.toml has limits of rows that {server.service} does not have: {unknown}"
    limited = [one for one in every if judge.limit_of(one, target)]
    for several in ([one for one in every if one not in limited], limited):
        verdicts = judge.carry_out(several, target, before, PATIENCE) if several else []
        problems = dict.fromkeys(problem for verdict in verdicts for problem in verdict.problems)
        if problems:
            lines = [f"{server.id} under all attacks at once:", *(f"- {problem}" for problem in problems)]
            lines += [f"  {one.attack.id}: {one.seen}" for one in verdicts]
            lines.append(f"One after the other, in full: samewire attack {server.argument}")
            pytest.fail("\n".join([*lines, target.last_lines()]), pytrace=False)
    running.stop()
