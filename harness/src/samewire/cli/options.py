"""Arguments and options that several commands have."""

import click

from samewire.outcomes import LAYERS

NAMES = click.argument("names", nargs=-1, metavar="[SERVICE|SERVER]...")
LAYER = click.option(
    "--layer", "layers", multiple=True, type=click.Choice(LAYERS), help="Only this layer; may be repeated."
)
CHECK = click.option("--check", is_flag=True, help="Write nothing; exit status 1 if a file is out of date.")
