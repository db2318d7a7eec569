"""Commands that print the contract of a service, and its cases and verdicts in the words of other tools."""

from pathlib import Path

import click

from samewire.cli.output import FAILED, USAGE, fail
from samewire.conformance import badge as badges
from samewire.conformance.export import FORMATS, NotExportable, find
from samewire.contract import cases
from samewire.contract.services import services, version
from samewire.datasets import schema_file, sql
from samewire.paths import CONTRACTS
from samewire.testbed import LINKS


def _formats(command):
    """An option for each format; curl by default."""
    for name in reversed(FORMATS):
        command = click.option(f"--{name}", "form", flag_value=name, help=_HELP[name])(command)
    return command


_HELP = {
    "curl": "A script for a shell; the default.",
    "http": "A .http file for REST Client and editors of JetBrains.",
    "hurl": "A file for hurl --test.",
    "har": "An HTTP archive.",
    "openapi-example": "Examples of OpenAPI, by path and operation.",
}


@click.command()
@click.argument("case", metavar="SERVICE/THEME/ID")
@_formats
@click.option("--url", default="http://127.0.0.1:8080", show_default=True, help="Where the server is.")
def export(case: str, form: str | None, url: str) -> None:
    """Write a case of the contract for another tool: each request, and the answer that must come."""
    try:
        click.echo(FORMATS[form or "curl"](find(case), url.rstrip("/")), nl=False)
    except NotExportable as error:
        fail(error, FAILED)


@click.command()
@click.argument("report", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="The image; REPORT.svg by default.")
@click.option("--shields", type=click.Path(dir_okay=False, path_type=Path), help="REPORT.shields.json by default.")
def badge(report: Path, svg: Path | None, shields: Path | None) -> None:
    """Make a badge of a REPORT of `samewire verify --report ndjson=REPORT`: an SVG, and a file for shields.io."""
    run = badges.read_run(report)
    for file, text in (
        (svg or report.with_suffix(".svg"), badges.svg(run)),
        (shields or report.with_suffix(".shields.json"), badges.shields(run)),
    ):
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            fail(f"{file} cannot be written: {error.strerror}", FAILED)
        click.echo(file)


@click.command()
@click.argument("service", default="")
@click.option("--openapi", "form", flag_value="openapi", help="The OpenAPI document.")
@click.option("--cases", "form", flag_value="cases", help="The names of its cases, with what each shows.")
@click.option("--sql", "form", flag_value="sql", help="A script for psql: its table, and what a fresh database holds.")
@click.option("--version", "form", flag_value="version", help="Its version.")
def contract(service: str, form: str | None) -> None:
    """Print the contract of a service: its prose, or the form that is asked for. `samewire export` prints a case.

    Without a service: the rules for all of them.
    """
    if not service and not form:
        click.echo((CONTRACTS / "README.md").read_text(encoding="utf-8"), nl=False)
    elif service not in services():
        fail(f"no service is called {service!r}: there are {', '.join(services())}", USAGE)
    elif form == "sql":
        if not schema_file(service).exists():
            fail(f"a server of {service} has no database", USAGE)
        click.echo(sql(service, LINKS), nl=False)
    elif form == "version":
        click.echo(version(service))
    elif form == "cases":
        groups = {case.group: case.why for case in reversed(cases.load(service))}
        for group, why in reversed(groups.items()):
            click.echo(f"{service}/{group}: {why}")
    else:
        file = "openapi.yaml" if form == "openapi" else "README.md"
        click.echo((CONTRACTS / service / file).read_text(encoding="utf-8"), nl=False)
