import io
import json
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from hdrh.histogram import HdrHistogram
from rich.console import Console

from samewire.manifest import Server, Variant
from samewire.process import StartError
from samewire.race import RaceError, metrics, observation, record, runner, site, validity, warming
from samewire.race.experiment import load
from samewire.race.floors import Floor
from samewire.race.generator import Program
from samewire.race.metric import CONVERSATION, REQUESTS, SAMPLE, UPLOADS, Metric
from samewire.race.metrics import metrics_of
from samewire.race.placement import place
from samewire.race.processes import Usage
from samewire.race.snapshots import CoreTimes, Snapshot
from samewire.race.steadiness import Warming
from samewire.race.workloads import Lookups, Requests
from samewire.race.workloads.requests import Exchange, RequestStage
from samewire.report import model as report_model
from samewire.report.page import write

SCHEMA = json.loads((files("samewire.report") / "run.schema.json").read_text())
PASS = {"at": "2026-01-01T00:00:00+00:00", "digest": {}, "layers": {"cases": {"passed": 9, "failed": 0, "skipped": 0}}}


def _server(name, store):
    stack = {"h": "HTTP server"}
    return Server(name, SimpleNamespace(name=name), "shortener", "Java", store, "event-loop", stack, (), (), ("x",))


FAST, SLOW, OTHER = (
    _server("servers-a/fast", "postgresql"),
    _server("servers-b/slow", "postgresql"),
    _server("servers-c/other", "mongodb"),
)


def _histogram(milliseconds):
    histogram = HdrHistogram(1, 600_000_000_000, 3)
    for value in milliseconds:
        histogram.record_value(int(value * 1e6))
    return histogram.encode().decode()


def _stage(requests, errors=0, told_apart=0):
    return {
        "requests": requests, "errors": {"status": errors, "wrong_status_for_path": 0, "connection": 0, "timeout": 0},
        "statuses": {"301": requests - errors}, "duration_s": 2.0, "bytes_in": 100, "generator_cpu_s": 0.1,
        "hdr": _histogram([1.0] * (requests - errors)),
        "by_request": [{"answers": 2, "bytes": 100 * (position + 1)} for position in range(told_apart)],
    }  # fmt: skip


class _FakeLoad:
    """A generator whose servers answer as many requests as their names say."""

    pid = 2
    rates = {FAST.id: 200, SLOW.id: 100, OTHER.id: 50}  # noqa: RUF012
    errors = 0
    said: tuple[str, ...] = ()
    there = 40
    told_apart = 0
    not_sent = 0
    probe = None
    scenarios: list = []  # noqa: RUF012
    operations = None
    asked: list = []  # noqa: RUF012

    def __init__(self, *_):
        self.loads = []

    def load(self, url, progress, scenario=0, rate_per_s=None):
        self.loads.append(url)
        self.asked.append(rate_per_s)
        self.scenarios.append(scenario)
        for stage in ("warm_up", "ramp_up", "hold", "ramp_down"):
            progress({"stage": stage})
        requests = self.rates[url] + len(self.loads)
        stages = {
            "ramp_up": _stage(10),
            "hold": _stage(requests, self.errors, self.told_apart),
            "ramp_down": _stage(10),
        }
        return {
            "hdr_unit": "ns",
            "stages": stages,
            "users_in_hold": self.there,
            "users_lost": 0,
            "not_sent": self.not_sent,
            **({"probe": self.probe} if self.probe else {}),
            "series": [{"t_s": 1, "requests": 1, "errors": 0}],
        }

    def complaints(self):
        return list(self.said)

    def close(self):
        pass


class _FakeSampler:
    busy = 0.98
    cost = SimpleNamespace(as_dict=lambda: {"samples": 1})

    def __init__(self, trees, *_, **__):
        self.trees, self.time, self.snapshots = trees, 0, []

    def snapshot(self, pss_of=None):
        self.time += 10
        cpu = self.time * self.busy
        usage = Usage(cpu, cpu, 0.0, self.time * 5, 0, 0, 0, 2 << 20, 1 << 20, 3, 1)
        cores = {n: CoreTimes(int(1000 * on), int(1000 * (self.time - on)), 0) for n, on in ((0, cpu), (1, cpu / 2))}
        idle = Usage(cpu / 2, cpu / 2, 0.0, 0, 0, 0, 0, 0, 0, 1, 1)
        return Snapshot(self.time, {name: usage if name == "server" else idle for name in self.trees}, cores, 0.0)

    def start(self, pss_of=None):
        self.snapshots.append(self.snapshot(pss_of))
        return self.snapshots[0]

    def stop(self):
        pass

    def series(self, tree):
        return [SimpleNamespace(as_dict=lambda: {"t_s": 1.0})]


