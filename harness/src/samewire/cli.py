"""The command `samewire`."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event

import click
import psutil
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from samewire import doctor as doctor_module
from samewire import record
from samewire.build import BuildError, build, is_built
from samewire.containers.daemon import NoEngine, stop_stale_engine
from samewire.containers.engine import EngineError
from samewire.contract.files import ContractError
from samewire.databases import URL_VARIABLES, DatabaseError
from samewire.datasets import NoSchema
from samewire.lab import Lab
from samewire.manifest import ManifestError, SelectionError, Server, find_servers, select
from samewire.outcomes import LAYERS
from samewire.paths import CHECKOUT, RESULTS
from samewire.process import StartError, kill_tree, remove_stale_runs
from samewire.table import new_table
from samewire.toolchains import ToolMissing, missing

FAILED, USAGE, MISSING = 1, 2, 3
"""Exit statuses: a verdict was bad, the call was wrong, something is missing on this machine."""

_CORES = len(os.sched_getaffinity(0))

console = Console()
errors = Console(stderr=True)


class _Group(click.Group):
    """Turns the harness's own exceptions into one clear message and an exit status."""

    def invoke(self, context: click.Context):
        try:
            return super().invoke(context)
        except (ManifestError, SelectionError) as error:
            _fail(error, USAGE)
        except ToolMissing as error:
            _fail(f"{error}\n`samewire doctor` shows everything that is missing.", MISSING)
        except NoEngine as error:
            _fail(error, MISSING)
        except (BuildError, ContractError, DatabaseError, EngineError, NoSchema, StartError) as error:
            _fail(error, FAILED)
        except KeyboardInterrupt:
            _fail("interrupted; everything that was started has been stopped", 130)


def _fail(message: object, status: int) -> None:
    _complain(message)
    sys.exit(status)


