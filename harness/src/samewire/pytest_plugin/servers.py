"""The running servers of a session: the controller starts and stops them, and hands its workers their addresses."""

import json
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NoReturn

import pytest

from samewire.atlas import inputs
from samewire.build import build
from samewire.contract import cases, wire
from samewire.manifest import Server
from samewire.paths import CONTRACTS
from samewire.process import StartError
from samewire.pytest_plugin.selection import Selected, composed, selected
from samewire.target import Target
from samewire.testbed import Testbed

_STARTED_AT_ONCE = 4


class Servers:
    """What the controller starts: a testbed and the servers in it."""

    def __init__(self, in_compose: Sequence[Server]) -> None:
        self.testbed = testbed_of(in_compose)
        self.targets_file = self.testbed.run.path / "targets.json"
        self.starting: Future[dict[str, Target]] = Future()
        self.unstarted: dict[str, StartError] = {}
        self.databases: dict[str, str] = {}

    def start(self, chosen: Sequence[Selected]) -> dict[str, Target]:
        """Start them and write where they are, for the workers.

        Raises StartError when none of them starts, and ContractError: a mistake in a file of the contract is told once,
        and not by each worker.
        """
        for service in {one.service for one in chosen}:
            cases.load(service)
            inputs.load(service)
            list(wire.entries(CONTRACTS / "wire", "wire.schema.json", service))
        targets = {one.name: Target(one.name, one.service, one.url) for one in chosen if one.url}
        ours = [one.server for one in chosen if one.server]
        for first in range(0, len(ours), _STARTED_AT_ONCE):
            targets |= self._start_some(ours[first : first + _STARTED_AT_ONCE])
        if self.unstarted and not targets:
            raise next(iter(self.unstarted.values()))
        self.databases = {store: database.label for store, database in self.testbed.databases().items()}
        handed = {t.name: {"url": t.url, "pid": t.pid, "log": str(t.log) if t.log else None} for t in targets.values()}
        handed |= {name: {"problem": str(error)} for name, error in self.unstarted.items()}
        unfinished = self.targets_file.with_suffix(".part")
        unfinished.write_text(json.dumps(handed))
        unfinished.rename(self.targets_file)
        return targets

    def _start_some(self, servers: Sequence[Server]) -> dict[str, Target]:
        """Those of the servers that start; the others are in `unstarted`."""
        started = {}
        for running in [self.testbed.spawn(server) for server in servers]:
            try:
                self.testbed.wait_until_healthy(running)
                started[running.target.name] = running.target
            except StartError as error:
                self.unstarted[running.target.name] = error
        return started


_servers_key = pytest.StashKey[Servers]()
_running_key = pytest.StashKey[dict[str, Target]]()
_unstarted_key = pytest.StashKey[dict[str, str]]()


def testbed_of(in_compose: Sequence[Server], **private: Any) -> Testbed:
    """A testbed for these servers as they run in compose; for processes of our own when there are none."""
    if not in_compose:
        return Testbed(**private, brief=True)
    # Only here: most sessions need no container.
    from samewire.containers.composed import ComposedTestbed
    from samewire.containers.own import ContainerTestbed

    return ContainerTestbed(**private, brief=True) if private else ComposedTestbed(in_compose)


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _give_up(error: Exception) -> NoReturn:
    """End with the status of a failure: the call was right, but what is judged cannot be built or started."""
    pytest.exit(f"{type(error).__name__}: {error}", returncode=pytest.ExitCode.TESTS_FAILED)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """The controller builds what is judged, and begins to start it before the workers are made."""
    config = session.config
    if _is_worker(config) or config.option.collectonly:
        return
    chosen = selected(config)
    in_compose = composed(config)
    try:
        for one in chosen:
            if one.server and not in_compose:
                build(one.server)
    except Exception as error:
        _give_up(error)
    servers = config.stash[_servers_key] = Servers(in_compose)
    starter = ThreadPoolExecutor(1, thread_name_prefix="start")
    servers.starting = starter.submit(servers.start, chosen)
    starter.shutdown(wait=False)


def pytest_configure_node(node) -> None:
    """Tell a worker where the addresses will be."""
    node.workerinput["targets_file"] = str(node.config.stash[_servers_key].targets_file)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Before the first test, of whatever worker, all servers are healthy."""
    if started(session.config) is None:
        return
    try:
        running(session.config)
    except Exception as error:
        _give_up(error)


def started(config: pytest.Config) -> Servers | None:
    """What the controller has started; None in a worker, and where tests are only collected."""
    return config.stash.get(_servers_key, None)


def running(config: pytest.Config) -> dict[str, Target]:
    """The running servers by name, in a worker as in the controller; waits until all are healthy."""
    if config.stash.get(_running_key, None) is None:
        config.stash[_running_key] = (
            _handed(config) if _is_worker(config) else config.stash[_servers_key].starting.result()
        )
    return config.stash[_running_key]


def targets_file(config: pytest.Config) -> Path:
    """The file in which the controller hands the addresses over, in a folder that all workers share."""
    if _is_worker(config):
        return Path(config.workerinput["targets_file"])  # type: ignore[attr-defined]
    return config.stash[_servers_key].targets_file


def _handed(config: pytest.Config) -> dict[str, Target]:
    """What the controller has written, or is about to write: it ends its workers if it cannot."""
    file = targets_file(config)
    while not file.exists():
        time.sleep(0.02)
    handed = json.loads(file.read_text())
    config.stash[_unstarted_key] = {name: about["problem"] for name, about in handed.items() if "problem" in about}
    return {
        one.name: Target(one.name, one.service, about["url"], one.server, about["pid"],
                         Path(about["log"]) if about["log"] else None)
        for one in selected(config) if (about := handed.get(one.name)) and "url" in about
    }  # fmt: skip


def unstarted(config: pytest.Config) -> dict[str, str]:
    """Why servers did not start, by name, but for those of which a test of this process has told it."""
    if _unstarted_key not in config.stash:
        errors = config.stash[_servers_key].unstarted
        config.stash[_unstarted_key] = {name: str(error) for name, error in errors.items()}
    return config.stash[_unstarted_key]


def stop(config: pytest.Config) -> list[str]:
    """Stop all that the controller has started; which servers died during the tests, and what did not stop well."""
    servers = config.stash[_servers_key]
    wait((servers.starting,))
    problems = []
    for name, target in config.stash.get(_running_key, {}).items():
        process = next((one for one in servers.testbed.started if one.pid == target.pid), None)
        if process and not process.alive:
            problems.append(f"{name} died during the tests. Its last lines:\n{target.last_lines()}")
    return problems + servers.testbed.close()
