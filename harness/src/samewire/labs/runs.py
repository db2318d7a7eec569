"""Labs that are run for a page: one at a time, each in a thread, with its events kept for who listens."""

import itertools
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from samewire.build import BuildError
from samewire.databases import DatabaseError
from samewire.labs import LabError
from samewire.labs.lab import Lab
from samewire.labs.live import Listener
from samewire.labs.result import Guess, result, write
from samewire.labs.session import Ran, Session, Stopped, Wish
from samewire.manifest import find_servers
from samewire.process import StartError
from samewire.race import RaceError
from samewire.toolchains import ToolMissing

FAILURES = (BuildError, DatabaseError, LabError, RaceError, StartError, ToolMissing)
"""What may go wrong in a lab; the message of each says what to do."""


class Work(Protocol):
    """What one waits for, or stops."""

    def run(self) -> Any:
        """Do it. Raises Stopped, or one of FAILURES."""

    def stop(self) -> None:
        """End it as soon as may be."""


class Busy(LabError):
    """Another lab is running."""


@dataclass
class LabRun:
    """A lab that runs, or has run: its events in order, and its result when it is over."""

    number: int
    events: list[Mapping[str, Any]] = field(default_factory=list)
    found: Mapping[str, Any] | None = None
    over: bool = False

    def tell(self, event: Mapping[str, Any]) -> None:
        """Keep an event; from any thread."""
        self.events.append(event)


class Runs:
    """All runs of this process."""

    def __init__(self) -> None:
        self._runs: dict[int, LabRun] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._work: Work | None = None
        self._thread: threading.Thread | None = None

    def get(self, number: int) -> LabRun | None:
        """The run of that number."""
        return self._runs.get(number)

    def start(self, lab: Lab, knobs: Mapping[str, str], guess: Guess | None, *, small: bool = False) -> LabRun:
        """Begin to run a lab. Raises Busy while another runs, LabError if it cannot run."""
        values = lab.values(knobs, small=small)
        trials, left_out = lab.trials(find_servers(), values, small=small)
        if guess and guess.best not in [trial.label for trial in trials]:
            raise LabError(f"{lab.name}: the prediction names {guess.best!r}, which does not take part")
        wish = Wish(lab, values, random.SystemRandom().randrange(2**32), small)

        def told(run: LabRun, ran: Ran) -> Mapping[str, Any]:
            run.found = result(ran, guess)
            return {"event": "result", "result": run.found, "file": str(write(run.found))}

        return self.begin(lambda listener: Session(wish, trials, left_out, listener), told)

    def begin(self, make: Callable[[Listener], Work], told: Callable[[LabRun, Any], Mapping[str, Any]]) -> LabRun:
        """Begin with what `make` makes; `told` turns what comes of it into the last event. Raises Busy."""
        with self._lock:
            if self._thread and self._thread.is_alive():
                raise Busy("another lab is running: wait for its end, or stop it")
            run = LabRun(next(self._numbers))
            self._runs[run.number] = run
            self._work = work = make(run.tell)
            self._thread = threading.Thread(target=self._run, args=(run, work, told), name="lab")
            self._thread.start()
        return run

    def _run(self, run: LabRun, work: Work, told: Callable[[LabRun, Any], Mapping[str, Any]]) -> None:
        try:
            run.tell(told(run, work.run()))
        except Stopped:
            run.tell({"event": "failed", "problem": "stopped"})
        except FAILURES as error:
            run.tell({"event": "failed", "problem": str(error)})
        except Exception as error:
            # The page must hear of it; the traceback goes to the terminal.
            run.tell({"event": "failed", "problem": f"a fault of ours: {error!r}"})
            raise
        finally:
            run.over = True

    def stop(self, number: int) -> None:
        """End the run of that number, if it is the one that runs."""
        run = self._runs.get(number)
        if self._work and run and not run.over:
            self._work.stop()

    def close(self) -> None:
        """End what runs, and wait until nothing of it is left."""
        if self._work:
            self._work.stop()
        if self._thread:
            self._thread.join()
