"""The load generator: builds `bench/load`, runs it, and reads what it writes."""

import json
import random
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hdrh.histogram import HdrHistogram

from samewire import links
from samewire.build import run_command
from samewire.digests import digest_files, source_files
from samewire.locking import exclusive
from samewire.paths import BENCH, STATE
from samewire.process import RunFolder
from samewire.race import RaceError
from samewire.race.experiment import Lookups, Profile, Workload
from samewire.toolchains import jdk, maven, tool

MODULE = BENCH / "load"
NAME, VERSION = "Hyperfoil", "0.25.2"
_NEEDS = ("jdk", "maven")
_STAMP = STATE / "build" / "bench--load"


class GeneratorError(RaceError):
    """The generator did not start, or ended before its result was there; the message holds the end of its output."""


def build() -> Path:
    """The generator's jar, built when its files or tools have changed. Raises BuildError or ToolMissing."""
    jar = MODULE / "target/load.jar"
    with exclusive(_STAMP.with_suffix(".lock")):
        inputs = f"{digest_files(source_files(MODULE), MODULE)} jdk {jdk().version} maven {maven().version}"
        if not (jar.exists() and _STAMP.exists() and _STAMP.read_text() == inputs):
            run_command(["mvn", "-q", "-B", "-ntp", "-DskipTests", "clean", "package"], MODULE, _NEEDS)
            _STAMP.write_text(inputs)
    return jar


def lists(workload: Workload, profile: Profile, seed: int) -> list[list[tuple]]:
    """For each user a list of (path, right status[, method, body, headers]), as `bench/load` reads it."""
    if isinstance(workload, Lookups):
        return lookup_lists(workload, profile.links, seed)
    requests = [(one.path, one.status, one.method, one.body, one.headers) for one in workload.requests]
    return [requests] * workload.users


def lookup_lists(workload: Lookups, known: int, seed: int) -> list[list[tuple[str, int]]]:
    """For each user a list of (path, right status): hashes of the first `known` links and unknown ones, shuffled."""
    generator = random.Random(seed)
    unknown_each = round(workload.list_length * workload.unknown_share)
    known_each = workload.list_length - unknown_each
    positions = [[generator.randrange(known) for _ in range(known_each)] for _ in range(workload.users)]
    wanted = {position for chosen in positions for position in chosen}
    hashes = {position: hash_ for position, (hash_, _) in enumerate(links.links(known)) if position in wanted}
    unknown = iter(links.unknown_hashes(unknown_each * workload.users, seed))
    lists = []
    for chosen in positions:
        user = [(f"/{hashes[position]}", 301) for position in chosen]
        user += [(f"/{hash_}", 404) for hash_ in islice(unknown, unknown_each)]
        generator.shuffle(user)
        lists.append(user)
    return lists


def scenario(workload: Workload, profile: Profile, lists: Iterable[list[tuple]]) -> dict:
    """The scenario file of `bench/load`."""
    return {
        "warm_up_s": profile.warm_up_s,
        "ramp_up_s": profile.ramp_up_s,
        "hold_s": profile.hold_s,
        "ramp_down_s": profile.ramp_down_s,
        "timeout_s": workload.timeout_s,
        "lists": list(lists),
    }


@dataclass(frozen=True)
class Latency:
    """Latencies of right answers in milliseconds, from an HDR histogram of three digits; None without an answer."""

    mean: float | None
    sd: float | None
    min: float | None
    p50: float | None
    p90: float | None
    p99: float | None
    p999: float | None
    max: float | None

    def as_dict(self) -> dict[str, float | None]:
        """The latencies as run.json holds them."""
        return {("p99.9" if name == "p999" else name): value for name, value in vars(self).items()}


def latency(hdr: str) -> Latency:
    """The latencies in an encoded histogram of nanoseconds; the standard deviation is that of the samples."""
    histogram = HdrHistogram.decode(hdr)
    if not histogram.get_total_count():
        return Latency(*[None] * 8)
    figures = [
        histogram.get_mean_value(),
        histogram.get_stddev(),
        histogram.get_min_value(),
        *(histogram.get_value_at_percentile(percentile) for percentile in (50, 90, 99, 99.9)),
        histogram.get_max_value(),
    ]
    return Latency(*(figure / 1e6 for figure in figures))


class Generator:
    """The running generator: one process for all runs of a race, so that its code is compiled before figures count."""

    def __init__(self, jar: Path, content: dict, run: RunFolder) -> None:
        """It runs on the cores of the caller; `run` keeps its files and knows its process. Raises GeneratorError."""
        self._folder = run.folder("load")
        self._log = self._folder / "log"
        self._results = 0
        self._log_read = 0
        file = self._folder / "scenario.json"
        file.write_text(json.dumps(content, separators=(",", ":")))
        java = tool("jdk").path
        assert java
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(java / "bin/java"), "-XX:+UseSerialGC", "-Xms256m", "-Xmx1g", "-jar", str(jar), str(file)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1,
                start_new_session=True,
            )  # fmt: skip
        run.record(self.pid)
        self._read_until("ready", lambda line: None)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def load(self, url: str, progress: Callable[[dict], None]) -> dict:
        """Load the server at `url`; each line of progress goes to `progress`. Returns the result.

        Raises GeneratorError.
        """
        self._results += 1
        result = self._folder / f"result-{self._results}.json"
        assert self._process.stdin
        self._process.stdin.write(f"{url} {result}\n")
        self._read_until("done", progress)
        content = json.loads(result.read_text())
        result.unlink()
        return content

    def complaints(self) -> list[str]:
        """What it wrote on standard error since the last call, without what the JVM says of its own libraries."""
        with self._log.open(errors="replace") as log:
            log.seek(self._log_read)
            lines = log.read().splitlines()
            self._log_read = log.tell()
        return [line for line in lines if line.startswith(("WARN ", "ERROR ", "FATAL ", "Exception "))]

    def _read_until(self, stage: str, progress: Callable[[dict], None]) -> None:
        assert self._process.stdout
        for text in self._process.stdout:
            line = json.loads(text)
            if line.get("stage") == stage:
                return
            progress(line)
        status = self._process.wait()
        raise GeneratorError(f"the load generator ended with status {status}:\n{self._log.read_text()[-3000:]}")

    def close(self) -> None:
        """End it."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
