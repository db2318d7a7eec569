"""Where a Socket.IO library does not do what a rule of `test_sockets_protocol.py` says, and why that may stay so."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Deviation:
    """What the library does: all of it, or of a rule with several names only those that differ."""

    does: Any
    why: str


_IGNORED = "goes on"

DEVIATIONS: dict[str, dict[str, Deviation]] = {
    "socket.io": {
        "other-methods": Deviation(
            {"PUT": 500, "DELETE": 500, "PATCH": 500},
            "engine.io answers 500 to a method that its polling transport does not know; nothing fails by it",
        ),
        "a-close-packet": Deviation(
            _IGNORED, "engine.io looks for it in payloads of polling; clients close a WebSocket itself"
        ),
        "malformed-engine-packets": Deviation(
            {"an upgrade of what is upgraded": _IGNORED, "an open packet": _IGNORED},
            "engine.io ignores packets that are known and mean nothing where they come",
        ),
        "malformed-packets": Deviation(
            {
                "an event of nothing": _IGNORED,
                "an answer of nothing": _IGNORED,
                "an attachment of half": _IGNORED,
            },
            "socket.io-parser does not check what has no data, and of a number whether it is within its bounds alone",
        ),
    },
}
"""Library, as manifests call it → rule → what it does. A pin that is no longer true is a failure."""
