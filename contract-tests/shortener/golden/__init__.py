"""Answers pinned in bulk: `validation.csv`, and how it is made."""
