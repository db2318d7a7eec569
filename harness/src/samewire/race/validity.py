"""What makes figures doubtful: noise, errors, users who were not served, a generator that was the bottleneck.

All of it is told in warnings; nothing is dropped.
"""

import statistics
from collections.abc import Iterable, Mapping, Sequence

from samewire.race.load import Load, Totals
from samewire.race.metric import Metric
from samewire.race.placement import Placement
from samewire.race.snapshots import Window
from samewire.race.steadiness import Warming

GENERATOR_BUSY = 0.85
SERVER_BUSY = 0.90
OTHER_LOAD = 0.15
STEAL = 0.02
"""The share of stolen time that is told of a run."""
STOLEN = 0.1
"""The share of stolen time, on the mean of all runs, above which nothing is decided: docs/explanation/measuring.md."""
SERVED_IN_TURN = 0.8
NOISY_RUNS = 0.1
"""The share of runs with other load above which nothing is decided."""
_NOT_THE_BOTTLENECK = "the server was not the bottleneck"
_OWN = "its cores were", "its part of its cores was"
_NOT_STEADY = "the server was not steady"
_NOT_IN_TURN = "throughput × mean latency is"
_NOT_SENT = "were due and were not sent"
_NOT_ANSWERED = "probes got no right answer"
_NOT_QUIET = "the machine was not quiet"
_STOLEN = "the hypervisor gave"
COLD = "servers were measured cold: this profile does not warm them until they are steady"
IN_CONTAINERS = (
    "in containers: servers and databases have a network of their own, whose cost is in every figure; "
    "do not set these figures beside those of processes"
)


def gave_up(whole: Totals) -> str:
    """Why there are no figures, of a load whose hold was not finished."""
    return f"every user gave up before the hold was over: {whole.errors_told or 'no error is known'}"


def users_missing(load: Load, users: int) -> list[str]:
    """A warning if not all users were there from the hold's begin."""
    there = load.whole.users_in_hold
    return [f"only {there:,} of {users:,} users had a connection when the hold began"] if there < users else []


def not_served_in_turn(load: Load, users: int) -> list[str]:
    """A warning if not all users were served in turn.

    In a closed model without think time, throughput × mean latency is the number of users (Little's law), as far as all
    are served: who still waits at the end has no latency yet.
    """
    in_flight = load.counts.throughput_rps * (load.latency.mean or 0) / 1000
    if in_flight >= SERVED_IN_TURN * users:
        return []
    return [
        f"{_NOT_IN_TURN} {in_flight:,.0f} of {users:,} users: the others waited for the generator, "
        "or for answers that were not there yet at the end, and latencies do not tell of them"
    ]


def not_sent(load: Load) -> list[str]:
    """A warning if requests that were due were never sent."""
    if not load.whole.not_sent:
        return []
    due = load.whole.not_sent + load.whole.requests
    return [
        f"{load.whole.not_sent:,} of {due:,} requests {_NOT_SENT}: all users were waiting for answers, "
        "and latencies do not tell of them"
    ]


def not_answered(load: Load) -> list[str]:
    """A warning if probes beside the users got no right answer."""
    if not load.probe or not load.probe.errors_told:
        return []
    return [f"{_NOT_ANSWERED}, and their latencies do not tell of them: {load.probe.errors_told}"]


def not_quiet(window: Window, when: str) -> list[str]:
    """A warning if something else kept the machine busy."""
    if window.other_load() <= OTHER_LOAD:
        return []
    return [f"{_NOT_QUIET} {when} the run: {window.other_load():.2f} cores busy with other things"]


def not_steady(warming: Warming) -> list[str]:
    """A warning if the processor time of a request still changed when the server was measured."""
    if warming.steady:
        return []
    return [f"{_NOT_STEADY}: the processor time of a request still changed after {warming.seconds:.0f} s of load"]


