"""What processes use: CPU, memory, threads, context switches and bytes of whole process trees, every second.

Read from /proc and, for bytes, from the kernel's socket diagnostics (sock_diag(7)), because no file tells the bytes of
one process: every loopback connection is told apart by its ports.

Counters of a tree never go backwards: what a child used is kept when it ends. CPU time is that of each process's own
clock (clock_getcpuclockid(3)), in nanoseconds. It also counts children that came and went between two samples, as far
as their parent waits for them: cutime and cstime of proc_pid_stat(5). Only its parts, user and system, are in ticks of
10 ms, of which a process that does little, one of many, may not have used a single one.
"""

import contextlib
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from samewire.process import proportional_set_size

TICK = 1 / os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")

_LATENCY_AND_ERRORS = (
    "latency_mean_ms",
    "latency_sd_ms",
    "latency_p50_ms",
    "latency_p99_ms",
    "latency_p999_ms",
    "error_share",
)
_MEMORY_AND_THREADS = ("pss_idle_bytes", "pss_peak_bytes", "rss_peak_bytes", "threads_idle", "threads_peak")

METRICS = (
    "throughput_rps",
    *_LATENCY_AND_ERRORS,
    "cpu_us_per_request",
    "cpu_share",
    *_MEMORY_AND_THREADS,
    "switches_per_request",
    "bytes_per_answer",
    "database_cpu_us_per_request",
    "generator_cpu_us_per_request",
    "generator_share",
)
"""The figures of a run with requests, as run.json names them."""

CONVERSATION_METRICS = (
    "deliveries_per_s",
    *_LATENCY_AND_ERRORS,
    "cpu_us_per_delivery",
    "cpu_share",
    *_MEMORY_AND_THREADS,
    "switches_per_delivery",
    "bytes_per_s",
    "sends_per_s",
    "receives_per_s",
    "bytes_per_send",
    "bytes_per_send_sd",
    "bytes_per_receive",
    "bytes_per_receive_sd",
    "generator_cpu_us_per_delivery",
    "generator_share",
)
"""The figures of a run with a conversation."""

_OF_UPLOADS = (
    "throughput_rps",
    "uploaded_bytes_per_s",
    "latency_mean_ms",
    "latency_sd_ms",
    "latency_mad_ms",
    "latency_cv",
    "error_share",
    "cpu_us_per_request",
    "cpu_share",
    "cpu_share_sd",
    "iowait_share",
    "switches_per_s",
    "generator_share",
)

UPLOAD_METRICS = (*_OF_UPLOADS, *_MEMORY_AND_THREADS)
"""The figures of a run with uploads: means over its samples, memory and threads of the whole run."""

SAMPLE_METRICS = (*_OF_UPLOADS, "latency_p50_ms", "latency_p99_ms")
"""The figures of each sample of a run with uploads."""


def error_share(load: Mapping) -> float | None:
    """Errors by requests of a load, None without a request."""
    return sum(load["errors"].values()) / load["requests"] if load["requests"] else None


def cpu_us_per(number: int, seconds: float, cores: float | None) -> float | None:
    """CPU in µs for each of so many in that time, where so many cores were busy; None without one, or if not known."""
    return None if cores is None or not number else cores / (number / seconds) * 1e6


def of_sample(metric: str, sample: str) -> str:
    """The metric of one sample of uploads, called like `latency_mean_ms of sample 3`."""
    return f"{metric} of sample {sample}"


def bytes_per_answer(request: str) -> str:
    """The metric of the answers to one request of several, called like `GET /info`."""
    return f"bytes_per_answer of {request}"


PSS_BUDGET = 0.005
"""The share of a core that reading proportional memory may cost for one tree; a large tree is read less often."""


@dataclass(frozen=True)
class _Stat:
    """The fields of /proc/PID/stat that count here; times in ticks, memory in pages.

    `user` and `system` include `children`, the time of those that were waited for.
    """

    parent: int
    user: int
    system: int
    children: int
    threads: int
    started: int
    resident: int


