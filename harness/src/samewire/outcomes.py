"""What came of the tests of the suite: the words for it, and the file that keeps it of the last run."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from samewire.paths import STATE

LAYERS = ("cases", "differential", "wire", "atlas", "life", "browser", "attack", "faults")
SUITE = "(the suite itself)"
"""The row of the tests that judge no server: whether the suite finds the faults that it is shown."""

OUTCOMES = STATE / "outcomes.json"
"""Server → layer → outcome → number, of the last run."""


class Blamed(AssertionError):
    """A test in lockstep failed, and it was these servers that were wrong: the others have no failure by it."""

    def __init__(self, message: str, servers: Sequence[str]) -> None:
        super().__init__(message)
        self.servers = list(servers)


def last_outcomes(file: Path | None = None) -> dict:
    """What came of the last run, or of the session that wrote this file, as `print_outcomes` takes it.

    `outcomes`, `databases` (labels by store), `reasons` (of skips, with numbers) and `failures` (a line each).
    """
    try:
        return json.loads((file or OUTCOMES).read_text())
    except FileNotFoundError:
        return nothing()


def nothing() -> dict:
    """What came of a run of no tests."""
    return {"outcomes": {}, "databases": {}, "reasons": {}, "failures": []}


def keep_outcomes(several: Iterable[dict]) -> None:
    """Make what came of several sessions that of the last run.

    Each judges the suite, so that the numbers of faults add up; and so do those of skips for the same reason.
    """
    whole = nothing()
    faults: Counter = Counter()
    reasons: Counter = Counter()
    for one in several:
        faults.update(one["outcomes"].get(SUITE, {}).get("faults", {}))
        reasons.update(one["reasons"])
        whole["outcomes"] |= one["outcomes"]
        whole["databases"] |= one["databases"]
        whole["failures"] += one["failures"]
    if faults:
        whole["outcomes"][SUITE] = {"faults": faults}
    OUTCOMES.write_text(json.dumps(whole | {"reasons": reasons}))
