"""A badge for a README: the verdict of a run, as an SVG and as an endpoint file of shields.io."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anybadge

from samewire.manifest import SelectionError

COLOURS = {"green": "#4c1", "yellow": "#dfb317", "red": "#e05d44"}


def read_run(report: Path) -> Mapping[str, Any]:
    """The line of the run in a report `ndjson`. Raises SelectionError where the file is none."""
    try:
        with report.open(encoding="utf-8") as lines:
            run = json.loads(lines.readline())
        _words(run)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise SelectionError(f"{report} is no report that `samewire verify --report ndjson=FILE` wrote") from None
    return run


def svg(run: Mapping[str, Any]) -> str:
    """The badge as an image."""
    label, message, colour = _words(run)
    return anybadge.Badge(label, message, default_color=COLOURS[colour]).badge_svg_text


def shields(run: Mapping[str, Any]) -> str:
    """The badge as JSON: https://shields.io/badges/endpoint-badge."""
    label, message, colour = _words(run)
    return json.dumps({"schemaVersion": 1, "label": label, "message": message, "color": colour}) + "\n"


def _words(run: Mapping[str, Any]) -> tuple[str, str, str]:
    """Label, message and the name of a colour: yellow where tests are known to fail, or where only a part ran."""
    label = ", ".join(f"{service} {version}" for service, version in run["contracts"].items()) or "samewire"
    counts = run["counts"]
    passed, failed, known = (int(counts.get(name, 0)) for name in ("passed", "failed", "known"))
    if not run["passes"]:
        return label, f"{failed} failed" if failed else "fails", "red"
    part = ", a part of the suite" if run.get("narrowed") else ""
    but = f", {known} known to fail" if known else ""
    return label, f"{passed} passed{part}{but}", "yellow" if known or part else "green"
