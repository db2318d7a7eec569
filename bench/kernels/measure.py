"""Processor time of the raytracer's kernels, in every language that has one, beside the reference program in C.

    .samewire/venv/bin/python bench/kernels/measure.py [--rounds 16] [--json FILE] [WIDTH HEIGHT DEPTH]

Every program renders the same picture again and again in one process: first to warm up, then measured, each round by
the processor's clock of the thread that renders. The processes take turns, so that all see the same machine. The table
has the median of the rounds, the best one, and the median's ratio to C at -O2. Every program also says what it
rendered: a digest that is not that of C is an error.
"""

import argparse
import hashlib
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from samewire.toolchains import environment, missing

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
TURNS = 3
"""Processes for each program."""


@dataclass(frozen=True)
class Program:
    """One kernel. `prepare` builds into a folder and says how to run what it built."""

    name: str
    needs: tuple[str, ...]
    prepare: Callable[[Path, dict[str, str]], list[str]]


def run(argv: list, env: dict[str, str], **options) -> str:
    """The output of a command; its own messages are shown if it fails."""
    return subprocess.run(
        [str(word) for word in argv], env=env, check=True, text=True, stdout=subprocess.PIPE, **options
    ).stdout


def c(folder: Path, env: dict[str, str]) -> list[str]:
    """gcc at -O2, without fused multiply-add."""
    run(["gcc", "-std=c11", "-O2", "-ffp-contract=off", "-o", folder / "raytracer", HERE / "raytracer.c", "-lm"], env)
    return [str(folder / "raytracer")]


def java(folder: Path, env: dict[str, str]) -> list[str]:
    """The class and its rounds, compiled by javac."""
    source = CHECKOUT / "servers-java/_shared/raytracer/src/main/java/org/samewire/raytracer/Raytracer.java"
    run(["javac", "--release", "17", "-d", folder, source, HERE / "Rounds.java"], env)
    return ["java", "-XX:+UseSerialGC", "-cp", str(folder), "Rounds"]


def scala(folder: Path, env: dict[str, str]) -> list[str]:
    """Built by Maven where it is; measured by the same rounds as Java's class."""
    kernel = CHECKOUT / "servers-scala/_shared/raytracer"
    run(["mvn", "-B", "-ntp", "-q", "-DskipTests", "compile"], env, cwd=kernel)
    classes = kernel / "target/classes"
    run(["javac", "--release", "17", "-cp", classes, "-d", folder, HERE / "Rounds.java"], env)
    return ["java", "-XX:+UseSerialGC", "-cp", f"{classes}:{folder}:{_scala_library(kernel)}", "Rounds"]


def _scala_library(kernel: Path) -> Path:
    version = (kernel / "pom.xml").read_text().partition("<scala.version>")[2].partition("<")[0]
    name = f"scala-library-{version}.jar"
    return Path.home() / ".m2/repository/org/scala-lang/scala-library" / version / name


def typescript(folder: Path, env: dict[str, str]) -> list[str]:
    """Node runs it as it is."""
    return ["node", str(HERE / "rounds.mts")]


def php(folder: Path, env: dict[str, str]) -> list[str]:
    """With opcache's tracing JIT, as servers have it."""
    jit = ["-d", "opcache.enable_cli=1", "-d", "opcache.jit=tracing", "-d", "opcache.jit_buffer_size=64M"]
    return ["php8.2", *jit, str(HERE / "rounds.php")]


def php_without_jit(folder: Path, env: dict[str, str]) -> list[str]:
    """As PHP comes."""
    return ["php8.2", "-d", "opcache.enable_cli=1", "-d", "opcache.jit=disable", str(HERE / "rounds.php")]


PROGRAMS = (
    Program("C, gcc -O2", (), c),
    Program("Java", ("jdk",), java),
    Program("Scala", ("jdk", "maven"), scala),
    Program("TypeScript", ("node",), typescript),
    Program("PHP, JIT", ("apache-php",), php),
    Program("PHP", ("apache-php",), php_without_jit),
)


def measure(size: list[int], rounds: int) -> dict:
    """What is printed and written."""
    seconds: dict[str, list[float]] = {}
    digests: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        prepared = []
        for number, program in enumerate(PROGRAMS):
            if lacking := [tool.hint for tool in missing(program.needs)]:
                print(f"{program.name}: left out; {', '.join(lacking)}", file=sys.stderr)
                continue
            folder = Path(scratch) / str(number)
            folder.mkdir()
            env = environment(program.needs)
            prepared.append((program, env, program.prepare(folder, env)))
        for _ in range(TURNS):
            for program, env, argv in prepared:
                print(".", end="", flush=True, file=sys.stderr)
                if program.prepare is c:
                    times = run([*argv, *size, "--rounds", rounds], env).split()
                    pixels = subprocess.run([*argv, *map(str, size)], check=True, stdout=subprocess.PIPE).stdout
                    digest = hashlib.sha256(pixels).hexdigest()
                else:
                    digest, *times = run([*argv, *size, rounds], env).split()
                # The first half warms up.
                seconds.setdefault(program.name, []).extend(map(float, times[len(times) // 2 :]))
                digests.setdefault(program.name, set()).add(digest)
        print(file=sys.stderr)
    reference = PROGRAMS[0].name
    wrong = [name for name, found in digests.items() if found != digests[reference]]
    if wrong:
        raise SystemExit(f"not the pixels of {reference}: {', '.join(wrong)}")
    base = statistics.median(seconds[reference])
    kernels = [
        {
            "kernel": name,
            "median_s": statistics.median(times),
            "best_s": min(times),
            "rounds": len(times),
            "ratio_to_c": statistics.median(times) / base,
        }
        for name, times in seconds.items()
    ]
    size_named = dict(zip(("width", "height", "depth"), size, strict=True))
    return {**size_named, "sha256": digests[reference].pop(), "machine": platform.machine(), "kernels": kernels}


def main() -> None:
    """Measure, print a table, write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", nargs="*", type=int, default=[640, 480, 5], metavar="WIDTH HEIGHT DEPTH")
    parser.add_argument("--rounds", type=int, default=16, help="pictures per process; the first half warms up")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    given = parser.parse_args()
    if len(given.size) != 3:
        parser.error("WIDTH HEIGHT DEPTH")
    if not shutil.which("gcc"):
        parser.error("gcc is missing: apt-get install gcc")
    found = measure(given.size, given.rounds)
    print(f"{'kernel':<12} {'median':>10} {'best':>10} {'to C':>7}")
    for one in found["kernels"]:
        times = f"{1000 * one['median_s']:>7.1f} ms {1000 * one['best_s']:>7.1f} ms"
        print(f"{one['kernel']:<12} {times} {one['ratio_to_c']:>6.2f}×")
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
