"""The declaration of a lab: `bench/labs/NAME.toml`, checked against a schema.

A lab is a small experiment: its trials are servers, or programs of its own, under a load, and its figures are those of
races.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from samewire.labs import LabError, NotFound
from samewire.labs.changes import Change
from samewire.labs.peers import Peers
from samewire.labs.programs import LABS, find_programs
from samewire.manifest import Server
from samewire.race import experiment as experiments
from samewire.race.entrants import Entrant, Selector
from samewire.race.experiment import Experiment
from samewire.race.metrics import METRICS
from samewire.race.profile import Profile
from samewire.toolchains import missing

_KNOB = re.compile(r"\$\{?([a-z_]+)\}?")
_SMALL = {
    "rounds": 1, "settle_s": 0.2, "warm_up_s": 0.0, "ramp_up_s": 0.2, "hold_s": 1.2, "ramp_down_s": 0.2,
    "steady_within_s": 0.0,
}  # fmt: skip
"""Seconds, one round, cold servers: shows that a lab works; its figures mean nothing."""
_SMALL_RATE = 50.0
_PARTS = "workload", "profile", "placement", "database", "peers"

Value = int | float | str


@dataclass(frozen=True)
class Knob:
    """Something that the reader may change: one of `values`. `small` is what it is in a lab in small."""

    name: str
    label: str
    values: tuple[Value, ...]
    default: Value
    small: Value


@dataclass(frozen=True)
class Subject:
    """Servers that a lab compares with others: those that `select` means, with these changes to the lab's load.

    `steps` are those of the lab, if it has none of its own. What is `planted` in its code is wrong on purpose.
    """

    label: str
    select: Selector
    steps: tuple[str, ...]
    env: Mapping[str, str]
    changes: Mapping[str, Mapping[str, Any]]
    planted: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Prediction:
    """What the reader is asked before anything runs: in which trial a metric is lowest or highest, and how far."""

    question: str
    metric: str
    best: str


@dataclass(frozen=True)
class Reason:
    """A sentence that says why, and the metric that shows it."""

    text: str
    metric: str


@dataclass(frozen=True)
class Next:
    """What to change next: a knob, or lines of code of a step."""

    text: str
    knobs: Mapping[str, Value]
    step: str


@dataclass(frozen=True)
class Trial:
    """One server under one load, as a lab compares it with others; `steps` are names of regions of its code.

    What is `planted` in that is wrong on purpose. `peers` are slow clients beside the load.
    """

    label: str
    entrant: Entrant
    experiment: Experiment
    profile: Profile
    env: Mapping[str, str]
    database_delay_s: float
    steps: tuple[str, ...]
    planted: tuple[Change, ...] = ()
    peers: Peers | None = None


@dataclass(frozen=True)
class Lab:
    """A lab. `fresh`: each run has a process of its own, which is measured as it comes up.

    `service` is empty where programs of its own take part.
    """

    name: str
    title: str
    question: str
    about: str
    service: str
    minutes: int
    model_pages: tuple[str, ...]
    fresh: bool
    subjects: tuple[Subject, ...]
    knobs: tuple[Knob, ...]
    prediction: Prediction
    charts: tuple[str, ...]
    reasons: tuple[Reason, ...]
    next: tuple[Next, ...]
    load: Mapping[str, Mapping[str, Any]]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The keys of the metrics that its result shows, that of the prediction first."""
        return tuple(dict.fromkeys((self.prediction.metric, *(one.metric for one in self.reasons))))

    def values(self, given: Mapping[str, str] | None = None, *, small: bool = False) -> dict[str, Value]:
        """The value of each knob: as given, in words, or its default. Raises LabError."""
        values = {one.name: one.small if small else one.default for one in self.knobs}
        for name, word in (given or {}).items():
            knob = next((one for one in self.knobs if one.name == name), None)
            if not knob:
                raise LabError(f"{self.name} has no knob {name!r}; it has: {', '.join(values) or 'none'}")
            chosen = next((value for value in knob.values if str(value) == str(word)), None)
            if chosen is None:
                known = ", ".join(map(str, knob.values))
                raise LabError(f"{self.name}: the knob {name} cannot be {word!r}; it can be: {known}")
            values[name] = chosen
        return values

    def trials(
        self, servers: Sequence[Server], values: Mapping[str, Value], *, small: bool = False
    ) -> tuple[list[Trial], list[str]]:
        """The trials with the knobs at these values, and why subjects are left out.

        Raises LabError if fewer than two are left.
        """
        trials, left_out = [], []
        for subject in self.subjects:
            found = self._entrants(subject, servers)
            if not found:
                left_out.append(f"{subject.label}: no server of this checkout is one")
            elif lacking := [tool.name for tool in missing(found[0].server.needs)]:
                left_out.append(f"{subject.label}: {found[0].server.id} needs {', '.join(lacking)}")
            else:
                trials.append(self._trial(subject, found[0], values, small=small))
        if len(trials) < 2:
            raise LabError("\n".join([f"{self.name}: a lab needs two servers to compare.", *left_out]))
        return trials, left_out

    def among(self, servers: Iterable[Server]) -> list[Server]:
        """Those that may take part: of these servers the ones of its service, or its own programs."""
        return [one for one in servers if one.service == self.service] if self.service else [*find_programs(self.name)]

    def _entrants(self, subject: Subject, servers: Sequence[Server]) -> list[Entrant]:
        """The entrants that a subject means; where it does not say a variant, servers as they are."""
        among = [Entrant(one, variant) for one in self.among(servers) for variant in ("", *one.variants)]
        says_variant = any(name == "variant" for name, _ in subject.select.fields)
        return [one for one in among if (says_variant or not one.variant) and subject.select.matches(one)]

    def _trial(self, subject: Subject, entrant: Entrant, values: Mapping[str, Value], *, small: bool) -> Trial:
        content = {
            part: _with_knobs({**self.load.get(part, {}), **subject.changes.get(part, {})}, values) for part in _PARTS
        }
        profile = dict(content["profile"])
        if small:
            profile |= _SMALL
            if profile.pop("cpu_share", None):
                profile["rate_per_s"] = _SMALL_RATE
        try:
            experiment = experiments.read(
                self.name,
                {
                    "title": self.title,
                    "service": self.service,
                    "study": {"title": "A lab", "note": self.about, "published": []},
                    "placement": {"server_cores": 1} | content["placement"],
                    "workload": content["workload"],
                    "profiles": dict.fromkeys(experiments.PROFILES, {"practice": False} | profile),
                    "findings": [],
                },
                path_of(self.name),
            )
        except experiments.ExperimentError as error:
            raise LabError(str(error)) from error
        env = {name: str(value) for name, value in _with_knobs(subject.env, values).items()}
        delay_s = content["database"].get("delay_ms", 0) / 1000
        quick = experiment.profile("quick")
        peers = Peers(**content["peers"]) if content["peers"] else None
        with_env = replace(experiment, settings=env)
        return Trial(subject.label, entrant, with_env, quick, env, delay_s, subject.steps, subject.planted, peers)


