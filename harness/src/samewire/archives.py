"""Archives from the registries."""

import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a tar archive of any compression into a folder. Raises tarfile.TarError, OSError."""
    with tarfile.open(archive) as members:
        # Debian's Python 3.11.2 has no filters yet; this is how tarfile's documentation asks for one all the same.
        members.extraction_filter = getattr(tarfile, "tar_filter", lambda member, path: member)
        members.extractall(folder)
