"""Which tests are for which transport, and a server of one test's own for those over Socket.IO."""

import asyncio
import inspect
import json
from collections.abc import Iterator
from functools import cache

import pytest

from chat.sockets.room import Room, transport_of
from samewire.http import Request, exchange
from samewire.pytest_plugin.selection import for_service
from samewire.pytest_plugin.servers import running
from samewire.target import Target
from samewire.testbed import Testbed


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "transports(*names): only for chat servers whose page says one of these")
    config.addinivalue_line("markers", "page: of the page alone; one server of each transport will do")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests of transports that a server does not speak, and those of the page that another server has."""
    if config.option.collectonly:
        return  # Nothing runs.

    @cache
    def transport(name: str) -> str:
        return transport_of(running(config)[name])

    def server_of(item: pytest.Item) -> str | None:
        parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        name = parameters.get("target", parameters.get("server"))
        return name if isinstance(name, str) else None

    of_the_page = [name for item in items if item.get_closest_marker("page") and (name := server_of(item))]
    first = {transport(name): name for name in reversed(of_the_page)}

    def applies(item: pytest.Item) -> bool:
        marker, name = item.get_closest_marker("transports"), server_of(item)
        # A test of all servers at once is for those among them that it is for.
        names = [name] if name else [one.name for one in for_service(config, item.path) if one.name in running(config)]
        if marker and not any(transport(one) in marker.args for one in names):
            return False
        return not (name and item.get_closest_marker("page")) or name == first[transport(name)]

    kept = [item for item in items if applies(item)]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Tests may be coroutines. At the end everybody leaves their room."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    rooms = [one for one in arguments.values() if isinstance(one, Room)]

    async def play() -> None:
        try:
            await pyfuncitem.obj(**arguments)
            for room in rooms:
                await room.empty()
        except BaseException:
            for room in rooms:
                room.spoilt = True
                for client in room.clients:
                    client.session.abort()
            raise

    asyncio.run(play())
    return True


class _Rooms:
    """A server of its own for each that is judged, started once for each worker."""

    def __init__(self, testbed: Testbed) -> None:
        self._testbed = testbed
        self._rooms: dict[str, Room] = {}

    def room(self, target: Target) -> Room:
        """An empty room of such a server; of the one at its URL if it is not ours."""
        known = self._rooms.get(target.name)
        if known and known.running and known.spoilt:
            known.running.kill()
        if known is None or (known.running and not known.running.alive):
            started = self._testbed.start(target.server) if target.server else None
            own = started.target if started else target
            known = self._rooms[target.name] = Room(own, transport_of(own), started)
            if started:
                is_new(own, target)
        return known

    def close(self) -> None:
        """End them; how a server stops is judged elsewhere."""
        for room in self._rooms.values():
            if room.running:
                room.running.kill()


def is_new(own: Target, other: Target) -> None:
    """AssertionError unless a server that has just started has a room of its own, and nothing in it."""
    room, of_other = (json.loads(exchange(one, Request("GET", "/messages")).body) for one in (own, other))
    assert (room["messages"], room["last"]) == ([], 0), f"{own.name} starts with {room}"
    assert room["room"] != of_other["room"], f"two processes of {own.name} have the same room"


@pytest.fixture(scope="session")
def rooms(testbed: Testbed) -> Iterator[_Rooms]:
    """For all tests of a worker, whatever their order: starting a server takes longer than most of them."""
    rooms = _Rooms(testbed)
    yield rooms
    rooms.close()


@pytest.fixture
def room(target: Target, rooms: _Rooms) -> Iterator[Room]:
    """An empty room on a server of this worker's own."""
    room = rooms.room(target)
    room.clients.clear()
    yield room
    alive = room.running is None or room.running.alive
    assert alive, f"{target.name} died. Its last lines:\n{room.target.last_lines()}"
