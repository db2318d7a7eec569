from dataclasses import replace

import numpy as np
import pytest

from samewire.manifest import Server
from samewire.race.comparisons import Figures, comparisons
from samewire.race.entrants import Entrant, Selector
from samewire.race.experiment import Finding
from samewire.race.findings import judge
from samewire.race.statistics import ratio_p

METRIC = "throughput_rps"
NODE, NETTY, PHP = "servers-node/a", "servers-java/b", "servers-php/c"


def _server(name, language, store):
    stack = {"h": "HTTP server"}
    return Entrant(Server(name, None, "s", language, store, "event-loop", stack, needs=(), build=(), run=("x",)))


SERVERS = {
    NODE: _server(NODE, "TypeScript", "postgresql"),
    NETTY: _server(NETTY, "Java", "postgresql"),
    PHP: _server(PHP, "PHP", "mongodb"),
}


def _figures(node, netty, php, stand_in=False):
    values = {NODE: node, NETTY: netty, PHP: php}
    return Figures(
        SERVERS,
        {NODE: True, NETTY: True, PHP: not stand_in},
        {name: {METRIC: dict(enumerate(rounds, 1))} for name, rounds in values.items()},
    )


def _selector(**fields):
    return Selector(tuple(fields.items()))


def _finding(**content):
    given = {
        "id": "f", "text": "t", "published": "p", "metric": METRIC, "subject": None, "others": None, "compare": None,
        "order": (), "at_least": None, "at_most": None,
    }  # fmt: skip
    return Finding(**given | content)


FASTEST = _finding(subject=_selector(language="TypeScript"), others=_selector(), compare="each", at_least=1.0)
CLEAR = _figures([100, 101, 99], [50, 51, 49], [10, 10, 11])


def test_a_finding_holds_when_every_interval_is_inside_the_claim():
    row = judge(FASTEST, CLEAR)
    assert row.verdict == "holds"
    assert row.ours.value == pytest.approx(2, rel=0.01)
    assert row.ours.text.startswith(f"{NODE} to {NETTY}: 2 × (")
    assert row.why == "the whole interval is at least 1; the closest of 2 comparisons is shown"


def test_a_finding_fails_with_one_server():
    row = judge(FASTEST, _figures([100, 101, 99], [150, 151, 149], [10, 10, 11]))
    assert row.verdict == "does not hold"
    assert NETTY in row.ours.text


def test_an_interval_across_the_claim_decides_nothing():
    row = judge(FASTEST, _figures([100, 110, 90], [95, 100, 105], [10, 10, 11]))
    assert row.verdict == "undecided"


def test_one_round_decides_nothing():
    row = judge(FASTEST, _figures([100], [50], [10]))
    assert (row.verdict, row.why) == ("undecided", "one round gives no interval")


def test_a_stand_in_is_never_compared():
    row = judge(FASTEST, _figures([100, 101], [50, 51], [10, 11], stand_in=True))
    assert row.verdict == "not comparable: stand-in"
    assert row.ours is None
    assert PHP in row.why


def test_a_finding_without_the_stand_in_is_judged():
    finding = _finding(
        subject=_selector(language="TypeScript"), others=_selector(store="postgresql"), compare="each", at_least=1.0
    )
    row = judge(finding, _figures([100, 101, 99], [50, 51, 49], [10, 11, 10], stand_in=True))
    assert row.verdict == "holds"


def test_a_server_that_is_not_there_leaves_a_finding_untested():
    row = judge(_finding(subject=_selector(language="Scala"), at_least=1.0), CLEAR)
    assert (row.verdict, row.why) == ("not tested", "no server in this race has language = Scala")


def test_a_server_without_figures_leaves_a_finding_untested():
    row = judge(FASTEST, _figures([100, 101], [None, None], [10, 11]))
    assert (row.verdict, row.why) == ("not tested", f"no figures of {NETTY}")


LOWEST = _finding(
    subject=_selector(language="TypeScript"), others=_selector(), compare="lowest", at_least=8, at_most=12
)


