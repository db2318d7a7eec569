"""Copies of servers, in which a lab changes code."""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from samewire.build import build, inputs_digest
from samewire.labs.changes import Change, plant
from samewire.locking import exclusive
from samewire.manifest import Server
from samewire.paths import CONTRACTS, STATE

COPIES = STATE / "labs/copies"

OFFLINE = {"npm_config_prefer_offline": "true"}
"""For the environment of a build of a copy: npm would ask its registry about what it has, and labs run offline."""

_INSTALLED = "node_modules"


def copy_server(server: Server, checkout: Path) -> Path:
    """Copy a server's folder, with all that is built in it, to its place in a folder that stands for a checkout.

    What it shares with other servers is linked there. Returns the folder of the copy.
    """
    folder = checkout / server.id
    shutil.copytree(server.folder, folder, symlinks=True, copy_function=_copy)
    for shared, place in ((server.folder.parent / "_shared", folder.parent / "_shared"), (CONTRACTS, checkout)):
        link = place if place.name == shared.name else place / shared.name
        if shared.is_dir() and not link.exists():
            link.symlink_to(shared)
    return folder


def _copy(source: str, target: str) -> str:
    """What is installed is linked: it is large, and nobody edits it. A compiler writes over what it has built."""
    if _INSTALLED in Path(source).parts:
        # Another file system has no link to it.
        with contextlib.suppress(OSError):
            os.link(source, target)
            return target
    return shutil.copy2(source, target)


def changed_copy(server: Server, changes: Sequence[Change]) -> Server:
    """A copy of a server that differs in these changes; it is made once of the same files.

    Raises LabError, BuildError or ToolMissing.
    """
    build(server)
    told = f"{inputs_digest(server)} {changes!r}"
    digest = hashlib.sha256(told.encode()).hexdigest()[:12]
    checkout = COPIES / f"{server.slug}-{digest}"
    with exclusive(COPIES / f"{server.slug}.lock"):
        if not checkout.exists():
            unfinished = Path(tempfile.mkdtemp(dir=COPIES, prefix="unfinished-"))
            try:
                plant(changes, copy_server(server, unfinished))
                # Whoever a server runs as may read it.
                unfinished.chmod(0o755)
                unfinished.rename(checkout)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    os.environ.update(OFFLINE)
    # Git ignores these files, and so a digest of them tells nothing: the name tells what was built.
    return replace(server, id=f"{server.id}-{digest}", folder=checkout / server.id)
