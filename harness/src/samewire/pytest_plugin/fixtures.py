"""What a test is given: running servers to ask, or a testbed in which it starts and stops its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from samewire.manifest import Server
from samewire.outcomes import NO_DATABASE
from samewire.pytest_plugin.selection import Selected, composed, for_service, selected
from samewire.pytest_plugin.servers import running, targets_file, testbed_of, unstarted
from samewire.target import Target
from samewire.testbed import Testbed
from samewire.toolchains import DatabaseMissing


@contextmanager
def _with_a_database() -> Iterator[None]:
    """Skip a test that needs a database of its own, where there is none."""
    try:
        yield
    except DatabaseMissing:
        pytest.skip(NO_DATABASE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    """A fixture may need one."""
    with _with_a_database():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """So may the test."""
    with _with_a_database():
        return (yield)


@pytest.fixture(scope="session")
def target(request: pytest.FixtureRequest) -> Target:
    """A running server; the test runs once for each.

    Of the tests of one that did not start, the first fails, and the others are skipped.
    """
    name = request.param
    if name not in running(request.config):
        if problem := unstarted(request.config).pop(name, ""):
            pytest.fail(problem, pytrace=False)
        pytest.skip(f"{name} did not start")
    return running(request.config)[name]


@pytest.fixture(scope="module")
def targets(request: pytest.FixtureRequest) -> list[Target]:
    """All running servers of the module's service, for tests in lockstep."""
    started = running(request.config)
    found = [started[one.name] for one in for_service(request.config, request.path) if one.name in started]
    if not found:
        pytest.skip("no server of this service was chosen, or none has started")
    return found


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Server:
    """The manifest of a server; nothing is started. The test runs once for each."""
    return next(one.server for one in selected(request.config) if one.name == request.param and one.server)


@pytest.fixture(scope="session")
def judged(request: pytest.FixtureRequest) -> Selected:
    """A server of ours or at a URL, as it was chosen; nothing is started. The test runs once for each."""
    return next(one for one in selected(request.config) if one.name == request.param)


@pytest.fixture(scope="session")
def testbed(request: pytest.FixtureRequest) -> Iterator[Testbed]:
    """A testbed of each worker, with databases that a test may stop and kill. They have few links: they load often."""
    with testbed_of(composed(request.config), private=True, links=100) as private:
        yield private


@pytest.fixture(scope="session")
def shared_folder(request: pytest.FixtureRequest) -> Path:
    """A folder that the workers of one session share; deleted at its end."""
    return targets_file(request.config).parent
