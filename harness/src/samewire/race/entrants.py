"""What takes part in a race, and how experiments say which of them they mean."""

from dataclasses import dataclass

from samewire.manifest import Server
from samewire.race.floors import Floor


@dataclass(frozen=True)
class Entrant:
    """A server in a race: as it is, where `variant` is empty, or in a variant of its manifest.

    `load` is the name of one of several loads, empty where there is but one. `copy` is the number of one of several
    that are the same, in a race of a server against itself.
    """

    server: Server
    variant: str = ""
    copy: int = 0
    load: str = ""

    @property
    def id(self) -> str:
        """What a record calls it: the server's id, after a colon the variant, after an @ the load, after a # the copy's
        number.
        """
        parts = ((":", self.variant), ("@", self.load), ("#", self.copy))
        return self.server.id + "".join(f"{sign}{part}" for sign, part in parts if part)

    @property
    def is_floor(self) -> bool:
        """Whether it is no server of ours but the least that one can be."""
        return isinstance(self.server, Floor)

    @property
    def transport(self) -> str:
        """How the messages of a chat reach its users."""
        return self.server.in_variant(self.variant).transport


@dataclass(frozen=True)
class Selector:
    """Servers by fields of their manifests, by variant and by load. An empty one matches every server, and no floor."""

    fields: tuple[tuple[str, str], ...]

    def matches(self, entrant: Entrant) -> bool:
        """Whether all fields are those of the entrant."""
        return not entrant.is_floor and all(
            getattr(entrant if name in ("variant", "transport", "load") else entrant.server, name) == value
            for name, value in self.fields
        )

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value or 'none'}" for name, value in self.fields) or "every server"


EVERY_SERVER = Selector(())


@dataclass(frozen=True)
class AnyOf:
    """Entrants that at least one of several selectors means."""

    selectors: tuple[Selector, ...]

    def matches(self, entrant: Entrant) -> bool:
        """Whether one of the selectors means the entrant."""
        return any(one.matches(entrant) for one in self.selectors)

    def __str__(self) -> str:
        return " or ".join(map(str, self.selectors))
