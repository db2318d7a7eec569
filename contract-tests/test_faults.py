"""The suite can fail: a proxy before a correct server is wrong in one way, and the cases must notice.

A service has the faults of `faults/general.py`, but for those that its `faults.py` says it cannot have, and its own.
"""

import fcntl
import importlib
import pickle
import time
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest
from faults.general import GENERAL
from faults.proxy import Exchange, Fault, Proxy

from samewire.contract import cases
from samewire.http import Request, Response
from samewire.paths import CONTRACTS
from samewire.pytest_plugin import selected
from samewire.target import Target

pytestmark = pytest.mark.layer("faults")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The first server of each service that has faults; which one makes no difference to the proxy."""
    first = {one.service: one.name for one in reversed(selected(metafunc.config))}
    chosen = {service: name for service, name in first.items() if (CONTRACTS / service / "faults.py").exists()}
    if "fault" in metafunc.fixturenames:
        parameters = [
            pytest.param(name, fault, id=f"{service}-{fault.name}")
            for service, name in chosen.items()
            for fault in _faults(service)
        ]
        metafunc.parametrize(("target", "fault"), parameters, indirect=["target"])
    else:
        metafunc.parametrize("target", chosen.values(), ids=chosen.keys(), indirect=True)


@dataclass(frozen=True)
class Played:
    """A case as a right server was asked it through the proxy."""

    case: cases.Case
    failures: list[cases.Failure]
    exchanges: list[Exchange]
    seconds: float

    def gives_a_chance_to(self, fault: Fault) -> bool:
        """Whether the fault would do something, or would ask the server whether it can."""
        memory: dict = {}
        try:
            return any(fault.commit(replace(one, memory=memory)) for one in self.exchanges)
        except _NotNowError:
            return True


class _NotNowError(Exception):
    pass


def _not_now(_: Request) -> Response:
    raise _NotNowError


@pytest.fixture(scope="session")
def played_before() -> dict[str, list[Played]]:
    """By service, what `played` has found."""
    return {}


@pytest.fixture
def played(target: Target, played_before: dict[str, list[Played]], shared_folder: Path) -> list[Played]:
    """All cases of the service, the quickest first; they are played by one of pytest's workers, for all."""
    if target.service not in played_before:
        file = shared_folder / f"played-{target.service}.pickle"
        with file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                file.write_bytes(pickle.dumps(_play(target)))
            played_before[target.service] = pickle.loads(file.read_bytes())
    return played_before[target.service]


def _play(target: Target) -> list[Played]:
    found, seen = [], []
    with Proxy(target, seen.append) as proxy:
        for case in cases.load(target.service):
            first, started = len(seen), time.perf_counter()
            failures = cases.run(case, proxy.target)
            # How to ask this proxy's server is nothing to keep.
            exchanges = [replace(one, memory={}, ask=_not_now) for one in seen[first:]]
            found.append(Played(case, failures, exchanges, time.perf_counter() - started))
    return sorted(found, key=lambda one: one.seconds)


def test_fault_is_caught(target: Target, played: list[Played], fault: Fault, record_property) -> None:
    with Proxy(target, fault.commit) as proxy:
        caught = fault.judge(proxy.target) if fault.judge else _by_cases(proxy.target, played, fault)
        if proxy.error:
            # A fault that breaks is not one that was noticed.
            raise proxy.error
        assert proxy.committed, f"no case made the fault happen: {fault.description}"
    assert caught, f"not noticed: {fault.description}"
    print(f"{fault.description}: caught by {caught}")
    record_property("caught_by", caught)


def test_proxy_without_a_fault_passes(target: Target, played: list[Played]) -> None:
    reports = [cases.report(one.case, target, one.failures) for one in played if one.failures]
    with Proxy(target) as proxy:
        reports += [
            noticed for fault in _own(target.service).FAULTS if fault.judge and (noticed := fault.judge(proxy.target))
        ]
    if reports:
        pytest.fail("\n\n".join(reports), pytrace=False)


def test_faults_said_to_be_impossible_are(target: Target, played: list[Played]) -> None:
    impossible = _own(target.service).NOT_HERE
    unknown = impossible.keys() - {fault.name for fault in GENERAL}
    assert not unknown, f"no general faults: {', '.join(sorted(unknown))}"
    for fault in GENERAL:
        if fault.name in impossible:
            case = next((one.case.id for one in played if one.gives_a_chance_to(fault)), None)
            assert not case, f"{fault.name} is said to be impossible ({impossible[fault.name]}), but see {case}"


def _own(service: str) -> ModuleType:
    return importlib.import_module(f"{service}.faults")


def _faults(service: str) -> list[Fault]:
    """The faults of a service, the general ones among them."""
    own = _own(service)
    return [fault for fault in GENERAL if fault.name not in own.NOT_HERE] + own.FAULTS


def _by_cases(target: Target, played: list[Played], fault: Fault) -> str | None:
    """The first case to notice, with what it noticed: of those in which the fault may happen, and then of all."""
    likely = (one for one in played if one.gives_a_chance_to(fault))
    for one in chain(likely, played):
        if failures := cases.run(one.case, target, timeout=fault.timeout):
            return f"{one.case.id}: {failures[0].problems[0]}"
    return None
