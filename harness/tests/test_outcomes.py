import json

import pytest

from samewire import outcomes
from samewire.outcomes import SUITE


def test_numbers_of_faults_add_up(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "OUTCOMES", tmp_path / "outcomes.json")
    one = {"a": {"cases": {"passed": 2}}, SUITE: {"faults": {"passed": 3}}}
    other = {"b": {"cases": {"passed": 1}}, SUITE: {"faults": {"passed": 4, "failed": 1}}}
    outcomes.keep_outcomes(
        [
            {"outcomes": one, "databases": {"x": "X"}, "reasons": {"r": 1}, "failures": ["f"]},
            {"outcomes": other, "databases": {}, "reasons": {"r": 2}, "failures": []},
            {"outcomes": {"c": {"wire": {"passed": 1}}}, "databases": {}, "reasons": {}, "failures": ["g"]},
        ]
    )
    assert json.loads(outcomes.OUTCOMES.read_text()) == {
        "outcomes": {
            "a": {"cases": {"passed": 2}},
            "b": {"cases": {"passed": 1}},
            "c": {"wire": {"passed": 1}},
            SUITE: {"faults": {"passed": 7, "failed": 1}},
        },
        "databases": {"x": "X"},
        "reasons": {"r": 3},
        "failures": ["f", "g"],
    }


def test_without_faults_the_suite_has_no_row(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "OUTCOMES", tmp_path / "outcomes.json")
    outcomes.keep_outcomes([{"outcomes": {"a": {}}, "databases": {}, "reasons": {}, "failures": []}])
    assert outcomes.last_outcomes()["outcomes"] == {"a": {}}