def _complain(message: object) -> None:
    errors.print(f"samewire: {message}", style="red", markup=False, highlight=False, soft_wrap=True)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Reference servers: start them, prove that they answer identically, race what is proven.

    Exit status: 0 all is well, 1 a verdict is bad, 2 wrong usage, 3 something is missing on this machine.
    """
    # SIGTERM ends a command as Ctrl-C does: through the context managers that stop what was started.
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))


_NAMES = click.argument("names", nargs=-1, metavar="[SERVICE|SERVER]...")


@main.command("list")
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


@main.command()
def setup() -> None:
    """Install Node.js, PostgreSQL, the MongoDB stand-in and the load generators, if missing, and build all servers."""
    from samewire.setup import steps

    tools, generators = steps()
    with_progress(tools, at_once=_CORES)
    # Those in Scala take longest: last in the alphabet, and first here.
    broken = with_progress(generators | _builds(reversed(find_servers())), at_once=_CORES, passed_over=BuildError)
    for name, error in broken.items():
        _complain(f"{name}: {error}")
    if broken:
        _complain("All else is set up. `samewire test` judges the servers that build, and ends with status 1.")


def _builds(servers: Iterable[Server]) -> dict[str, Callable[[], object]]:
    return {f"build {server.id}": (lambda server=server: build(server)) for server in servers if not is_built(server)}


def with_progress(
    jobs: Mapping[str, Callable[[], object]], at_once: int = 1, passed_over: type[Exception] | tuple[()] = ()
) -> dict[str, Exception]:
    """Run the jobs, so many at once; a line shows that each runs, and at its end how long it took.

    The first problem is raised, and no other job is begun, unless it is one to be passed over: those are returned, by
    the job's name. Side by side they may do nothing but run commands: whichever still run when a problem is raised, or
    when this is interrupted, are killed.
    """
    problems: dict[str, Exception] = {}
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    ended, under_way = Event(), set()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:

        def run(name: str, job: Callable[[], object]) -> None:
            # First this, then the question: so whoever ends it all sees every job that goes on.
            under_way.add(name)
            task, started = progress.add_task(name, total=None), time.monotonic()
            try:
                if ended.is_set():
                    return
                job()
            except passed_over as problem:
                problems[name] = problem
                progress.console.print(f"[red]✗[/] {name} ({time.monotonic() - started:.1f} s)", highlight=False)
                return
            except BaseException:
                ended.set()
                raise
            finally:
                progress.remove_task(task)
                under_way.discard(name)
            progress.console.print(f"[green]✓[/] {name} ({time.monotonic() - started:.1f} s)", highlight=False)

        if at_once == 1:
            for name, job in jobs.items():
                run(name, job)
            return problems
        with ThreadPoolExecutor(at_once) as pool:
            # An interruption may also come while the jobs are handed over.
            try:
                for done in as_completed([pool.submit(run, name, job) for name, job in jobs.items()]):
                    done.result()
            except BaseException:
                ended.set()
                # Again and again: who has begun may be just about to start a command.
                while under_way:
                    for command in psutil.Process().children():
                        kill_tree(command.pid)
                    time.sleep(0.1)
                raise
    return problems


@main.command("build")
@_NAMES
def build_(names: tuple[str, ...]) -> None:
    """Build servers whose files have changed."""
    with_progress(_builds(select(find_servers(), names)), at_once=_CORES)


@main.command()
@_NAMES
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each server, once it is ready.")
@click.option("--links", default=10_000, show_default=True, help="How many links each database holds.")
@click.option("--variant", help="Start this variant, for servers that have it.")
@click.option("--databases-only", is_flag=True, help="Only databases, for a server of your own.")
def up(names: tuple[str, ...], as_json: bool, links: int, variant: str | None, databases_only: bool) -> None:
    """Databases, data and servers, until Ctrl-C or SIGTERM."""
    chosen = select(find_servers(), names)
    if variant and not any(variant in server.variants for server in chosen):
        known = sorted({name for server in chosen for name in server.variants})
        _fail(f"none of these servers has a variant {variant!r}; there are: {', '.join(known) or 'none'}", USAGE)
    problem, lab = None, Lab(links=links)
    try:
        # Ctrl-C is how it is meant to end, at whatever point it comes.
        with contextlib.suppress(KeyboardInterrupt):
            if databases_only:
                _start_databases(lab, chosen, as_json)
            else:
                _start_servers(lab, chosen, variant, as_json)
            if not as_json:
                console.print("Ctrl-C stops all of it.")
            while not (died := next((running for running in lab.started if not running.alive), None)):
                time.sleep(0.3)
            problem = f"{died.target.name} ended with status {died.wait(0)}; the others were stopped. Its last lines:\n"
            problem += died.target.last_lines()
    finally:
        for line in lab.close():
            errors.print(line, highlight=False)
    if problem:
        _fail(problem, FAILED)


def _start_databases(lab: Lab, chosen: list[Server], as_json: bool) -> None:
    table = new_table("databases, each with its service's data in it", "service", "URL", "engine")
    for service, store in sorted(
        {(server.service, server.store) for server in chosen if server.store in URL_VARIABLES}
    ):
        url, label = lab.new_database(service, store), lab.database(store).label
        if as_json:
            click.echo(json.dumps({"database": store, "service": service, "url": url, "engine": label}))
        table.add_row(service, url, label)
    if not as_json:
        console.print(table)


def _start_servers(lab: Lab, chosen: list[Server], variant: str | None, as_json: bool) -> None:
    table = new_table("servers", "server", "URL", "pid")
    started = []
    for server in chosen:
        if not as_json:
            errors.print(f"starting {server.id} …", highlight=False)
        started.append(lab.spawn(server, variant=variant if variant in server.variants else None))
    for server, running in zip(chosen, started, strict=True):
        lab.wait_until_healthy(running)
        target = running.target
        if as_json:
            about = {"server": server.id, "service": server.service, "url": target.url, "pid": target.pid}
            click.echo(json.dumps(about))
        table.add_row(server.id, target.url, str(target.pid))
    if not as_json:
        console.print(table)
        for store, database in lab.databases().items():
            console.print(f"{store}: {database.label}", highlight=False)
        console.print(f"logs: {lab.run.path}/*/log", highlight=False, soft_wrap=True)


@main.command()
@_NAMES
@click.option("--url", "urls", multiple=True, metavar="NAME=URL", help="Judge a server of your own; may be repeated.")
@click.option("--service", help="The service of the servers given by --url.")
@click.option("--compose", is_flag=True, help="Judge the servers as they run in compose; all that run by default.")
@click.option("--layer", "layers", multiple=True, type=click.Choice(LAYERS), help="Only this layer; may be repeated.")
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


@main.command()
@_NAMES
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


@main.command()
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
        _fail("say what it serves: --service todo", USAGE)
    try:
        if "://" in name:
            bad = command.attack_url(name, service, row, host, console)
        else:
            chosen = select(find_servers(), (name,))
            bad = command.attack_servers(chosen, row, console, at_once=at_once, update=update)
        sys.exit(FAILED if bad else 0)
    except command.NotAttacked as error:
        _fail(str(error), USAGE)


def _composed(names: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of the servers that are meant: with names, all of them must run in compose; without, those that do."""
    from samewire.containers import composed

    servers = select(find_servers(), names)
    found = composed.required(servers) if names else composed.running(servers)
    if not found:
        _fail("no server runs in compose. Start some: docker compose --profile shortener up -d", USAGE)
    return tuple(found)


