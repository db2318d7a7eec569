"""The command that profiles servers."""

import click

from samewire.cli.output import FAILED, USAGE, console, fail


@click.command()
@click.argument("server")
@click.argument("experiment", required=False)
@click.option("--against", metavar="SERVER", help="Profile this one as well, and show what differs.")
@click.option(
    "--share",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Tell the share of samples with a frame that matches this regular expression; may be repeated.",
)
@click.option("--profile", type=click.Choice(["smoke", "quick", "paper"]), default="quick", show_default=True)
@click.option("--seconds", type=click.FloatRange(min=0.5), default=10.0, show_default=True, help="How long to sample.")
@click.option("--keep", is_flag=True, help="Keep the records, packed, in bench/records/profiles.")
@click.option("--seed", type=int, help="The seed of the users' lists; chosen and recorded by default.")
def profile(
    server: str,
    experiment: str | None,
    against: str | None,
    patterns: tuple[str, ...],
    profile: str,
    seconds: float,
    keep: bool,
    seed: int | None,
) -> None:
    """In which functions a server spends its time under the load of an experiment; never ranked.

    SERVER may name a variant: randoms-express:log-sync. EXPERIMENT is by default the one that is called like its
    service, or the first of its service.
    """
    from samewire.profiling import ProfilingError, async_profiler, run, tables
    from samewire.race import RaceError
    from samewire.race.experiment import ExperimentError
    from samewire.report import kept

    try:
        entrants = [run.entrant(name) for name in (server, against) if name]
        wish = run.Wish(run.experiment_of(entrants[0].server.service, experiment), profile, seconds, patterns, seed)
        profiles = run.profile(entrants, wish, console)
        for one in profiles:
            tables.print_profile(one, console)
        if patterns:
            tables.print_shares(profiles, patterns, console)
        pages = [one.folder / run.PAGE for one in profiles]
        if against:
            first, second = profiles
            tables.print_differences(first, second, console)
            pages.append(second.folder / run.DIFFERENCE)
            title = f"from {first.name} to {second.name}, {wish.experiment.name}, unranked"
            async_profiler.flame_graph_of_difference(first.stacks, second.stacks, title, pages[-1])
    except ExperimentError as error:
        fail(error, USAGE)
    except (ProfilingError, RaceError) as error:
        fail(error, FAILED)
    if keep:
        for one in profiles:
            console.print(f"record: {kept.keep_profile(one.folder)}", soft_wrap=True, highlight=False)
    for page in pages:
        console.print(f"flame graph: {page}", soft_wrap=True, highlight=False)
