"""Linters and unit tests of every language, and a checkout without one of its servers."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from samewire.build import BuildError, build, inputs_digest, run_command
from samewire.checks.job import CORES, Check, Job, once, run_all
from samewire.digests import digest_files, source_files
from samewire.manifest import Kernel, Server, find_kernels, find_servers
from samewire.paths import BENCH, CHECKOUT, CONTRACTS, HARNESS, RESULTS, STATE
from samewire.race import generator
from samewire.settings import settings

_MAVEN_MODULES = (generator.REQUESTS, HARNESS / "databases/mongodb-stand-in")


def _manifest_job(name: str, server: Server, commands: Iterable[tuple[str, ...]]) -> Job:
    def run() -> None:
        build(server)
        for argv in commands:
            run_command(argv, server.folder, server.needs)

    return once(f"{name} {server.id}", inputs_digest(server), run)


def _kernel_job(name: str, kernel: Kernel, commands: Iterable[tuple[str, ...]]) -> Job:
    def run() -> None:
        for argv in commands:
            run_command(argv, kernel.folder, kernel.needs)

    # Its tests hold it to golden data of the contract.
    inputs = digest_files(source_files(kernel.folder) + source_files(CONTRACTS), CHECKOUT)
    return once(f"{name} {kernel.id}", inputs, run)


def _maven_job(name: str, module: Path, goal: str) -> Job:
    inputs = digest_files(source_files(module), module)
    argv = ["mvn", "-B", "-ntp", goal]
    return once(f"{name} {module.relative_to(CHECKOUT)}", inputs, lambda: run_command(argv, module, ["jdk", "maven"]))


def _chat_load_job(name: str, script: str) -> Job:
    module = generator.CHAT

    def run() -> None:
        generator.build(module)
        run_command(["npm", "run", "--silent", script], module, ["node"])

    return once(f"{name} {module.relative_to(CHECKOUT)}", digest_files(source_files(module), module), run)


def lint_all(console: Console) -> list[Check]:
    """Run the formatters and linters of every language: the harness's, and those that manifests name."""
    return run_all(console, lint_jobs())


def lint_jobs() -> list[Job]:
    """The formatters and linters, a job each."""
    ruff = [sys.executable, "-m", "ruff"]
    settings = ["--config", str(HARNESS / "pyproject.toml")]
    jobs: list[Job] = [
        Job("lint Python", lambda: run_command([*ruff, "check", *settings, "."], CHECKOUT, [])),
        Job("format Python", lambda: run_command([*ruff, "format", "--check", *settings, "."], CHECKOUT, [])),
    ]
    jobs += [_maven_job("lint", module, "spotless:check") for module in _MAVEN_MODULES]
    jobs.append(_chat_load_job("lint", "lint"))
    jobs += [_kernel_job("lint", kernel, kernel.lint) for kernel in find_kernels() if kernel.lint]
    return jobs + [_manifest_job("lint", server, server.lint) for server in find_servers() if server.lint]


def unit_test_jobs() -> list[Job]:
    """The unit tests of the harness, of the load generators, the shared kernels, and those that manifests name."""
    workers = f"-n{max(2, CORES)}"
    pytest = [sys.executable, "-m", "pytest", "-q", workers, "--dist=worksteal", str(HARNESS / "tests")]
    jobs: list[Job] = [Job("unit tests harness", lambda: run_command(pytest, HARNESS, []))]
    jobs += [_maven_job("unit tests", generator.REQUESTS, "test"), _chat_load_job("unit tests", "test")]
    jobs += [_kernel_job("unit tests", kernel, kernel.test) for kernel in find_kernels()]
    return jobs + [_manifest_job("unit tests", server, server.test) for server in find_servers() if server.test]


def delete_one_server(seed: int) -> None:
    """Nothing but its folder knows a server: in a copy without one that is drawn, all commands and cases still pass.

    The copy's files are hard links; what is installed and cached is used from here. Raises BuildError.
    """
    with tempfile.TemporaryDirectory(dir=STATE, prefix="copy-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(CHECKOUT, copy, copy_function=os.link, symlinks=True, ignore=_ignore_changing)
        for kept in ("toolchains", "cache", "setup", "build"):
            (copy / ".samewire").mkdir(exist_ok=True)
            (copy / ".samewire" / kept).symlink_to(STATE / kept)
        Path(folder).chmod(0o755)
        deleted = random.Random(seed).choice(find_servers())
        shutil.rmtree(copy / deleted.folder.relative_to(CHECKOUT))
        samewire = [sys.executable, "-m", "samewire.cli"]
        # Who else could miss it: the other servers of its service, and those that have it upstream.
        left = {server.service for server in find_servers(copy)}
        near = {deleted.service} | {one for one in left if any(s.service == deleted.service for s in settings(one))}
        verify = [*samewire, "verify", "--layer", "cases", "-k", "test_cases.py", *sorted(near & left)]
        for argv in ([*samewire, "list"], [*samewire, "idioms"], [*samewire, "site"], verify):
            environment = os.environ | {"SAMEWIRE_CHECKOUT": str(copy)}
            done = subprocess.run(argv, cwd=copy, env=environment, capture_output=True, text=True)
            if done.returncode:
                raise BuildError(f"without {deleted.id}: {' '.join(argv)}\n{done.stdout[-4000:]}{done.stderr[-2000:]}")


def _ignore_changing(folder: str, names: list[str]) -> set[str]:
    """What races and other commands write while the copy is made, and no command of it needs."""
    ignored = {".samewire"} if Path(folder) == CHECKOUT else {RESULTS.name} if Path(folder) == BENCH else set()
    return ignored | {"__pycache__"}
