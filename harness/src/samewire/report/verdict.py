"""What a race decided, in sentences."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from samewire.race.metrics import metric
from samewire.report.model import Race
from samewire.report.numbers import Estimate, count, enumeration
from samewire.report.record import Finding

# Verdicts on findings as predicates: singular, plural.
_VERDICTS = {
    "holds": ("holds", "hold"),
    "does not hold": ("does not hold", "do not hold"),
    "undecided": ("is undecided", "are undecided"),
    "not comparable: stand-in": ("cannot be compared (stand-in)", "cannot be compared (stand-in)"),
    "not tested": ("was not tested", "were not tested"),
}


def verdict(race: Race) -> str:
    """What the race decided, in a sentence."""
    ranked = race.ranked
    if not any(entrant.requests for entrant in race.entrants):
        return f"Nothing was measured: no server {race.kind.done}."
    if race.same:
        names = enumeration(metric(key).name for key in race.decided) if race.decided else ""
        false = f"falsely decided: {names}" if names else "none was decided, rightly"
        return f"A server against itself: of {count(len(race.compared), 'metric')} {false}."
    if doubt := race.data.get("doubt"):
        return f"Nothing is ranked: {doubt}."
    if not race.comparable:
        return "Nothing is ranked: every server ran on a stand-in."
    if not ranked:
        return f"Nothing is ranked: {race.ranking.name} of every server is a bound."
    best = ranked[0]
    value, words = best.estimate(race.ranking.metric), race.ranking
    if value.mean is None:
        where = " on a real database" if race.data["databases"] else ""
        return f"Nothing is ranked: no server{where} {race.kind.done}."
    figure = f"{value.mean_text()} {words.unit}"
    if value.has_interval:
        figure += f" (95 % interval {value.interval_text()})"
    if len(ranked) == 1:
        return f"{best.name} {words.had} {figure}; there was no other ranked server to compare it with."
    if race.rounds < 2:
        return f"One round decides nothing: {best.name} {words.led}, {figure}, but no order can be claimed."
    contenders = [best, *(other for other in ranked[1:] if not race.beats(best, other))]
    if len(contenders) > 1:
        names = enumeration(contender.name for contender in contenders)
        servers = count(len(ranked), "ranked server")
        return f"No winner among {servers}: {names} cannot be told apart in {words.name}."
    ratio = race.compare(words.metric, best, ranked[1]).ratio
    return (
        f"{best.name} {words.leads} of {count(len(ranked), 'ranked server')}: {figure}, "
        f"{ratio.mean_text()} {words.times} {ranked[1].name}, the next."
    )


def remarks(race: Race) -> list[str]:
    """What has to be read with the verdict: findings, errors, stand-ins."""
    remarks = []
    if verdicts := Counter(finding.verdict for finding in race.findings):
        order = dict.fromkeys([*_VERDICTS, *verdicts])
        told = enumeration(
            f"{verdicts[verdict]} {_VERDICTS.get(verdict, (verdict, verdict))[verdicts[verdict] > 1]}"
            for verdict in order
            if verdicts[verdict]
        )
        remarks.append(f"Of {count(verdicts.total(), 'published finding')}, {told}.")
    if failing := [entrant.name for entrant in race.entrants if entrant.errors]:
        remarks.append(f"Errors on {enumeration(failing)}.")
    elif any(entrant.requests for entrant in race.entrants):
        remarks.append("No errors.")
    if bounded := [one.name for one in race.comparable if race.ranking.metric in one.bounds]:
        remarks.append(f"Not ranked, since {race.ranking.name} is a bound: {enumeration(bounded)}.")
    for group in race.unranked:
        servers = count(len(group.entrants), "server")
        remarks.append(f"Apart and not ranked: {servers} on a stand-in ({group.label}).")
    return remarks


@dataclass(frozen=True)
class OwnFigure:
    """What a race has to say to a finding: the figure with its unit, its interval if it has one, and of what it is."""

    figure: str
    interval: str
    subject: str


def own_figure(finding: Finding, shorten: Callable[[str], str]) -> OwnFigure | None:
    """Our own figure for a finding; None where it has none. `shorten` makes short names of the ids of servers."""
    if not (ours := finding.ours):
        return None
    estimate = Estimate(ours.value, ours.low, ours.high, bound=ours.bound)
    return OwnFigure(
        f"{estimate.mean_text()} {ours.unit}".rstrip(),
        estimate.interval_text() if estimate.has_interval else "",
        # The text says of what the figure is and, after a colon, repeats it.
        shorten(ours.text.partition(": ")[0]),
    )
