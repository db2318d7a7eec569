"""Markdown as GitHub reads it, made into what Python-Markdown reads alike; and its links led to places on the site."""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt

_LINK = re.compile(
    r"^ *(?P<fence>`{3,}).*?^ *(?P=fence)|(?P<ticks>`+)[^\n]*?(?P=ticks)"
    r"|(?P<before>\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?)(?P<target>[^)\s>]+)",
    re.MULTILINE | re.DOTALL,
)
_MARKER = re.compile(r" *(?:[-*+]|\d+[.)]) +")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:")
_INDENT = 4  # of what belongs to an item of a list, in Python-Markdown
_PARSER = MarkdownIt("commonmark").enable("table")


def adapted(text: str) -> str:
    """The text with lists and tables as Python-Markdown wants them.

    What belongs to an item is indented by four, a blank line is before lists and tables, and a pipe in code in a table
    is not escaped.
    """
    lines = text.splitlines()
    indents, blank_before = [0] * len(lines), set()
    for token in _PARSER.parse(text):
        if token.type == "list_item_open":
            first, end = token.map
            marker = _MARKER.match(lines[first])
            for number in range(first + 1, end):
                indents[number] += max(0, _INDENT - len(marker[0].lstrip())) if marker else 0
        elif token.type in ("bullet_list_open", "ordered_list_open", "table_open") and token.level == 0:
            blank_before.add(token.map[0])
        if token.type == "table_open":
            for number in range(*token.map):
                lines[number] = re.sub(r"`[^`]+`", lambda code: code[0].replace(r"\|", "|"), lines[number])
    written = []
    for number, (line, indent) in enumerate(zip(lines, indents, strict=True)):
        if number in blank_before and number and lines[number - 1].strip():
            written.append("")
        written.append(" " * indent + line if line.strip() else "")
    return "\n".join(written) + "\n"


def with_links(text: str, lead: Callable[[str], str]) -> tuple[str, list[str]]:
    """The text with the targets of its links replaced by what `lead` makes of them; addresses stay.

    And a problem, `LINE: TARGET: what is wrong`, for each for which `lead` raises ValueError.
    """
    problems = []

    def one(match: re.Match[str]) -> str:
        target = match["target"]
        if not target or _ADDRESS.match(target) or target.startswith("#"):
            return match[0]
        try:
            return match["before"] + lead(target)
        except ValueError as error:
            problems.append(f"{text.count(chr(10), 0, match.start('target')) + 1}: {target}: {error}")
            return match[0]

    return _LINK.sub(one, text), problems
