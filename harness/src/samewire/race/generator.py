"""The load generators: builds `bench/load` and `bench/load-chat`, runs them, and reads what they write."""

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from samewire.build import run_command
from samewire.digests import digest_files, source_files
from samewire.locking import exclusive
from samewire.paths import BENCH, STATE
from samewire.process import RunFolder
from samewire.race import RaceError
from samewire.race.workloads import Workload
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
    return BENCH / workload.generator


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


class Generator:
    """The running generator: one process for all runs of a race, so that its code is compiled before figures count."""

    def __init__(self, program: Program, contents: Sequence[dict], run: RunFolder) -> None:
        """It has these scenarios and runs on the cores of the caller; `run` keeps its files and knows its process.

        Raises GeneratorError.
        """
        self._folder = run.folder("load")
        self._log = self._folder / "log"
        self._results = 0
        self.operations: Path | None = None
        """The log of the last load's operations, where the generator writes one; the next load deletes it."""
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

    def load(
        self, url: str, progress: Callable[[dict], None], scenario: int = 0, rate_per_s: float | None = None
    ) -> dict:
        """Load the server at `url` with a scenario; each line of progress goes to `progress`. Returns the result.

        With a rate, requests are sent in turn, at that rate.

        Raises GeneratorError.
        """
        if self.operations:
            self.operations.unlink(missing_ok=True)
        self._results += 1
        result = self._folder / f"result-{self._results}.json"
        assert self._process.stdin
        number = f" {scenario}" if scenario or rate_per_s else ""
        rate = f" {rate_per_s:.3f}" if rate_per_s else ""
        self._process.stdin.write(f"{url} {result}{number}{rate}\n")
        self._read_until("done", progress)
        content = json.loads(result.read_text())
        result.unlink()
        operations = Path(f"{result}.operations.csv.gz")
        self.operations = operations if operations.exists() else None
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
