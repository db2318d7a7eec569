"""Synthetic run.json of all kinds: made-up figures in the shape of a real race, for tests of the report alone."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hdrh.histogram import HdrHistogram
from scipy import stats

STAND_IN = "MongoDB wire protocol, stand-in mongo-java-server 1.47.0, in memory, not durable"
RAMP_UP, HOLD, RAMP_DOWN = 5, 45, 10
SECONDS = RAMP_UP + HOLD + RAMP_DOWN
USERS = 40


@dataclass(frozen=True)
class Entrant:
    """What the figures of one server are drawn around."""

    id: str
    http: str
    concurrency: str
    store: str
    rps: float
    cpu_us: float
    database_us: float
    mib: tuple[float, float]
    threads: tuple[int, int]
    switches: float
    spread: float
    error_share: float = 0.0


SIX = tuple(
    Entrant(*values)
    for values in (
        ("servers-node/shortener-pg", "node:http", "event-loop", "postgresql",
         6150, 118, 74, (64, 121), (11, 11), 0.31, 0.45),
        ("servers-java/shortener-netty-pg", "netty", "event-loop", "postgresql",
         6200, 96, 75, (118, 236), (17, 19), 0.52, 0.4),
        ("servers-php/shortener-apache-pg", "apache", "process-per-request", "postgresql",
         3900, 171, 82, (92, 148), (41, 41), 2.4, 0.7),
        ("servers-node/shortener-mongodb", "node:http", "event-loop", "mongodb",
         5100, 176, 41, (71, 138), (11, 15), 0.4, 0.5),
        ("servers-java/shortener-netty-mongodb", "netty", "event-loop", "mongodb",
         5650, 121, 43, (126, 251), (21, 24), 0.71, 0.42),
        ("servers-php/shortener-apache-<script>alert(1)</script>", "apache", "process-per-request", "mongodb",
         3200, 212, 47, (97, 163), (41, 41), 2.9, 0.75, 0.0004),
    )
)  # fmt: skip

COMPARED = (
    "throughput_rps", "latency_mean_ms", "latency_p50_ms", "latency_p99_ms", "latency_p999_ms", "cpu_us_per_request",
    "pss_idle_bytes", "pss_peak_bytes", "threads_peak", "switches_per_request",
)  # fmt: skip


def synthetic_run(*, rounds: int = 5, entrants: Sequence[Entrant] = SIX, seed: int = 20261121) -> dict[str, Any]:
    """A whole run.json: three servers on PostgreSQL, the upper two too close to tell apart, and three on a stand-in."""
    rng = np.random.default_rng(seed)
    runs = []
    for number in range(1, rounds + 1):
        for position, place in enumerate(rng.permutation(len(entrants)), start=1):
            runs.append({"round": number, "position": position, **_run(entrants[place], number, rng)})
    summary = {e.id: _summary([run["metrics"] for run in runs if run["server"] == e.id]) for e in entrants}
    return {
        "schema": 1,
        "experiment": {
            "name": "shortener",
            "title": "URL shortener: three stacks on two databases",
            "service": "shortener",
            "study": {
                "title": "Synthetic study of link shorteners", "authors": "N. N.",
                "note": "The study fixed neither cores nor memory; here it is `server_cores`.",
            },
        },
        "profile": "quick",
        "seed": seed,
        "started_at": "2026-11-21T03:43:00+00:00",
        "finished_at": "2026-11-21T03:50:12+00:00",
        "parameters": {
            "users": USERS, "ramp_up_s": RAMP_UP, "hold_s": HOLD, "ramp_down_s": RAMP_DOWN, "warm_up_s": 5,
            "rounds": rounds, "links": 1_000_000, "list_length": 2007, "invalid_share": 0.1,
        },
        "machine": {
            "cpu_model": "Synthetic CPU @ 2.50GHz", "cores": 2, "memory_bytes": 8 * 2**30, "kernel": "6.1.0",
            "os": "Debian GNU/Linux 12", "toolchains": {"node": "24.21.0", "jdk": "25.0.1", "php": "8.2.29"},
        },
        "placement": {"server": [0], "database": [1], "generator": [1]},
        "generator": {"name": "Hyperfoil", "version": "0.25.2"},
        "databases": {
            "postgresql": {"label": "PostgreSQL 18.6", "version": "18.6", "stand_in": False},
            "mongodb": {"label": STAND_IN, "version": "1.47.0", "stand_in": True},
        },
        "servers": [_server(entrant) for entrant in entrants],
        "runs": runs,
        "summary": summary,
        "comparisons": _comparisons(entrants, runs, COMPARED),
        "findings": FINDINGS,
        "warnings": [
            "The machine was not quiet: other processes used 14 % of the CPU in rounds 2 and 4.",
            "The generator shared a core with the database; in 3 runs it used more than 80 % of what was left.",
        ],
    }  # fmt: skip


def write_synthetic_run(folder: Path, *, make: Callable[..., dict[str, Any]] = synthetic_run, **wanted: Any) -> Path:
    """A run folder with a synthetic run.json in it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(make(**wanted)))
    return folder


