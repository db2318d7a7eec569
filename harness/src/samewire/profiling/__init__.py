"""Profiles: in which functions a server spends its time under an experiment's load. Nothing of it is ranked."""


class ProfilingError(Exception):
    """A profile that cannot be made; the message says what failed, where, and what to do next."""
