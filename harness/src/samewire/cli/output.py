"""What commands print to, and the statuses they exit with."""

import sys
from typing import NoReturn

from rich.console import Console

FAILED, USAGE, MISSING = 1, 2, 3
"""Exit statuses: a verdict was bad, the call was wrong, something is missing on this machine."""

console = Console()
errors = Console(stderr=True)


def fail(message: object, status: int) -> NoReturn:
    """Print a message to standard error and exit with this status."""
    complain(message)
    sys.exit(status)


def complain(message: object) -> None:
    """Print a message to standard error."""
    errors.print(f"samewire: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
