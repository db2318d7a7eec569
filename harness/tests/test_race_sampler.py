import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from samewire.race import processes
from samewire.race.processes import Usage, start_of
from samewire.race.sampler import Sampler
from samewire.race.snapshots import CoreTimes, Snapshot, Window, core_times, used_by_all
from samewire.race.traffic import established_sockets

BURN = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"
# A parent whose children come and go, each within a sample.
PARENT = f"""
import subprocess, sys, time
for _ in range(4):
    subprocess.run([sys.executable, "-c", {BURN.format(0.1)!r}])
print("done", flush=True)
time.sleep(30)
"""

# 30 MiB and a second thread.
SLEEPER = """
import threading, time
threading.Thread(target=time.sleep, args=(30,)).start()
block = bytearray(30 << 20)
print(flush=True)
time.sleep(30)
"""


# 20 children that each work for 6 ms when told to, and stay; the sum of what they used is printed.
MANY_THAT_DO_LITTLE = """
import os, sys, time
go, done, alive = os.pipe(), os.pipe(), os.pipe()
for _ in range(20):
    if not os.fork():
        os.close(alive[1])
        os.read(go[0], 1)
        began = time.process_time()
        while time.process_time() < began + 0.006:
            pass
        os.write(done[1], f"{time.process_time() - began:.6f}\\n".encode())
        os.read(alive[0], 1)  # until the parent is gone
        os._exit(0)
print("ready", flush=True)
sys.stdin.readline()
os.write(go[1], b"x" * 20)
with os.fdopen(done[0]) as used:
    print(sum(float(used.readline()) for _ in range(20)), flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def spawn():
    started = []

    def run(code, **options):
        process = subprocess.Popen([sys.executable, "-c", code], **options)
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def _sampler(pid, interval=1.0, port=1):
    return Sampler({"server": pid}, port, None, interval)


def test_children_that_came_and_went_are_counted(spawn):
    parent = spawn(PARENT, stdout=subprocess.PIPE, text=True)
    sampler = _sampler(parent.pid)
    sampler.snapshot()
    used = []
    while parent.poll() is None and len(used) < 1000:
        usage = sampler.snapshot().trees["server"]
        used.append(
            (usage.cpu_s, usage.cpu_user_s, usage.cpu_system_s, usage.voluntary_switches, usage.involuntary_switches)
        )
        if usage.cpu_s > 0.4 and usage.processes == 1:
            break
        time.sleep(0.01)
    assert parent.stdout.readline() == "done\n"
    for before, now in pairwise(used):
        assert all(a <= b for a, b in zip(before, now, strict=True))
    usage = sampler.snapshot().trees["server"]
    assert 0.35 < usage.cpu_s < 3
    assert usage.switches > 4


def test_what_many_processes_use_is_counted_though_none_has_used_a_tick(spawn):
    parent = spawn(MANY_THAT_DO_LITTLE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    parent.stdout.readline()
    sampler = _sampler(parent.pid)
    sampler.snapshot()
    parent.stdin.write("\n")
    parent.stdin.flush()
    own = float(parent.stdout.readline())
    usage = sampler.snapshot().trees["server"]
    assert usage.processes == 1 + 20
    # Not twice; a clock may run on while a hypervisor holds its process, for some of these 120 ms.
    assert 0.1 < own <= usage.cpu_s < 2 * own


def test_memory_threads_and_processes_of_a_tree(spawn):
    child = spawn(SLEEPER, stdout=subprocess.PIPE)
    child.stdout.readline()
    usage = _sampler(child.pid).snapshot(pss_of="server").trees["server"]
    assert (usage.threads, usage.processes) == (2, 1)
    assert usage.rss_bytes >= usage.pss_bytes > 30 << 20


def test_a_tree_whose_root_is_gone_uses_nothing(spawn):
    child = spawn("pass")
    child.wait()
    usage = _sampler(child.pid).snapshot().trees["server"]
    assert (usage.processes, usage.rss_bytes, usage.threads) == (0, 0, 0)


def test_expensive_memory_is_read_less_often(monkeypatch):
    monkeypatch.setattr(processes, "proportional_set_size", lambda pid: time.sleep(0.005) or 7)
    sampler = _sampler(os.getpid())
    assert sampler.snapshot().trees["server"].pss_bytes
    assert sampler.snapshot().trees["server"].pss_bytes is None
    assert sampler.snapshot(pss_of="server").trees["server"].pss_bytes


@pytest.mark.skipif(established_sockets() is None, reason="this kernel has no socket diagnostics")
@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")])
def test_bytes_are_told_apart_by_ports(family, address):
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(family) as client:
        port = listener.getsockname()[1]
        sampler = Sampler({"server": os.getpid(), "generator": os.getpid()}, port, None)
        sampler.snapshot()
        client.connect((address, port))
        served, _ = listener.accept()
        client.sendall(b"x" * 1000)
        with served:
            assert len(served.recv(1000, socket.MSG_WAITALL)) == 1000
            served.sendall(b"y" * 3000)
            assert len(client.recv(3000, socket.MSG_WAITALL)) == 3000
            trees = sampler.snapshot().trees
        # A connection that is gone keeps what it has counted; the handshake counts one byte.
        gone = sampler.snapshot().trees
    for usage in (trees, gone):
        assert usage["server"].bytes_in == pytest.approx(1000, abs=2)
        assert usage["server"].bytes_out == pytest.approx(3000, abs=2)
        assert usage["generator"].bytes_in == pytest.approx(3000, abs=2)


@pytest.mark.skipif(established_sockets() is None, reason="this kernel has no socket diagnostics")
def test_bytes_of_what_is_in_another_network_are_not_known():
    trees = {"server": os.getpid(), "generator": os.getpid()}
    usage = Sampler(trees, 8080, None, apart=True).snapshot().trees
    assert usage["server"].bytes_in is None
    assert usage["generator"].bytes_in == 0


def test_a_row_for_every_interval(spawn):
    child = spawn(BURN.format(30))
    sampler = _sampler(child.pid, interval=0.1)
    sampler.start()
    deadline = time.monotonic() + 30
    while not (rows := sampler.series("server")) or sum(row.cpu_user_s for row in rows) <= 0.05:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    sampler.stop()
    sampler.stop()
    rows = sampler.series("server")
    # A busy machine may delay one, but none comes early.
    assert all(row.t_s >= 0.1 * number - 0.001 for number, row in enumerate(rows, 1))
    assert [row.t_s for row in rows] == sorted({row.t_s for row in rows})
    assert sum(row.cpu_s for row in rows) > 0.05
    assert sampler.cost.as_dict()["samples"] == len(rows) + 1


def test_a_delay_is_made_up_for():
    sampler = _sampler(os.getpid())
    waits = []

    class Stopping:
        def wait(self, seconds):
            waits.append(seconds)
            return seconds > 0

    sampler._stopping = Stopping()
    sampler._run(began=time.monotonic() - 3.5)
    assert waits[:3] == [0, 0, 0]
    assert len(sampler.snapshots) == len(waits) - 1
    # On time again, by the clock of the beginning.
    assert 0 < waits[-1] < 1


def _usage(cpu, switches=0):
    return Usage(cpu, cpu, 0.0, switches, 0, 0, 0, 0, 0, 1, 1)


def _snapshot(at, server_cpu, generator_cpu, cores, harness=0.0):
    trees = {"server": _usage(server_cpu, switches=int(server_cpu * 100)), "generator": _usage(generator_cpu)}
    return Snapshot(at, trees, {number: CoreTimes(*times) for number, times in enumerate(cores)}, harness)


def test_what_else_ran_is_told_by_the_clock_where_that_is_known():
    """Ticks say that both cores were busy all the time."""
    busy, idle = [(0, 0, 0), (0, 0, 0)], [(1000, 0, 0), (1000, 0, 0)]
    begin, end = _snapshot(10.0, 1.0, 1.0, busy), _snapshot(20.0, 6.0, 5.0, idle, harness=0.5)
    assert Window(begin, end).other_load() == pytest.approx(1.05)
    begin, end = replace(begin, used_by_all_s=100.0), replace(end, used_by_all_s=111.5)
    assert Window(begin, end).other_load() == pytest.approx(0.2)


def test_all_that_runs_is_counted():
    if (before := used_by_all()) is None:
        pytest.skip("no control groups of version 1")
    subprocess.run([sys.executable, "-c", BURN.format(0.3)], check=True)
    assert 0.3 <= used_by_all() - before < 30


def test_what_a_window_says():
    window = Window(
        _snapshot(10.0, 1.0, 1.0, [(100, 900, 0), (500, 500, 0)]),
        _snapshot(20.0, 10.0, 3.0, [(1050, 950, 0), (900, 1060, 40)], harness=0.5),
    )
    assert window.cpu_rate("server") == pytest.approx(0.9)
    assert window.cpu_rate("database") is None
    assert window.switch_rate("server") == pytest.approx(90)
    assert window.busy_share(frozenset({0})) == pytest.approx(0.95)
    assert window.busy_share(frozenset({0, 1})) == pytest.approx(1350 / 2000)
    assert window.iowait_share(frozenset({0})) == 0
    assert window.steal_share() == pytest.approx(40 / 2000)
    # 1.35 cores were busy: 0.9 with the server, 0.2 with the generator, 0.05 with the harness.
    assert window.other_load() == pytest.approx(0.2)


def test_waiting_for_a_disk_is_neither_busy_nor_idle():
    begin, end = (_snapshot(at, at, 0.0, [times]) for at, times in ((0.0, (0, 0, 0, 0)), (1.0, (60, 10, 0, 30))))
    window = Window(begin, end)
    assert window.iowait_share(frozenset({0})) == pytest.approx(0.3)
    assert window.busy_share(frozenset({0})) == pytest.approx(0.6)


def test_core_times_of_this_machine():
    cores = core_times()
    assert set(cores) >= os.sched_getaffinity(0)
    assert all(times.busy + times.idle > 0 for times in cores.values())


def test_the_start_of_a_server_is_counted_from_its_first_process():
    busy = "end = time.process_time() + 0.2\nwhile time.process_time() < end: pass"
    program = f"import time\n{busy}\nprint('ready', flush=True)\ninput()"
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        start = start_of(process.pid)
        took = time.monotonic() - began
        process.communicate("\n")
    assert 0.2 <= start.cpu_s < 2
    assert start.seconds == pytest.approx(took, abs=0.1)
