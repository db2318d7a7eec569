"""Experiments: `bench/experiments/NAME.toml`, checked against a schema, with the facts of the study they repeat."""

import csv
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from samewire.manifest import Server
from samewire.paths import BENCH
from samewire.race import RaceError, workloads
from samewire.race.entrants import EVERY_SERVER, AnyOf, Entrant, Selector
from samewire.race.floors import find_floors, floor_of
from samewire.race.metric import STACK_SHARE
from samewire.race.metrics import metrics_of
from samewire.race.profile import Profile
from samewire.race.workloads import Workload
from samewire.settings import settings

EXPERIMENTS = BENCH / "experiments"
PUBLISHED = BENCH / "published"
PROFILES = ("smoke", "quick", "paper")
FLOOR = "floor"
"""How a finding compares servers with the least programs of their stacks."""


class ExperimentError(RaceError):
    """An experiment that does not exist or breaks the schema; the message names the file and the reason."""


@dataclass(frozen=True)
class Finding:
    """A finding of a study as something that can be tested.

    With `others`, the ratio of the subject's metric to theirs is to be between `at_least` and `at_most`; `compare` says
    whether to each of the others, to the lowest or highest of them, or to their geometric mean; without others, that it
    is the ratio of each server of the subject to its own floor. With `order`,
    the metric of each is to be higher than that of the next. With neither, the subject's metric itself is to be between
    the bounds.

    With `others_metric`, theirs is that metric and not the subject's. With `change`, two loads, what is to be between
    the bounds is the ratio under the second load, divided by the ratio under the first.

    With `samples`, all this is to be so in each of these samples of uploads. Two further kinds are about `metrics` of
    samples, two of them: with `relation` "agree" who of subject and others is lower in the one is to be lower in the
    other; with "correlate" their correlation over the samples, or that of the differences between subject and others,
    is to be between the bounds. `untested` is why a finding cannot be tested at all. `reasons` are claims on other
    metrics, which say why it holds or not.
    """

    id: str
    text: str
    published: str
    metric: str
    subject: Selector | None
    others: Selector | AnyOf | None
    compare: str | None
    order: tuple[Selector, ...]
    at_least: float | None
    at_most: float | None
    samples: tuple[str, ...] = ()
    relation: str = ""
    metrics: tuple[str, ...] = ()
    untested: str = ""
    reasons: tuple["Finding", ...] = ()
    others_metric: str = ""
    change: tuple[str, ...] = ()

    @property
    def of_profiles(self) -> bool:
        """Whether it is about a figure of profiles, which races do not have."""
        return self.metric.startswith(STACK_SHARE)


@dataclass(frozen=True)
class Study:
    """The study that an experiment repeats."""

    title: str
    note: str
    published: tuple[str, ...]


@dataclass(frozen=True)
class Experiment:
    """A question to all servers of a service, or to those that `only` means, each as it is and in those `variants` that
    it has.

    Where it has `loads`, each of these takes part with each of them, which are the workload with some of it changed.

    `settings` is what each of them is given in its environment beside what it needs. `same` means that one server
    takes part, two times: whatever is decided then is decided falsely. With `floor`, those servers take part of whose
    stacks there are programs of `bench/floor` that do this at the least cost, and these programs.
    """

    name: str
    title: str
    service: str
    variants: tuple[str, ...]
    settings: Mapping[str, str]
    study: Study
    server_cores: int
    workload: Workload
    profiles: Mapping[str, Profile]
    findings: tuple[Finding, ...]
    same: bool = False
    loads: Mapping[str, Workload] = field(default_factory=dict)
    only: Selector = EVERY_SERVER
    server_share: float = 1.0
    floor: str = ""

    @property
    def workloads(self) -> Mapping[str, Workload]:
        """What the users do, by load; the only one has no name."""
        return self.loads or {"": self.workload}

    def profile(self, name: str) -> Profile:
        """The profile of that name. Raises ExperimentError."""
        try:
            return self.profiles[name]
        except KeyError:
            raise ExperimentError(f"no profile is called {name!r}; there are: {', '.join(self.profiles)}") from None

    def round_s(self, profile: Profile, entrants: int) -> float:
        """Seconds of load in one round of so many entrants."""
        return entrants * max(1, len(self.workload.sample_names)) * profile.run_s

    def against_itself(self) -> "Experiment":
        """The same load, the first of several, for two copies of a server; the study has no finding on that."""
        first, *_ = self.workloads.values()
        return replace(self, same=True, findings=(), workload=first, loads={})

    def entrants(self, servers: Iterable[Server]) -> list[Entrant]:
        """What takes part of these servers."""
        if self.same:
            return [Entrant(one, copy=copy) for one in servers if one.service == self.service for copy in (1, 2)]
        among = [one for one in servers if one.service == self.service and self.only.matches(Entrant(one))]
        if self.floor:
            programs = [replace(one, service=self.service) for one in find_floors() if one.measures == self.floor]
            floors = {server.id: floor_of(server, programs) for server in among}
            among = [server for server in among if floors[server.id]]
            among += {one.id: one for server in among if (one := floors[server.id])}.values()
        return [
            Entrant(server, variant, load=load)
            for server in among
            for variant in ("", *self.variants)
            if not variant or variant in server.variants
            for load in self.workloads
        ]


