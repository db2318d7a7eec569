"""The reference servers of a wheel."""

import shutil

from samewire.digests import digest_files, source_files
from samewire.locking import exclusive
from samewire.manifest import Server, find_servers
from samewire.paths import CARRIED_SERVERS, INSTALLED, STATE


def carried_servers() -> list[Server]:
    """The servers that the wheel carries, by id, in a copy that may be built; none in a checkout, which has its own."""
    if not INSTALLED:
        return []
    copy = STATE / "servers" / digest_files(source_files(CARRIED_SERVERS), CARRIED_SERVERS)[:12]
    with exclusive(copy.with_suffix(".lock")):
        if not copy.exists():
            made = copy.with_suffix(".new")
            shutil.rmtree(made, ignore_errors=True)
            shutil.copytree(CARRIED_SERVERS, made)
            made.rename(copy)
    return find_servers(copy)
