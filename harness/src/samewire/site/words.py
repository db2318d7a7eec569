"""Parts of Markdown texts, and rows of tables."""

import re


def first_paragraph(text: str) -> str:
    """The first paragraph that is neither a heading nor a picture, in one line."""
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return next((one for one in paragraphs if one and not one.startswith(("#", "!", "|", "`", "-"))), "")


def first_sentence(text: str) -> str:
    """The first sentence, without its full stop."""
    return re.split(r"\.(?:\s|$)", text, maxsplit=1)[0]


def cells(*values: object) -> str:
    """A row of a table."""
    return f"| {' | '.join(str(value).replace('|', '&#124;') for value in values)} |"
