"""Hostile clients, in small: every attack of `attacks/*.yaml` at the same time on a server of its own.

`samewire attack` carries them out in full, one after the other.
"""

import pytest

from samewire.attack import judge, rows
from samewire.http import PATIENCE
from samewire.lab import Lab
from samewire.manifest import Server

pytestmark = [pytest.mark.layer("attack"), pytest.mark.waits]


def test_attacks(server: Server, lab: Lab) -> None:
    running = lab.start(server)
    judge.warm_up(running.target)
    # Other tests run beside this one: it is not for them to be quick.
    verdicts = judge.carry_out([small for small, _ in rows.load(server.service)], running.target, PATIENCE)
    if verdicts[0].problems:
        lines = [f"{server.id} under all attacks at once:", *(f"- {problem}" for problem in verdicts[0].problems)]
        lines += [f"  {one.attack.id}: {one.seen}" for one in verdicts]
        lines.append(f"One after the other, in full: samewire attack {server.id}")
        pytest.fail("\n".join([*lines, running.target.last_lines()]), pytrace=False)
    running.stop()