def _with_knobs(told: Any, values: Mapping[str, Value]) -> Any:
    """The same with the values of knobs in the place of `$name`: a number where that is all of a string."""
    if isinstance(told, Mapping):
        return {name: _with_knobs(one, values) for name, one in told.items()}
    if isinstance(told, list):
        return [_with_knobs(one, values) for one in told]
    if not isinstance(told, str):
        return told
    if (whole := _KNOB.fullmatch(told)) and whole[1] in values:
        return values[whole[1]]
    return _KNOB.sub(lambda found: str(values.get(found[1], found[0])), told)


def path_of(name: str) -> Path:
    """The file of a lab."""
    return LABS / f"{name}.toml"


def find_labs(folder: Path = LABS) -> list[str]:
    """The names of all labs."""
    return sorted(path.stem for path in folder.glob("*.toml"))


@cache
def _validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((LABS / "lab.schema.json").read_text()))


def load(name: str, folder: Path = LABS) -> Lab:
    """The lab of that name. Raises LabError with every problem of its file."""
    path = folder / f"{name}.toml"
    if not re.fullmatch("[a-z0-9-]+", name) or not path.exists():
        raise NotFound(f"no lab is called {name!r}; there are: {', '.join(find_labs(folder))}")
    try:
        content = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{path.name}: {error}") from error
    if problems := sorted(_validator().iter_errors(content), key=lambda problem: problem.json_path):
        raise LabError("\n".join(f"{path.name}: {problem.json_path}: {problem.message}" for problem in problems))
    lab = _lab(name, content)
    if strangers := [key for key in lab.metrics if key not in METRICS]:
        raise LabError(f"{path.name}: no metric is called {', '.join(strangers)}")
    for one in lab.next:
        lab.values({name: str(value) for name, value in one.knobs.items()})
    return lab


def _knob(told: Mapping[str, Any]) -> Knob:
    default = told["default"]
    return Knob(told["name"], told["label"], tuple(told["values"]), default, told.get("small", default))


def _lab(name: str, content: Mapping[str, Any]) -> Lab:
    def subject(told: Mapping[str, Any]) -> Subject:
        changes = {part: told[part] for part in ("workload", "profile", "placement") if part in told}
        steps = tuple(told.get("steps") or content["steps"])
        planted = tuple(Change(**one) for one in told.get("planted", ()))
        select = Selector(tuple(told["select"].items()))
        return Subject(told["label"], select, steps, told.get("env", {}), changes, planted)

    return Lab(
        name=name,
        title=content["title"],
        question=content["question"],
        about=content["about"],
        service=content.get("service", ""),
        minutes=content["minutes"],
        model_pages=tuple(content.get("models", ())),
        fresh=content.get("fresh", False),
        subjects=tuple(map(subject, content["subjects"])),
        knobs=tuple(map(_knob, content["knobs"])),
        prediction=Prediction(**content["prediction"]),
        charts=tuple(content["charts"]),
        reasons=tuple(Reason(**one) for one in content["reasons"]),
        next=tuple(Next(one["text"], one.get("knobs", {}), one.get("step", "")) for one in content["next"]),
        load={part: content[part] for part in _PARTS if part in content},
    )
