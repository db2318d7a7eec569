"""Labs in which a reader mends a server: a fault is planted in a copy, the suite finds it, the reader takes it out."""

MARKDOWN, HTML = "mended.md.jinja", "mended.html.jinja"
"""The templates of their pages to hand in."""
