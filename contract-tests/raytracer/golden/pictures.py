"""Pinned pictures: the SHA-256 of the decoded pixels for a few sizes and depths.

`python -m raytracer.golden.pictures` (in contract-tests/) writes pictures.csv again with the reference program,
bench/kernels/raytracer.c, for which it needs gcc.
"""

import csv
import hashlib
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("pictures.csv")
REFERENCE = Path(__file__).parents[3] / "bench" / "kernels" / "raytracer.c"

SIZES = (
    *((1, 1, depth) for depth in (0, 5, 10)),
    *((64, 48, depth) for depth in range(6)),
    (2, 1, 1), (1, 2, 2), (3, 5, 4), (17, 13, 10), (101, 77, 4), (33, 200, 7), (255, 1, 3), (1, 255, 3),
    *((320, 240, depth) for depth in range(11)),
    (640, 480, 0), (640, 480, 5), (640, 480, 10),
    (1920, 1, 2), (1, 1080, 2), (1919, 1079, 6), (1920, 1080, 10),
)  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """What is asked for and what comes back."""

    width: int
    height: int
    depth: int
    sha256: str


def read() -> list[Picture]:
    """The pinned pictures."""
    with FILE.open(newline="") as file:
        return [Picture(int(r["width"]), int(r["height"]), int(r["depth"]), r["sha256"]) for r in csv.DictReader(file)]


def write() -> None:
    """Render all pictures with the reference program and pin them."""
    with tempfile.TemporaryDirectory() as folder, FILE.open("w", newline="") as file:
        program = Path(folder) / "raytracer"
        options = ["-std=c11", "-O2", "-ffp-contract=off"]
        subprocess.run(["gcc", *options, "-o", program, REFERENCE, "-lm"], check=True)
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["width", "height", "depth", "sha256"])
        for size in SIZES:
            pixels = subprocess.run([program, *map(str, size)], check=True, capture_output=True).stdout
            table.writerow([*size, hashlib.sha256(pixels).hexdigest()])


if __name__ == "__main__":
    write()
