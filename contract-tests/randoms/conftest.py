"""Servers with settings of the test's own, each started once by a worker."""

from collections.abc import Callable

import pytest

from samewire.manifest import Server
from samewire.process import RunningServer
from samewire.testbed import Testbed

Starter = Callable[..., RunningServer]


@pytest.fixture(scope="session")
def stage(testbed: Testbed) -> dict[tuple, RunningServer]:
    """The servers of a worker, which end with its testbed, by their name and settings."""
    return {}


@pytest.fixture
def started(server: Server, testbed: Testbed, stage: dict[tuple, RunningServer]) -> Starter:
    """A running server of a variant or with environment variables: `started("log-sync")`, `started(LOG="sync")`."""

    def start(variant: str | None = None, **env: str) -> RunningServer:
        key = (server.id, variant, *sorted(env.items()))
        if key not in stage:
            stage[key] = testbed.start(server, variant=variant, env=env)
        return stage[key]

    return start
