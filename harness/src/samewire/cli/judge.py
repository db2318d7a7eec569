"""Commands that judge servers: the contract suite, the atlas, attacks."""

import sys

import click

from samewire import record
from samewire.cli.options import LAYER, NAMES
from samewire.cli.output import FAILED, USAGE, console, fail
from samewire.cli.progress import CORES, with_progress
from samewire.manifest import find_servers, select


@click.command()
@NAMES
@click.option("--url", "urls", multiple=True, metavar="NAME=URL", help="Judge a server of your own; may be repeated.")
@click.option("--service", help="The service of the servers given by --url.")
@click.option("--compose", is_flag=True, help="Judge the servers as they run in compose; all that run by default.")
@LAYER
@click.option("-k", "expression", help="Only tests whose names match, as in pytest.")
@click.option("--stale", is_flag=True, help="Only servers that have no fresh record of a pass.")
@click.option("-n", "workers", type=int, help="Tests side by side; 3 for every two cores, at least 4 for one server.")
def verify(
    names: tuple[str, ...],
    urls: tuple[str, ...],
    service: str | None,
    compose: bool,
    layers: tuple[str, ...],
    expression: str | None,
    stale: bool,
    workers: int | None,
) -> None:
    """Judge servers by the contract suite of their service: ours by name, any other by its URL."""
    from samewire.suite import run_suite

    if compose:
        names = _composed(names)
    if stale:
        names = _stale(names, compose=compose)
        if not names:
            console.print("every server chosen has a fresh record of a pass")
            return
    options = {"urls": urls, "service": service, "layers": layers, "expression": expression, "workers": workers}
    sys.exit(run_suite(console, names, compose=compose, **options))


def _composed(names: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of the servers that are meant: with names, all of them must run in compose; without, those that do."""
    from samewire.containers import composed

    servers = select(find_servers(), names)
    found = composed.required(servers) if names else composed.running(servers)
    if not found:
        fail("no server runs in compose. Start some: docker compose --profile shortener up -d", USAGE)
    return tuple(found)


def _stale(names: tuple[str, ...], *, compose: bool) -> tuple[str, ...]:
    """Those of the servers that have no fresh pass: as the images that they run in compose, or as processes."""
    servers, images = select(find_servers(), names), {}
    if compose:
        from samewire.containers import composed

        images = {server: container.image for server, container in composed.required(servers).items()}
    return tuple(server.id for server in servers if not record.fresh_pass(server, images.get(server.id)))


@click.command("compose-test")
@NAMES
@LAYER
def compose_test(names: tuple[str, ...], layers: tuple[str, ...]) -> None:
    """Judge servers in containers, from nothing: engine, images, databases, data; all of it is removed again.

    By default one server of each language on each database. Where no registry can be reached, base images and MongoDB
    are stand-ins, and the table says so.
    """
    from samewire.containers.rehearsal.compose_test import in_containers, sample
    from samewire.setup import steps
    from samewire.suite import run_suite

    chosen = select(find_servers(), names) if names else sample(find_servers())
    for stage in steps():
        with_progress(stage, at_once=CORES)
    with in_containers(chosen, with_progress):
        status = run_suite(console, [server.id for server in chosen], compose=True, layers=layers)
    sys.exit(status)


@click.command()
@NAMES
@click.option("--update", is_flag=True, help="Write what the servers answer to their atlas.yaml.")
@click.option("--page", "page_only", is_flag=True, help="Ask nobody: write the page of what is pinned.")
@click.option("--mutants", type=int, help="Send so many changed inputs instead; only the rule of safety is judged.")
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of the changes.")
def atlas(names: tuple[str, ...], update: bool, page_only: bool, mutants: int | None, seed: int) -> None:
    """Ask servers the odd inputs of the atlas: is it safe, and as pinned? Writes the page docs/atlas/index.html."""
    from samewire.atlas import command, page

    chosen = select(find_servers(), names)
    if mutants:
        bad = command.send_mutants(chosen, console, mutants, seed)
    else:
        bad = 0 if page_only else command.ask_servers(chosen, console, update=update)
        console.print(f"page: {page.write(find_servers())}", soft_wrap=True, highlight=False)
    sys.exit(FAILED if bad else 0)


@click.command()
@click.argument("name")
@click.argument("row", default="")
@click.option("--service", help="What the server at a URL serves.")
@click.option("--host", help="Attack this host, though it is not this machine. It must be yours.")
@click.option("--update", is_flag=True, help="Write the results to the server's attacks.yaml.")
@click.option("-n", "at_once", default=1, show_default=True, help="Servers that are attacked side by side.")
def attack(name: str, row: str, service: str | None, host: str | None, update: bool, at_once: int) -> None:
    """Attack a server with hostile clients, in full: minutes. NAME is a server, a service or a URL."""
    from samewire.attack import command

    if "://" in name and not service:
        fail("say what it serves: --service todo", USAGE)
    try:
        if "://" in name:
            bad = command.attack_url(name, service, row, host, console)
        else:
            chosen = select(find_servers(), (name,))
            bad = command.attack_servers(chosen, row, console, at_once=at_once, update=update)
        sys.exit(FAILED if bad else 0)
    except command.NotAttacked as error:
        fail(str(error), USAGE)
