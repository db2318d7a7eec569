"""Where things are in a checkout."""

import os
from pathlib import Path


def _find_checkout() -> Path:
    """The folder that holds `contract-tests/` and `harness/`: $SAMEWIRE_CHECKOUT, else the package's own checkout."""
    given = os.environ.get("SAMEWIRE_CHECKOUT")
    return Path(given).resolve() if given else Path(__file__).resolve().parents[3]


CHECKOUT = _find_checkout()
HARNESS = CHECKOUT / "harness"
CONTRACTS = CHECKOUT / "contract-tests"
BENCH = CHECKOUT / "bench"
RESULTS = BENCH / "results"
RECORDS = BENCH / "records"

STATE = CHECKOUT / ".samewire"
"""Everything that is made and may be deleted: toolchains, database files, logs, records of passes. Ignored by git."""
CACHE = STATE / "cache"
TOOLCHAINS = STATE / "toolchains"
RUNS = STATE / "run"
PASSES = STATE / "passes"
