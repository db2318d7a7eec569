"""The suite can fail: a proxy before a correct server is wrong in one way, and something must notice.

What notices is tried in this order: the cases of the contract, the rule of safety on the inputs of the atlas, and what
is pinned there. A service has the faults of `faults/general.py`, but for those that its `faults.py` says it cannot
have, and its own. And the suite must not ask for too much: what `faults/freedoms.py` changes, no case may notice. Of
these, too, a service may say which it cannot have.
"""

import fcntl
import importlib
import pickle
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from faults.freedoms import FREEDOMS
from faults.general import GENERAL
from faults.proxy import Exchange, Fault, Proxy

from samewire.atlas import inputs, safety
from samewire.atlas.ask import Asked, ask
from samewire.contract import cases
from samewire.http import ExchangeError, Request, Response
from samewire.paths import CONTRACTS
from samewire.pytest_plugin.selection import Selected, selected
from samewire.target import Target

pytestmark = pytest.mark.layer("faults")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The first server of each service that has faults; a fault of some of its servers has the first of these."""
    servers: dict[str, list[Selected]] = {}
    for one in selected(metafunc.config):
        if (CONTRACTS / one.service / "faults.py").exists():
            servers.setdefault(one.service, []).append(one)
    changes: dict[str, Callable[[str], Iterable[Any]]] = {
        "fault": _faults,
        "freedom": lambda service: _possible(service, FREEDOMS),
        "judge": lambda service: {one.judge: one for one in _faults(service) if one.judge}.values(),
    }
    for name, of in changes.items():
        if name in metafunc.fixturenames:
            parameters = [
                pytest.param(first.name, one, id=f"{service}-{one.name}")
                for service, several in servers.items()
                for one in of(service)
                if (first := next((each for each in several if _may_have(each, one)), None))
            ]
            metafunc.parametrize(("target", name), parameters, indirect=["target"])
            return
    metafunc.parametrize("target", [one.name for one, *_ in servers.values()], ids=servers.keys(), indirect=True)


@dataclass(frozen=True)
class Played:
    """A case, or an input of the atlas, as a right server was asked it through the proxy."""

    asked: cases.Case | inputs.Input
    exchanges: list[Exchange]
    seconds: float
    failures: tuple[str, ...] = ()
    """Of a case, what was wrong with it, although nothing was."""
    line: str = ""
    """Of an input, what came."""
    fields: tuple[tuple[str, str], ...] = ()

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
    """All cases and inputs of the service, the quickest first; they are played by one of pytest's workers, for all."""
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

        def timed(one: cases.Case | inputs.Input, play: Callable) -> Played | None:
            first, started = len(seen), time.perf_counter()
            outcome = play(one, proxy.target)
            # How to ask this proxy's server is nothing to keep.
            exchanges = [replace(each, memory={}, ask=_not_now) for each in seen[first:]]
            return outcome and Played(one, exchanges, time.perf_counter() - started, **outcome)

        found += [timed(case, _play_case) for case in cases.load(target.service)]
        found += [timed(one, _play_input) for one in inputs.load(target.service) if not (one.by_chance or one.alone)]
    return sorted((one for one in found if one), key=lambda one: one.seconds)


def _play_case(case: cases.Case, target: Target) -> dict:
    failures = cases.run(case, target)
    return {"failures": (cases.report(case, target, failures),) if failures else ()}


def _play_input(one: inputs.Input, target: Target) -> dict | None:
    """What comes of an input through the proxy; None if that is not fit to be compared with."""
    try:
        asked = ask(one, target, patience=1.0)
    except ExchangeError:
        return None
    if asked.spoilt or safety.breaches(asked, target):
        return None
    return {"line": asked.line, "fields": _fields(asked)}


def _fields(asked: Asked) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((answer, names) for answer, several in asked.fields.items() for names in several))


def test_fault_is_caught(target: Target, played: list[Played], fault: Fault, record_property) -> None:
    with Proxy(target, fault.commit, fault.instead) as proxy:
        caught = fault.judge(proxy.target) if fault.judge else _noticed(proxy, played, fault)
        if proxy.error:
            # A fault that breaks is not one that was noticed.
            raise proxy.error
        assert proxy.committed, f"nothing made the fault happen: {fault.description}; noticed: {caught or 'nothing'}"
    assert caught, f"not noticed: {fault.description}"
    print(f"{fault.description}: caught by {caught}")
    record_property("caught_by", caught)


