from dataclasses import replace

import pytest

from samewire import links
from samewire.race import generator
from samewire.race.experiment import find_experiments, load

EXPERIMENT = load("shortener")
WORKLOAD, QUICK = EXPERIMENT.workload, EXPERIMENT.profile("quick")


def test_lists_hold_known_and_unknown_hashes_with_their_status():
    lists = WORKLOAD.lists(replace(QUICK, links=5000), seed=1)
    known = {f"/{hash_}" for hash_, _ in links.links(5000)}
    assert len(lists) == 40
    assert {len(paths) for paths in lists} == {2007}
    for paths in lists:
        assert all((path in known) == (status == 301) for path, status in paths)
        assert sum(status == 404 for _, status in paths) == round(0.2 * 2007)
    assert lists[0] != lists[1]


def test_lists_are_drawn_by_the_seed():
    few = replace(QUICK, links=10)
    assert WORKLOAD.lists(few, 7) == WORKLOAD.lists(few, 7) != WORKLOAD.lists(few, 8)


def test_users_of_requests_all_send_the_same():
    experiment = load("event-loop")
    lists = experiment.workload.lists(experiment.profile("smoke"), 1)
    assert lists == [[("/randoms/sync?count=20", 200, "GET", None, {})]] * 50


def test_a_probe_asks_beside_the_users_but_not_while_a_server_is_warmed():
    workload, quick = load("offloading").workload, load("offloading").profile("quick")
    (scenario,) = workload.scenarios(quick, 1)
    assert scenario["probe"] == {"path": "/healthz", "every_ms": 50}
    assert all("probe" not in window for window in workload.warming(scenario))
    assert workload.parameters(quick)["probe"] == "GET /healthz every 50 ms"
    plain = replace(workload, probe=None)
    assert "probe" not in plain.scenarios(quick, 1)[0]
    assert "probe" not in plain.parameters(quick)
    assert {*workload.compared()} - {*plain.compared()} == {"probe_latency_p50_ms", "probe_latency_p99_ms"}


def test_users_of_a_conversation_may_listen_in_another_way():
    experiment = load("chat")
    listening = replace(experiment.workload, transport="events")
    paper = experiment.profile("paper")
    (scenario,) = listening.scenarios(paper, 1)
    (same,) = experiment.workload.scenarios(paper, 1)
    assert scenario == {**same, "transport": "events"}
    assert all(one["transport"] == "events" for one in listening.warming(scenario))


def test_speakers_of_a_conversation_are_drawn_by_the_seed():
    experiment = load("chat")
    paper = experiment.profile("paper")
    (scenario,) = scenarios = experiment.workload.scenarios(paper, 1)
    assert scenarios == experiment.workload.scenarios(paper, 1) != experiment.workload.scenarios(paper, 2)
    assert (scenario["message_every_s"], scenario["poll_every_s"]) == (1, 0.5)
    assert scenario["transport"] == "polling"
    lengths = [length for user in scenario["users"] for length in user["lengths"]]
    assert (min(lengths), max(lengths)) == (1, 100)
    assert sum(lengths) / len(lengths) == pytest.approx(50.5, rel=0.03)
    phases = [user[phase] for user in scenario["users"] for phase in ("message_phase", "poll_phase")]
    assert len(set(phases)) == 80
    assert all(0 <= phase < 1 for phase in phases)


@pytest.mark.parametrize("name", find_experiments())
def test_every_workload_has_a_generator_and_a_scenario(name):
    experiment = load(name)
    smoke = experiment.profile("smoke")
    scenario = experiment.workload.scenarios(smoke, 1)[-1]
    assert scenario["hold_s"] == smoke.hold_s
    if not experiment.workload.sample_names:
        assert len(scenario.get("users") or scenario["lists"]) == experiment.workload.users
    assert (generator.folder(experiment.workload) / "README.md").exists()
