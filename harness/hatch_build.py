"""What a wheel carries of the checkout: the contracts, with all that judges a server, and the reference servers."""

import subprocess
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Carry(BuildHookInterface):
    """Puts `contract-tests` below `samewire/_checkout`, and the servers below `samewire/_servers`.

    An editable install reads the checkout itself.
    """

    def initialize(self, version: str, build_data: dict) -> None:
        """Add the files that git knows: no caches, nothing that was installed."""
        if version != "standard":
            return
        checkout = Path(self.root).parent
        for folders, below in (("contract-tests", "_checkout"), ("servers-*", "_servers")):
            listed = subprocess.run(
                ["git", "ls-files", "-z", folders], cwd=checkout, check=True, capture_output=True, text=True
            )
            for name in filter(None, listed.stdout.split("\0")):
                build_data["force_include"][str(checkout / name)] = f"samewire/{below}/{name}"
