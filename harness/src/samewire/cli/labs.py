"""The command of the labs."""

import os
import random
import socket
import sys
from pathlib import Path
from typing import Any

import click

from samewire.cli.generate import write_or_check
from samewire.cli.mending import mend
from samewire.cli.options import CHECK
from samewire.cli.output import FAILED, USAGE, console, fail
from samewire.labs import LabError, NotFound
from samewire.manifest import find_servers
from samewire.table import new_table

_PORT = 8087


@click.command()
@click.argument("name", required=False)
@click.option("--set", "knobs", multiple=True, metavar="KNOB=VALUE", help="Turn a knob; may be repeated.")
@click.option(
    "--predict",
    metavar="SUBJECT=FACTOR|KIND=FILE",
    help="The prediction; it is asked for otherwise, where there is a terminal.",
)
@click.option("--words", default="", help="Your own words on why, for the page to hand in.")
@click.option("--seed", type=int, help="Draws the order of servers, or the fault; a fresh one is drawn by default.")
@click.option("--small", is_flag=True, help="Seconds, one round, cold servers: shows that it works.")
@click.option("--keep", is_flag=True, help="Keep the result in bench/records/labs, for the notes of teachers.")
@click.option("--notes", is_flag=True, help="Write the figures of kept results into docs/labs.")
@CHECK
@click.option("--serve", is_flag=True, help="Serve the labs as pages, with live charts, until Ctrl-C.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=_PORT, show_default=True, help="Where, on 127.0.0.1; 0 is any."
)
@click.option("--open", "open_", is_flag=True, help="Open the pages in a browser, where there is one.")
def lab(
    name: str | None,
    knobs: tuple[str, ...],
    predict: str | None,
    words: str,
    seed: int | None,
    small: bool,
    keep: bool,
    notes: bool,
    check: bool,
    serve: bool,
    port: int,
    open_: bool,
) -> None:
    """List the labs, run one, or serve them as pages: a question, your prediction, and what servers do."""
    from samewire.labs.mending.declaration import find_mendings

    try:
        if serve:
            if name or knobs or predict:
                raise click.UsageError("--serve serves all labs: it goes with no name, --set or --predict.")
            _serve(port, small=small, open_=open_)
        elif notes:
            write_or_check(_notes(), check, " --notes")
        elif name in find_mendings():
            if knobs or keep:
                raise click.UsageError(f"{name} has no knobs and no figures: it goes without --set and --keep.")
            mend(name, predict, words, seed, small=small)
        elif name:
            path = _run(name, knobs, predict, words, seed, small=small)
            if keep:
                _keep(path)
        else:
            _list()
    except NotFound as error:
        fail(error, USAGE)
    except LabError as error:
        fail(error, FAILED)


def _list() -> None:
    from samewire.labs.lab import find_labs, load
    from samewire.labs.mending import declaration as mending

    table = new_table("lab", "question", "minutes")
    for one in [*map(load, find_labs()), *map(mending.load, mending.find_mendings())]:
        table.add_row(one.name, one.question, str(one.minutes))
    console.print(table)
    console.print("Run one: samewire lab NAME. All of them as pages: samewire lab --serve", highlight=False)


def _run(name: str, knobs: tuple[str, ...], predict: str | None, words: str, seed: int | None, *, small: bool) -> Path:
    from samewire.labs import hand_in
    from samewire.labs.lab import load
    from samewire.labs.result import result, write
    from samewire.labs.session import Session, Wish
    from samewire.race import RaceError

    lab = load(name)
    given = dict(_pair(knob, "--set") for knob in knobs)
    values = lab.values(given, small=small)
    trials, left_out = lab.trials(find_servers(), values, small=small)
    console.print(f"[bold]{lab.title}[/]\n{lab.question}\n\n{lab.about}\n", highlight=False)
    for line in left_out:
        console.print(f"left out: {line}", highlight=False)
    guess = _guess(lab, [trial.label for trial in trials], predict)
    with console.status("starting") as status:

        def tell(event: Any) -> None:
            if event["event"] == "state":
                status.update(event["text"])
            elif event["event"] == "run":
                console.print(f"round {event['round']} of {event['rounds']}: {event['subject']}", highlight=False)

        wish = Wish(lab, values, random.SystemRandom().randrange(2**32) if seed is None else seed, small)
        try:
            ran = Session(wish, trials, left_out, tell).run()
        except RaceError as error:
            fail(error, FAILED)
    found = result(ran, guess)
    path = write(found)
    _print(found)
    for end, page in (("md", hand_in.markdown(found, words)), ("html", hand_in.html(found, words))):
        path.with_suffix(f".{end}").write_text(page)
        console.print(f"hand in: {path.with_suffix(f'.{end}')}", soft_wrap=True, highlight=False)
    return path


def _keep(path: Path) -> None:
    from samewire.labs.notes import keep

    console.print(f"kept: {keep(path)}", soft_wrap=True, highlight=False)


def _notes() -> dict[Path, str | None]:
    from samewire.labs.notes import written
    from samewire.models.pages import PageError

    try:
        return written()
    except PageError as error:
        fail(error, FAILED)


def _pair(text: str, option: str) -> tuple[str, str]:
    name, sign, value = text.rpartition("=")
    if not sign or not name:
        raise click.UsageError(f"{option} {text}: NAME=VALUE is needed.")
    return name, value


def _guess(lab: Any, labels: list[str], predict: str | None) -> Any:
    from samewire.labs.result import Guess

    if predict:
        best, factor = _pair(predict, "--predict")
        if best not in labels:
            raise click.UsageError(f"--predict {predict}: {best!r} takes no part; these do: {', '.join(labels)}.")
        try:
            return Guess(best, max(1.0, float(factor)))
        except ValueError:
            raise click.UsageError(f"--predict {predict}: {factor!r} is no number.") from None
    if not sys.stdin.isatty():
        return None
    console.print(f"[bold]{lab.prediction.question}[/]", highlight=False)
    for number, label in enumerate(labels, 1):
        console.print(f"  {number}. {label}", highlight=False)
    best = click.prompt(lab.prediction.best.capitalize(), type=click.IntRange(1, len(labels)))
    return Guess(
        labels[best - 1],
        click.prompt("How many times as much has the highest as the lowest?", type=click.FloatRange(1)),
    )


def _print(found: dict[str, Any]) -> None:
    figures = list(found["figures"].values())
    table = new_table("", *(f"{one['name']}{', ' * bool(one['unit'])}{one['unit']}" for one in figures))
    for number, trial in enumerate(found["trials"]):
        table.add_row(trial["label"], *(one["rows"][number]["text"] for one in figures))
    console.print(table)
    console.print(found["prediction"]["verdict"], style="bold", highlight=False)
    for reason in found["reasons"]:
        console.print(f"- {reason['text']}", highlight=False)
    for remark in found["remarks"]:
        console.print(f"[yellow]note:[/] {remark}", highlight=False)


def _serve(port: int, *, small: bool, open_: bool) -> None:
    import webbrowser

    import uvicorn

    from samewire.labs.runs import Runs
    from samewire.labs.web import application

    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as error:
            fail(f"port {port} of 127.0.0.1 cannot be used ({error.strerror}); choose another by --port", USAGE)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        console.print(f"labs: {address} (Ctrl-C ends them)", soft_wrap=True, highlight=False)
        if open_ and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
            webbrowser.open(address)
        app = application(Runs(), small=small)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3))
        server.run(sockets=[listening])
