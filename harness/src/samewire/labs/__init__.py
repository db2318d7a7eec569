"""Labs: a question on concurrency, a prediction asked first, servers that answer it, and a page to hand in."""


class LabError(Exception):
    """A lab that does not exist, cannot run here, or was asked for wrongly; the message says what to do."""


class NotFound(LabError):
    """There is no such lab, or no such run of one."""
