"""Sweeps: the loads of the steps, the knee, and what is a bound."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from samewire.race.experiment import load
from samewire.race.measured import Footprint
from samewire.race.metric import STEP, SWEEP
from samewire.race.metrics import figures_of_steps, metrics_of, of_sample
from samewire.race.processes import Start
from samewire.race.steps import Step, Steps

USERS, RATES = load("sweep-users-todo"), load("sweep-rates-todo")


def _steps(*figures: tuple[float, float, float]) -> Steps:
    """Steps of (load, requests per second, mean latency in ms)."""
    return Steps([Step(load, {"throughput_rps": rate, "latency_mean_ms": mean}) for load, rate, mean in figures])


def test_the_knee_is_where_throughput_divided_by_latency_is_highest():
    steps = _steps((1, 500, 2.0), (4, 1900, 2.1), (16, 2000, 8.0), (64, 1500, 42.7))
    assert figures_of_steps(steps) == {
        "highest_rps": 2000, "kept_share": 0.75, "knee": 4, "knee_rps": 1900, "knee_latency_mean_ms": 2.1,
    }  # fmt: skip


def test_a_step_whose_latencies_are_not_of_all_is_no_knee():
    """64 of 512 users are served, and soon; the others wait."""
    steps = _steps((16, 2000, 8.0), (512, 2000, 2.0))
    bounded = Steps([steps.steps[0], replace(steps.steps[1], of_all=False)])
    assert (steps.knee.value, bounded.knee.value) == (512, 16)
    assert Steps([replace(one, of_all=False) for one in steps.steps]).knee is None


def test_a_server_that_answers_nothing_has_no_knee():
    assert figures_of_steps(_steps((1, 0, 0.0), (4, 0, 0.0))) == {
        "highest_rps": 0, "kept_share": None, "knee": None, "knee_rps": None, "knee_latency_mean_ms": None,
    }  # fmt: skip


def test_steps_of_users_are_loads_of_so_many_users():
    warm_up, *steps = USERS.workload.scenarios(USERS.profile("quick"), 1)
    assert [len(one["lists"]) for one in steps] == [1, 4, 16, 64, 256, 512]
    assert (len(warm_up["lists"]), warm_up["hold_s"]) == (512, USERS.profile("quick").warm_up_s)
    assert {USERS.workload.rate_of(one, 1000.0) for one in USERS.workload.samples} == {None}
    assert [USERS.workload.is_closed(one) for one in USERS.workload.samples] == [False] * 5 + [True]


def test_steps_of_rates_are_multiples_of_the_profiles_rate():
    _, *steps = RATES.workload.scenarios(RATES.profile("quick"), 1)
    assert {len(one["lists"]) for one in steps} == {RATES.workload.users}
    rates = [RATES.workload.rate_of(one, 1000.0) for one in RATES.workload.samples]
    assert rates == pytest.approx([200, 400, 600, 800, 1000, 1300])
    assert not any(RATES.workload.is_closed(one) for one in RATES.workload.samples)


def test_steps_are_in_order_of_their_load_however_they_are_listed():
    workload = USERS.workload
    content = {"kind": "sweep", "over": "users", "steps": [16, 1, 4], "requests": [{"path": "/"}], "timeout_s": 1.0}
    assert type(workload).read(content, lambda table: ()).sample_names == ("1", "4", "16")


def test_a_runs_figures_are_of_its_steps_and_each_step_has_its_own(monkeypatch):
    workload = USERS.workload
    of_step = dict.fromkeys((one.key for one in metrics_of(STEP)), 2.0)
    monkeypatch.setattr(
        "samewire.race.workloads.sweep.figures_of_load",
        lambda what, users: of_step | {"throughput_rps": 100.0 * min(users, 16), "latency_mean_ms": 1.0 * users},
    )
    monkeypatch.setattr(type(workload), "warnings", lambda self, run, users: ["in turn"] if run == 1 else [])
    idle = SimpleNamespace(pss_bytes=1, rss_bytes=2, threads=3)
    whole = SimpleNamespace(whole=SimpleNamespace(error_share=0.25))
    footprint = Footprint(idle, [idle], [idle], Start(1.0, 0.5), None)
    figures = workload.run_figures({one.name: int(one.load) for one in workload.samples}, whole, footprint)
    assert list(figures)[: len(workload.metrics())] == [one.key for one in metrics_of(SWEEP)]
    assert (figures["highest_rps"], figures["knee"], figures["error_share"]) == (1600, 4, 0.25)
    assert figures["stolen_share"] == 2.0
    assert figures[of_sample("throughput_rps", "256")] == 1600


def test_a_race_takes_the_time_of_all_steps():
    profile = replace(USERS.profile("quick"), warm_up_s=0.0)
    assert USERS.round_s(profile, 2) == pytest.approx(2 * 6 * profile.run_s)
