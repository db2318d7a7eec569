"""Tests bound by clocks are asked again alone, and others are not."""

import threading
from pathlib import Path

import pytest

from samewire.alone import MOST, Crowd

pytest_plugins = ["pytester"]

CONFTEST = """
from pathlib import Path
from samewire.alone import AskedAgain

def pytest_configure(config):
    config.addinivalue_line("markers", "clock: bound by clocks")
    config.pluginmanager.register(AskedAgain(Path(".")))

def pytest_runtest_logreport(report):
    for name, failure in report.user_properties:
        if report.when == "call":
            print(report.nodeid, report.outcome, name, failure.splitlines()[0])
"""


def test_who_is_alone_has_nobody_beside(tmp_path: Path) -> None:
    crowd = Crowd(tmp_path)
    inside, seen, entered = set[int](), [], threading.Event()

    def beside(number: int) -> None:
        with crowd.beside_others():
            inside.add(number)
            entered.set()
            threading.Event().wait(0.05)
            inside.remove(number)

    others = [threading.Thread(target=beside, args=(number,)) for number in range(4)]
    for other in others:
        other.start()
    entered.wait()
    with crowd.alone():
        seen.append(set(inside))
        threading.Event().wait(0.1)
        seen.append(set(inside))
    for other in others:
        other.join()
    assert seen == [set(), set()]


def test_only_what_is_bound_by_clocks_has_a_second_try(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("""
        import pytest
        tries = []

        @pytest.fixture
        def number():
            tries.append(1)
            return len(tries)

        @pytest.mark.clock
        def test_late_once(number):
            assert number == 2, "took 9 s"

        @pytest.mark.clock
        def test_late_always(number):
            assert number == 0

        def test_wrong_once(number):
            assert number == 6
    """)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*test_late_once passed failed_beside_others *took 9 s*"])


def test_a_worker_asks_few_again(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(f"""
        import pytest
        tries = set()

        @pytest.mark.clock
        @pytest.mark.parametrize("number", range({MOST + 2}))
        def test_late_once(number):
            first = number not in tries
            tries.add(number)
            assert not first
    """)
    pytester.runpytest_inprocess().assert_outcomes(passed=MOST, failed=2)
