"""How often races of a server against itself decide something."""

import csv
import json
import random

import pytest

from samewire.race.same import Rate, false_decisions, keep

SERVER = "servers-node/one"


def _run(number, throughput, memory=None):
    """A run folder's content: by metric the values of each copy in each round."""
    values = {"throughput_rps": throughput, "pss_peak_bytes": memory or [(1.0, 1.0)] * len(throughput)}
    return {
        "started_at": f"2026-01-01T00:00:{number:02}+00:00",
        "experiment": {"name": "event-loop"},
        "profile": "smoke",
        "seed": number,
        "servers": [{"id": f"{SERVER}#{copy}"} for copy in (1, 2)],
        "runs": [
            {
                "server": f"{SERVER}#{copy}",
                "round": place,
                "metrics": {metric: pairs[place - 1][copy - 1] for metric, pairs in values.items()},
            }
            for place in range(1, len(throughput) + 1)
            for copy in (1, 2)
        ],
        "comparisons": [{"metric": metric, "a": f"{SERVER}#1", "b": f"{SERVER}#2"} for metric in values],
    }


@pytest.fixture
def kept(tmp_path):
    def keep_all(*runs):
        for run in runs:
            (tmp_path / "run.json").write_text(json.dumps(run))
            keep(tmp_path, tmp_path / "same.csv")
        return tmp_path / "same.csv"

    return keep_all


EQUAL = [(100.0, 101.0), (101.0, 100.0), (99.0, 100.0), (100.0, 99.0), (100.0, 100.5)]
HIGHER = [(110.0, 100.0), (111.0, 100.5), (109.0, 100.2), (110.0, 99.5), (110.5, 100.0)]


def test_a_race_that_decides_is_counted(kept):
    found = false_decisions(kept(_run(1, EQUAL), _run(2, HIGHER), _run(3, EQUAL, memory=HIGHER)))
    assert found.order == Rate(3, 1)
    assert found.any == Rate(3, 2)
    assert (found.metrics, found.rounds) == (2, 5)


def test_every_round_is_kept_with_where_it_comes_from(kept):
    rows = list(csv.DictReader(kept(_run(1, EQUAL)).open()))
    assert len(rows) == 10
    assert rows[0] == {
        "started_at": "2026-01-01T00:00:01+00:00",
        "experiment": "event-loop",
        "profile": "smoke",
        "server": SERVER,
        "seed": "1",
        "ranking": "throughput_rps",
        "metric": "throughput_rps",
        "round": "1",
        "first": "100.0",
        "second": "101.0",
    }


def test_a_round_without_a_figure_is_left_out(kept):
    assert false_decisions(kept(_run(1, [(None, 1.0), *EQUAL]))).rounds == 5


def test_there_is_no_rate_without_a_race(tmp_path):
    assert false_decisions(tmp_path / "none.csv") is None


def test_the_interval_of_a_rate_is_that_of_clopper_and_pearson():
    # No success of 40: 1 - (0.025) ** (1 / 40) is its upper end.
    assert Rate(40, 0).interval == pytest.approx((0, 1 - 0.025 ** (1 / 40)))


def test_a_twentieth_of_simulated_races_decides_falsely(kept):
    """Five rounds with a noise of 5 % in each figure, and 3 % that both share."""
    draw = random.Random(1)

    def pair():
        both = draw.lognormvariate(0, 0.03)
        return tuple(1000 * both * draw.lognormvariate(0, 0.05) for _ in (1, 2))

    found = false_decisions(kept(*(_run(number, [pair() for _ in range(5)]) for number in range(300))))
    assert found.order.false / found.order.races == pytest.approx(0.05, abs=0.025)