def _stale(names: tuple[str, ...], *, compose: bool) -> tuple[str, ...]:
    """Those of the servers that have no fresh pass: as the images that they run in compose, or as processes."""
    servers, images = select(find_servers(), names), {}
    if compose:
        from samewire.containers import composed

        images = {server: container.image for server, container in composed.required(servers).items()}
    return tuple(server.id for server in servers if not record.fresh_pass(server, images.get(server.id)))


@main.command()
@click.argument("experiment")
@_NAMES
@click.option("--profile", type=click.Choice(["smoke", "quick", "paper"]), default="quick", show_default=True)
@click.option("--seed", type=int, help="The seed of the order of the runs; chosen and recorded by default.")
@click.option("--compose", is_flag=True, help="Race the servers that run in compose, on the databases there.")
@click.option("--open", "open_", is_flag=True, help="Open the report in a browser, where there is one.")
def race(experiment: str, names: tuple[str, ...], profile: str, seed: int | None, compose: bool, open_: bool) -> None:
    """Race the servers of an experiment, or some of them; only such as have just passed their contract."""
    from samewire.race import RaceError
    from samewire.race.experiment import ExperimentError
    from samewire.race.runner import race as run_race

    try:
        servers = select(find_servers(), names)
        run_folder = run_race(experiment, profile, console=console, servers=servers, seed=seed, compose=compose)
    except RaceError as error:
        _fail(error, USAGE if isinstance(error, ExperimentError) else FAILED)
    _report(run_folder, open_=open_)


@main.command()
@_NAMES
@click.option("--rounds", default=5, show_default=True, help="How often everything is measured.")
@click.option("--seconds", default=4.0, show_default=True, help="How long one measurement takes.")
@click.option("--warm-up", type=float, help="Seconds before it that do not count; as many as count by default.")
@click.option(
    "--users",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Clients of a server, and queries in flight of a driver.",
)
@click.option("--seed", type=int, help="The seed of the order; chosen and recorded by default.")
def floor(
    names: tuple[str, ...], rounds: int, seconds: float, warm_up: float | None, users: int, seed: int | None
) -> None:
    """How far servers are from the least that their stacks cost: a bare answer with a bare query, or a raw copy."""
    from samewire.floor import Profile, measure
    from samewire.race import RaceError

    try:
        profile = Profile(rounds, seconds if warm_up is None else warm_up, seconds, users)
        folder = measure(select(find_servers(), names), profile, console, seed)
    except RaceError as error:
        _fail(error, FAILED)
    console.print(f"record: {folder / 'floor.json'}", soft_wrap=True, highlight=False)


@main.command()
@click.argument("run", required=False)
@click.option("--open", "open_", is_flag=True, help="Open it in a browser, where there is one.")
def report(run: str | None, open_: bool) -> None:
    """Make the report of a race again: a folder of bench/results, the newest by default."""
    runs = sorted(path.parent for path in RESULTS.glob("*/run.json"))
    if run:
        folder = next((path for path in (Path(run), RESULTS / run) if (path / "run.json").exists()), None)
    else:
        folder = runs[-1] if runs else None
    if folder is None:
        known = ", ".join(path.name for path in runs)
        there = f"there are: {known}" if known else "there is none yet: samewire race makes one"
        _fail(f"no run {run} in {RESULTS}; {there}" if run else f"{RESULTS}: {there}", USAGE)
    _report(folder, open_=open_)


