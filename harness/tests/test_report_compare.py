"""What changed from one race to another, from synthetic runs, and records that are kept."""

import copy
import json

import pytest
from rich.console import Console
from synthetic_run import synthetic_run

from samewire.race.statistics import Interval
from samewire.report import kept
from samewire.report.compare import changes, differences
from samewire.report.model import Race, ReportError
from samewire.report.terminal import print_changes

NODE = "servers-node/shortener-pg"


@pytest.fixture(scope="module")
def first():
    return Race(synthetic_run())


def _changed(change):
    data = copy.deepcopy(synthetic_run(seed=2))
    change(data)
    return Race(data)


def _faster(data):
    for run in data["runs"]:
        if run["server"] == NODE:
            run["metrics"]["throughput_rps"] *= 1.5


def test_only_what_changed_is_decided(first):
    found = changes(first, _changed(_faster))
    (decided,) = [one for one in found if one.metric == "Throughput" and one.decided]
    assert decided.server == "node/pg"
    assert decided.ratio.mean == pytest.approx(1.5, rel=0.1)
    assert decided.ratio.low < decided.ratio.mean < decided.ratio.high


def _server(data):
    return next(server for server in data["servers"] if server["id"] == NODE)


def _run(data):
    return next(run for run in data["runs"] if run["server"] == NODE)


@pytest.mark.parametrize(
    ("spoil", "decided"),
    [
        (lambda data: _server(data).update(bounds={"throughput_rps": "≥"}), True),  # it is higher all the more
        (lambda data: _server(data).update(bounds={"throughput_rps": "≤"}), False),
        (lambda data: data.update(doubt="the machine was not quiet"), False),
        (lambda data: _run(data).update(warming={"seconds": 60, "steady": False, "windows": []}), False),
    ],
)
def test_a_change_is_decided_only_on_figures_that_can_decide(first, spoil, decided):
    def change(data):
        _faster(data)
        spoil(data)

    found = {one.server: one for one in changes(first, _changed(change)) if one.metric == "Throughput"}
    assert found["node/pg"].decided == decided


def test_nothing_changed_between_a_race_and_itself(first):
    assert not [one for one in changes(first, first) if one.decided]
    assert differences(first, first) == []


def test_figures_that_do_not_vary_are_compared_as_they_are(first):
    def set_threads(number):
        def change(data):
            for run in data["runs"]:
                run["metrics"]["threads_peak"] = number

        return change

    before, after = _changed(set_threads(10)), _changed(set_threads(20))
    (found, *_) = [one for one in changes(before, after) if one.metric == "Threads, peak"]
    assert (found.ratio, found.decided) == (Interval(2.0, 2.0, 2.0, 5), True)
    assert not any(one.decided for one in changes(before, before))


def test_what_was_different_is_named(first):
    def change(data):
        data["parameters"]["hold_s"] = 7.0
        data["machine"]["kernel"] = "7.0"
        server = data["servers"][0]
        server["pass"] = server["pass"] | {"digest": {"files": "other"}}

    found = {one.name: (one.first, one.second) for one in differences(first, _changed(change))}
    assert found["parameters.hold_s"][1] == 7.0
    assert found["machine.kernel"][1] == "7.0"
    assert found[first.data["servers"][0]["id"]][1].startswith("another digest of")


def test_a_server_that_is_only_in_one_is_named(first):
    def leave_out(data):
        data["runs"] = [run for run in data["runs"] if run["server"] != NODE]
        data["servers"] = [server for server in data["servers"] if server["id"] != NODE]

    assert (NODE, "there", None) in [
        (one.name, one.first, one.second) for one in differences(first, _changed(leave_out))
    ]


def test_races_of_two_experiments_are_not_compared(first):
    other = _changed(lambda data: data["experiment"].update(name="chat"))
    with pytest.raises(ReportError, match="two experiments cannot be compared: shortener and chat"):
        changes(first, other)


def test_what_is_printed_fits_a_terminal(first, capsys):
    def change(data):
        _faster(data)
        data["parameters"]["hold_s"] = 7.0

    print_changes(first, _changed(change), Console(width=100))
    text = capsys.readouterr().out
    assert "What was different" in text
    assert "second ÷ first" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_record_that_is_kept_is_found_and_unpacked(tmp_path):
    results, records = tmp_path / "results", tmp_path / "records"
    folder = results / "20260101T000000Z-shortener-quick"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"schema": 1}))
    packed = kept.keep(folder, records)
    content = packed.read_bytes()
    assert kept.keep(folder, records).read_bytes() == content
    (folder / "run.json").unlink()
    assert kept.names(results, records) == [folder.name]
    for name in (folder.name, str(packed)):
        assert kept.find(name, results, records) == folder
        assert json.loads((folder / "run.json").read_text()) == {"schema": 1}
    assert kept.find("none", results, records) is None
