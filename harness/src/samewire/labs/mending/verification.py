"""The suite, run on a reader's copy: green, or red with the tests that fail, or a copy that does not run at all."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from samewire.labs import LabError
from samewire.labs.copies import OFFLINE
from samewire.labs.live import Listener
from samewire.labs.mending.workspace import Workspace
from samewire.labs.session import Stopped
from samewire.outcomes import OUTCOMES
from samewire.paths import CHECKOUT, CONTRACTS

GREEN, RED, BROKEN = "green", "red", "broken"

_FAILED = 1
_OUTCOMES = OUTCOMES.relative_to(CHECKOUT)
_MOST_OUTPUT = 60_000
_NODE = re.compile(r"(?P<module>[^:\s]+\.py)::(?P<test>\w+)(?:\[(?P<parameter>.*?)\])?: (?P<message>.*)", re.DOTALL)


@dataclass(frozen=True)
class Failure:
    """A test that failed: its module and name, what it is about, and the first line of what was wrong."""

    module: str
    test: str
    about: str
    message: str


@dataclass(frozen=True)
class Verdict:
    """What the suite says of a copy: `status` is green, red, or broken: it did not build, or did not start.

    `output` is what the suite printed, its end if that was much.
    """

    at: str
    status: str
    seconds: float
    failures: tuple[Failure, ...]
    output: str


class Verification:
    """A run of the suite. `listener` is told of its progress."""

    def __init__(
        self, workspace: Workspace, layers: Sequence[str], tests: str, listener: Listener = lambda event: None
    ) -> None:
        self._workspace, self._tell = workspace, listener
        self._argv = [sys.executable, "-m", "samewire.cli", "verify", workspace.server]
        self._argv += [f"--layer={layer}" for layer in layers] + ["-k", tests]
        self._stopped = False
        self._process: subprocess.Popen[str] | None = None

    def run(self) -> Verdict:
        """Run the suite to its end. Raises LabError if it cannot judge, Stopped if it was stopped."""
        checkout, began, at = self._workspace.checkout, time.monotonic(), datetime.now(UTC)
        self._tell({"event": "state", "text": f"building {self._workspace.server}, then running the suite on it"})
        # The suite has its own toolchains, state and servers there: those of the copy.
        environment = os.environ | OFFLINE | {"SAMEWIRE_CHECKOUT": str(checkout), "COLUMNS": "100"}
        (checkout / _OUTCOMES).unlink(missing_ok=True)
        self._process = subprocess.Popen(
            self._argv, cwd=checkout, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        if self._stopped:
            self.stop()
        try:
            output, _ = self._process.communicate()
        except KeyboardInterrupt:
            self._interrupt()
            raise
        if self._stopped:
            raise Stopped
        if self._process.returncode not in (0, _FAILED):
            raise LabError(f"the suite cannot judge the copy in {checkout}:\n{output[-2000:].strip()}")
        failures = _failures(_outcomes(checkout), checkout, self._workspace.server)
        status = GREEN if self._process.returncode == 0 else RED if failures else BROKEN
        seconds = round(time.monotonic() - began, 1)
        return Verdict(at.isoformat(timespec="seconds"), status, seconds, failures, output[-_MOST_OUTPUT:])

    def stop(self) -> None:
        """End it as soon as may be."""
        self._stopped = True
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def _interrupt(self) -> None:
        """The suite stops what it has started; Ctrl-C on a terminal has reached it already."""
        assert self._process
        self._process.send_signal(signal.SIGINT)
        self._process.wait()


def _outcomes(checkout: Path) -> Sequence[str]:
    """The failures that the suite has kept in the checkout, a line each."""
    try:
        kept: Mapping[str, Any] = json.loads((checkout / _OUTCOMES).read_text())
    except (OSError, ValueError):
        return []
    return kept["failures"]


def _failures(lines: Sequence[str], checkout: Path, server: str) -> tuple[Failure, ...]:
    found = [match for line in lines if (match := _NODE.fullmatch(line))]
    failures = []
    for one in found:
        example = (one["parameter"] or "").replace(server, "").strip("-")
        about = _about(checkout / CONTRACTS.name / one["module"], one["test"], example)
        failures.append(Failure(one["module"], one["test"], about, one["message"]))
    return tuple(failures)


def _about(module: Path, test: str, example: str) -> str:
    """What a test says of itself, and which of several examples it is."""
    try:
        tree = ast.parse(module.read_text())
    except (OSError, SyntaxError):
        return example
    named = next((one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == test), None)
    said = (ast.get_docstring(named) or "").partition("\n\n")[0] if named else ""
    return f"{said} ({example})" if said and example else said or example
