"""What holds for all unit tests of the harness."""

import signal
from pathlib import Path
from shutil import copytree

import pytest
from hypothesis import HealthCheck, settings

from samewire.locking import exclusive
from samewire.paths import STATE

# A shell without job control starts what runs in the background with SIGINT ignored, and so would all commands here.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says how busy the machine is; nothing is judged by that.
settings.register_profile("samewire", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("samewire")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site of this checkout: one copy for all workers, which stays as it is when a file of the checkout changes."""
    from samewire.site.build import build  # most runs need no site, and it takes seconds to import

    root = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        root = root.parent
    folder = root / "site-of-the-checkout"
    with exclusive(root / "site.lock"):
        if not folder.exists():
            build(STATE / "site/tests")
            copytree(STATE / "site/tests", folder)
    return folder
