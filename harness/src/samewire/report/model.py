"""What a run folder says, in the terms of the report: entrants, groups, comparisons, and ranks."""

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema

from samewire.race.metrics import METRICS
from samewire.report.entrants import Comparison, Entrant, Group, http_server, short_names
from samewire.report.kinds import kind_of, ranking_of
from samewire.report.numbers import ABSENT, Estimate
from samewire.report.record import Finding, Run
from samewire.report.signs import signs


class ReportError(Exception):
    """A run that cannot be reported; the message names the file and says what is wrong with it."""


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
        entrants = []
        for server, (hue, shape) in zip(servers, signs([*stacks.values()]), strict=True):
            store = server.get("store") or ""
            database = self.data["databases"].get(store, {})
            variant = server.get("variant", "")
            transport = server.get("transport") or ""
            entrants.append(
                Entrant(
                    id=server["id"],
                    server=re.split("[:@#]", server["id"])[0],
                    variant=variant,
                    load=server.get("load", ""),
                    name=names[server["id"]],
                    hue=hue,
                    shape=shape,
                    stack=server.get("stack") or {},
                    traits=" · ".join(
                        filter(
                            None,
                            (
                                "the least program" * ("floor" in server),
                                stacks[server["id"]],
                                server.get("concurrency"),
                                transport,
                            ),
                        )
                    ),
                    transport=transport,
                    store=store,
                    database=database.get("label", "no database" if store in ("memory", "files") else store),
                    ranked=server["ranked"],
                    record=server.get("pass") or {"digest": server["floor"]},
                    floor="floor" in server,
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
        """The record of conformance of each server; that of its variants is the same. Floors have none."""
        return {entrant.server: entrant.record for entrant in self.entrants if not entrant.floor}

    @property
    def floors(self) -> list[Entrant]:
        """The least programs of stacks that took part."""
        return [entrant for entrant in self.entrants if entrant.floor]

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
        share = self.data["parameters"].get("server_share", 1)
        part = f"each server may use {share:.0%} of its core: do not set its figures beside those of a whole one"
        return unfinished * (self.data.get("complete") is False) + [part] * (share < 1) + self.data["warnings"]

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
        """The comparisons of servers on no stand-in in a metric, each pair once, the better one first."""
        found = (self.pair(key, a, b) for a, b in itertools.combinations(self.comparable, 2))
        return [one for one in found if one]

    def pair(self, key: str, a: Entrant, b: Entrant) -> Comparison | None:
        """How `a` stands to `b`, if they differ in one thing: the server, the variant, or the load."""
        differ = (a.server != b.server, a.variant != b.variant, a.load != b.load)
        found = self.compare(key, a, b) if sum(differ) <= 1 else None
        return found if found and found.ratio.mean is not None else None

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
        best = 1 + sum(self.beats(other, entrant) for other in others)
        worst = len(self.ranked) - sum(self.beats(entrant, other) for other in others)
        return str(best) if best == worst else f"{best}–{worst}"

    def beats(self, a: Entrant, b: Entrant) -> bool:
        """Whether `a` is better than `b` in what servers are ranked by."""
        found = self.compare(self.ranking.metric, a, b)
        return found is not None and found.verdict == ("lower" if self.ranking.lowest else "higher")

    def tie(self, key: str, entrant: Entrant) -> Comparison | None:
        """The comparison of a ranked server with the one above it, when it leaves the order undecided."""
        places = [other.id for other in self.ranked]
        place = places.index(entrant.id) if entrant.id in places else 0
        found = self.compare(key, entrant, self.ranked[place - 1]) if place else None
        return found if found and found.verdict == "undecided" else None


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
