"""Conformance reports: what came of a run of the suite, as files for other programs and for people."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samewire.conformance import junit, pages
from samewire.conformance.summary import Summary, summarise
from samewire.manifest import SelectionError

__all__ = ["KINDS", "Report", "parse", "write"]

KINDS: Mapping[str, Callable[[Summary], str]] = {
    "junit": junit.render,
    "markdown": pages.markdown,
    "ndjson": pages.ndjson,
    "html": pages.html,
}
"""The name of a kind → what makes its text."""


@dataclass(frozen=True)
class Report:
    """A report that is asked for."""

    kind: str
    file: Path


def parse(given: Iterable[str]) -> list[Report]:
    """The reports that `KIND=FILE` asks for. Raises SelectionError where one could not be written."""
    reports = []
    for one in given:
        kind, _, name = one.partition("=")
        file = Path(name)
        if kind not in KINDS or not name:
            raise SelectionError(f"--report takes KIND=FILE, and KIND is one of {', '.join(KINDS)}, not {one!r}")
        if not file.parent.is_dir() or file.is_dir():
            raise SelectionError(f"--report {one}: {file.parent} is no folder, or {file} is one")
        reports.append(Report(kind, file))
    return reports


def write(reports: Iterable[Report], last: Mapping[str, Any]) -> None:
    """Write the reports of a run, of which `outcomes.last_outcomes` tells."""
    summary = summarise(last)
    for report in reports:
        report.file.write_text(KINDS[report.kind](summary), encoding="utf-8")
