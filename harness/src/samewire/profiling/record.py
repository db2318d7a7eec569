"""The record of a profile, profile.json."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samewire.databases import Database
from samewire.profiling.profilers import Sampled
from samewire.profiling.stacks import Stacks
from samewire.race import validity
from samewire.race.load import Totals
from samewire.race.metric import STACK_SHARE
from samewire.race.record import Setup
from samewire.race.steadiness import Warming
from samewire.record import digest

LEAST = 0.001
"""A function is in the record if it is in that share of the stacks."""
FEW = 200
"""With fewer samples than that, shares are marked as rough."""
_AS_IN_A_RACE = ("profile", "seed", "started_at", "parameters", "machine", "placement", "generator")


@dataclass(frozen=True)
class Profiled:
    """A profile that was made: what profile.json holds, the stacks, and the folder that both are in."""

    folder: Path
    content: Mapping[str, Any]
    stacks: Stacks

    @property
    def name(self) -> str:
        """The server as a record calls it, with its variant."""
        return self.content["server"]["id"]


@dataclass(frozen=True)
class Loaded:
    """The load of a profile: totals of its holds, the seconds that were sampled, how the server was warmed."""

    totals: Totals
    seconds: float
    warming: Warming | None
    warnings: Sequence[str] = ()


def share_key(pattern: str) -> str:
    """The key of the share of samples whose stack has a frame that matches, such as `stack_share of console`."""
    return f"{STACK_SHARE}{pattern}"


def content(
    setup: Setup, databases: Mapping[str, Database], loaded: Loaded, sampled: Sampled, patterns: Sequence[str]
) -> dict[str, Any]:
    """What profile.json holds of the one entrant of a setup. Raises ProfilingError if a pattern is none."""
    common, stacks = setup.as_dict(), sampled.stacks
    (server,) = common["servers"]
    return {
        "schema": 1,
        "ranked": False,
        "experiment": {name: common["experiment"][name] for name in ("name", "title", "service")},
        **{name: common[name] for name in _AS_IN_A_RACE},
        "server": server | {"ranked": False, "digest": digest(setup.entrants[0].server)},
        "databases": {
            store: {"label": one.label, "version": one.version, "stand_in": one.stand_in}
            for store, one in databases.items()
        },
        "profiler": sampled.how,
        **({"warming": loaded.warming.as_dict()} if loaded.warming else {}),
        "load": loaded.totals.as_dict(),
        "seconds": round(loaded.seconds, 3),
        "samples": stacks.samples,
        "idle_samples": sampled.idle,
        "metrics": {share_key(pattern): stacks.share(pattern) for pattern in patterns},
        "functions": [
            {"name": name, "self": round(share.self_, 5), "total": round(share.total, 5)}
            for name, share in stacks.functions().items()
            if share.total >= LEAST
        ],
        "warnings": [*loaded.warnings, *_warnings(loaded, stacks)],
    }


def _warnings(loaded: Loaded, stacks: Stacks) -> list[str]:
    cold = [] if loaded.warming else [validity.COLD]
    unsteady = validity.not_steady(loaded.warming) if loaded.warming else []
    errors = [f"errors of the load: {loaded.totals.errors_told}"] if loaded.totals.errors_told else []
    few = [f"only {stacks.samples:,} samples: shares are rough"] if stacks.samples < FEW else []
    return [*cold, *unsteady, *errors, *few]


def write(profiled: Profiled) -> None:
    """Write profile.json and the collapsed stacks to the profile's folder, which is made."""
    profiled.folder.mkdir(parents=True, exist_ok=True)
    profiled.stacks.write(profiled.folder / "stacks.collapsed.gz")
    text = json.dumps(profiled.content, ensure_ascii=False, indent=1)
    (profiled.folder / "profile.json").write_text(text)
