"""Commands that write files: pages of idioms and models, docker-compose.yml and bench/kubernetes from the manifests."""

from collections.abc import Mapping
from pathlib import Path

import click

from samewire.cli.options import CHECK
from samewire.cli.output import FAILED, console, fail
from samewire.manifest import find_servers
from samewire.paths import CHECKOUT


@click.command()
@CHECK
def idioms(check: bool) -> None:
    """Write the same step in every stack, one page a step, to docs/idioms."""
    from samewire.idioms import IdiomsError, files, load_steps

    try:
        pages = files(find_servers(), load_steps())
    except IdiomsError as error:
        fail(error, FAILED)
    write_or_check(pages, check)


@click.command()
@CHECK
def readme(check: bool) -> None:
    """Write the newest result of the main race and one step on two stacks into README.md."""
    from samewire.idioms import load_steps
    from samewire.models.pages import PageError
    from samewire.readme import written

    try:
        files = written(find_servers(), load_steps())
    except PageError as error:
        fail(error, FAILED)
    write_or_check(files, check)


@click.command()
@CHECK
def compose(check: bool) -> None:
    """Write docker-compose.yml and the table of its ports from the manifests."""
    from samewire.containers.compose import Composition

    write_or_check(Composition(find_servers()).files(), check)


@click.command()
@CHECK
def kubernetes(check: bool) -> None:
    """Write the part of bench/kubernetes that follows from the manifests."""
    from samewire.containers.kubernetes import BASE, Cluster

    files = Cluster(find_servers()).files()
    write_or_check(files | {path: None for path in BASE.glob("*/*") if path not in files}, check)


@click.command()
@CHECK
def ledger(check: bool) -> None:
    """Write the ledger of findings from the kept records: a table in bench/records, and a page with filters."""
    from samewire.report.ledger import PAGE, written

    files = written()
    # The page is made anew by whoever wants it; the table is part of the repository.
    write_or_check({path: text for path, text in files.items() if not (check and path == PAGE)}, check)


@click.command()
@CHECK
def models(check: bool) -> None:
    """Write the drawings, tables and figures of docs/models from their data, the manifests and the kept records."""
    from samewire.models.lanes import LanesError
    from samewire.models.pages import PageError, written

    try:
        files = written()
    except (LanesError, PageError) as error:
        fail(error, FAILED)
    write_or_check(files, check)


def write_or_check(files: Mapping[Path, str | None], check: bool, how: str = "") -> None:
    """Write the files that are out of date, delete those of servers that are gone; or fail if there are any.

    `how` is the option that writes them, of a command that does other things, too.
    """
    from samewire.containers.compose import out_of_date

    old = out_of_date(files)
    if check and old:
        names = ", ".join(path.relative_to(CHECKOUT).as_posix() for path in old)
        fail(f"out of date: {names}. Run: samewire {click.get_current_context().info_name}{how}", FAILED)
    for path in old:
        if (text := files[path]) is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A new file: in a copy of the checkout the old one may be the checkout's own, by a hard link.
            path.unlink(missing_ok=True)
            path.write_text(text)
        console.print(path.relative_to(CHECKOUT).as_posix(), highlight=False)
