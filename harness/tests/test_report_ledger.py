"""The ledger of findings, from synthetic records."""

import copy
import json
import re
from dataclasses import replace

import pytest
from playwright.sync_api import sync_playwright
from synthetic_run import synthetic_run

from samewire.browser import LAUNCH
from samewire.race.entrants import Selector
from samewire.race.experiment import load
from samewire.race.verdicts import HOLDS, NOT_TESTED, STAND_IN, UNDECIDED
from samewire.report import kept, ledger
from samewire.report.ledger import NO_RECORD, TABLE, chapters, page, table
from samewire.report.model import Race

FEW_ERRORS = next(one for one in load("shortener").findings if one.id == "few-errors-postgresql")


def _keep(folder, day, rounds):
    run = folder / f"2026010{day}T000000Z-shortener-quick"
    run.mkdir()
    (run / "run.json").write_text(json.dumps(synthetic_run(rounds=rounds)))
    kept.keep(run, folder / "records")


@pytest.fixture
def records(tmp_path):
    """Two records of one experiment, of which the newer one has rounds enough to decide something."""
    _keep(tmp_path, 1, rounds=1)
    _keep(tmp_path, 2, rounds=5)
    return tmp_path / "records"


def _only(records, monkeypatch, finding):
    """The only entry of the shortener's chapter, which tests this finding."""
    changed = replace(load("shortener"), findings=(finding,))
    monkeypatch.setattr(ledger, "load", lambda name: changed if name == "shortener" else load(name))
    (chapter,) = [one for one in chapters(records) if one.experiment is changed]
    (entry,) = chapter.entries
    return chapter, entry


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


def test_the_newest_record_counts(records, monkeypatch):
    chapter, entry = _only(records, monkeypatch, FEW_ERRORS)
    assert chapter.record == "20260102T000000Z-shortener-quick"
    assert entry.verdict == HOLDS
    assert re.fullmatch(r"0 \(0–0\), (node/pg|java/netty-pg|php/apache-pg)", entry.ours), entry.ours
    kept.file_of(chapter.record, records).unlink()
    chapter, entry = _only(records, monkeypatch, FEW_ERRORS)
    assert (chapter.record, entry.verdict) == ("20260101T000000Z-shortener-quick", UNDECIDED)


def test_verdicts_are_those_of_the_rules_that_hold_now(records, monkeypatch):
    """The record was judged when it was made, by another claim or by none."""
    claim = replace(FEW_ERRORS, metric="threads_peak", at_least=None, at_most=1.0)
    assert _only(records, monkeypatch, claim)[1].verdict == "does not hold"
    assert _only(records, monkeypatch, replace(claim, at_most=100.0))[1].verdict == HOLDS


def test_a_stand_in_a_doubt_and_a_server_that_is_not_steady_decide_nothing(records, monkeypatch):
    assert _only(records, monkeypatch, load("shortener").findings[-1])[1].verdict == STAND_IN
    path = kept.file_of("20260102T000000Z-shortener-quick", records)
    run = synthetic_run(rounds=5)
    doubted = copy.deepcopy(run) | {"doubt": "another program ran"}
    unsteady = copy.deepcopy(run)
    of_netty = next(one for one in unsteady["runs"] if one["server"] == "servers-java/shortener-netty-pg")
    of_netty["warming"] = {"seconds": 1.0, "steady": False, "windows": []}
    for changed, why in (
        (doubted, "another program ran"),
        (unsteady, "not steady when it was measured: java/netty-pg"),
    ):
        folder = records.parent / path.name.removesuffix(".json.gz")
        (folder / "run.json").write_text(json.dumps(changed))
        kept.keep(folder, records)
        entry = _only(records, monkeypatch, FEW_ERRORS)[1]
        assert (entry.verdict, entry.why) == (UNDECIDED, why)


@pytest.mark.parametrize(
    ("bounds", "begin"),
    [({"at_least": 1.0}, "PHP waits more often: "), ({"at_most": 0.5}, "Not so: PHP waits more often: ")],
)
def test_a_reason_is_tested_on_the_kept_figures(records, monkeypatch, bounds, begin):
    reason = replace(
        FEW_ERRORS, text="PHP waits more often.", metric="switches_per_request", compare="each",
        subject=Selector((("language", "PHP"), ("store", "postgresql"), ("variant", ""))),
        others=Selector((("http_server", "node:http"), ("store", "postgresql"), ("variant", ""))),
        at_least=bounds.get("at_least"), at_most=bounds.get("at_most"),
    )  # fmt: skip
    chapter, entry = _only(records, monkeypatch, replace(FEW_ERRORS, reasons=(reason,)))
    (told,) = entry.reasons
    assert told.startswith(begin)
    # 2.4 switches against 0.31.
    assert re.search(r": 7\.\d+ × \(.*\), php/apache-pg to node/pg\.$", told)
    assert f"| The whole interval is at most 0.01; the closest of 3 comparisons is shown. {told} |" in table([chapter])
    assert f"<small>{told}</small>" in page([chapter])


