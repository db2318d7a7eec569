"""Servers that are wrong on purpose: the suite must catch every one of them."""
