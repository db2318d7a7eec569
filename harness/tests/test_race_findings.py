import pytest

from samewire.manifest import Server
from samewire.race.experiment import Entrant, Finding, Selector
from samewire.race.findings import Figures, comparisons, judge

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
    assert row["verdict"] == "holds"
    assert row["ours"]["value"] == pytest.approx(2, rel=0.01)
    assert row["ours"]["text"].startswith(f"{NODE} to {NETTY}: 2 × (")
    assert row["why"] == "the whole interval is at least 1; the closest of 2 comparisons is shown"


def test_a_finding_fails_with_one_server():
    row = judge(FASTEST, _figures([100, 101, 99], [150, 151, 149], [10, 10, 11]))
    assert row["verdict"] == "does not hold"
    assert NETTY in row["ours"]["text"]


def test_an_interval_across_the_claim_decides_nothing():
    row = judge(FASTEST, _figures([100, 110, 90], [95, 100, 105], [10, 10, 11]))
    assert row["verdict"] == "undecided"


def test_one_round_decides_nothing():
    row = judge(FASTEST, _figures([100], [50], [10]))
    assert (row["verdict"], row["why"]) == ("undecided", "one round gives no interval")


def test_a_stand_in_is_never_compared():
    row = judge(FASTEST, _figures([100, 101], [50, 51], [10, 11], stand_in=True))
    assert row["verdict"] == "not comparable: stand-in"
    assert row["ours"] is None
    assert PHP in row["why"]


def test_a_finding_without_the_stand_in_is_judged():
    finding = _finding(
        subject=_selector(language="TypeScript"), others=_selector(store="postgresql"), compare="each", at_least=1.0
    )
    row = judge(finding, _figures([100, 101, 99], [50, 51, 49], [10, 11, 10], stand_in=True))
    assert row["verdict"] == "holds"


def test_a_server_that_is_not_there_leaves_a_finding_untested():
    row = judge(_finding(subject=_selector(language="Scala"), at_least=1.0), CLEAR)
    assert (row["verdict"], row["why"]) == ("not tested", "no server in this race has language = Scala")


def test_a_server_without_figures_leaves_a_finding_untested():
    row = judge(FASTEST, _figures([100, 101], [None, None], [10, 11]))
    assert (row["verdict"], row["why"]) == ("not tested", f"no figures of {NETTY}")


def test_the_slowest_is_found_by_its_mean():
    finding = _finding(
        subject=_selector(language="TypeScript"), others=_selector(), compare="lowest", at_least=8, at_most=12
    )
    row = judge(finding, CLEAR)
    assert row["verdict"] == "holds"
    assert f"{NODE} to {PHP}: 9.6" in row["ours"]["text"]


def test_the_mean_of_the_others_is_geometric():
    finding = _finding(subject=_selector(language="PHP"), others=_selector(), compare="mean", at_most=1.0)
    row = judge(finding, _figures([100, 100], [25, 25], [10, 10]))
    assert row["ours"]["value"] == pytest.approx(10 / 50)
    assert row["verdict"] == "holds"


def test_an_order_holds_from_one_place_to_the_next():
    places = [_selector(language=language) for language in ("TypeScript", "Java", "PHP")]
    assert judge(_finding(order=tuple(places)), CLEAR)["verdict"] == "holds"
    assert judge(_finding(order=tuple(reversed(places))), CLEAR)["verdict"] == "does not hold"


def test_a_value_may_be_zero():
    finding = _finding(subject=_selector(store="postgresql"), at_most=0.0)
    assert judge(finding, _figures([0.0, 0.0], [0.0, 0.0], [1, 1]))["verdict"] == "holds"
    # One round with errors of two: the interval is wide.
    assert judge(finding, _figures([0.0, 0.0], [0.0, 0.1], [1, 1]))["verdict"] == "undecided"


def test_only_rounds_that_both_have_are_paired():
    figures = _figures([100, None, 100], [50, 7, 50], [1, 1, 1])
    assert figures.ratio(METRIC, [NODE], [NETTY]).n == 2


def test_comparisons_name_no_winner_without_a_reason():
    rows = comparisons(_figures([100, 101, 99], [50, 51, 49], [100, 99, 101]), [METRIC])
    assert [(row["a"], row["b"], row["verdict"]) for row in rows] == [
        (NODE, NETTY, "a higher"), (NODE, PHP, "undecided"), (NETTY, PHP, "b higher"),
    ]  # fmt: skip


def test_comparisons_with_a_stand_in_have_no_ratio():
    rows = comparisons(_figures([100, 101], [50, 51], [10, 11], stand_in=True), [METRIC])
    assert [row["verdict"] for row in rows] == ["a higher", "not comparable: stand-in", "not comparable: stand-in"]
    assert [row["ratio"] is None for row in rows] == [False, True, True]
