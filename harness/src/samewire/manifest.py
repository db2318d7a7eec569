"""The registry of servers: every `servers-*/*/server.toml`, and the folders elsewhere that a command is given."""

import logging
import os
import signal
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from samewire.contract.files import mistakes
from samewire.contract.services import services
from samewire.languages import language_of
from samewire.paths import CHECKOUT

_MANIFEST = "server.toml"
_ELSEWHERE = "SAMEWIRE_WITH"
"""The variable with the folders of servers elsewhere, divided as those of PATH: commands hand it to what they start."""
_told: set[str] = set()
"""What is wrong with manifests, as far as this process has told it."""


class ManifestError(Exception):
    """A `server.toml` that cannot be read or breaks the schema; the message names the file and the reason."""


class SelectionError(Exception):
    """A name that is no service, server or folder; the message lists what there is."""


@dataclass(frozen=True)
class Variant:
    """A server run in another way: the same code with other environment variables, or by another command.

    `run` is the whole command, empty where it is the server's. `transport` is how the messages of a chat reach its
    users, where that is another way than the server's. `concurrency` is the model of the variant, where it is another
    than the server's.
    """

    description: str
    env: Mapping[str, str] = field(default_factory=dict)
    transport: str = ""
    run: tuple[str, ...] = ()
    concurrency: str = ""


@dataclass(frozen=True)
class Server:
    """One implementation, as its manifest describes it.

    `id` is its path in the checkout; of a server elsewhere it is the name of its folder. `variant` names the variant in
    which it runs; it is empty for the server as it is.
    """

    id: str
    folder: Path
    service: str
    language: str
    store: str
    concurrency: str
    stack: Mapping[str, str]
    needs: tuple[str, ...]
    build: tuple[tuple[str, ...], ...]
    run: tuple[str, ...]
    artefacts: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    lint: tuple[tuple[str, ...], ...] = ()
    test: tuple[tuple[str, ...], ...] = ()
    stop_signal: signal.Signals = signal.SIGTERM
    stop_status: int = 0
    limits: Mapping[str, str] = field(default_factory=dict)
    """Row of the table of attacks → the limit and the time-out that end the attack, while others may wait."""
    variants: Mapping[str, Variant] = field(default_factory=dict)
    preemptive: bool = False
    """Whether its runtime interrupts a light thread that computes."""
    transport: str = ""
    variant: str = ""

    @property
    def name(self) -> str:
        """The id and, after a colon, the variant."""
        return f"{self.id}:{self.variant}" if self.variant else self.id

    @property
    def elsewhere(self) -> bool:
        """Whether it is a server of the user, in a folder that a command was given."""
        return "/" not in self.id

    @property
    def argument(self) -> str:
        """How a command line names it."""
        return str(self.folder) if self.elsewhere else self.id

    @property
    def slug(self) -> str:
        """The id as a file name."""
        return self.id.replace("/", "--")

    @property
    def http_server(self) -> str:
        """What speaks HTTP in this stack (`node:http`, `netty`, …)."""
        return next(name for name, role in self.stack.items() if role == "HTTP server")

    @property
    def wire_stack(self) -> tuple[str, ...]:
        """The keys under which its wire answers may be pinned, the most particular first."""
        return (*(name for name, role in self.stack.items() if role == "web framework"), self.http_server)

    def in_variant(self, name: str) -> "Server":
        """The server as it runs in one of its variants; as it is if `name` is empty. Raises SelectionError."""
        if not name:
            return self
        if not (about := self.variants.get(name)):
            raise SelectionError(f"{self.id} has no variant {name!r}: write [variants.{name}] into its server.toml")
        return replace(
            self,
            variant=name,
            run=about.run or self.run,
            transport=about.transport or self.transport,
            concurrency=about.concurrency or self.concurrency,
        )


@dataclass(frozen=True)
class Kernel:
    """A pure library that servers of one language share: a folder of `servers-*/_shared/` with a `kernel.toml`."""

    id: str
    folder: Path
    needs: tuple[str, ...]
    test: tuple[tuple[str, ...], ...]
    lint: tuple[tuple[str, ...], ...]


