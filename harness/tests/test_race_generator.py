import pytest
from hdrh.histogram import HdrHistogram

from samewire import links
from samewire.race import generator
from samewire.race.experiment import Uploads, find_experiments, load

EXPERIMENT = load("shortener")


def test_lists_hold_known_and_unknown_hashes_with_their_status():
    lists = generator.lookup_lists(EXPERIMENT.workload, 5000, seed=1)
    known = {f"/{hash_}" for hash_, _ in links.links(5000)}
    assert len(lists) == 40
    assert {len(paths) for paths in lists} == {2007}
    for paths in lists:
        assert all((path in known) == (status == 301) for path, status in paths)
        assert sum(status == 404 for _, status in paths) == round(0.2 * 2007)
    assert lists[0] != lists[1]


def test_lists_are_drawn_by_the_seed():
    assert generator.lookup_lists(EXPERIMENT.workload, 10, 7) == generator.lookup_lists(EXPERIMENT.workload, 10, 7)
    assert generator.lookup_lists(EXPERIMENT.workload, 10, 7) != generator.lookup_lists(EXPERIMENT.workload, 10, 8)


def test_users_of_requests_all_send_the_same():
    experiment = load("event-loop")
    lists = generator.lists(experiment.workload, experiment.profile("smoke"), 1)
    assert lists == [[("/randoms/sync?count=20", 200, "GET", None, {})]] * 50


def test_speakers_of_a_conversation_are_drawn_by_the_seed():
    experiment = load("chat")
    paper = experiment.profile("paper")
    (scenario,) = scenarios = generator.scenarios(experiment.workload, paper, 1)
    assert (
        scenarios
        == generator.scenarios(experiment.workload, paper, 1)
        != generator.scenarios(experiment.workload, paper, 2)
    )
    assert (scenario["message_every_s"], scenario["poll_every_s"]) == (1, 0.5)
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
    scenario = generator.scenarios(experiment.workload, smoke, 1)[-1]
    assert scenario["hold_s"] == smoke.hold_s
    if not isinstance(experiment.workload, Uploads):
        assert len(scenario.get("users") or scenario["lists"]) == experiment.workload.users
    assert (generator.folder(experiment.workload) / "README.md").exists()


def test_latency_is_read_from_the_histogram():
    histogram = HdrHistogram(1, 600_000_000_000, 3)
    for milliseconds in (1, 1, 1, 5):
        histogram.record_value(milliseconds * 1_000_000)
    latency = generator.latency(histogram.encode().decode())
    assert latency.mean == pytest.approx(2, rel=0.001)
    assert latency.sd == pytest.approx(3**0.5, rel=0.001)
    assert (latency.p50, latency.max) == pytest.approx((1, 5), rel=0.001)
    assert latency.as_dict()["p99.9"] == pytest.approx(5, rel=0.001)


def test_no_answer_has_no_latency():
    latency = generator.latency(HdrHistogram(1, 600_000_000_000, 3).encode().decode())
    assert set(latency.as_dict().values()) == {None}
