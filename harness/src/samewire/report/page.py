"""The page: one HTML file that needs nothing else, with the data in it."""

import base64
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup, escape

from samewire.paths import CHECKOUT
from samewire.race import same
from samewire.race.metric import Metric
from samewire.race.metrics import metric
from samewire.race.workloads import Kind
from samewire.report import charts, figures, numbers, ratios, samples, seconds, tables
from samewire.report.entrants import Entrant, Group
from samewire.report.model import Race, load, measured
from samewire.report.numbers import ABSENT, Estimate, count, number, rate_text
from samewire.report.profiles import Profiles, of_largest_ratio
from samewire.report.verdict import own_figure, remarks, verdict

# Longer files are compressed, to keep the page small.
_PLAIN_BYTES = 50_000


def write(folder: Path, checkout: Path = CHECKOUT) -> Path:
    """Write report.html, summary.csv, runs.csv and series.csv into a run folder; return the path of the HTML file.

    The names of servers are links to their folders, where both are in the checkout. Raises ReportError when run.json is
    missing or broken.
    """
    folder = Path(folder)
    race = load(folder)
    report = folder / "report.html"
    place, folders = links(race, report, checkout)
    page = render(race, place, folders, of_largest_ratio(race, report, folder.parent))
    for name, text in tables.all_tables(race).items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    report.write_text(page, encoding="utf-8")
    return report


def links(race: Race, report: Path, checkout: Path) -> tuple[str, dict[str, str]]:
    """Where in the checkout the report is, and the links from there to folders of servers; nothing if it is outside."""
    report, checkout = report.resolve(), checkout.resolve()
    if not report.is_relative_to(checkout):
        return "", {}
    servers = dict.fromkeys(entrant.server for entrant in race.entrants)
    there = [server for server in servers if (checkout / server).is_dir()]
    up = "../" * (len(report.relative_to(checkout).parts) - 1)
    return report.relative_to(checkout).as_posix(), {server: f"{up}{quote(server)}/" for server in there}


def render(
    race: Race,
    place: str = "",
    folders: Mapping[str, str] = MappingProxyType({}),
    profiles: Profiles | None = None,
) -> str:
    """The HTML of a race, with links to the folders of servers that are given, good at that place in a checkout, and to
    profiles.

    Raises ReportError when a histogram cannot be read.
    """
    here = files(__package__)
    font = base64.b64encode((here / "fonts/source-sans-3-latin.woff2").read_bytes()).decode()
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "moment": numbers.moment,
        "gibibytes": lambda size: f"{size / 2**30:.3g} GiB",
        "bytes": numbers.bytes_text,
        "code": _code,
        "breakable": _breakable,
    }
    environment.globals |= {"count": count, "ABSENT": ABSENT, "rate_text": rate_text, "key": charts.key}
    records = [record["layers"] for record in race.records.values()]
    return environment.get_template("report.html").render(
        race=race,
        place=place,
        folders=folders,
        data=race.data,
        css=Markup((here / "templates/report.css").read_text("utf-8").replace("FONT", font)),
        elapsed=numbers.elapsed(race.data["started_at"], race.data["finished_at"]),
        warned=[entrant for entrant in race.entrants if entrant.warnings],
        result_tables=[ResultTable(race, group) for group in race.groups],
        verdict=verdict(race),
        remarks=remarks(race),
        findings=[(finding, own_figure(finding, race.shorten)) for finding in race.findings],
        profiles=profiles,
        matrices=ratios.matrices(race),
        forests=ratios.forests(race),
        by_sample=samples.by_sample(race),
        sample_table=SampleTable(race),
        users_of_samples=samples.users_of_samples(race),
        varies="latency_cv" in dict(race.kind.by_sample),
        variability=samples.variability(race),
        over_time=figures.over_time(race),
        used=seconds.used(race),
        distributions=figures.distributions(race),
        resources=figures.resources(race),
        everything=[(metric(key), [entrant.estimate(key) for entrant in race.entrants]) for key in measured(race)],
        layers=list(dict.fromkeys(layer for record in records for layer in record)),
        warm_ups=warm_ups(race),
        false_decisions=same.false_decisions(),
        checks=sum((Counter(tests) for record in records for tests in record.values()), Counter()),
        parameters=[(_words(key), _value(value)) for key, value in race.data["parameters"].items()],
        downloads=_downloads(race),
    )


@dataclass(frozen=True)
class Cell:
    """A figure, the text below it (mostly its interval), the letter of its footnote, and the tie with the row above."""

    text: str
    below: str
    note: str = ""
    tie: str = ""


