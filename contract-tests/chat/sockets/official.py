"""The official clients: socket.io-client in Node, and python-socketio, as one kind of client."""

import asyncio
import contextlib
import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, Protocol, Self

import socketio

from chat.sockets.websocket import PATIENCE
from samewire.build import run_command
from samewire.digests import digest_files
from samewire.locking import exclusive
from samewire.paths import STATE
from samewire.toolchains import environment

FOLDER = Path(__file__).parents[1] / "client"


def install() -> None:
    """Install socket.io-client, if it is not. Raises BuildError or ToolMissing."""
    stamp = STATE / "build" / "contract-tests--chat--client"
    inputs = digest_files([FOLDER / "package.json", FOLDER / "package-lock.json"], FOLDER)
    with exclusive(stamp.with_suffix(".lock")):
        if (FOLDER / "node_modules").exists() and stamp.exists() and stamp.read_text() == inputs:
            return
        run_command(["npm", "ci", "--no-audit", "--no-fund"], FOLDER, ["node"])
        stamp.write_text(inputs)


class Official(Protocol):
    """An official client, whatever its language. It connects again by itself."""

    name: str
    connects: int
    """How often it has connected so far."""
    connected: bool
    transport: str
    """What it speaks now."""
    told: list[tuple[str, Any]]
    """Names of events and their argument."""

    async def open(self, url: str, transports: Sequence[str]) -> None: ...

    async def ask(self, *words: Any) -> Any: ...

    async def close(self) -> None: ...


def messages(client: Official) -> list[dict[str, Any]]:
    """The messages that came, whether one by one or in batches."""
    several = ([what] if name == "message" else what for name, what in client.told if name.startswith("message"))
    return [message for one in several for message in one]


class Node:
    """A process of Node with clients in it."""

    def __init__(self) -> None:
        self._clients: dict[str, NodeClient] = {}

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            "node", "client.js", cwd=FOLDER, env=environment(["node"]),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), 5)
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        await self._reading

    def client(self, name: str) -> "NodeClient":
        """A client that does nothing yet."""
        self._clients[name] = NodeClient(self, name)
        return self._clients[name]

    def do(self, **command: Any) -> None:
        """Send a command."""
        self._process.stdin.write(json.dumps(command).encode() + b"\n")

    async def _read(self) -> None:
        while line := await self._process.stdout.readline():
            what = json.loads(line)
            self._clients[what.pop("name")].take(**what)


class NodeClient:
    """socket.io-client."""

    def __init__(self, node: Node, name: str) -> None:
        self._node, self.name = node, name
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._numbers = count()
        self.connects, self.connected, self.transport = 0, False, ""
        self.told: list[tuple[str, Any]] = []

    async def open(self, url: str, transports: Sequence[str]) -> None:
        """Begin to connect."""
        self._node.do(does="open", name=self.name, url=url, transports=list(transports))

    async def ask(self, *words: Any) -> Any:
        """Emit an event and return its answer. Raises TimeoutError."""
        number = next(self._numbers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        self._node.do(does="emit", name=self.name, number=number, words=words)
        async with asyncio.timeout(PATIENCE):
            return await self._answers[number]

    async def close(self) -> None:
        """Disconnect for good."""
        self._node.do(does="close", name=self.name)

    def take(self, **what: Any) -> None:
        """What the driver has told."""
        match what.pop("is"):
            case "connected":
                self.connects, self.connected, self.transport = self.connects + 1, True, what["transport"]
            case "upgraded":
                self.transport = what["transport"]
            case "disconnected":
                self.connected = False
            case "told":
                self.told.append((what["event"], *what["words"]))
            case "answered":
                self._answers.pop(what["number"]).set_result(what["answer"])


class PythonClient:
    """python-socketio."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connects, self.told = 0, []
        self._client = socketio.AsyncClient(reconnection_delay=0.1, reconnection_delay_max=0.2, handle_sigint=False)
        self._client.on("connect", self._count)
        self._client.on("*", self._take)
        self._client.on("__disconnect_final", self._finish)
        self._final = False

    async def open(self, url: str, transports: Sequence[str]) -> None:
        """Connect."""
        await self._client.connect(url, transports=list(transports), wait_timeout=PATIENCE)

    @property
    def connected(self) -> bool:
        """Whether it is connected now."""
        return self._client.connected

    @property
    def transport(self) -> str:
        """What it speaks now."""
        return self._client.transport()

    async def ask(self, *words: Any) -> Any:
        """Emit an event and return its answer. Raises TimeoutError."""
        event, *rest = words
        return await self._client.call(event, tuple(rest), timeout=PATIENCE)

    async def close(self) -> None:
        """Disconnect for good."""
        await self._client.disconnect()

    async def reopen(self, url: str, transports: Sequence[str]) -> None:
        """Connect again if that is left to the application: after a close packet, which polling alone has."""
        if self._final:
            await self.open(url, transports)

    async def _count(self) -> None:
        self.connects, self._final = self.connects + 1, False

    async def _finish(self) -> None:
        self._final = True

    async def _take(self, event: str, *words: Any) -> None:
        self.told.append((event, *words))
