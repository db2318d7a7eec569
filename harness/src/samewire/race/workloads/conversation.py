"""A conversation in a chat, whose users send at a pace of their own."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from samewire.race.load import Stage
from samewire.race.measured import Measured
from samewire.race.metric import CONVERSATION
from samewire.race.profile import WINDOW_S, Profile
from samewire.race.workloads.base import Workload
from samewire.race.workloads.kind import Kind, Ranking

ON_TIME = 0.95
HURRY = 10
"""By how much faster users send and ask while a server is warmed."""

# A median has no column here, for want of room: bytes take two more, and the chart of latencies shows it.
TOLD = Kind(
    name=CONVERSATION,
    ranking=Ranking(
        metric="cpu_us_per_delivery",
        name="processor time per delivery",
        unit="µs per delivery",
        leads="needs the least processor time",
        led="needed the least processor time",
        had="needed processor time of",
        times="times that of",
    ),
    columns=(
        ("CPU", "µs/delivery", (("", "cpu_us_per_delivery"),)),
        (
            "Bytes",
            "kB/s",
            (("", "bytes_per_s"), ("of a send", "bytes_per_send"), ("of a receive", "bytes_per_receive")),
        ),
        (
            "Delivery latency",
            "ms",
            (("mean", "latency_mean_ms"), ("p99", "latency_p99_ms"), ("p99.9", "latency_p999_ms")),
        ),
        ("Errors", "%", (("", "error_share"),)),
        ("Memory, PSS", "MiB", (("idle", "pss_idle_bytes"), ("loaded", "pss_peak_bytes"))),
        ("Threads", "peak", (("", "threads_peak"),)),
        ("Switches", "per delivery", (("", "switches_per_delivery"),)),
    ),
    brief=(
        "cpu_us_per_delivery", "bytes_per_s", "latency_mean_ms", "latency_p99_ms", "error_share", "pss_peak_bytes",
    ),
    compared=(
        "cpu_us_per_delivery", "bytes_per_s", "receives_per_s", "latency_mean_ms", "latency_p99_ms", "pss_peak_bytes",
        "switches_per_delivery",
    ),
    done="delivered a message",
    undone="no message was delivered",
    unit="delivery",
    tried="operations",
    rate="Deliveries",
    each_second="Deliveries",
    below="Deliveries",
    counted=lambda row: row["deliveries"],
    dashes="Dotted: polling; dashed: batches.",
    samples="deliveries",
)  # fmt: skip


@dataclass(frozen=True)
class Operations:
    """Sends or receives, with mean and standard deviation of their bytes, which are None where there was none."""

    count: int
    bytes_mean: float | None
    bytes_sd: float | None


@dataclass(frozen=True)
class ConversationStage(Stage):
    """What `bench/load-chat` counts in a stage: operations, arrivals of a message at another user, bytes both ways."""

    sends: Operations
    receives: Operations
    deliveries: int
    bytes: int

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Self:
        operations = {name: Operations(**content[name]) for name in ("sends", "receives")}
        return super().read({**content, **operations})


@dataclass(frozen=True)
class ConversationCounts:
    """The operations, deliveries and bytes of the hold."""

    sends: Operations
    receives: Operations
    deliveries: int
    bytes: int


@dataclass(frozen=True)
class Conversation(Workload):
    """Each of `users` in a chat sends a message of 1 to `longest_text` characters at a pace of its own.

    Where the transport is polling it also asks every `poll_every_s` for what is new. A server that speaks polling may
    be asked in another way: `transport` is `polling`, `long-polling` or `events`.
    """

    users: int
    message_every_s: float
    poll_every_s: float
    longest_text: int
    timeout_s: float
    transport: str = "polling"

    told = TOLD
    stage = ConversationStage
    generator = "load-chat"
    closed = False

    def scenarios(self, profile: Profile, seed: int) -> list[dict[str, Any]]:
        times = {"warm_up_s": profile.warm_up_s, **profile.course, "timeout_s": self.timeout_s}
        pace = {"message_every_s": self.message_every_s, "poll_every_s": self.poll_every_s}
        return [times | pace | {"transport": self.transport, "users": self._speakers(profile, seed)}]

    def warming(self, scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
        # All at once: at their own pace users ask so seldom that a JVM would compile for minutes.
        faster = {name: scenario[name] / HURRY for name in ("message_every_s", "poll_every_s")}
        return [{**scenario, **faster, "warm_up_s": 0.0, "ramp_up_s": 0.2, "hold_s": WINDOW_S, "ramp_down_s": 0.2}]

    def _speakers(self, profile: Profile, seed: int) -> list[dict[str, Any]]:
        """For each user the lengths of its messages, and how far into its pauses it begins.

        Who all came in step would also send in step.
        """
        generator = random.Random(seed)
        messages = math.ceil(sum(profile.course.values()) / self.message_every_s) + 1
        return [
            {
                "lengths": [generator.randint(1, self.longest_text) for _ in range(messages)],
                "message_phase": generator.random(),
                "poll_phase": generator.random(),
            }
            for _ in range(self.users)
        ]

    def counts(self, hold: ConversationStage) -> ConversationCounts:
        return ConversationCounts(**{field.name: getattr(hold, field.name) for field in fields(ConversationCounts)})

    def warnings(self, run: Measured, users: int) -> list[str]:
        load = run.load
        sent, due = load.counts.sends.count, users * load.duration_s / self.message_every_s
        late = f"only {sent:,} of {due:,.0f} messages that were due during the hold were taken by its end"
        return super().warnings(run, users) + [late] * (sent < ON_TIME * due)