def test_the_slowest_is_whichever_it_is():
    row = judge(LOWEST, _figures([100, 101, 99], [50, 51, 49], [10, 10, 10.2]))
    assert row.verdict == "holds"
    assert f"{NODE} to the lowest of 2 servers: 9.9" in row.ours.text
    # Which of the two is the slower one is not known: the ratio to the slower is no surer than that to either.
    row = judge(LOWEST, _figures([100, 101, 99], [9, 10, 14], [10, 10, 10.2]))
    assert row.verdict == "undecided"
    assert judge(LOWEST, _figures([100], [50], [10])).why == "one round gives no interval"


def test_the_mean_of_the_others_is_geometric():
    finding = _finding(subject=_selector(language="PHP"), others=_selector(), compare="mean", at_most=1.0)
    row = judge(finding, _figures([100, 100], [25, 25], [10, 10]))
    assert row.ours.value == pytest.approx(10 / 50)
    assert row.verdict == "holds"


def test_an_order_holds_from_one_place_to_the_next():
    places = [_selector(language=language) for language in ("TypeScript", "Java", "PHP")]
    assert judge(_finding(order=tuple(places)), CLEAR).verdict == "holds"
    assert judge(_finding(order=tuple(reversed(places))), CLEAR).verdict == "does not hold"


def test_a_value_may_be_zero():
    finding = _finding(subject=_selector(store="postgresql"), at_most=0.0)
    assert judge(finding, _figures([0.0, 0.0], [0.0, 0.0], [1, 1])).verdict == "holds"
    # One round with errors of two: the interval is wide.
    assert judge(finding, _figures([0.0, 0.0], [0.0, 0.1], [1, 1])).verdict == "undecided"


def test_only_rounds_that_both_have_are_paired():
    figures = _figures([100, None, 100], [50, 7, 50], [1, 1, 1])
    assert figures.paired(METRIC, [NODE], [NETTY]) == (pytest.approx([100, 100]), pytest.approx([50, 50]))


def test_comparisons_name_no_winner_without_a_reason():
    rows = comparisons(_figures([100, 101, 99], [50, 51, 49], [100, 99, 101]), [METRIC])
    assert [(row.a, row.b, row.verdict) for row in rows] == [
        (NODE, NETTY, "a higher"), (NODE, PHP, "undecided"), (NETTY, PHP, "b higher"),
    ]  # fmt: skip


def test_a_failure_among_many_needs_a_wider_interval():
    """Of two comparisons one seems to fail at 95 %, but not at the 97.5 % that two need together."""
    figures = _figures([100, 100, 100], [50, 51, 49], [98.0, 98.6, 97.4])
    php = {"subject": _selector(language="PHP"), "compare": "each", "at_least": 1}
    alone, both = _finding(others=_selector(language="TypeScript"), **php), _finding(others=_selector(), **php)
    assert judge(alone, figures).verdict == "does not hold"
    row = judge(both, figures)
    assert row.verdict == "undecided"
    assert row.why.startswith("only a part of the interval is at least 1; the closest of 2 comparisons is shown")
    assert row.why.endswith(", with its interval of 97.5 %")


def test_pairs_of_a_metric_are_decided_together():
    """Equal servers: at 95 % for each of 15 pairs, far more than 5 % of races would call some server higher."""
    random = np.random.default_rng(20260105)
    names = [f"servers-x/{number}" for number in range(6)]
    entrants = {name: _server(name, "any", "memory") for name in names}
    races, together, alone = 400, 0, 0
    for _ in range(races):
        rounds = {name: list(np.exp(random.normal(0, 0.1, 5))) for name in names}
        values = {name: {METRIC: dict(enumerate(of_server))} for name, of_server in rounds.items()}
        rows = comparisons(Figures(entrants, dict.fromkeys(names, True), values), [METRIC])
        together += any(row.verdict != "undecided" for row in rows)
        alone += any(ratio_p(rounds[row.a], rounds[row.b]) < 0.05 for row in rows)
    # Three standard errors above 5 %.
    assert together / races <= 0.05 + 3 * (0.05 * 0.95 / races) ** 0.5
    assert alone / races > 0.3


