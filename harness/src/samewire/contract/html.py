"""HTML as the contract compares it: the tree that a browser makes of it.

Elements, their attributes as a set, texts, comments and the doctype. Lexbor builds the tree as WHATWG HTML, 13.2.6,
says. A text of white space alone is left out where no browser shows it: in `head`, and at the start or the end of a
line (CSS Text 3, 4.1.2), so next to a block or to an edge of one. There it only shows how a template is indented.
(Blocks are those of WHATWG HTML, 15.3; a page whose style makes lines of them has to be compared in another way.) A
text that is alone in its element is never left out, nor is one in an element that keeps its white space.
"""

# ruff: noqa: SIM905 (a long list of short words reads better as text)

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from selectolax.lexbor import LexborHTMLParser, LexborNode

_SPACE = " \t\n\f\r"
_BLOCKS = frozenset(
    "html head body address article aside blockquote caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol "
    "optgroup option p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp".split()
)
_KEPT = frozenset(["listing", "plaintext", "pre", "textarea", "xmp"])
_SHOWN = 60

Event = tuple[LexborNode, tuple]
"""A node, and what is compared: its beginning or, of an element, its end."""


def difference(expected: bytes, actual: bytes, names: tuple[str, str]) -> str | None:
    """Where the trees of two pages in UTF-8 differ first, in a sentence; None if they are equal."""
    if expected == actual:
        return None
    parsers = []
    for page, name in zip((expected, actual), names, strict=True):
        try:
            parsers.append(LexborHTMLParser(page.decode("utf-8-sig")))
        except UnicodeDecodeError as error:
            return f"the page of {name} is not UTF-8: {error}"
    for pair in zip_longest(*map(_events, parsers)):
        one, other = (event[1] if event else ("the end of the page",) for event in pair)
        if one != other:
            node = next(event[0] for event in pair if event)
            return f"{_place(node)}: {_told(one, other, names)}"
    return None


def _events(parser: LexborHTMLParser) -> Iterator[Event]:
    """The nodes of a page in their order, each element once more at its end."""
    node: LexborNode | None = parser.root
    while node is not None and node.parent is not None:
        node = node.parent
    node = node and node.first_child
    while node is not None:
        if not _is_between_lines(node):
            yield node, _compared(node)
        following = node.first_child
        while following is None and node is not None and not node.is_document_node:
            if node.is_element_node:
                yield node, ("end", node.tag)
            following, node = node.next, node.parent
        node = following


def _compared(node: LexborNode) -> tuple:
    if node.is_text_node:
        return "text", node.text_content
    if not node.is_element_node:
        return "markup", (node.html_pretty(full_doctype=True) if node.tag == "-doctype" else node.html).strip()
    attributes = {name: value or "" for name, value in node.attributes.items()}
    # What is in a template is not in the tree.
    return "element", node.tag, attributes, node.html if node.tag == "template" else ""


def _is_between_lines(node: LexborNode) -> bool:
    """Whether it is a text that only separates lines of the page's source."""
    parent, before, after = node.parent, node.prev, node.next
    if not node.is_text_node or (before is None and after is None) or (node.text_content or "").strip(_SPACE):
        return False
    if parent.tag in _KEPT:
        return False
    return parent.tag == "head" or any(one.tag in _BLOCKS for one in (before or parent, after or parent))


def _place(node: LexborNode) -> str:
    """The elements that it is in, numbered where there are several of a kind."""
    names, element = [], node if node.is_element_node else node.parent
    while element.is_element_node and element.tag not in ("html", "body"):
        # `==` would compare what is in them.
        kin = [one.mem_id for one in element.parent.iter() if one.tag == element.tag]
        names.append(element.tag + (f"[{kin.index(element.mem_id) + 1}]" if len(kin) > 1 else ""))
        element = element.parent
    return " > ".join(reversed(names)) or "the page"


def _told(one: tuple, other: tuple, names: tuple[str, str]) -> str:
    if one[:2] == other[:2] and one[0] == "element":
        for name in sorted({*one[2], *other[2]}):
            a, b = one[2].get(name), other[2].get(name)
            if a != b:
                return f"{name}: {_beside(a, b, names)}"
        return "what is in it differs"
    if one[0] == other[0] == "text":
        return f"the text is {_beside(one[1], other[1], names)}"
    return ", ".join(f"{name} has {_named(what)}" for name, what in zip(names, (one, other), strict=True))


def _beside(one: str | None, other: str | None, names: tuple[str, str]) -> str:
    """Two texts from a little before the place where they differ."""
    pairs = enumerate(zip(one or "", other or "", strict=False))
    place = next((at for at, (a, b) in pairs if a != b), min(len(one or ""), len(other or "")))
    start = max(0, place - _SHOWN // 3) if place > _SHOWN // 2 else 0
    shown = ["missing" if text is None else _short(text[start:]) for text in (one, other)]
    return f"{names[0]} {shown[0]}, {names[1]} {shown[1]}" + (f" (from character {start})" if start else "")


def _named(what: tuple) -> str:
    kinds = {"text": "the text {}", "end": "the end of <{}>", "element": "<{}>", "markup": "{}"}
    if len(what) == 1:
        return what[0]
    return kinds[what[0]].format(_short(what[1]) if what[0] == "text" else what[1])


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
