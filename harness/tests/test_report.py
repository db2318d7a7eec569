"""The report's figures, texts and tables, from synthetic runs."""

import base64
import csv
import gzip
import io
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from itertools import combinations, pairwise

import numpy as np
import pytest
from rich.console import Console
from synthetic_run import (
    FOUR,
    ROOM,
    SAMPLES,
    SIX,
    STAND_IN,
    encoded,
    synthetic_conversation,
    synthetic_run,
    synthetic_sweep,
    synthetic_uploads,
    write_synthetic_run,
)

from samewire.race.same import Rate
from samewire.report import tables
from samewire.report.axes import linear, logarithmic, percentiles, places, ratio
from samewire.report.charts import spread
from samewire.report.figures import time_end
from samewire.report.histograms import merge
from samewire.report.model import Race, ReportError, check, load, measured
from samewire.report.numbers import Estimate, bytes_text, elapsed, enumeration, moment, number, rate_text
from samewire.report.page import render, write
from samewire.report.ratios import matrices
from samewire.report.samples import users_of_samples
from samewire.report.signs import HUES, SHAPES, signs
from samewire.report.terminal import print_summary
from samewire.report.verdict import remarks, verdict

NODE, NETTY, PHP = "servers-node/shortener-pg", "servers-java/shortener-netty-pg", "servers-php/shortener-apache-pg"
SCRIPT = "servers-php/shortener-apache-<script>alert(1)</script>"
EXPRESS, TOMCAT = "servers-node/upload-express", "servers-java/upload-tomcat"
BATCHED, SOCKETS, POLLING = (f"servers-node/chat-{way}" for way in ("socketio:batched", "socketio", "polling"))


@pytest.fixture(scope="module")
def run_json():
    return json.dumps(synthetic_run())


@pytest.fixture
def run(run_json):
    return json.loads(run_json)


@pytest.fixture(scope="module")
def page(run_json):
    return html_of(json.loads(run_json))


@pytest.fixture(scope="module")
def conversation_json():
    return json.dumps(synthetic_conversation())


@pytest.fixture
def conversation(conversation_json):
    return json.loads(conversation_json)


@pytest.fixture(scope="module")
def uploads_json():
    return json.dumps(synthetic_uploads())


@pytest.fixture
def uploads(uploads_json):
    return json.loads(uploads_json)


@pytest.fixture(scope="module")
def uploads_page(uploads_json):
    return html_of(json.loads(uploads_json))


@pytest.fixture(scope="module")
def loads_json(run_json):
    """Two servers, each with two loads and a probe, of which the second load of each keeps it waiting."""
    data = json.loads(run_json)
    renamed = dict(zip([one["id"] for one in data["servers"]], [
        f"{server}@{name}" for server in (NODE, NETTY) for name in ("offloaded", "blocking")
    ], strict=False))  # fmt: skip
    data["servers"] = [
        one | {"id": renamed[one["id"]], "load": renamed[one["id"]].partition("@")[2], "ranked": True}
        for one in data["servers"]
        if one["id"] in renamed
    ]
    data["runs"] = [run | {"server": renamed[run["server"]]} for run in data["runs"] if run["server"] in renamed]
    for run in data["runs"]:
        wait = 200.0 if run["server"].endswith("blocking") else 2.0
        run["metrics"] |= {"probe_latency_mean_ms": wait, "probe_latency_p50_ms": wait, "probe_latency_p99_ms": wait}
    data["summary"] = {renamed[one]: known for one, known in data["summary"].items() if one in renamed}
    for server, known in data["summary"].items():
        wait = 200.0 if server.endswith("blocking") else 2.0
        known["probe_latency_p50_ms"] = {"mean": wait, "low": wait, "high": wait, "n": 5}
    ids = list(renamed.values())
    ratio_ = {"mean": 0.01, "low": 0.009, "high": 0.011, "n": 5}
    data["comparisons"] = [
        {"metric": "probe_latency_p50_ms", "a": a, "b": b, "ratio": ratio_, "verdict": "b higher"}
        for a, b in combinations(ids, 2)
    ]
    data["findings"] = []
    data["experiment"]["ranking"] = {"metric": "probe_latency_p50_ms", "best": "lowest"}
    return data


def test_a_race_of_loads_names_them_and_compares_what_differs_in_one_thing(loads_json):
    check(loads_json, "loads")
    run = Race(loads_json)
    assert [one.load for one in run.entrants] == ["offloaded", "offloaded", "blocking", "blocking"]
    assert {one.server for one in run.entrants} == {NODE, NETTY}
    pairs = {(one.a, one.b) for one in run.pairs("probe_latency_p50_ms")}
    assert len(pairs) == 4
    assert not any({NODE + "@offloaded", NETTY + "@blocking"} == {*pair} for pair in pairs)
    html = html_of(loads_json)
    assert "node/pg@blocking" in html or "pg@blocking" in html
    assert "Latency of the probe" in html
    assert "more than one of server, variant and load" in html


def html_of(run):
    return render(Race(check(run, "run.json")))


class Page(HTMLParser):
    """Texts by the id of the enclosing section, and every attribute."""

    def __init__(self, html):
        super().__init__()
        self.sections, self.attributes, self.tags, self._section = {}, [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "section":
            self._section = dict(attrs)["id"]

    def handle_endtag(self, tag):
        if tag == "section":
            self._section = ""

    def handle_data(self, data):
        self.sections[self._section] = self.sections.get(self._section, "") + data

    def text(self, section):
        return " ".join(self.sections[section].split())


def comparison(run, metric, a, b):
    return next(c for c in run["comparisons"] if (c["metric"], c["a"], c["b"]) == (metric, a, b))


def silence(run, server):
    """As if the server had never answered: nothing measured but its idle state."""
    idle = {"pss_idle_bytes", "threads_idle"}
    for each in run["runs"]:
        if each["server"] == server:
            each["load"] |= {
                "requests": 0,
                "hdr": None,
                "series": [],
                "statuses": {},
                "whole": {"requests": 0, "errors": {}},
            }
            each["metrics"] = {key: value if key in idle else None for key, value in each["metrics"].items()}
    nothing = {"mean": None, "low": None, "high": None, "n": 0}
    run["summary"][server] = {key: e if key in idle else nothing for key, e in run["summary"][server].items()}
    for each in run["comparisons"]:
        if server in (each["a"], each["b"]):
            each |= {"ratio": None, "verdict": "undecided"}


# Numbers


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "0"), (0.5175, "0.517"), (7.104, "7.10"), (38.94, "38.9"), (119.2, "119"), (5830.4, "5,830"), (-2, "−2.00")],
)
def test_numbers_have_three_significant_digits_and_thousands_apart(value, written):
    assert number(value) == written


def test_an_interval_is_as_exact_as_its_mean():
    assert Estimate(9.98, 9.51, 10.46, 5).interval_text() == "9.51–10.46"
    assert Estimate(0.5174, 0.5, 0.53, 5).interval_text() == "0.500–0.530"


def test_whole_numbers_are_written_without_decimals():
    threads = Estimate(19.000000000001, 19.0, 19.0, 5)
    assert (threads.mean_text(), threads.interval_text()) == ("19", "19–19")


def test_null_and_nan_are_absent():
    nothing = Estimate.of({"mean": math.nan, "low": None, "high": math.inf, "n": 3})
    assert (nothing.mean_text(), nothing.interval_text(), nothing.has_interval) == ("–", "–", False)


