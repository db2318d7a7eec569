"""The CPU of a server per lookup, beside a program that does nothing else, and beside its two parts alone."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import psycopg

from samewire import links
from samewire.databases import URL_VARIABLES
from samewire.floor.bench import Bench
from samewire.floor.programs import FloorError, Program
from samewire.manifest import Server
from samewire.process import StopTimeout
from samewire.race import generator
from samewire.race.sampler import Sampler
from samewire.race.snapshots import Window

RECORDS = 10_000
"""Links or todos in the database; every one is looked up."""


class Lookups:
    """Lookups that are measured, and the databases and keys for them, of each service once."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._databases: dict[tuple[str, str], str] = {}
        self._keys: dict[str, Path] = {}

    def measure(self, entrants: Sequence[tuple[Server, Program, Program, Program]]) -> list[dict]:
        """CPU in µs: of each server's lookup, of the bare one, of its two parts alone; a figure for each round."""
        services = sorted({server.service for server, *_ in entrants})
        for server, *_ in entrants:
            self._database(server.service, server.store)
        users = self._bench.profile.users
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
            figures = self._bench.rounds(jobs, "µs")
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
                    "stand_in": self._bench.lab.database(server.store).stand_in,
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

    def _scenario(self, lists: Sequence[Sequence[tuple[str, int]]]) -> dict:
        times = {"warm_up_s": self._bench.profile.warm_up_s, "ramp_up_s": 0.5, "hold_s": self._bench.profile.measure_s}
        return times | {"ramp_down_s": 0.2, "timeout_s": 10.0, "lists": list(lists)}

    def _lookup_lists(self, service: str) -> list[list[tuple[str, int]]]:
        keys = self._read_keys(service)
        form, status = {"shortener": ("/{}", 301), "todo": ("/todos/{}", 200)}[service]
        users = self._bench.profile.users
        return [[(form.format(key), status) for key in keys[first::users]] for first in range(users)]

    def _read_keys(self, service: str) -> list[str]:
        return self._keys_file(service).read_text().split()

    def _keys_file(self, service: str) -> Path:
        if service not in self._keys:
            rows = (hash_ for hash_, _ in links.links(RECORDS))
            keys = list(islice(rows, RECORDS)) if service == "shortener" else list(map(str, range(1, RECORDS + 1)))
            self._bench.draw.shuffle(keys)
            file = self._bench.lab.run.folder("keys") / service
            file.write_text("\n".join(keys) + "\n")
            self._keys[service] = file
        return self._keys[service]

    def _database(self, service: str, store: str) -> str:
        if (service, store) not in self._databases:
            url = self._databases[service, store] = self._bench.lab.new_database(service, store)
            if service == "todo":
                with psycopg.connect(url, autocommit=True) as connection:
                    connection.execute(
                        "insert into todos (title) select 'Todo number ' || n from generate_series(1, %s) n", [RECORDS]
                    )
                    connection.execute("vacuum (analyze, freeze) todos")
        return self._databases[service, store]

    def _generator(self, program: generator.Program, lists: Sequence[Sequence[tuple[str, int]]]) -> generator.Generator:
        return generator.Generator(program, [self._scenario(lists)], self._bench.lab.run)

    def _server(self, server: Server, load: generator.Generator) -> float:
        database = self._database(server.service, server.store)
        with self._bench.server(server, database=database) as running:
            return self._loaded(running.pid, running.target.url, load)

    def _answer(self, program: Program, load: generator.Generator) -> float:
        with self._bench.program_server(program, {}) as (running, url, _):
            return self._loaded(running.pid, url, load)

    def _bare_lookup(self, program: Program, server: Server, load: generator.Generator) -> float:
        with self._bench.program_server(program, self._lookup_variables(server)) as (running, url, _):
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
        running = self._bench.spawn(
            program,
            self._lookup_variables(server)
            | {
                "KEYS": str(self._keys_file(server.service)),
                "IN_FLIGHT": str(self._bench.profile.users),
                "WARM_UP_S": f"{self._bench.profile.warm_up_s:g}",
                "MEASURE_S": f"{self._bench.profile.measure_s:g}",
            },
        )
        try:
            status = running.wait(self._bench.profile.warm_up_s + self._bench.profile.measure_s + 20)
        except StopTimeout as error:
            running.kill()
            raise FloorError(f"{program.id}: {error}") from error
        lines = running.stdout().splitlines()
        if status or not lines or not lines[-1].startswith("{"):
            raise FloorError(f"{program.id} ended with status {status}:\n{running.output()[-2000:]}")
        result = json.loads(lines[-1])
        return result["cpu_s"] / result["queries"] * 1e6
