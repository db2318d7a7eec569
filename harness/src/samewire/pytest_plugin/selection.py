"""Which servers are judged in this session, as its options say, and of which service a test module is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from samewire.contract.services import services
from samewire.manifest import ManifestError, SelectionError, Server, find_servers, select, with_transports
from samewire.paths import CONTRACTS

_EVERY_SERVICE = ""


@dataclass(frozen=True)
class Selected:
    """A server that was chosen to be judged; not necessarily running yet."""

    name: str
    service: str
    server: Server | None
    url: str | None = None


_selected_key = pytest.StashKey[list[Selected]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that say what is judged."""
    group = parser.getgroup("samewire")
    group.addoption("--servers", action="append", default=[], metavar="NAME", help="service, server id or folder name")
    group.addoption("--compose", action="store_true", help="judge the servers as they run in compose")
    group.addoption("--url", action="append", default=[], metavar="NAME=URL", help="judge a server of your own")
    group.addoption("--stop-command", metavar="COMMAND", help="stops the server at --url, and ends when it has ended")
    group.addoption("--restart-command", metavar="COMMAND", help="starts it again")
    group.addoption("--upstream-port", type=int, metavar="PORT", help="the first port of the upstreams of the server")
    group.addoption("--service", default=None, help="the service of the servers given by --url")


def selected(config: pytest.Config) -> list[Selected]:
    """What is judged in this session, whether it runs yet or not. Raises pytest.UsageError."""
    if config.stash.get(_selected_key, None) is None:
        config.stash[_selected_key] = _select(config)
    return config.stash[_selected_key]


def _select(config: pytest.Config) -> list[Selected]:
    urls, names = config.getoption("--url"), config.getoption("--servers")
    try:
        servers = select(find_servers(), names) if names or not urls else []
    except (ManifestError, SelectionError) as error:
        raise pytest.UsageError(str(error)) from error
    # In compose each server runs once, as it is.
    several = servers if config.getoption("--compose") else with_transports(servers)
    chosen = [Selected(one.name, one.service, one) for one in several]
    service = config.getoption("--service") or (services()[0] if len(services()) == 1 else None)
    if urls and service not in services():
        raise pytest.UsageError(f"say which service {urls[0]} is: --service {'|'.join(services())}")
    for given in urls:
        name, separator, url = given.partition("=")
        if not separator or not url.startswith(("http://", "https://")):
            raise pytest.UsageError(f"--url takes NAME=http://HOST:PORT or NAME=https://HOST:PORT, not {given!r}")
        chosen.append(Selected(name, service, None, url.rstrip("/")))
    return chosen


def composed(config: pytest.Config) -> list[Server]:
    """The servers that are judged as they run in compose."""
    return [one.server for one in selected(config) if one.server] if config.getoption("--compose") else []


def service_of(path: Path) -> str:
    """The service that a test module, or a folder, is for; empty for every service."""
    parts = path.relative_to(CONTRACTS).parts if path.is_relative_to(CONTRACTS) else ()
    return parts[0] if parts and parts[0] in services() else _EVERY_SERVICE


def for_service(config: pytest.Config, path: Path) -> list[Selected]:
    """Those of what is judged that are of the service of a test module."""
    service = service_of(path)
    return [one for one in selected(config) if service in (_EVERY_SERVICE, one.service)]


def judged_by(item: pytest.Item) -> Any:
    """The name of the server that a test is for; None where there are several.

    It is pytest's own mark where no server was chosen.
    """
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return next((parameters[name] for name in ("target", "server", "judged") if name in parameters), None)
