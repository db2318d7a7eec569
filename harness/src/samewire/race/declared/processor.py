"""What it costs: processor time of server, database and generator, waits for a disk, context switches."""

from samewire.race.measured import Measured
from samewire.race.metric import LOADS, LOWER, REQUESTS, RUNS_AND_PARTS, SAMPLE, STEP, UPLOADS, Metric

METRICS = (
    Metric(
        "cpu_us_per_request", "CPU per request, server", "µs",
        short="CPU µs",
        about="CPU of the server's processes per request",
        better=LOWER,
        of=(REQUESTS, UPLOADS, SAMPLE, STEP),
        compared=(REQUESTS, UPLOADS),
        of_load=lambda run: run.cpu_us_per(run.load.requests, "server"),
    ),
    Metric(
        "database_cpu_us_per_request", "CPU per request, database", "µs",
        about="CPU of the database's processes per request",
        better=LOWER,
        of=(REQUESTS,),
        of_load=lambda run: run.cpu_us_per(run.load.requests, "database"),
    ),
    Metric(
        "generator_cpu_us_per_request", "CPU per request, generator", "µs",
        about="CPU of the generator per request",
        of=(REQUESTS,),
        of_load=lambda run: run.cpu_us_per(run.load.requests, "generator"),
    ),
    Metric(
        "cpu_share", "CPU used of the server's cores", "%", 100.0,
        short="CPU %",
        about="CPU of the server's processes, of the server's cores",
        of=LOADS,
        compared=(UPLOADS,),
        of_load=lambda run: run.server_share(run.hold),
    ),
    Metric(
        "cpu_share_sd", "CPU used of the server's cores, standard deviation", "%", 100.0,
        about="standard deviation of `cpu_share` from second to second",
        of=(UPLOADS, SAMPLE),
        of_load=Measured.cpu_share_sd,
    ),
    Metric(
        "iowait_share", "I/O wait", "%", 100.0,
        about="the share of the time in which the server's cores had nothing to do but to wait for a disk",
        of=(UPLOADS, SAMPLE),
        of_load=lambda run: run.hold.iowait_share(run.placement.server),
    ),
    Metric(
        "generator_share", "CPU used of the generator's cores", "%", 100.0,
        about="CPU of the generator, of the generator's cores",
        of=RUNS_AND_PARTS,
        of_load=lambda run: run.hold.core_share("generator", run.placement.generator),
    ),
    Metric(
        "stolen_share", "Time given to other machines", "%", 100.0,
        about="the share of the time of all cores that the hypervisor gave to other machines",
        of=RUNS_AND_PARTS,
        of_load=lambda run: run.hold.steal_share(),
    ),
    Metric(
        "switches_per_request", "Context switches per request",
        about="context switches, voluntary and not, per request",
        of=(REQUESTS, STEP),
        compared=(REQUESTS,),
        of_load=lambda run: run.switches_per(run.load.requests),
    ),
    Metric(
        "switches_per_s", "Context switches per second",
        short="switches/s",
        about="context switches, voluntary and not, per second",
        of=(UPLOADS, SAMPLE),
        compared=(UPLOADS,),
        of_load=lambda run: run.hold.switch_rate("server"),
    ),
)  # fmt: skip
