"""Calls of functions on a host: `remote` there, execnet in between."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import execnet

from samewire.hosts.plan import Host, HostsError

Progress = Callable[[dict], None]
_SOURCE = "from samewire.hosts.remote import serve; serve(channel)"


class Connection:
    """One process on a host, which answers calls one after the other."""

    def __init__(self, host: Host, group: execnet.Group) -> None:
        """Start it. Raises HostsError."""
        self.host = host
        try:
            self._channel = group.makegateway(host.gateway).remote_exec(_SOURCE)
        except Exception as error:  # execnet has no class of its own for a host that cannot be reached.
            raise HostsError(f"{host.name}: no Python by {host.gateway!r}: {error}") from error

    def call(self, function: str, **arguments: Any) -> Any:
        """The value of a function of `remote`. Raises HostsError."""
        self.begin(function, **arguments)
        return self.finish()

    def begin(self, function: str, **arguments: Any) -> None:
        """Call a function, and do not wait for it."""
        self._channel.send((function, arguments))

    def finish(self, progress: Progress = lambda line: None) -> Any:
        """Wait for the function that was called; what it tells meanwhile goes to `progress`. Raises HostsError."""
        while True:
            try:
                kind, value = self._channel.receive()
            except (EOFError, self._channel.RemoteError) as error:
                raise HostsError(f"{self.host.name}: the process there has ended: {error}") from error
            if kind == "done":
                return value
            if kind == "failed":
                raise HostsError(f"{self.host.name}: {value}")
            progress(value)


def call_all(connections: Sequence[Connection], function: str, **arguments: Any) -> list[Any]:
    """The values of a function that is called on all at once. Raises HostsError."""
    for one in connections:
        one.begin(function, **arguments)
    return [one.finish() for one in connections]


def measure_network(connections: Mapping[str, Connection], pairs: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Round trips in ms and bandwidth in Mbit/s between hosts, by name, from the first to the second of each pair."""
    found = []
    for one, other in pairs:
        here, there = connections[one], connections[other]
        port = 5201
        there.call("receive", port=port)
        found.append(
            {
                "from": one,
                "to": other,
                "round_trip_ms": here.call("ping", address=there.host.address),
                "mbit_per_s": here.call("bandwidth", address=there.host.address, port=port) / 1e6,
            }
        )
    return found
