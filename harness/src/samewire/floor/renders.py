"""What a picture costs each raytracer, and how long others wait meanwhile."""

import statistics
import threading
import time
import urllib.request
from collections.abc import Sequence

from samewire.floor.bench import Bench
from samewire.floor.programs import FloorError
from samewire.manifest import Server
from samewire.race.sampler import Sampler
from samewire.race.snapshots import Window

PICTURE = "/render?width=640&height=480&depth=5"
PICTURES = 5
"""How many of them one client asks for in a round, after as many that are not counted."""


def measure_renders(bench: Bench, entrants: Sequence[tuple[Server, str | None]]) -> list[dict]:
    """For each server and variant, a figure for each round, in ms: CPU and time of a picture, wait of /healthz."""
    figures_of = ("cpu_ms", "picture_ms", "wait_ms", "wait_max_ms")
    rows: dict[tuple[str, str | None], dict] = {
        (server.id, variant): {"server": server.id, "variant": variant} | {name: [] for name in figures_of}
        for server, variant in entrants
    }
    for number in range(1, bench.profile.rounds + 1):
        for server, variant in bench.draw.sample(entrants, len(entrants)):
            name = f"{server.id} {variant or ''}"
            with bench.console.status(f"round {number} of {bench.profile.rounds}: {name}"):
                figures = _pictures(bench, server, variant)
            for key, figure in figures.items():
                rows[server.id, variant][key].append(figure)
            bench.console.print(
                f"round {number}: {name}: {figures['picture_ms']:.1f} ms a picture, "
                f"/healthz waits {figures['wait_ms']:.1f} ms",
                highlight=False,
            )
    return list(rows.values())


def _pictures(bench: Bench, server: Server, variant: str | None) -> dict[str, float]:
    with bench.server(server, variant=variant) as running:
        url = running.target.url
        for _ in range(PICTURES):
            _timed(url + PICTURE)
        sampler = Sampler({"server": running.pid}, running.target.port, None)
        waits: list[float] = []
        done = threading.Event()

        def ask_healthz() -> None:
            while not done.wait(0.01):
                waits.append(_timed(f"{url}/healthz"))

        meanwhile = threading.Thread(target=ask_healthz)
        meanwhile.start()
        before = sampler.snapshot()
        times = [_timed(url + PICTURE) for _ in range(PICTURES)]
        window = Window(before, sampler.snapshot())
        done.set()
        meanwhile.join()
    cores = window.cpu_rate("server")
    assert cores is not None
    return {
        "cpu_ms": cores * window.seconds / PICTURES * 1e3,
        "picture_ms": statistics.median(times) * 1e3,
        "wait_ms": statistics.median(waits) * 1e3,
        "wait_max_ms": max(waits) * 1e3,
    }


def _timed(url: str) -> float:
    """Seconds until the whole answer of a GET was there. Raises FloorError if it is no 200."""
    began = time.monotonic()
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            answer.read()
    except OSError as error:
        raise FloorError(f"GET {url}: {error}") from error
    return time.monotonic() - began
