"""The tables of a record for the terminal."""

from collections.abc import Mapping
from statistics import median

from rich.console import Console

from samewire.floor.renders import PICTURE
from samewire.table import new_table

LOOKUP_BOUND, UPLOAD_BOUND = 1.3, 0.7
INLINE = "inline"
"""The variant that renders where it answers, which the others are compared with."""


def print_tables(record: Mapping, console: Console) -> None:
    """The medians, and whether they keep the bounds."""
    if record["lookups"]:
        users = record["parameters"]["users"]
        title = f"CPU per lookup in µs, medians, {users} at once, against one program that\ndoes nothing else"
        title += f" (bound {LOOKUP_BOUND})"
        against_bare = new_table(title, "server", "lookup", "bare", "ratio", "range", "")
        title = f"The same against answer and query, each by itself (bound {LOOKUP_BOUND})"
        against_parts = new_table(title, "server", "answer", "query", "ratio", "", "bare")
        for row in record["lookups"]:
            lookup, bare, answer, query = (
                median(row[name]) for name in ("lookup_us", "bare_us", "answer_us", "query_us")
            )
            ratio = median(row["ratio"])
            spread = f"{min(row['ratio']):.2f}–{max(row['ratio']):.2f}"
            name = row["server"] + (" *" if row["stand_in"] else "")
            against_bare.add_row(name, f"{lookup:.1f}", f"{bare:.1f}", f"{ratio:.2f}", spread, _over(ratio))
            ratio, least = median(row["ratio_to_parts"]), bare / (answer + query)
            against_parts.add_row(name, f"{answer:.1f}", f"{query:.1f}", f"{ratio:.2f}", _over(ratio), f"{least:.2f}")
        console.print(against_bare)
        console.print(against_parts)
        if any(row["stand_in"] for row in record["lookups"]):
            console.print(f"* {record['databases']['mongodb']}", highlight=False)
    if record["uploads"]:
        table = new_table("Upload of 200 MB in MB/s, medians", "server", "upload", "raw copy", "ratio", "range", "")
        for row in record["uploads"]:
            ratio = median(row["ratio"])
            rates = [f"{median(row[name]) / 1e6:,.0f}" for name in ("upload_bps", "copy_bps")]
            spread = f"{min(row['ratio']):.2f}–{max(row['ratio']):.2f}"
            verdict = "≥" if ratio >= UPLOAD_BOUND else "under"
            table.add_row(row["server"], *rates, f"{ratio:.2f}", spread, f"{verdict} {UPLOAD_BOUND}")
        console.print(table)
    if record["renders"]:
        inline = [median(row["picture_ms"]) for row in record["renders"] if row["variant"] == INLINE]
        table = new_table(
            f"A picture (GET {PICTURE}) in ms, medians; how long /healthz waits beside it",
            "server", "CPU", "time", "to inline", "wait", "longest wait",
        )  # fmt: skip
        for row in record["renders"]:
            figures = {key: median(row[key]) for key in ("cpu_ms", "picture_ms", "wait_ms", "wait_max_ms")}
            to_inline = f"{figures['picture_ms'] / inline[0]:.2f}" if inline else "–"
            cells = [f"{figures['cpu_ms']:.0f}", f"{figures['picture_ms']:.0f}", to_inline]
            cells += [f"{figures['wait_ms']:.1f}", f"{figures['wait_max_ms']:.0f}"]
            table.add_row(row["server"] + (f", {row['variant']}" if row["variant"] else ""), *cells)
        console.print(table)


def _over(ratio: float) -> str:
    """What a table says of a lookup's ratio to a floor."""
    return "over" if ratio > LOOKUP_BOUND else ""
