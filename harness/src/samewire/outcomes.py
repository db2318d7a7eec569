"""What came of the tests of the suite: the words for it, and the file that keeps it of the last run."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from samewire.paths import STATE

LAYERS = ("cases", "differential", "wire", "atlas", "life", "browser", "attack", "faults")
SUITE = "(the suite itself)"
"""The row of the tests that judge no server: whether the suite finds the faults that it is shown."""

NOT_OURS = "a server at a URL: the suite can neither start nor stop its process"
"""Why a test is skipped that needs more of a server than its URL."""

NO_UPSTREAMS = "a server at a URL, whose upstreams are its own: --upstream-port starts some for it"
"""Why a test is skipped that needs other upstreams."""

NO_COMMANDS = "a server at a URL: --stop-command and --restart-command stop and start it"
"""Why it is not stopped."""

NO_DATABASE = "a wheel has no database that a test may start, stop and kill"
"""Why such a test is skipped without a checkout."""

EXCUSES = (NOT_OURS, NO_UPSTREAMS, NO_COMMANDS, NO_DATABASE)
"""The reasons of skips that are no gap of the suite: the call gave too little for these tests."""

BEHIND_TLS = "Judged over HTTP/1.1. The layers wire and atlas judge the program that ends TLS, which may be a proxy."
"""What a reader of results has to know of a server at an https URL."""

OUTCOMES = STATE / "outcomes.json"
"""Server → layer → outcome → number, of the last run."""


class Blamed(AssertionError):
    """A test in lockstep failed, and it was these servers that were wrong: the others have no failure by it."""

    def __init__(self, message: str, servers: Sequence[str]) -> None:
        super().__init__(message)
        self.servers = list(servers)


def last_outcomes(file: Path | None = None) -> dict:
    """What came of the last run, or of the session that wrote this file, as `print_outcomes` takes it.

    `outcomes`, `contracts` (versions by service), `databases` (labels by store), `tls` (version and ALPN by server at
    an https URL), `narrowed` (the options that chose a part of the tests), `reasons` (of skips, with numbers),
    `unknown` (names of tests that must fail, and that none has), `failures` (a line each) and `results`: of each test
    its id (`test`), `layer`, `servers`, `outcome`, `seconds` and `problem` (text).
    """
    try:
        return nothing() | json.loads((file or OUTCOMES).read_text())
    except FileNotFoundError:
        return nothing()


def nothing() -> dict:
    """What came of a run of no tests."""
    nothings: dict = {name: {} for name in ("outcomes", "contracts", "databases", "tls", "reasons")}
    return nothings | {"narrowed": [], "failures": [], "results": []}


def keep_outcomes(several: Iterable[dict]) -> None:
    """Make what came of several sessions that of the last run.

    Numbers of the same server and layer add up, and so do those of skips for the same reason.
    """
    whole = nothing()
    reasons: Counter = Counter()
    unknown: list[str] | None = None
    for one in several:
        # A name is unknown that no session knows.
        if "unknown" in one:
            unknown = [name for name in one["unknown"] if unknown is None or name in unknown]
        reasons.update(one["reasons"])
        for name, layers in one["outcomes"].items():
            there = whole["outcomes"].setdefault(name, {})
            for layer, numbers in layers.items():
                there[layer] = dict(Counter(there.get(layer, {})) + Counter(numbers))
        whole["contracts"] |= one["contracts"]
        whole["databases"] |= one["databases"]
        whole["tls"] |= one["tls"]
        whole["narrowed"] += [option for option in one["narrowed"] if option not in whole["narrowed"]]
        whole["failures"] += one["failures"]
        whole["results"] += one["results"]
    # Another call may be reading what it has.
    written = OUTCOMES.with_name(f"{OUTCOMES.name}.{os.getpid()}")
    written.write_text(json.dumps(whole | {"reasons": reasons, "unknown": unknown or []}))
    written.replace(OUTCOMES)