def test_a_verdict_is_that_of_the_interval_that_is_shown():
    rows = comparisons(_figures([100, 101, 99], [50, 51, 49], [97, 96, 98]), [METRIC])
    assert [row.confidence for row in rows] == pytest.approx([1 - 0.05 / 3, 0.95, 1 - 0.05 / 2])
    for row in rows:
        assert (row.verdict == "undecided") == (row.ratio.low <= 1 <= row.ratio.high)


def _verdicts(figures):
    return {(one.a, one.b): one.verdict for one in comparisons(figures, [METRIC])}


def test_a_bound_decides_only_what_it_can():
    higher, lower = (NODE, NETTY), (NETTY, PHP)
    assert _verdicts(CLEAR)[higher] == _verdicts(CLEAR)[lower] == "a higher"
    held_back = replace(CLEAR, bounds={NETTY: {METRIC: "≥"}})
    assert _verdicts(held_back)[higher] == "undecided"  # it could be as high as the first
    assert _verdicts(held_back)[lower] == "a higher"
    either = replace(CLEAR, bounds={NETTY: {METRIC: "≤≥"}})
    assert _verdicts(either)[higher] == _verdicts(either)[lower] == "undecided"


def test_a_finding_on_a_bound_holds_only_if_the_true_figure_must():
    at_least = judge(FASTEST, replace(CLEAR, bounds={NODE: {METRIC: "≥"}}))
    assert (at_least.verdict, at_least.ours.bound) == ("holds", "≥")
    other = judge(FASTEST, replace(CLEAR, bounds={NETTY: {METRIC: "≥"}}))
    assert (other.verdict, other.ours.bound) == ("undecided", "≤")
    assert "a figure in it is a bound" in other.why


def test_nothing_is_decided_on_a_server_in_doubt():
    doubtful = replace(CLEAR, doubts={NETTY: "not steady"})
    assert _verdicts(doubtful) == {(NODE, NETTY): "undecided", (NODE, PHP): "a higher", (NETTY, PHP): "undecided"}
    row = judge(FASTEST, doubtful)
    assert (row.verdict, row.why) == ("undecided", "not steady")


def test_comparisons_with_a_stand_in_have_no_ratio():
    rows = comparisons(_figures([100, 101], [50, 51], [10, 11], stand_in=True), [METRIC])
    assert [row.verdict for row in rows] == ["a higher", "not comparable: stand-in", "not comparable: stand-in"]
    assert [row.ratio is None for row in rows] == [False, True, True]


SAMPLES = ("1", "2", "3")


def _sampled(**values):
    """Figures of NODE and NETTY in samples: by metric, for each of the two the value of each sample in each round."""
    by_server = {NODE: {}, NETTY: {}}
    for metric, (of_node, of_netty) in values.items():
        for name, rounds in ((NODE, of_node), (NETTY, of_netty)):
            for number, in_samples in enumerate(rounds, 1):
                for sample, value in enumerate(in_samples, 1):
                    by_server[name].setdefault(f"{metric} of sample {sample}", {})[number] = value
    servers = {name: SERVERS[name] for name in by_server}
    return Figures(servers, dict.fromkeys(servers, True), by_server)


def _of_samples(**content):
    given = {"metric": "", "subject": _selector(language="TypeScript"), "others": _selector(), "samples": SAMPLES}
    return _finding(**given | content)


def _near(*values):
    """Three rounds, each close to these values."""
    return [[value * factor for value in values] for factor in (0.99, 1, 1.01)]


LOWER_IN_EACH = _of_samples(metric="latency_mean_ms", compare="each", at_most=1.0)


def test_a_finding_of_samples_is_about_each_of_them():
    row = judge(LOWER_IN_EACH, _sampled(latency_mean_ms=(_near(1, 2, 3), _near(2, 4, 3.6))))
    assert row.verdict == "holds"
    assert row.why == "the whole interval is at most 1; the closest of 3 comparisons is shown"
    assert row.ours.text.startswith(f"{NODE} to {NETTY}, sample 3: 0.833 × (")
    row = judge(LOWER_IN_EACH, _sampled(latency_mean_ms=(_near(1, 5, 3), _near(2, 4, 3.6))))
    assert row.verdict == "does not hold"
    assert "sample 2: 1.25 ×" in row.ours.text