class _FakeTestbed:
    broken: set = set()  # noqa: RUF012
    variants: list = []  # noqa: RUF012
    images: dict = {}  # noqa: RUF012
    upstreams: dict = {}  # noqa: RUF012
    run = None

    databases: list = []  # noqa: RUF012
    started_on: list = []  # noqa: RUF012
    given: list = []  # noqa: RUF012
    healthz: dict = {}  # noqa: RUF012
    folders: list = []  # noqa: RUF012

    def __init__(self, **_):
        self.order = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def database(self, store):
        return SimpleNamespace(label=store, version="1", stand_in=store == "mongodb", pid=None, port=1)

    def new_database(self, service, store, links, todos):
        self.databases.append(f"{store}://{len(self.databases)}")
        return self.databases[-1]

    def new_folder(self, name):
        self.folders.append(Path(tempfile.mkdtemp(prefix=name, dir=runner.RESULTS)))
        return self.folders[-1]

    def start(self, server, *, healthz, database, variant, env, cpus, output, cgroup):
        self.healthz[server.id] = healthz
        self.given.append(env)
        self.variants.append((server.id, variant))
        self.started_on.append(database)
        if server.id in self.broken:
            raise StartError(f"{server.id} did not start")
        target = SimpleNamespace(url=server.id, port=2, last_lines=lambda: "")
        return SimpleNamespace(pid=1, target=target, stop=lambda: server.stop_status)


@contextmanager
def _anywhere(cores):
    yield


