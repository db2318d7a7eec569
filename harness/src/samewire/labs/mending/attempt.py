"""An attempt at such a lab: the copy, the runs of the suite, and the prediction; kept in a folder by its seed."""

import difflib
import json
import random
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from samewire.labs import LabError, NotFound
from samewire.labs.changes import Change, undo
from samewire.labs.live import Listener
from samewire.labs.mending.declaration import HIGHEST_SEED, Fault, Mending
from samewire.labs.mending.verification import GREEN, RED, Verdict, Verification
from samewire.labs.mending.workspace import Workspace, make
from samewire.labs.result import commit
from samewire.manifest import Server, find_servers
from samewire.paths import STATE
from samewire.race.machine import machine

ATTEMPTS = STATE / "labs"
_STATE, _CHECKOUT = "attempt.json", "checkout"
_SHOWN = ("at", "status", "seconds", "failures", "changed")


@dataclass
class Attempt:
    """A fault in a copy, and what a reader has done about it. `folder` keeps it: it can be gone on with later."""

    lab: Mending
    seed: int
    fault: Fault
    workspace: Workspace
    folder: Path
    started_at: str
    runs: list[dict[str, Any]] = field(default_factory=list)
    prediction: dict[str, str] | None = None
    output: str = ""

    @property
    def mended(self) -> bool:
        """Whether the suite was green when it ran last, on a copy that the reader has changed."""
        return bool(self.runs) and self.runs[-1]["status"] == GREEN and bool(self.runs[-1]["changed"])

    def predict(self, kind: str, file: str, why: str = "") -> None:
        """Keep what the reader expects: a kind of fault, and a file. Raises LabError if there is no such."""
        kinds = [one.name for one in self.lab.kinds]
        if kind not in kinds:
            raise LabError(f"{kind!r} is no kind of fault here; these are: {', '.join(kinds)}")
        if file not in self.workspace.files:
            raise LabError(f"{file!r} is none of the files; these are: {', '.join(self.workspace.files)}")
        self.prediction = {"kind": kind, "file": file, "why": why}
        self.save()

    def verification(self, listener: Listener = lambda event: None) -> Verification:
        """A run of the suite on the copy, yet to be run; what comes of it is for `add`."""
        return Verification(self.workspace, self.fault.layers, self.fault.tests, listener)

    def add(self, verdict: Verdict) -> None:
        """Keep what the suite has said."""
        told = asdict(verdict)
        self.output = told.pop("output")
        told["failures"] = list(told["failures"])
        self.runs.append(told | {"changed": bool(self.workspace.diff())})
        self.save()

    def mend(self) -> None:
        """Take the fault out, as a reader would. Raises LabError if its code is no longer there."""
        undo(self.fault.changes, self.workspace.folder)

    def save(self) -> None:
        """Write it to its folder."""
        told = {
            "lab": self.lab.name, "seed": self.seed, "fault": self.fault.name, "server": self.workspace.server,
            "files": self.workspace.files, "started_at": self.started_at, "runs": self.runs,
            "prediction": self.prediction, "output": self.output,
        }  # fmt: skip
        (self.folder / _STATE).write_text(json.dumps(told, ensure_ascii=False, indent=1))

    def shown(self) -> dict[str, Any]:
        """What a page may show of it: what the fault is, only when it is mended."""
        return {
            "seed": self.seed,
            "server": self.workspace.server,
            "folder": str(self.workspace.folder),
            "files": list(self.workspace.files),
            "runs": [{name: run[name] for name in _SHOWN} for run in self.runs],
            "output": self.output,
            "prediction": self.prediction,
            "hints": list(self.fault.hints) if any(run["status"] == RED for run in self.runs) else [],
            "result": self.result() if self.mended else None,
        }

    def result(self) -> dict[str, Any]:
        """What a page to hand in has: a dictionary that JSON can hold."""
        needs = [need for server in find_servers() if server.id == self.workspace.server for need in server.needs]
        return {
            "lab": self.lab.name,
            "title": self.lab.title,
            "question": self.lab.question,
            "started_at": self.started_at,
            "seed": self.seed,
            "commit": commit(),
            "machine": machine(needs),
            "server": self.workspace.server,
            "kind": self.fault.kind,
            "files": list(self.fault.files),
            "runs": self.runs,
            "prediction": self.prediction,
            "verdict": self._verdict(),
            "why": list(self.fault.why),
            "planted": planted(self.fault.changes),
            "diff": self.workspace.diff(),
            "next": list(self.lab.next),
        }

    def _verdict(self) -> str:
        runs, others = len(self.runs), sum(run["status"] != GREEN for run in self.runs)
        end = "The suite is green." if self.mended else "The suite is not green yet."
        told = [end, f"Runs of the suite: {runs}, and not green: {others}."]
        if guess := self.prediction:
            right = guess["kind"] == self.fault.kind
            told.append(
                f"You named the kind: {self.fault.kind}."
                if right
                else f"You expected: {guess['kind']}. It is: {self.fault.kind}."
            )
            told.append(
                f"You named the file, {guess['file']}."
                if guess["file"] in self.fault.files
                else f"You expected it in {guess['file']}. It is in {', '.join(self.fault.files)}."
            )
        return " ".join(told)


