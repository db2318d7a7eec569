"""The declarations of metrics, and that what follows from them does."""

import json
from dataclasses import replace
from importlib.resources import files
from types import SimpleNamespace

import pytest

from samewire.paths import CHECKOUT
from samewire.race.experiment import find_experiments, load
from samewire.race.measured import Measured
from samewire.race.metric import CONVERSATION, REQUESTS, SAMPLE, STEP, SWEEP, UPLOADS
from samewire.race.metrics import METRICS, metric, reference
from samewire.race.workloads import PROBED, WORKLOADS

KINDS = {kind: workload.told for kind, workload in WORKLOADS.items()} | {"probed": PROBED}
NAMES = {kind.name for kind in KINDS.values()}
USES = {*NAMES, SAMPLE, STEP}

each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@pytest.mark.parametrize("declared", METRICS.values(), ids=METRICS)
def test_every_metric_is_of_something_and_can_be_had(declared):
    assert declared.of
    assert {*declared.of, *declared.compared} <= USES
    assert set(declared.compared) <= set(declared.of)
    assert [bool(one) for one in (declared.of_load, declared.of_footprint, declared.of_steps)].count(True) == 1
    assert declared.about
    # Figures of a run of uploads are means over its samples.
    assert UPLOADS not in declared.of or SAMPLE in declared.of or declared.of_footprint


def test_the_reference_lists_the_metrics_as_they_are_declared():
    page = (CHECKOUT / "docs/reference/run-record.md").read_text()
    assert reference() in page, f"the table under Metrics has to be:\n{reference()}"


@each_kind
def test_what_a_report_shows_of_a_kind_is_measured_in_it(kind):
    columns = [key for _, _, below in kind.columns for _, key in below]
    for key in (kind.ranking.metric, *columns, *kind.brief, *kind.compared):
        assert kind.name in METRICS[key].of
    assert all(METRICS[key].short for key in kind.brief)
    part = next((workload.part for workload in WORKLOADS.values() if workload.told is kind), "")
    for key, _ in kind.by_sample:
        assert part in METRICS[key].of
    assert bool(kind.by_sample) == bool(kind.sample) == bool(part)


@each_kind
def test_columns_have_the_units_in_which_their_metrics_are_shown(kind):
    for heading, unit, below in kind.columns:
        for subheading, key in below:
            assert METRICS[key].unit in f"{heading} {unit} {subheading}"


@each_kind
def test_a_report_says_how_a_kind_is_read(kind):
    assert (files("samewire.report") / f"templates/reading/{kind.name}.html").is_file()


@pytest.mark.parametrize("workload", [load(name).workload for name in find_experiments()], ids=find_experiments())
def test_servers_are_compared_in_what_they_are_ranked_by(workload):
    assert workload.shown.ranking.metric in workload.compared()


def test_the_schema_of_a_record_knows_every_ranking():
    schema = json.loads((files("samewire.report") / "run.schema.json").read_text())
    known = schema["properties"]["experiment"]["properties"]["ranking"]["enum"]
    best = {kind.ranking.metric: "lowest" if kind.ranking.lowest else "highest" for kind in KINDS.values()}
    assert {one["metric"]: one["best"] for one in known} == best


def test_the_kinds_are_those_that_metrics_are_of():
    assert {REQUESTS, CONVERSATION, UPLOADS, SWEEP} == NAMES


def test_a_metric_that_is_not_declared_keeps_its_key():
    assert metric("mean_wait_ms").name == "mean wait ms"


def test_a_metric_of_a_part_is_shown_as_that_of_the_whole():
    part = metric("uploaded_bytes_per_s of sample 3")
    assert (part.name, part.unit, part.scale) == ("Uploaded: sample 3", "MB/s", 1e-6)


def test_throughput_that_rises_in_the_hold_has_a_slope():
    """Two seconds of ramp, then 100, 102, ... answers a second: 18 more after nine seconds, of 109 on average."""
    rows = [
        {"t_s": second, "errors": 0, "requests": 7 if second <= 2 else 100 + 2 * (second - 3)}
        for second in range(1, 15)
    ]
    load = SimpleNamespace(series=rows, duration_s=10.0)
    run = Measured(load, None, (), None, ramp_up_s=2.0)
    assert replace(run, by_requests=True).throughput_change() is None
    assert run.throughput_change() == pytest.approx(2 * 10 / 109)
    assert replace(run, load=SimpleNamespace(series=rows[:4], duration_s=10.0)).throughput_change() is None
    assert run.throughput_growth() == pytest.approx(1.18)
    assert replace(run, by_requests=True).throughput_growth() is None
    assert replace(run, load=SimpleNamespace(series=rows[:3], duration_s=10.0)).throughput_growth() is None
