import json

import pytest

from samewire import outcomes
from samewire.outcomes import SUITE


def test_what_came_of_several_sessions_adds_up(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "OUTCOMES", tmp_path / "outcomes.json")
    one = {"a": {"cases": {"passed": 2}}, SUITE: {"faults": {"passed": 3}}}
    other = {"b": {"cases": {"passed": 1}}, SUITE: {"faults": {"passed": 4, "failed": 1}}}
    outcomes.keep_outcomes(
        [
            {
                "outcomes": one,
                "contracts": {"s": "1.0.0"},
                "databases": {"x": "X"},
                "tls": {},
                "narrowed": ["--layer cases"],
                "reasons": {"r": 1},
                "failures": ["f"],
                "results": [1],
                "unknown": ["x", "y"],
            },
            {
                "outcomes": other,
                "contracts": {"t": "2.0.0"},
                "databases": {},
                "tls": {"a": "TLSv1.3"},
                "narrowed": ["--layer cases"],
                "reasons": {"r": 2},
                "failures": [],
                "results": [2, 3],
                "unknown": ["y"],
            },
            outcomes.nothing()
            | {"outcomes": {"a": {"cases": {"skipped": 1}}, "c": {"wire": {"passed": 1}}}, "failures": ["g"]},
        ]
    )
    assert json.loads(outcomes.OUTCOMES.read_text()) == {
        "outcomes": {
            "a": {"cases": {"passed": 2, "skipped": 1}},
            "b": {"cases": {"passed": 1}},
            "c": {"wire": {"passed": 1}},
            SUITE: {"faults": {"passed": 7, "failed": 1}},
        },
        "contracts": {"s": "1.0.0", "t": "2.0.0"},
        "databases": {"x": "X"},
        "tls": {"a": "TLSv1.3"},
        "narrowed": ["--layer cases"],
        "reasons": {"r": 3},
        "failures": ["f", "g"],
        "results": [1, 2, 3],
        "unknown": ["y"],
    }


def test_without_faults_the_suite_has_no_row(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "OUTCOMES", tmp_path / "outcomes.json")
    outcomes.keep_outcomes([outcomes.nothing() | {"outcomes": {"a": {}}}])
    assert outcomes.last_outcomes()["outcomes"] == {"a": {}}


def test_a_file_of_an_older_run_has_no_results(tmp_path) -> None:
    file = tmp_path / "outcomes.json"
    file.write_text(json.dumps({"outcomes": {}, "databases": {}, "reasons": {}, "failures": ["f"]}))
    assert outcomes.last_outcomes(file)["results"] == []