def _read(manifest: Path, root: Path, schema: str) -> dict:
    """The checked content of a TOML file. Raises ManifestError."""
    shown = manifest.relative_to(root)
    try:
        content = tomllib.loads(manifest.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ManifestError(f"{shown}: {error}") from error
    if problems := mistakes(content, schema):
        raise ManifestError("\n".join(f"{shown}: {problem.json_path}: {problem.message}" for problem in problems))
    return content


def load(manifest: Path, root: Path = CHECKOUT) -> Server:
    """The server that a `server.toml` describes. Raises ManifestError."""
    shown = manifest.relative_to(root)
    content = _read(manifest, root, "server.schema.json")
    if content["service"] not in services():
        known = ", ".join(services())
        raise ManifestError(f"{shown}: $.service: no contract is called {content['service']!r}; there are: {known}")
    if list(content["stack"].values()).count("HTTP server") != 1:
        raise ManifestError(f'{shown}: $.stack: exactly one entry has the role "HTTP server"')
    commands = {key: tuple(tuple(argv) for argv in content.pop(key, [])) for key in ("build", "lint", "test")}
    variants = {
        name: Variant(**variant | {"run": tuple(variant.get("run", ()))})
        for name, variant in content.pop("variants", {}).items()
    }
    return Server(
        id=manifest.parent.relative_to(root).as_posix(),
        folder=manifest.parent,
        needs=tuple(content.pop("needs")),
        run=tuple(content.pop("run")),
        artefacts=tuple(content.pop("artefacts", [])),
        inputs=tuple(content.pop("inputs", [])),
        stop_signal=signal.Signals[content.pop("stop_signal", "SIGTERM")],
        variants=variants,
        **commands | {"lint": (*language_of(manifest.parent, root).lint, *commands["lint"])},
        **content,
    )


def find_servers(root: Path = CHECKOUT) -> list[Server]:
    """Every server of the checkout, by id, and then those of `add_folder`.

    A broken manifest breaks its own server alone: it is told on standard error, and left out.
    """
    servers, broken = _load_all(root)
    for error in broken.values():
        if (told := f"{error}\nThis server is left out.") not in _told:
            _told.add(told)
            logging.getLogger(__name__).warning(told)
    return servers


def broken_manifests(root: Path = CHECKOUT) -> dict[str, ManifestError]:
    """What is wrong with each server that `find_servers` leaves out, by id."""
    return _load_all(root)[1]


def _load_all(root: Path) -> tuple[list[Server], dict[str, ManifestError]]:
    servers: list[Server] = []
    broken: dict[str, ManifestError] = {}
    manifests = [(manifest, root) for manifest in sorted(root.glob(f"servers-*/*/{_MANIFEST}"))]
    if root == CHECKOUT:
        folders = filter(None, os.environ.get(_ELSEWHERE, "").split(os.pathsep))
        manifests += [(Path(folder, _MANIFEST), Path(folder).parent) for folder in folders]
    for manifest, above in manifests:
        try:
            servers.append(load(manifest, above))
        except ManifestError as error:
            broken[manifest.parent.relative_to(above).as_posix()] = error
    return servers, broken


def add_folder(folder: Path) -> Server:
    """Let this process, and those that it starts, find the server in a folder anywhere; one of the checkout is there.

    Raises ManifestError, also where a service or another server has that name.
    """
    folder = folder.resolve()
    if not (folder / _MANIFEST).is_file():
        raise ManifestError(f"{folder}: no {_MANIFEST} is there. Make one: samewire new --help")
    if folder.parent.parent == CHECKOUT and folder.parent.name.startswith("servers-"):
        return load(folder / _MANIFEST)
    server = load(folder / _MANIFEST, folder.parent)
    if folder.name in services():
        raise ManifestError(f"{folder}: {folder.name} is the name of a service. Give the folder another one.")
    known = os.environ.get(_ELSEWHERE, "").split(os.pathsep)
    if str(folder) not in known:
        if other := next((one for one in find_servers() if folder.name in (one.id, one.folder.name)), None):
            raise ManifestError(f"{folder}: {other.folder} has the same name. Give the folder another one.")
        os.environ[_ELSEWHERE] = os.pathsep.join(filter(None, (*known, str(folder))))
    return server


def find_kernels(root: Path = CHECKOUT) -> list[Kernel]:
    """The shared kernels of all languages, by id. Raises ManifestError."""
    kernels = []
    for manifest in sorted(root.glob("servers-*/_shared/*/kernel.toml")):
        content = _read(manifest, root, "kernel.schema.json")
        commands = {key: tuple(tuple(argv) for argv in content.get(key, [])) for key in ("test", "lint")}
        folder = manifest.parent
        kernels.append(Kernel(folder.relative_to(root).as_posix(), folder, tuple(content["needs"]), **commands))
    return kernels


def with_transports(servers: Iterable[Server]) -> list[Server]:
    """The servers, each followed by its variants that have a transport of their own."""
    return [
        one
        for server in servers
        for one in (server, *(server.in_variant(name) for name, about in server.variants.items() if about.transport))
    ]


def least_demanding(servers: Iterable[Server]) -> Server:
    """The one that needs the fewest toolchains, the first by id of several: what others have upstream."""
    return min(servers, key=lambda one: (len(one.needs), one.id))


def select(servers: Sequence[Server], names: Iterable[str]) -> list[Server]:
    """The servers that the names mean: services (`shortener`), ids (`servers-node/shortener-pg`) or folder names.

    No name means all. The order is that of `servers`. Raises SelectionError.
    """
    names = [name.rstrip("/").removeprefix("./") for name in names]
    chosen: set[str] = set()
    for name in names:
        found = {server.id for server in servers if name in (server.service, server.id, server.folder.name)}
        if not found:
            known = sorted({one for server in servers for one in (server.service, server.id)})
            if near := get_close_matches(name, {*known, *(server.folder.name for server in servers)}, 1):
                there = f". Did you mean {near[0]!r}? `samewire list` names all"
            elif known:
                there = f"; there are: {', '.join(known)}"
            else:
                there = ". Give a folder, or a service and a URL"
            raise SelectionError(f"no service, server or folder with a server.toml is called {name!r}{there}")
        chosen |= found
    return [server for server in servers if not names or server.id in chosen]