def test_what_is_a_stacks_own_is_not_noticed(target: Target, played: list[Played], freedom: Fault) -> None:
    with Proxy(target, freedom.commit) as proxy:
        caught = _by_cases(proxy, _likely(_cases_of(played), freedom), freedom)
        if proxy.error:
            raise proxy.error
    assert not caught, f"the suite asks for too much: {freedom.description}: {caught}"
    assert proxy.committed, f"nothing made use of the freedom: {freedom.description}"


def test_proxy_without_a_fault_passes(target: Target, played: list[Played]) -> None:
    if reports := [failure for one in played for failure in one.failures]:
        pytest.fail("\n\n".join(reports), pytrace=False)


def test_judge_without_a_fault_notices_nothing(target: Target, judge: Fault) -> None:
    with Proxy(target) as proxy:
        assert not judge.judge(proxy.target)


def test_faults_said_to_be_impossible_are(target: Target, played: list[Played]) -> None:
    impossible = _own(target.service).NOT_HERE
    unknown = impossible.keys() - {one.name for one in (*GENERAL, *FREEDOMS)}
    assert not unknown, f"no general faults, and no freedoms: {', '.join(sorted(unknown))}"
    for several, asked in ((GENERAL, played), (FREEDOMS, _cases_of(played))):
        for one in several:
            if one.name in impossible:
                case = next(iter(_likely(asked, one)), None)
                assert not case, (
                    f"{one.name} is said to be impossible ({impossible[one.name]}), but see {case.asked.id}"
                )


def _own(service: str) -> ModuleType:
    return importlib.import_module(f"{service}.faults")


def _faults(service: str) -> list[Fault]:
    """The faults of a service, the general ones among them."""
    return _possible(service, GENERAL) + _own(service).FAULTS


def _possible(service: str, several: Iterable[Fault]) -> list[Fault]:
    """Those of them that an answer of the service can have."""
    return [one for one in several if one.name not in _own(service).NOT_HERE]


def _may_have(server: Selected, fault: Fault) -> bool:
    """Whether the fault is one of such servers."""
    return fault.transport in ("", server.server.transport if server.server else "")


def _cases_of(played: list[Played]) -> list[Played]:
    return [one for one in played if isinstance(one.asked, cases.Case)]


def _likely(several: Iterable[Played], fault: Fault) -> list[Played]:
    """Those in which the fault may happen."""
    return [one for one in several if one.gives_a_chance_to(fault)]


def _noticed(proxy: Proxy, played: list[Played], fault: Fault) -> str | None:
    """What notices the fault, and how: of what may make it happen, and then of all cases."""
    of_contract = _cases_of(played)
    of_atlas = _likely((one for one in played if one not in of_contract), fault)
    likely = _likely(of_contract, fault)
    if caught := _by_cases(proxy, likely, fault) or _by_atlas(proxy, of_atlas, fault):
        return caught
    return _by_cases(proxy, (one for one in of_contract if one not in likely), fault)


def _by_cases(proxy: Proxy, several: Iterable[Played], fault: Fault) -> str | None:
    """The first case to notice, with what it noticed."""
    for one in several:
        before = proxy.committed
        failures = cases.run(one.asked, proxy.target, timeout=fault.timeout)
        # What fails although nothing was changed is a server that was slow.
        if failures and proxy.committed > before:
            return f"the contract, {one.asked.id}: {failures[0].problems[0]}"
    return None


def _by_atlas(proxy: Proxy, several: Iterable[Played], fault: Fault) -> str | None:
    """What the rule of safety notices or, where it notices nothing, the first answer that is not as it was."""
    changed = None
    for one in several:
        before = proxy.committed
        try:
            asked = ask(one.asked, proxy.target, patience=fault.timeout)
        except ExchangeError as error:
            broken = [str(error)]
        else:
            broken = asked.spoilt or safety.breaches(asked, proxy.target)
        if proxy.committed == before:
            continue
        if broken:
            return f"the rule of safety, {one.asked.id}: {broken[0]}"
        if (asked.line, _fields(asked)) != (one.line, one.fields):
            changed = changed or f"what is pinned, {one.asked.id}: {asked.line} instead of {one.line}"
    return changed
