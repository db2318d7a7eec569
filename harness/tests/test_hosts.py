"""A race on several hosts: what a hosts file must be, how users are divided, how samples and counts come together.

The last test rehearses the whole: four network namespaces of this machine stand for hosts. They share its cores, so
their figures say nothing.
"""

import collections
import contextlib
import fcntl
import io
import json
import os
import select
import shutil
import struct
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace
from importlib.resources import files

import jsonschema
import psycopg
import pytest
from hdrh.histogram import HdrHistogram
from rich.console import Console

from samewire.databases import postgresql
from samewire.hosts import race as hosts_race
from samewire.hosts import sampling
from samewire.hosts.loading import part, together
from samewire.hosts.plan import HostsError, read
from samewire.manifest import find_servers, least_demanding
from samewire.process import Spawned, unprivileged_user
from samewire.race import runner
from samewire.race.generator import GeneratorError
from samewire.race.latency import latency
from samewire.race.processes import Usage
from samewire.race.snapshots import Window
from samewire.report.page import write
from samewire.testbed import Testbed
from samewire.toolchains import missing, tool

SCHEMA = json.loads((files("samewire.report") / "run.schema.json").read_text())
PASS = {"at": "2026-01-01T00:00:00+00:00", "digest": {}, "layers": {"cases": {"passed": 9, "failed": 0, "skipped": 0}}}
SERVER = '{name = "a", role = "server", address = "10.0.0.1", gateway = "popen"}'
LOAD = '{name = "b", role = "load", address = "10.0.0.2", gateway = "popen"}'
OTHER_SERVER, OTHER_LOAD = SERVER.replace('"a"', '"c"'), LOAD.replace('"b"', '"c"')
DATABASE = LOAD.replace('"load"', '"database"')
SERVERS = '[servers]\n"servers-x/y" = "http://10.0.0.1:8080"\n'


def _read(tmp_path, text):
    file = tmp_path / "hosts.toml"
    file.write_text(text)
    return read(file)


def test_a_plan_says_who_is_where(tmp_path):
    plan = _read(tmp_path, f"hosts = [{SERVER}, {LOAD}]\n{SERVERS}")
    assert [one.name for one in plan.of_role("load")] == ["b"]
    assert plan.servers == {"servers-x/y": "http://10.0.0.1:8080"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hosts = [", "hosts.toml"),
        (f"hosts = [{SERVER}]\n{SERVERS}", "$.hosts"),
        (f"hosts = [{SERVER}, {SERVER}]\n{SERVERS}", "two hosts have the same name"),
        (f"hosts = [{LOAD}, {OTHER_LOAD}]\n{SERVERS}", "exactly 1 with the role server"),
        (f"hosts = [{SERVER}, {OTHER_SERVER}, {LOAD}]\n{SERVERS}", "exactly 1 with the role server"),
        (f"hosts = [{SERVER}, {DATABASE}]\n{SERVERS}", "port"),
        (f"hosts = [{SERVER}, {LOAD}]\n[servers]\nx = 'http://a'\n", "$.servers.x"),
    ],
)
def test_a_wrong_hosts_file_is_told(tmp_path, text, told):
    with pytest.raises(HostsError) as problem:
        _read(tmp_path, text)
    assert told in str(problem.value)


def test_each_host_has_a_part_of_the_users():
    lists = [[(f"/{number}", 200)] for number in range(5)]
    parts = [part({"lists": lists, "hold_s": 1.0, "probe": {}}, place, 2) for place in range(2)]
    assert sorted(parts[0]["lists"] + parts[1]["lists"]) == lists
    assert ["probe" in one for one in parts] == [True, False]
    assert [part({"users": 5, "list": []}, place, 2)["users"] for place in range(2)] == [3, 2]
    with pytest.raises(GeneratorError, match="1 users cannot be divided among 2"):
        part({"users": 1, "list": []}, 0, 2)


def _stage(requests, milliseconds, seconds=2.0):
    histogram = HdrHistogram(1, 600_000_000_000, 3)
    histogram.record_value(int(milliseconds * 1e6), requests)
    return {
        "requests": requests, "errors": {"status": 1, "timeout": 0}, "statuses": {"200": requests - 1},
        "duration_s": seconds, "bytes_in": 10 * requests, "generator_cpu_s": 0.5, "hdr": histogram.encode().decode(),
        "by_request": [{"answers": requests, "bytes": 7}],
    }  # fmt: skip


def _result(requests, milliseconds, seconds=2.0):
    row = {"t_s": 1, "users": 2, "requests": requests, "errors": 1, "mean_ms": milliseconds, "p99_ms": milliseconds}
    return {
        "hdr_unit": "ns", "stages": {"hold": _stage(requests, milliseconds, seconds)}, "series": [row],
        "users_in_hold": 2, "users_lost": 0, "not_sent": 3,
    }  # fmt: skip


