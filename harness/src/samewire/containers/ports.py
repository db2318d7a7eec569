"""At which port compose publishes a server: fixed, readable, and computed from the manifests alone.

A block of a hundred for each service, in alphabetical order from 8100 on; in it a group of twenty for each language, in
the order of their places, and in that the servers in alphabetical order. The blocks of the sixth language and more are
a thousand on.
"""

from collections.abc import Iterable, Mapping

from samewire.languages import find_languages
from samewire.manifest import Server

FIRST = 8100
BLOCK, GROUP = 100, 20
AREA = 1000
DATABASES: Mapping[str, int] = {"postgresql": 8032, "mongodb": 8017}
"""The last two digits are those of the databases' own ports."""


class PortError(Exception):
    """More servers than the table has room for; the message says where."""


def language(server: Server) -> str:
    """The language's short name, from the folder `servers-…`: also its profile in compose."""
    return server.id.partition("/")[0].removeprefix("servers-")


def ports(servers: Iterable[Server]) -> dict[str, int]:
    """The port of each server by its id, in the order of the ports. Raises PortError."""
    servers = sorted(servers, key=lambda server: server.id)
    languages = [one.name for one in find_languages()]
    languages += sorted({language(server) for server in servers} - {*languages})
    table: dict[str, int] = {}
    for block, service in enumerate(sorted({server.service for server in servers})):
        for group, name in enumerate(languages):
            some = [one for one in servers if one.service == service and language(one) == name]
            if len(some) >= GROUP or (block + 1) * BLOCK > AREA:
                raise PortError(f"no room for {service} in {name}: {__name__} has groups of {GROUP - 1}")
            area, place = divmod(group, BLOCK // GROUP)
            first = FIRST + area * AREA + block * BLOCK + place * GROUP + 1
            table |= {one.id: port for port, one in enumerate(some, first)}
    return table