def _read(path: str) -> bytes:
    """A file of /proc, without the cost of file objects; empty when the process is gone."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, 1 << 16)
    except OSError:
        return b""
    finally:
        os.close(file)


def _read_stat(pid: str) -> _Stat | None:
    text = _read(f"/proc/{pid}/stat")
    if not text:
        return None
    # The second field is the command in parentheses and may hold anything; fields are counted from behind it.
    fields = text[text.rindex(b")") + 2 :].split()
    user, system, children_user, children_system = map(int, fields[11:15])
    return _Stat(
        int(fields[1]),
        user + children_user,
        system + children_system,
        children_user + children_system,
        int(fields[17]),
        int(fields[19]),
        int(fields[21]),
    )


def _processes() -> dict[int, _Stat]:
    """Every process of the machine, ended ones that nobody has waited for included."""
    stats = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (stat := _read_stat(name)):
            stats[int(name)] = stat
    return stats


def _cpu_s(pid: int, stat: _Stat) -> float:
    """CPU time of a process and of its children that it has waited for."""
    try:
        # The clock of a process by its number, as clock_getcpuclockid(3) of glibc makes it: CPUCLOCK_SCHED is 2.
        return time.clock_gettime((~pid << 3) | 2) + stat.children * TICK
    except OSError:
        return (stat.user + stat.system) * TICK


def _switches(pid: int) -> dict[int, tuple[int, int]]:
    """Voluntary and involuntary context switches by thread: the file of a process tells those of its first thread."""
    switches = {}
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            # The last two lines of the file: a name and a number each.
            if words := _read(f"/proc/{pid}/task/{thread}/status")[-90:].split():
                switches[int(thread)] = int(words[-3]), int(words[-1])
    return switches


@dataclass(frozen=True)
class Usage:
    """What a tree has used since sampling began (`cpu_*`, switches, bytes) and holds now (memory, threads).

    `cpu_s` is CPU time in user and kernel mode; `cpu_user_s` and `cpu_system_s` are its parts as far as ticks tell.
    `pss_bytes` is None where it was left out because of its cost, `bytes_*` where the kernel does not tell.
    """

    cpu_s: float
    cpu_user_s: float
    cpu_system_s: float
    voluntary_switches: int
    involuntary_switches: int
    bytes_in: int | None
    bytes_out: int | None
    rss_bytes: int
    pss_bytes: int | None
    threads: int
    processes: int

    @property
    def switches(self) -> int:
        """Context switches of both kinds."""
        return self.voluntary_switches + self.involuntary_switches


class _Counter:
    """Sums of counters whose owners come and go: never smaller than before."""

    def __init__(self, width: int) -> None:
        self.total = [0] * width
        self._last: dict[object, tuple[int, ...]] | None = None

    def update(self, now: Mapping[object, tuple[int, ...]]) -> None:
        """Add what each owner has counted since the last call; a new owner began at 0."""
        if self._last is None:
            self._last = dict(now)
            return
        for owner, counts in now.items():
            before = self._last.get(owner, (0,) * len(self.total))
            for position, (count, old) in enumerate(zip(counts, before, strict=True)):
                # A smaller count is that of a new owner of the same number.
                self.total[position] += count - old if count >= old else count
        self._last.update(now)


class Tree:
    """A process with all its descendants, sampled again and again."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._cpu_before: tuple[float, int, int] | None = None
        self._cpu = [0.0, 0, 0]
        self._switches = _Counter(2)
        self._pss_not_before = 0.0

    def sample(self, processes: Mapping[int, _Stat], traffic: tuple[int, int] | None, pss: bool = False) -> Usage:
        """The tree's usage now. `pss` reads proportional memory at any cost."""
        members = _members(self.pid, processes)
        # The sum stays when a child ends, since its parent's cutime takes over; it only drops with a child that nobody
        # waited for.
        cpu = (
            sum(_cpu_s(pid, stat) for pid, stat in members.items()),
            sum(stat.user for stat in members.values()),
            sum(stat.system for stat in members.values()),
        )
        if self._cpu_before is not None:
            for position in range(3):
                self._cpu[position] += max(0, cpu[position] - self._cpu_before[position])
        self._cpu_before = cpu
        self._switches.update(
            {(pid, thread): counts for pid in members for thread, counts in _switches(pid).items()},
        )
        return Usage(
            cpu_s=self._cpu[0],
            cpu_user_s=self._cpu[1] * TICK,
            cpu_system_s=self._cpu[2] * TICK,
            voluntary_switches=self._switches.total[0],
            involuntary_switches=self._switches.total[1],
            bytes_in=traffic[0] if traffic else None,
            bytes_out=traffic[1] if traffic else None,
            rss_bytes=sum(stat.resident for stat in members.values()) * PAGE,
            pss_bytes=self._read_pss(members, pss),
            threads=sum(stat.threads for stat in members.values()),
            processes=len(members),
        )

    def _read_pss(self, members: Mapping[int, _Stat], at_any_cost: bool) -> int | None:
        begin = time.monotonic()
        if begin < self._pss_not_before and not at_any_cost:
            return None
        pss = sum(proportional_set_size(pid) for pid in members)
        cost = time.monotonic() - begin
        self._pss_not_before = begin + cost / PSS_BUDGET
        return pss