def _report(folder: Path, *, open_: bool) -> None:
    import webbrowser

    from samewire.report import terminal
    from samewire.report.model import ReportError
    from samewire.report.page import write

    try:
        page = write(folder)
    except ReportError as error:
        _fail(error, FAILED)
    terminal.print_summary(json.loads((folder / "run.json").read_text()), console)
    console.print(f"report: {page}", soft_wrap=True, highlight=False)
    if open_ and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
        webbrowser.open(page.as_uri())


@main.command()
def idioms() -> None:
    """The same step in every stack, side by side: one page a step in docs/idioms."""
    from samewire.idioms import IdiomsError, load_steps, write_pages

    try:
        for page in write_pages(find_servers(), load_steps()):
            console.print(str(page), soft_wrap=True, highlight=False)
    except IdiomsError as error:
        _fail(error, FAILED)


@main.command()
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 if a file is out of date.")
def compose(check: bool) -> None:
    """Write docker-compose.yml and the table of its ports from the manifests."""
    from samewire.containers.compose import Composition

    _write_or_check(Composition(find_servers()).files(), check)


@main.command()
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 if a file is out of date.")
def kubernetes(check: bool) -> None:
    """Write the part of bench/kubernetes that follows from the manifests."""
    from samewire.containers.kubernetes import BASE, Cluster

    files = Cluster(find_servers()).files()
    _write_or_check(files | {path: None for path in BASE.glob("*/*") if path not in files}, check)


def _write_or_check(files: Mapping[Path, str | None], check: bool) -> None:
    """Write the files that are out of date, delete those of servers that are gone; or fail if there are any."""
    from samewire.containers.compose import out_of_date

    old = out_of_date(files)
    if check and old:
        names = ", ".join(path.relative_to(CHECKOUT).as_posix() for path in old)
        _fail(f"not as the manifests say: {names}. Run: samewire {click.get_current_context().info_name}", FAILED)
    for path in old:
        if (text := files[path]) is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        console.print(path.relative_to(CHECKOUT).as_posix(), highlight=False)


@main.command("compose-test")
@_NAMES
@click.option("--layer", "layers", multiple=True, type=click.Choice(LAYERS), help="Only this layer; may be repeated.")
def compose_test(names: tuple[str, ...], layers: tuple[str, ...]) -> None:
    """Judge servers in containers, from nothing: engine, images, databases, data; all of it is removed again.

    By default one server of each language on each database. Where no registry can be reached, base images and MongoDB
    are stand-ins, and the table says so.
    """
    from samewire.containers import rehearsal
    from samewire.setup import steps
    from samewire.suite import run_suite

    chosen = select(find_servers(), names) if names else rehearsal.sample(find_servers())
    for stage in steps():
        with_progress(stage, at_once=_CORES)
    with rehearsal.in_containers(chosen, with_progress):
        status = run_suite(console, [server.id for server in chosen], compose=True, layers=layers)
    sys.exit(status)


@main.command()
def doctor() -> None:
    """This machine: toolchains, ports, memory, and how quiet it is."""
    sys.exit(doctor_module.examine(console))


@main.command()
def clean() -> None:
    """Stop what killed commands left behind and delete what builds made."""
    stop_stale_engine()
    remove_stale_runs()
    subprocess.run(
        ["git", "clean", "-fdXq", "--", "servers-*", "harness", "contract-tests", "bench/load", "docs/idioms"],
        cwd=CHECKOUT,
        check=False,
    )


@main.command()
def lint() -> None:
    """Formatters and linters of every language, without changing anything."""
    from samewire.checks import lint_all, print_checks

    checks = lint_all(console)
    print_checks(console, checks)
    sys.exit(FAILED if any(check.problem for check in checks) else 0)


@main.command()
@click.option(
    "--again", is_flag=True, help="Also judge the servers that have a fresh record of a pass; CI always does."
)
def test(again: bool) -> None:
    """All that must hold: linters, unit tests, the contract suite on every server, and every race in small."""
    from samewire.checks import test_all

    sys.exit(test_all(console, again=again or bool(os.environ.get("CI"))))


if __name__ == "__main__":
    main()
