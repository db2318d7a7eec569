"""Pinned draws: length and SHA-256 of the body for a few counts and seeds.

`python -m randoms.golden.draws` (in contract-tests/) writes draws.csv again with the reference program, draws.c, for
which it needs gcc.
"""

import csv
import hashlib
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("draws.csv")
REFERENCE = Path(__file__).with_name("draws.c")

PAIRS = (
    (0, 1), (1, 1), (1, 4294967295), (2, 2147483648), (3, 2147483647), (5, 1), (10, 42), (100, 123456789),
    (999, 4294967294), (1_000, 1), (1_000, 65536), (1_001, 3735928559), (10_000, 7), (65_536, 31),
    (100_000, 4294967295), (1_000_000, 42), (1_000_000, 2147483648), (10_000_000, 2463534242), (100_000_000, 1),
)  # fmt: skip
"""(count, seed)"""


@dataclass(frozen=True)
class Draw:
    """What is asked for and what comes back."""

    count: int
    seed: int
    bytes: int
    sha256: str

    def problems(self, body: bytes) -> list[str]:
        """What is wrong with a body, one sentence each; empty if it is this one."""
        if len(body) != self.bytes:
            return [f"{len(body)} bytes instead of the {self.bytes} that are pinned"]
        digest = hashlib.sha256(body).hexdigest()
        return [] if digest == self.sha256 else [f"SHA-256 {digest} instead of {self.sha256}"]


@cache
def read() -> tuple[Draw, ...]:
    """The pinned draws."""
    with FILE.open(newline="") as file:
        return tuple(
            Draw(int(row["count"]), int(row["seed"]), int(row["bytes"]), row["sha256"]) for row in csv.DictReader(file)
        )


def write() -> None:
    """Draw all with the reference program and pin them."""
    with tempfile.TemporaryDirectory() as folder, FILE.open("w", newline="") as file:
        program = Path(folder) / "draws"
        subprocess.run(["gcc", "-std=c11", "-O2", "-o", program, REFERENCE], check=True)
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["count", "seed", "bytes", "sha256"])
        for count, seed in PAIRS:
            body = subprocess.run([program, str(count), str(seed)], check=True, capture_output=True).stdout
            table.writerow([count, seed, len(body), hashlib.sha256(body).hexdigest()])


if __name__ == "__main__":
    write()