@pytest.mark.parametrize(
    ("size", "written"),
    [(4.0, "4 B"), (790.2, "790 B"), (999.7, "1.0 kB"), (5403.1, "5.4 kB"), (22857.4, "23 kB"), (410243.3, "410 kB"),
     (1.2e6, "1.2 MB")],
)  # fmt: skip
def test_sizes_are_written_in_few_characters(size, written):
    assert bytes_text(size) == written


def test_times():
    assert moment("2026-11-21T03:43:07+00:00") == "21 November 2026, 03:43 UTC"
    assert moment("some day") == "some day"
    assert elapsed("2026-11-21T03:43:00+00:00", "2026-11-21T03:50:12+00:00") == "7 min 12 s"


def test_a_rate_is_told_with_its_interval():
    assert rate_text(Rate(races=300, false=12)) == "4 %; 95 % interval 2 to 7 %"


# Axes and charts


@pytest.mark.parametrize("high", [0.03, 1, 7.3, 64, 99.9, 6321, 1e6])
def test_a_linear_axis_reaches_the_highest_value_in_few_round_steps(high):
    axis = linear(high)
    assert axis.at(0) == 0
    assert 0.5 < axis.at(high) <= 1.001
    assert 3 <= len(axis.ticks) <= 6
    assert axis.at(axis.ticks[-1][0]) == pytest.approx(1)


@pytest.mark.parametrize(("low", "high"), [(3.2, 120), (0.04, 60_000), (5, 5), (1, 10), (0.9, 0.95)])
def test_a_logarithmic_axis_holds_both_ends(low, high):
    axis = logarithmic(low, high)
    assert -1e-4 <= axis.at(low) <= axis.at(high) <= 1 + 1e-4
    assert 2 <= len(axis.ticks) <= 8


@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [
        (700, 74_500, "1,000", "100,000"),
        (700, 9_000, "500", "10,000"),
        (1_100, 150_000, "1,000", "100,000"),
        (0.03, 8e6, "0.1", "10,000,000"),
        (2.1, 4.9, "2", "5"),
    ],
)
def test_labels_side_by_side_have_room(low, high, first, last):
    axis = logarithmic(low, high, room=45)
    assert (axis.ticks[0][1], axis.ticks[-1][1]) == (first, last)
    for (a, left), (b, right) in pairwise(axis.ticks):
        assert 45 * (axis.at(b) - axis.at(a)) >= (len(left) + len(right)) / 2 + 1


def test_a_ratio_axis_has_one_in_the_middle_and_is_symmetric():
    axis = ratio(0.41, 1.9)
    assert axis.at(1) == 0.5
    assert axis.at(2) + axis.at(1 / 2) == pytest.approx(1)
    assert axis.at(0.41) >= 0


EXTENTS = [10.0**power * mark for power in range(-7, 12) for mark in (1, 1.37, 3.3, 7)]


@pytest.mark.parametrize(
    "axis",
    [linear(extent) for extent in EXTENTS]
    + [linear(extent, steps=2) for extent in EXTENTS]
    + [logarithmic(extent / wide, extent) for extent in EXTENTS for wide in (1.1, 40, 3e6)]
    + [ratio(1 / extent, 1) for extent in EXTENTS]
    + [ratio(1, 1 + extent) for extent in EXTENTS]
    + [percentiles()],
)
def test_a_label_says_where_its_tick_stands(axis):
    labelled = [(value, label) for value, label in axis.ticks if label]
    assert len({label for _, label in labelled}) == len(labelled) >= 2
    share = 0.01 if axis.base is None and labelled[-1][1] == "99.9" else 1
    for value, label in labelled:
        assert float(label.replace(",", "")) * share == pytest.approx(value, rel=1e-9, abs=0)
        assert -1e-9 <= axis.at(value) <= 1 + 1e-9


@pytest.mark.parametrize("labels", ["a", "abc", "abcdefghij"])
def test_places_are_evenly_spaced_and_inside(labels):
    axis = places(labels)
    assert [label for _, label in axis.ticks] == [*labels]
    assert axis.at(1) + axis.at(len(labels)) == pytest.approx(1)
    assert 0 < axis.at(1) <= axis.at(len(labels)) < 1


def test_each_nine_has_the_same_room():
    axis = percentiles()
    assert axis.at(0.99) - axis.at(0.9) == pytest.approx(axis.at(0.999) - axis.at(0.99))
    assert axis.at(0.999) == 1


def test_labels_are_spread_and_kept_inside():
    assert spread([10, 12, 100], 16, 200) == [10, 26, 100]
    assert spread([190, 195, 199], 16, 200) == [168, 184, 200]
    assert spread([], 16, 200) == []


# Histograms


def test_percentiles_of_merged_rounds_are_those_of_all_samples():
    rng = np.random.default_rng(7)
    rounds = [np.rint(rng.lognormal(8 + i / 5, 0.5, 3000 * (i + 1))).astype(int) for i in range(3)]
    merged = merge((encoded(samples), "us") for samples in rounds)
    samples = np.concatenate(rounds) / 1000
    assert merged.count == len(samples)
    for share in (0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0):
        assert merged.percentile(share) == pytest.approx(np.quantile(samples, share, method="inverted_cdf"), rel=2e-3)


def test_nanoseconds_are_told_from_microseconds():
    hdr = encoded(np.array([2_000_000] * 10))
    assert merge([(hdr, "ns")]).percentile(0.5) == pytest.approx(2, rel=1e-3)
    assert merge([(hdr, "us")]).percentile(0.5) == pytest.approx(2000, rel=1e-3)
    with pytest.raises(ValueError, match="different units"):
        merge([(hdr, "ns"), (hdr, "us")])


def test_no_histogram_is_no_distribution():
    assert merge([("", "us"), ("", "ns")]) is None
    assert merge([(encoded(np.array([], dtype=int)), "us")]) is None


@pytest.mark.parametrize("broken", ["!!", "aGVsbG8=", encoded(np.array([5]))[:-20]])
def test_a_broken_histogram_is_an_error_that_names_the_server(run, broken):
    run["runs"][0]["load"]["hdr"] = broken
    with pytest.raises(ReportError, match=re.escape(run["runs"][0]["server"])):
        html_of(run)


# Ranks and verdicts


def test_ranks_leave_open_what_the_intervals_leave_open(run):
    race = Race(run)
    assert [(e.id, race.rank(e)) for e in race.ranked] == [(NETTY, "1–2"), (NODE, "1–2"), (PHP, "3")]
    assert race.tie("throughput_rps", race.ranked[1]).b == NETTY
    assert race.tie("throughput_rps", race.ranked[2]) is None


def test_the_verdict_names_no_winner_where_the_best_are_undecided(run):
    assert verdict(Race(run)) == (
        "No winner among 3 ranked servers: java/netty-pg and node/pg cannot be told apart in throughput."
    )


def test_the_verdict_names_the_winner(run):
    decided = comparison(run, "throughput_rps", NODE, NETTY)
    decided |= {"verdict": "b higher", "ratio": {"mean": 0.8, "low": 0.75, "high": 0.85, "n": 5}}
    race = Race(run)
    assert [race.rank(entrant) for entrant in race.ranked] == ["1", "2", "3"]
    assert verdict(race).startswith("java/netty-pg answers most of 3 ranked servers: ")
    assert verdict(race).endswith("1.25 times as many as node/pg, the next.")


