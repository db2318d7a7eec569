"""Digests of files: what a build, a pass or a race belongs to."""

import hashlib
import subprocess
from collections.abc import Iterable
from pathlib import Path


def source_files(folder: Path) -> list[Path]:
    """The files of a folder that git tracks or would track, sorted; every file outside a git checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    if listed.returncode:
        return sorted(path for path in folder.rglob("*") if path.is_file())
    return sorted(path for name in listed.stdout.split("\0") if name and (path := folder / name).is_file())


def digest_files(files: Iterable[Path], root: Path) -> str:
    """SHA-256 over the names (relative to `root`) and the contents, in hexadecimal."""
    digest = hashlib.sha256()
    for path in files:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()
