"""`python -m samewire.cli`."""

from samewire.cli import main

main()
