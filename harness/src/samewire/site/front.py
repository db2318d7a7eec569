"""The front page: what this is, one table, one step on two stacks, one chart. What is not there is left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import jinja2
from markupsafe import Markup

from samewire.idioms.pair import pair
from samewire.idioms.regions import Region
from samewire.idioms.steps import Step
from samewire.manifest import Server
from samewire.race.metrics import metric
from samewire.report import axes, charts
from samewire.report.entrants import Entrant
from samewire.report.model import Race
from samewire.report.numbers import count, moment
from samewire.site import findings
from samewire.site.code_pages import fenced
from samewire.site.places import FRONT, Places, relative
from samewire.site.services import find_services, page_of
from samewire.site.words import cells

_SHOWN_STEP = "upload.stream-to-disk"
"""Shows best how a thread that blocks differs from an event loop; another one is shown where it is missing."""
_SHOWN_EXPERIMENT = "shortener"


def front_page(servers: Sequence[Server], steps: Sequence[Step], places: Places) -> str:
    """The front page in Markdown, with HTML in it."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "."), trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template("front.md.jinja").render(
        table="\n".join(_table(servers, places)), pair=_pair(servers, steps, places), chart=_chart(places)
    )


def _table(servers: Sequence[Server], places: Places) -> list[str]:
    """Services down, languages across; a cell has the servers, by what their folders are called."""
    languages = sorted({server.language for server in servers})
    lines = [cells("service", *languages), f"|{'---|' * (len(languages) + 1)}"]
    for service in find_services():
        row = []
        for language in languages:
            here = [one for one in servers if (one.service, one.language) == (service, language)]
            links = (f"[{_short(one)}]({relative(places.of(one.folder), FRONT)})" for one in here)
            row.append("<br>".join(links) or "–")
        lines.append(cells(f"[{service}]({relative(page_of(service), FRONT)})", *row))
    return lines


def _short(server: Server) -> str:
    return server.folder.name.removeprefix(f"{server.service}-")


# Two snippets


@dataclass(frozen=True)
class Snippet:
    """The code of a step in one server, as a block of Markdown, with links to its files and the server."""

    title: str
    concurrency: str
    links: str
    code: str


@dataclass(frozen=True)
class Pair:
    """A step with its code on two stacks."""

    step: Step
    snippets: tuple[Snippet, Snippet]


def _pair(servers: Sequence[Server], steps: Sequence[Step], places: Places) -> Pair | None:
    """The step that is shown best, in two languages."""
    if not (found := pair(servers, steps, _SHOWN_STEP)):
        return None
    first, second = (
        _snippet(server, parts, places) for server, parts in zip(found.servers, found.regions, strict=True)
    )
    return Pair(found.step, (first, second))


def _snippet(server: Server, regions: Sequence[Region], places: Places) -> Snippet:
    readme = f"[{server.folder.name}]({relative(places.of(server.folder), FRONT)})"
    files = [
        f"[{one.path.name}, line {one.line}]({places.lead(f'{one.path}#L{one.line}', one.path, FRONT)})"
        for one in regions
    ]
    title = f"{server.language}, {', '.join(server.stack)}"
    code = "\n\n".join(fenced(one.path, one.code) for one in regions)
    return Snippet(title, server.concurrency, " · ".join([readme, *files]), code)


# A chart


def _chart(places: Places) -> Mapping[str, str] | None:
    """What the newest record of the main race ranks by, with intervals; None if there is no record."""
    kept = ((name, race) for name, race in findings.races().items() if _is_shown(race))
    if not (found := next(kept, None)):
        return None
    name, race = found
    about = metric(race.ranking.metric)
    facts = [moment(race.data["started_at"]), f"profile {race.data['profile']}", count(race.rounds, "round"),
             findings.machine(race)]  # fmt: skip
    if (share := race.data["parameters"].get("server_share", 1)) < 1:
        facts.append(f"a server may use {share:.0%} of its core")
    return {
        "sentence": f"{race.data['experiment']['title']}. The chart shows {_lower(about.name)} ({about.unit}). "
        "The point is the mean, the bar is its 95 % interval. Variants are in the report.",
        "html": str(_rows(race, shown(race))),
        "facts": "; ".join(facts),
        "report": relative(PurePosixPath(findings.report_of(name)), FRONT),
        "record": findings.record_of(name, places, FRONT),
    }


def _is_shown(race: Race) -> bool:
    return race.data["experiment"]["name"] == _SHOWN_EXPERIMENT and bool(shown(race)) and not race.data.get("doubt")


def shown(race: Race) -> list[Entrant]:
    """The servers that the chart shows: each as it is, on no stand-in."""
    return [one for one in race.comparable if not one.variant]


def _rows(race: Race, entrants: Sequence[Entrant]) -> Markup:
    """A table with a strip for each server, as in reports."""
    key = race.ranking.metric
    figures = {one.id: one.estimate(key) for one in entrants}
    # Labels of more steps would overlap on a telephone.
    axis = axes.linear(max(one.high or one.mean or 0.0 for one in figures.values()), steps=2)
    row = '<tr><th scope="row" class="hue-{}">{}</th><td>{}</td><td class="figures">{} <small>{}</small></td></tr>'
    rows = Markup().join(
        Markup(row).format(
            one.hue, one.name, charts.strip(charts.Row(one.hue, one.shape, figures[one.id]), axis),
            figures[one.id].mean_text(), figures[one.id].interval_text(),
        )
        for one in entrants
    )  # fmt: skip
    foot = Markup("<tr><td></td><td>{}</td><td></td></tr>").format(charts.scale(axis))
    return Markup('<div class="samewire-chart"><table><tbody>{}</tbody><tfoot>{}</tfoot></table></div>').format(
        rows, foot
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
