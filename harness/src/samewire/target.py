"""Something to judge: a running server of ours, or any server at a URL."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from samewire.manifest import Server


def stdout_beside(log: Path) -> Path:
    """The file for a server's standard output, where `log` is the one for its standard error."""
    return log.with_name(f"{log.name}.stdout")


@dataclass(frozen=True)
class Target:
    """A running server of `service` at `url`; `server` is None when it is not one of this checkout."""

    name: str
    service: str
    url: str
    server: Server | None = None
    pid: int | None = None
    log: Path | None = None

    @property
    def host(self) -> str:
        """The host name or address in `url`."""
        return urlsplit(self.url).hostname or "127.0.0.1"

    @property
    def port(self) -> int:
        """The port in `url`."""
        return urlsplit(self.url).port or (443 if self.tls else 80)

    @property
    def tls(self) -> bool:
        """Whether it speaks TLS, or a proxy before it."""
        return urlsplit(self.url).scheme == "https"

    def last_lines(self, n: int = 20) -> str:
        """The last `n` lines of what the server wrote, standard error last; empty when there is no log.

        Of a JVM's stack trace there are the first frames: a deep one would leave no room for what was thrown.
        """
        if self.log is None:
            return ""
        files = [path for path in (stdout_beside(self.log), self.log) if path.exists()]
        lines = [line for path in files for line in path.read_text(errors="replace").splitlines()]
        return "\n".join(_first_frames(lines)[-n:])


def _first_frames(lines: Iterable[str], most: int = 4) -> list[str]:
    """The lines without all frames of a stack trace but the first `most`."""
    kept, frames = [], 0
    for line in lines:
        frames = frames + 1 if line.startswith("\tat ") else 0
        if frames <= most:
            kept.append(line)
        elif frames == most + 1:
            kept.append("\t…")
    return kept
