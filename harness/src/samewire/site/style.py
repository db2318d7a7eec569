"""What the pages look like: the theme's own style, with the font and the charts of reports."""

import base64
import re
import shutil
from importlib.resources import files
from pathlib import Path

ASSETS = "assets"
SHIM = "iframe-worker.js"

_REPORT = files("samewire.report")
# Of the report's style sheet: its colours, and the rules for what charts are drawn of.
_COLOURS = re.compile(r"^  (--(?:hue-\d|ink|muted|paper|grid): .*;)$", re.MULTILINE)
_RULES = re.compile(r"^\.(?:hue-\d|neutral|dot|interval|grid|start|middle|end|tick)\b.*$", re.MULTILINE)


def write(folder: Path) -> None:
    """Copy this package's assets, and add style.css."""
    assets = Path(str(files(__package__) / ASSETS))
    shutil.copytree(assets, folder / ASSETS, dirs_exist_ok=True)
    font = base64.b64encode((_REPORT / "fonts/source-sans-3-latin.woff2").read_bytes()).decode()
    report = (_REPORT / "templates/report.css").read_text()
    colours, rules = "\n".join(_COLOURS.findall(report)), "\n".join(one[0] for one in _RULES.finditer(report))
    (folder / ASSETS / "report.css").write_text(
        '@font-face { font-family: "Source Sans 3"; font-weight: 200 900; '
        f'src: url(data:font/woff2;base64,{font}) format("woff2"); }}\n'
        f".samewire-chart {{\n{colours}\n{rules}\n}}\n"
    )


def of_kind(folder: Path, ending: str) -> list[str]:
    """The assets with this ending that each page loads, by their paths in the folder."""
    found = sorted((folder / ASSETS).glob(f"*{ending}"))
    return [path.relative_to(folder).as_posix() for path in found if path.name != SHIM]
