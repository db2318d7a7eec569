"""Commands that list, build and start servers."""

import contextlib
import json
import time
from collections.abc import Callable, Iterable

import click

from samewire import record
from samewire.build import build, is_built
from samewire.carried import carried_servers
from samewire.cli.options import NAMES, with_folders
from samewire.cli.output import FAILED, MISSING, USAGE, console, errors, fail
from samewire.cli.progress import CORES, with_progress
from samewire.databases import URL_VARIABLES
from samewire.databases import needs as database_needs
from samewire.manifest import Server, find_servers, least_demanding, select
from samewire.table import new_table
from samewire.testbed import Testbed
from samewire.toolchains import Tool, missing


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of a table.")
def list_(as_json: bool) -> None:
    """What there is: servers, what they are made of, and what this machine lacks for them."""
    rows = [_describe(server) for server in find_servers()]
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    for service in sorted({row["service"] for row in rows}):
        table = new_table(service, "server", "store", "concurrency", "state")
        for row in (row for row in rows if row["service"] == service):
            variants = "".join(f", {name}" for name in row["variants"])
            table.add_row(row["server"], row["store"], row["concurrency"] + variants, row["state"])
        console.print(table)
    for row in rows:
        for lacking in row["missing"].values():
            console.print(f"[red]{row['server']} lacks {lacking}", highlight=False)
        if row["why"]:
            console.print(f"{row['server']} is not proven: {row['why']}", highlight=False, soft_wrap=True)


def _describe(server: Server) -> dict:
    lacking = {tool.name: f"{tool.name}: {tool.hint}" for tool in missing(server.needs)}
    built = not lacking and is_built(server)
    why = record.why_stale(server) if built else ""
    state = "not built" if not built else "not proven" if why else "proven"
    return {
        "server": server.id,
        "service": server.service,
        "language": server.language,
        "stack": dict(server.stack),
        "store": server.store,
        "concurrency": server.concurrency,
        "transport": server.transport or None,
        "variants": {name: variant.description for name, variant in server.variants.items()},
        "missing": lacking,
        "state": state,
        "why": why,
    }


@click.command("build")
@NAMES
def build_(names: tuple[str, ...]) -> None:
    """Build servers whose files have changed."""
    with_progress(builds(select(find_servers(), names)), at_once=CORES)


def builds(servers: Iterable[Server]) -> dict[str, Callable[[], object]]:
    """Jobs for `with_progress`, by name: the builds of those whose files have changed."""
    return {f"build {server.id}": (lambda server=server: build(server)) for server in servers if not is_built(server)}


@click.command()
@NAMES
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each server, once it is ready.")
@click.option("--links", default=10_000, show_default=True, help="How many links each database holds.")
@click.option("--variant", help="Start this variant, for servers that have it.")
@click.option("--databases-only", is_flag=True, help="Only databases, for a server of your own.")
def up(names: tuple[str, ...], as_json: bool, links: int, variant: str | None, databases_only: bool) -> None:
    """Databases, data and servers, until Ctrl-C or SIGTERM."""
    chosen = select(find_servers(), names)
    if variant and not any(variant in server.variants for server in chosen):
        known = sorted({name for server in chosen for name in server.variants})
        fail(f"none of these servers has a variant {variant!r}; there are: {', '.join(known) or 'none'}", USAGE)
    problem, testbed = None, Testbed(links=links)
    try:
        # Ctrl-C is how it is meant to end, at whatever point it comes.
        with contextlib.suppress(KeyboardInterrupt):
            if databases_only:
                _start_databases(testbed, chosen, as_json)
            else:
                _start_servers(testbed, chosen, variant, as_json)
            if not as_json:
                console.print("Ctrl-C stops all of it.")
            while not (died := next((running for running in testbed.started if not running.alive), None)):
                time.sleep(0.3)
            problem = f"{died.target.name} ended with status {died.wait(0)}; the others were stopped. Its last lines:\n"
            problem += died.target.last_lines()
    finally:
        for line in testbed.close():
            errors.print(line, highlight=False)
    if problem:
        fail(problem, FAILED)


@click.command()
@click.argument("name", metavar="SERVICE|SERVER|FOLDER")
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True, help="Where it listens.")
@click.option("--variant", default="", help="Start this variant.")
def serve(name: str, port: int, variant: str) -> None:
    """One reference server, with its database and data, until Ctrl-C: to look at, and to compare with."""
    (name,) = with_folders((name,))
    chosen = select([*find_servers(), *carried_servers()], (name,))
    able = [server for server in chosen if not _lacking(server)]
    server = least_demanding(able or chosen)
    if not able:
        lacking = ", ".join(f"{tool.name} ({tool.hint})" for tool in _lacking(server))
        fail(f"no server of {name} can run here. {server.id} lacks {lacking}", MISSING)
    if variant and variant not in server.variants:
        fail(f"{server.id} has no variant {variant!r}; there are: {', '.join(server.variants) or 'none'}", USAGE)
    testbed = Testbed()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            database = testbed.new_database(server.service, server.store) if server.store in URL_VARIABLES else None
            running = testbed.start(server, variant=variant or None, database=database, env={"PORT": str(port)})
            console.print(f"{running.target.name}: {running.target.url}  Ctrl-C stops it.", highlight=False)
            if database:
                console.print(f"its database: {database}", highlight=False, soft_wrap=True)
            while running.alive:
                time.sleep(0.3)
            fail(f"{running.target.name} ended. Its last lines:\n{running.target.last_lines()}", FAILED)
    finally:
        for line in testbed.close():
            errors.print(line, highlight=False)


def _lacking(server: Server) -> list[Tool]:
    """What this machine lacks for the server and its database."""
    return missing((*server.needs, *database_needs(server.store)))


def _start_databases(testbed: Testbed, chosen: list[Server], as_json: bool) -> None:
    table = new_table("databases, each with its service's data in it", "service", "URL", "engine")
    for service, store in sorted(
        {(server.service, server.store) for server in chosen if server.store in URL_VARIABLES}
    ):
        url, label = testbed.new_database(service, store), testbed.database(store).label
        if as_json:
            click.echo(json.dumps({"database": store, "service": service, "url": url, "engine": label}))
        table.add_row(service, url, label)
    if not as_json:
        console.print(table)


def _start_servers(testbed: Testbed, chosen: list[Server], variant: str | None, as_json: bool) -> None:
    table = new_table("servers", "server", "URL", "pid")
    started = []
    for server in chosen:
        if not as_json:
            errors.print(f"starting {server.id} …", highlight=False)
        started.append(testbed.spawn(server, variant=variant if variant in server.variants else None))
    for server, running in zip(chosen, started, strict=True):
        testbed.wait_until_healthy(running)
        target = running.target
        if as_json:
            about = {"server": server.id, "service": server.service, "url": target.url, "pid": target.pid}
            click.echo(json.dumps(about))
        table.add_row(server.id, target.url, str(target.pid))
    if not as_json:
        console.print(table)
        for store, database in testbed.databases().items():
            console.print(f"{store}: {database.label}", highlight=False)
        console.print(f"logs: {testbed.run.path}/*/log", highlight=False, soft_wrap=True)
