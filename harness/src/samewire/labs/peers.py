"""Slow peers: clients that upload or download files at a low rate, beside the load of a lab.

They are attackers of `samewire.attack`, in a process of their own: `python -m samewire.labs.peers URL WHAT`.
"""

import contextlib
import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Any

from samewire.attack import clients
from samewire.attack.rows import Attack, Step
from samewire.http import Request, address, exchange
from samewire.process import RunFolder
from samewire.race import RaceError

UPLOADS, DOWNLOADS = "uploads", "downloads"

_EVERY_S = 0.25
_LONGEST_S = 120.0
"""Seconds after which they have moved enough files: a load is shorter."""
_TYPE = "multipart/form-data; boundary=b"
_OPENING = b'--b\r\nContent-Disposition: form-data; name="files[]"; filename="slow"\r\n\r\n'
_CLOSING = b"\r\n--b--\r\n"


@dataclass(frozen=True)
class Peers:
    """So many clients, each of which moves one file after the other, of `kib` KiB, at `kib_per_s` KiB in a second."""

    direction: str
    number: int
    kib: int
    kib_per_s: int

    def attack(self, file: str = "") -> Attack:
        """What they do all at once. `file` is the id of what they download."""
        piece = max(1, round(self.kib_per_s * 1024 * _EVERY_S))
        pieces = math.ceil(self.kib * 1024 / piece)
        files = math.ceil(_LONGEST_S / (pieces * _EVERY_S))
        steps = _upload(piece, pieces) if self.direction == UPLOADS else _download(file, piece, pieces)
        why = f"{self.direction} at {self.kib_per_s} KiB/s"
        # The kernel holds no more for a client than this, or it would take a file that nobody has read.
        buffer = piece if self.direction == DOWNLOADS else None
        return Attack("slow", "slow peers", why, self.number, tuple(steps) * files, receive_buffer=buffer)


def _upload(piece: int, pieces: int) -> list[Step]:
    length = len(_OPENING) + piece * pieces + len(_CLOSING)
    head = f"POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: {_TYPE}\r\nContent-Length: {length}\r\n\r\n"
    return [
        {"send": (head.encode() + _OPENING,)},
        {"drip": {"bytes": "x" * piece, "every": _EVERY_S, "times": pieces}},
        {"send": (_CLOSING,)},
        {"read": {"seconds": 10, "answers": 1}},
    ]


def _download(file: str, piece: int, pieces: int) -> list[Step]:
    # One more, for the head of the answer.
    sip = {"bytes": piece, "every": _EVERY_S, "times": pieces + 1}
    return [{"send": (f"GET /uploads/{file} HTTP/1.1\r\nHost: a\r\n\r\n".encode(),)}, {"sip": sip}]


class Beside:
    """A load generator beside which slow peers move files, as long as a load lasts."""

    def __init__(self, load: Any, peers: Peers, run: RunFolder) -> None:
        self._load, self._peers, self._run = load, peers, run

    def load(self, url: str, progress: Callable[[dict], None], scenario: int = 0, rate_per_s: float | None = None):
        """As that of the generator. Raises RaceError, too, if the peers do not begin, or end before the load does."""
        with _at_work(url, self._peers, self._run):
            return self._load.load(url, progress, scenario, rate_per_s)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load, name)


@contextlib.contextmanager
def _at_work(url: str, peers: Peers, run: RunFolder) -> Iterator[None]:
    log = run.folder("peers") / "log"
    argv = [sys.executable, "-m", __name__, url, json.dumps(asdict(peers))]
    with log.open("w") as errors:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
    run.record(process.pid)
    try:
        assert process.stdout
        if process.stdout.readline().strip() != "ready":
            raise RaceError(f"the slow peers did not begin:\n{log.read_text()[-2000:]}")
        yield
        if process.poll() is not None:
            raise RaceError(f"the slow peers ended before the load did:\n{log.read_text()[-2000:]}")
    finally:
        process.kill()
        process.communicate()


def _stored(url: str, kib: int) -> str:
    """The id of a file of that size, which is there to be downloaded from now on."""
    body = _OPENING + b"x" * (kib * 1024) + _CLOSING
    answer = exchange(url, Request("POST", "/uploads", (("Content-Type", _TYPE),), body), timeout=30)
    if answer.status != 201:
        raise SystemExit(f"no file can be stored to be downloaded: {answer.status} {answer.body[:500]!r}")
    return json.loads(answer.body)["files"][0]["id"]


def main(url: str, told: str) -> None:
    """Begin, say so, and go on until killed."""
    peers = Peers(**json.loads(told))
    file = _stored(url, peers.kib) if peers.direction == DOWNLOADS else ""
    print("ready", flush=True)
    host, port, _ = address(url)
    seen = clients.attack(SimpleNamespace(host=host, port=port), peers.attack(file))
    print(seen, file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
