"""The same code under another environment keeps the same contract: every case against every variant of a server."""

import pytest

from samewire.contract import cases
from samewire.databases import URL_VARIABLES
from samewire.manifest import Server
from samewire.pytest_plugin.selection import selected
from samewire.testbed import Testbed

pytestmark = pytest.mark.layer("cases")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each variant."""
    parameters = [
        pytest.param(one.name, variant, id=f"{one.name}-{variant}")
        for one in selected(metafunc.config)
        # Those with a transport of their own are judged as servers are, by all tests.
        for variant, about in (one.server.variants.items() if one.server and not one.server.variant else ())
        if not about.transport
    ]
    metafunc.parametrize(("server", "variant"), parameters, indirect=["server"])


def test_variant(server: Server, variant: str, testbed: Testbed) -> None:
    # The cases know the last of 10,000 links; other tests of the testbed need few.
    database = (
        testbed.new_database(server.service, server.store, links=10_000) if server.store in URL_VARIABLES else None
    )
    running = testbed.start(server, variant=variant, database=database)
    try:
        failed = [
            (case, failures) for case in cases.load(server.service) if (failures := cases.run(case, running.target))
        ]
        if failed:
            (case, failures), *others = failed
            report = f"variant {variant}: " + cases.report(case, running.target, failures)
            if others:
                report += f"\n\nand {len(others)} more: {', '.join(case.id for case, _ in others)}"
            pytest.fail(report, pytrace=False)
        running.signal(server.stop_signal)
        assert running.wait(10) == server.stop_status
    finally:
        running.kill()