def of_load(load: Load, hold: Window, placement: Placement, complaints: Sequence[str], closed: bool) -> list[str]:
    """What a reader has to know about one load; in a `closed` model a server that is not busy was held back.

    `complaints` are those of the generator.
    """
    warnings = []
    if told := load.whole.errors_told:
        warnings.append(f"errors: {told}")
    if lost := load.whole.users_lost:
        warnings.append(f"{lost} users gave up: no connection to the server could be made, or none in time")
    warnings += not_quiet(hold, "during")
    if hold.steal_share() > STEAL:
        warnings.append(f"{_STOLEN} {hold.steal_share():.0%} of the time to other machines")
    generator_share = hold.core_share("generator", placement.generator)
    if placement.server_share < 1:
        server_busy = hold.core_share("server", placement.server) / placement.server_share
    else:
        server_busy = hold.busy_share(placement.server)
    if generator_share >= GENERATOR_BUSY:
        warnings.append(f"the generator was the bottleneck: it used {generator_share:.0%} of its cores")
    elif closed and server_busy < SERVER_BUSY:
        others = hold.busy_share(placement.database | placement.generator)
        warnings.append(
            f"{_NOT_THE_BOTTLENECK}: {_OWN[placement.server_share < 1]} {server_busy:.0%} busy, the others {others:.0%}"
        )
    stalls = [line for line in complaints if "Jitter watchdog" in line or "stood still" in line]
    if stalls:
        warnings.append(f"the generator stood still for more than 100 ms, {len(stalls)} times")
    return warnings


def of_servers(warnings: Mapping[str, Sequence[Iterable[str]]]) -> list[str]:
    """What a reader has to know before comparing a server's figures with another's, of the warnings of its runs."""
    lines = []
    for server, runs in warnings.items():
        if held_back := _often(_NOT_THE_BOTTLENECK, runs):
            lines.append(
                f"{server} was held back by the other cores in {held_back} of {len(runs)} runs: "
                "with more of them it could answer more, and sooner, than is shown; its figures are bounds"
            )
        if not_steady := _often(_NOT_STEADY, runs):
            lines.append(
                f"{server} was not steady in {not_steady} of {len(runs)} runs: nothing is decided on its figures"
            )
        if not_in_turn := _often(_NOT_IN_TURN, runs):
            lines.append(
                f"not all users of {server} were served in turn in {not_in_turn} of {len(runs)} runs: "
                "its latencies are of those who were"
            )
        if not_sent := _often(_NOT_SENT, runs):
            lines.append(
                f"{server} could not keep up with the rate in {not_sent} of {len(runs)} runs: "
                "its latencies are at least those that are shown"
            )
    return lines


def noise(warnings: Mapping[str, Sequence[Iterable[str]]], stolen: Sequence[float]) -> str:
    """Why nothing is decided if the machine was not quiet; empty if it was quiet enough.

    `stolen` is the share of the time that the hypervisor gave to other machines, of each run.
    """
    runs = [list(run) for of_server in warnings.values() for run in of_server]
    noisy = sum(any(_NOT_QUIET in warning for warning in run) for run in runs)
    if noisy > NOISY_RUNS * len(runs):
        return f"the machine was not quiet in {noisy} of {len(runs)} runs"
    if stolen and statistics.fmean(stolen) > STOLEN:
        return f"the hypervisor gave {statistics.fmean(stolen):.0%} of the time to other machines"
    return ""


def bound(metric: Metric, runs: Sequence[Iterable[str]]) -> str:
    """What the figure of a metric is, of a server with these warnings in its runs: a bound on one side, or on both.

    A figure of a run that goes through samples is one as soon as that of one sample is.
    """
    _, _, sample = metric.key.partition(" of sample ")
    where = f"sample {sample}: " if sample else ""
    held_back = metric.held_back if _often(where + _NOT_THE_BOTTLENECK, runs) else ""
    unsent = (warning for run in runs for warning in run if _NOT_SENT in warning)
    left_out = _often(where + _NOT_IN_TURN, runs) or any(where in warning for warning in unsent)
    not_in_turn = metric.not_in_turn if left_out else ""
    not_answered = metric.not_answered if any(_NOT_ANSWERED in warning for run in runs for warning in run) else ""
    stolen = metric.stolen if _often(where + _STOLEN, runs) else ""
    return "".join(sorted({*held_back, *not_in_turn, *not_answered, *stolen}))


def _often(text: str, runs: Iterable[Iterable[str]]) -> int:
    """In how many runs there is a warning with this text."""
    return sum(any(text in warning for warning in warnings) for warnings in runs)
