import statistics
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hdrh.histogram import HdrHistogram

from samewire.race import RaceError, upload_folders
from samewire.race.experiment import load
from samewire.race.latency import mean_absolute_deviation
from samewire.race.metric import SAMPLE, UPLOADS
from samewire.race.metrics import metrics_of

EXPERIMENT = load("upload")
WORKLOAD, QUICK = EXPERIMENT.workload, EXPERIMENT.profile("quick")


@pytest.mark.parametrize("sample", WORKLOAD.samples, ids=lambda sample: sample.name)
def test_sizes_have_the_published_mean_and_deviation_and_the_tail(sample):
    sizes = WORKLOAD.sizes(sample)
    assert len(sizes) == 10_000
    assert sizes[0] >= 1
    # The study gives whole bytes.
    assert statistics.fmean(sizes) == pytest.approx(sample.mean_bytes, abs=0.5)
    assert statistics.pstdev(sizes) == pytest.approx(sample.sd_bytes, abs=0.5)
    if sample.sd_bytes < sample.mean_bytes:
        # The largest is in the tail: its quantile at the middle of the last 700th.
        beyond = (1 - 100**-1.9) / 1400 + 100**-1.9
        assert sizes[-1] == pytest.approx(sample.tail_scale_bytes * beyond ** (-1 / 1.9), abs=0.5)


@pytest.mark.parametrize("given", [{"sd_bytes": 0.5}, {"tail_scale_bytes": 100.0}])
def test_a_tail_that_is_too_long_for_the_whole_leaves_no_body(given):
    with pytest.raises(RaceError, match="sample 1: no body gives a list with this tail mean 4 and standard deviation"):
        WORKLOAD.sizes(replace(WORKLOAD.samples[0], **given))


def test_scenarios_are_the_warm_up_and_each_sample():
    warm_up, *samples = scenarios = WORKLOAD.scenarios(QUICK, 1)
    assert scenarios == WORKLOAD.scenarios(QUICK, 1) != WORKLOAD.scenarios(QUICK, 2)
    assert [one["users"] for one in samples] == [400] * 8 + [160, 10]
    assert {len(one["list"]) for one in scenarios} == {10_000}
    for sample, scenario in zip(WORKLOAD.samples, samples, strict=True):
        assert all(request[:3] == ("/uploads", 201, "POST") for request in scenario["list"])
        files = [size for request in scenario["list"] for size in request[3]]
        assert sorted(files) == WORKLOAD.sizes(sample)
    assert (warm_up["users"], warm_up["hold_s"], warm_up["warm_up_s"]) == (400, QUICK.warm_up_s, 0)
    # From all samples: a tenth each, which are five and six powers of ten apart.
    small = sum(max(request[3]) < 120 for request in warm_up["list"])
    assert 800 < small < 2000


def test_samples_are_described_by_what_their_lists_have():
    first, *_, last = WORKLOAD.described(QUICK)
    assert (first["name"], first["users"], first["largest_bytes"]) == ("1", 400, 110)
    assert last["mean_bytes"] == pytest.approx(410243, abs=0.5)


def _figures(**given):
    return dict.fromkeys((one.key for one in metrics_of(SAMPLE)), 1.0) | given


def test_a_runs_figures_are_the_means_of_its_samples():
    samples = {
        "1": _figures(latency_mean_ms=1.0, latency_sd_ms=3.0, latency_cv=3.0, error_share=0.5),
        "2": _figures(latency_mean_ms=9.0, latency_sd_ms=2.0, latency_cv=2 / 9, cpu_share_sd=None),
    }
    footprint = {one.key: 3 for one in metrics_of(UPLOADS) if one.of_footprint}
    figures = WORKLOAD.means(samples, 0.01, footprint)
    assert figures["latency_mean_ms"] == 5
    assert figures["latency_cv"] == pytest.approx(5 / 10)
    assert figures["error_share"] == 0.01
    assert figures["cpu_share_sd"] is None
    assert figures["threads_peak"] == 3
    assert list(figures) == WORKLOAD.metrics()


def test_the_mean_absolute_deviation_is_that_of_the_samples():
    histogram = HdrHistogram(1, 600_000_000_000, 3)
    assert mean_absolute_deviation(histogram.encode().decode()) is None
    for milliseconds in (1, 2, 3, 6):
        histogram.record_value(milliseconds * 1_000_000)
    assert mean_absolute_deviation(histogram.encode().decode()) == pytest.approx(1.5, rel=1e-3)


def test_folders_are_new_and_what_was_in_them_is_emptied(tmp_path):
    kept, folder = tmp_path / "kept", tmp_path / "uploads"
    below = folder / "below"
    below.mkdir(parents=True)
    folder.chmod(0o777)
    below.chmod(0o700)
    for place in (tmp_path, folder, below):
        (place / "kept").write_text("x")
    (folder / "link").symlink_to(kept)
    for _ in range(2):
        upload_folders.renew(folder)
        assert list(folder.rglob("*")) == [below]
        assert [place.stat().st_mode & 0o777 for place in (folder, below)] == [0o777, 0o700]
    assert kept.read_text() == "x"
    spent = [path for path in tmp_path.rglob("kept") if path != kept]
    assert [path.stat().st_size for path in spent] == [0, 0]


@pytest.mark.parametrize(("free", "left"), [(60, 1), (40, 0)])
def test_what_was_left_is_deleted_where_files_get_scarce(tmp_path, monkeypatch, free, left):
    slept = []
    monkeypatch.setattr(upload_folders.os, "statvfs", lambda _: SimpleNamespace(f_files=100, f_ffree=free))
    monkeypatch.setattr(upload_folders.time, "sleep", slept.append)
    (tmp_path / "uploads").mkdir()
    (tmp_path / "uploads" / "file").write_text("")
    upload_folders.renew(tmp_path / "uploads")
    upload_folders.make_room(tmp_path / "uploads")
    assert len(list(tmp_path.rglob("file"))) == left
    assert slept == [60.0] * (1 - left)
    assert (tmp_path / "uploads").exists()


def test_the_disk_of_a_folder_is_told(tmp_path):
    assert upload_folders.disk(tmp_path) == upload_folders.disk(tmp_path / "not" / "made")
    # Processes are on no disk.
    assert upload_folders.disk(Path("/proc")).startswith("device 0:")
