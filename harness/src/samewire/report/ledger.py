"""The ledger: every finding of the studies, with what the kept records say of it."""

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2

from samewire.paths import CHECKOUT, RECORDS
from samewire.race import same
from samewire.race.experiment import Experiment, find_experiments, load
from samewire.race.verdicts import NOT_TESTED
from samewire.report import kept
from samewire.report.model import Race, check
from samewire.report.numbers import count, enumeration, moment, rate_text
from samewire.report.record import Finding
from samewire.report.verdict import own_figure

PAGE = CHECKOUT / "docs/ledger/index.html"
TABLE = RECORDS / "README.md"
NO_RECORD = "without a record"


@dataclass(frozen=True)
class Entry:
    """A finding: as published, with our figure, the verdict and the reason; `stacks` are those that took part."""

    experiment: str
    text: str
    published: str
    ours: str
    verdict: str
    why: str
    stacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chapter:
    """An experiment with its entries, and the newest of its records, by name, if one is kept."""

    experiment: Experiment
    entries: tuple[Entry, ...]
    record: str
    facts: str

    @property
    def verdicts(self) -> str:
        """How many findings there are of each verdict, in words."""
        counted = Counter(entry.verdict for entry in self.entries)
        return enumeration(f"{number} {verdict}" for verdict, number in counted.items())


def chapters(records: Path = RECORDS) -> list[Chapter]:
    """Every experiment that tests findings, with them."""
    newest: dict[str, tuple[str, Race]] = {}
    for name in kept.names_in(records):
        race = Race(check(json.loads(gzip.decompress(kept.file_of(name, records).read_bytes())), name))
        newest[race.data["experiment"]["name"]] = name, race
    experiments = [one for one in map(load, find_experiments()) if one.findings]
    return [_chapter(one, *newest.get(one.name, ("", None))) for one in experiments]


def _chapter(experiment: Experiment, name: str, race: Race | None) -> Chapter:
    judged = {one["id"]: Finding.read(one) for one in race.data["findings"]} if race else {}
    stacks = tuple(sorted({entrant.traits.partition(" · ")[0] for entrant in race.entrants})) if race else ()
    entries = []
    for finding in experiment.findings:
        one = judged.get(finding.id)
        if finding.untested:
            entry = Entry(experiment.name, finding.text, finding.published, "", NOT_TESTED, finding.untested)
        # A record of a finding that has been put in other words since says nothing of it.
        elif race and one and one.text == finding.text:
            why = race.shorten(one.why)
            entry = Entry(experiment.name, one.text, one.published, _ours(race, one), one.verdict, why, stacks)
        else:
            entry = Entry(experiment.name, finding.text, finding.published, "", NO_RECORD, "")
        entries.append(entry)
    return Chapter(experiment, tuple(entries), name, _facts(race) if race else "")


def _ours(race: Race, finding: Finding) -> str:
    if not (own := own_figure(race, finding)):
        return ""
    return f"{own.figure}{f' ({own.interval})' if own.interval else ''}, {own.subject}"


def _facts(race: Race) -> str:
    data, machine = race.data, race.data["machine"]
    where = f"{machine.get('cpu_model', 'unknown processor')}, {count(machine.get('cores', 0), 'core')}"
    databases = [one["label"] for one in data["databases"].values()]
    told = [moment(data["started_at"]), f"profile {data['profile']}", count(race.rounds, "round"), where, *databases]
    return "; ".join([*told, data["doubt"]] if data.get("doubt") else told)


def table(found: Iterable[Chapter]) -> str:
    """The ledger in Markdown, the README of `bench/records`."""
    lines = [
        "# Kept records, and the ledger of findings",
        "",
        "A race that is kept is a file here: its `run.json`, packed. `samewire report NAME` makes its report.",
        "`samewire report RUN --keep` keeps another. `samewire ledger` writes this page from the newest record of each",
        "experiment, and `docs/ledger/index.html`, the same with filters.",
        "",
        *_false_decisions(),
    ]
    for chapter in found:
        lines += [f"## {chapter.experiment.title}", ""]
        if chapter.record:
            lines += [f"{chapter.facts}. `samewire report {chapter.record}`", ""]
        else:
            lines += [f"No record is kept. `samewire race {chapter.experiment.name}` makes one.", ""]
        lines += ["| finding | published | ours | verdict | why |", "|---|---|---|---|---|"]
        for one in chapter.entries:
            cells = one.text, one.published, one.ours or "–", one.verdict, one.why or "–"
            lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
        lines.append("")
    return "\n".join(lines)


def _false_decisions() -> list[str]:
    """How often races of a server against itself decided something, in Markdown."""
    if not (found := same.false_decisions()):
        return []
    order, any_ = (f"{one.false} of {one.races} ({rate_text(one)})" for one in (found.order, found.any))
    return [
        "`same.csv` has the rounds of races of a server against itself, in small. Whatever they decide is false.",
        f"They decided the order of the two in {order}, and any of {found.metrics} metrics in {any_}.",
        "",
    ]


def page(found: Iterable[Chapter]) -> str:
    """The ledger in HTML, with filters by study, verdict and stack."""
    environment = jinja2.Environment(loader=jinja2.PackageLoader(__package__), autoescape=True, trim_blocks=True)
    found = list(found)
    entries = [entry for chapter in found for entry in chapter.entries]
    return environment.get_template("ledger.html").render(
        chapters=found,
        verdicts=list(dict.fromkeys(entry.verdict for entry in entries)),
        stacks=sorted({stack for entry in entries for stack in entry.stacks}),
    )


def written() -> Mapping[Path, str]:
    """The files of the ledger and their contents."""
    found = chapters()
    return {TABLE: table(found), PAGE: page(found)}