def test_a_report_says_how_pairs_were_decided(run, page):
    assert "with its 95 % interval, over the same rounds" in page
    for row in run["comparisons"]:
        row["confidence"] = 0.9967
    together = html_of(run)
    assert "with its interval, over the same rounds. The pairs of a figure are decided together (Holm)" in together


def test_one_round_decides_nothing():
    race = Race(synthetic_run(rounds=1))
    assert verdict(race).startswith("One round decides nothing: ")
    assert {race.rank(entrant) for entrant in race.ranked} == {"1–3"}


def test_servers_on_a_stand_in_win_nothing():
    assert verdict(Race(synthetic_run(entrants=SIX[3:]))) == "Nothing is ranked: every server ran on a stand-in."


def test_a_single_ranked_server_is_compared_with_none():
    sentence = verdict(Race(synthetic_run(entrants=SIX[:1])))
    assert sentence.endswith("there was no other ranked server to compare it with.")


def test_remarks_tell_findings_errors_and_stand_ins(run):
    told = " ".join(remarks(Race(run)))
    assert told.startswith("Of 5 published findings, 1 holds, 1 does not hold, 1 is undecided, 1 cannot be compared")
    assert "Errors on php/apache-<script>" in told
    assert f"3 servers on a stand-in ({STAND_IN})" in told


def test_a_stack_has_one_hue(run):
    hues = {(entrant.traits.split(" · ")[0], entrant.hue) for entrant in Race(run).entrants}
    assert len(hues) == 3


@pytest.mark.parametrize("stacks", [["one"] * 12, [f"stack {i}" for i in range(12)], ["a", "b", "c", "d"] * 3])
def test_no_two_of_twelve_servers_have_hue_and_shape_in_common(stacks):
    found = signs(stacks)
    assert len(set(found)) == 12
    assert {hue for hue, _ in found} <= {*range(HUES)}
    assert {shape for _, shape in found} <= {*range(len(SHAPES))}


def test_a_straggler_does_not_stretch_the_axis_of_time():
    steady = {t: 100 for t in range(1, 11)}
    assert time_end([steady, steady]) == 10
    assert time_end([steady, steady | {300: 1}]) == 10
    # Of two, one with more than a few answers left: no more than twice what is usual.
    assert time_end([steady, steady | {t: 10 for t in range(11, 90)}]) == 20
    # One that needs longer for many of its answers is shown whole, and so is the little that is left after a load.
    assert time_end([steady] * 3 + [{t: 100 for t in range(1, 15)}]) == 14
    assert time_end([steady | {11: 1}]) == 11
    assert time_end([{}, steady]) == 10
    assert time_end([{}]) == 1


def test_the_chart_says_what_lies_beyond_its_end(run):
    slow = next(each for each in run["runs"] if each["server"] == NODE)
    slow["load"]["series"] += [
        {"t_s": t, "requests": requests, "errors": 0, "mean_ms": 9, "p99_ms": 9} for t, requests in ((200, 0), (300, 7))
    ]
    whole = sum(
        row["requests"] - row["errors"] for e in run["runs"] if e["server"] == NODE for row in e["load"]["series"]
    )
    note = f"1 line goes on beyond 60 s: node/pg with 2 points, to 300 s, and 7 of its {whole:,} answers."
    parsed = Page(html_of(run))
    assert note in parsed.text("time")
    labels = [value for key, value in parsed.attributes if key == "aria-label" and "over 60 seconds" in value]
    assert sum(note in label for label in labels) == 1
    assert "300" not in [label for _, label in linear(60, steps=6).ticks]


def test_a_chart_that_shows_everything_says_nothing_of_it(page):
    assert "goes on beyond" not in page


def test_every_ratio_is_in_the_matrix_with_its_sign_and_interval(run):
    race = Race(run)
    (throughput,) = (matrix for matrix in matrices(race) if matrix.title == "Throughput")
    names = [entrant.name for entrant, _ in throughput.rows]
    assert names == [entrant.name for entrant in race.comparable]
    assert [cell is None for row, (_, cells) in enumerate(throughput.rows) for cell in cells] == [
        row == column for row in range(3) for column in range(3)
    ]
    first, second, third = (cells for _, cells in throughput.rows)
    assert (first[1].sign, second[0].sign) == ("≈", "≈")
    assert (first[2].verdict, first[2].sign, third[0].verdict, third[0].sign) == ("higher", "▲", "lower", "▼")
    assert float(first[2].text) * float(third[0].text) == pytest.approx(1, rel=0.01)
    there = race.compare("throughput_rps", race.comparable[0], race.comparable[2]).ratio
    assert first[2].told == f"java/netty-pg ÷ php/apache-pg: {there.mean_text()} ({there.interval_text()}), higher"


def test_a_matrix_is_readable_without_colour_and_the_list_is_closed(page):
    matrix = re.search(r'<table class="matrix".*?</table>', page, re.DOTALL)[0]
    cell = re.search(r'<td[^>]+class="ratio higher"[^>]+>.*?</td>', matrix, re.DOTALL)[0]
    assert "▲" in cell
    assert '<span class="hidden">higher</span>' in cell
    assert re.search(r'title="java/netty-pg ÷ php/apache-pg: [\d.]+ \([\d.]+–[\d.]+\), higher"', cell)
    assert re.search(r"<details>\s*<summary>All pairs with their intervals</summary>.*?dots forest", page, re.DOTALL)


def test_servers_without_anything_in_common_have_an_empty_cell(run):
    run["servers"][0]["variant"] = "log-sync"
    rows = {entrant.id: cells for entrant, cells in matrices(Race(run))[0].rows}
    assert rows[NODE] == [None] * 3
    assert [cell is None for cell in rows[PHP]] == [False, True, True]


def test_servers_of_a_stack_share_its_hue_and_differ_in_shape():
    assert signs(["node", "netty", "node", "node"]) == [(1, 0), (0, 0), (1, 1), (1, 2)]


def test_a_shape_is_drawn_where_its_server_is(run):
    run["servers"][3]["ranked"] = True
    race = Race(run)
    assert [(one.hue, one.shape) for one in race.entrants if one.id in (NODE, SIX[3].id)] == [(2, 0), (2, 1)]
    kinds = {tag.split()[0] for tag in re.findall(r'<(\w+ class="dot hue-2")', html_of(run))}
    assert kinds == {"circle", "svg"}


# What protanopes and deuteranopes see: Machado, Oliveira & Fernandes, "A physiologically-based model for simulation of
# color vision deficiency", 2009, severity 1.
SEEN = {
    "all": np.eye(3),
    "no red cones": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                              [-0.003882, -0.048116, 1.051998]]),
    "no green cones": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                                [-0.011820, 0.042940, 0.968881]]),
}  # fmt: skip