def _members(root: int, processes: Mapping[int, _Stat]) -> dict[int, _Stat]:
    """The processes of a tree; none when its root is gone."""
    children: dict[int, list[int]] = {}
    for pid, stat in processes.items():
        children.setdefault(stat.parent, []).append(pid)
    members = {}
    pending = [root] if root in processes else []
    while pending:
        pid = pending.pop()
        members[pid] = processes[pid]
        pending += children.get(pid, [])
    return members


# inet_diag_req_v2 and inet_diag_msg of <linux/inet_diag.h>, tcp_info of <linux/tcp.h>.
_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_DUMP_REQUEST = 0x301
_NLMSG_ERROR, _NLMSG_DONE = 2, 3
_INET_DIAG_INFO = 2
_ESTABLISHED = 1 << 1
_ACKED_OFFSET, _RECEIVED_OFFSET = 120, 128


def established_sockets() -> dict[tuple[int, int, int], tuple[int, int]] | None:
    """Bytes received and sent by every established TCP socket: (local port, remote port, cookie) → (in, out).

    None where the kernel does not tell.
    """
    sockets: dict[tuple[int, int, int], tuple[int, int]] = {}
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG) as netlink:
            netlink.settimeout(1)
            # Java's sockets are IPv6 ones even for IPv4 addresses.
            for family in (socket.AF_INET, socket.AF_INET6):
                for message in _dump(netlink, family):
                    _add_socket(message, sockets)
    except OSError:
        return None
    return sockets


def _dump(netlink: socket.socket, family: int) -> Iterator[memoryview]:
    """The messages with which the kernel describes each established socket of a family. Raises OSError."""
    wanted = 1 << (_INET_DIAG_INFO - 1)
    request = struct.pack("=BBBBI", family, socket.IPPROTO_TCP, wanted, 0, _ESTABLISHED) + bytes(48)
    netlink.send(struct.pack("=IHHII", 16 + len(request), _SOCK_DIAG_BY_FAMILY, _DUMP_REQUEST, 1, 0) + request)
    while True:
        data = memoryview(netlink.recv(1 << 18))
        while data:
            length, kind = struct.unpack_from("=IH", data)
            if kind == _NLMSG_DONE:
                return
            if kind == _NLMSG_ERROR:
                raise OSError("the kernel has no socket diagnostics")
            yield data[16:length]
            data = data[(length + 3) & ~3 :]


def _add_socket(message: memoryview, sockets: dict[tuple[int, int, int], tuple[int, int]]) -> None:
    local, remote = struct.unpack_from(">HH", message, 4)
    (cookie,) = struct.unpack_from("=Q", message, 44)
    attributes = message[72:]
    while len(attributes) >= 4:
        length, kind = struct.unpack_from("=HH", attributes)
        if kind == _INET_DIAG_INFO and length >= 4 + _RECEIVED_OFFSET + 8:
            (acked,) = struct.unpack_from("=Q", attributes, 4 + _ACKED_OFFSET)
            (received,) = struct.unpack_from("=Q", attributes, 4 + _RECEIVED_OFFSET)
            sockets[local, remote, cookie] = received, acked
        attributes = attributes[(length + 3) & ~3 :]


