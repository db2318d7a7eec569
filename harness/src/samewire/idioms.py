"""One page for each step that all implementations have, with the code of every stack side by side.

Steps are declared in `docs/steps.toml` and marked in the code by comments: `#region NAME` … `#endregion NAME`.
A step may have a region in each of several files: a route in one, its SQL in another.
"""

import re
import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

from samewire.digests import source_files
from samewire.manifest import Server
from samewire.paths import CHECKOUT

PAGES = CHECKOUT / "docs/idioms"
"""Where the pages go; ignored by git, since they follow from the code."""

_MARKER = re.compile(r"#(?P<end>end)?region (?P<name>[\w.-]+)\s*(?:\*/|-->)?\s*$")


class IdiomsError(Exception):
    """Regions that are missing, twice in a file or unclosed; the message has a line for each."""


@dataclass(frozen=True)
class Step:
    """Something that every implementation of some services does. `services` is a list of names, or "all"."""

    name: str
    title: str
    text: str
    services: list[str] | str

    def concerns(self, server: Server) -> bool:
        """Whether a server must have it."""
        return self.services == "all" or server.service in self.services


@dataclass(frozen=True)
class Region:
    """The code of a step in one server: its file, the line it starts at (from 1), and the code without indentation."""

    path: Path
    line: int
    code: str


def load_steps(path: Path = CHECKOUT / "docs/steps.toml") -> list[Step]:
    """The declared steps, in order."""
    return [Step(name=name, **about) for name, about in tomllib.loads(path.read_text()).items()]


def find_regions(folder: Path) -> tuple[dict[str, list[Region]], list[str]]:
    """The regions in a folder's files by name, in the order of the files' paths.

    And a line for each one that is twice in a file, unclosed or unopened.
    """
    regions: dict[str, list[Region]] = {}
    problems = []
    for path in source_files(folder):
        try:
            lines = path.read_text().splitlines()
        except UnicodeDecodeError:
            continue
        opened: dict[str, int] = {}
        closed: dict[str, Region] = {}
        for number, line in enumerate(lines, 1):
            marker = _MARKER.search(line)
            if not marker:
                continue
            name = marker["name"]
            if not marker["end"]:
                if name in opened or name in closed:
                    problems.append(f"{path}:{number}: a second region {name}")
                opened[name] = number
            elif name not in opened:
                problems.append(f"{path}:{number}: #endregion {name} without a #region")
            else:
                start = opened.pop(name)
                inner = [line for line in lines[start : number - 1] if not _MARKER.search(line)]
                closed[name] = Region(path, start + 1, textwrap.dedent("\n".join(inner)).strip("\n"))
        problems += [f"{path}:{number}: region {name} is not closed" for name, number in opened.items()]
        for name, region in closed.items():
            regions.setdefault(name, []).append(region)
    return regions, problems


def collect(servers: Sequence[Server], steps: Sequence[Step]) -> dict[str, dict[str, list[Region]]]:
    """Step → server id → regions. Raises IdiomsError."""
    pages: dict[str, dict[str, list[Region]]] = {step.name: {} for step in steps}
    problems = []
    for server in servers:
        regions, found = find_regions(server.folder)
        problems += found
        problems += [
            f"{server.id}: region {name} is not declared in docs/steps.toml" for name in regions if name not in pages
        ]
        for step in (step for step in steps if step.concerns(server)):
            if step.name in regions:
                pages[step.name][server.id] = regions[step.name]
            else:
                problems.append(f"{server.id}: has no region {step.name}")
    if problems:
        raise IdiomsError("\n".join(problems))
    return pages


_PAGE = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
    """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{ step.title }} – Samewire</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(38rem, 100%), 1fr)); gap: 1.5rem; }
section { min-width: 0; }
h2 { font-size: 1rem; margin: 0; }
p.where { margin: 0; color: color-mix(in srgb, currentColor 65%, transparent); font-size: .85rem; }
pre { overflow-x: auto; padding: 1rem; font-size: .8rem;
  border: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
nav a { margin-right: 1rem; }
{{ light }}
@media (prefers-color-scheme: dark) { {{ dark }} }
</style>
<nav aria-label="Steps">{% for other in steps %}<a href="{{ other.name }}.html">{{ other.title }}</a> {% endfor %}</nav>
<h1>{{ step.title }}</h1>
<p>{{ step.text }}</p>
<main>
{% for server in servers %}
<section>
<h2>{{ server.id }}</h2>
<p class="where">{{ server.stack | join(", ") }} · {{ server.concurrency }}</p>
{% for region in server.regions %}
<p class="where">{{ region.where }}</p>
{{ region.code }}
{% endfor %}
</section>
{% endfor %}
</main>
</html>
"""
)


def write_pages(servers: Sequence[Server], steps: Sequence[Step], folder: Path = PAGES) -> list[Path]:
    """Write a page for each step and return their paths. Raises IdiomsError and then writes nothing."""
    pages = collect(servers, steps)
    folder.mkdir(parents=True, exist_ok=True)
    styles = {
        scheme: HtmlFormatter(style=style).get_style_defs(".highlight")
        for scheme, style in (("light", "default"), ("dark", "github-dark"))
    }
    written = []
    for step in steps:
        shown = [
            {
                "id": server.id,
                "stack": server.stack,
                "concurrency": server.concurrency,
                "regions": [
                    {"where": f"{one.path.relative_to(server.folder)}, line {one.line}", "code": _coloured(one)}
                    for one in regions
                ],
            }
            for server in servers
            if (regions := pages[step.name].get(server.id))
        ]
        page = folder / f"{step.name}.html"
        page.write_text(_PAGE.render(step=step, steps=steps, servers=shown, **styles))
        written.append(page)
    return written


def _coloured(region: Region) -> jinja2.utils.markupsafe.Markup:
    try:
        # PHP is only coloured after its opening tag, which regions do not hold.
        options = {"startinline": True} if region.path.suffix == ".php" else {}
        lexer = get_lexer_for_filename(region.path.name, **options)
    except ClassNotFound:
        lexer = TextLexer()
    return jinja2.utils.markupsafe.Markup(highlight(region.code, lexer, HtmlFormatter()))
