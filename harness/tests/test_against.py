"""Two servers at URLs are compared: alike where the contract speaks, and in a table where it does not."""

import subprocess
import sys

import pytest

from samewire.atlas.against import differences
from samewire.manifest import find_servers
from samewire.target import Target
from samewire.testbed import Testbed


@pytest.fixture(scope="module")
def two():
    """Two servers of one service, on two stacks, that need the fewest toolchains."""
    able = sorted((one for one in find_servers() if one.service == "randoms"), key=lambda one: (len(one.needs), one.id))
    first = able[0]
    second = next((one for one in able if one.http_server != first.http_server), None)
    if second is None:
        pytest.skip("here are no two stacks of randoms")
    with Testbed(brief=True) as testbed:
        yield [testbed.start(one).target for one in (first, second)]


def _call(*arguments):
    argv = [sys.executable, "-m", "samewire.cli", "verify", *arguments]
    return subprocess.run(argv, capture_output=True, text=True, timeout=100)


@pytest.mark.timeout(120)
def test_both_are_judged_and_their_own_answers_are_shown(two) -> None:
    options = ["--layer", "cases", "--layer", "atlas", "--only", "health/healthy"]
    done = _call("randoms", two[0].url, "--against", two[1].url, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    assert "Odd input that the two answer differently" in done.stdout


def test_a_server_does_not_differ_from_itself(two) -> None:
    one = Target("one", "randoms", two[0].url)
    assert not differences(one, Target("other", "randoms", two[0].url))
    assert differences(one, Target("other", "randoms", two[1].url))


def test_it_takes_one_url() -> None:
    done = _call("randoms", "--against", "http://127.0.0.1:1")
    assert done.returncode == 2
    assert "verify SERVICE URL --against URL" in done.stderr