def test_a_sample_without_figures_leaves_a_finding_untested():
    figures = _sampled(latency_mean_ms=(_near(1, 2, 3), _near(2, 4, 6)))
    del figures.values[NETTY]["latency_mean_ms of sample 2"]
    assert judge(LOWER_IN_EACH, figures).why == f"no figures of {NETTY}"


AGREE = _of_samples(relation="agree", metrics=("switches_per_s", "latency_cv"))


@pytest.mark.parametrize(
    ("cv_of_netty", "verdict", "why"),
    [
        (_near(2, 0.5, 2), "holds", "both intervals are on the same side of 1; the closest of 3 comparisons is shown"),
        (_near(2, 2, 2), "does not hold", "the two intervals are on different sides of 1; the closest"),
        ([[2, 0.5, 0.9], [2, 0.5, 1.1], [2, 0.5, 1]], "undecided", "one of the two intervals includes 1; the closest"),
        ([[2, 0.5, 2]], "undecided", "one round gives no interval"),
    ],
)
def test_two_metrics_agree_if_they_are_on_the_same_side_in_every_sample(cv_of_netty, verdict, why):
    cv = [[1, 1, 1]] * len(cv_of_netty), cv_of_netty
    switches = _near(10, 30, 10)[: len(cv_of_netty)], _near(20, 10, 40)[: len(cv_of_netty)]
    row = judge(AGREE, _sampled(switches_per_s=switches, latency_cv=cv))
    assert row.verdict == verdict
    assert row.why.startswith(why)
    assert ", latency_cv: " in row.ours.text
    assert "; switches_per_s: " in row.ours.text


SIX = tuple("123456")
CORRELATED = _of_samples(
    relation="correlate", metrics=("switches_per_s", "latency_cv"), others=None, at_least=0.5, samples=SIX
)
UP, NEARLY_UP = _near(10, 20, 30, 40, 50, 60), _near(1, 1.9, 3.1, 4.2, 4.9, 6.1)


def test_metrics_are_correlated_over_the_samples():
    figures = _sampled(switches_per_s=(UP, UP), latency_cv=(NEARLY_UP, _near(1, 2, 3, 4, 5, 6)))
    row = judge(CORRELATED, figures)
    assert row.verdict == "holds"
    assert row.ours.value == pytest.approx(np.corrcoef(UP[1], NEARLY_UP[1])[0, 1])
    assert row.ours.unit == ""
    of_differences = _of_samples(relation="correlate", metrics=CORRELATED.metrics, at_least=0.5, samples=SIX)
    assert judge(of_differences, figures).why == "a figure is zero, or no round has all of the figures"


def test_more_rounds_do_not_make_a_correlation_over_few_samples_surer():
    loose = _near(1, 3, 2, 2.5, 6, 3.5)
    few = judge(CORRELATED, _sampled(switches_per_s=(UP, UP), latency_cv=(loose, loose)))
    many = judge(CORRELATED, _sampled(switches_per_s=(UP * 9, UP * 9), latency_cv=(loose * 9, loose * 9)))
    assert few.verdict == many.verdict == "undecided"
    assert (few.ours.low, few.ours.high) == pytest.approx((many.ours.low, many.ours.high))
    one = judge(CORRELATED, _sampled(switches_per_s=(UP[:1], UP[:1]), latency_cv=(loose[:1], loose[:1])))
    assert one.why == "one round gives no interval"


def test_differences_are_correlated_over_the_samples():
    figures = _sampled(
        switches_per_s=(UP, _near(5, 10, 35, 30, 55, 50)), latency_cv=(NEARLY_UP, _near(0.8, 1.5, 3.3, 3.8, 5.1, 5.7))
    )
    row = judge(_of_samples(relation="correlate", metrics=CORRELATED.metrics, at_least=0.5, samples=SIX), figures)
    # Differences 5, 10, -5, 10, -5, 10 and 0.2, 0.4, -0.2, 0.4, -0.2, 0.4.
    assert row.verdict == "holds"
    assert row.ours.value == pytest.approx(1)
    assert row.ours.text.startswith(f"{NODE} less {NETTY}: 1 (")


