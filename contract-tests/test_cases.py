"""Every case of a service against every server of it; one test for each case, with all its examples."""

from itertools import groupby

import pytest

from samewire.contract import cases
from samewire.pytest_plugin.selection import selected
from samewire.target import Target

pytestmark = pytest.mark.layer("cases")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each server is asked the cases of its own service."""
    parameters = [
        pytest.param(one.name, list(examples), id=f"{one.name}-{group}")
        for one in selected(metafunc.config)
        for group, examples in groupby(cases.load(one.service), key=lambda case: case.group)
    ]
    metafunc.parametrize(("target", "examples"), parameters, indirect=["target"])


def test_case(target: Target, examples: list[cases.Case]) -> None:
    failed = [(case, failures) for case in examples if (failures := cases.run(case, target))]
    if failed:
        (first, failures), *others = failed
        report = cases.report(first, target, failures)
        if others:
            report += f"\n\nand {len(others)} more of its examples: {', '.join(case.id for case, _ in others)}"
        pytest.fail(report, pytrace=False)
