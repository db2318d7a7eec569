"""Verdicts on a study's findings."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace

from samewire.race.claims import Agreement, Claim
from samewire.race.comparisons import Figures
from samewire.race.entrants import AnyOf, Selector
from samewire.race.experiment import FLOOR, Finding
from samewire.race.metric import EITHER, STACK_SHARE
from samewire.race.metrics import of_sample
from samewire.race.statistics import (
    CONFIDENCE,
    Interval,
    correlation_interval,
    mean_interval,
    ratio_interval,
)
from samewire.race.verdicts import (
    FAILS,
    HOLDS,
    NOT_TESTED,
    STAND_IN,
    UNDECIDED,
    Judgement,
    Ours,
)


def judge(finding: Finding, figures: Figures) -> Judgement:
    """The verdict on a finding, with our value and the reason."""

    def judgement(verdict: str, why: str, ours: Ours | None = None) -> Judgement:
        return Judgement(finding.id, finding.text, finding.published, ours, verdict, why)

    if finding.untested:
        return judgement(NOT_TESTED, finding.untested)
    groups = _groups(finding, figures)
    if missing := [selector for selector, group in groups if not group]:
        lacking = "; none has ".join(map(str, missing))
        return judgement(NOT_TESTED, f"no server in this race has {lacking}")
    about = involved(finding, figures)
    needed = [metric for metrics in _metrics(finding).values() for metric in metrics]
    needed += [finding.others_metric] * bool(finding.others_metric)
    if finding.of_profiles and not any(figures.rounds(one, finding.metric) for one in about):
        pattern = finding.metric.removeprefix(STACK_SHARE)
        return judgement(NOT_TESTED, f"profiles tell it: samewire profile SERVER EXPERIMENT --share '{pattern}' --keep")
    if unmeasured := [one for one in about if not all(figures.rounds(one, metric) for metric in needed)]:
        return judgement(NOT_TESTED, f"no figures of {', '.join(unmeasured)}")
    if stand_ins := [server for server in about if not figures.ranked[server]]:
        return judgement(STAND_IN, f"on a stand-in for the database: {', '.join(stand_ins)}")
    if doubts := dict.fromkeys(figures.doubts[server] for server in about if server in figures.doubts):
        return judgement(UNDECIDED, "; ".join(doubts))
    servers = [group for _, group in groups]
    tests = _tests(finding, figures, servers, CONFIDENCE)
    if not tests:
        return judgement(NOT_TESTED, "a figure is zero, or no round has all of the figures")
    # All must hold, each at its own level. But the more there are, the likelier one seems to fail by chance: the
    # intervals of those that may fail are wider, so that they hold all of the true values at once (Bonferroni).
    together = 1 - (1 - CONFIDENCE) / len(tests)
    wide = _tests(finding, figures, servers, together) or []
    open_ = [wider for test, wider in zip(tests, wide, strict=True) if test.verdict != HOLDS]
    if not open_:
        return judgement(HOLDS, *_decisive(tests, len(tests), CONFIDENCE))
    failed = [test for test in open_ if test.verdict == FAILS]
    return judgement(FAILS if failed else UNDECIDED, *_decisive(failed or open_, len(tests), together))


def _decisive(tests: Sequence[Claim | Agreement], number: int, confidence: float) -> tuple[str, Ours]:
    """Why, and our value, of the test on which a verdict hangs, one of so many with intervals of that confidence."""
    shown = min(tests, key=lambda test: test.margin)
    ours = shown.ours()
    if ours.low is None:
        return "one round gives no interval", ours
    if number == 1:
        return shown.why(), ours
    of = "" if confidence == CONFIDENCE else f", with its interval of {100 * confidence:.3g} %"
    return f"{shown.why()}; the closest of {number} comparisons is shown{of}", ours


def _metrics(finding: Finding) -> dict[str, tuple[str, ...]]:
    """The metrics that a finding is about, by sample: of none (``), or those of each of its samples."""
    named = finding.metrics or (finding.metric,)
    if not finding.samples:
        return {"": named}
    return {sample: tuple(of_sample(metric, sample) for metric in named) for sample in finding.samples}


def involved(finding: Finding, figures: Figures) -> list[str]:
    """The entrants that a finding is about, by id."""
    return list(dict.fromkeys(server for _, group in _groups(finding, figures) for server in group))


def _groups(finding: Finding, figures: Figures) -> list[tuple[Selector | AnyOf | str, list[str]]]:
    """The servers that a finding is about, after how they are called when there is none: the subject and the others,
    or the floors of the subject, or one group for each place of an order.
    """
    if finding.order:
        return [(selector, figures.matching(selector)) for selector in finding.order]
    assert finding.subject
    subject = figures.matching(finding.subject)
    groups: list[tuple[Selector | AnyOf | str, list[str]]] = [(finding.subject, subject)]
    if finding.compare == FLOOR:
        return [*groups, ("a floor", list(dict.fromkeys(figures.floors(subject).values())))]
    if finding.others:
        groups.append((finding.others, [name for name in figures.matching(finding.others) if name not in subject]))
    return groups


def _tests(
    finding: Finding, figures: Figures, groups: list[list[str]], confidence: float
) -> Sequence[Claim | Agreement] | None:
    """The claims of a finding with our intervals of that confidence; None when one of them cannot be had."""
    try:
        if finding.relation == "correlate":
            return list(_correlations(finding, figures, groups, confidence))
        kind = _agreements if finding.relation == "agree" else _comparisons
        return [
            test
            for sample, metrics in _metrics(finding).items()
            for test in kind(finding, figures, groups, metrics, f", sample {sample}" if sample else "", confidence)
        ]
    except _NoFigureError:
        return None


class _NoFigureError(Exception):
    """A ratio or a correlation that cannot be had."""


def _comparisons(
    finding: Finding,
    figures: Figures,
    groups: list[list[str]],
    metrics: tuple[str, ...],
    where: str,
    confidence: float,
) -> Iterator[Claim]:
    (metric,), bounds = metrics, (finding.at_least, finding.at_most)
    if finding.order:
        pairs = [(groups[place], groups[place + 1]) for place in range(len(groups) - 1)]
        bounds = (1.0, None)
    elif finding.compare == FLOOR:
        pairs = [([server], [floor]) for server, floor in figures.floors(groups[0]).items()]
    elif not finding.others:
        for server in groups[0]:
            interval = mean_interval(list(figures.rounds(server, metric).values()), confidence)
            yield Claim(interval, f"{server}{where}", *bounds, "", figures.open_ends(metric, [server]))
        return
    elif finding.compare in ("lowest", "highest"):
        interval = _to_extreme(figures, metric, *groups, finding.compare, confidence)
        text = f"{_named(groups[0])} to the {finding.compare} of {len(groups[1])} servers{where}"
        yield Claim(interval, text, *bounds, "×", figures.open_ends(metric, *groups))
        return
    elif finding.change:
        yield from _changes(finding, figures, *groups, confidence)
        return
    else:
        subject, others = groups
        pairs = [(subject, others)] if finding.compare == "mean" else [(subject, [other]) for other in others]
    for a, b in pairs:
        interval = _ratio(figures, metric, a, b, confidence, finding.others_metric)
        open_ = figures.open_ends(metric, a, b, finding.others_metric)
        of = f", {metric} to {finding.others_metric}" if finding.others_metric else ""
        yield Claim(interval, f"{_named(a)} to {_named(b)}{of}{where}", *bounds, "×", open_)


def _changes(
    finding: Finding, figures: Figures, subject: list[str], others: list[str], confidence: float
) -> Iterator[Claim]:
    """By how much the ratio of two servers is another one under the second load: the ratio of the ratios by round."""
    before, after = finding.change
    for one in subject:
        for other in others:
            if not figures.entrants[one].load == figures.entrants[other].load == after:
                continue
            one_before, other_before = (_under(figures, name, before) for name in (one, other))
            if not one_before or not other_before:
                raise _NoFigureError
            names = (one, other, one_before, other_before)
            found = [figures.rounds(name, finding.metric) for name in names]
            common = sorted(set.intersection(*map(set, found)))
            if not common or any(rounds[number] <= 0 for rounds in found for number in common):
                raise _NoFigureError
            a, b, c, d = ([rounds[number] for number in common] for rounds in found)
            ratios = [[x / y for x, y in zip(*both, strict=True)] for both in ((a, b), (c, d))]
            # The first ratio's subject and the second ratio's other are above, the other two below.
            open_ = figures.open_ends(finding.metric, [one, other_before], [other, one_before])
            text = f"{one} to {other}, by that under {before}"
            yield Claim(ratio_interval(*ratios, confidence), text, finding.at_least, finding.at_most, "×", open_)


def _under(figures: Figures, name: str, load: str) -> str | None:
    """The same server and variant under another load; None if it took no part."""
    wanted = replace(figures.entrants[name], load=load)
    return next((other for other, entrant in figures.entrants.items() if entrant == wanted), None)


def _to_extreme(
    figures: Figures, metric: str, subject: list[str], others: list[str], compare: str, confidence: float
) -> Interval:
    """The ratio to the lowest or highest of the others, whichever that is.

    It is the highest or lowest of the ratios to each. Intervals that hold all of these at once (Bonferroni) bound it:
    none of the others is picked by the data that it is tested on.
    """
    together = 1 - (1 - confidence) / len(others)
    ratios = [_ratio(figures, metric, subject, [other], together) for other in others]
    extreme = max if compare == "lowest" else min
    lows = [one.low for one in ratios if one.low is not None]
    highs = [one.high for one in ratios if one.high is not None]
    known = len(lows) == len(others)
    return Interval(
        extreme(one.mean for one in ratios),
        extreme(lows) if known else None,
        extreme(highs) if known else None,
        min(one.n for one in ratios),
    )


def _agreements(
    finding: Finding,
    figures: Figures,
    groups: list[list[str]],
    metrics: tuple[str, ...],
    where: str,
    confidence: float,
) -> Iterator[Agreement]:
    for a in groups[0]:
        for b in groups[1]:
            first, second = (_ratio(figures, metric, [a], [b], confidence) for metric in metrics)
            open_ends = figures.open_ends(metrics[0], [a], [b]), figures.open_ends(metrics[1], [a], [b])
            yield Agreement(first, second, finding.metrics, f"{a} to {b}{where}", open_ends)


def _correlations(finding: Finding, figures: Figures, groups: list[list[str]], confidence: float) -> Iterator[Claim]:
    """Correlations over the samples: of each server, or of its differences from each of the others."""
    pairs = [(a, b) for a in groups[0] for b in groups[1]] if finding.others else [(a,) for a in groups[0]]
    for servers in pairs:
        interval = _correlation(finding, figures, servers, confidence)
        metrics = [metric for both in _metrics(finding).values() for metric in both]
        # A correlation of figures of which some are bounds may be anything.
        open_ends = EITHER if any(figures.open_ends(metric, servers) for metric in metrics) else ""
        yield Claim(interval, " less ".join(servers), finding.at_least, finding.at_most, "", open_ends)


def _correlation(finding: Finding, figures: Figures, servers: Sequence[str], confidence: float) -> Interval:
    """Pearson's, of the means of rounds: more rounds make these surer, and no more samples of them."""
    needed = [figures.rounds(one, metric) for one in servers for both in _metrics(finding).values() for metric in both]
    rounds = set.intersection(*map(set, needed))
    if not rounds:
        raise _NoFigureError

    def value(metric: str) -> float:
        subject, *other = (
            statistics.fmean(figures.rounds(server, metric)[number] for number in rounds) for server in servers
        )
        return subject - sum(other)

    x, y = zip(*(map(value, both) for both in _metrics(finding).values()), strict=True)
    try:
        found = correlation_interval(x, y, confidence)
    except ValueError as error:
        raise _NoFigureError from error
    return found if len(rounds) > 1 else replace(found, low=None, high=None)


def _ratio(
    figures: Figures, metric: str, a: list[str], b: list[str], confidence: float, metric_of_b: str = ""
) -> Interval:
    rounds = figures.paired(metric, a, b, metric_of_b)
    if rounds is None:
        raise _NoFigureError
    return ratio_interval(*rounds, confidence)


def _named(group: list[str]) -> str:
    return group[0] if len(group) == 1 else f"mean of {len(group)} servers"