@dataclass(frozen=True)
class Talker:
    """What the figures of one chat server are drawn around."""

    id: str
    http: str
    concurrency: str
    transport: str
    cpu_us: float
    late_ms: float
    spread: float
    receives_per_s: float
    send_bytes: float
    receive_bytes: float
    mib: tuple[float, float]
    threads: tuple[int, int]
    switches: float
    missed_share: float = 0.0
    store: str = "memory"


ROOM = tuple(
    Talker(*values)
    for values in (
        ("servers-node/chat-polling", "node:http", "event-loop", "polling",
         21.4, 252, 0.6, 80, 612, 3100, (61, 92), (11, 11), 0.09),
        ("servers-node/chat-socketio", "node:http", "event-loop", "socket.io",
         20.1, 2.4, 0.5, 1560, 141, 138, (66, 97), (11, 11), 0.61),
        ("servers-node/chat-socketio:batched", "node:http", "event-loop", "socket.io-batched",
         12.3, 251, 0.6, 80, 140, 2480, (66, 95), (11, 11), 0.07),
        ("servers-java/chat-netty-socketio", "netty", "event-loop", "socket.io",
         20.3, 1.9, 0.5, 1560, 143, 137, (118, 186), (19, 21), 0.83),
        ("servers-java/chat-spring", "Tomcat", "thread-per-request", "polling",
         31.2, 254, 0.6, 80, 655, 3140, (171, 262), (31, 58), 0.4),
        ("servers-scala/chat-akka", "Akka HTTP", "actors", "polling",
         39.7, 255, 0.6, 80, 640, 3160, (182, 291), (35, 39), 0.66),
        ("servers-php/chat-apache", "Apache httpd", "process-per-request", "polling",
         68.4, 261, 0.7, 80, 690, 3230, (52, 139), (41, 41), 0.52, 0.0003),
    )
)  # fmt: skip

COMPARED_TALKING = (
    "deliveries_per_s", "latency_mean_ms", "latency_p99_ms", "cpu_us_per_delivery", "pss_peak_bytes",
    "switches_per_delivery", "bytes_per_s", "receives_per_s",
)  # fmt: skip


def synthetic_conversation(
    *, rounds: int = 5, entrants: Sequence[Talker] = ROOM, seed: int = 20261124
) -> dict[str, Any]:
    """A whole run.json of a chat room: one server costs least, the next three are too close to tell apart."""
    rng = np.random.default_rng(seed)
    order = [
        (number, talker)
        for number in range(1, rounds + 1)
        for talker in rng.permutation(np.array(entrants, dtype=object))
    ]
    runs = [{"round": number, **_talk(talker, number, rng)} for number, talker in order]
    record = synthetic_run(rounds=rounds, entrants=(), seed=seed)
    return record | {
        "experiment": {
            "name": "chat", "title": "Chat: polling, Socket.IO, and Socket.IO in batches", "service": "chat",
            "ranking": {"metric": "cpu_us_per_delivery", "best": "lowest"},
        },
        "parameters": {
            "kind": "conversation", "users": USERS, "message_every_s": 1, "poll_every_s": 0.5, "longest_text": 500,
            "rounds": rounds, "ramp_up_s": RAMP_UP, "hold_s": HOLD, "ramp_down_s": RAMP_DOWN,
        },
        "databases": {},
        "servers": [
            _server(talker)
            | {"service": "chat", "transport": talker.transport, "variant": talker.id.partition(":")[2]}
            for talker in entrants
        ],
        "runs": runs,
        "summary": {t.id: _summary([run["metrics"] for run in runs if run["server"] == t.id]) for t in entrants},
        "comparisons": _comparisons(entrants, runs, COMPARED_TALKING),
        "findings": [],
        "warnings": [],
    }  # fmt: skip


