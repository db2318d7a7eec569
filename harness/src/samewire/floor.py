"""How far servers are from the floor of their stacks (bench/floor/README.md).

Lookups: the CPU of a server per lookup against the CPU of its stack's bare HTTP answer plus its driver's bare query,
in one program that does both, and in two programs that do one each.
Uploads: the rate of an upload against the rate at which the same stack copies a raw body to a file.
Pictures: what one costs each raytracer, and how long others wait meanwhile, against a loop that renders inline.
"""

import json
import os
import random
import signal
import socket
import statistics
import threading
import time
import tomllib
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPResponse
from itertools import islice
from pathlib import Path

import jsonschema
import psycopg
from rich.console import Console

from samewire import links
from samewire.build import build
from samewire.databases import URL_VARIABLES
from samewire.lab import Lab
from samewire.manifest import Server
from samewire.paths import BENCH, RESULTS
from samewire.process import Spawned, StopTimeout, free_port, wait_for_port
from samewire.race import RaceError, generator
from samewire.race.placement import Placement, pinned, place
from samewire.race.sampler import Sampler
from samewire.race.snapshots import Window
from samewire.record import fresh_pass, why_stale
from samewire.table import new_table
from samewire.toolchains import environment

PROGRAMS = BENCH / "floor"
RECORDS = 10_000
"""Links or todos in the database; every one is looked up."""
FILE_BYTES = 200_000_000
FILES = 3
"""How many of them are sent and timed in a round, after as many that are not."""
LOOKUP_BOUND, UPLOAD_BOUND = 1.3, 0.7
PICTURE = "/render?width=640&height=480&depth=5"
PICTURES = 5
"""How many of them one client asks for in a round, after as many that are not counted."""
INLINE = "inline"
"""The variant that renders where it answers, which the others are compared with."""


class FloorError(RaceError):
    """A program of bench/floor did not start, or ended without a figure; the message says which and why."""


@dataclass(frozen=True)
class Program:
    """One folder of bench/floor, as its `floor.toml` describes it."""

    id: str
    folder: Path
    measures: tuple[str, ...]
    stack: frozenset[str]
    language: str
    needs: tuple[str, ...]
    build: tuple[tuple[str, ...], ...]
    run: tuple[str, ...]
    artefacts: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    stop_signal: signal.Signals = signal.SIGTERM

    @property
    def slug(self) -> str:
        """The id as a file name."""
        return self.id.replace("/", "--")

    def is_floor_of(self, server: Server) -> bool:
        """Whether the server is made of what this program is made of."""
        return self.language == server.language and self.stack <= server.stack.keys()


@dataclass(frozen=True)
class Profile:
    """How long each measurement takes, in seconds, how often each is made, and for how many at once."""

    rounds: int = 5
    warm_up_s: float = 4.0
    measure_s: float = 4.0
    users: int = 10
    """Clients of a server, and queries in flight of a driver."""


def programs() -> list[Program]:
    """Every program of bench/floor, by id. Raises FloorError."""
    schema = json.loads((PROGRAMS / "floor.schema.json").read_text())
    found = []
    for manifest in sorted(PROGRAMS.glob("*/floor.toml")):
        content = tomllib.loads(manifest.read_text())
        for problem in jsonschema.Draft202012Validator(schema).iter_errors(content):
            raise FloorError(f"{manifest}: {problem.json_path}: {problem.message}")
        found.append(
            Program(
                id=f"bench/floor/{manifest.parent.name}",
                folder=manifest.parent,
                measures=tuple(content["measures"]),
                stack=frozenset(content["stack"]),
                language=content["language"],
                needs=tuple(content["needs"]),
                build=tuple(tuple(argv) for argv in content["build"]),
                run=tuple(content["run"]),
                artefacts=tuple(content.get("artefacts", ())),
                stop_signal=signal.Signals[content.get("stop_signal", "SIGTERM")],
            )
        )
    return found


def floor_of(server: Server, measures: str, among: Sequence[Program]) -> Program | None:
    """The program that shows what `measures` costs on the server's stack: the one that shares most with it."""
    fitting = [one for one in among if measures in one.measures and one.is_floor_of(server)]
    return max(fitting, key=lambda one: len(one.stack), default=None)


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
        bench = _Bench(lab, profile, placement, console, random.Random(seed))
        record = {
            "started_at": started.isoformat(timespec="seconds"),
            "seed": seed,
            "parameters": vars(profile) | {"records": RECORDS, "file_bytes": FILE_BYTES},
            "placement": placement.as_dict(),
            "lookups": bench.lookups(list(lookups.values())) if lookups else [],
            "uploads": bench.uploads(list(uploads.values())) if uploads else [],
            "renders": bench.renders(renders),
            "databases": {store: database.label for store, database in lab.databases().items()},
        }
    folder = RESULTS / f"{started:%Y%m%dT%H%M%SZ}-floor"
    folder.mkdir(parents=True)
    (folder / "floor.json").write_text(json.dumps(record, indent=1))
    print_tables(record, console)
    return folder


