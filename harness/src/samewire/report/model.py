"""What a run folder says, in the terms of the report: entrants, groups, comparisons, ranks and the verdict."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema

from samewire.race.metrics import METRICS, metric
from samewire.report.kinds import kind_of, ranking_of
from samewire.report.numbers import ABSENT, Estimate, count
from samewire.report.record import Finding, Run

# Verdicts on findings as predicates: singular, plural.
_VERDICTS = {
    "holds": ("holds", "hold"),
    "does not hold": ("does not hold", "do not hold"),
    "undecided": ("is undecided", "are undecided"),
    "not comparable: stand-in": ("cannot be compared (stand-in)", "cannot be compared (stand-in)"),
    "not tested": ("was not tested", "were not tested"),
}


class ReportError(Exception):
    """A run that cannot be reported; the message names the file and says what is wrong with it."""


@dataclass(frozen=True)
class Comparison:
    """The ratio of one metric of `a` to that of `b`; `verdict` says where `a` stands."""

    metric: str
    a: str
    b: str
    ratio: Estimate
    verdict: str  # "higher", "lower", "undecided", or the reason why the two cannot be compared

    def turned(self) -> "Comparison":
        """The same, seen from `b`."""
        ends = (1 / x if x else None for x in (self.ratio.mean, self.ratio.high, self.ratio.low))
        verdict = {"higher": "lower", "lower": "higher"}.get(self.verdict, self.verdict)
        return Comparison(self.metric, self.b, self.a, Estimate(*ends, self.ratio.n), verdict)


@dataclass(frozen=True)
class Entrant:
    """A server in the race, or a variant of one.

    `hue` is the number of its stack's colour, the same wherever that stack appears. `summary` has the estimate of each
    metric in the unit of run.json. `bounds` has the metrics whose figures are bounds. `ranked` is whether it ran on no
    stand-in.
    """

    id: str
    server: str
    variant: str
    name: str
    hue: int
    stack: Mapping[str, str]
    traits: str
    transport: str
    store: str
    database: str
    ranked: bool
    record: Mapping[str, Any]
    runs: tuple[Run, ...]
    summary: Mapping[str, Estimate]
    bounds: Mapping[str, str]

    def estimate(self, key: str) -> Estimate:
        """The estimate of a metric, in the unit in which it is shown."""
        estimate = replace(self.summary.get(key, Estimate()), bound=self.bounds.get(key, ""))
        return estimate.scaled(metric(key).scale)

    @cached_property
    def requests(self) -> int:
        """Requests, or operations of a conversation, of the whole load, ramps included, in all rounds."""
        return sum(run.load.whole_requests for run in self.runs)

    @cached_property
    def errors(self) -> Counter[str]:
        """Errors of the whole load in all rounds by kind; kinds that never occurred are left out."""
        total: Counter[str] = Counter()
        for run in self.runs:
            total.update(run.load.errors)
        return +total

    @cached_property
    def warnings(self) -> list[tuple[int, str]]:
        """(round, warning) of its runs."""
        return [(run.round, text) for run in self.runs for text in run.warnings]


@dataclass(frozen=True)
class Group:
    """Entrants on the same footing: `ranked` on real databases, or not ranked on one stand-in."""

    ranked: bool
    label: str
    entrants: tuple[Entrant, ...]

    @property
    def title(self) -> str:
        """How the group is called wherever its figures are shown."""
        return f"Ranked: {self.label}" if self.ranked else f"Not ranked, on a stand-in: {self.label}"


class Race:
    """A run.json that has been checked."""

    def __init__(self, data: Mapping[str, Any]):
        self.data = data
        self.kind = kind_of(data)
        self.ranking = ranking_of(data)
        self.runs = tuple(map(Run.read, data["runs"]))
        self.findings = tuple(map(Finding.read, data["findings"]))
        self.entrants = self._entrants()
        self._comparisons: dict[tuple[str, str, str], Comparison] = {}
        for item in data["comparisons"]:
            verdict = {"a higher": "higher", "b higher": "lower"}.get(item["verdict"], item["verdict"])
            found = Comparison(item["metric"], item["a"], item["b"], Estimate.of(item.get("ratio")), verdict)
            self._comparisons[found.metric, found.a, found.b] = found
            self._comparisons[found.metric, found.b, found.a] = found.turned()

    def _entrants(self) -> list[Entrant]:
        servers = self.data["servers"]
        names = short_names([server["id"] for server in servers], self.data["experiment"]["service"])
        stacks = {server["id"]: http_server(server) for server in servers}
        hues = {stack: hue for hue, stack in enumerate(sorted(set(stacks.values())))}
        entrants = []
        for server in servers:
            store = server.get("store") or ""
            database = self.data["databases"].get(store, {})
            variant = server.get("variant", "")
            transport = server.get("transport") or ""
            entrants.append(
                Entrant(
                    id=server["id"],
                    server=re.split("[:#]", server["id"])[0],
                    variant=variant,
                    name=names[server["id"]],
                    hue=hues[stacks[server["id"]]],
                    stack=server.get("stack") or {},
                    traits=" · ".join(filter(None, (stacks[server["id"]], server.get("concurrency"), transport))),
                    transport=transport,
                    store=store,
                    database=database.get("label", "no database" if store in ("memory", "files") else store),
                    ranked=server["ranked"],
                    record=server["pass"],
                    runs=tuple(run for run in self.runs if run.server == server["id"]),
                    summary={key: Estimate.of(one) for key, one in self.data["summary"].get(server["id"], {}).items()},
                    bounds=server.get("bounds", {}),
                )
            )
        return sorted(entrants, key=self._order)

    def _order(self, entrant: Entrant) -> tuple[bool, float, str]:
        """The best first, those without a figure last."""
        mean = entrant.estimate(self.ranking.metric).mean
        return mean is None, (mean or 0) * (1 if self.ranking.lowest else -1), entrant.id

    @cached_property
    def records(self) -> dict[str, Mapping[str, Any]]:
        """The record of conformance of each server; that of its variants is the same."""
        return {entrant.server: entrant.record for entrant in self.entrants}

    @cached_property
    def rounds(self) -> int:
        """How many rounds there were."""
        return len({run.round for run in self.runs})

    @property
    def samples(self) -> Sequence[Mapping[str, Any]]:
        """The samples that one run goes through, in the order in which they are told; none of most kinds."""
        return self.data.get("samples", ())

    @property
    def warnings(self) -> list[str]:
        """What holds for the race as a whole."""
        unfinished = ["The race was not finished: its figures are of fewer rounds than planned."]
        return unfinished * (self.data.get("complete") is False) + self.data["warnings"]

    @property
    def same(self) -> bool:
        """Whether a server raced against itself."""
        return self.data["experiment"].get("same", False)

    @property
    def decided(self) -> list[str]:
        """The metrics in which any server is higher than another."""
        found = self._comparisons.values()
        return list(dict.fromkeys(one.metric for one in found if one.verdict in ("higher", "lower")))

    @property
    def ranked(self) -> tuple[Entrant, ...]:
        """The servers that can be ranked, the best first: on no stand-in, with a figure that is no bound."""
        return tuple(entrant for entrant in self.comparable if self.ranking.metric not in entrant.bounds)

    @property
    def comparable(self) -> tuple[Entrant, ...]:
        """The servers on no stand-in, the best first."""
        return tuple(entrant for entrant in self.entrants if entrant.ranked)

    @property
    def unranked(self) -> tuple[Group, ...]:
        """The servers on stand-ins, one group for each stand-in."""
        labels = dict.fromkeys(entrant.database for entrant in self.entrants if not entrant.ranked)
        return tuple(
            Group(False, label, tuple(e for e in self.entrants if not e.ranked and e.database == label))
            for label in labels
        )

    @property
    def groups(self) -> tuple[Group, ...]:
        """The ranked group, when there is one, and then those on stand-ins."""
        labels = dict.fromkeys(entrant.database for entrant in self.comparable)
        ranked = (Group(True, ", ".join(labels), self.comparable),) if self.comparable else ()
        return ranked + self.unranked

    @property
    def decided_together(self) -> bool:
        """Whether the pairs of a metric were decided together, or each at 95 %."""
        return any("confidence" in item for item in self.data["comparisons"])

    @property
    def compared(self) -> list[str]:
        """The metrics in which servers were compared."""
        return list(dict.fromkeys(metric for metric, _, _ in self._comparisons))

    def compare(self, key: str, a: Entrant, b: Entrant) -> Comparison | None:
        """How `a` stands to `b` in a metric, or None when the two were not compared in it."""
        return self._comparisons.get((key, a.id, b.id))

    def pairs(self, key: str) -> list[Comparison]:
        """The comparisons of servers on no stand-in in a metric, each pair once, the better one first.

        Of two variants those are compared that have one thing in common: the server, or the variant.
        """
        pairs = itertools.combinations(self.comparable, 2)
        found = (self.compare(key, a, b) for a, b in pairs if a.variant == b.variant or a.server == b.server)
        return [one for one in found if one and one.ratio.mean is not None]

    def name(self, server: str) -> str:
        """The short name of a server id."""
        return next((entrant.name for entrant in self.entrants if entrant.id == server), server)

    def shorten(self, text: str) -> str:
        """The text with short names in place of server ids."""
        for entrant in sorted(self.entrants, key=lambda one: -len(one.id)):
            text = text.replace(entrant.id, entrant.name)
        return text

    def rank(self, entrant: Entrant) -> str:
        """Its place, or the places that the intervals leave open: `1`, `2–3`; `–` when not ranked."""
        others = [other for other in self.ranked if other.id != entrant.id]
        if len(others) == len(self.ranked):
            return ABSENT
        best = 1 + sum(self._beats(other, entrant) for other in others)
        worst = len(self.ranked) - sum(self._beats(entrant, other) for other in others)
        return str(best) if best == worst else f"{best}–{worst}"

    def tie(self, key: str, entrant: Entrant) -> Comparison | None:
        """The comparison of a ranked server with the one above it, when it leaves the order undecided."""
        places = [other.id for other in self.ranked]
        place = places.index(entrant.id) if entrant.id in places else 0
        found = self.compare(key, entrant, self.ranked[place - 1]) if place else None
        return found if found and found.verdict == "undecided" else None

    def verdict(self) -> str:
        """What the race decided, in a sentence."""
        ranked = self.ranked
        if not any(entrant.requests for entrant in self.entrants):
            return f"Nothing was measured: no server {self.kind.done}."
        if self.same:
            names = enumeration(metric(key).name for key in self.decided) if self.decided else ""
            false = f"falsely decided: {names}" if names else "none was decided, rightly"
            return f"A server against itself: of {count(len(self.compared), 'metric')} {false}."
        if doubt := self.data.get("doubt"):
            return f"Nothing is ranked: {doubt}."
        if not self.comparable:
            return "Nothing is ranked: every server ran on a stand-in."
        if not ranked:
            return f"Nothing is ranked: {self.ranking.name} of every server is a bound, since other cores were full."
        best = ranked[0]
        value, words = best.estimate(self.ranking.metric), self.ranking
        if value.mean is None:
            where = " on a real database" if self.data["databases"] else ""
            return f"Nothing is ranked: no server{where} {self.kind.done}."
        figure = f"{value.mean_text()} {words.unit}"
        if value.has_interval:
            figure += f" (95 % interval {value.interval_text()})"
        if len(ranked) == 1:
            return f"{best.name} {words.had} {figure}; there was no other ranked server to compare it with."
        if self.rounds < 2:
            return f"One round decides nothing: {best.name} {words.led}, {figure}, but no order can be claimed."
        contenders = [best, *(other for other in ranked[1:] if not self._beats(best, other))]
        if len(contenders) > 1:
            names = enumeration(contender.name for contender in contenders)
            servers = count(len(ranked), "ranked server")
            return f"No winner among {servers}: {names} cannot be told apart in {words.name}."
        ratio = self.compare(words.metric, best, ranked[1]).ratio
        return (
            f"{best.name} {words.leads} of {count(len(ranked), 'ranked server')}: {figure}, "
            f"{ratio.mean_text()} {words.times} {ranked[1].name}, the next."
        )

    def _beats(self, a: Entrant, b: Entrant) -> bool:
        found = self.compare(self.ranking.metric, a, b)
        return found is not None and found.verdict == ("lower" if self.ranking.lowest else "higher")

    def remarks(self) -> list[str]:
        """What has to be read with the verdict: findings, errors, stand-ins."""
        remarks = []
        if verdicts := Counter(finding.verdict for finding in self.findings):
            order = dict.fromkeys([*_VERDICTS, *verdicts])
            told = enumeration(
                f"{verdicts[verdict]} {_VERDICTS.get(verdict, (verdict, verdict))[verdicts[verdict] > 1]}"
                for verdict in order
                if verdicts[verdict]
            )
            remarks.append(f"Of {count(verdicts.total(), 'published finding')}, {told}.")
        if failing := [entrant.name for entrant in self.entrants if entrant.errors]:
            remarks.append(f"Errors on {enumeration(failing)}.")
        elif any(entrant.requests for entrant in self.entrants):
            remarks.append("No errors.")
        if bounded := [one.name for one in self.comparable if self.ranking.metric in one.bounds]:
            remarks.append(f"Not ranked, since {self.ranking.name} is a bound: {enumeration(bounded)}.")
        for group in self.unranked:
            servers = count(len(group.entrants), "server")
            remarks.append(f"Apart and not ranked: {servers} on a stand-in ({group.label}).")
        return remarks


def load(folder: Path) -> Race:
    """The race of a run folder. Raises ReportError when its run.json is missing, broken or not a run's."""
    path = Path(folder) / "run.json"
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ReportError(f"{path}: not JSON: {error}") from error
    return Race(check(data, str(path)))


