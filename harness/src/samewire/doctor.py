"""Examines the machine: is everything there, and is it quiet enough to measure?"""

import os
import shutil
import socket
import time

import psutil
from rich.console import Console

from samewire.manifest import find_servers
from samewire.paths import CHECKOUT, STATE
from samewire.process import PORTS, remove_stale_runs
from samewire.table import new_table
from samewire.toolchains import TOOLS

MEMORY_LEAST = 8 * 2**30
"""Bytes that a race with a million links on the stand-in takes, with some room."""
DISK_LEAST = 5 * 2**30


def noise(seconds: float = 2.0) -> dict[str, float]:
    """How busy the machine is while nothing of ours runs: shares from 0 to 1 of all cores' time over `seconds`.

    `busy` is user and system time of other programs, `steal` time that the hypervisor gave to others.
    """
    before = psutil.cpu_times()
    time.sleep(seconds)
    after = psutil.cpu_times()
    spent = {field: getattr(after, field) - getattr(before, field) for field in after._fields}
    total = sum(spent[field] for field in ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")) or 1
    busy = sum(spent[field] for field in ("user", "nice", "system", "irq", "softirq"))
    return {"busy": busy / total, "steal": spent.get("steal", 0) / total}


def _ports_in_use() -> list[int]:
    used = []
    for port in PORTS:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                used.append(port)
    return used


def examine(console: Console) -> int:
    """Print what was found; 3 when something that a server or the harness needs is missing, else 0."""
    needed = {name for server in find_servers() for name in server.needs} | {
        "postgresql",
        "mongodb-stand-in",
        "chromium",
    }
    table = new_table("This machine", "what", "found", "what to do")
    status = 0
    for name, find in TOOLS.items():
        tool = find()
        if not tool.found and name in needed:
            status = 3
        shown = (
            f"[green]{tool.version or 'yes'}[/]" if tool.found else ("[red]missing" if name in needed else "not there")
        )
        table.add_row(name, shown, "" if tool.found else tool.hint)
    used = _ports_in_use()
    table.add_row(
        "ports", f"{len(PORTS) - len(used)} of {len(PORTS)} free", "" if len(used) < 5000 else "close some servers"
    )
    memory = psutil.virtual_memory()
    low = memory.available < MEMORY_LEAST
    table.add_row(
        "memory",
        f"{'[yellow]' if low else ''}{memory.available / 2**30:.1f} of {memory.total / 2**30:.1f} GiB available",
        "races with a million links on the MongoDB stand-in want 8 GiB" if low else "",
    )
    disk = shutil.disk_usage(CHECKOUT)
    full = disk.free < DISK_LEAST
    table.add_row("disk", f"{'[yellow]' if full else ''}{disk.free / 2**30:.0f} GiB free", "make room" if full else "")
    user = "root: databases run as nobody" if os.geteuid() == 0 else "not root"
    table.add_row("user", user, "")
    stale = remove_stale_runs() if STATE.exists() else 0
    if stale:
        table.add_row("killed commands", f"[yellow]{stale}", "what they had left running has been stopped")
    loud = noise()
    noisy = loud["busy"] > 0.05 or loud["steal"] > 0.01
    table.add_row(
        "noise",
        f"{'[yellow]' if noisy else '[green]'}{loud['busy']:.1%} busy, {loud['steal']:.1%} stolen",
        "other programs disturb measurements: close them, or expect wide intervals" if noisy else "",
    )
    table.add_row("cores", str(os.cpu_count()), "")
    console.print(table)
    return status
