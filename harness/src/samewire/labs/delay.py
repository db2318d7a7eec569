"""A link to a database that is far away: every byte arrives later by a fixed time, in both directions."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from samewire.labs import LabError

_CHUNK = 64 * 1024
_START_S = 5.0


class DelayedLink:
    """Listens on a free port of loopback and passes connections on to `url`, `delay_s` later each way.

    A context manager; `url` is the address through it. It stands in for distance, not for a slow statement: the
    database is as fast as it is.
    """

    def __init__(self, url: str, delay_s: float) -> None:
        self._target = urlsplit(url)
        if not self._target.hostname or not self._target.port:
            raise LabError("a database without a host and port in its URL cannot be put far away")
        self._delay_s = delay_s
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="delayed link")
        self._port = 0

    @property
    def url(self) -> str:
        """The database's URL, through this link."""
        user, sign, _ = self._target.netloc.rpartition("@")
        return urlunsplit(self._target._replace(netloc=f"{user}{sign}127.0.0.1:{self._port}"))

    def __enter__(self) -> "DelayedLink":
        self._thread.start()
        if not self._ready.wait(_START_S):
            raise LabError("the delayed link to the database did not start")
        return self

    def __exit__(self, *_) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._connected, "127.0.0.1", 0))
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(self._ended())
        self._loop.close()

    async def _ended(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        await asyncio.gather(*others, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(self._target.hostname, self._target.port)
        except OSError:
            writer.close()
            return
        ways: list[Coroutine[Any, Any, None]] = [self._pass(reader, far_writer), self._pass(far_reader, writer)]
        await asyncio.gather(*ways, return_exceptions=True)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One direction: what is read now is written later, in order."""
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def deliver() -> None:
            while True:
                due, data = await under_way.get()
                await asyncio.sleep(max(0.0, due - self._loop.time()))
                if not data:
                    return
                writer.write(data)
                await writer.drain()

        delivering = asyncio.ensure_future(deliver())
        try:
            while data := await reader.read(_CHUNK):
                under_way.put_nowait((self._loop.time() + self._delay_s, data))
            under_way.put_nowait((self._loop.time() + self._delay_s, b""))
            await delivering
        finally:
            delivering.cancel()
            writer.close()