class _Traffic:
    """Bytes of server, database and generator, told apart by the ports of server and database.

    Where these two are `apart`, in networks of their own, only the generator's sockets are seen.
    """

    def __init__(self, server_port: int, database_port: int | None, apart: bool) -> None:
        self._server, self._database, self._apart = server_port, database_port, apart
        self._counters = {name: _Counter(2) for name in ("server", "database", "generator")}

    def update(self) -> dict[str, tuple[int, int] | None]:
        sockets = established_sockets()
        if sockets is None:
            return dict.fromkeys(self._counters)
        owned: dict[str, dict[object, tuple[int, ...]]] = {name: {} for name in self._counters}
        for key, counts in sockets.items():
            local, remote, _ = key
            if self._server == local or (self._database and self._database == remote):
                owned["server"][key] = counts
            elif self._server == remote:
                owned["generator"][key] = counts
            elif self._database == local:
                owned["database"][key] = counts
        for name, counter in self._counters.items():
            counter.update(owned[name])
        return {
            name: None if self._apart and name != "generator" else (counter.total[0], counter.total[1])
            for name, counter in self._counters.items()
        }


@dataclass(frozen=True)
class CoreTimes:
    """Ticks of one core since boot, from /proc/stat."""

    busy: int
    idle: int
    steal: int
    iowait: int = 0


def core_times() -> dict[int, CoreTimes]:
    """The times of every core. `busy` holds everything but idling, waiting for a disk (`iowait`), and stolen time."""
    cores = {}
    for line in _read("/proc/stat").decode().splitlines():
        name, *values = line.split()
        if name.startswith("cpu") and name != "cpu":
            user, nice, system, idle, wait, irq, softirq, steal = map(int, values[:8])
            cores[int(name[3:])] = CoreTimes(user + nice + system + irq + softirq, idle, steal, wait)
    return cores


@dataclass(frozen=True)
class Snapshot:
    """All that is sampled at one moment; `at` is that of time.monotonic()."""

    at: float
    trees: Mapping[str, Usage]
    cores: Mapping[int, CoreTimes]
    harness_cpu_s: float


@dataclass(frozen=True)
class Window:
    """What happened between two snapshots."""

    begin: Snapshot
    end: Snapshot

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end.at - self.begin.at

    def cpu_rate(self, tree: str) -> float | None:
        """Cores that a tree kept busy on average; None for a tree that is not ours to watch."""
        if tree not in self.begin.trees or tree not in self.end.trees:
            return None
        return (self.end.trees[tree].cpu_s - self.begin.trees[tree].cpu_s) / self.seconds

    def switch_rate(self, tree: str) -> float:
        """Context switches of a tree per second."""
        return (self.end.trees[tree].switches - self.begin.trees[tree].switches) / self.seconds

    def _share(self, cores: frozenset[int] | None, kind: str) -> float:
        total = part = 0
        for core in self.end.cores if cores is None else cores:
            for name in ("busy", "idle", "steal", "iowait"):
                ticks = getattr(self.end.cores[core], name) - getattr(self.begin.cores[core], name)
                total += ticks
                part += ticks if name == kind else 0
        return part / total if total else 0.0

    def busy_share(self, cores: frozenset[int]) -> float:
        """The share of the time in which these cores were busy, with whatever."""
        return self._share(cores, "busy")

    def iowait_share(self, cores: frozenset[int]) -> float:
        """The share of the time in which these cores had nothing to do but to wait for a disk."""
        return self._share(cores, "iowait")

    def steal_share(self) -> float:
        """The share of the time of all cores that the hypervisor gave to others."""
        return self._share(None, "steal")

    def other_load(self) -> float:
        """Cores that were busy with something that is not sampled."""
        busy = self._share(None, "busy") * len(self.end.cores)
        harness = (self.end.harness_cpu_s - self.begin.harness_cpu_s) / self.seconds
        return max(0.0, busy - harness - sum(self.cpu_rate(tree) or 0.0 for tree in self.end.trees))


