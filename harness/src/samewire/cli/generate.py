"""Commands that write files: pages of idioms, docker-compose.yml and bench/kubernetes from the manifests."""

from collections.abc import Mapping
from pathlib import Path

import click

from samewire.cli.options import CHECK
from samewire.cli.output import FAILED, console, fail
from samewire.manifest import find_servers
from samewire.paths import CHECKOUT


@click.command()
def idioms() -> None:
    """The same step in every stack, side by side: one page a step in docs/idioms."""
    from samewire.idioms import IdiomsError, load_steps, write_pages

    try:
        for page in write_pages(find_servers(), load_steps()):
            console.print(str(page), soft_wrap=True, highlight=False)
    except IdiomsError as error:
        fail(error, FAILED)


@click.command()
@CHECK
def compose(check: bool) -> None:
    """Write docker-compose.yml and the table of its ports from the manifests."""
    from samewire.containers.compose import Composition

    _write_or_check(Composition(find_servers()).files(), check)


@click.command()
@CHECK
def kubernetes(check: bool) -> None:
    """Write the part of bench/kubernetes that follows from the manifests."""
    from samewire.containers.kubernetes import BASE, Cluster

    files = Cluster(find_servers()).files()
    _write_or_check(files | {path: None for path in BASE.glob("*/*") if path not in files}, check)


@click.command()
@CHECK
def ledger(check: bool) -> None:
    """Write the ledger of findings from the kept records: a table in bench/records, and a page with filters."""
    from samewire.report.ledger import PAGE, written

    files = written()
    # The page is made anew by whoever wants it; the table is part of the repository.
    _write_or_check({path: text for path, text in files.items() if not (check and path == PAGE)}, check)


def _write_or_check(files: Mapping[Path, str | None], check: bool) -> None:
    """Write the files that are out of date, delete those of servers that are gone; or fail if there are any."""
    from samewire.containers.compose import out_of_date

    old = out_of_date(files)
    if check and old:
        names = ", ".join(path.relative_to(CHECKOUT).as_posix() for path in old)
        fail(f"out of date: {names}. Run: samewire {click.get_current_context().info_name}", FAILED)
    for path in old:
        if (text := files[path]) is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        console.print(path.relative_to(CHECKOUT).as_posix(), highlight=False)
