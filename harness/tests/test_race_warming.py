import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from hdrh.histogram import HdrHistogram

from samewire.race import warming
from samewire.race.load import Stage
from samewire.race.placement import Placement
from samewire.race.snapshots import Snapshot
from samewire.race.steadiness import is_steady
from samewire.race.warming import Warmer, move

TWO_CORES = Placement(frozenset({0}), frozenset({1}), frozenset({1}))
FEW, ALL = 1, 2


@pytest.mark.parametrize(
    ("costs", "steady"),
    [
        ([], False),
        ([100], False),
        ([100, 100], False),
        ([100, 101, 100], True),
        ([100, 94, 94], False),
        ([470, 100, 99, 101], True),
        ([100, None, 100, 100], False),
        ([100, 100, None], False),
        # Noise of a tenth, and no trend.
        ([100, 110, 100, 110, 100, 110], True),
        ([100, 110, 100, 110, 100], False),
        ([150, 130, 150, 130, 110, 130], False),
        ([100, 110, None, 110, 100, 110], False),
    ],
)
def test_steady_is_two_changes_on_end_below_a_twentieth_or_one_of_the_mean_of_three(costs, steady):
    assert is_steady(costs) == steady


class _Server:
    """A server whose windows cost so much each; the generator and the sampler, too."""

    def __init__(self, costs):
        self.costs, self.loads, self.cpu_s, self.now = iter(costs), [], 0.0, 0.0
        self.cores = []

    def load(self, url, progress, scenario):
        self.loads.append(scenario)
        self.cpu_s += next(self.costs) * 1000 / 1e6
        self.now += 2.0
        histogram = HdrHistogram(1, 3_600_000_000_000, 3)
        # The first answers are late.
        histogram.record_value(400_000_000 if len(self.loads) == 1 else 1_000_000)
        stage = {"requests": 1000, "errors": {}, "duration_s": 2.0, "hdr": histogram.encode().decode()}
        return {"hdr_unit": "ns", "stages": {"hold": stage}, "users_in_hold": 1, "users_lost": 0, "series": []}

    def snapshot(self):
        return Snapshot(self.now, {"server": SimpleNamespace(cpu_s=self.cpu_s)}, {}, 0.0)


@pytest.fixture
def warm(monkeypatch):
    def run(costs, placement=TWO_CORES, within_s=60.0):
        server = _Server(costs)
        monkeypatch.setattr(warming, "move", lambda pid, cores: server.cores.append(set(cores)))
        monkeypatch.setattr(warming.time, "monotonic", lambda: server.now)
        warmer = Warmer(server, (FEW, ALL), Stage, placement, within_s)
        return warmer.warm("http://a", 1, server, lambda text: None), server

    return run


def test_few_users_then_all_on_all_cores_then_all_on_its_own(warm):
    found, server = warm([400, 300, 299, 298, 200, 150, 149, 150, 151, 150])
    assert server.loads == [FEW] * 3 + [ALL] * 7
    assert server.cores == [{0, 1}, {0, 1}, {0}, {0}]
    assert [step.cores for step in found.steps] == [2] * 7 + [1] * 3
    assert found.steady
    assert found.seconds == 20
    assert found.cpu_s == pytest.approx(sum([400, 300, 299, 298, 200, 150, 149, 150, 151, 150]) * 1000 / 1e6)
    assert found.steps[-1].cpu_us_per_request == pytest.approx(150)
    # 150 µs are nine tenths of 166: it is the sixth window that is near.
    assert found.near_s == 12
    assert found.near_cpu_s == pytest.approx(sum([400, 300, 299, 298, 200, 150]) * 1000 / 1e6)
    assert found.first_latency_max_ms == pytest.approx(400, rel=1e-3)
    assert found.steps[-1].latency_max_ms == pytest.approx(1, rel=1e-3)
    assert found.as_dict()["windows"][0] == {
        "t_s": 2.0, "cores": 2, "requests": 1000, "cpu_us_per_request": pytest.approx(400),
        "latency_max_ms": found.first_latency_max_ms,
    }  # fmt: skip


def test_a_server_on_all_cores_is_loaded_by_all_users_at_once(warm):
    found, server = warm([100, 100, 100], Placement(*[frozenset({0, 1})] * 3))
    assert server.loads == [ALL] * 3
    assert found.steady


def test_a_server_that_does_not_become_steady_is_told(warm):
    found, server = warm([100 * 0.9**number for number in range(100)], within_s=40.0)
    assert not found.steady
    assert found.seconds == 40
    assert found.near_s is found.near_cpu_s is None
    assert server.cores[-1] == {0}
    # Half of the time is left for its own cores.
    assert sum(step.cores == 1 for step in found.steps) == 10


def test_every_thread_of_a_tree_is_moved():
    program = (
        "import subprocess, sys, threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    cores = sorted(os.sched_getaffinity(0))
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as main:
        try:
            assert main.stdout.readline() == "ready\n"
            time.sleep(0.2)
            move(main.pid, {cores[0]})
            threads = list(warming._threads(main.pid))
            assert len(threads) == 3
            assert {frozenset(os.sched_getaffinity(thread)) for thread in threads} == {frozenset({cores[0]})}
        finally:
            os.killpg(main.pid, 9)
