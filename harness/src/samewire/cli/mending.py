"""The command of the labs in which a fault is mended."""

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from samewire.cli.output import FAILED, console, fail
from samewire.labs import LabError
from samewire.paths import STATE

_TURNS = 3
"""A fault that only many clients meet is met likely, not surely: the suite has so many turns to find it."""


def mend(name: str, predict: str | None, words: str, seed: int | None, *, small: bool) -> None:
    """Plant a fault, or go on with one; run the suite on the copy, until it is green or nobody is there to go on.

    Ends with the status of a bad verdict while it is not green. `small`: the lab mends the copy by itself, and it is
    an error if the suite does not find the fault, or is not green after that. Raises LabError.
    """
    from samewire.labs.mending import attempt as attempts
    from samewire.labs.mending.declaration import load

    lab = load(name)
    console.print(f"[bold]{lab.title}[/]\n{lab.question}\n\n{lab.about}\n", highlight=False)
    if small:
        with tempfile.TemporaryDirectory(dir=STATE, prefix="mending-") as folder:
            # Whoever a server runs as may read it.
            Path(folder).chmod(0o755)
            attempt = _begun(lambda: attempts.begin(lab, seed, Path(folder)))
            _by_itself(attempt)
            _hand_in(attempt, words)
        return
    kept = attempts.newest(lab) if seed is None else None
    attempt = _begun(lambda: kept or attempts.begin(lab, seed))
    _with_reader(attempt, predict)
    _hand_in(attempt, words)


def _begun(begin: Callable[[], Any]) -> Any:
    with console.status("copying a server"):
        attempt = begin()
    console.print(f"seed {attempt.seed}: a fault is in the copy of {attempt.workspace.server}, in")
    console.print(str(attempt.workspace.folder), soft_wrap=True, highlight=False)
    return attempt


def _with_reader(attempt: Any, predict: str | None) -> None:
    """Run the suite, ask for a prediction, and run it again as often as the reader likes."""
    _run(attempt)
    if not attempt.prediction and not attempt.mended:
        _predict(attempt, predict)
    while not attempt.mended:
        again = f"samewire lab {attempt.lab.name} --seed {attempt.seed}"
        files = "\n".join(f"  {file}" for file in attempt.workspace.files)
        console.print(f"\nEdit a file there, and run the suite again:\n{files}", highlight=False)
        hints = attempt.fault.hints[: max(0, len(attempt.runs) - 1)]
        for hint in hints:
            console.print(f"hint: {hint}", highlight=False)
        if not sys.stdin.isatty():
            fail(f"the copy is not mended yet; edit it, then: {again}", FAILED)
        if not click.confirm("Run the suite again?", default=True):
            fail(f"go on later: {again}", FAILED)
        _run(attempt)


def _by_itself(attempt: Any) -> None:
    """Without a reader. Raises LabError if the fault is not found, or not mended."""
    for _ in range(_TURNS):
        verdict = _run(attempt)
        if {one.test for one in verdict.failures} & {*attempt.fault.found_by}:
            break
    else:
        raise LabError(
            f"{attempt.lab.name}: the suite was to find {attempt.fault.name} by one of "
            f"{', '.join(attempt.fault.found_by)}, and was {verdict.status}:\n{verdict.output[-3000:]}"
        )
    attempt.predict(attempt.fault.kind, attempt.fault.files[0])
    attempt.mend()
    verdict = _run(attempt)
    if not attempt.mended:
        raise LabError(f"{attempt.lab.name}: {attempt.fault.name} is mended, and the suite is {verdict.status}")


def _run(attempt: Any) -> Any:
    with console.status("the suite runs on the copy"):
        verdict = attempt.verification().run()
    attempt.add(verdict)
    luck = "" if attempt.runs[-1]["changed"] else ", and you have changed nothing: the tests missed the fault this time"
    told = {"green": f"green: every test passes{luck}", "red": "red"}
    status = told.get(verdict.status, "the copy does not build, or does not start")
    console.print(
        f"\nrun {len(attempt.runs)} of the suite: [bold]{status}[/] ({verdict.seconds:.0f} s)", highlight=False
    )
    if verdict.status not in told:
        console.print(verdict.output[-3000:], markup=False, highlight=False)
    for failure in verdict.failures:
        console.print(f"[red]✗[/] {failure.test}", highlight=False)
        for line in filter(None, (failure.about, failure.message, f"contract-tests/{failure.module}")):
            console.print(f"  {line}", markup=False, highlight=False)
    return verdict


def _predict(attempt: Any, predict: str | None) -> None:
    """Keep the prediction, as it is given or as it is asked for; none where nobody is there."""
    kinds, files = attempt.lab.kinds, attempt.workspace.files
    if predict:
        kind, sign, file = predict.partition("=")
        if not sign:
            raise click.UsageError(f'--predict {predict}: "KIND=FILE" is needed.')
        attempt.predict(kind, file)
    elif sys.stdin.isatty():
        for number, kind in enumerate(kinds, 1):
            console.print(f"  {number}. {kind.name}: {kind.text}", highlight=False)
        chosen = click.prompt("What kind of fault is it?", type=click.IntRange(1, len(kinds)))
        for number, file in enumerate(files, 1):
            console.print(f"  {number}. {file}", highlight=False)
        place = click.prompt("In which file is it?", type=click.IntRange(1, len(files)))
        why = click.prompt("Because", default="", show_default=False)
        attempt.predict(kinds[chosen - 1].name, files[place - 1], why)


def _hand_in(attempt: Any, words: str) -> None:
    from samewire.labs import hand_in
    from samewire.labs.mending import HTML, MARKDOWN
    from samewire.labs.result import write

    found: Mapping[str, Any] = attempt.result()
    console.print(f"\n{found['verdict']}", style="bold", highlight=False)
    for reason in found["why"]:
        console.print(f"- {reason}", highlight=False)
    path: Path = write(found)
    for end, page in (("md", hand_in.markdown(found, words, MARKDOWN)), ("html", hand_in.html(found, words, HTML))):
        path.with_suffix(f".{end}").write_text(page)
        console.print(f"hand in: {path.with_suffix(f'.{end}')}", soft_wrap=True, highlight=False)