def linear_rgb(colour):
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    cones = np.array([[0.41222147, 0.53633254, 0.05144599], [0.2119035, 0.68069955, 0.10739696],
                      [0.08830246, 0.28171884, 0.62997870]])  # fmt: skip
    testbed = np.array([[0.21045426, 0.79361779, -0.00407205], [1.9779985, -2.4285922, 0.45059371],
                    [0.02590404, 0.78277177, -0.80867577]])  # fmt: skip
    return testbed @ np.cbrt(cones @ rgb)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_hues_are_legible_and_far_apart_for_the_colour_blind_too(theme):
    style = (files("samewire.report") / "templates/report.css").read_text()
    colours = {name: pair for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", style)}
    hues = [linear_rgb(colours[f"hue-{i}"][theme]) for i in range(HUES)]
    assert f"hue-{HUES}" not in colours
    for paper in ("paper", "shade"):
        behind = linear_rgb(colours[paper][theme])
        for hue in hues:
            dark, light = sorted(np.array([0.2126, 0.7152, 0.0722]) @ one for one in (hue, behind))
            assert (light + 0.05) / (dark + 0.05) >= 4.5
    for seen in SEEN.values():
        places = [oklab(np.clip(seen @ hue, 0, 1)) for hue in hues]
        assert min(np.linalg.norm(a - b) for a, b in combinations(places, 2)) > 0.1


def test_variants_are_compared_with_their_server_and_with_the_same_variant_of_others(run):
    text = json.dumps(run).replace("servers-java/shortener-netty-pg", "servers-node/shortener-pg:log-sync")
    run = json.loads(text)
    next(server for server in run["servers"] if server["id"].endswith(":log-sync"))["variant"] = "log-sync"
    race = Race(run)
    assert {frozenset((pair.a, pair.b)) for pair in race.pairs("throughput_rps")} == {
        frozenset(("servers-node/shortener-pg", "servers-node/shortener-pg:log-sync")),
        frozenset(("servers-node/shortener-pg", "servers-php/shortener-apache-pg")),
    }
    assert len(race.records) == 5


def test_the_lowest_is_the_best_where_the_record_says_so(conversation):
    race = Race(conversation)
    assert [(entrant.name, race.rank(entrant)) for entrant in race.ranked] == [
        ("node/socketio:batched", "1"), ("node/socketio", "2–3"), ("java/netty-socketio", "2–3"),
        ("node/polling", "4"), ("java/spring", "5"), ("scala/akka", "6"), ("php/apache", "7"),
    ]  # fmt: skip
    assert race.tie("cpu_us_per_delivery", race.ranked[2]).b == SOCKETS
    assert race.pairs("cpu_us_per_delivery")[0].ratio.mean < 1


def test_a_server_without_the_ranking_figure_is_last(conversation):
    nothing = {"mean": None, "low": None, "high": None, "n": 0}
    conversation["summary"][BATCHED] |= {"cpu_us_per_delivery": nothing, "deliveries_per_s": {"mean": 0.0, "n": 5}}
    assert Race(conversation).ranked[-1].id == BATCHED
    assert "no message was delivered" in Page(html_of(conversation)).text("results")


def test_the_verdict_of_a_conversation_names_the_cheapest(conversation):
    sentence = verdict(Race(conversation))
    assert re.fullmatch(
        r"node/socketio:batched needs the least processor time of 7 ranked servers: 12\.\d µs per delivery "
        r"\(95 % interval 12\.\d–12\.\d\), 0\.6\d+ times that of node/socketio, the next\.",
        sentence,
    )


def test_the_verdict_of_a_conversation_names_no_winner_where_the_best_are_undecided(conversation):
    comparison(conversation, "cpu_us_per_delivery", SOCKETS, BATCHED)["verdict"] = "undecided"
    race = Race(conversation)
    assert verdict(race) == (
        "No winner among 7 ranked servers: node/socketio:batched and node/socketio cannot be told apart in "
        "processor time per delivery."
    )
    assert [race.rank(entrant) for entrant in race.ranked[:3]] == ["1–2", "1–3", "2–3"]


def test_one_round_and_one_server_of_a_conversation_decide_nothing(conversation):
    one_round = verdict(Race(synthetic_conversation(rounds=1, entrants=ROOM[:3])))
    assert re.search(r": node/socketio:batched needed the least processor time, 12\.\d µs per delivery, but", one_round)
    one_server = verdict(Race(synthetic_conversation(entrants=ROOM[:1])))
    assert re.match(
        r"node/polling needed processor time of 21\.\d µs per delivery \(95 % interval .+\); there was", one_server
    )
    for run in conversation["runs"]:
        run["load"] |= {"requests": 0, "whole": {"requests": 0, "errors": {}}}
    assert verdict(Race(conversation)) == "Nothing was measured: no server delivered a message."


def test_operations_without_a_delivery_rank_nothing(conversation):
    for metrics in conversation["summary"].values():
        metrics["cpu_us_per_delivery"] = {"mean": None, "low": None, "high": None, "n": 0}
    assert verdict(Race(conversation)) == "Nothing is ranked: no server delivered a message."


def test_the_verdict_of_uploads_names_the_quickest(uploads):
    race = Race(uploads)
    assert [(entrant.name, race.rank(entrant)) for entrant in race.ranked] == [
        ("node/express", "1"), ("scala/akka", "2"), ("java/tomcat", "3–4"), ("php/apache", "3–4"),
    ]  # fmt: skip
    assert re.fullmatch(
        r"node/express has the lowest mean latency of 4 ranked servers: 73\d ms \(95 % interval 7\d\d–7\d\d\), "
        r"0\.8\d\d times that of scala/akka, the next\.",
        verdict(race),
    )
    comparison(uploads, "latency_mean_ms", EXPRESS, "servers-scala/upload-akka")["verdict"] = "undecided"
    assert verdict(Race(uploads)).endswith("node/express and scala/akka cannot be told apart in mean latency.")
    one_round = verdict(Race(synthetic_uploads(rounds=1)))
    assert re.search(r": node/express had the lowest mean latency, 7\d\d ms, but no order can be claimed", one_round)


def test_metrics_of_samples_come_after_the_others_and_in_the_order_of_the_tables(uploads):
    found = measured(Race(uploads))
    whole = [key for key in found if " of " not in key]
    assert found[: len(whole)] == whole
    assert found[len(whole)] == "throughput_rps of sample 1"
    names = [sample["name"] for sample in SAMPLES]
    assert [key.split()[-1] for key in found if key.startswith("latency_cv of ")] == names
    assert found.index("latency_cv of sample 10") < found.index("cpu_share of sample 1")


def test_samples_of_as_many_users_are_told_together(uploads):
    race = Race(uploads)
    assert users_of_samples(race) == "400 users in samples 1 to 8, 160 users in sample 9 and 10 users in sample 10"
    uploads["samples"] = []
    assert users_of_samples(Race(uploads)) == ""


def test_the_transport_is_one_of_the_traits(conversation, run):
    traits = {entrant.id: entrant.traits for entrant in Race(conversation).entrants}
    assert traits[BATCHED] == "node:http · event-loop · socket.io-batched"
    run["servers"][0]["transport"] = None
    assert Race(check(run, "run.json")).entrants[1].traits == "node:http · event-loop"


def test_enumeration():
    assert [enumeration("abc"[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


# The page


def test_the_page_has_every_section(page):
    sections = {"warnings", "results", "findings", "ratios", "time", "latency", "resources", "used"}
    sections |= {"conformance", "set-up"}
    assert sections | {"reading", "data"} == Page(page).sections.keys() - {""}


def test_the_page_shows_figures_with_intervals(page, run):
    results = Page(page).text("results")
    for server in (NODE, SCRIPT):
        for key in ("throughput_rps", "latency_p99_ms", "cpu_us_per_request"):
            estimate = Estimate.of(run["summary"][server][key])
            assert f"{estimate.mean_text()}{estimate.interval_text()}" in results.replace(" ", "")


def test_metrics_by_request_are_named_after_it_and_compared(run):
    metric = "bytes_per_answer of GET /a"
    for server in run["summary"].values():
        server[metric] = {"mean": 712.4, "low": 710.2, "high": 714.6, "n": 5}
    a, b = (entrant.id for entrant in Race(run).ranked[:2])
    ratio = {"mean": 0.5, "low": 0.4, "high": 0.6, "n": 5}
    run["comparisons"].append({"metric": metric, "a": a, "b": b, "ratio": ratio, "verdict": "b higher"})
    page = Page(html_of(run))
    name = "Bytes of an answer, headers included: GET /a"
    assert name in page.text("ratios")
    assert name in page.text("resources")


def test_the_page_says_undecided_in_words(page):
    parsed = Page(page)
    assert "undecided against java/netty-pg, the row above: ratio 0.988" in parsed.text("results")
    assert "undecided" in parsed.text("ratios")


def test_the_page_shows_conformance_set_up_findings_and_warnings(page):
    parsed = Page(page)
    for section, texts in {
        "conformance": ("412", "1 skipped", "21 November 2026, 03:31 UTC", "contract 9988776655", NODE, "stand-in"),
        "set-up": ("Synthetic CPU @ 2.50GHz", "8 GiB", "core 0", "24.21.0", "Hyperfoil 0.25.2", "ramp up, s", "2,007"),
        "findings": ("0.820 × 0.790–0.860", "php/apache-pg to mean of 2 servers", "not comparable: stand-in", "4 %"),
        "warnings": ("The machine was not quiet", "6 warnings in single runs", "round 2: The generator used 84 %"),
    }.items():
        for text in texts:
            assert text in parsed.text(section)


def test_the_stand_in_is_named_wherever_its_figures_are(page):
    parsed = Page(page)
    for section in ("results", "time", "latency", "resources", "used", "conformance"):
        assert STAND_IN in parsed.text(section)
    labels = [value for key, value in parsed.attributes if key == "aria-label" and "node/mongodb" in value]
    assert len(labels) == 5
    assert all(STAND_IN in label for label in labels)
    assert "mongodb" not in parsed.text("ratios")


def test_names_and_texts_are_escaped(run):
    run["experiment"]["title"] = "<img src=x onerror=alert(1)>"
    run["findings"][0]["why"] = "</table><script>1</script>"
    run["warnings"] = ['"><b>care</b>']
    run["machine"]["cpu_model"] = "<i>CPU</i>"
    parsed = Page(html_of(run))
    assert parsed.tags.count("script") == 2
    assert not {"img", "b", "i"} & set(parsed.tags)
    assert "php/apache-<script>alert(1)</script>" in parsed.text("results")


def test_the_page_is_small_and_asks_for_nothing(page):
    assert len(page.encode()) < 1_500_000
    links = [value for key, value in Page(page).attributes if key in ("src", "href", "action", "data", "srcset")]
    assert links
    assert all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"url\((?!data:)|@import|https?://", page)


def test_the_data_is_inside_the_page(page, run):
    hrefs = dict(re.findall(r'download="([^"]+)" href="data:[^;]+;base64,([^"]+)"', page))
    assert hrefs.keys() == {"summary.csv", "runs.csv", "series.csv.gz", "run.json.gz"}
    assert json.loads(gzip.decompress(base64.b64decode(hrefs["run.json.gz"]))) == run
    assert base64.b64decode(hrefs["summary.csv"]).startswith(
        b"server,store,database,ranked,metric,mean,low,high,n,bound\r\n"
    )


def test_a_conversation_is_told_in_its_own_words(conversation):
    parsed = Page(html_of(conversation))
    for section, texts in {
        "results": (
            "of a receive",
            "Delivery latency",
            "per delivery",
            "of operations",
            "missed",
            "Ranked by processor time per delivery, the lowest first;",
        ),
        "ratios": (
            "CPU per delivery, server",
            "Bytes on all connections",
            "Receives",
            "Latency, mean",
            "Latency, p99",
            "Memory under load, PSS",
            "Context switches per delivery",
        ),
        "time": ("Deliveries over time", "Deliveries in each second", "Deliveries per second"),
        "latency": ("so many per cent of deliveries", "All deliveries of all rounds", "against per cent of deliveries"),
        "resources": (
            "CPU per delivery, µs",
            "generator",
            "Bytes of an operation",
            "Bytes of a send",
            "Sends, per second",
        ),
        "reading": (
            "The users are paced: each of the 40 sends a message every 1 s",
            "poll, every 0.5 s",
            "A delivery is",
        ),
    }.items():
        for text in texts:
            assert text in parsed.text(section), (section, text)
    everything = " ".join(map(parsed.text, parsed.sections.keys() - {"data"}))
    assert "Throughput" not in everything
    assert "requests" not in everything


def test_a_conversation_has_bytes_and_costs_in_its_columns(conversation):
    results = Page(html_of(conversation)).text("results").replace(" ", "")
    scales = {"cpu_us_per_delivery": 1, "bytes_per_s": 0.001, "bytes_per_receive": 1, "switches_per_delivery": 1}
    for key, scale in scales.items():
        estimate = Estimate.of(conversation["summary"][POLLING][key]).scaled(scale)
        assert f"{estimate.mean_text()}{estimate.interval_text()}" in results, key


def test_over_time_a_conversation_shows_deliveries(conversation):
    for each in conversation["runs"]:
        for row in each["load"]["series"]:
            row |= {"requests": 7, "deliveries": 1500}
    labels = [value for key, value in Page(html_of(conversation)).attributes if key == "aria-label"]
    (label,) = (label for label in labels if label.startswith("Deliveries over 60 seconds"))
    assert label.count("mostly about 1,500 per second") == len(ROOM)


def test_what_is_read_every_second_is_shown_over_time(conversation):
    for each in conversation["runs"]:
        for row in each["load"]["series"]:
            row["users"] = 33
        for row in each["processes"]["server"]:
            row |= {"cpu_s": 0.5, "rss_bytes": 64 << 20, "voluntary_switches": 700, "involuntary_switches": 50}
    # Containers: bytes are not read.
    conversation["runs"][0]["processes"]["server"][0]["bytes_in"] = None
    labels = [value for key, value in Page(html_of(conversation)).attributes if key == "aria-label"]
    usual = {
        "Users": "33",
        "CPU of the server, cores": "0.5",
        "Memory of the server, RSS, MiB": "64",
        "Context switches of the server, per second": "750",
    }
    for title, figure in usual.items():
        (label,) = (label for label in labels if label.startswith(f"{title}, over 60 seconds"))
        assert label.count(f"mostly about {figure}") == len(ROOM)
    assert not [label for label in labels if label.startswith("Bytes of users")]


def test_over_time_nothing_is_shown_of_samples_in_an_order_of_their_own(uploads_page):
    assert "used" not in Page(uploads_page).sections


def test_transports_of_one_stack_have_lines_of_their_own(conversation):
    parsed = Page(html_of(conversation))
    hue = next(entrant.hue for entrant in Race(conversation).entrants if entrant.id == POLLING)
    for line in ("line", "line dotted", "line dashed"):
        first, *dash = line.split()
        assert ("class", " ".join((first, f"hue-{hue}", *dash))) in parsed.attributes
    assert "Dotted: polling; dashed: batches." in parsed.text("latency")
    next(server for server in conversation["servers"] if server["id"] == POLLING)["variant"] = "other"
    assert ("class", f"line hue-{hue} dotted dashed") in Page(html_of(conversation)).attributes


def test_uploads_have_sections_of_their_own(uploads_page):
    parsed = Page(uploads_page)
    assert parsed.sections.keys() - {""} == {
        "results", "samples", "variability", "findings", "ratios", "resources", "conformance", "set-up", "reading",
        "data",
    }  # fmt: skip
    ids = {value for key, value in parsed.attributes if key == "id"}
    assert {value[1:] for key, value in parsed.attributes if key == "href" and value.startswith("#")} <= ids


def test_uploads_are_told_in_their_own_words(uploads_page):
    parsed = Page(uploads_page)
    for section, texts in {
        "results": ("Ranked: no database", "mean, ms", "CV", "Uploaded", "I/O wait", "Ranked by mean latency, the low"),
        "samples": ("400 users in samples 1 to 8", "CPU used of the server's cores, %", "5.4 kB, 400 users"),
        "variability": ("Latency, coefficient of variation", "One point for each server and sample", "java/tomcat"),
        "findings": ("Node’s mean latency is 23 % lower", "0.790 0.610–0.970", "not tested"),
        "ratios": ("Context switches per second", "Uploaded"),
        "resources": ("CPU per request, µs", "I/O wait, %", "Uploaded, MB/s", "Latency, mean absolute deviation, ms"),
        "set-up": ("Samples of file sizes", "22,857"),
        "reading": ("2 files go with each request", "to the last byte of the answer"),
    }.items():
        for text in texts:
            assert text in parsed.text(section), (section, text)
    assert "over time" not in uploads_page


def test_uploads_have_bytes_waits_and_switches_in_their_columns(uploads, uploads_page):
    results = Page(uploads_page).text("results").replace(" ", "")
    scales = {"latency_cv": 1, "uploaded_bytes_per_s": 1e-6, "iowait_share": 100, "switches_per_s": 1}
    for key, scale in scales.items():
        estimate = Estimate.of(uploads["summary"][EXPRESS][key]).scaled(scale)
        assert f"{estimate.mean_text()}{estimate.interval_text()}" in results, key


BY_SAMPLE = {"latency_mean_ms": 1, "latency_cv": 1, "cpu_share": 100, "switches_per_s": 1, "uploaded_bytes_per_s": 1e-6}


def test_every_figure_by_sample_is_in_the_table_with_its_interval(uploads, uploads_page):
    text = Page(uploads_page).text("samples").replace(" ", "")
    for key, scale in BY_SAMPLE.items():
        for server in uploads["summary"].values():
            for sample in SAMPLES:
                estimate = Estimate.of(server[f"{key} of sample {sample['name']}"]).scaled(scale)
                assert f"{estimate.mean_text()}{estimate.interval_text()}" in text, (key, sample["name"])


def classes(parsed, wanted):
    return [value for key, value in parsed.attributes if key == "class" and value.startswith(wanted)]


def test_charts_by_sample_have_a_mark_for_each_server_and_sample(uploads, uploads_page):
    parsed = Page(uploads_page)
    labels = [value for key, value in parsed.attributes if key == "aria-label"]
    latency = Estimate.of(uploads["summary"][TOMCAT]["latency_mean_ms of sample 7"]).mean_text()
    (label,) = (label for label in labels if label.startswith("Latency, mean, ms, by sample"))
    assert f"{latency} at 7" in label.partition("java/tomcat ")[2].partition(";")[0]
    assert sum(", by sample, " in label for label in labels) == len(BY_SAMPLE)
    hue = next(entrant.hue for entrant in Race(uploads).entrants if entrant.id == TOMCAT)
    assert len(classes(parsed, f"ring hue-{hue}")) == len(SAMPLES)
    assert len(classes(parsed, "ring")) == len(SAMPLES) * len(FOUR)
    switches, cv = (
        Estimate.of(uploads["summary"][TOMCAT][f"{key} of sample 7"]).mean for key in ("switches_per_s", "latency_cv")
    )
    assert f"{number(cv)} at {number(switches)}" in next(label for label in labels if label.startswith("Variability"))


def inside(html):
    """Whether all bars of intervals in charts of lines are within the height of their chart."""
    bars = re.findall(r'<line class="interval [^>]+ y1="([-.\d]+)" y2="([-.\d]+)"', html.partition('id="ratios"')[0])
    assert bars
    return all(0 <= float(end) <= 230 for bar in bars for end in bar)


def test_an_interval_that_reaches_below_zero_ends_at_the_axis(uploads):
    assert inside(html_of(uploads))
    for key in BY_SAMPLE:
        estimate = uploads["summary"][EXPRESS][f"{key} of sample 10"]
        estimate["low"] = -estimate["mean"]
    assert inside(html_of(uploads))


# Partial runs


def test_uploads_of_one_round_show_dashes_and_no_bars():
    html = html_of(synthetic_uploads(rounds=1))
    parsed = Page(html)
    for section in ("results", "samples"):
        assert "no interval: one round only" in parsed.text(section)
        assert "–a" in parsed.text(section)
    assert "with one round there is none" in parsed.text("samples")
    assert not re.search('class="interval', html.partition('id="ratios"')[0])


def test_a_sweep_is_told_by_step_and_not_by_the_sizes_of_files():
    record = synthetic_sweep()
    parsed = Page(html_of(record))
    assert "samples" in parsed.sections
    assert "variability" not in parsed.sections
    for section, texts in {
        "results": ("highest, requests/s", "Ranked by highest throughput", "The knee is the step"),
        "samples": ("By step", "Throughput, requests/s", "64 users", "Against the load of the step"),
        "set-up": ("Steps of load", "512"),
        "reading": ("A step’s load is a number of users", "Kleinrock"),
    }.items():
        for text in texts:
            assert text in parsed.text(section), (section, text)
    tomcat = Estimate.of(record["summary"][TOMCAT]["throughput_rps of sample 64"]).mean_text()
    assert tomcat in parsed.text("samples")
    del record["samples"][0]["load"]
    with pytest.raises(ReportError, match="'load' is a required property"):
        check(record, "run.json")


def test_a_sample_that_one_server_has_not_is_a_dash(uploads):
    for key in [key for key in uploads["summary"][TOMCAT] if key.endswith("of sample 7")]:
        del uploads["summary"][TOMCAT][key]
    uploads["summary"][TOMCAT]["switches_per_s of sample 8"] = {"mean": 0.0, "low": 0.0, "high": 0.0, "n": 5}
    for run in uploads["runs"]:
        if run["server"] == TOMCAT:
            run["load"]["samples"].pop("7")
    parsed = Page(html_of(uploads))
    assert "not measured" in parsed.text("samples")
    assert len(classes(parsed, "ring")) == len(SAMPLES) * len(FOUR) - 2
    (label,) = (v for k, v in parsed.attributes if k == "aria-label" and v.startswith("Latency, mean, ms, by sample"))
    assert " at 7" not in label.partition("java/tomcat ")[2].partition(";")[0]


def test_uploads_of_which_nothing_was_measured_are_shown_so(uploads):
    for run in uploads["runs"]:
        run |= {"load": {"requests": 0, "errors": {}}, "metrics": {}, "processes": {}}
    uploads |= {"summary": {server: {} for server in uploads["summary"]}, "comparisons": []}
    parsed = Page(html_of(uploads))
    assert "Nothing was measured: no server answered a request." in parsed.text("")
    assert "No sample was measured." in parsed.text("samples")
    assert "No context switches were recorded." in parsed.text("variability")
    assert "No two ranked servers were compared." in parsed.text("ratios")


def test_uploads_to_servers_apart_have_charts_of_their_own(uploads):
    uploads["servers"][0]["ranked"] = False
    parsed = Page(html_of(uploads))
    groups = [group.title for group in Race(uploads).groups]
    assert len(groups) == 2
    for section in ("samples", "variability"):
        assert all(f"Latency, coefficient of variation, {title}" in parsed.text(section) for title in groups)


def test_one_round_shows_dashes_with_their_reason():
    results = Page(html_of(synthetic_run(rounds=1))).text("results")
    assert "no interval: one round only" in results
    assert "–a" in results
    assert "Means of 1 round;" in results


def test_a_server_that_answered_nothing_is_shown_so(run):
    silence(run, NODE)
    parsed = Page(html_of(run))
    assert "no request was answered" in parsed.text("results")
    assert "63.5" in parsed.text("results"), "what it takes when idle was measured all the same"
    assert "node/pg" not in parsed.text("latency")


def test_a_race_in_which_nothing_answered_is_shown_so(run):
    for entrant in SIX:
        silence(run, entrant.id)
    parsed = Page(html_of(run))
    assert "Nothing was measured" in parsed.text("")
    assert "No histograms were recorded." in parsed.text("latency")
    assert "No series were recorded." in parsed.text("time")
    assert "No two ranked servers were compared." in parsed.text("ratios")


def test_a_race_without_what_is_optional(run):
    for each in run["runs"]:
        for key in ("processes", "idle", "warnings"):
            del each[key]
        for key in ("series", "hdr", "hdr_unit", "statuses", "whole"):
            del each["load"][key]
    run |= {"runs": run["runs"][:-2], "findings": [], "warnings": [], "machine": {}, "placement": {}, "parameters": {}}
    del run["experiment"]["study"], run["generator"]
    for server in run["servers"]:
        del server["stack"], server["concurrency"], server["language"]
        server["pass"]["digest"] = "a1b2c3d4e5f6a7b8"
    parsed = Page(html_of(run))
    assert "findings" not in parsed.sections
    assert "warnings" not in parsed.sections
    assert "a1b2c3d4e5" in parsed.text("conformance")


def test_a_race_that_was_not_finished_says_so(run):
    run["complete"] = False
    assert "The race was not finished" in Page(html_of(run)).text("warnings")


def test_real_databases_for_all_rank_all(run):
    for server in run["servers"]:
        server["ranked"] = True
    run["databases"]["mongodb"] |= {"label": "MongoDB 8.0", "stand_in": False}
    parsed = Page(html_of(run))
    assert "stand-in" not in parsed.text("latency")
    assert ("class", "line hue-1 dashed") in parsed.attributes


# Files


def test_write_leaves_report_and_tables_in_the_folder(tmp_path):
    folder = write_synthetic_run(tmp_path / "run", rounds=2, entrants=SIX[:2])
    assert write(folder) == folder / "report.html"
    assert sorted(path.name for path in folder.iterdir()) == [
        "report.html", "run.json", "runs.csv", "series.csv", "summary.csv",
    ]  # fmt: skip


def test_names_are_links_to_the_code_in_the_checkout(tmp_path):
    (tmp_path / NODE).mkdir(parents=True)
    folder = write_synthetic_run(tmp_path / "bench/results/run 1", rounds=2, entrants=SIX[:2])
    html = write(folder, checkout=tmp_path).read_text()
    links = re.findall(r'<a class="name code [^>]+ href="([^"]+)" title="([^"]+)"', html)
    assert links == [(f"../../../{NODE}/", f"Its code: {NODE}")] * 2, "in the results and in the record of conformance"
    assert (folder / links[0][0]).resolve() == tmp_path / NODE
    assert 'data-place="bench/results/run 1/report.html"' in html
    # This one has no folder.
    assert f'title="Its code: {NETTY}"' in html


def _profile(folder, server, experiment="shortener", digest=None):
    folder.mkdir(parents=True)
    (folder / "flame.html").touch()
    made = {"server": {"id": server, "digest": digest}, "experiment": {"name": experiment}}
    (folder / "profile.json").write_text(json.dumps(made))


def test_the_profiles_of_the_largest_ratio_are_linked(tmp_path):
    apart = [replace(SIX[0], rps=3000, cpu_us=240), SIX[1], replace(SIX[2], rps=5800)]
    folder = write_synthetic_run(tmp_path / "race 1", entrants=apart)
    raced = json.loads((folder / "run.json").read_text())
    digests = {server["id"]: {"files": server["id"], "artefacts": "b", "contract": "c"} for server in raced["servers"]}
    for server in raced["servers"]:
        server["pass"]["digest"] = digests[server["id"]]
    (folder / "run.json").write_text(json.dumps(raced))
    netty, node = map(load(folder).name, (NETTY, NODE))
    none_yet = f"{netty} (none yet), {node} (none yet)"
    assert none_yet in write(folder, checkout=tmp_path).read_text()
    # Neither of another build, nor under another load, nor of another server.
    _profile(tmp_path / "1-profile-a", NETTY, digest=digests[NETTY] | {"files": "changed"})
    _profile(tmp_path / "2-profile-a", NETTY, experiment="other", digest=digests[NETTY])
    _profile(tmp_path / "3-profile-a", SIX[2].id, digest=digests[SIX[2].id])
    assert none_yet in write(folder, checkout=tmp_path).read_text()
    _profile(tmp_path / "4-profile-a", NETTY, digest=digests[NETTY])
    _profile(tmp_path / "5-profile-a", NETTY, digest=digests[NETTY])
    html = write(folder, checkout=tmp_path).read_text()
    assert f'<a href="../5-profile-a/flame.html">{netty}</a>, {node} (none yet)' in html
    command = "samewire profile shortener-netty-pg shortener --against shortener-pg"
    assert f"<code>{command}</code>" in html


def test_no_profile_is_asked_for_where_no_two_are_told_apart(tmp_path):
    folder = write_synthetic_run(tmp_path / "race", rounds=1, entrants=SIX[:2])
    assert "differ most" not in write(folder, checkout=tmp_path).read_text()


def test_a_report_outside_of_the_checkout_has_paths_and_no_links(tmp_path):
    (tmp_path / "checkout" / NODE).mkdir(parents=True)
    folder = write_synthetic_run(tmp_path / "run", rounds=2, entrants=SIX[:2])
    html = write(folder, checkout=tmp_path / "checkout").read_text()
    assert f'title="Its code: {NODE}"' in html
    assert "code hue" not in html
    assert "data-place" not in html


def test_tables_hold_what_run_json_holds(run):
    written = {name: list(csv.DictReader(io.StringIO(text))) for name, text in tables.all_tables(Race(run)).items()}
    summary = {(line["server"], line["metric"]): line for line in written["summary.csv"]}
    assert len(summary) == sum(len(metrics) for metrics in run["summary"].values())
    for server, metrics in run["summary"].items():
        for key, estimate in metrics.items():
            assert {part: float(summary[server, key][part]) for part in estimate} == estimate
    assert {line["database"] for line in written["summary.csv"] if line["ranked"] == "no"} == {STAND_IN}
    for line, each in zip(written["runs.csv"], run["runs"], strict=True):
        assert (line["server"], int(line["round"])) == (each["server"], each["round"])
        assert {key: float(line[key]) for key in each["metrics"]} == each["metrics"]
        assert line["warnings"] == " | ".join(each["warnings"])
    seconds = [line for line in written["series.csv"] if line["of"] == "load"]
    assert sum(int(line["requests"]) for line in seconds) == sum(each["load"]["requests"] for each in run["runs"])
    assert {line["of"] for line in written["series.csv"]} == {"load", "server", "database", "generator"}


def test_tables_of_a_conversation_hold_deliveries(conversation):
    written = {
        name: list(csv.DictReader(io.StringIO(text))) for name, text in tables.all_tables(Race(conversation)).items()
    }
    summary = {(line["server"], line["metric"]): float(line["mean"]) for line in written["summary.csv"]}
    for server, metrics in conversation["summary"].items():
        assert {key: summary[server, key] for key in metrics} == {key: each["mean"] for key, each in metrics.items()}
    for line, each in zip(written["runs.csv"], conversation["runs"], strict=True):
        load = each["load"]
        assert [int(line[key]) for key in ("requests", "deliveries", "sends", "receives", "errors_missed")] == [
            load["requests"], load["deliveries"], load["sends"]["count"], load["receives"]["count"],
            load["errors"]["missed"],
        ]  # fmt: skip
    seconds = [int(line["deliveries"]) for line in written["series.csv"] if line["of"] == "load"]
    assert sum(seconds) == sum(each["load"]["deliveries"] for each in conversation["runs"])
    log = written["server-log.csv"]
    assert len(log) == len(seconds)
    first = conversation["runs"][0]
    lines = [one for one in log if (one["server"], one["round"]) == (first["server"], str(first["round"]))]
    assert [int(one["users"]) for one in lines] == [row["users"] for row in first["load"]["series"]]
    assert int(lines[-1]["messages"]) == sum(row["sends"] for row in first["load"]["series"])
    assert {(one["rss_bytes"], one["cpu_s"]) for one in lines} == {(str(50 << 20), "0.03")}


def test_seconds_of_uploads_name_their_sample(uploads):
    lines = list(csv.DictReader(io.StringIO(tables.all_tables(Race(uploads))["series.csv"])))
    seconds = [line for line in lines if line["of"] == "load"]
    assert {line["sample"] for line in seconds} == {sample["name"] for sample in SAMPLES}
    assert {line["sample"] for line in lines if line["of"] != "load"} == {""}
    samples = [sample for run in uploads["runs"] for sample in run["load"]["samples"].values()]
    assert sum(int(line["requests"]) for line in seconds) == sum(
        row["requests"] for sample in samples for row in sample["series"]
    )


def test_a_missing_run_is_an_error(tmp_path):
    with pytest.raises(ReportError, match=r"run\.json: No such file"):
        write(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"schema": 1, "runs": [', "not JSON"),
        ("\0\xff", "not JSON"),
        ("[]", r"\$: \[\] is not of type 'object'"),
        ('{"schema": 2}', r"\$\.schema: 1 was expected"),
        ("{}", "'summary' is a required property"),
    ],
)
def test_a_corrupt_run_is_an_error_that_says_what_is_wrong(tmp_path, content, message):
    (tmp_path / "run.json").write_text(content, encoding="latin-1")
    with pytest.raises(ReportError, match=message) as raised:
        load(tmp_path)
    assert str(tmp_path / "run.json") in str(raised.value)


def test_a_run_of_a_server_that_is_not_listed_is_an_error(run):
    run["runs"][0]["server"] = "servers-node/nobody"
    with pytest.raises(ReportError, match=r"does not list: servers-node/nobody"):
        check(run, "run.json")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda run: run["experiment"].pop("ranking"), "'ranking' is a required property"),
        (lambda run: run["experiment"]["ranking"].update(best="highest"), r"\$\.experiment\.ranking: .* is not one of"),
        (lambda run: run["parameters"].pop("poll_every_s"), "'poll_every_s' is a required property"),
        (lambda run: run["runs"][0]["load"]["series"][3].pop("deliveries"), r"series\[3\]: 'deliveries' is a required"),
        (lambda run: run["runs"][0]["load"]["sends"].pop("count"), "'count' is a required property"),
        (lambda run: run["servers"][0].update(transport="pigeon"), r"\$\.servers\[0\]\.transport"),
    ],
)
def test_a_conversation_without_what_the_report_needs_is_an_error(conversation, spoil, message):
    check(conversation, "run.json")
    spoil(conversation)
    with pytest.raises(ReportError, match=message):
        check(conversation, "run.json")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda run: run.pop("samples"), "'samples' is a required property"),
        (lambda run: run["experiment"].pop("ranking"), "'ranking' is a required property"),
        (lambda run: run["parameters"].pop("files_per_request"), "'files_per_request' is a required property"),
        (lambda run: run["samples"][0].pop("mean_bytes"), "'mean_bytes' is a required property"),
        (lambda run: run["runs"][0]["load"]["samples"]["4"]["series"][0].pop("t_s"), "'t_s' is a required property"),
    ],
)
def test_uploads_without_what_the_report_needs_are_an_error(uploads, spoil, message):
    check(uploads, "run.json")
    spoil(uploads)
    with pytest.raises(ReportError, match=message):
        check(uploads, "run.json")


