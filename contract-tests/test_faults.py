"""The suite can fail: a proxy before a correct server is wrong in one way, and the cases must notice."""

from itertools import chain

import pytest
from faults.catalogue import catalogue
from faults.proxy import Fault, Proxy
from lockstep import Lockstep
from shortener.golden import validation

from samewire.contract import cases
from samewire.http import Request
from samewire.pytest_plugin import selected
from samewire.target import Target

pytestmark = pytest.mark.layer("faults")

SERVICES_WITH_FAULTS = ("shortener",)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The first server of each service; which one makes no difference to the proxy."""
    first = {one.service: one.name for one in reversed(selected(metafunc.config))}
    chosen = [(service, first[service]) for service in SERVICES_WITH_FAULTS if service in first]
    if "fault" in metafunc.fixturenames:
        parameters = [
            pytest.param(name, fault, id=f"{service}-{fault.name}")
            for service, name in chosen
            for fault in catalogue(service)
        ]
        metafunc.parametrize(("target", "fault"), parameters, indirect=["target"])
    else:
        metafunc.parametrize(
            "target", [name for _, name in chosen], ids=[service for service, _ in chosen], indirect=True
        )


def test_fault_is_caught(target: Target, fault: Fault, record_property) -> None:
    with Proxy(target, fault.commit) as proxy:
        caught = _by_golden(proxy.target, 2_000) if fault.by_golden else _by_cases(proxy.target, fault)
        assert proxy.committed, f"no case made the fault happen: {fault.description}"
    assert caught, f"not noticed: {fault.description}"
    print(f"{fault.description}: caught by {caught}")
    record_property("caught_by", caught)


def test_proxy_without_a_fault_passes(target: Target) -> None:
    with Proxy(target) as proxy:
        reports = [
            cases.report(case, proxy.target, failures)
            for case in cases.load(target.service)
            if (failures := cases.run(case, proxy.target))
        ]
        assert _by_golden(proxy.target, 200) is None
    if reports:
        pytest.fail("\n\n".join(reports), pytrace=False)


def _by_cases(target: Target, fault: Fault) -> str | None:
    """The first case to notice, with what it noticed; the fault's themes are asked first."""
    every = cases.load(target.service)
    likely = [case for case in every if case.group.partition("/")[0] in fault.themes]
    for case in chain(likely, (case for case in every if case not in likely)):
        if failures := cases.run(case, target, timeout=fault.timeout):
            return f"{case.id}: {failures[0].problems[0]}"
    return None


def _by_golden(target: Target, rows: int) -> str | None:
    """The first of so many golden rows to notice, with what it noticed."""
    with Lockstep([target]) as lockstep:
        for row in validation.read()[:rows]:
            request = Request("GET", row.target)
            if problems := validation.judge(row, request, lockstep.ask({target.name: request})):
                return f"{validation.FILE.name} {row.target}: {problems[target.name][0]}"
    return None
