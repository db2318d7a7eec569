"""The same step in every stack: a page for each step, with the code of all servers that have it.

Steps are declared in `docs/steps.toml` (`steps`) and marked in the code by comments (`regions`). `pages` makes the
Markdown of docs/idioms, `site` the pages on which the reader chooses the stacks.
"""

from samewire.idioms.pages import files
from samewire.idioms.regions import IdiomsError
from samewire.idioms.site import site_pages
from samewire.idioms.steps import load_steps

__all__ = ["IdiomsError", "files", "load_steps", "site_pages"]