def find_experiments(folder: Path = EXPERIMENTS) -> list[str]:
    """The names of all experiments."""
    return sorted(path.stem for path in folder.glob("*.toml"))


@cache
def _validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((EXPERIMENTS / "experiment.schema.json").read_text()))


def load(name: str, folder: Path = EXPERIMENTS) -> Experiment:
    """The experiment of that name. Raises ExperimentError with every problem of the file."""
    path = folder / f"{name}.toml"
    try:
        content = tomllib.loads(path.read_text())
    except FileNotFoundError:
        known = ", ".join(find_experiments(folder))
        raise ExperimentError(f"no experiment is called {name!r}; there are: {known}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ExperimentError(f"{path.name}: {error}") from error
    return read(name, content, path)


def read(name: str, content: Mapping[str, Any], path: Path) -> Experiment:
    """The experiment of what a file says. Raises ExperimentError with every problem of it, which names the file."""
    problems = sorted(_validator().iter_errors(content), key=lambda problem: problem.json_path)
    if problems:
        raise ExperimentError("\n".join(f"{path.name}: {problem.json_path}: {problem.message}" for problem in problems))
    loads = {key: content["workload"] | changed for key, changed in content.get("loads", {}).items()}
    for key, changed in loads.items():
        if problem := next(_validator().iter_errors(content | {"workload": changed, "loads": {}}), None):
            raise ExperimentError(f"{path.name}: $.loads.{key}: {problem.message}")
    if strangers := content.get("settings", {}).keys() - {one.name for one in settings(content["service"])}:
        unknown = ", ".join(sorted(strangers))
        raise ExperimentError(f"{path.name}: $.settings: not in the contract of {content['service']}: {unknown}")

    def workload_of(told: Mapping[str, Any]) -> Workload:
        return workloads.read(told, lambda table: _published([table], path))

    workload = workload_of(content["workload"])
    several = {key: workload_of(changed) for key, changed in loads.items()}
    study = content["study"] | {"published": tuple(_listed(content["study"]["published"]))}
    rows = _published(study["published"], path)
    for finding in content["findings"]:
        others = finding.get("others", [])
        others = others if isinstance(others, list) else [others]
        selected = [finding.get("subject", {}), *others, *finding.get("order", [])]
        for named in [*(chosen.get("load", "") for chosen in selected), *finding.get("change", [])]:
            if named not in ("", *several):
                raise ExperimentError(f"{path.name}: finding {finding['id']!r}: no load is called {named!r}")
    return Experiment(
        name=name,
        title=content["title"],
        service=content["service"],
        variants=tuple(content.get("variants", [])),
        settings=content.get("settings", {}),
        study=Study(**study),
        server_cores=content.get("placement", {}).get("server_cores", 1),
        workload=workload,
        profiles={key: Profile(key, **content["profiles"][key]) for key in PROFILES},
        findings=tuple(_finding(finding, rows, [workload, *several.values()], path) for finding in content["findings"]),
        loads=several,
        only=_selector(content.get("only", {})),
        server_share=content.get("placement", {}).get("server_share", 1.0),
        floor=content.get("floor", ""),
    )


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def _published(names: Iterable[str], experiment: Path) -> list[dict[str, str]]:
    """The rows of a study's tables."""
    rows: list[dict[str, str]] = []
    for name in names:
        try:
            lines = (PUBLISHED / name).read_text().splitlines()
        except OSError as error:
            raise ExperimentError(f"{experiment.name}: published: {error}") from error
        rows += csv.DictReader(line for line in lines if not line.startswith("#"))
    return rows


def _cited(fact: Mapping[str, str], rows: Iterable[Mapping[str, str]], *, with_column: bool) -> str | None:
    """The cell that a fact names, in words; None if there is none, or more than one."""
    row = {name: value for name, value in fact.items() if name != "column"}
    found = [each for each in rows if row.items() <= each.items() and fact["column"] in each]
    if len(found) != 1 or not (value := found[0][fact["column"]]):
        return None
    column, _, unit = fact["column"].rpartition("_")
    told = " + ".join(row.values()).replace("_", " ") + (f", {column.replace('_', ' ') or unit}" if with_column else "")
    return f"{told}: {_told(fact['column'], value)} {found[0].get('unit') or ''}".rstrip()


def _finding(content: dict, rows: Sequence[Mapping[str, str]], loads: Sequence[Workload], experiment: Path) -> Finding:
    where = f"{experiment.name}: finding {content['id']!r}"
    samples = tuple(dict.fromkeys(name for workload in loads for name in workload.sample_names))
    relation = next((key for key in ("agree", "correlate") if key in content), "")
    if strangers := [name for name in content.get("samples", []) if name not in samples]:
        there = ", ".join(samples) or "none"
        raise ExperimentError(f"{where}: no sample is called {', '.join(strangers)}; there are: {there}")
    of_samples = relation or "samples" in content
    of_runs = dict.fromkeys(key for workload in loads for key in workload.metrics())
    metrics = [one.key for one in metrics_of(loads[0].part)] if of_samples else list(of_runs)
    reasons = content.get("reasons", [])
    named = [*content.get(relation, []), *(one["metric"] for one in (content, *reasons) if "metric" in one)]
    named += [content["others_metric"]] if "others_metric" in content else []
    for metric in named:
        if metric not in metrics and not metric.startswith(STACK_SHARE):
            raise ExperimentError(f"{where}: no metric is called {metric!r}; there are: {', '.join(metrics)}")
    cited = []
    places = [fact | {"column": ""} for fact in content["published"]]
    for fact, place in zip(content["published"], places, strict=True):
        if not (told := _cited(fact, rows, with_column=places.count(place) > 1)):
            raise ExperimentError(f"{where}: the published table has no such fact: {fact}")
        cited.append(told)

    return Finding(
        id=content["id"],
        text=content["text"],
        published="; ".join(cited) or "no figure",
        metric=content.get("metric", ""),
        subject=_selector(content["subject"]) if "subject" in content else None,
        others=_others(content["others"]) if "others" in content else None,
        compare=content.get("compare"),
        order=tuple(map(_selector, content.get("order", []))),
        at_least=content.get("at_least"),
        at_most=content.get("at_most"),
        samples=tuple(content.get("samples", samples if relation else ())),
        relation=relation,
        metrics=tuple(content.get(relation, ())),
        untested=content.get("untested", ""),
        reasons=tuple(_reason(reason, content) for reason in reasons),
        others_metric=content.get("others_metric", ""),
        change=tuple(content.get("change", ())),
    )


def _reason(content: Mapping[str, Any], finding: Mapping[str, Any]) -> Finding:
    about = content if "subject" in content else finding
    return Finding(
        id=finding["id"],
        text=content["text"],
        published="",
        metric=content["metric"],
        subject=_selector(about["subject"]) if "subject" in about else None,
        others=_others(about["others"]) if "others" in about else None,
        compare=about.get("compare"),
        order=tuple(map(_selector, about.get("order", []))),
        at_least=content.get("at_least"),
        at_most=content.get("at_most"),
    )


def _selector(fields: Mapping[str, str]) -> Selector:
    return Selector(tuple(fields.items()))


def _others(given: Mapping[str, str] | list[Mapping[str, str]]) -> Selector | AnyOf:
    return AnyOf(tuple(map(_selector, given))) if isinstance(given, list) else _selector(given)


_UNITS = {
    "requests_total": "requests",
    "rps": "requests/s",
    "s": "s",
    "ms": "ms",
    "mb": "MB",
    "bytes": "bytes",
    "error_pct": "% errors",
    "pct": "%",
    "pswitch": "switches/s",
    "threads": "threads",
}


def _told(column: str, value: str) -> str:
    unit = _UNITS.get(column) or _UNITS.get(column.rpartition("_")[2], "")
    number = f"{int(value):,}" if value.isdigit() else value
    return f"{number} {unit}".rstrip()
