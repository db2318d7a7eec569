"""Records of races and profiles that are kept, packed, in `bench/records`. Reports are made from those of races."""

import gzip
import json
from pathlib import Path
from typing import Any

from samewire.paths import RECORDS, RESULTS

_END = ".json.gz"


def keep(folder: Path, records: Path = RECORDS) -> Path:
    """Pack the record of a run folder; the packed file."""
    records.mkdir(exist_ok=True)
    kept = file_of(folder.name, records)
    # Without a time, so that the same record is the same file.
    kept.write_bytes(gzip.compress((folder / "run.json").read_bytes(), mtime=0))
    return kept


def keep_profile(folder: Path, records: Path = RECORDS) -> Path:
    """Pack the record of a profile's folder; the packed file."""
    kept = records / "profiles" / f"{folder.name}{_END}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(gzip.compress((folder / "profile.json").read_bytes(), mtime=0))
    return kept


def profiles(records: Path = RECORDS) -> dict[str, dict[str, Any]]:
    """The records of the profiles that are kept, by name, the oldest first."""
    paths = sorted((records / "profiles").glob(f"*{_END}"))
    return {path.name.removesuffix(_END): json.loads(gzip.decompress(path.read_bytes())) for path in paths}


def find(run: str, results: Path = RESULTS, records: Path = RECORDS) -> Path | None:
    """The folder of a run by path or name, unpacked if it is only kept; None if there is none."""
    for folder in (Path(run), results / run):
        if (folder / "run.json").exists():
            return folder
    name = Path(run).name.removesuffix(_END)
    kept = file_of(name, records)
    if not name or not kept.exists():
        return None
    folder = results / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_bytes(gzip.decompress(kept.read_bytes()))
    return folder


def names(results: Path = RESULTS, records: Path = RECORDS) -> list[str]:
    """Every run that there is, the oldest first."""
    there = {path.parent.name for path in results.glob("*/run.json")}
    return sorted(there | set(names_in(records)))


def names_in(records: Path) -> list[str]:
    """The runs that are kept, the oldest first."""
    return sorted(path.name.removesuffix(_END) for path in records.glob(f"*{_END}"))


def file_of(name: str, records: Path = RECORDS) -> Path:
    """Where the record of a run is kept."""
    return records / f"{name}{_END}"