def planted(changes: Sequence[Change]) -> str:
    """What was planted, as a diff from what is right to what is wrong."""
    lines: list[str] = []
    for one in changes:
        right, wrong = one.right.splitlines(), one.wrong.splitlines()
        # Line numbers of a piece say nothing.
        told = [line for line in difflib.unified_diff(right, wrong, n=99, lineterm="") if not line.startswith("@@")]
        lines += [f"--- {one.file}, right", f"+++ {one.file}, wrong", *told[2:]]
    return "\n".join(lines) + "\n"


def begin(lab: Mending, seed: int | None = None, folder: Path = ATTEMPTS, servers: Sequence[Server] = ()) -> Attempt:
    """A new attempt, or the one of that seed that is not mended yet. A seed is drawn where none is given.

    Raises LabError if no fault can be planted here, BuildError or ToolMissing.
    """
    number = random.SystemRandom().randint(1, HIGHEST_SEED) if seed is None else seed
    if not 1 <= number <= HIGHEST_SEED:
        raise LabError(f"a seed is a number from 1 to {HIGHEST_SEED}, not {number}")
    place = folder / lab.name / str(number)
    if (place / _STATE).exists() and not (kept := find(lab, number, folder)).mended:
        return kept
    shutil.rmtree(place, ignore_errors=True)
    fault, server = lab.drawn(servers or find_servers(), number)
    workspace = make(place / _CHECKOUT, fault, server)
    attempt = Attempt(lab, number, fault, workspace, place, datetime.now(UTC).isoformat(timespec="seconds"))
    attempt.save()
    return attempt


def find(lab: Mending, seed: int, folder: Path = ATTEMPTS) -> Attempt:
    """The attempt of that seed. Raises NotFound, and LabError if it cannot be gone on with."""
    place = folder / lab.name / str(seed)
    try:
        told: Mapping[str, Any] = json.loads((place / _STATE).read_text())
    except FileNotFoundError:
        raise NotFound(f"{lab.name}: nothing was planted with the seed {seed}") from None
    workspace = Workspace(place / _CHECKOUT, told["server"], tuple(told["files"]))
    return Attempt(
        lab, seed, lab.fault(told["fault"]), workspace, place, told["started_at"], told["runs"], told["prediction"],
        told["output"],
    )  # fmt: skip


def newest(lab: Mending, folder: Path = ATTEMPTS) -> Attempt | None:
    """The attempt that was touched last, if it is not mended yet."""
    places = sorted((folder / lab.name).glob(f"*/{_STATE}"), key=lambda path: path.stat().st_mtime)
    if not places:
        return None
    try:
        attempt = find(lab, int(places[-1].parent.name), folder)
    except LabError:
        return None
    return None if attempt.mended else attempt