@dataclass
class Cost:
    """What sampling itself costs: CPU seconds over a time in seconds."""

    cpu_s: float = 0.0
    samples: int = 0
    began: float = field(default_factory=time.monotonic)

    def as_dict(self) -> dict[str, float | int]:
        """The cost as run.json holds it."""
        share = self.cpu_s / max(time.monotonic() - self.began, 1e-9)
        return {"samples": self.samples, "cpu_s": round(self.cpu_s, 4), "share_of_a_core": round(share, 5)}


class Sampler:
    """Samples process trees every second from a thread of its own, and at once when asked.

    `trees` are the roots by name: `server`, `database`, `generator`, whose connections ports tell apart, and any other.
    `apart`: server and database run in containers, whose own connections are not seen from here.
    """

    def __init__(
        self,
        trees: Mapping[str, int],
        server_port: int,
        database_port: int | None,
        interval: float = 1.0,
        apart: bool = False,
    ) -> None:
        self._trees = {name: Tree(pid) for name, pid in trees.items()}
        self._traffic = _Traffic(server_port, database_port, apart)
        self._interval = interval
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.snapshots: list[Snapshot] = []
        self.cost = Cost()

    def snapshot(self, pss_of: str | None = None) -> Snapshot:
        """Sample now. `pss_of` names a tree of which proportional memory is read even if that is expensive."""
        with self._lock:
            begin = time.thread_time()
            at = time.monotonic()
            processes = _processes()
            traffic = self._traffic.update()
            trees = {
                name: tree.sample(processes, traffic.get(name), name == pss_of) for name, tree in self._trees.items()
            }
            snapshot = Snapshot(at, trees, core_times(), time.process_time())
            self.cost.cpu_s += time.thread_time() - begin
            self.cost.samples += 1
            return snapshot

    def start(self) -> Snapshot:
        """Begin to sample every second; the first snapshot."""
        first = self.snapshot()
        self.snapshots.append(first)
        self._thread = threading.Thread(target=self._run, args=(first.at,), daemon=True, name="sampler")
        self._thread.start()
        return first

    def _run(self, began: float) -> None:
        # Against the clock of the beginning, so that delays do not add up.
        due = began + self._interval
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            self.snapshots.append(self.snapshot())
            due += self._interval

    def stop(self) -> None:
        """End sampling; safe to call twice."""
        self._stopping.set()
        if self._thread:
            self._thread.join()

    def series(self, tree: str) -> list[dict[str, float | int | None]]:
        """One row for each second of a tree: what it used in that second, what it held at its end."""
        rows = []
        for before, now in zip(self.snapshots, self.snapshots[1:], strict=False):
            then, usage = before.trees[tree], now.trees[tree]
            rows.append(
                {
                    "t_s": round(now.at - self.snapshots[0].at, 3),
                    "cpu_s": round(usage.cpu_s - then.cpu_s, 6),
                    "cpu_user_s": round(usage.cpu_user_s - then.cpu_user_s, 3),
                    "cpu_system_s": round(usage.cpu_system_s - then.cpu_system_s, 3),
                    "rss_bytes": usage.rss_bytes,
                    "pss_bytes": usage.pss_bytes,
                    "threads": usage.threads,
                    "processes": usage.processes,
                    "voluntary_switches": usage.voluntary_switches - then.voluntary_switches,
                    "involuntary_switches": usage.involuntary_switches - then.involuntary_switches,
                    "bytes_in": _difference(usage.bytes_in, then.bytes_in),
                    "bytes_out": _difference(usage.bytes_out, then.bytes_out),
                }
            )
        return rows


def _difference(now: int | None, then: int | None) -> int | None:
    return None if now is None or then is None else now - then
