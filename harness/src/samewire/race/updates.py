"""Updates that a server has answered, beside those that it has counted."""

import urllib.request
from dataclasses import dataclass

from samewire.race import RaceError

_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Updates:
    """How many updates of a load were answered as right, and by how many the server's counter has grown in it."""

    answered: int
    counted: int

    @property
    def lost(self) -> int:
        """Those that were answered and not counted: at least so many, for one without an answer may be counted."""
        return max(0, self.answered - self.counted)

    @property
    def kept_share(self) -> float | None:
        """The share of the answered ones that was counted, None without any."""
        return min(1.0, self.counted / self.answered) if self.answered else None


def counted(url: str, path: str) -> int:
    """What the counter of the server at `url` tells. Raises RaceError if that is no whole number."""
    try:
        with urllib.request.urlopen(url + path, timeout=_TIMEOUT_S) as answer:
            return int(answer.read(100))
    except (OSError, ValueError) as error:
        raise RaceError(f"GET {path} has to answer the server's counter, a whole number: {error}") from error
