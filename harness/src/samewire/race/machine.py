"""What a record says of the machine that a race ran on."""

import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from samewire.toolchains import TOOLS


def machine(needs: Iterable[str] = ()) -> dict[str, Any]:
    """The machine as run.json holds it, with the versions of these toolchains."""
    models = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    names = [line.partition("=")[2].strip('"') for line in _lines("/etc/os-release") if line.startswith("PRETTY_NAME=")]
    return {
        "cpu_model": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "os": names[0] if names else platform.system(),
        "toolchains": {name: TOOLS[name]().version for name in dict.fromkeys(needs)}
        | {"python": platform.python_version()},
    }


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
