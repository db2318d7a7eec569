"""How a kind of workload is told in a report: the words, and which figures have a place in its tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from samewire.race.metric import LOWER
from samewire.race.metrics import metric


@dataclass(frozen=True)
class Ranking:
    """The metric that servers are ranked by, and its words: in `leads`, `led` and `had` a server is the subject."""

    metric: str
    name: str
    unit: str
    leads: str
    led: str
    had: str
    times: str

    @property
    def lowest(self) -> bool:
        """Whether the lowest is the best."""
        return metric(self.metric).better == LOWER


@dataclass(frozen=True)
class SampleWords:
    """How the samples of a run are told: in the heading of their section, above and below its charts, and in tables.

    `means` says how figures of whole runs are worked out, `nothing` that there are none. `table` is the name of the
    table of samples, `columns` what it has of each, and the heading of that.
    """

    heading: str
    name: str
    lede: str
    axis: str
    means: str
    nothing: str
    table: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Kind:
    """How a race of one kind is told; how to read it is told in `report/templates/reading/`, in the file of its name.

    `columns` are those of the main tables: heading, unit, and (subheading, metric) for each column below it; the
    metrics in `brief` are those of the terminal; ratios between servers are drawn of those in `compared`.
    """

    name: str
    ranking: Ranking
    columns: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]
    brief: tuple[str, ...]
    compared: tuple[str, ...]
    done: str  # what no server did, when nothing was measured
    undone: str
    unit: str  # per what costs are counted, in words and in the keys of metrics
    tried: str  # what errors are a share of
    rate: str = ""  # heading of the chart over time, where there is one
    each_second: str = ""  # what it counts, in a sentence and below its axis
    below: str = ""
    counted: Callable[[Mapping[str, Any]], int] = lambda row: row["requests"] - row.get("errors", 0)  # in a second
    dashes: str = ""  # what lines that are not solid mean
    samples: str = ""  # what latency is measured of, where its distribution is shown
    by_sample: tuple[tuple[str, bool], ...] = ()  # metrics shown by sample, and whether on a logarithmic axis
    sample: SampleWords | None = None