@pytest.fixture
def fake(monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "Testbed", _FakeTestbed)
    monkeypatch.setattr(runner, "Generator", type("Load", (_FakeLoad,), {}))
    monkeypatch.setattr(site, "Generator", runner.Generator)
    monkeypatch.setattr(site, "Sampler", type("Sampler", (_FakeSampler,), {}))
    monkeypatch.setattr(runner, "pinned", _anywhere)
    # On as many cores as the fake sampler knows, whatever this machine has. Processes that are none have no quota.
    monkeypatch.setattr(runner, "place", lambda server_cores, server_share: place(server_cores, 1.0, {0, 1}))
    monkeypatch.setattr(runner, "fresh_pass", lambda *_: PASS)
    monkeypatch.setattr(runner.generator, "build", lambda module: Program((), module.name, "1", ("jdk",)))
    for workload in (Lookups, Requests):
        monkeypatch.setattr(workload, "lists", lambda *_: [])
    monkeypatch.setattr(observation.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(warming, "move", lambda pid, cores: None)  # pids are made up
    # The fake load is of far fewer requests than so many users would send.
    monkeypatch.setattr(validity, "SERVED_IN_TURN", 0)
    monkeypatch.setattr(runner, "RESULTS", tmp_path)
    return monkeypatch


def _race(profile="quick", servers=(FAST, SLOW, OTHER), seed=3, **how):
    console = Console(file=io.StringIO())
    return runner.race("shortener", profile, console=console, servers=list(servers), seed=seed, **how)


def _keys(what):
    return [one.key for one in metrics_of(what)]


def _content(folder):
    return json.loads((folder / "run.json").read_text())


def test_no_race_without_a_fresh_pass(fake):
    fake.setattr(runner, "fresh_pass", lambda server, image: None if server is SLOW else PASS)
    fake.setattr(runner, "why_stale", lambda *_: "its files changed")
    with pytest.raises(RaceError, match=r"(?s)servers-b/slow: its files changed.*samewire verify servers-b/slow$"):
        _race()
    assert not list(runner.RESULTS.iterdir())


def test_no_race_without_servers(fake):
    fake.setattr(runner, "find_servers", list)
    with pytest.raises(RaceError, match="no server of the service 'shortener'"):
        _race(servers=())


def test_a_short_race_is_of_servers_as_they_are_that_are_ranked(fake):
    fake.setattr(runner, "stands_in", lambda store: store == "mongodb")
    fast = replace(FAST, variants={"connect-each-time": Variant("", {})})
    assert [one["id"] for one in _content(_race(servers=[fast, SLOW, OTHER], short=True))["servers"]] == [
        FAST.id,
        SLOW.id,
    ]
    assert len(_content(_race(servers=[fast, SLOW, OTHER]))["servers"]) == 4
    with pytest.raises(RaceError, match="no server of the service 'shortener'"):
        _race(servers=[OTHER], short=True)


def test_the_record_is_what_the_report_reads(fake):
    content = _content(_race())
    jsonschema.validate(content, SCHEMA)
    assert content["complete"]
    assert content["servers"][0]["pass"] == PASS
    assert content["parameters"]["users"] == 40
    assert content["databases"]["mongodb"]["stand_in"]
    run = content["runs"][0]
    assert list(run["metrics"]) == _keys(REQUESTS)
    assert run["load"]["latency_ms"]["mean"] == pytest.approx(1, rel=0.001)
    assert run["load"]["whole"]["requests"] == run["load"]["requests"] + 20
    assert run["metrics"]["cpu_us_per_request"] == pytest.approx(0.98 / (run["load"]["requests"] / 2) * 1e6)
    assert run["warnings"] == []


def test_a_metric_that_is_declared_is_measured_compared_and_reported(fake):
    declared = Metric(
        "hold_s", "Hold", "min", 1 / 60, of=(REQUESTS,), compared=(REQUESTS,), of_load=lambda run: run.load.duration_s
    )
    for module in (metrics, report_model):
        fake.setattr(module, "METRICS", {**metrics.METRICS, "hold_s": declared})
    folder = _race(profile="smoke")
    content = _content(folder)
    assert {run["metrics"]["hold_s"] for run in content["runs"]} == {2.0}
    assert len([row for row in content["comparisons"] if row["metric"] == "hold_s"]) == 3
    assert "Hold, min" in write(folder).read_text()
    assert ",hold_s,2.0," in (folder / "summary.csv").read_text()
    assert "| `hold_s` | requests | requests |" in metrics.reference()


def test_every_server_runs_once_in_every_round_in_an_order_of_its_own(fake):
    content = _content(_race())
    rounds = [[run["server"] for run in content["runs"] if run["round"] == number] for number in range(1, 6)]
    assert all(sorted(order) == sorted(rounds[0]) for order in rounds)
    assert len({tuple(order) for order in rounds}) > 1
    assert [run["position"] for run in content["runs"]] == [1, 2, 3] * 5
    assert content["runs"] == _content(_race())["runs"] or content["seed"] == 3


def test_verdicts_follow_the_figures(fake):
    content = _content(_race())
    verdicts = {
        (row["a"], row["b"]): row["verdict"] for row in content["comparisons"] if row["metric"] == "throughput_rps"
    }
    assert verdicts == {
        (FAST.id, SLOW.id): "a higher",
        (FAST.id, OTHER.id): "not comparable: stand-in",
        (SLOW.id, OTHER.id): "not comparable: stand-in",
    }
    assert content["summary"][FAST.id]["throughput_rps"]["n"] == 5
    assert {row["verdict"] for row in content["findings"]} >= {"not tested"}


def test_a_server_races_against_itself(fake):
    folder = runner.race(
        "shortener", "quick", console=Console(file=io.StringIO()), servers=[FAST], seed=3, rounds=7, same=True
    )
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    first, second = f"{FAST.id}#1", f"{FAST.id}#2"
    assert [server["id"] for server in content["servers"]] == [first, second]
    assert sorted(run["server"] for run in content["runs"]) == [first] * 7 + [second] * 7
    assert {(row["a"], row["b"]) for row in content["comparisons"]} == {(first, second)}
    assert content["findings"] == []
    assert "A server against itself: of " in write(folder).read_text()


def test_servers_are_warmed_until_they_are_steady(fake):
    folder = _race()
    content = _content(folder)
    for run in content["runs"]:
        assert run["warming"]["steady"]
        assert [window["cores"] for window in run["warming"]["windows"]] == [2] * 4 + [1] * 3
    assert content["parameters"]["steady_within_s"] == 60
    assert '<td class="figure">5 of 5</td>' in write(folder).read_text()
    assert "warming" not in _content(_race(profile="smoke"))["runs"][0]


def _arrive(fake, servers, profile="quick"):
    fake.setattr(runner.Generator, "told_apart", 5)
    servers = [replace(one, service="todo") for one in servers]
    return runner.race("arrivals-todo", profile, console=Console(file=io.StringIO()), servers=servers, seed=3)


def test_requests_arrive_at_the_rate_at_which_a_server_uses_its_share(fake):
    fake.setattr(runner.Generator, "asked", [])
    folder = _arrive(fake, [FAST, SLOW])
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    assert content["experiment"]["ranking"] == {"metric": "latency_p99_ms", "best": "lowest"}
    assert content["parameters"]["cpu_share"] == 0.8
    runs = content["runs"]
    assert [rate for rate in runner.Generator.asked if rate] == [run["load"]["rate_per_s"] for run in runs]
    for run in runs:
        cost = run["warming"]["windows"][-1]["cpu_us_per_request"]
        assert run["metrics"]["offered_rps"] == pytest.approx(0.8 / (cost / 1e6))
        # Nobody waits: a server that is not busy held nobody back, and Little's law says nothing of users.
        assert run["warnings"] == []
    assert "Requests that were due" in write(folder).read_text()


def test_without_a_cost_there_is_no_rate(fake):
    fake.setattr(warming.Warmer, "warm", lambda *_: Warming([], 60.0, steady=False))
    with pytest.raises(RaceError, match="the cost of a request is not known"):
        _arrive(fake, [FAST])


def test_latencies_are_bounds_where_requests_that_were_due_were_not_sent(fake):
    fake.setattr(runner.Generator, "not_sent", 70)
    folder = _arrive(fake, [FAST], "smoke")
    content = _content(folder)
    (run,) = content["runs"]
    assert run["load"]["rate_per_s"] == 100
    due = run["load"]["whole"]["requests"] + 70
    assert [text for text in run["warnings"] if text.startswith(f"70 of {due} requests were due and were not sent")]
    assert content["servers"][0]["bounds"]["latency_p99_ms"] == "≥"
    assert f"{FAST.id} could not keep up with the rate in 1 of 1 runs" in "".join(content["warnings"])
    assert "Nothing is ranked" in write(folder).read_text()


def test_users_who_leave_after_their_requests_are_measured_over_the_whole_load(fake):
    fake.setattr(validity, "SERVED_IN_TURN", 0.8)
    fake.setattr(runner.Generator, "told_apart", 5)
    experiment = load("actors-todo")
    paper = replace(experiment.profile("paper"), rounds=1, practice=False)
    assert paper.requests_per_user == 5
    fake.setattr(runner, "load_experiment", lambda _: replace(experiment, profiles={"paper": paper}))
    servers = [replace(FAST, service="todo")]
    folder = runner.race("actors-todo", "paper", console=Console(file=io.StringIO()), servers=servers, seed=3)
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    assert content["parameters"]["requests_per_user"] == 5
    assert "hold_s" not in content["parameters"]
    (run,) = content["runs"]
    assert run["metrics"]["total_s"] == 2.0
    assert run["metrics"]["throughput_change_share"] is None
    assert not [text for text in run["warnings"] if "throughput × mean latency" in text]
    assert "Total time" in write(folder).read_text()


def test_nothing_is_decided_on_a_server_that_is_not_steady(fake):
    fake.setattr(warming.Warmer, "warm", lambda self, url, *_: Warming([], 60.0, steady=url != FAST.id))
    content = _content(_race(servers=[FAST, SLOW, replace(OTHER, store="postgresql")]))
    jsonschema.validate(content, SCHEMA)
    decided = {
        (row["a"], row["b"]): row["verdict"] for row in content["comparisons"] if row["metric"] == "throughput_rps"
    }
    assert decided[FAST.id, SLOW.id] == decided[FAST.id, OTHER.id] == "undecided"
    assert decided[SLOW.id, OTHER.id] != "undecided"
    warning = "the server was not steady: the processor time of a request still changed after 60 s of load"
    assert {warning in run["warnings"] for run in content["runs"] if run["server"] == FAST.id} == {True}
    assert f"{FAST.id} was not steady in 5 of 5 runs: nothing is decided on its figures" in content["warnings"]


def test_nothing_is_decided_on_a_machine_that_is_not_quiet(fake):
    fake.setattr(validity, "OTHER_LOAD", -1)
    folder = _race()
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    assert content["doubt"] == "the machine was not quiet in 15 of 15 runs"
    assert {row["verdict"] for row in content["comparisons"]} == {"undecided", "not comparable: stand-in"}
    assert (
        '<p class="verdict">Nothing is ranked: the machine was not quiet in 15 of 15 runs.' in write(folder).read_text()
    )


def test_nothing_is_decided_where_much_of_the_time_was_stolen(fake):
    fake.setattr(observation.Window, "steal_share", lambda self: 0.09)
    content = _content(_race())
    assert content["doubt"] == ""
    assert {run["metrics"]["stolen_share"] for run in content["runs"]} == {0.09}
    assert all("the hypervisor gave 9% of the time to other machines" in run["warnings"] for run in content["runs"])
    # Who was held up by it is in the tail, of both servers: a ratio of tails is closer to 1 than the true one.
    bounds = content["servers"][0]["bounds"]
    assert (bounds["latency_p99_ms"], bounds["latency_sd_ms"], "latency_p50_ms" in bounds) == ("≤", "≤≥", False)
    verdicts = {row["metric"]: row["verdict"] for row in content["comparisons"] if row["b"] == SLOW.id}
    assert (verdicts["latency_p99_ms"], verdicts["throughput_rps"]) == ("undecided", "a higher")
    fake.setattr(observation.Window, "steal_share", lambda self: 0.11)
    folder = _race()
    content = _content(folder)
    assert content["doubt"] == "the hypervisor gave 11% of the time to other machines"
    assert {row["verdict"] for row in content["comparisons"]} == {"undecided", "not comparable: stand-in"}
    assert "Nothing is ranked: the hypervisor gave 11% of the time" in write(folder).read_text()


def test_nothing_is_decided_on_servers_that_are_cold(fake):
    content = _content(
        runner.race("shortener", "smoke", console=Console(file=io.StringIO()), servers=[FAST, SLOW], seed=3, rounds=5)
    )
    assert content["doubt"] == validity.COLD
    assert {row["verdict"] for row in content["comparisons"]} == {"undecided"}


def test_a_figure_of_a_sample_is_a_bound_by_that_samples_warnings():
    runs = [["sample 3: the server was not the bottleneck: its cores were 50% busy, the others 95%"]]
    assert validity.bound(metrics.metric("latency_mean_ms of sample 3"), runs) == "≤"
    assert validity.bound(metrics.metric("latency_mean_ms of sample 4"), runs) == ""
    assert validity.bound(metrics.metric("latency_mean_ms"), runs) == "≤"
    assert validity.bound(metrics.metric("latency_cv"), runs) == "≤≥"


def test_a_noisy_run_in_many_is_only_a_warning(fake):
    warnings = {FAST.id: [["the machine was not quiet during the run: 0.20 cores busy with other things"], *[[]] * 9]}
    assert validity.noise(warnings, [0.0] * 10) == ""
    assert validity.noise({**warnings, SLOW.id: warnings[FAST.id][:1]}, [0.0] * 11)


def test_a_server_that_was_held_back_is_not_ranked(fake):
    fake.setattr(_FakeSampler, "busy", 0.5)
    folder = _race(servers=[FAST, SLOW])
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    bounds = content["servers"][0]["bounds"]
    assert bounds["throughput_rps"] == "≥"
    assert bounds["latency_mean_ms"] == "≤"
    assert "cpu_us_per_request" not in bounds
    page = write(folder).read_text()
    assert "Nothing is ranked: throughput of every server is a bound" in page
    assert "≥ 1" in page
    assert ",≥" in (folder / "summary.csv").read_text()


def test_memory_is_that_of_the_moments_at_which_it_is_read_for_every_server(fake):
    read = []
    snapshot = _FakeSampler.snapshot

    def note(self, pss_of=None):
        read.append(pss_of)
        return snapshot(self, pss_of)

    fake.setattr(_FakeSampler, "snapshot", note)
    _race(profile="smoke", servers=[FAST])
    # Before the load, when users begin to come, and when the hold ends.
    assert read.count("server") == 3


def test_a_server_runs_in_each_variant_that_the_experiment_names_and_it_has(fake):
    def server(name, *variants):
        one = _server(name, "memory")
        return replace(one, service="randoms", variants=dict.fromkeys(variants, Variant("", {})))

    servers = server("servers-a/fast", "log-sync", "other", "log-async"), server("servers-b/slow")
    entrants = {"servers-a/fast", "servers-a/fast:log-sync", "servers-a/fast:log-async", "servers-b/slow"}
    fake.setattr(_FakeTestbed, "variants", [])
    fake.setattr(runner.Generator, "told_apart", 1)
    folder = runner.race("event-loop", "smoke", console=Console(file=io.StringIO()), servers=servers, seed=3)
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    assert {run["server"] for run in content["runs"]} == entrants
    assert {f"{name}:{variant}" if variant else name for name, variant in _FakeTestbed.variants} == entrants
    assert {server["id"]: server["variant"] for server in content["servers"]}["servers-a/fast:log-sync"] == "log-sync"
    assert content["databases"] == {}
    assert "links" not in content["parameters"]


def _probed(milliseconds, timeout=0):
    errors = {"status": 0, "connection": 0, "timeout": timeout}
    return {"answered": 3, "not_sent": 1, "errors": errors, "hdr": _histogram(milliseconds)}


def _offload(fake, probe, profile="smoke"):
    fake.setattr(runner.Generator, "told_apart", 1)
    fake.setattr(runner.Generator, "probe", probe)
    fake.setattr(runner.Generator, "scenarios", [])
    servers = [replace(_server("servers-a/fast", "memory"), service="randoms")]
    content = _content(runner.race("offloading", profile, console=Console(file=io.StringIO()), servers=servers, seed=3))
    jsonschema.validate(content, SCHEMA)
    return content


def test_a_server_runs_with_each_load_and_a_probe_beside_it(fake):
    content = _offload(fake, _probed([1, 2, 3, 40]))
    assert [server["load"] for server in content["servers"]] == ["offloaded", "blocking"]
    assert {run["server"] for run in content["runs"]} == {"servers-a/fast@offloaded", "servers-a/fast@blocking"}
    assert {*runner.Generator.scenarios} == {0, 1}
    assert content["experiment"]["ranking"] == {"metric": "probe_latency_p50_ms", "best": "lowest"}
    assert content["parameters"]["loads"] == [
        "offloaded: requests = GET /randoms?count=20000000 → 200",
        "blocking: requests = GET /randoms/sync?count=20000000 → 200",
    ]
    assert "requests" not in content["parameters"]
    run = content["runs"][0]
    assert run["load"]["probe"]["answered"] == run["metrics"]["probes_answered"] == 3
    assert run["metrics"]["probes_not_sent"] == 1
    assert run["metrics"]["probe_latency_p50_ms"] == pytest.approx(2, rel=0.001)
    assert run["metrics"]["probe_latency_max_ms"] == pytest.approx(40, rel=0.001)
    assert run["metrics"]["error_share"] == 0
    assert not any("bounds" in server and "probe_latency_p50_ms" in server["bounds"] for server in content["servers"])
    assert [one["metric"] for one in content["comparisons"]][:1] == ["throughput_rps"]
    assert "probe_latency_p50_ms" in {one["metric"] for one in content["comparisons"]}


def test_latencies_of_a_probe_are_bounds_where_probes_were_not_answered(fake):
    content = _offload(fake, _probed([1, 2, 3], timeout=2))
    assert content["servers"][0]["bounds"]["probe_latency_p50_ms"] == "≥"
    assert content["runs"][0]["metrics"]["error_share"] == 0
    assert (
        "probes got no right answer, and their latencies do not tell of them: 2 timeout"
        in (content["runs"][0]["warnings"])
    )


def test_each_load_is_warmed_by_its_own_scenarios(fake):
    _offload(fake, _probed([1]), "quick")
    assert {0, 1, 2, 3, 4, 5} >= {*runner.Generator.scenarios} >= {0, 2, 3, 5}


def test_bytes_are_told_by_request_and_servers_get_the_experiments_settings(fake):
    servers = [
        replace(_server("servers-a/fast", "memory"), service="randoms", variants={"no-compression": Variant("", {})})
    ]
    fake.setattr(_FakeTestbed, "given", [])
    fake.setattr(runner.Generator, "told_apart", 4)
    folder = runner.race("compression", "smoke", console=Console(file=io.StringIO()), servers=servers, seed=3)
    content = _content(folder)
    assert _FakeTestbed.given == [{"COMPRESSION_MIN_BYTES": "0"}] * 2
    assert content["parameters"]["settings"] == ["COMPRESSION_MIN_BYTES=0"]
    metric = "bytes_per_answer of GET /randoms/sync?count=90"
    for run in content["runs"]:
        assert run["load"]["by_request"]["GET /randoms/sync?count=90"] == {"answers": 2, "bytes": 300}
        assert run["metrics"][metric] == 150
    assert content["summary"]["servers-a/fast"][metric]["mean"] == pytest.approx(150)
    assert [row["a"] for row in content["comparisons"] if row["metric"] == metric] == ["servers-a/fast"]


def _conversation_stage(sends, receives, deliveries, missed=0):
    return {
        "requests": sends + receives, "duration_s": 2.0, "bytes": 5000, "generator_cpu_s": 0.1,
        "deliveries": deliveries,
        "sends": {"count": sends, "bytes_mean": 100.0, "bytes_sd": 29.0},
        "receives": {"count": receives, "bytes_mean": 2500.0, "bytes_sd": 200.0},
        "errors": {"refused": 0, "connection": 0, "timeout": 0, "missed": missed, "repeated": 0},
        "hdr": _histogram([1.0] * deliveries),
    }  # fmt: skip


def _converse(sends):
    def load(self, url, progress, scenario=0, rate_per_s=None):
        for stage in ("warm_up", "ramp_up", "hold", "ramp_down"):
            progress({"stage": stage})
        stages = {
            "ramp_up": _conversation_stage(10, 10, 100),
            "hold": _conversation_stage(sends, 160, 3120),
            "ramp_down": _conversation_stage(10, 10, 100, missed=2),
        }
        series = [{"t_s": 1, "requests": 1, "errors": 0, "deliveries": 9}]
        return {"hdr_unit": "ns", "stages": stages, "users_in_hold": 40, "users_lost": 0, "series": series}

    return load


def _chat(name, transport):
    one = replace(_server(name, "memory"), service="chat", transport=transport)
    return replace(one, stack={"node:http": "HTTP server"})


def test_a_conversation_is_ranked_by_what_a_delivery_costs(fake):
    fake.setattr(runner.Generator, "load", _converse(80))
    fake.setattr(site.Sampler, "busy", 0.05)
    servers = _chat("servers-a/asks", "polling"), _chat("servers-b/hears", "socket.io")
    folder = runner.race("chat", "smoke", console=Console(file=io.StringIO()), servers=servers, seed=3)
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    assert content["experiment"]["ranking"] == {"metric": "cpu_us_per_delivery", "best": "lowest"}
    assert content["generator"] == {"name": "load-chat", "version": "1"}
    assert [server["transport"] for server in content["servers"]] == ["polling", "socket.io"]
    assert content["parameters"]["message_every_s"] == 1
    run = content["runs"][0]
    assert list(run["metrics"]) == _keys(CONVERSATION)
    assert run["metrics"]["cpu_us_per_delivery"] == pytest.approx(0.05 / (3120 / 2) * 1e6)
    assert run["metrics"]["bytes_per_s"] == 2500
    assert run["metrics"]["receives_per_s"] == 80
    assert run["metrics"]["error_share"] == 2 / (240 + 40)
    assert run["load"]["whole"]["errors"]["missed"] == 2
    # Users are paced: a server that is mostly idle holds nobody back.
    assert run["warnings"] == ["errors: 2 missed"]
    assert {finding["id"]: finding["verdict"] for finding in content["findings"]}[
        "more-cpu-by-websocket"
    ] == "undecided"


def test_the_log_of_a_conversation_is_kept_with_the_record(fake, tmp_path):
    log = tmp_path / "result.operations.csv.gz"
    log.write_bytes(b"every operation")
    fake.setattr(runner.Generator, "load", _converse(80))
    fake.setattr(runner.Generator, "operations", log)
    servers = [_chat("servers-a/asks", "polling")]
    folder = runner.race("chat", "smoke", console=Console(file=io.StringIO()), servers=servers, seed=3)
    assert (folder / "operations/1-servers-a-asks.csv.gz").read_bytes() == b"every operation"


def test_a_conversation_that_did_not_begin_is_a_record_all_the_same(fake):
    fake.setattr(_FakeTestbed, "broken", {"servers-a/asks"})
    servers = [_chat("servers-a/asks", "polling")]
    with pytest.raises(RaceError, match="servers-a/asks did not start"):
        runner.race("chat", "smoke", console=Console(file=io.StringIO()), servers=servers, seed=3)
    (folder,) = runner.RESULTS.iterdir()
    jsonschema.validate(_content(folder), SCHEMA)
    assert "Nothing was measured" in write(folder).read_text()


def test_messages_that_are_late_are_told(fake):
    fake.setattr(runner.Generator, "load", _converse(75))
    servers = [_chat("servers-a/asks", "polling")]
    folder = runner.race("chat", "smoke", console=Console(file=io.StringIO()), servers=servers, seed=3)
    (run,) = _content(folder)["runs"]
    assert "only 75 of 80 messages that were due during the hold were taken by its end" in run["warnings"]


def _uploading(lose_sample=None):
    def load(self, url, progress, scenario=0, rate_per_s=None):
        self.loads.append(scenario)
        (folder,) = _FakeTestbed.folders
        # Empty for the warm-up and for each sample.
        assert list(folder.iterdir()) == []
        (folder / "file").write_text("")
        gave_up = scenario == lose_sample
        stages = ("ramp_up",) if gave_up else ("ramp_up", "hold", "ramp_down")
        for stage in stages:
            progress({"stage": stage})
        progress({"requests": 5})
        requests = 10 * (scenario + 1)
        stage = _stage(requests, errors=scenario == 3) | {"uploaded_bytes": 1000}
        late = stage | {"hdr": _histogram([7.0] * requests)}
        lost = {"users_in_hold": 0, "users_lost": 20} if gave_up else {"users_in_hold": 20, "users_lost": 0}
        all_stages = {name: late if name == "ramp_down" else stage for name in stages}
        return {"hdr_unit": "ns", "stages": all_stages, "series": [{"t_s": 1, "requests": 1}]} | lost

    return load


def _upload(fake, lose_sample=None):
    fake.setattr(_FakeTestbed, "folders", [])
    fake.setattr(_FakeTestbed, "given", [])
    fake.setattr(runner.Generator, "load", _uploading(lose_sample))
    servers = [replace(_server("servers-a/fast", "files"), service="upload")]
    return runner.race("upload", "smoke", console=Console(file=io.StringIO()), servers=servers, seed=3)


def test_every_sample_is_loaded_once_in_an_order_of_the_runs_own(fake):
    content = _content(_upload(fake))
    jsonschema.validate(content, SCHEMA)
    assert content["experiment"]["ranking"] == {"metric": "latency_mean_ms", "best": "lowest"}
    assert [sample["name"] for sample in content["samples"]] == [str(number) for number in range(1, 11)]
    assert "samples" not in content["parameters"]
    assert content["parameters"]["disk"]
    assert _FakeTestbed.given == [{"UPLOAD_DIR": str(_FakeTestbed.folders[0])}]
    assert list(_FakeTestbed.folders[0].iterdir()) == []
    (run,) = content["runs"]
    assert sorted(run["order"], key=int) == [str(number) for number in range(1, 11)] != run["order"]
    samples = run["load"]["samples"]
    assert samples["4"]["requests"] == 50
    # Latencies are of the whole load.
    assert samples["4"]["latency_ms"]["mean"] == pytest.approx((50 + 50 + 50 * 7) / 150, rel=0.001)
    assert HdrHistogram.decode(samples["4"]["hdr"]).get_total_count() == 150
    assert run["load"]["requests"] == sum(10 * (number + 1) for number in range(1, 11))
    assert run["load"]["whole"]["errors"]["status"] == 3
    of_samples = [f"{metric} of sample {number}" for number in range(1, 11) for metric in _keys(SAMPLE)]
    assert list(run["metrics"]) == [*_keys(UPLOADS), *of_samples]
    assert run["metrics"]["error_share"] == 3 / (3 * run["load"]["requests"])
    assert run["metrics"]["error_share of sample 3"] == 3 / 120
    assert run["metrics"]["uploaded_bytes_per_s of sample 3"] == 500
    assert run["metrics"]["cpu_us_per_request of sample 1"] == pytest.approx(0.98 / (20 / 2) * 1e6)
    assert "sample 3: errors: 3 status" in run["warnings"]
    assert not [row for row in content["comparisons"] if " of sample " in row["metric"]]


def test_a_server_that_dies_in_a_sample_is_told_with_what_was_before(fake):
    with pytest.raises(RaceError, match="sample 7: every user gave up"):
        _upload(fake, lose_sample=7)
    (folder,) = runner.RESULTS.glob("*-upload-smoke")
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    (run,) = content["runs"]
    assert run["metrics"] == {}
    assert list(run["load"]["samples"]) == run["order"]
    assert "7" not in run["order"]
    # What was asked in it is not lost.
    assert run["load"]["whole"]["requests"] == sum(30 * (int(name) + 1) for name in run["order"]) + 80


def test_no_race_of_uploads_in_containers(fake):
    servers = [replace(FAST, service="upload", store="files")]
    with pytest.raises(RaceError, match="cannot be cleared away; race it without --compose"):
        runner.race("upload", "smoke", console=Console(), servers=servers, compose=True)


def test_no_race_with_settings_in_containers(fake):
    servers = [replace(FAST, service="randoms", store="memory")]
    with pytest.raises(RaceError, match=r"compression: .*in compose.*\(COMPRESSION_MIN_BYTES\)"):
        runner.race("compression", "smoke", console=Console(file=io.StringIO()), servers=servers, compose=True)


def test_requests_of_one_name_are_told_together():
    twice = [Exchange("/a"), Exchange("/b"), Exchange("/a", headers={"Accept-Encoding": "gzip"})]
    counts = [{"answers": 1, "bytes": 10}, {"answers": 1, "bytes": 20}, {"answers": 2, "bytes": 40}]
    hold = RequestStage(4, {}, 1.0, "", {}, 70, counts)
    assert Requests("requests", 1, tuple(twice), 1.0).counts(hold).by_request == {
        "GET /a": {"answers": 3, "bytes": 50},
        "GET /b": {"answers": 1, "bytes": 20},
    }


def test_what_one_run_writes_is_not_there_for_the_next(fake):
    for log in ("databases", "started_on"):
        fake.setattr(_FakeTestbed, log, [])
    _race(profile="smoke", servers=[FAST, SLOW])
    assert set(_FakeTestbed.started_on) == set(_FakeTestbed.databases)
    assert len(_FakeTestbed.databases) == 1
    todos = [replace(server, service="todo", store="postgresql") for server in (FAST, SLOW)]
    fake.setattr(_FakeTestbed, "started_on", [])
    fake.setattr(runner.Generator, "told_apart", len(load("actors-todo").workload.requests))
    runner.race("actors-todo", "smoke", console=Console(file=io.StringIO()), servers=todos, seed=3)
    assert len(set(_FakeTestbed.started_on)) == 2


def test_a_race_in_containers_says_so_and_keeps_the_images(fake):
    images = {FAST.id: "sha256:1", SLOW.id: "sha256:2", OTHER.id: "sha256:3"}
    fake.setattr(_FakeTestbed, "images", images)
    content = _content(_race(profile="smoke"))
    jsonschema.validate(content, SCHEMA)
    assert content["images"] == images
    assert content["warnings"][0].startswith("in containers: ")


def test_a_server_that_does_not_start_spoils_nothing_else(fake):
    fake.setattr(_FakeTestbed, "broken", {SLOW.id})
    with pytest.raises(RaceError, match=r"round 1, servers-b/slow: servers-b/slow did not start"):
        _race(profile="smoke")
    (folder,) = runner.RESULTS.iterdir()
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    assert len(content["runs"]) == 3
    assert content["summary"][SLOW.id] == {}
    assert content["summary"][FAST.id]


def test_a_server_that_dies_under_load_is_told(fake):
    def died(self, url, progress, scenario=0, rate_per_s=None):
        progress({"stage": "ramp_up"})
        progress({"stage": "hold"})
        return {
            "hdr_unit": "ns",
            "stages": {"ramp_up": _stage(10), "hold": _stage(7, 7)},
            "users_in_hold": 0,
            "users_lost": 40,
            "series": [],
        }

    fake.setattr(runner.Generator, "load", died)
    with pytest.raises(RaceError, match="servers-a/fast: every user gave up before the hold was over: 7 status"):
        _race(profile="smoke", servers=[FAST])
    (folder,) = runner.RESULTS.iterdir()
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    (run,) = content["runs"]
    assert run["load"]["whole"] == {
        "requests": 17,
        "errors": _stage(7, 7)["errors"],
        "duration_s": 4,
        "users_in_hold": 0,
        "users_lost": 40,
        "not_sent": 0,
    }
    assert run["metrics"] == {}


def test_an_interrupted_race_keeps_what_it_has(fake):
    def interrupted(self, url, progress, scenario=0, rate_per_s=None):
        if len(self.loads) == 2:
            raise KeyboardInterrupt
        return _FakeLoad.load(self, url, progress)

    fake.setattr(runner.Generator, "load", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _race(profile="smoke")
    (folder,) = runner.RESULTS.iterdir()
    content = _content(folder)
    assert not content["complete"]
    assert len(content["runs"]) == 2


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        (lambda fake: fake.setattr(runner.Generator, "errors", 4), "errors: 4 status"),
        (lambda fake: fake.setattr(runner.Generator, "there", 39), "only 39 of 40 users had a connection"),
        (lambda fake: fake.setattr(validity, "SERVED_IN_TURN", 0.8), "throughput × mean latency is 0 of 40 users"),
        (lambda fake: fake.setattr(site.Sampler, "busy", 0.5), "the server was not the bottleneck"),
        (lambda fake: fake.setattr(validity, "GENERATOR_BUSY", 0.4), "the generator was the bottleneck"),
        (lambda fake: fake.setattr(validity, "OTHER_LOAD", -1), "the machine was not quiet before the run"),
        (lambda fake: fake.setattr(runner.Generator, "said", ("ERROR X: Jitter watchdog was not",)), "stood still"),
    ],
)
def test_what_spoils_a_run_is_told(fake, change, warning):
    change(fake)
    content = _content(_race(profile="smoke"))
    assert all(any(warning in text for text in run["warnings"]) for run in content["runs"])


