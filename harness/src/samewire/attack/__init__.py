"""Hostile clients: what plain attacks do to a server (contract-tests/attacks/README.md)."""
