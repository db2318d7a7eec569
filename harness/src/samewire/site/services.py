"""Pages of services, and the table of all: what each stands for, how to try it, its servers."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path, PurePosixPath

from samewire.databases import URL_VARIABLES
from samewire.idioms.steps import Step
from samewire.manifest import Server, least_demanding
from samewire.paths import CHECKOUT, CONTRACTS
from samewire.race.experiment import EXPERIMENTS, Experiment, find_experiments, load
from samewire.report.numbers import moment
from samewire.site import findings
from samewire.site.dialect import with_links
from samewire.site.examples import examples
from samewire.site.places import Places, relative
from samewire.site.words import cells, first_paragraph, first_sentence

INDEX = PurePosixPath("services/index.md")


def find_services() -> list[str]:
    """The services that have a contract, by name."""
    return sorted(path.parent.name for path in CONTRACTS.glob("*/openapi.yaml") if _contract(path.parent.name).exists())


def page_of(service: str) -> PurePosixPath:
    """The page of a service, in MkDocs' folder."""
    return PurePosixPath(f"services/{service}.md")


def service_page(service: str, servers: Sequence[Server], steps: Sequence[Step], places: Places) -> str:
    """What a service stands for, commands to try it, its servers, its steps and its experiments, in Markdown."""
    page = page_of(service)
    own = [server for server in servers if server.service == service]
    lines = [f"# The {service} service", "", _stands_for(service, page, places), ""]
    link = _Links(page, places)
    lines += [f"[The contract]({link(_contract(service))}) says what every server answers. Its data are in "
              f"[openapi.yaml]({link(CONTRACTS / service / 'openapi.yaml')}). What it leaves to each server, "
              f"[the atlas]({relative(findings.ATLAS, page)}) shows.", ""]  # fmt: skip
    if own:
        lines += [*_try_it(service, least_demanding(own), link), "## Its servers", "", *server_table(own, link), ""]
    else:
        lines += ["No server of it is here.", ""]
    if about := [step for step in steps if any(map(step.concerns, own))]:
        steps_of = ", ".join(f"[{step.title}](../docs/idioms/{step.page})" for step in about)
        lines += ["## Side by side", "", f"The same step in each of these servers: {steps_of}.", ""]
    if experiments := [one for one in _experiments() if one.service == service]:
        lines += ["## Its experiments", ""]
        lines += [f"- [{one.title}]({link(EXPERIMENTS / f'{one.name}.toml')}){_reports(one.name, page)}"
                  for one in experiments]  # fmt: skip
    return "\n".join([*lines, ""])


@cache
def _experiments() -> list[Experiment]:
    return [load(name) for name in find_experiments()]


def _reports(experiment: str, page: PurePosixPath) -> str:
    """Links to the reports of an experiment's kept races, by their dates."""
    links = [
        f"[{moment(race.data['started_at'])}]({relative(findings.report_of(name), page)})"
        for name, race in findings.races().items()
        if race.data["experiment"]["name"] == experiment
    ]
    return f", reports: {', '.join(links)}" if links else ""


def index(servers: Sequence[Server], places: Places) -> str:
    """The table of all services, with what each stands for."""
    lines = ["# Services", "", "The same small services are written on several stacks. A contract says what a client",
             "relies on. [The rules of all services](../contract-tests/README.md) hold for each.", "",
             "| service | what it stands for | servers |", "|---|---|---|"]  # fmt: skip
    for service in find_services():
        number = sum(server.service == service for server in servers)
        about = first_sentence(_stands_for(service, INDEX, places))
        lines.append(cells(f"[{service}]({service}.md)", about, number))
    return "\n".join([*lines, ""])


def server_table(servers: Sequence[Server], link: "_Links") -> list[str]:
    """Language, stack, store and model of each server, from the manifests, and below it their variants, in Markdown."""
    lines = ["| server | language | stack | store | concurrency |", "|---|---|---|---|---|"]
    for server in servers:
        stack = ", ".join(server.stack)
        name = f"[{server.folder.name}]({link(server.folder)})"
        model = link.if_there(server.concurrency, CHECKOUT / f"docs/models/{server.concurrency}.md")
        lines.append(cells(name, server.language, stack, server.store, model))
    variants = [(one.folder.name, name, about) for one in servers for name, about in one.variants.items()]
    if variants:
        lines += ["", "### Variants", "", "A variant is the same server, run in another way.", ""]
        lines += [f"- `{server}:{name}`: {about.description}" for server, name, about in variants]
    return lines


class _Links:
    """Links from a page to files and folders of the checkout."""

    def __init__(self, page: PurePosixPath, places: Places):
        self.page, self.places = page, places

    def __call__(self, target: Path) -> str:
        return relative(self.places.of(target), self.page)

    def if_there(self, text: str, target: Path) -> str:
        """The text as a link, if there is such a file."""
        return f"[{text}]({self(target)})" if target in self.places.files else text


def _contract(service: str) -> Path:
    return CONTRACTS / service / "README.md"


def _stands_for(service: str, page: PurePosixPath, places: Places) -> str:
    """The first paragraph of the contract, its links as they are right on the page."""
    path = _contract(service)
    text, _ = with_links(first_paragraph(path.read_text()), lambda target: places.lead(target, path, page))
    return text


def _try_it(service: str, server: Server, link: _Links) -> list[str]:
    told, found = [], examples(service)
    for one in found:
        told += [f"# {one.summary}", one.command, f"#   {one.answer}", ""]
    chosen = any("$" in one.answer or one.given for one in found)
    fill = " A name after `$` is a value that the server chooses." if chosen else ""
    return [
        "## Try it", "",
        f"After `make setup`, this starts [{server.folder.name}]({link(server.folder)}), and its database:"
        if server.store in URL_VARIABLES
        else f"After `make setup`, this starts [{server.folder.name}]({link(server.folder)}):",
        "", "```sh", f".samewire/venv/bin/samewire up {server.folder.name}", "```", "",
        "It prints an address. Ctrl-C stops it. These requests are of "
        f"[the contract's cases]({link(CONTRACTS / service / 'cases')}) where they have one.{fill}",
        "", "```sh", "URL=http://127.0.0.1:8080   # the address that was printed", "", *told[:-1], "```", "",
    ]  # fmt: skip
