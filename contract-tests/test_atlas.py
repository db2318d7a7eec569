"""Odd input: is what comes safe, and is it what this server is known to answer?

One test a theme. What a server answers is pinned in its folder; `samewire atlas SERVER --update` writes that. Inputs
that are changed at random have to be safe alone: the same ones every time or, with `SAMEWIRE_EXPLORE`, others.
"""

import random
import time
from itertools import groupby

import pytest
from generated import EXPLORE

from samewire.atlas import inputs, mutants, pins, run
from samewire.manifest import Server
from samewire.pytest_plugin.selection import selected
from samewire.target import Target
from samewire.testbed import Testbed

pytestmark = [pytest.mark.layer("atlas"), pytest.mark.timeout(180 + EXPLORE)]

SEED = 2026
MUTANTS = 300


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every theme for every server that its level is for; mutants for every server of ours."""
    if metafunc.function is test_mutants:
        ours = [one.name for one in selected(metafunc.config) if one.server]
        metafunc.parametrize("server", ours, indirect=True)
        return
    pairs = [
        pytest.param(one.name, tuple(several), id=f"{one.name}-{theme}")
        for one in selected(metafunc.config)
        for theme, several in groupby(inputs.load(one.service), key=lambda each: each.theme)
    ]
    metafunc.parametrize(("target", "asked"), pairs, indirect=["target"])


def test_atlas(target: Target, asked: tuple[inputs.Input, ...], testbed: Testbed) -> None:
    outcome = run.ask_all(asked, target, testbed)
    pinned = target.server and not (target.server.elsewhere and not pins.file_of(target.server).exists())
    changed = pins.read(target.server).differences(outcome.asked) if pinned else []
    if changed:
        changed.append(f"If that is right: samewire atlas {target.server.argument} --update")
    stack = tuple(target.server.stack) if target.server else ()
    if lines := run.told(outcome, stack, target.url, changed):
        pytest.fail("\n".join([f"{target.name}, theme {asked[0].theme}: {asked[0].about}", *lines]), pytrace=False)


def test_mutants(server: Server, testbed: Testbed) -> None:
    """On a server of its own: a mutant may name whatever another test has made."""
    running = testbed.start(server)
    seed, end = SEED, time.monotonic() + EXPLORE
    while True:
        outcome = mutants.send_all(mutants.mutants(server.service, seed, MUTANTS), running.target)
        if outcome.breaches:
            pytest.fail("\n".join([f"{server.id}, mutants of seed {seed}:", *mutants.told(outcome)]), pytrace=False)
        if time.monotonic() >= end:
            break
        seed = random.randrange(2**32)
    running.stop()
