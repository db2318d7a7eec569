"""Records of conformance: which server, exactly as it is now, passed the whole suite of its service.

A race asks for such a record. It names digests of the server's files, of what was built from them, and of the contract
with the code that judges it; when any of the three changes, the record is stale.
"""

import json
from datetime import UTC, datetime

from samewire.build import artefact_files, inputs_digest
from samewire.digests import digest_files, source_files
from samewire.manifest import Server
from samewire.paths import CONTRACTS, HARNESS, PASSES


def digest(server: Server) -> dict[str, str]:
    """SHA-256 digests, in hexadecimal: `files` (with toolchain versions), `artefacts`, `contract`."""
    artefacts = [path for files in artefact_files(server).values() for path in files]
    return {
        "files": inputs_digest(server),
        "artefacts": digest_files(artefacts, server.folder),
        "contract": contract_digest(server.service),
    }


def contract_digest(service: str) -> str:
    """The digest of everything that decides whether a server of this service passes."""
    services = {manifest.parent.name for manifest in CONTRACTS.glob("*/openapi.yaml")}
    others = services - {service}
    contract = [path for path in source_files(CONTRACTS) if path.relative_to(CONTRACTS).parts[0] not in others]
    package = HARNESS / "src/samewire"
    names = ("alone", "datasets", "http", "lab", "links", "process", "pytest_plugin", "settings")
    judges = [package / f"{name}.py" for name in names]
    judges += sorted([*package.glob("contract/*.py"), *package.glob("databases/*.py")])
    return digest_files(contract + judges, CONTRACTS.parent)


def write_pass(server: Server, layers: dict[str, dict[str, int]], databases: dict[str, str]) -> None:
    """Record that a server passed: per layer how many tests passed, failed or were skipped; and on which databases."""
    PASSES.mkdir(parents=True, exist_ok=True)
    record = {
        "server": server.id,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "digest": digest(server),
        "layers": layers,
        "database": databases.get(server.store, server.store),
    }
    (PASSES / f"{server.slug}.json").write_text(json.dumps(record, indent=1))


def remove_pass(server: Server) -> None:
    """Forget the record of a server that failed."""
    (PASSES / f"{server.slug}.json").unlink(missing_ok=True)


def _last_pass(server: Server) -> dict | None:
    try:
        return json.loads((PASSES / f"{server.slug}.json").read_text())
    except (OSError, ValueError):
        return None


def fresh_pass(server: Server) -> dict | None:
    """The record of the last whole pass, if the server and the contract are still the same; else None."""
    record = _last_pass(server)
    return record if record and record["digest"] == digest(server) else None


def why_stale(server: Server) -> str:
    """Why `fresh_pass` has nothing: a sentence without a full stop; empty when it has."""
    record = _last_pass(server)
    if record is None:
        return "it has not passed the suite, or failed it since"
    now = digest(server)
    reasons = {"files": "its files or toolchains", "artefacts": "its built files", "contract": "the contract or suite"}
    changed = [reason for key, reason in reasons.items() if record["digest"].get(key) != now[key]]
    return f"{' and '.join(changed)} changed since it passed at {record['at']}" if changed else ""
