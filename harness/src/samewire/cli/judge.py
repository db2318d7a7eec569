"""Commands that judge servers: the contract suite, the atlas, attacks."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from samewire import record
from samewire.cli.options import LAYER, NAMES, with_folders
from samewire.cli.output import FAILED, USAGE, console, fail
from samewire.cli.progress import CORES, with_progress
from samewire.cli.watch import judge_whenever_changed
from samewire.contract.services import services
from samewire.databases import URL_VARIABLES
from samewire.manifest import SelectionError, find_servers, select
from samewire.outcomes import SUITE, last_outcomes
from samewire.settings import settings
from samewire.target import Target

if TYPE_CHECKING:
    from samewire.suite import Around

_FILE = click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path)


@click.command()
@NAMES
@click.option("--url", "urls", multiple=True, metavar="NAME=URL", help="Judge a server of your own; may be repeated.")
@click.option("--service", help="The service of the servers given by --url.")
@click.option("--compose", is_flag=True, help="Judge the servers as they run in compose; all that run by default.")
@LAYER
@click.option("-k", "expression", help="Only tests whose names match, as in pytest.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this test, case or theme; may be repeated.")
@click.option("--last-failed", is_flag=True, help="Only the tests that failed in the last run.")
@click.option("-x", "--exitfirst", "exit_first", is_flag=True, help="Stop at the first failure.")
@click.option("--trace", is_flag=True, help="Print each exchange as it goes over the wire; best with --only.")
@click.option("--known-failing", type=_FILE, metavar="FILE", help="Tests, a line each, that must fail.")
@click.option("--report", "reports", multiple=True, metavar="KIND=FILE", help="Write junit, markdown, ndjson or html.")
@click.option("--against", metavar="URL", help="Also judge this server, and show how the two differ.")
@click.option("--cacert", type=_FILE, metavar="FILE", help="The authority to trust for https URLs, in PEM.")
@click.option("--database-url", metavar="URL", help="A PostgreSQL or MongoDB in which databases may be made.")
@click.option("--stop-command", metavar="COMMAND", help="Stops the server at the URL, and waits for its end.")
@click.option("--restart-command", metavar="COMMAND", help="Starts it again, in the background.")
@click.option("--upstream-port", type=click.IntRange(1, 65534), help="Start upstreams for it here and one port above.")
@click.option("--watch", is_flag=True, help="Judge again when a file of the servers changes, until Ctrl-C.")
@click.option("--stale", is_flag=True, help="Only servers that have no fresh record of a pass.")
@click.option("-n", "workers", type=int, help="Tests side by side; 5 for every two cores, at least 6 for one server.")
def verify(
    names: tuple[str, ...],
    *,
    compose: bool,
    stale: bool,
    only: tuple[str, ...],
    last_failed: bool,
    reports: tuple[str, ...],
    against: str | None,
    cacert: Path | None,
    database_url: str | None,
    watch: bool,
    stop_command: str | None,
    restart_command: str | None,
    upstream_port: int | None,
    **options: Any,
) -> None:
    """Judge servers by the contract suite of their service: ours by name, any other by its URL.

    `samewire verify todo http://127.0.0.1:8080` judges one server of your own.
    """
    from samewire import conformance
    from samewire.atlas.against import print_differences
    from samewire.suite import run_suite

    wanted = conformance.parse(reports)
    names, options["urls"], options["service"] = _split(names, options["urls"], options["service"])
    options["around"] = _around(stop_command, restart_command, upstream_port, options, against)
    pair: list[Target] = []
    if against:
        if len(options["urls"]) != 1 or names:
            raise click.UsageError(
                "--against compares one server at a URL with another: verify SERVICE URL --against URL"
            )
        options["urls"] = (*options["urls"], f"{urlsplit(against).netloc}={against}")
        named = (one.partition("=") for one in options["urls"])
        pair = [Target(name, options["service"] or "", url.rstrip("/")) for name, _, url in named]
    if compose:
        names = _composed(names)
    if stale:
        names = _stale(names, compose=compose)
        if not names:
            console.print("every server chosen has a fresh record of a pass")
            return
    if last_failed:
        names, only = _failed(names, only, given=bool(options["urls"]))
        if not only:
            console.print("no test failed in the last run")
            return
    _hand_on(cacert, database_url)

    def judge() -> int:
        status = run_suite(console, names, compose=compose, only=only, **options)
        if pair and (not options["layers"] or "atlas" in options["layers"]):
            print_differences(*pair, console)
        conformance.write(wanted, last_outcomes())
        for report in wanted:
            console.print(f"{report.kind}: {report.file}", soft_wrap=True, highlight=False)
        return status

    if watch:
        if options["urls"] or compose:
            raise click.UsageError(
                "--watch starts servers anew: give a folder with a server.toml, no URL and no --compose"
            )
        judge_whenever_changed(judge, select(find_servers(), names), console)
    else:
        sys.exit(judge())


def _around(
    stop: str | None, restart: str | None, upstream_port: int | None, options: Mapping[str, Any], against: str | None
) -> "Around | None":
    """What these options say of the one server at a URL; None without them. Raises UsageError."""
    from samewire.suite import Around

    if not (stop or restart or upstream_port):
        return None
    if bool(stop) != bool(restart):
        raise click.UsageError("--stop-command and --restart-command belong together: give both")
    if len(options["urls"]) != 1 or against:
        raise click.UsageError("--stop-command, --restart-command and --upstream-port are for one server at a URL")
    upstreams = [one.name for one in settings(options["service"] or "") if one.kind == "upstream"]
    if upstream_port and not upstreams:
        raise click.UsageError(f"--upstream-port: a server of {options['service']} has no upstreams")
    return Around(stop or "", restart or "", upstream_port or 0)


def _hand_on(cacert: Path | None, database_url: str | None) -> None:
    """Set the variables by which these options reach what is started."""
    if cacert:
        os.environ["SSL_CERT_FILE"] = str(cacert)
    if database_url:
        stores = {"postgres": "postgresql", "postgresql": "postgresql", "mongodb": "mongodb"}
        scheme = urlsplit(database_url).scheme
        if scheme not in stores:
            raise click.UsageError(f"--database-url takes postgres://… or mongodb://…, not {database_url!r}")
        os.environ[URL_VARIABLES[stores[scheme]]] = database_url


def _split(
    names: tuple[str, ...], urls: tuple[str, ...], service: str | None
) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """Names, `NAME=URL`s and the service, where arguments may be URLs. Such a server is called by its host and port."""
    given = [name for name in names if "://" in name]
    others = tuple(name for name in names if name not in given)
    if given and service is None and others and others[0] in services():
        service, others = others[0], others[1:]
    return others, (*urls, *(f"{urlsplit(url).netloc}={url}" for url in given)), service


def _failed(names: tuple[str, ...], only: tuple[str, ...], *, given: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The servers and the ids of the tests that failed in the last run; without the suite's own.

    Where servers are `given` by their URLs, none is added. Raises SelectionError.
    """
    results = last_outcomes()["results"]
    failed = [one for one in results if one["outcome"] == "failed" and SUITE not in one["servers"]]
    servers = {name.partition(":")[0] for one in failed for name in one["servers"]}
    ours = {server.id for server in find_servers()}
    if failed and not names and not given and not servers & ours:
        raise SelectionError(f"the last run was of {', '.join(sorted(servers))}: name it again, with --last-failed")
    return names or (() if given else tuple(sorted(servers & ours))), (*only, *(one["test"] for one in failed))


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
            names = with_folders((name,))  # first: find_servers finds what it adds
            chosen = select(find_servers(), names)
            bad = command.attack_servers(chosen, row, console, at_once=at_once, update=update)
        sys.exit(FAILED if bad else 0)
    except command.NotAttacked as error:
        fail(str(error), USAGE)
