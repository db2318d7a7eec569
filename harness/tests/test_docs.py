"""What the documentation says is there: files and headings it links to, commands, options, Make verbs."""

import re
from pathlib import Path

import pytest

from samewire import cli
from samewire.contract.services import services, version
from samewire.digests import source_files
from samewire.manifest import find_servers
from samewire.paths import CHECKOUT, CONTRACTS

PAGES = [path for path in source_files(CHECKOUT) if path.suffix == ".md"]

_FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^)\s>]+)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_VERBS = set(re.findall(r"^([a-z-]+):.*## ", (CHECKOUT / "Makefile").read_text(), re.MULTILINE))

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(CHECKOUT).as_posix())


def _anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    anchors: set[str] = set()
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        number = 0
        while (anchor := f"{slug}-{number}" if number else slug) in anchors:
            number += 1
        anchors.add(anchor)
    return anchors


def _problem(page: Path, link: str) -> str:
    """What is wrong with a link; nothing for one that leads out of the checkout by an address."""
    if re.match(r"[a-z][a-z0-9+.-]*:", link):
        return ""
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(CHECKOUT) or not target.exists():
        return f"{link}: no such file"
    if anchor and target.suffix == ".md" and anchor.lower() not in _anchors(target.read_text()):
        return f"{link}: no such heading"
    if anchor and target.suffix != ".md" and not _has_line(target, anchor):
        return f"{link}: no such line"
    return ""


def _has_line(target: Path, anchor: str) -> bool:
    """Whether an anchor such as L12 is a line of a file, counted from 1."""
    number = re.fullmatch(r"L([1-9]\d*)", anchor)
    return bool(number) and target.is_file() and int(number[1]) <= len(target.read_text().splitlines())


def _code(text: str) -> list[str]:
    """The lines of code blocks and the code spans of a page."""
    lines = [line for block in _FENCE.findall(text) for line in block.splitlines()[1:-1]]
    spans = _CODE_SPAN.findall(_FENCE.sub("", text))
    return [line.replace(r"\|", "|") for line in lines + spans]


def _unknown(line: str) -> list[str]:
    """The commands of samewire in a line of code that do not exist, and options that theirs do not have."""
    found = []
    for name, rest in re.findall(r"(?:^|\s|venv/bin/)samewire ([a-z][\w-]*)([^|#;]*)", line):
        if command := cli.main.commands.get(name):
            known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
            given = re.findall(r"(?:^|[\s\[])(--?[a-z][a-z-]*)", rest)
            found += [f"samewire {name} {option}" for option in given if option not in known]
        else:
            found.append(f"samewire {name}")
    return found


@each_page
def test_every_relative_link_leads_somewhere(page):
    text = _CODE_SPAN.sub("code", _FENCE.sub("", page.read_text()))
    assert not [problem for link in _LINK.findall(text) if (problem := _problem(page, link))]


@each_page
def test_no_page_leads_to_a_server_but_its_own(page):
    by_hand = re.sub(r"<!-- (\w+) -->.*?<!-- /\1 -->", "", page.read_text(), flags=re.DOTALL)
    targets = [(page.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(_FENCE.sub("", by_hand))]
    servers = {server.folder for server in find_servers() if not page.is_relative_to(server.folder)}
    if not page.is_relative_to(CHECKOUT / "docs/idioms"):
        assert not servers & {folder for target in targets for folder in (target, *target.parents)}, (
            "a link to a server is dead when its folder is deleted: name it as `code`, or let a verb write the block"
        )


@each_page
def test_every_command_and_option_exists(page):
    assert not [unknown for line in _code(page.read_text()) for unknown in _unknown(line)]


@each_page
def test_every_make_verb_exists(page):
    named = {verb for line in _code(page.read_text()) for verb in re.findall(r"^ *make ([a-z-]+)", line)}
    assert named <= _VERBS


def test_wrong_documentation_is_noticed():
    page = CHECKOUT / "page.md"
    assert _problem(page, "no-such-file.md") == "no-such-file.md: no such file"
    assert _problem(page, "../outside") == "../outside: no such file"
    assert _problem(page, "docs/README.md#no-such-heading") == "docs/README.md#no-such-heading: no such heading"
    assert not _problem(page, "docs/README.md#Decisions")
    lines = len((CHECKOUT / "Makefile").read_text().splitlines())
    assert not _problem(page, f"Makefile#L{lines}")
    assert _problem(page, f"Makefile#L{lines + 1}") == f"Makefile#L{lines + 1}: no such line"
    assert _problem(page, "Makefile#verbs") == "Makefile#verbs: no such line"
    assert _problem(page, "docs#L1") == "docs#L1: no such line"
    assert not _problem(page, "https://example.org/")
    assert _anchors("# A `b.c`, d!\n## Twice\n## Twice\n```\n# none\n```\n") == {"a-bc-d", "twice", "twice-1"}
    assert _code("x `samewire up`\n```\nX=1 samewire lst\n```\n") == ["X=1 samewire lst", "samewire up"]
    assert _unknown("X=1 .samewire/venv/bin/samewire lst") == ["samewire lst"]
    assert _unknown("samewire verify -k a --stle") == ["samewire verify --stle"]


def test_the_changelog_has_the_version_of_each_contract():
    rows = re.findall(r"^\| ([a-z, ]+) \| (\d+\.\d+\.\d+) \|", (CONTRACTS / "CHANGELOG.md").read_text(), re.MULTILINE)
    newest = {}
    for named, number in rows:
        for service in named.split(", "):
            newest.setdefault(service, number)
    assert newest == {service: version(service) for service in services()}
