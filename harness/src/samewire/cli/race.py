"""Commands that measure servers: races and their reports."""

import json
import os
import sys
from pathlib import Path

import click

from samewire.cli.options import NAMES
from samewire.cli.output import FAILED, USAGE, console, fail
from samewire.manifest import add_folder, find_servers, select
from samewire.paths import RESULTS


@click.command()
@click.argument("experiment")
@NAMES
@click.option("--profile", type=click.Choice(["smoke", "quick", "paper"]), default="quick", show_default=True)
@click.option("--seed", type=int, help="The seed of the order of the runs; chosen and recorded by default.")
@click.option(
    "--rounds", type=click.IntRange(min=1), help="How often every server runs; the profile says it by default."
)
@click.option("--short", is_flag=True, help="Leave out variants, and servers on a stand-in, which are not ranked.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Race N servers, variants and loads at most, drawn by the seed: shows that the race works.",
)
@click.option("--same", metavar="SERVER", help="Race this server against itself: whatever is decided is false.")
@click.option("--keep", is_flag=True, help="Add its rounds to bench/records/same.csv; with --same.")
@click.option("--compose", is_flag=True, help="Race the servers that run in compose, on the databases there.")
@click.option(
    "--on",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="HOSTS.TOML",
    help="Race the servers that run on the hosts of this file.",
)
@click.option(
    "--with",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Race the server of this folder, too; may be repeated.",
)
@click.option("--open", "open_", is_flag=True, help="Open the report in a browser, where there is one.")
def race(
    experiment: str,
    names: tuple[str, ...],
    profile: str,
    seed: int | None,
    rounds: int | None,
    short: bool,
    sample: int | None,
    same: str | None,
    keep: bool,
    compose: bool,
    on: Path | None,
    folders: tuple[Path, ...],
    open_: bool,
) -> None:
    """Race the servers of an experiment, or some of them; only such as have just passed their contract."""
    added = [add_folder(folder).id for folder in folders]
    if names:
        names = (*names, *added)
    if keep and not same:
        raise click.UsageError("--keep goes with --same.")
    if same and (names or compose):
        raise click.UsageError("--same names the one server of the race: it goes with no other server, nor --compose.")
    if on and (same or compose or short or sample):
        problem = "--on goes with none of --same, --short, --sample and --compose: the servers run there already."
        raise click.UsageError(problem)
    from samewire.hosts.race import race as race_on
    from samewire.race import RaceError
    from samewire.race.experiment import ExperimentError
    from samewire.race.runner import race as run_race
    from samewire.race.same import keep as keep_race

    try:
        servers = select(find_servers(), (same,) if same else names)
        if same and len(servers) > 1:
            raise click.UsageError(f"--same names one server; {same} are {len(servers)}.")
        if on:
            run_folder = race_on(on, experiment, profile, console=console, servers=servers, seed=seed, rounds=rounds)
        else:
            how = {"seed": seed, "rounds": rounds, "compose": compose, "same": bool(same), "short": short}
            how["sample"] = sample
            run_folder = run_race(experiment, profile, console=console, servers=servers, **how)
    except RaceError as error:
        fail(error, USAGE if isinstance(error, ExperimentError) else FAILED)
    if keep:
        keep_race(run_folder)
    _report(run_folder, open_=open_)


@click.command()
@click.argument("run", required=False)
@click.option("--keep", is_flag=True, help="Keep its record, packed, in bench/records.")
@click.option("--open", "open_", is_flag=True, help="Open it in a browser, where there is one.")
def report(run: str | None, keep: bool, open_: bool) -> None:
    """Make the report of a race again: one of bench/results or bench/records, the newest of all by default."""
    from samewire.report import kept

    runs = kept.names()
    if not run and not runs:
        fail(f"{RESULTS}: there is no run yet: samewire race makes one", USAGE)
    folder = _found(run or runs[-1])
    _report(folder, open_=open_)
    if keep:
        console.print(f"record: {kept.keep(folder)}", soft_wrap=True, highlight=False)


@click.command()
@click.argument("first")
@click.argument("second")
def compare(first: str, second: str) -> None:
    """What changed from one race of an experiment to another, and what was different about the two."""
    from samewire.report import terminal
    from samewire.report.model import ReportError, load

    try:
        terminal.print_changes(load(_found(first)), load(_found(second)), console)
    except ReportError as error:
        fail(error, USAGE)


def _found(run: str) -> Path:
    from samewire.report import kept

    if not (folder := kept.find(run)):
        newest = ", ".join(kept.names()[-5:]) or "none"
        fail(f"no run is called {run} in {RESULTS} or bench/records; the newest are: {newest}", USAGE)
    return folder


def _report(folder: Path, *, open_: bool) -> None:
    import webbrowser

    from samewire.report import terminal
    from samewire.report.model import ReportError
    from samewire.report.page import write

    try:
        page = write(folder)
    except ReportError as error:
        fail(error, FAILED)
    terminal.print_summary(json.loads((folder / "run.json").read_text()), console)
    console.print(f"report: {page}", soft_wrap=True, highlight=False)
    if open_ and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
        webbrowser.open(page.as_uri())
