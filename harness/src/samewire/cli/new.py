"""The command that makes a start for a server of one's own."""

from pathlib import Path

import click

from samewire.cli.output import USAGE, console, fail
from samewire.new import NotEmpty, languages, program, write
from samewire.paths import INSTALLED
from samewire.toolchains import postgresql


@click.command()
@click.argument("service")
@click.option("--language", required=True, help=f"Any; these have a program to begin with: {', '.join(languages())}.")
@click.option(
    "--folder", required=True, type=click.Path(path_type=Path, file_okay=False), help="A new folder, anywhere."
)
def new(service: str, language: str, folder: Path) -> None:
    """Make a start for a server of your own: manifest, README, continuous integration, a program to fill in."""
    try:
        for file in write(service, language, folder):
            console.print(str(file), soft_wrap=True, highlight=False)
    except NotEmpty as error:
        fail(error, USAGE)
    if not program(language):
        told = f"There is no program in {language} to begin with: start yours in {folder / 'server'}."
        console.print(told, soft_wrap=True, highlight=False)
    named = INSTALLED and (folder / "schema.sql").exists() and not postgresql().found
    database = " --database-url URL" if named else ""
    console.print(f"Now: samewire verify {folder} --layer cases -x{database}", soft_wrap=True, highlight=False)
