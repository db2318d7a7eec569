"""The record of a race, run.json: written again after every run, with the verdicts on all that ran."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from samewire.build import inputs_digest
from samewire.databases import Database
from samewire.race import comparisons, findings, validity
from samewire.race.entrants import Entrant
from samewire.race.experiment import Experiment
from samewire.race.generator import Program
from samewire.race.machine import machine
from samewire.race.metrics import metric
from samewire.race.observation import Run, now
from samewire.race.placement import Placement
from samewire.race.profile import Profile
from samewire.race.statistics import mean_interval
from samewire.race.warming import Planned
from samewire.race.workloads import Workload


@dataclass(frozen=True)
class Setup:
    """What a race is of: everything that is settled when it starts."""

    experiment: Experiment
    profile: Profile
    entrants: Sequence[Entrant]
    passes: Mapping[str, dict]
    placement: Placement
    images: Mapping[str, str]
    program: Program
    seed: int
    started: datetime

    @property
    def loads(self) -> dict[str, Planned]:
        """What the users do, by load, for how long, and where."""
        workloads = self.experiment.workloads
        return {name: Planned(workload, self.profile, self.placement) for name, workload in workloads.items()}

    def as_dict(self) -> dict[str, Any]:
        """Its members of run.json, with nothing measured."""
        experiment, images = self.experiment, self.images
        started = self.started.isoformat(timespec="seconds")
        samples = experiment.workload.described(self.profile)
        # What is in the images is not of this machine.
        needs = [] if images else [need for entrant in self.entrants for need in entrant.server.needs]
        return {
            "schema": 1,
            "complete": False,
            "experiment": {
                "name": experiment.name,
                "title": experiment.title,
                "service": experiment.service,
                "same": experiment.same,
                "study": {"title": experiment.study.title, "note": experiment.study.note},
                **_ranking(experiment.workload),
            },
            "profile": self.profile.name,
            "seed": self.seed,
            "started_at": started,
            "finished_at": started,
            "parameters": self._parameters(),
            "machine": machine([*needs, *self.program.needs]),
            "placement": self.placement.as_dict(),
            "images": dict(images),
            "generator": {"name": self.program.name, "version": self.program.version},
            "databases": {},
            **({"samples": samples} if samples else {}),
            "servers": [self._server(entrant) for entrant in self.entrants],
            "runs": [],
            "summary": {},
            "comparisons": [],
            "findings": [],
            "doubt": "",
            "warnings": [],
        }

    def _parameters(self) -> dict[str, Any]:
        experiment = self.experiment
        parameters = experiment.workload.parameters(self.profile) | {"server_cores": len(self.placement.server)}
        if self.placement.server_share < 1:
            parameters["server_share"] = self.placement.server_share
        parameters |= experiment.workload.surroundings()
        if experiment.loads:
            own = {name: load.parameters(self.profile) for name, load in experiment.loads.items()}
            keys = dict.fromkeys(key for one in own.values() for key in one)
            changed = [key for key in keys if len({str(one.get(key)) for one in own.values()}) > 1]
            # A report asks for the users of the workload, though they may be others in some of its loads.
            parameters = {key: value for key, value in parameters.items() if key not in changed or key == "users"}
            parameters["loads"] = [
                f"{name}: {key} = {_told(one[key])}" for name, one in own.items() for key in changed if key in one
            ]
        if experiment.settings:
            parameters["settings"] = [f"{name}={value}" for name, value in experiment.settings.items()]
        return parameters

    def _server(self, entrant: Entrant) -> dict[str, Any]:
        server = entrant.server
        return {
            "id": entrant.id,
            "service": server.service,
            "language": server.language,
            "stack": dict(server.stack),
            "store": server.store,
            "concurrency": server.concurrency,
            "variant": entrant.variant,
            **({"load": entrant.load} if entrant.load else {}),
            **({"copy": entrant.copy} if entrant.copy else {}),
            **({"transport": entrant.transport} if entrant.transport else {}),
            "ranked": True,
            **({"floor": inputs_digest(server)} if entrant.is_floor else {"pass": self.passes[server.id]}),
        }


class Record:
    """The content of run.json, and the file."""

    def __init__(
        self, setup: Setup, folder: Path, members: Mapping[str, Any] = MappingProxyType({}), remarks: Sequence[str] = ()
    ) -> None:
        """`members` are put into it beside those of the setup, or in their place. `remarks` are warnings of it all."""
        self._setup, self._folder, self._remarks = setup, folder, remarks
        self._ranked = {entrant.id: True for entrant in setup.entrants}
        self._values: dict[str, dict[str, dict[int, float | None]]] = {entrant.id: {} for entrant in setup.entrants}
        self._warnings: dict[str, list[list[str]]] = {entrant.id: [] for entrant in setup.entrants}
        self._content = setup.as_dict() | dict(members)
        self._unsteady: set[str] = set()
        self.unfinished: list[str] = []

    def add_database(self, store: str, database: Database, seconds: float) -> None:
        """A database with its data; servers on a stand-in are not ranked."""
        self._content["databases"][store] = {
            "label": database.label, "version": database.version, "stand_in": database.stand_in,
            "load_s": round(seconds, 2),
        }  # fmt: skip
        for server in self._content["servers"]:
            if server["store"] == store:
                server["ranked"] = self._ranked[server["id"]] = not database.stand_in
        self._write()

    def add_run(self, number: int, position: int, entrant: Entrant, run: Run) -> None:
        """A run that is over."""
        if run.failed:
            self.unfinished.append(f"round {number}, {entrant.id}: {run.failed}")
            run.warnings.append(run.failed.splitlines()[0])
        self._content["runs"].append({"round": number, "position": position, "server": entrant.id} | run.as_dict())
        if run.operations:
            kept = self._folder / "operations" / f"{number}-{re.sub('[/:@]', '-', entrant.id)}.csv.gz"
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(run.operations, kept)
        if not run.steady:
            self._unsteady.add(entrant.id)
        for key, value in run.metrics.items():
            self._values[entrant.id].setdefault(key, {})[number] = value
        self._warnings[entrant.id].append(run.warnings)
        self._evaluate()
        self._write()

    def finish(self) -> None:
        """The race is over."""
        self._content["complete"] = True
        self._write()

    def _evaluate(self) -> None:
        experiment = self._setup.experiment
        entrants = {one.id: one for one in self._setup.entrants}
        doubts = {server: f"not steady when it was measured: {server}" for server in self._unsteady}
        if doubt := self._doubt():
            doubts = dict.fromkeys(entrants, doubt)
        bounds = {server: self._bounds(server) for server in entrants}
        figures = comparisons.Figures(entrants, self._ranked, self._values, doubts, bounds)
        for server in self._content["servers"]:
            server["bounds"] = bounds[server["id"]]
        self._content["doubt"] = doubt
        self._content["summary"] = {
            server: {
                metric: mean_interval(list(rounds.values())).as_dict()
                for metric in values
                if (rounds := figures.rounds(server, metric))
            }
            for server, values in self._values.items()
        }
        # Those of samples would be a hundred and more.
        of_findings = (
            one.metric for one in experiment.findings if one.metric and not one.samples and not one.of_profiles
        )
        compared = dict.fromkeys((*experiment.workload.compared(), *of_findings))
        self._content["comparisons"] = [one.as_dict() for one in comparisons.comparisons(figures, tuple(compared))]
        self._content["findings"] = [findings.judge(finding, figures).as_dict() for finding in experiment.findings]
        in_containers = [validity.IN_CONTAINERS] if self._setup.images else []
        placed = self._setup.placement.warnings(database=bool(self._content["databases"]))
        self._content["warnings"] = [*self._remarks, *in_containers, *placed, *validity.of_servers(self._warnings)]

    def _doubt(self) -> str:
        """Why nothing is decided, whoever it is about. To decide on equal servers is what a race of them is for."""
        if self._setup.experiment.same:
            return ""
        of_runs = (values.get("stolen_share", {}).values() for values in self._values.values())
        stolen = [share for shares in of_runs for share in shares if share is not None]
        return validity.noise(self._warnings, stolen) or ("" if self._setup.profile.steady_within_s else validity.COLD)

    def _bounds(self, server: str) -> dict[str, str]:
        warnings = self._warnings[server]
        found = {key: validity.bound(metric(key), warnings) for key in self._values[server]}
        return {key: bound for key, bound in found.items() if bound}

    def _write(self) -> None:
        self._content["finished_at"] = now()
        self._folder.mkdir(parents=True, exist_ok=True)
        # Replaced as a whole, so that a reader, or a killed race, never has half a record.
        new = self._folder / "run.json.new"
        new.write_text(json.dumps(self._content, ensure_ascii=False, indent=1))
        new.replace(self._folder / "run.json")


def _told(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _ranking(workload: Workload) -> dict[str, Any]:
    """By what its servers are ranked, where it is not throughput."""
    ranking = workload.shown.ranking
    if ranking.metric == "throughput_rps":
        return {}
    return {"ranking": {"metric": ranking.metric, "best": "lowest" if ranking.lowest else "highest"}}