# The terminal


def test_the_terminal_gets_a_table_that_fits(run, tmp_path):
    console = Console(width=80, record=True, file=io.StringIO())
    print_summary(run, console, tmp_path / "report.html")
    text = console.export_text()
    assert max(len(line) for line in text.splitlines() if "report: " not in line) <= 80
    ranked, unranked = text.split("Not ranked, on a stand-in: ")
    assert re.search("1–2 +java/netty-pg", ranked)
    assert "mongodb" not in ranked
    assert "mongo-java-server" in unranked
    assert re.search("does not hold +PHP uses about 40 % more memory", text)
    assert "warning: The machine was not quiet" in text
    assert "warning: 6 warnings in single runs" in text
    assert f"report: {tmp_path / 'report.html'}" in text


def test_the_terminal_gets_a_table_of_a_conversation_that_fits(conversation):
    console = Console(width=80, record=True, file=io.StringIO())
    print_summary(conversation, console)
    text = console.export_text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert re.search("CPU µs +kB/s +mean ms +p99 ms +errors % +PSS MiB", text)
    assert re.search(r"1 +node/socketio:batched +12\.\d +20\d +25\d .*\n +12\.\d–12\.\d *\n", text)


def test_the_terminal_gets_a_table_of_uploads_that_fits(uploads):
    console = Console(width=80, record=True, file=io.StringIO())
    print_summary(uploads, console)
    text = console.export_text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert re.search("mean ms +CV +errors % +CPU % +switches/s +PSS MiB", text)
    assert re.search(r"1 +node/express +73\d +1\.5\d +0 +49\.\d", text)
    untested = sum(finding["verdict"] == "not tested" for finding in uploads["findings"])
    assert re.search(rf"not tested +{untested} findings?: the report says why", text)


def test_markup_in_names_does_not_reach_the_terminal(run):
    run["findings"][0]["text"] = "[bold]no[/bold] [/] markup"
    console = Console(width=100, record=True, file=io.StringIO())
    print_summary(run, console)
    assert "[bold]no[/bold] [/] markup" in console.export_text()
