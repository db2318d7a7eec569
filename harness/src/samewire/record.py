"""Records of conformance: which server, exactly as it is now, passed the whole suite of its service.

A race asks for such a record. It names digests of the server's files, of what was built from them, and of the contract
with the code that judges it; when any of the three changes, the record is stale.
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from samewire.atlas.pins import file_of
from samewire.build import artefact_files, inputs_digest
from samewire.contract.services import services, version
from samewire.digests import digest_files, source_files
from samewire.manifest import Server
from samewire.paths import CONTRACTS, HARNESS, PASSES
from samewire.toolchains import mongod

JUDGES = (
    "browser", "build", "carried", "datasets", "http", "languages", "links", "manifest", "outcomes", "process",
    "settings", "target", "testbed", "toolchains", "watching",
)  # fmt: skip
"""The modules, beside whole packages, that judge servers and that start them."""


def digest(server: Server, image: str | None = None) -> dict[str, str]:
    """SHA-256 digests, in hexadecimal: `files` (with toolchain versions), `artefacts`, `contract`, `pins`.

    Of a process on MongoDB, `engine` is the version of `mongod`, the stand-in, or the variable with the server's URL.
    Of a server in a container, `image` is the id of its image, which is a digest of files and artefacts, too.
    """
    pins = file_of(server)
    common = {
        "contract": contract_digest(server.service),
        "pins": digest_files([pins] if pins.exists() else [], server.folder),
    }
    if image:
        return {"image": image} | common
    if server.store == "mongodb":
        common["engine"] = "MONGODB_URL" if os.environ.get("MONGODB_URL") else mongod().version or "stand-in"
    artefacts = [path for files in artefact_files(server).values() for path in files]
    return {
        "files": inputs_digest(server),
        "artefacts": digest_files(artefacts, server.folder),
    } | common


def contract_digest(service: str) -> str:
    """The digest of all that decides whether a server of this service passes: cases, judges, and what starts servers.

    Prose decides nothing.
    """
    others = {*services()} - {service}
    contract = [path for path in source_files(CONTRACTS) if path.relative_to(CONTRACTS).parts[0] not in others]
    contract = [path for path in contract if path.suffix != ".md"]
    package = HARNESS / "src/samewire"
    judges = [package / f"{name}.py" for name in JUDGES]
    parts = ("atlas", "attack", "contract", "databases", "pytest_plugin")
    judges += sorted(path for part in parts for path in package.glob(f"{part}/*.py"))
    return digest_files(contract + judges, CONTRACTS.parent)


def _file(server: Server, image: str | None) -> Path:
    return PASSES / ("images" if image else "") / f"{server.slug}.json"


def write_pass(
    server: Server, layers: dict[str, dict[str, int]], databases: dict[str, str], image: str | None = None
) -> None:
    """Record that a server passed: per layer how many tests passed, failed or were skipped; and on which databases.

    What passed in a container (`image`) and what passed as a process are two records.
    """
    file = _file(server, image)
    file.parent.mkdir(parents=True, exist_ok=True)
    record = {
        "server": server.id,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "contract": version(server.service),
        "digest": digest(server, image),
        "layers": layers,
        "database": databases.get(server.store, server.store),
    }
    file.write_text(json.dumps(record, indent=1))


def remove_pass(server: Server, image: str | None = None) -> None:
    """Forget the record of a server that failed."""
    _file(server, image).unlink(missing_ok=True)


def _last_pass(server: Server, image: str | None) -> dict | None:
    try:
        return json.loads(_file(server, image).read_text())
    except (OSError, ValueError):
        return None


def fresh_pass(server: Server, image: str | None = None) -> dict | None:
    """The record of the last whole pass, if the server and the contract are still the same; else None."""
    record = _last_pass(server, image)
    return record if record and record["digest"] == digest(server, image) else None


def why_stale(server: Server, image: str | None = None) -> str:
    """Why `fresh_pass` has nothing: a sentence without a full stop; empty when it has."""
    record = _last_pass(server, image)
    if record is None:
        return "it has not passed the suite, or failed it since"
    now = digest(server, image)
    reasons = {
        "files": "its files or toolchains", "artefacts": "its built files", "image": "its image",
        "contract": "the contract or suite", "pins": "its pinned answers",
        "engine": "its database",
    }  # fmt: skip
    changed = [reasons[key] for key, value in now.items() if record["digest"].get(key) != value]
    return f"{' and '.join(changed)} changed since it passed at {record['at']}" if changed else ""
