"""What comes of several sessions of the suite."""

import io

import pytest
from rich.console import Console

from samewire import suite
from samewire.manifest import SelectionError

OK, FAILED, NONE, WRONG = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
    pytest.ExitCode.USAGE_ERROR,
)


@pytest.mark.parametrize(
    ("statuses", "narrowed", "whole"),
    [
        ([OK, NONE], True, 0),
        ([NONE, FAILED], True, 1),
        ([OK, FAILED], False, 1),
        ([FAILED, WRONG], False, 2),
        ([], False, 0),
    ],
)
def test_the_status_of_several_sessions(statuses, narrowed, whole):
    assert suite.whole_status(statuses, narrowed=narrowed) == whole


@pytest.mark.parametrize(("statuses", "narrowed"), [([NONE, NONE], True), ([OK, NONE], False)])
def test_no_test_at_all_is_said(statuses, narrowed):
    with pytest.raises(SelectionError, match="no test was run"):
        suite.whole_status(statuses, narrowed=narrowed)


def test_a_report_stays_in_one_piece_while_others_print():
    console = Console(file=io.StringIO(), width=80)

    def lines():
        yield "\n"
        yield "...  [ 50%]\n"
        yield "===== FAILURES =====\n"
        yield "\n"
        console.out("todo   ... [ 20%]")
        yield "1 failed in 2 s\n"

    suite._relay(console, "chat   ", lines())
    assert console.file.getvalue() == (
        "chat   ...  [ 50%]\ntodo   ... [ 20%]\nchat   \n===== FAILURES =====\n\n1 failed in 2 s\n"
    )


def test_the_cores_that_services_leave_are_for_the_tests_of_those_there_are() -> None:
    assert suite.side_by_side(1, 7, 33) == suite.side_by_side(2, 7, 33) == suite.side_by_side(3, 1, 6) == (1, 5)
    assert suite.side_by_side(4, 7, 33) == suite.side_by_side(4, 2, 2) == (2, 5)
    assert suite.side_by_side(4, 1, 6) == (1, 10)
    assert suite.side_by_side(16, 3, 9) == (3, 10)
    assert suite.side_by_side(4, 0, 0) == (1, 10)


def test_one_server_has_a_worker_more_on_a_small_machine() -> None:
    assert suite.side_by_side(1, 1, 1) == suite.side_by_side(2, 1, 1) == (1, 6)
    assert suite.side_by_side(4, 1, 1) == (1, 10)
