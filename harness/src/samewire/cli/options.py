"""Arguments and options that several commands have."""

from collections.abc import Iterable
from pathlib import Path

import click

from samewire.contract.services import services
from samewire.manifest import add_folder
from samewire.outcomes import LAYERS


def with_folders(names: Iterable[str]) -> tuple[str, ...]:
    """The names, in which a folder with a manifest is the id of its server, wherever it is. Raises ManifestError.

    The name of a service is one, whatever folder is called the same.
    """
    return tuple(
        add_folder(Path(name)).id if name not in services() and Path(name, "server.toml").is_file() else name
        for name in names
    )


NAMES = click.argument(
    "names",
    nargs=-1,
    metavar="[SERVICE|SERVER|FOLDER]...",
    callback=lambda _context, _parameter, names: with_folders(names),
)
LAYER = click.option(
    "--layer", "layers", multiple=True, type=click.Choice(LAYERS), help="Only this layer; may be repeated."
)
CHECK = click.option("--check", is_flag=True, help="Write nothing; exit status 1 if a file is out of date.")