class _Bench:
    """Measurements under way; servers and programs run on the server's cores, one at a time."""

    def __init__(self, lab: Lab, profile: Profile, placement: Placement, console: Console, draw: random.Random) -> None:
        self._lab, self._profile, self._placement = lab, profile, placement
        self._console, self._draw = console, draw
        self._databases: dict[tuple[str, str], str] = {}
        self._keys: dict[str, Path] = {}

    def lookups(self, entrants: Sequence[tuple[Server, Program, Program, Program]]) -> list[dict]:
        """CPU in µs: of each server's lookup, of the bare one, of its two parts alone; a figure for each round."""
        services = sorted({server.service for server, *_ in entrants})
        for server, *_ in entrants:
            self._database(server.service, server.store)
        users = self._profile.users
        paths = {"answer": [[("/", 200)]] * users} | {service: self._lookup_lists(service) for service in services}
        loads: dict[str, generator.Generator] = {}
        jobs: dict[str, Callable[[], float]] = {}
        for server, bare, answer, query in entrants:
            jobs[server.id] = lambda s=server: self._server(s, loads[s.service])
            jobs[f"{bare.id} {server.service}"] = lambda p=bare, s=server: self._bare_lookup(p, s, loads[s.service])
            jobs[answer.id] = lambda p=answer: self._answer(p, loads["answer"])
            jobs[f"{query.id} {server.service}"] = lambda p=query, s=server: self._query(p, s)
        program = generator.build()
        try:
            for name, lists in paths.items():
                loads[name] = self._generator(program, lists)
            figures = self._rounds(jobs, "µs")
        finally:
            for load in loads.values():
                load.close()
        rows = []
        for server, bare, answer, query in entrants:
            lookup, least = figures[server.id], figures[f"{bare.id} {server.service}"]
            parts = figures[answer.id], figures[f"{query.id} {server.service}"]
            rows.append(
                {
                    "server": server.id,
                    "stand_in": self._lab.database(server.store).stand_in,
                    "lookup_us": lookup,
                    "bare_us": least,
                    "answer_us": parts[0],
                    "query_us": parts[1],
                    "bare": bare.id,
                    "answer": answer.id,
                    "query": query.id,
                    "ratio": [ours / floor for ours, floor in zip(lookup, least, strict=True)],
                    "ratio_to_parts": [ours / sum(floor) for ours, *floor in zip(lookup, *parts, strict=True)],
                }
            )
        return rows

    def uploads(self, entrants: Sequence[tuple[Server, Program]]) -> list[dict]:
        """Rates in bytes per second: of an upload to each server and of a raw copy by its stack, for each round."""
        jobs: dict[str, Callable[[], float]] = {}
        for server, copy in entrants:
            jobs[server.id] = lambda s=server: self._upload(s)
            jobs[copy.id] = lambda p=copy: self._copy(p)
        figures = self._rounds(jobs, "bytes/s")
        return [
            {
                "server": server.id,
                "copy": copy.id,
                "upload_bps": figures[server.id],
                "copy_bps": figures[copy.id],
                "ratio": [ours / raw for ours, raw in zip(figures[server.id], figures[copy.id], strict=True)],
            }
            for server, copy in entrants
        ]

    def renders(self, entrants: Sequence[tuple[Server, str | None]]) -> list[dict]:
        """For each server and variant, a figure for each round, in ms: CPU and time of a picture, wait of /healthz."""
        figures_of = ("cpu_ms", "picture_ms", "wait_ms", "wait_max_ms")
        rows: dict[tuple[str, str | None], dict] = {
            (server.id, variant): {"server": server.id, "variant": variant} | {name: [] for name in figures_of}
            for server, variant in entrants
        }
        for number in range(1, self._profile.rounds + 1):
            for server, variant in self._draw.sample(entrants, len(entrants)):
                name = f"{server.id} {variant or ''}"
                with self._console.status(f"round {number} of {self._profile.rounds}: {name}"):
                    figures = self._pictures(server, variant)
                for key, figure in figures.items():
                    rows[server.id, variant][key].append(figure)
                self._console.print(
                    f"round {number}: {name}: {figures['picture_ms']:.1f} ms a picture, "
                    f"/healthz waits {figures['wait_ms']:.1f} ms",
                    highlight=False,
                )
        return list(rows.values())

    def _pictures(self, server: Server, variant: str | None) -> dict[str, float]:
        running = self._lab.start(server, variant=variant, cpus=set(self._placement.server))
        url = running.target.url
        try:
            for _ in range(PICTURES):
                _timed(url + PICTURE)
            sampler = Sampler({"server": running.pid}, running.target.port, None)
            waits: list[float] = []
            done = threading.Event()

            def ask_healthz() -> None:
                while not done.wait(0.01):
                    waits.append(_timed(f"{url}/healthz"))

            meanwhile = threading.Thread(target=ask_healthz)
            meanwhile.start()
            before = sampler.snapshot()
            times = [_timed(url + PICTURE) for _ in range(PICTURES)]
            window = Window(before, sampler.snapshot())
            done.set()
            meanwhile.join()
        finally:
            running.stop()
        cores = window.cpu_rate("server")
        assert cores is not None
        return {
            "cpu_ms": cores * window.seconds / PICTURES * 1e3,
            "picture_ms": statistics.median(times) * 1e3,
            "wait_ms": statistics.median(waits) * 1e3,
            "wait_max_ms": max(waits) * 1e3,
        }

    def _rounds(self, jobs: Mapping[str, Callable[[], float]], unit: str) -> dict[str, list[float]]:
        """Every job once in each round, in random order."""
        figures: dict[str, list[float]] = {name: [] for name in jobs}
        for number in range(1, self._profile.rounds + 1):
            for name in self._draw.sample(list(jobs), len(jobs)):
                with self._console.status(f"round {number} of {self._profile.rounds}: {name}"):
                    figures[name].append(jobs[name]())
                self._console.print(f"round {number}: {name}: {figures[name][-1]:,.1f} {unit}", highlight=False)
        return figures

    def _scenario(self, lists: Sequence[Sequence[tuple[str, int]]]) -> dict:
        times = {"warm_up_s": self._profile.warm_up_s, "ramp_up_s": 0.5, "hold_s": self._profile.measure_s}
        return times | {"ramp_down_s": 0.2, "timeout_s": 10.0, "lists": list(lists)}

    def _lookup_lists(self, service: str) -> list[list[tuple[str, int]]]:
        keys = self._read_keys(service)
        form, status = {"shortener": ("/{}", 301), "todo": ("/todos/{}", 200)}[service]
        users = self._profile.users
        return [[(form.format(key), status) for key in keys[first::users]] for first in range(users)]

    def _read_keys(self, service: str) -> list[str]:
        return self._keys_file(service).read_text().split()

    def _keys_file(self, service: str) -> Path:
        if service not in self._keys:
            rows = (hash_ for hash_, _ in links.links(RECORDS))
            keys = list(islice(rows, RECORDS)) if service == "shortener" else list(map(str, range(1, RECORDS + 1)))
            self._draw.shuffle(keys)
            file = self._lab.run.folder("keys") / service
            file.write_text("\n".join(keys) + "\n")
            self._keys[service] = file
        return self._keys[service]

    def _database(self, service: str, store: str) -> str:
        if (service, store) not in self._databases:
            url = self._databases[service, store] = self._lab.new_database(service, store)
            if service == "todo":
                with psycopg.connect(url, autocommit=True) as connection:
                    connection.execute(
                        "insert into todos (title) select 'Todo number ' || n from generate_series(1, %s) n", [RECORDS]
                    )
                    connection.execute("vacuum (analyze, freeze) todos")
        return self._databases[service, store]

    def _generator(self, program: generator.Program, lists: Sequence[Sequence[tuple[str, int]]]) -> generator.Generator:
        return generator.Generator(program, [self._scenario(lists)], self._lab.run)

    def _server(self, server: Server, load: generator.Generator) -> float:
        running = self._lab.start(
            server, database=self._database(server.service, server.store), cpus=set(self._placement.server)
        )
        try:
            return self._loaded(running.pid, running.target.url, load)
        finally:
            running.stop()

    def _answer(self, program: Program, load: generator.Generator) -> float:
        with self._program_server(program, {}) as (running, url, _):
            return self._loaded(running.pid, url, load)

    def _bare_lookup(self, program: Program, server: Server, load: generator.Generator) -> float:
        with self._program_server(program, self._lookup_variables(server)) as (running, url, _):
            return self._loaded(running.pid, url, load)

    def _lookup_variables(self, server: Server) -> dict[str, str]:
        """What tells a program whose lookup is to be made, and where the records are."""
        database = self._database(server.service, server.store)
        return {"SERVICE": server.service, URL_VARIABLES[server.store]: database}

    def _loaded(self, pid: int, url: str, load: generator.Generator) -> float:
        """CPU in µs per request of the process tree while `load` holds all its users."""
        sampler = Sampler({"server": pid}, int(url.rpartition(":")[2]), None)
        marks = {}

        def follow(line: Mapping) -> None:
            if line.get("stage") in ("hold", "ramp_down"):
                marks[line["stage"]] = sampler.snapshot()

        hold = load.load(url, follow)["stages"]["hold"]
        if any(hold["errors"].values()) or "ramp_down" not in marks:
            raise FloorError(f"wrong answers from {url}: {hold['errors']}")
        cores = Window(marks["hold"], marks["ramp_down"]).cpu_rate("server")
        assert cores is not None
        return cores / (hold["requests"] / hold["duration_s"]) * 1e6

    def _query(self, program: Program, server: Server) -> float:
        running = self._spawn(
            program,
            self._lookup_variables(server)
            | {
                "KEYS": str(self._keys_file(server.service)),
                "IN_FLIGHT": str(self._profile.users),
                "WARM_UP_S": f"{self._profile.warm_up_s:g}",
                "MEASURE_S": f"{self._profile.measure_s:g}",
            },
        )
        try:
            status = running.wait(self._profile.warm_up_s + self._profile.measure_s + 20)
        except StopTimeout as error:
            running.kill()
            raise FloorError(f"{program.id}: {error}") from error
        lines = running.stdout().splitlines()
        if status or not lines or not lines[-1].startswith("{"):
            raise FloorError(f"{program.id} ended with status {status}:\n{running.output()[-2000:]}")
        result = json.loads(lines[-1])
        return result["cpu_s"] / result["queries"] * 1e6

    def _upload(self, server: Server) -> float:
        boundary = b"samewire-floor"
        head = b'--%b\r\nContent-Disposition: form-data; name="files[]"; filename="a"\r\n\r\n' % boundary
        kind = "multipart/form-data; boundary=samewire-floor"
        running = self._lab.start(server, cpus=set(self._placement.server))
        url = running.target.url

        def upload() -> float:
            rate, answer = _send_file(url, "POST /uploads", kind, head, b"\r\n--%b--\r\n" % boundary, 201)
            # As a copy replaces the one before it: else each file would take memory that nobody has used yet.
            id_ = json.loads(answer)["files"][0]["id"]
            urllib.request.urlopen(urllib.request.Request(f"{url}/uploads/{id_}", method="DELETE"), timeout=60).close()
            return rate

        try:
            return _warm_rate(upload)
        finally:
            running.stop()

    def _copy(self, program: Program) -> float:
        with self._program_server(program, {}) as (_, url, folder):
            rate = _warm_rate(lambda: _send_file(url, "PUT /", "application/octet-stream", b"", b"", 204)[0])
            copied = sum(path.stat().st_size for path in folder.iterdir())
            if copied != FILE_BYTES:
                raise FloorError(f"{program.id} has copied {copied:,} of {FILE_BYTES:,} bytes")
            return rate

    @contextmanager
    def _program_server(self, program: Program, env: Mapping[str, str]) -> Iterator[tuple[Spawned, str, Path]]:
        """The running program, its URL, and the folder for its copies."""
        port = free_port()
        folder = self._lab.new_folder("copies")
        running = self._spawn(program, {"HOST": "127.0.0.1", "PORT": str(port), "UPLOAD_DIR": str(folder)} | dict(env))
        try:
            if not wait_for_port(port, 30, lambda: running.alive):
                raise FloorError(f"{program.id} did not start:\n{running.output()[-2000:]}")
            yield running, f"http://127.0.0.1:{port}", folder
        finally:
            running.signal(program.stop_signal)
            try:
                running.wait(10)
            except StopTimeout:
                running.kill()

    def _spawn(self, program: Program, env: Mapping[str, str]) -> Spawned:
        folder = self._lab.run.folder(program.folder.name)
        temporary = folder / "tmp"
        temporary.mkdir(mode=0o755)
        return Spawned(
            program.run,
            run=self._lab.run,
            log=folder / "log",
            cwd=program.folder,
            env=environment(program.needs) | {"TMPDIR": str(temporary)} | dict(env),
            cpus=set(self._placement.server),
        )


