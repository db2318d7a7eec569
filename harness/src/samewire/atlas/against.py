"""Where the own answers of two servers anywhere differ: each is asked the whole atlas."""

from concurrent.futures import ThreadPoolExecutor

from rich.console import Console
from rich.markup import escape

from samewire.atlas import inputs, run
from samewire.atlas.page import classes
from samewire.target import Target

_LONGEST = 160
"""Characters of an answer that are shown."""


def differences(one: Target, other: Target) -> list[tuple[str, str, str]]:
    """Id of an input, and what each of the two answered to it, where that is not of the same kind."""
    asked = inputs.load(one.service)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda target: _lines(run.ask_all(asked, target)), (one, other))
    both = ((id_, line, second[id_]) for id_, line in first.items() if id_ in second)
    return [(id_, line, others) for id_, line, others in both if classes(line) != classes(others)]


def print_differences(one: Target, other: Target, console: Console) -> None:
    """Print them. They are no failures: no client relies on these answers."""
    found = differences(one, other)
    if not found:
        console.print(f"{one.name} and {other.name} answer odd input alike")
        return
    console.print(f"Odd input that the two answer differently, which is no failure: {len(found)}", style="bold")
    width = max(len(one.name), len(other.name))
    for id_, line, others in found:
        console.print(f"[bold]{escape(id_)}", highlight=False)
        for name, answer in ((one.name, line), (other.name, others)):
            brief = answer if len(answer) <= _LONGEST else f"{answer[:_LONGEST]}…"
            console.print(f"  {name:<{width}}  {escape(brief)}", highlight=False, soft_wrap=True)


def _lines(outcome: run.Outcome) -> dict[str, str]:
    return {one.input.id: one.line for one in outcome.asked if not one.input.by_chance and not one.spoilt}
