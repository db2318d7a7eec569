"""Where things are in a checkout; and in a wheel, which carries the contracts and the reference servers."""

import os
from pathlib import Path

_CARRIED = Path(__file__).resolve().parent / "_checkout"
"""What a wheel carries of a checkout (hatch_build.py)."""
CARRIED_SERVERS = _CARRIED.with_name("_servers")
"""The reference servers that a wheel carries."""


def _find_checkout() -> Path:
    """The folder with `contract-tests/`: $SAMEWIRE_CHECKOUT, else what a wheel carries, else the package's checkout."""
    given = os.environ.get("SAMEWIRE_CHECKOUT")
    own = _CARRIED if _CARRIED.is_dir() else Path(__file__).resolve().parents[3]
    return Path(given).resolve() if given else own


CHECKOUT = _find_checkout()
INSTALLED = CHECKOUT == _CARRIED
"""Whether this is a wheel."""
HARNESS = CHECKOUT / "harness"
CONTRACTS = CHECKOUT / "contract-tests"
BENCH = CHECKOUT / "bench"
RESULTS = BENCH / "results"
RECORDS = BENCH / "records"


def _find_state() -> Path:
    if not INSTALLED:
        return CHECKOUT / ".samewire"
    # Only here: the jobs that fill databases in containers have no such package.
    import platformdirs

    return platformdirs.user_cache_path("samewire")


STATE = _find_state()
"""Everything that is made and may be deleted: toolchains, database files, logs, records of passes. Ignored by git."""
CACHE = STATE / "cache"
TOOLCHAINS = STATE / "toolchains"
RUNS = STATE / "run"
PASSES = STATE / "passes"