def _timed(url: str) -> float:
    """Seconds until the whole answer of a GET was there. Raises FloorError if it is no 200."""
    began = time.monotonic()
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            answer.read()
    except OSError as error:
        raise FloorError(f"GET {url}: {error}") from error
    return time.monotonic() - began


def _warm_rate(send: Callable[[], float]) -> float:
    """The median rate of FILES files, after as many for the program's own sake, as the first lookups are."""
    return statistics.median([send() for _ in range(2 * FILES)][FILES:])


def _send_file(url: str, request: str, kind: str, before: bytes, after: bytes, status: int) -> tuple[float, bytes]:
    """Send FILE_BYTES of body between `before` and `after`; bytes per second until the answer, and the answer's body.

    Raises FloorError.
    """
    host, port = url.removeprefix("http://").split(":")
    block = os.urandom(1_000_000)
    length = len(before) + FILE_BYTES + len(after)
    head = f"{request} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    with socket.create_connection((host, int(port)), 60) as connection:
        began = time.monotonic()
        connection.sendall(head.encode() + before)
        for _ in range(FILE_BYTES // len(block)):
            connection.sendall(block)
        connection.sendall(after)
        with HTTPResponse(connection) as answer:
            answer.begin()
            took = time.monotonic() - began
            body = answer.read()
    if answer.status != status:
        raise FloorError(f"{request} of {FILE_BYTES:,} bytes to {url} was answered {answer.status}: {body[:200]!r}")
    return FILE_BYTES / took, body


def _over(ratio: float) -> str:
    """What a table says of a lookup's ratio to a floor."""
    return "over" if ratio > LOOKUP_BOUND else ""


def print_tables(record: Mapping, console: Console) -> None:
    """The medians, and whether they keep the bounds."""
    middle = statistics.median
    if record["lookups"]:
        users = record["parameters"]["users"]
        title = f"CPU per lookup in µs, medians, {users} at once, against one program that\ndoes nothing else"
        title += f" (bound {LOOKUP_BOUND})"
        against_bare = new_table(title, "server", "lookup", "bare", "ratio", "range", "")
        title = f"The same against answer and query, each by itself (bound {LOOKUP_BOUND})"
        against_parts = new_table(title, "server", "answer", "query", "ratio", "", "bare")
        for row in record["lookups"]:
            lookup, bare, answer, query = (
                middle(row[name]) for name in ("lookup_us", "bare_us", "answer_us", "query_us")
            )
            ratio = middle(row["ratio"])
            spread = f"{min(row['ratio']):.2f}–{max(row['ratio']):.2f}"
            name = row["server"] + (" *" if row["stand_in"] else "")
            against_bare.add_row(name, f"{lookup:.1f}", f"{bare:.1f}", f"{ratio:.2f}", spread, _over(ratio))
            ratio, least = middle(row["ratio_to_parts"]), bare / (answer + query)
            against_parts.add_row(name, f"{answer:.1f}", f"{query:.1f}", f"{ratio:.2f}", _over(ratio), f"{least:.2f}")
        console.print(against_bare)
        console.print(against_parts)
        if any(row["stand_in"] for row in record["lookups"]):
            console.print(f"* {record['databases']['mongodb']}", highlight=False)
    if record["uploads"]:
        table = new_table("Upload of 200 MB in MB/s, medians", "server", "upload", "raw copy", "ratio", "range", "")
        for row in record["uploads"]:
            ratio = middle(row["ratio"])
            rates = [f"{middle(row[name]) / 1e6:,.0f}" for name in ("upload_bps", "copy_bps")]
            spread = f"{min(row['ratio']):.2f}–{max(row['ratio']):.2f}"
            verdict = "≥" if ratio >= UPLOAD_BOUND else "under"
            table.add_row(row["server"], *rates, f"{ratio:.2f}", spread, f"{verdict} {UPLOAD_BOUND}")
        console.print(table)
    if record["renders"]:
        inline = [middle(row["picture_ms"]) for row in record["renders"] if row["variant"] == INLINE]
        table = new_table(
            f"A picture (GET {PICTURE}) in ms, medians; how long /healthz waits beside it",
            "server", "CPU", "time", "to inline", "wait", "longest wait",
        )  # fmt: skip
        for row in record["renders"]:
            figures = {key: middle(row[key]) for key in ("cpu_ms", "picture_ms", "wait_ms", "wait_max_ms")}
            to_inline = f"{figures['picture_ms'] / inline[0]:.2f}" if inline else "–"
            cells = [f"{figures['cpu_ms']:.0f}", f"{figures['picture_ms']:.0f}", to_inline]
            cells += [f"{figures['wait_ms']:.1f}", f"{figures['wait_max_ms']:.0f}"]
            table.add_row(row["server"] + (f", {row['variant']}" if row["variant"] else ""), *cells)
        console.print(table)
