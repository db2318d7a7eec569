"""What a wheel carries of the checkout: the contracts, with all that judges a server at a URL."""

import subprocess
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarryContracts(BuildHookInterface):
    """Puts `contract-tests` into a wheel, below `samewire/_checkout`. An editable install reads the checkout itself."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Add the files that git knows: no caches, nothing that was installed."""
        if version != "standard":
            return
        checkout = Path(self.root).parent
        listed = subprocess.run(
            ["git", "ls-files", "-z", "contract-tests"], cwd=checkout, check=True, capture_output=True, text=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            build_data["force_include"][str(checkout / name)] = f"samewire/_checkout/{name}"