def test_what_several_hosts_count_is_added_up():
    whole = together([_result(100, 1.0), _result(300, 3.0, 2.1)])
    hold = whole["stages"]["hold"]
    assert (hold["requests"], hold["errors"], hold["statuses"]) == (400, {"status": 2, "timeout": 0}, {"200": 398})
    assert (hold["duration_s"], hold["bytes_in"], hold["generator_cpu_s"]) == (2.1, 4000, 1.0)
    assert hold["by_request"] == [{"answers": 400, "bytes": 14}]
    assert latency(hold["hdr"]).mean == pytest.approx(2.5, rel=0.01)
    assert whole["series"] == [{"t_s": 1, "users": 4, "requests": 400, "errors": 2, "mean_ms": 2.5, "p99_ms": 3.0}]
    assert (whole["users_in_hold"], whole["not_sent"]) == (4, 6)


def _sample(at, cpu_s, **trees):
    usage = Usage(cpu_s, cpu_s, 0.0, 5, 0, None, None, 1, None, 1, 1)
    return {
        "at": at, "trees": {name: asdict(replace(usage, cpu_s=cpu)) for name, cpu in trees.items()},
        "cores": {0: {"busy": int(100 * cpu_s), "idle": 100, "steal": 0, "iowait": 0}}, "harness_cpu_s": 0.0,
    }  # fmt: skip


def test_each_hosts_clock_is_compared_with_itself_alone(monkeypatch):
    def samples(moments, cpu_s, generators):
        trees = {"server": cpu_s}, {"database": cpu_s}, *({"generator": each} for each in generators)
        return [_sample(at, cpu_s, **tree) for at, tree in zip(moments, trees, strict=True)]

    moments = iter([samples((10, 9000, 5, 7), 0, (0.0, 0.0)), samples((12, 9004, 7, 9), 1, (0.5, 0.7))])
    monkeypatch.setattr(sampling, "call_all", lambda *_, **__: next(moments))
    sampler = sampling.HostsSampler([None] * 4, [0, 1000, 2000, 3000])
    window = Window(sampler.snapshot(), sampler.snapshot())
    assert window.seconds == 2.0
    assert window.cpu_rate("server") == 0.5
    assert window.cpu_rate("database") == 0.25
    assert window.cpu_rate("generator") == pytest.approx(0.6)
    assert sorted(window.end.cores) == [0, 1000, 2000, 3000]


def _sh(*argv):
    subprocess.run(argv, check=True, capture_output=True)


class _Wire:
    """Two TAP devices (tun.rst of the kernel), and a wire between them that takes `delay_s` each way.

    Not every kernel has netem.
    """

    def __init__(self, names, delay_s):
        self.delay_s = delay_s
        self.ends = [self._device(name) for name in names]
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._carry, daemon=True)
        self.thread.start()

    def _device(self, name):
        end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        set_interface, tap_without_header = 0x400454CA, 0x1002
        fcntl.ioctl(end, set_interface, struct.pack("16sH22x", name.encode(), tap_without_header))
        return end

    def _carry(self):
        due = collections.deque()
        while not self.stopping.is_set():
            wait = max(0.0, due[0][0] - time.monotonic()) if due else 0.1
            for end in select.select(self.ends, [], [], wait)[0]:
                with contextlib.suppress(BlockingIOError):
                    due.append((time.monotonic() + self.delay_s, end, os.read(end, 65_536)))
            while due and due[0][0] <= time.monotonic():
                _, end, packet = due.popleft()
                # What a full queue does not take is lost, as on any network.
                with contextlib.suppress(OSError):
                    os.write(self.ends[1 - self.ends.index(end)], packet)

    def close(self):
        self.stopping.set()
        self.thread.join()
        for end in self.ends:
            os.close(end)


