"""Races: servers that are proven identical, under the same load, in interleaved rounds, with intervals for so few."""


class RaceError(Exception):
    """A race that cannot start, or in which a run could not be finished; the message says why, and what to do."""
