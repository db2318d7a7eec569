"""The load generators: builds `bench/load` and `bench/load-chat`, runs them, and reads what they write."""

import json
import math
import random
import subprocess
from collections.abc import Callable, Iterable, Sequence
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
from samewire.race import RaceError, uploads
from samewire.race.experiment import Conversation, Lookups, Profile, Requests, Uploads, Workload
from samewire.toolchains import TOOLS, tool

REQUESTS, CHAT = BENCH / "load", BENCH / "load-chat"
MODULES = REQUESTS, CHAT
_BUILDS: dict[Path, tuple[tuple[str, ...], list[str]]] = {
    REQUESTS: (("jdk", "maven"), ["mvn", "-B", "-ntp", "-DskipTests", "clean", "package"]),
    CHAT: (("node",), ["npm", "ci", "--no-audit", "--no-fund"]),
}


class GeneratorError(RaceError):
    """The generator did not start, or ended before its result was there; the message holds the end of its output."""


@dataclass(frozen=True)
class Program:
    """A load generator that is built: its command, what a record calls it, and the toolchains that it runs on."""

    argv: tuple[str, ...]
    name: str
    version: str
    needs: tuple[str, ...]


def folder(workload: Workload) -> Path:
    """Where the sources of the generator of such a workload are."""
    return CHAT if isinstance(workload, Conversation) else REQUESTS


def _artefact(module: Path) -> Path:
    return module / ("node_modules/.package-lock.json" if module == CHAT else "target/load.jar")


def _stamp(module: Path) -> Path:
    return STATE / "build" / f"bench--{module.name}"


def _inputs(module: Path) -> str:
    tools = " ".join(f"{need} {TOOLS[need]().version}" for need in _BUILDS[module][0])
    return f"{digest_files(source_files(module), module)} {tools}"


def is_built(module: Path) -> bool:
    """Whether the last build of a folder's generator is of its files and tools as they are now."""
    stamp = _stamp(module)
    return _artefact(module).exists() and stamp.exists() and stamp.read_text() == _inputs(module)


def build(module: Path = REQUESTS) -> Program:
    """The generator of a folder, built if it is not. Raises BuildError or ToolMissing."""
    needs, argv = _BUILDS[module]
    with exclusive(_stamp(module).with_suffix(".lock")):
        if not is_built(module):
            run_command(argv, module, needs)
            _stamp(module).write_text(_inputs(module))
    path = tool(needs[0]).path
    assert path
    if module == CHAT:
        client = "socket.io-client"
        version = json.loads((module / "package.json").read_text())["dependencies"][client]
        return Program((str(path), str(module / "src/main.ts")), client, version, needs)
    java = (str(path / "bin/java"), "-XX:+UseSerialGC", "-Xms256m", "-Xmx1g", "-jar", str(_artefact(module)))
    return Program(java, "Hyperfoil", "0.25.2", needs)


def scenarios(workload: Workload, profile: Profile, seed: int) -> list[dict]:
    """The scenario files of the generator, with what the users do drawn by the seed; one but of uploads."""
    if isinstance(workload, Uploads):
        return uploads.scenarios(workload, profile, seed)
    times = {
        "warm_up_s": profile.warm_up_s,
        "ramp_up_s": profile.ramp_up_s,
        "hold_s": profile.hold_s,
        "ramp_down_s": profile.ramp_down_s,
        "timeout_s": workload.timeout_s,
    }
    if isinstance(workload, Conversation):
        pace = {"message_every_s": workload.message_every_s, "poll_every_s": workload.poll_every_s}
        return [times | pace | {"users": speakers(workload, profile, seed)}]
    return [times | {"lists": lists(workload, profile, seed)}]


def speakers(workload: Conversation, profile: Profile, seed: int) -> list[dict]:
    """For each user the lengths of its messages, and how far into its pauses it begins, as `bench/load-chat` reads it.

    Who all came in step would also send in step.
    """
    generator = random.Random(seed)
    stay_s = profile.ramp_up_s + profile.hold_s + profile.ramp_down_s
    messages = math.ceil(stay_s / workload.message_every_s) + 1
    return [
        {
            "lengths": [generator.randint(1, workload.longest_text) for _ in range(messages)],
            "message_phase": generator.random(),
            "poll_phase": generator.random(),
        }
        for _ in range(workload.users)
    ]


def lists(workload: Lookups | Requests, profile: Profile, seed: int) -> list[list[tuple]]:
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


def merged(hdrs: Iterable[str]) -> str:
    """The encoded sum of encoded histograms, of which there is at least one."""
    first, *others = map(HdrHistogram.decode, hdrs)
    for other in others:
        first.add(other)
    return first.encode().decode()


class Generator:
    """The running generator: one process for all runs of a race, so that its code is compiled before figures count."""

    def __init__(self, program: Program, contents: Sequence[dict], run: RunFolder) -> None:
        """It has these scenarios and runs on the cores of the caller; `run` keeps its files and knows its process.

        Raises GeneratorError.
        """
        self._folder = run.folder("load")
        self._log = self._folder / "log"
        self._results = 0
        self._log_read = 0
        files = [self._folder / f"scenario-{number}.json" for number in range(len(contents))]
        for file, content in zip(files, contents, strict=True):
            file.write_text(json.dumps(content, separators=(",", ":")))
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*program.argv, *map(str, files)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1,
                start_new_session=True,
            )  # fmt: skip
        run.record(self.pid)
        self._read_until("ready", lambda line: None)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def load(self, url: str, progress: Callable[[dict], None], scenario: int = 0) -> dict:
        """Load the server at `url` with a scenario; each line of progress goes to `progress`. Returns the result.

        Raises GeneratorError.
        """
        self._results += 1
        result = self._folder / f"result-{self._results}.json"
        assert self._process.stdin
        # `bench/load-chat` has one scenario and knows of no number.
        number = f" {scenario}" if scenario else ""
        self._process.stdin.write(f"{url} {result}{number}\n")
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
