"""What every workload has: what its users do, what it counts, its figures, its warnings and its words."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from samewire.outputs import FILE
from samewire.race.load import Load, Result, Stage
from samewire.race.measured import Footprint, Measured
from samewire.race.metrics import compared_in, figures_of_footprint, figures_of_load, metrics_of
from samewire.race.profile import Profile
from samewire.race.validity import users_missing
from samewire.race.workloads.kind import Kind

Table = Callable[[str], Sequence[Mapping[str, str]]]
"""The rows of one of a study's tables by its file name."""


@dataclass(frozen=True)
class Workload(ABC):
    """What all the users of an experiment do; `kind` is its name in an experiment's file."""

    kind: str

    told: ClassVar[Kind]
    """How a race of it is told. Its name is that under which metrics are declared."""
    generator: ClassVar[str] = "load"
    """The folder of its load generator, in `bench/`."""
    stage: ClassVar[type[Stage]]
    """What that generator counts in a stage."""
    writes: ClassVar[bool] = True
    """Whether its users change data, so that each run needs data of its own."""
    closed: ClassVar[bool] = True
    """Whether users wait for an answer before they send again, so that a server can hold them back."""
    part: ClassVar[str] = ""
    """What metrics of one of its samples are declared as, where there are any."""

    @classmethod
    def read(cls, content: Mapping[str, Any], table: Table) -> Self:
        """Of the part of an experiment's file, which has been checked against the schema."""
        return cls(**content)

    @property
    def shown(self) -> Kind:
        """How a race of it as it is set up is told."""
        return self.told

    @property
    def output(self) -> str:
        """Where the server's standard output goes."""
        return FILE

    @property
    def keeps_files(self) -> bool:
        """Whether the server is given a folder for what its users upload."""
        return False

    @property
    def counter(self) -> str:
        """The path at which the server tells how many updates it has counted, where that is looked at."""
        return ""

    @property
    def sample_names(self) -> tuple[str, ...]:
        """The samples that a run goes through one by one, where there are any."""
        return ()

    @abstractmethod
    def scenarios(self, profile: Profile, seed: int) -> list[dict[str, Any]]:
        """The scenario files of the generator, with what the users do drawn by the seed."""

    @abstractmethod
    def warming(self, scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Scenarios of a window each, made of the first one: of a few users, and then of all of them."""

    @abstractmethod
    def counts(self, hold: Any) -> Any:
        """What run.json holds of a load beside what it holds of every load: a dataclass."""

    def load(self, result: Result) -> Load:
        """A load whose hold was finished."""
        hold = result.stages["hold"]
        return Load.of(result, self.counts(hold), hold.hdr)

    def metrics(self) -> list[str]:
        """The keys of the figures of a run, without those of its samples."""
        return [one.key for one in metrics_of(self.told.name)]

    def compared(self) -> tuple[str, ...]:
        """The keys of the metrics in which servers are compared whatever the findings are."""
        return compared_in(self.told.name)

    def figures(self, run: Measured, server: Footprint) -> dict[str, float | int | None]:
        """The figures of a run that is one load, by key."""
        figures = figures_of_load(self.told.name, run) | figures_of_footprint(self.told.name, server)
        return {one.key: figures[one.key] for one in metrics_of(self.told.name)}

    def warnings(self, run: Measured, users: int) -> list[str]:
        """What a reader has to know of how far so many users were served."""
        return users_missing(run.load, users)

    def parameters(self, profile: Profile) -> dict[str, Any]:
        """Its numbers and those of a profile, as run.json holds them."""
        return asdict(self) | profile.parameters()

    def surroundings(self) -> dict[str, Any]:
        """What of the machine matters to this workload alone, as run.json holds it."""
        return {}

    def described(self, profile: Profile) -> list[dict[str, Any]]:
        """The samples as run.json holds them, where it has any."""
        return []