def _talk(talker: Talker, number: int, rng: np.random.Generator) -> dict[str, Any]:
    shape = np.minimum(1, np.minimum(np.arange(1, SECONDS + 1) / RAMP_UP, np.arange(SECONDS, 0, -1) / RAMP_DOWN))
    each = (USERS * (USERS - 1) * shape**2 * rng.lognormal(0, 0.01, SECONDS)).astype(int)
    deliveries, sends, receives = int(each.sum()), USERS * SECONDS, int(talker.receives_per_s * SECONDS)
    samples = rng.lognormal(0, talker.spread, 4000)
    samples = np.rint(samples * talker.late_ms * 1000 * rng.lognormal(0, 0.02) / samples.mean()).astype(int)
    p50, p90, p99, p999 = np.percentile(samples, [50, 90, 99, 99.9]) / 1000
    mean, sd, least, most = (float(f(samples)) / 1000 for f in (np.mean, np.std, np.min, np.max))
    noise = rng.lognormal(0, 0.015, 8)
    operations, failed = sends + receives, int((sends + receives) * talker.missed_share)
    errors = {"refused": 0, "connection": 0, "timeout": 0, "missed": failed, "repeated": 0}
    idle, peak = (mib * 2**20 * factor for mib, factor in zip(talker.mib, noise[:2], strict=True))
    cpu, sent, received = talker.cpu_us * noise[2], talker.send_bytes * noise[6], talker.receive_bytes * noise[7]
    rate, ours = deliveries / SECONDS, 9.4 * noise[4]
    used = {"cpu_s": 0.03, "cpu_user_s": 0.02, "cpu_system_s": 0.01, "rss_bytes": 50 << 20}
    return {
        "server": talker.id,
        "started_at": f"2026-11-24T03:{42 + number}:00+00:00",
        "load": {
            "requests": operations, "errors": errors, "duration_s": SECONDS, "deliveries": deliveries,
            "sends": {"count": sends, "bytes_mean": sent, "bytes_sd": 31.0},
            "receives": {"count": receives, "bytes_mean": received, "bytes_sd": 240.0},
            "latency_ms": {
                "mean": mean, "sd": sd, "min": least, "p50": p50, "p90": p90, "p99": p99, "p99.9": p999, "max": most,
            },
            "hdr": encoded(samples), "hdr_unit": "us",
            "series": [
                {"t_s": t, "users": round(USERS * shape[t - 1]), "requests": operations // SECONDS, "sends": USERS,
                 "receives": receives // SECONDS, "errors": 0, "deliveries": int(n), "mean_ms": mean, "p99_ms": p99}
                for t, n in enumerate(each, 1)
            ],
            "whole": {"requests": operations, "errors": errors},
        },
        "idle": {"pss_bytes": idle, "rss_bytes": idle * 1.2, "threads": talker.threads[0], "processes": 1},
        "processes": {part: [{"t_s": t, **used} for t in range(1, SECONDS + 1)] for part in ("server", "generator")},
        "metrics": {
            "deliveries_per_s": rate, "latency_mean_ms": mean, "latency_sd_ms": sd, "latency_p50_ms": p50,
            "latency_p99_ms": p99, "latency_p999_ms": p999, "error_share": failed / operations,
            "cpu_us_per_delivery": cpu, "cpu_share": cpu * rate / 1e6, "pss_idle_bytes": idle,
            "pss_peak_bytes": peak, "rss_peak_bytes": peak * 1.2, "threads_idle": talker.threads[0],
            "threads_peak": talker.threads[1], "switches_per_delivery": talker.switches * noise[3],
            "bytes_per_s": (sends * sent + receives * received) / SECONDS, "sends_per_s": sends / SECONDS,
            "receives_per_s": receives / SECONDS * noise[5], "bytes_per_send": sent, "bytes_per_send_sd": 31.0,
            "bytes_per_receive": received, "bytes_per_receive_sd": 240.0, "generator_cpu_us_per_delivery": ours,
            "generator_share": ours * rate / 1e6,
        },
        "warnings": [],
    }  # fmt: skip


@dataclass(frozen=True)
class Taker:
    """What the figures of one server that takes uploads are drawn around, sample by sample."""

    id: str
    http: str
    concurrency: str
    latency_ms: tuple[float, ...]
    cv: tuple[float, ...]
    cpu_share: tuple[float, ...]
    switches_per_s: tuple[float, ...]
    mib: tuple[float, float]
    threads: tuple[int, int]
    error_share: float = 0.0
    store: str = "files"


# The first two with figures near those that were published.
FOUR = (
    Taker(
        "servers-node/upload-express", "node:http", "event-loop",
        (428, 453, 463, 491, 785, 984, 1251, 1544, 814, 93),
        (1.70, 1.73, 1.79, 1.92, 1.46, 1.70, 1.49, 1.42, 1.04, 2.59),
        (0.69, 0.70, 0.68, 0.66, 0.62, 0.54, 0.36, 0.36, 0.26, 0.04),
        (656, 641, 646, 628, 657, 642, 669, 596, 735, 2008), (64, 121), (11, 11),
    ),
    Taker(
        "servers-java/upload-tomcat", "Tomcat", "thread-per-request",
        (585, 607, 627, 735, 1048, 1253, 1403, 1933, 1203, 134),
        (3.29, 3.05, 3.15, 3.32, 3.31, 2.84, 2.55, 2.42, 2.17, 1.94),
        (0.16, 0.12, 0.08, 0.14, 0.56, 0.47, 0.47, 0.54, 0.62, 0.02),
        (2586, 2326, 2334, 2114, 1263, 1320, 1153, 947, 796, 799), (118, 236), (38, 219), 0.001,
    ),
    Taker(
        "servers-php/upload-apache", "Apache httpd", "process-per-request",
        (702, 715, 740, 790, 980, 1190, 1490, 1870, 1010, 118), (2.4, 2.42, 2.45, 2.5, 2.3, 2.2, 2.0, 1.9, 1.6, 2.1),
        (0.84, 0.85, 0.83, 0.8, 0.78, 0.71, 0.62, 0.55, 0.43, 0.07),
        (3900, 3850, 3800, 3600, 2900, 2500, 2000, 1600, 1400, 1100), (92, 348), (41, 151),
    ),
    Taker(
        "servers-scala/upload-akka", "Akka HTTP", "actors",
        (560, 566, 590, 655, 860, 1090, 1330, 1650, 930, 101), (1.9, 1.92, 1.9, 2.1, 1.8, 1.9, 1.7, 1.5, 1.2, 2.3),
        (0.77, 0.78, 0.77, 0.74, 0.7, 0.66, 0.52, 0.47, 0.36, 0.05),
        (1480, 1460, 1430, 1400, 1210, 1180, 1100, 1050, 1190, 1620), (172, 305), (35, 39),
    ),
)  # fmt: skip

SAMPLES = [
    {"name": str(place), "users": users, "mean_bytes": mean, "sd_bytes": sd, "largest_bytes": round(mean + 12 * sd)}
    for place, (mean, sd, users) in enumerate(
        (
            (4.0, 5.0, 400), (55.0, 89.0, 400), (790.2, 451.1, 400), (5403.1, 3137.0, 400), (22857.4, 13272.3, 400),
            (59864.0, 34759.2, 400), (96838.3, 56227.0, 400), (156702.1, 90986.4, 400), (253540.2, 147214.1, 160),
            (410243.3, 238200.5, 10),
        ),
        start=1,
    )
]  # fmt: skip
SAMPLE_HOLD = 4

COMPARED_UPLOADING = (
    "latency_mean_ms", "latency_cv", "throughput_rps", "uploaded_bytes_per_s", "cpu_us_per_request", "switches_per_s",
    "pss_peak_bytes",
)  # fmt: skip


def synthetic_uploads(*, rounds: int = 5, entrants: Sequence[Taker] = FOUR, seed: int = 20261127) -> dict[str, Any]:
    """A whole run.json of uploads of ten samples of file sizes, each run in another order of them."""
    rng = np.random.default_rng(seed)
    runs = [
        {"round": number, "position": position, **_take(entrants[place], number, rng)}
        for number in range(1, rounds + 1)
        for position, place in enumerate(rng.permutation(len(entrants)), start=1)
    ]
    record = synthetic_run(rounds=rounds, entrants=(), seed=seed)
    return record | {
        "experiment": {
            "name": "upload", "title": "Uploads: ten samples of file sizes, latency and how much it varies",
            "service": "upload", "ranking": {"metric": "latency_mean_ms", "best": "lowest"},
            "study": {"title": "Synthetic study of uploads", "authors": "N. N.", "note": "Its disk is not here."},
        },
        "parameters": {
            "kind": "uploads", "users_share": 0.4, "files_per_sample": 10_000, "files_per_request": 2,
            "pareto_shape": 1.9, "timeout_s": 60.0, "rounds": rounds, "settle_s": 0.5, "warm_up_s": 5.0,
            "ramp_up_s": 1.0, "hold_s": SAMPLE_HOLD, "ramp_down_s": 1.0,
        },
        "samples": SAMPLES,
        "databases": {},
        "servers": [_server(taker) | {"service": "upload"} for taker in entrants],
        "runs": runs,
        "summary": {t.id: _summary([run["metrics"] for run in runs if run["server"] == t.id]) for t in entrants},
        "comparisons": _comparisons(entrants, runs, COMPARED_UPLOADING),
        "findings": FINDINGS_UPLOADING,
        "warnings": [],
    }  # fmt: skip


def synthetic_sweep(**wanted: Any) -> dict[str, Any]:
    """A whole run.json of a sweep over users: the samples of uploads are its steps, each of twice as many users."""
    record = synthetic_uploads(**wanted)
    named = {f"sample {sample['name']}": f"sample {2**place}" for place, sample in enumerate(record["samples"])}

    def as_steps(metrics: dict[str, Any]) -> dict[str, Any]:
        steps = {}
        for key, value in metrics.items():
            name, _, sample = key.partition(" of ")
            if sample:
                steps[f"{name} of {named[sample]}"] = value
        highest = metrics["throughput_rps of sample 1"]
        whole = {"highest_rps": highest, "knee_rps": highest} | {
            key: metrics[key] for key in ("error_share", "pss_peak_bytes")
        }
        return whole | steps

    for run in record["runs"]:
        run["metrics"] = as_steps(run["metrics"])
    return record | {
        "experiment": record["experiment"] | {"name": "sweep", "ranking": {"metric": "highest_rps", "best": "highest"}},
        "parameters": record["parameters"] | {"kind": "sweep", "over": "users"},
        "samples": [{"name": f"{2**place}", "users": 2**place, "load": 2.0**place} for place in range(len(named))],
        "summary": {server: as_steps(metrics) for server, metrics in record["summary"].items()},
        "comparisons": [],
        "findings": [],
    }


def _take(taker: Taker, number: int, rng: np.random.Generator) -> dict[str, Any]:
    samples, metrics = {}, {}
    for place, sample in enumerate(SAMPLES):
        noise = rng.lognormal(0, 0.03, 8)
        mean, cv = taker.latency_ms[place] * noise[0], taker.cv[place] * noise[1]
        rate = sample["users"] / mean * 1000
        requests, errors = int(rate * SAMPLE_HOLD), {"status": 0, "connection": int(rate * taker.error_share)}
        values = np.maximum(1, np.rint(rng.lognormal(0, np.log1p(cv**2) ** 0.5, 300) * mean * 1000)).astype(int)
        cpu, switches = taker.cpu_share[place] * noise[2], taker.switches_per_s[place] * noise[3]
        of_sample = {
            "throughput_rps": rate,
            "uploaded_bytes_per_s": rate * 2 * sample["mean_bytes"],
            "latency_mean_ms": mean,
            "latency_sd_ms": cv * mean,
            "latency_mad_ms": 0.6 * cv * mean,
            "latency_cv": cv,
            "latency_p50_ms": mean / (1 + cv**2) ** 0.5,
            "latency_p99_ms": mean * 6,
            "error_share": taker.error_share,
            "cpu_us_per_request": cpu / rate * 1e6,
            "cpu_share": cpu,
            "cpu_share_sd": 0.15 * noise[4],
            "iowait_share": 0.02 * noise[5],
            "switches_per_s": switches,
            "generator_share": rate * 3e-4,
        }
        metrics |= {f"{key} of sample {sample['name']}": value for key, value in of_sample.items()}
        samples[sample["name"]] = {
            "requests": requests,
            "errors": errors,
            "statuses": {"201": requests},
            "duration_s": SAMPLE_HOLD,
            "throughput_rps": rate,
            "bytes_in": requests * 160,
            "latency_ms": {"mean": mean, "sd": cv * mean},
            "hdr": encoded(values),
            "hdr_unit": "us",
            "series": [
                {"t_s": t, "requests": int(rate), "errors": 0, "mean_ms": mean, "p99_ms": mean * 6}
                for t in range(1, SAMPLE_HOLD + 1)
            ],
            "whole": {"requests": requests, "errors": errors, "duration_s": SAMPLE_HOLD, "users_lost": 0},
        }
    idle, peak = (mib * 2**20 * factor for mib, factor in zip(taker.mib, rng.lognormal(0, 0.01, 2), strict=True))
    overall = {
        key: float(np.mean([metrics[f"{key} of sample {sample['name']}"] for sample in SAMPLES]))
        for key in of_sample
        if key not in ("latency_p50_ms", "latency_p99_ms")
    }
    total = {
        "requests": sum(each["requests"] for each in samples.values()),
        "errors": {kind: sum(each["errors"][kind] for each in samples.values()) for kind in errors},
        "duration_s": SAMPLE_HOLD * len(samples),
    }
    row = {"cpu_user_s": 0.4, "cpu_system_s": 0.1, "voluntary_switches": 700, "involuntary_switches": 40}
    return {
        "server": taker.id,
        "started_at": f"2026-11-27T03:{42 + number}:00+00:00",
        "order": [str(name) for name in rng.permutation([*samples])],
        "load": {**total, "whole": {**total, "users_lost": 0}, "samples": samples},
        "idle": {"pss_bytes": idle, "rss_bytes": idle * 1.2, "threads": taker.threads[0], "processes": 1},
        "processes": {part: [{"t_s": t, **row} for t in range(1, 41)] for part in ("server", "generator")},
        "metrics": {
            **overall, "latency_cv": overall["latency_sd_ms"] / overall["latency_mean_ms"],
            "pss_idle_bytes": idle, "pss_peak_bytes": peak, "rss_peak_bytes": peak * 1.2,
            "threads_idle": taker.threads[0], "threads_peak": taker.threads[1], **metrics,
        },
        "warnings": [],
    }  # fmt: skip


def latencies_us(entrant: Entrant, rps: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Samples with a lognormal body and a slow hundredth, in microseconds, with the mean of so many users in a loop."""
    samples = rng.lognormal(0, entrant.spread, count)
    samples[rng.random(count) < 0.01] *= 4
    return np.rint(samples * (USERS / rps * 1e6) / samples.mean()).astype(int)


def encoded(samples: np.ndarray) -> str:
    """The samples as a base64 HDR histogram, V2."""
    histogram = HdrHistogram(1, 60_000_000, 3)
    for value, count in zip(*np.unique(samples, return_counts=True), strict=True):
        histogram.record_value(int(value), int(count))
    return histogram.encode().decode()


def _run(entrant: Entrant, number: int, rng: np.random.Generator) -> dict[str, Any]:
    rps = entrant.rps * rng.lognormal(0, 0.02)
    shape = np.minimum(1, np.minimum(np.arange(1, SECONDS + 1) / RAMP_UP, np.arange(SECONDS, 0, -1) / RAMP_DOWN)) ** 0.4
    each = (rps * shape * rng.lognormal(0, 0.03, SECONDS)).astype(int)
    requests, samples = int(each.sum()), latencies_us(entrant, rps, 4000, rng)
    p50, p90, p99, p999 = np.percentile(samples, [50, 90, 99, 99.9]) / 1000
    mean, sd, least, most = (float(f(samples)) / 1000 for f in (np.mean, np.std, np.min, np.max))
    noise = rng.lognormal(0, 0.015, 8)
    failed = int(requests * entrant.error_share)
    idle, peak = (mib * 2**20 * factor for mib, factor in zip(entrant.mib, noise[:2], strict=True))
    cpu = entrant.cpu_us * noise[2]
    errors = {"status": 0, "connection": failed, "timeout": 0, "wrong_status_for_path": 0}
    memory = {"rss_bytes": int(peak * 1.2), "pss_bytes": int(peak), "threads": entrant.threads[1], "processes": 1}
    used = {"cpu_user_s": 0.5, "cpu_system_s": 0.2, "voluntary_switches": 900, "involuntary_switches": 40}
    return {
        "server": entrant.id,
        "started_at": f"2026-11-21T03:{42 + number}:00+00:00",
        "load": {
            "requests": requests,
            "errors": errors,
            "statuses": {"301": requests * 9 // 10, "404": requests - requests * 9 // 10 - failed},
            "duration_s": SECONDS, "throughput_rps": requests / SECONDS, "bytes_in": requests * 160,
            "latency_ms": {
                "mean": mean, "sd": sd, "min": least, "p50": p50, "p90": p90, "p99": p99, "p99.9": p999, "max": most,
            },
            "hdr": encoded(samples), "hdr_unit": "us",
            "series": [
                {"t_s": t, "requests": int(n), "errors": 0, "mean_ms": mean, "p99_ms": p99}
                for t, n in enumerate(each, 1)
            ],
            "whole": {"requests": requests, "errors": errors},
        },
        "idle": {"pss_bytes": idle, "rss_bytes": idle * 1.2, "threads": entrant.threads[0], "processes": 1},
        "processes": {
            "server": [{"t_s": t, **memory, **used} for t in range(1, SECONDS + 1)],
            "database": [{"t_s": t, "cpu_user_s": 0.3, "cpu_system_s": 0.1} for t in range(1, SECONDS + 1)],
            "generator": [{"t_s": t, "cpu_user_s": 0.05, "cpu_system_s": 0.02} for t in range(1, SECONDS + 1)],
        },
        "metrics": {
            "throughput_rps": requests / SECONDS, "latency_mean_ms": mean, "latency_sd_ms": sd, "latency_p50_ms": p50,
            "latency_p99_ms": p99, "latency_p999_ms": p999, "error_share": failed / requests,
            "cpu_us_per_request": cpu, "cpu_share": min(0.99, cpu * rps / 1e6), "pss_idle_bytes": idle,
            "pss_peak_bytes": peak, "rss_peak_bytes": peak * 1.2, "threads_idle": entrant.threads[0],
            "threads_peak": entrant.threads[1], "switches_per_request": entrant.switches * noise[3],
            "database_cpu_us_per_request": entrant.database_us * noise[4],
            "generator_cpu_us_per_request": 7.1 * noise[5], "generator_share": 7.1 * rps / 1e6,
        },
        "warnings": ["The generator used 84 % of its core: the figures may be too low."] if number == 2 else [],
    }  # fmt: skip


def _summary(metrics: Sequence[dict[str, float]]) -> dict[str, dict[str, float | int | None]]:
    return {key: _estimate([each[key] for each in metrics]) for key in metrics[0]} if metrics else {}


def _estimate(values: Sequence[float]) -> dict[str, float | int | None]:
    """A t-interval on the logarithms where all values are positive, plain otherwise; none for one value."""
    n = len(values)
    if n < 2:
        return {"mean": values[0], "low": None, "high": None, "n": n}
    if min(values) <= 0:
        mean, half = float(np.mean(values)), float(stats.t.ppf(0.975, n - 1) * np.std(values, ddof=1) / n**0.5)
        return {"mean": mean, "low": mean - half, "high": mean + half, "n": n}
    logs = np.log(values)
    half = stats.t.ppf(0.975, n - 1) * logs.std(ddof=1) / n**0.5
    mean, low, high = (float(np.exp(logs.mean() + shift)) for shift in (0, -half, half))
    return {"mean": mean, "low": low, "high": high, "n": n}


def _comparisons(
    entrants: Sequence[Entrant | Talker | Taker], runs: Sequence[dict[str, Any]], keys: Sequence[str]
) -> list[dict[str, Any]]:
    found = []
    by_server = {e.id: [run["metrics"] for run in runs if run["server"] == e.id] for e in entrants}
    for key in keys:
        for i, a in enumerate(entrants):
            for b in entrants[i + 1 :]:
                ratio = _estimate([x[key] / y[key] for x, y in zip(by_server[a.id], by_server[b.id], strict=True)])
                if "mongodb" in (a.store, b.store):
                    ratio, verdict = None, "not comparable: stand-in"
                elif ratio["low"] is None or ratio["low"] <= 1 <= ratio["high"]:
                    verdict = "undecided"
                else:
                    verdict = "a higher" if ratio["mean"] > 1 else "b higher"
                found.append({"metric": key, "a": a.id, "b": b.id, "ratio": ratio, "verdict": verdict})
    return found


def _server(entrant: Entrant | Talker | Taker) -> dict[str, Any]:
    driver = {"postgresql": "PostgreSQL driver", "mongodb": "MongoDB driver"}.get(entrant.store)
    stack = {entrant.http: "HTTP server"} | ({"driver": driver} if driver else {})
    return {
        "id": entrant.id, "service": "shortener", "language": "any",
        "stack": stack, "store": entrant.store,
        "concurrency": entrant.concurrency, "ranked": entrant.store != "mongodb",
        "pass": {
            "server": entrant.id, "at": "2026-11-21T03:31:07+00:00",
            "digest": {"files": "a1b2c3d4e5f6" * 5, "artefacts": "0f1e2d3c4b5a" * 5, "contract": "998877665544" * 5},
            "layers": {
                "cases": {"passed": 412, "failed": 0, "skipped": 0},
                "differential": {"passed": 24, "failed": 0, "skipped": 0},
                "wire": {"passed": 88, "failed": 0, "skipped": 0},
                "life": {"passed": 11, "failed": 0, "skipped": 1},
            },
            "database": {"postgresql": "PostgreSQL 18.6", "mongodb": STAND_IN}.get(entrant.store, "no database"),
        },
    }  # fmt: skip


FINDINGS = [
    {
        "id": "most", "text": "Node on MongoDB answers most requests, 8 times the slowest.", "published": "8 ×",
        "ours": None, "verdict": "not comparable: stand-in", "why": "a stand-in never enters a comparison",
    },
    {
        "id": "php-memory", "text": "PHP uses about 40 % more memory than the others on PostgreSQL.",
        "published": "about 40 % more memory than the others",
        "ours": {
            "value": 0.82, "low": 0.79, "high": 0.86, "unit": "×",
            "text": "servers-php/shortener-apache-pg to mean of 2 servers: 0.82 × (0.79 to 0.86)",
        },
        "verdict": "does not hold", "why": "no part of the interval is at least 1.2",
    },
    {
        "id": "slowest", "text": "On PostgreSQL, PHP answers the fewest requests.", "published": "slowest overall",
        "ours": {
            "value": 0.64, "low": 0.61, "high": 0.67, "unit": "×",
            "text": "servers-php/shortener-apache-pg to servers-node/shortener-pg: 0.64 × (0.61 to 0.67)",
        },
        "verdict": "holds", "why": "the whole interval is at most 1; the closest of 2 comparisons is shown",
    },
    {
        "id": "node-netty", "text": "On PostgreSQL, Node answers more requests than Netty.", "published": "<200",
        "ours": {
            "value": 0.988, "low": 0.96, "high": 1.017, "unit": "×",
            "text": "servers-node/shortener-pg to servers-java/shortener-netty-pg: 0.988 × (0.960 to 1.017)",
        },
        "verdict": "undecided", "why": "only a part of the interval is at least 1",
    },
    {
        "id": "errors", "text": "Only PHP on MongoDB has errors.", "published": "4 %", "ours": None,
        "verdict": "not tested", "why": "no server of this race",
    },
]  # fmt: skip

FINDINGS_UPLOADING = [
    {
        "id": "node-lower", "text": "Node’s mean latency is 23 % lower over the ten samples.", "published": "−23 %",
        "ours": {
            "value": 0.764, "low": 0.75, "high": 0.778, "unit": "×",
            "text": "servers-node/upload-express to servers-java/upload-tomcat: 0.764 × (0.750 to 0.778)",
        },
        "verdict": "holds", "why": "the whole interval is at most 0.885",
    },
    {
        "id": "correlation", "text": "Context switches and variability go together.", "published": "0.76; 0.81",
        "ours": {
            "value": 0.79, "low": 0.61, "high": 0.97, "unit": "",
            "text": "servers-java/upload-tomcat: 0.790 (0.610 to 0.970)",
        },
        "verdict": "holds", "why": "the whole interval is at least 0.5",
    },
    {
        "id": "disk", "text": "Node on a mechanical disk is quicker than Tomcat on an SSD.", "published": "887; 1,048",
        "ours": None, "verdict": "not tested", "why": "there is one disk here",
    },
]  # fmt: skip
