"""The command `samewire floor`."""

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from samewire.build import build
from samewire.floor.bench import Bench, Profile
from samewire.floor.lookups import RECORDS, Lookups
from samewire.floor.programs import FloorError, floor_of, programs
from samewire.floor.renders import measure_renders
from samewire.floor.tables import print_tables
from samewire.floor.uploads import FILE_BYTES, measure_uploads
from samewire.lab import Lab
from samewire.manifest import Server
from samewire.paths import RESULTS
from samewire.race.placement import pinned, place
from samewire.record import fresh_pass, why_stale


def measure(servers: Sequence[Server], profile: Profile, console: Console, seed: int | None = None) -> Path:
    """Measure every server that has a floor; print the tables; the folder of the record. Raises RaceError."""
    among = programs()
    lookups = {
        server.id: (server, bare, answer, query)
        for server in servers
        if (bare := floor_of(server, "lookup", among))
        and (answer := floor_of(server, "answer", among))
        and (query := floor_of(server, "query", among))
    }
    uploads = {
        server.id: (server, copy)
        for server in servers
        if server.service == "upload" and (copy := floor_of(server, "copy", among))
    }
    renders = [(one, variant) for one in servers if one.service == "raytracer" for variant in (None, *one.variants)]
    if not lookups and not uploads and not renders:
        raise FloorError("none of these servers has a floor: see bench/floor/README.md")
    for server in {one.id: one for one, *_ in [*lookups.values(), *uploads.values(), *renders]}.values():
        if not fresh_pass(server):
            raise FloorError(f"no figure without conformance: {server.id}: {why_stale(server)}")
    used = {one.id: one for _, *floors in [*lookups.values(), *uploads.values()] for one in floors}
    for program in used.values():
        with console.status(f"building {program.id}"):
            build(program)
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    started = datetime.now(UTC)
    placement = place(server_cores=1)
    with pinned(placement.generator), Lab(links=RECORDS, database_cpus=set(placement.database)) as lab:
        bench = Bench(lab, profile, placement, console, random.Random(seed))
        record = {
            "started_at": started.isoformat(timespec="seconds"),
            "seed": seed,
            "parameters": vars(profile) | {"records": RECORDS, "file_bytes": FILE_BYTES},
            "placement": placement.as_dict(),
            "lookups": Lookups(bench).measure(list(lookups.values())) if lookups else [],
            "uploads": measure_uploads(bench, list(uploads.values())) if uploads else [],
            "renders": measure_renders(bench, renders),
            "databases": {store: database.label for store, database in lab.databases().items()},
        }
    folder = RESULTS / f"{started:%Y%m%dT%H%M%SZ}-floor"
    folder.mkdir(parents=True)
    (folder / "floor.json").write_text(json.dumps(record, indent=1))
    print_tables(record, console)
    return folder