def test_the_others_may_have_another_metric():
    figures = _figures([100, 101, 99], [50, 51, 49], [10, 10, 11])
    figures.values[NETTY]["latency_p50_ms"] = dict(enumerate([200, 202, 198], 1))
    figures.values[NODE]["latency_p50_ms"] = dict(enumerate([1, 1, 1], 1))
    finding = replace(FASTEST, others=_selector(language="Java"), others_metric="latency_p50_ms")
    row = judge(finding, figures)
    assert row.verdict == "does not hold"
    assert row.ours.value == pytest.approx(0.5)
    assert row.ours.text.startswith(f"{NODE} to {NETTY}, throughput_rps to latency_p50_ms: ")
    bounded = replace(figures, bounds={NETTY: {"latency_p50_ms": "≥"}})
    assert judge(replace(finding, at_least=0.4), bounded).verdict == "undecided", "the ratio may be lower"
    assert judge(replace(finding, at_least=None, at_most=0.6), bounded).verdict == "holds"
    del figures.values[NETTY]["latency_p50_ms"]
    assert judge(finding, figures).verdict == "not tested"


def _under_loads(**values):
    """Figures of Node and Netty under loads, as `node_few`."""
    servers = {"node": NODE, "netty": NETTY}
    given = {f"{servers[(parts := name.split('_'))[0]]}@{parts[1]}": rounds for name, rounds in values.items()}
    entrants = {name: replace(SERVERS[name.partition("@")[0]], load=name.partition("@")[2]) for name in given}
    metrics = {name: {METRIC: dict(enumerate(rounds, 1))} for name, rounds in given.items()}
    return Figures(entrants, dict.fromkeys(given, True), metrics)


CHANGE = _finding(
    subject=_selector(language="TypeScript"), others=_selector(language="Java"), compare="each", change=("few", "many"),
    at_least=1.0,
)  # fmt: skip


def test_a_change_is_the_ratio_of_two_ratios():
    figures = _under_loads(
        node_few=[100, 110, 90], netty_few=[100, 110, 90], node_many=[300, 303, 297], netty_many=[150, 152, 148]
    )
    row = judge(CHANGE, figures)
    assert row.verdict == "holds"
    assert row.ours.value == pytest.approx(2, rel=0.01)
    assert row.ours.text.startswith(f"{NODE}@many to {NETTY}@many, by that under few: 2 × (")
    assert judge(replace(CHANGE, at_least=None, at_most=1.0), figures).verdict == "does not hold"


def test_a_change_is_by_round_and_bounds_count_on_their_sides():
    """What is the same for all servers in a round cancels out."""
    figures = _under_loads(node_few=[1, 9], netty_few=[1, 9], node_many=[2, 40], netty_many=[1, 20])
    row = judge(CHANGE, figures)
    assert (row.verdict, row.ours.low) == ("holds", pytest.approx(2))
    for name, bound, verdict in (
        (f"{NODE}@many", "≥", "holds"), (f"{NODE}@many", "≤", "undecided"),
        (f"{NETTY}@few", "≥", "holds"), (f"{NODE}@few", "≥", "undecided"), (f"{NETTY}@many", "≥", "undecided"),
    ):  # fmt: skip
        assert judge(CHANGE, replace(figures, bounds={name: {METRIC: bound}})).verdict == verdict, (name, bound)


def test_a_change_needs_both_loads():
    figures = _under_loads(node_few=[1, 2], netty_few=[1, 2], node_many=[2, 4], netty_many=[1, 2])
    del figures.entrants[f"{NETTY}@few"]
    assert judge(CHANGE, figures).verdict == "not tested"
    assert judge(replace(CHANGE, change=("few", "more")), figures).verdict == "not tested"


def test_what_cannot_be_tested_says_why():
    row = judge(_finding(metric="", untested="one disk"), CLEAR)
    assert (row.verdict, row.why, row.ours) == ("not tested", "one disk", None)
