"""What becomes of updates: whether the server's counter has all that were answered."""

from samewire.race.metric import HIGHER, LOWER, REQUESTS, Metric

METRICS = (
    Metric(
        "kept_update_share", "Updates kept", "%", 100.0,
        about="the share of the updates that were answered, over the whole load, by which the server's counter grew",
        better=HIGHER,
        of=(REQUESTS,),
        of_load=lambda run: run.load.updates and run.load.updates.kept_share,
    ),
    Metric(
        "lost_updates", "Lost updates",
        about="updates that were answered, over the whole load, and that the server's counter does not have",
        better=LOWER,
        of=(REQUESTS,),
        of_load=lambda run: run.load.updates and run.load.updates.lost,
    ),
)  # fmt: skip
