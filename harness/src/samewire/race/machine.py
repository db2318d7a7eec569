"""What a record says of the machine that a race ran on."""

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samewire.manifest import Server
from samewire.race.generator import Program
from samewire.toolchains import TOOLS


def machine(servers: Sequence[Server], program: Program) -> dict[str, Any]:
    """The machine as run.json holds it, with the versions of what these servers and the generator need."""
    models = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    names = [line.partition("=")[2].strip('"') for line in _lines("/etc/os-release") if line.startswith("PRETTY_NAME=")]
    needs = dict.fromkeys((*(need for server in servers for need in server.needs), *program.needs))
    return {
        "cpu_model": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "os": names[0] if names else platform.system(),
        "toolchains": {name: TOOLS[name]().version for name in needs} | {"python": platform.python_version()},
    }


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
