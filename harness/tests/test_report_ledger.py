"""The ledger of findings, from synthetic records."""

import copy
import json
import re

import pytest
from synthetic_run import synthetic_run

from samewire.race.experiment import load
from samewire.race.verdicts import NOT_TESTED
from samewire.report import kept, ledger
from samewire.report.ledger import NO_RECORD, TABLE, chapters, page, table

FINDING = load("shortener").findings[0]


@pytest.fixture
def records(tmp_path):
    """Two records of one experiment, of which the newer one has another verdict on its first finding."""
    judged = {
        "id": FINDING.id, "text": FINDING.text, "published": FINDING.published,
        "ours": {
            "value": 1.5, "low": 1.2, "high": 1.8, "unit": "×", "bound": "≥",
            "text": "servers-node/shortener-pg to all: 1.5",
        },
        "verdict": "holds", "why": "the whole interval is at least 1 | so",
    }  # fmt: skip
    for day, verdict in ((1, "undecided"), (2, "holds")):
        data = copy.deepcopy(synthetic_run())
        data["findings"] = [judged | {"verdict": verdict}]
        folder = tmp_path / f"2026010{day}T000000Z-shortener-quick"
        folder.mkdir()
        (folder / "run.json").write_text(json.dumps(data))
        kept.keep(folder, tmp_path / "records")
    return tmp_path / "records"


def test_every_finding_of_every_experiment_is_in_it(records):
    found = chapters(records)
    for chapter in found:
        texts = [entry.text for entry in chapter.entries]
        assert texts == [finding.text for finding in chapter.experiment.findings]
    without = [chapter for chapter in found if not chapter.record]
    # What cannot be tested needs no record.
    assert [(entry.verdict, entry.why) for chapter in without for entry in chapter.entries] == [
        (NOT_TESTED, finding.untested) if finding.untested else (NO_RECORD, "")
        for chapter in without
        for finding in chapter.experiment.findings
    ]


def test_the_newest_record_counts(records):
    (chapter,) = [one for one in chapters(records) if one.record]
    assert chapter.record == "20260102T000000Z-shortener-quick"
    first, *others = chapter.entries
    assert first.verdict == "holds"
    assert first.ours == "≥ 1.50 × (1.20–1.80), node/pg to all"
    assert {entry.verdict for entry in others} == {NO_RECORD}
    assert chapter.verdicts == f"1 holds and {len(others)} {NO_RECORD}"


def test_a_record_of_a_finding_in_other_words_says_nothing(records, monkeypatch):
    experiment = load("shortener")
    changed = copy.copy(experiment)
    object.__setattr__(changed, "findings", (copy.copy(FINDING),))
    object.__setattr__(changed.findings[0], "text", "something else")
    monkeypatch.setattr(ledger, "load", lambda name: changed if name == "shortener" else load(name))
    (chapter,) = [one for one in chapters(records) if one.experiment is changed]
    assert [entry.verdict for entry in chapter.entries] == [NO_RECORD]


def test_the_table_has_a_row_for_each_finding(records):
    found = chapters(records)
    lines = [line for line in table(found).splitlines() if line.startswith("| ")]
    assert len(lines) == sum(len(chapter.entries) + 1 for chapter in found)
    assert {len(re.findall(r"\|", line)) for line in lines} == {6}


def test_the_page_says_of_each_row_by_what_it_is_filtered(records):
    html = page(chapters(records))
    assert 'data-experiment="shortener" data-verdict="holds" data-stack="apache,netty,node:http"' in html
    assert "https://" not in html


def test_the_table_of_the_kept_records_is_up_to_date():
    assert TABLE.read_text() == table(chapters()), "run: samewire ledger"