@dataclass
class ResultTable:
    """One of the main tables: rows of (rank, entrant, cells) and the footnotes to which cells refer by letter."""

    race: Race
    group: Group
    notes: dict[str, str] = field(default_factory=dict)
    rows: list[tuple[str, Entrant, list[Cell]]] = field(init=False)

    def __post_init__(self) -> None:
        keys = [key for _, _, columns in self.race.kind.columns for _, key in columns]
        self.rows = [
            (self.race.rank(entrant), entrant, [self._cell(entrant, key) for key in keys])
            for entrant in self.group.entrants
        ]

    def _cell(self, entrant: Entrant, key: str) -> Cell:
        estimate = entrant.estimate(key)
        if key == "error_share" and estimate.mean == 0:
            return Cell("0", f"of {entrant.requests:,}")
        return _cell(entrant, estimate, self.race.kind, self.notes, self._tie(entrant, key))

    def _tie(self, entrant: Entrant, key: str) -> str:
        tie = self.race.tie(key, entrant)
        if not tie:
            return ""
        ratio = f": ratio {tie.ratio.mean_text()}, {tie.ratio.interval_text()}" if tie.ratio.has_interval else ""
        return f"undecided against {self.race.name(tie.b)}, the row above{ratio}"


@dataclass
class SampleTable:
    """The figures of the charts by sample: for each metric rows of (sample, cells), and the footnotes of all cells."""

    race: Race
    notes: dict[str, str] = field(default_factory=dict)
    parts: list[tuple[Metric, list[tuple[Mapping[str, Any], list[Cell]]]]] = field(init=False)

    def __post_init__(self) -> None:
        self.parts = [(metric(key), self._rows(key)) for key, _ in self.race.kind.by_sample]

    def _rows(self, key: str) -> list[tuple[Mapping[str, Any], list[Cell]]]:
        columns = [
            [_cell(entrant, one, self.race.kind, self.notes) for one in samples.of_samples(self.race, entrant, key)]
            for entrant in self.race.entrants
        ]
        return [(sample, [column[i] for column in columns]) for i, sample in enumerate(self.race.samples)]


@dataclass(frozen=True)
class WarmUp:
    """How an entrant became steady: seconds, CPU of a request when cold and when steady, in how many of its runs."""

    entrant: Entrant
    seconds: str
    cold_us: str
    steady_us: str
    steady: str


def warm_ups(race: Race) -> list[WarmUp]:
    """How each entrant became steady; none of a race that does not warm until servers are steady."""
    rows = []
    for entrant in race.entrants:
        if found := [run.warming for run in entrant.runs if run.warming and run.warming.cpu_us]:
            rows.append(
                WarmUp(
                    entrant,
                    _range(one.seconds for one in found),
                    _range(one.cpu_us[0] for one in found),
                    _range(one.cpu_us[-1] for one in found),
                    f"{sum(one.steady for one in found)} of {len(found)}",
                )
            )
    return rows


def _range(values: Iterable[float]) -> str:
    """The least and the greatest: `20.1–24.5`."""
    ordered = sorted(values)
    return "–".join(dict.fromkeys(map(number, (ordered[0], ordered[-1]))))


def _cell(entrant: Entrant, estimate: Estimate, kind: Kind, notes: dict[str, str], tie: str = "") -> Cell:
    """A figure above its interval; `notes` gets the reason why one of them is a dash."""
    reason = why_absent(entrant, estimate, kind)
    note = notes.setdefault(reason, "abcdef"[len(notes)]) if reason else ""
    return Cell(estimate.mean_text(), estimate.interval_text(), note, tie)


def why_absent(entrant: Entrant, estimate: Estimate, kind: Kind) -> str:
    """Why a figure or its interval is a dash; nothing when both are there."""
    if estimate.has_interval:
        return ""
    if estimate.mean is None:
        nothing = not entrant.requests or entrant.estimate("deliveries_per_s").mean == 0
        return kind.undone if nothing else "not measured"
    return "no interval: one round only" if estimate.n < 2 else "no interval could be computed from these rounds"


def _breakable(name: str) -> Markup:
    """The name of a server, with places where a line may break."""
    return Markup(re.sub("([/:])", r"\1<wbr>", str(escape(name))))


def _code(text: str) -> Markup:
    """The text with what stands between backticks set as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _words(key: str) -> str:
    """`ramp_up_s` → `ramp up, s`."""
    words, _, unit = key.rpartition("_")
    return f"{words.replace('_', ' ')}, {unit}" if unit in ("s", "ms") and words else key.replace("_", " ")


def _value(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list):
        return "; ".join(map(_value, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class Download:
    """A file inside the page."""

    name: str
    about: str
    size: str
    href: str


def _downloads(race: Race) -> list[Download]:
    about = {
        "summary.csv": "every metric of every server with its interval",
        "runs.csv": "one line for each run",
        "series.csv": "one line for each second of each run: load, server, database, generator",
        "server-log.csv": "a line for each second of each run: users, memory and CPU of the server, messages",
        "run.json": "the whole record, histograms included",
    }
    record = json.dumps(race.data, ensure_ascii=False, separators=(",", ":"))
    found = []
    for name, text in (tables.all_tables(race) | {"run.json": record}).items():
        content, kind = text.encode(), "application/json" if name.endswith(".json") else "text/csv"
        shown = name
        if len(content) > _PLAIN_BYTES:
            content, kind, shown = gzip.compress(content, mtime=0), "application/gzip", f"{name}.gz"
        href = f"data:{kind};base64,{base64.b64encode(content).decode()}"
        found.append(Download(shown, about[name], f"{number(len(content) / 1000)} kB", href))
    return found
