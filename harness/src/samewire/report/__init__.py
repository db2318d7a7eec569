"""The report of a race: one HTML file, CSV tables and a short table for the terminal, all made from `run.json`."""