def test_whose_users_were_not_served_in_turn_is_told_at_the_front(fake):
    assert not [text for text in _content(_race(profile="smoke"))["warnings"] if "in turn" in text]
    fake.setattr(validity, "SERVED_IN_TURN", 0.8)
    warnings = _content(_race(profile="smoke", servers=[FAST]))["warnings"]
    assert [
        text for text in warnings if text.startswith(f"not all users of {FAST.id} were served in turn in 1 of 1 runs")
    ]


def test_a_floor_needs_no_pass_and_no_health_and_is_told_which_service_it_serves(fake):
    floor = Floor(**vars(_server("bench/floor/least", "postgresql")) | {"service": ""}, measures="lookup")
    fake.setattr("samewire.race.experiment.find_floors", lambda: [floor])
    fake.setattr(runner, "build", lambda floor: 0.0)
    fake.setattr(record, "inputs_digest", lambda floor: "abc")
    fake.setattr(runner, "fresh_pass", lambda server, image: PASS if server.id == FAST.id else None)
    fake.setattr(runner.Generator, "rates", {FAST.id: 200, floor.id: 400})
    fake.setattr(_FakeTestbed, "given", [])
    fake.setattr(_FakeTestbed, "healthz", {})
    folder = runner.race("floor-shortener", "smoke", console=Console(file=io.StringIO()), servers=[FAST], seed=3)
    content = _content(folder)
    jsonschema.validate(content, SCHEMA)
    assert [(one["id"], "pass" in one, one.get("floor")) for one in content["servers"]] == [
        (FAST.id, True, None), (floor.id, False, "abc"),
    ]  # fmt: skip
    assert _FakeTestbed.healthz == {FAST.id: True, floor.id: False}
    assert {"SERVICE": "shortener"} in _FakeTestbed.given
    assert "least" in write(folder).read_text()
    with pytest.raises(RaceError, match="without --compose"):
        runner.race("floor-shortener", "smoke", console=Console(file=io.StringIO()), servers=[FAST], compose=True)


def test_a_sample_of_entrants_is_drawn_by_the_seed(fake):
    def raced(seed):
        return [one["id"] for one in _content(_race("smoke", seed=seed, sample=2))["servers"]]

    assert raced(3) == raced(3)
    assert {len(raced(seed)) for seed in range(4)} == {2}
    assert {id_ for seed in range(9) for id_ in raced(seed)} == {FAST.id, SLOW.id, OTHER.id}
