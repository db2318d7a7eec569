"""A test that is bound by clocks and fails beside the others is asked once more, alone, and the table says so.

Such a test (marker `clock`) judges how long a server takes, on cores that it shares with other tests and their servers:
it can fail because of them. So every test holds a lock with the others, and the second try holds it alone. A fault of
the server fails again; what only passed alone is counted as passed and shown by name with its first failure.
"""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol  # what pytest-rerunfailures runs a test by, too

MOST = 2
"""How many tests a worker asks again: when more of them fail, it is not the machine."""


@contextlib.contextmanager
def _held(path: Path, how: int) -> Iterator[None]:
    with path.open("a") as lock:
        fcntl.flock(lock, how)
        yield


class Crowd:
    """The tests of all workers. Who wants to be alone keeps the gate, so that nobody else begins until he has been."""

    def __init__(self, folder: Path) -> None:
        self._gate, self._room = folder / "gate.lock", folder / "room.lock"

    @contextlib.contextmanager
    def beside_others(self) -> Iterator[None]:
        """Run while others may."""
        with contextlib.ExitStack() as stack:
            with _held(self._gate, fcntl.LOCK_EX):
                stack.enter_context(_held(self._room, fcntl.LOCK_SH))
            yield

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Run when those that have begun are done, and before any other begins."""
        with _held(self._gate, fcntl.LOCK_EX), _held(self._room, fcntl.LOCK_EX):
            yield


class AskedAgain:
    """Runs tests as pytest does, and those with the marker `clock` that fail a second time, alone.

    The reports of such a second try have the first failure in `user_properties`, as `failed_beside_others`.
    """

    def __init__(self, folder: Path) -> None:
        self._crowd = Crowd(folder)
        self._left = MOST

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Report the first try, or the second one where there is one."""
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        with self._crowd.beside_others():
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
        called = next((report for report in reports if report.when == "call"), None)
        if called and called.failed and item.get_closest_marker("clock") and self._left:
            self._left -= 1
            # Reports are made with what the item has, and the first ones are forgotten.
            crash = getattr(called.longrepr, "reprcrash", None)
            item.user_properties.append(("failed_beside_others", crash.message if crash else called.longreprtext))
            with self._crowd.alone():
                reports = runtestprotocol(item, nextitem=nextitem, log=False)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True