class _Namespaces:
    """Network namespaces on a bridge, each with an address; the wire of the first one takes `delay_ms` each way."""

    def __init__(self, names, delay_ms):
        self.prefix = f"sw{os.getpid() % 100_000}"
        self.bridge, net = f"{self.prefix}b", f"10.{200 + os.getpid() % 50}.{os.getpid() // 50 % 250}"
        self.address = {name: f"{net}.{place}" for place, name in enumerate(names, 2)}
        self.delay_ms, self.wire = delay_ms, None
        self.own = f"{net}.1"

    def __enter__(self):
        _sh("ip", "link", "add", self.bridge, "type", "bridge")
        _sh("ip", "addr", "add", f"{self.own}/24", "dev", self.bridge)
        _sh("ip", "link", "set", self.bridge, "up")
        for place, (name, address) in enumerate(self.address.items()):
            space, outer = self.space(name), f"{self.prefix}v{place}"
            _sh("ip", "netns", "add", space)
            if self.delay_ms and not place:
                inner = f"{self.prefix}i"
                self.wire = _Wire((inner, outer), self.delay_ms / 1000)
                _sh("ip", "link", "set", inner, "netns", space, "name", "eth0")
            else:
                _sh("ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", space)
            _sh("ip", "link", "set", outer, "master", self.bridge, "up")
            _sh("ip", "-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
            for device in ("eth0", "lo"):
                _sh("ip", "-n", space, "link", "set", device, "up")
        return self

    def __exit__(self, *_):
        if self.wire:
            self.wire.close()
        for name in self.address:
            subprocess.run(["ip", "netns", "del", self.space(name)], capture_output=True)
        subprocess.run(["ip", "link", "del", self.bridge], capture_output=True)

    def space(self, name):
        return f"{self.prefix}-{name}"

    def run(self, name):
        return "ip", "netns", "exec", self.space(name)


@contextlib.contextmanager
def _database(spaces, testbed, links):
    """PostgreSQL in the namespace `database`, which the others may use; its URL."""
    run = testbed.run
    folder = run.folder("postgresql")
    folder.rmdir()
    _sh("cp", "-a", str(postgresql._template(run, links)), str(folder))
    with (folder / "pg_hba.conf").open("a") as rules:
        rules.write("host all all samenet trust\n")
    user, address = unprivileged_user(), spaces.address["database"]
    postgres = str(tool("postgresql").path / "bin/postgres")
    argv = [*spaces.run("database"), "setpriv", f"--reuid={user}", "--clear-groups", postgres]
    options = {"listen_addresses": address, "port": "5432", "unix_socket_directories": "", "fsync": "off"}
    server = Spawned(
        [*argv, "-D", str(folder), *(word for pair in options.items() for word in ("-c", "=".join(pair)))],
        run=run, log=folder.parent / "postgresql.log", cwd=folder,
    )  # fmt: skip
    try:
        url = f"postgres://{postgresql.USER}@{address}:5432/links_{links}"
        for attempt in range(200):
            try:
                psycopg.connect(url, connect_timeout=1).close()
                break
            except psycopg.OperationalError:
                assert server.alive, server.output()
                assert attempt < 199
                time.sleep(0.05)
        yield url
    finally:
        server.kill()


def _able(delay_ms):
    if os.geteuid() or any(not shutil.which(program) for program in ("ip", "ping", "iperf3", "setpriv")):
        return "network namespaces need root, ip, ping, iperf3 and setpriv"
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(_Namespaces(["try"], delay_ms))
        except (subprocess.CalledProcessError, OSError) as error:
            stack.callback(_Namespaces(["try"], delay_ms).__exit__)
            return f"this kernel does not do it: {error}"
    return ""


@pytest.mark.parametrize("delay_ms", [0, 2])
def test_a_race_on_namespaces_that_stand_for_hosts(delay_ms, tmp_path, monkeypatch):
    able = [one for one in find_servers() if (one.service, one.store) == ("shortener", "postgresql")]
    able = [one for one in able if not missing(one.needs)]
    if not able:
        pytest.skip("no shortener on PostgreSQL is here")
    if why := _able(delay_ms):
        pytest.skip(why)
    server = least_demanding(able)
    monkeypatch.setattr(hosts_race, "RESULTS", tmp_path)
    # Nothing else is made up: whoever calls the command has verified the server.
    monkeypatch.setattr(runner, "fresh_pass", lambda *_: PASS)
    spaces = _Namespaces(["server", "database", "load-1", "load-2"], delay_ms)
    with spaces, Testbed() as testbed, _database(spaces, testbed, 10_000) as database:
        there = replace(server, run=(*spaces.run("server"), *server.run))
        address = spaces.address["server"]
        testbed.start(there, database=database, env={"HOST": address, "PORT": "8080"})
        lines = [f'[servers]\n"{server.id}" = "http://{address}:8080"']
        for name in spaces.address:
            role = name.partition("-")[0]
            gateway = f"popen//python={' '.join(spaces.run(name))} {sys.executable}"
            lines.append(f'[[hosts]]\nname = "{name}"\nrole = "{role}"\naddress = "{spaces.address[name]}"')
            lines.append(f'gateway = "{gateway}"' + ("\nport = 5432" if role == "database" else ""))
        file = tmp_path / "hosts.toml"
        file.write_text("\n".join(lines) + "\n")
        console = Console(file=io.StringIO(), width=120)
        folder = hosts_race.race(file, "shortener", "smoke", console=console, servers=[server], seed=1)
    content = json.loads((folder / "run.json").read_text())
    jsonschema.validate(content, SCHEMA)
    (run,) = content["runs"]
    assert not any(run["load"]["errors"].values())
    assert run["load"]["whole"]["users_in_hold"] == 40
    metrics = run["metrics"]
    for name in ("throughput_rps", "cpu_us_per_request", "database_cpu_us_per_request", "generator_cpu_us_per_request"):
        assert metrics[name] > 0, name
    assert metrics["ready_s"] is None
    assert [one["role"] for one in content["hosts"]] == ["server", "database", "load", "load"]
    trips = [one["round_trip_ms"]["mean"] for one in content["network"]]
    # From both load hosts to the server, and from there to the database: each way once over the slow wire.
    assert len(trips) == 3
    assert all(2 * delay_ms < trip < 2 * delay_ms + 5 for trip in trips)
    assert metrics["latency_mean_ms"] > 2 * delay_ms
    assert any("ran there already" in warning for warning in content["warnings"])
    assert "load-2" in write(folder).read_text()
    assert "load-2" in console.file.getvalue()