def test_a_race_on_a_part_of_a_core_says_so():
    run = synthetic_run(rounds=2)
    run["parameters"]["server_share"] = 0.5
    assert "each server may use 50% of its core" in Race(run).warnings[0]
    assert "each server may use 50% of the time of its cores" in ledger.facts(Race(run))


def test_a_reason_on_a_stand_in_is_not_told_as_one(records, monkeypatch):
    reason = replace(load("shortener").findings[0], text="Node needs less.", metric="cpu_us_per_request")
    _, entry = _only(records, monkeypatch, replace(FEW_ERRORS, reasons=(reason,)))
    assert entry.reasons[0].startswith("Not tested: Node needs less: ")


def _keep_profile(records, number, share):
    folder = records.parent / f"{number}-profile-randoms-express-log-sync"
    folder.mkdir()
    profile = {
        "experiment": {"name": "event-loop"},
        "server": {"id": "servers-node/randoms-express:log-sync"},
        "metrics": {"stack_share of consoleCall": share},
    }
    (folder / "profile.json").write_text(json.dumps(profile))
    return kept.keep_profile(folder, records)


def test_profiles_that_are_kept_are_rounds_of_a_finding_on_them(records):
    def entry():
        (chapter,) = [one for one in chapters(records) if one.experiment.name == "event-loop"]
        return next(one for one in chapter.entries if "34 %" in one.text)

    assert entry().verdict == NO_RECORD
    _keep_profile(records, 1, 0.30)
    assert (entry().verdict, entry().why) == (UNDECIDED, "one round gives no interval")
    for number, share in ((2, 0.32), (3, 0.31)):
        _keep_profile(records, number, share)
    assert entry().verdict == HOLDS
    assert entry().ours.startswith("0.310 (")
    assert entry().record == "profiles/3-profile-randoms-express-log-sync"
    assert entry().servers == ("servers-node/randoms-express",)


def test_a_race_does_not_tell_what_a_profile_does(records, monkeypatch):
    claim = replace(FEW_ERRORS, metric="stack_share of a|b", at_most=0.5)
    entry = _only(records, monkeypatch, claim)[1]
    told = "profiles tell it: samewire profile SERVER EXPERIMENT --share 'a|b' --keep"
    assert (entry.verdict, entry.why) == (NOT_TESTED, told)


def test_a_chart_shows_the_claim_and_our_figure(records, monkeypatch):
    chapter, entry = _only(records, monkeypatch, replace(FEW_ERRORS, metric="threads_peak", at_most=80.0))
    assert 'class="claim" x="0.00%" width="' in entry.chart
    assert entry.chart in page([chapter])
    # A ratio below a tenth has room on its axis; one figure of 0 alone has none.
    assert _only(records, monkeypatch, replace(FEW_ERRORS, at_most=None, at_least=0.0))[1].chart == ""


def test_a_row_links_its_record_and_the_code(records, monkeypatch):
    chapter, _ = _only(records, monkeypatch, FEW_ERRORS)
    html = page([chapter])
    assert '<a href="../../bench/records/20260102T000000Z-shortener-quick.json.gz">Record</a>' in html
    assert '<a href="../../servers-node/shortener-pg/">shortener-pg</a>' in html


def test_the_table_has_a_row_for_each_finding(records):
    found = chapters(records)
    rows = table(found).partition("\n## ")[2]
    lines = [line for line in rows.splitlines() if line.startswith("| ")]
    assert len(lines) == sum(len(chapter.entries) + 1 for chapter in found)
    assert {len(re.findall(r"\|", line)) for line in lines} == {6}


def test_the_page_says_of_each_row_by_what_it_is_filtered(records):
    html = page(chapters(records))
    assert f'data-experiment="shortener" data-verdict="{HOLDS}" data-stack="Apache httpd,netty,node:http"' in html
    assert "https://" not in html


def test_the_table_of_the_kept_records_is_up_to_date():
    assert TABLE.read_text() == table(chapters()), "run: samewire ledger"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_read_and_filtered_in_a_browser(records, tmp_path, width):
    html = tmp_path / "index.html"
    html.write_text(page(chapters(records)))
    trouble = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        shown = browser.new_context(offline=True, viewport={"width": width, "height": 900}).new_page()
        shown.on("console", lambda message: trouble.append(message.text))
        shown.on("pageerror", lambda error: trouble.append(str(error)))
        shown.goto(html.as_uri())
        rows = shown.locator("tbody tr")
        assert rows.count() == sum(len(chapter.entries) for chapter in chapters(records))
        shown.get_by_label("Verdict").select_option(HOLDS)
        holding = shown.locator("tbody tr:visible")
        assert 0 < holding.count() < rows.count()
        assert set(holding.locator(".verdict").all_inner_texts()) == {HOLDS}
        assert shown.get_by_role("status").inner_text() == f"{holding.count()} of {rows.count()} findings"
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()
    assert not trouble
