"""The ledger: every finding of the studies, with what the kept records say of it."""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2

from samewire.manifest import find_servers
from samewire.paths import CHECKOUT, RECORDS
from samewire.race import same
from samewire.race.comparisons import Figures
from samewire.race.experiment import Experiment, Finding, find_experiments, load
from samewire.race.findings import involved, judge
from samewire.race.recorded import figures_of, figures_of_profiles
from samewire.race.verdicts import FAILS, HOLDS, NOT_TESTED, UNDECIDED, Judgement
from samewire.report import kept, record
from samewire.report.claims import chart
from samewire.report.model import Race, check
from samewire.report.numbers import count, moment, rate_text
from samewire.report.verdict import own_figure

PAGE = CHECKOUT / "docs/ledger/index.html"
TABLE = RECORDS / "README.md"
NO_RECORD = "without a record"


@dataclass(frozen=True)
class Entry:
    """A finding: as published, with our figure, the verdict, and why it is that.

    It is about `servers`, by id, on `stacks`. `reasons` are sentences on other metrics, each with its figure. `record`
    is the name of what is kept and says so.
    """

    experiment: str
    text: str
    published: str
    ours: str
    verdict: str
    why: str
    stacks: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    record: str = ""
    servers: tuple[str, ...] = ()
    chart: str = ""


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
        return "; ".join(f"{verdict}: {number}" for verdict, number in counted.items())


def chapters(records: Path = RECORDS) -> list[Chapter]:
    """Every experiment that tests findings, with them."""
    servers = find_servers()
    races: dict[str, list[tuple[str, Race]]] = defaultdict(list)
    for name in reversed(kept.names_in(records)):
        race = Race(check(json.loads(gzip.decompress(kept.file_of(name, records).read_bytes())), name))
        races[race.data["experiment"]["name"]].append((name, race))
    profiles: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for name, profile in kept.profiles(records).items():
        profiles[profile["experiment"]["name"]][name] = profile
    found = []
    for experiment in map(load, find_experiments()):
        if experiment.findings:
            sources = [
                _Source(name, figures_of(one.data, servers), one.shorten) for name, one in races[experiment.name]
            ]
            if made := profiles[experiment.name]:
                figures = figures_of_profiles([*made.values()], servers)
                sources.append(_Source(f"profiles/{max(made)}", figures, lambda text: text))
            entries = tuple(_entry(experiment, finding, sources) for finding in experiment.findings)
            name, race = next(iter(races[experiment.name]), ("", None))
            found.append(Chapter(experiment, entries, name, facts(race) if race else ""))
    return found


@dataclass(frozen=True)
class _Source:
    """Kept figures: those of a race, or of all profiles of an experiment, of which the newest is named.

    `shorten` makes short names of the ids of servers.
    """

    name: str
    figures: Figures
    shorten: Callable[[str], str]


def _entry(experiment: Experiment, finding: Finding, sources: Sequence[_Source]) -> Entry:
    """What the first of several sources, the newest, has to say that says anything."""
    entry = Entry(experiment.name, finding.text, finding.published, "", NO_RECORD, "")
    if finding.untested:
        return replace(entry, verdict=NOT_TESTED, why=finding.untested)
    # Kept are figures. Verdicts are those of the rules that hold now.
    judged = [(one, judge(finding, one.figures)) for one in sources]
    if not judged:
        return entry
    # Totals are known only where users leave after so many requests: a record may lack what an older one has.
    source, one = next((both for both in judged if both[1].verdict != NOT_TESTED), judged[0])
    about = [source.figures.entrants[name].server for name in involved(finding, source.figures)]
    return replace(
        entry,
        ours=_ours(source, one),
        verdict=one.verdict,
        why=source.shorten(one.why),
        stacks=tuple(sorted({server.http_server for server in about})),
        reasons=tuple(_told(source, judge(reason, source.figures)) for reason in finding.reasons),
        record=source.name,
        servers=tuple(dict.fromkeys(server.id for server in about)),
        chart=chart(finding, one.ours) if one.ours else "",
    )


def _ours(source: _Source, judged: Judgement) -> str:
    if not (own := own_figure(record.Finding.read(judged.as_dict()), source.shorten)):
        return ""
    return f"{own.figure}{f' ({own.interval})' if own.interval else ''}, {own.subject}"


_REASONS = {HOLDS: "", FAILS: "Not so: ", UNDECIDED: "Undecided: "}


def _told(source: _Source, reason: Judgement) -> str:
    """A reason with its figure: `Netty needs less of the processor: 0.61 × (0.58–0.64), netty/pg to node/pg`."""
    ours = _ours(source, reason)
    return f"{_REASONS.get(reason.verdict, 'Not tested: ')}{reason.text.removesuffix('.')}: {ours or reason.why}."


def facts(race: Race) -> str:
    """When and where a race ran, on which databases, and why nothing is decided on it if that is so, in a line."""
    data, machine = race.data, race.data["machine"]
    where = f"{machine.get('cpu_model', 'unknown processor')}, {count(machine.get('cores', 0), 'core')}"
    if (share := data["parameters"].get("server_share", 1)) < 1:
        where += f", each server may use {share:.0%} of the time of its cores"
    databases = [one["label"] for one in data["databases"].values()]
    told = [moment(data["started_at"]), f"profile {data['profile']}", count(race.rounds, "round"), where, *databases]
    return "; ".join([*told, data["doubt"]] if data.get("doubt") else told)


def table(found: Iterable[Chapter]) -> str:
    """The ledger in Markdown, the README of `bench/records`."""
    lines = [
        "# Kept records, and the ledger of findings",
        "",
        "A race that is kept is a file here: its `run.json`, packed. `samewire report NAME` makes its report.",
        "`samewire report RUN --keep` keeps another. `profiles` has the profiles that are",
        "[kept](../../docs/how-to/profile-a-server.md#keep-it-for-the-ledger). `samewire ledger` writes this page, and",
        "`docs/ledger/index.html`, the same with charts and filters. A verdict is worked out anew from the figures of",
        "the newest record that has them.",
        "",
        "| in a table | what it means |",
        "|---|---|",
        "| `scala/akka:as-published` | a server, and its variant with the settings of the study |",
        "| 1.12 × (0.96–1.31), A to B | A has 1.12 times as much as B; with 95 % confidence 0.96 to 1.31 times |",
        "| undecided | the interval has values on both sides of the bound |",
        "| Not so: … | a cause that one may suppose; the record of the same race speaks against it |",
        "",
        *_false_decisions(),
    ]
    for chapter in found:
        name, study = chapter.experiment.name, chapter.experiment.study.title
        lines += [f"## {chapter.experiment.title}", ""]
        lines += [f"Study: {study}. [What differs from it here](../experiments/{name}.toml).", ""]
        if chapter.record:
            lines += [f"{chapter.facts}. `samewire report {chapter.record}`", ""]
        else:
            lines += [f"No record is kept. `samewire race {name}` makes one.", ""]
        lines += ["| finding | published | ours | verdict | why |", "|---|---|---|---|---|"]
        for one in chapter.entries:
            why = " ".join((f"{one.why[:1].upper()}{one.why[1:]}.", *one.reasons)) if one.reasons else one.why
            if one.record and one.record != chapter.record:
                why = f"{why} (`{one.record}`)"
            cells = one.text, one.published, one.ours or "–", one.verdict, why or "–"
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