def check(data: Any, source: str) -> Any:
    """The data again, if it is what a run.json holds. Raises ReportError with every problem, one a line."""
    problems = sorted(_validator().iter_errors(data), key=lambda problem: problem.json_path)
    if problems:
        raise ReportError("\n".join(f"{source}: {problem.json_path}: {problem.message:.200}" for problem in problems))
    known = {server["id"] for server in data["servers"]}
    if strangers := {run["server"] for run in data["runs"]} - known:
        raise ReportError(f"{source}: $.runs: of servers that $.servers does not list: {', '.join(sorted(strangers))}")
    return data


@cache
def _validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((files(__package__) / "run.schema.json").read_text()))


def short_names(ids: Iterable[str], service: str) -> dict[str, str]:
    """`servers-java/shortener-netty-pg` → `java/netty-pg`: ids without what all of them repeat."""

    def short(part: str) -> str:
        return part.removeprefix("servers-").removeprefix(f"{service}-")

    return {one: "/".join(map(short, one.split("/"))) for one in ids}


def http_server(server: Mapping[str, Any]) -> str:
    """What speaks HTTP in the stack; the server's id when its stack is not known."""
    stack = server.get("stack") or {}
    return next((name for name, role in stack.items() if role == "HTTP server"), server["id"])


def enumeration(texts: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def measured(race: Race) -> list[str]:
    """The metrics that any entrant has, in the order of the tables, then those of parts, and unknown ones last."""
    present = {key for entrant in race.entrants for key in entrant.summary}
    return [key for key in METRICS if key in present] + sorted(present - METRICS.keys(), key=_place)


def _place(key: str) -> tuple[int, list[str | int]]:
    """Orders metrics that are none of the tables': those of parts as their wholes are, sample 10 after sample 9."""
    places = {known: place for place, known in enumerate(METRICS)}
    # Text and numbers take turns, so that like is compared with like.
    words = [int(word) if word.isdecimal() else word for word in re.split(r"(\d+)", key)]
    return places.get(key.partition(" of ")[0], len(places)), words
