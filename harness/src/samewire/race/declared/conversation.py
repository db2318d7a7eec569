"""What a conversation alone has: deliveries, sends and receives."""

from samewire.race.metric import CONVERSATION, LOWER, Metric

METRICS = (
    Metric(
        "deliveries_per_s", "Deliveries", "deliveries/s",
        about="arrivals of a message at another user, per second",
        of=(CONVERSATION,),
        of_load=lambda run: run.per_second(run.load.counts.deliveries),
    ),
    Metric(
        "cpu_us_per_delivery", "CPU per delivery, server", "µs",
        short="CPU µs",
        about="CPU of the server's processes per delivery",
        better=LOWER,
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.cpu_us_per(run.load.counts.deliveries, "server"),
    ),
    Metric(
        "generator_cpu_us_per_delivery", "CPU per delivery, generator", "µs",
        about="CPU of the generator per delivery",
        of=(CONVERSATION,),
        of_load=lambda run: run.cpu_us_per(run.load.counts.deliveries, "generator"),
    ),
    Metric(
        "switches_per_delivery", "Context switches per delivery",
        about="context switches, voluntary and not, per delivery",
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.switches_per(run.load.counts.deliveries),
    ),
    Metric(
        "bytes_per_s", "Bytes on all connections", "kB/s", 0.001,
        short="kB/s",
        about="all that crosses the users' connections, both ways, per second",
        better=LOWER,
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.per_second(run.load.counts.bytes),
    ),
    Metric(
        "sends_per_s", "Sends", "per second",
        about="messages taken per second",
        of=(CONVERSATION,),
        of_load=lambda run: run.per_second(run.load.counts.sends.count),
    ),
    Metric(
        "receives_per_s", "Receives", "per second",
        about="polls answered, or events with messages, per second",
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.per_second(run.load.counts.receives.count),
    ),
    Metric(
        "bytes_per_send", "Bytes of a send",
        about="mean bytes of a send, both ways, with all headers and framing",
        better=LOWER,
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.load.counts.sends.bytes_mean,
    ),
    Metric(
        "bytes_per_send_sd", "Bytes of a send, standard deviation",
        about="standard deviation of the bytes of a send",
        of=(CONVERSATION,),
        of_load=lambda run: run.load.counts.sends.bytes_sd,
    ),
    Metric(
        "bytes_per_receive", "Bytes of a receive",
        about="mean bytes of a receive, both ways, with all headers and framing",
        better=LOWER,
        of=(CONVERSATION,),
        compared=(CONVERSATION,),
        of_load=lambda run: run.load.counts.receives.bytes_mean,
    ),
    Metric(
        "bytes_per_receive_sd", "Bytes of a receive, standard deviation",
        about="standard deviation of the bytes of a receive",
        of=(CONVERSATION,),
        of_load=lambda run: run.load.counts.receives.bytes_sd,
    ),
)  # fmt: skip
