"""Hypothesis strategies for what `openapi.yaml` says of the chat in words: names and texts."""

import json
from dataclasses import replace

from hypothesis import strategies as st
from openapi_requests import operations

from chat.model import LARGEST, TEXT_LIMIT, USER_LIMIT, Message

OPERATIONS = operations("chat")
WAIT, LISTEN, POST, PRESENCE = (
    OPERATIONS[id_] for id_ in ("readMessages", "listenToEvents", "postMessage", "readPresence")
)
"""The first two are those of servers that speak polling."""
READ = replace(WAIT, query={name: schema for name, schema in WAIT.query.items() if name != "wait"})
"""As every server has it."""

WHOLE = (
    "ana",
    "José",
    "你好",
    "привет",
    "👋 oi",
    'a "b" \\ / \' <b>&amp;</b>',
    "  oi  ",
    "%00 ${a}",
    "null",
    "a+b&c=d",
)


def _lines(limit: int) -> st.SearchStrategy[str]:
    """What any server takes: letters of any script among other characters, at most `limit` UTF-16 units."""
    text = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=min(limit // 2, 40))
    long = st.sampled_from(["a" * limit, "é" * limit, "牛" * limit, "👋" * (limit // 2)])
    return st.one_of(st.sampled_from(WHOLE), text, long)


OWN = {
    "user": _lines(USER_LIMIT),
    "text": _lines(TEXT_LIMIT),
    # Mostly nothing is newer, so that nobody reads the whole room again and again.
    "after": st.one_of(st.just(LARGEST), st.integers(10**9, LARGEST), st.integers(0, 2000)),
    # How long an answer waits, test_long_polling.py looks at.
    "wait": st.just(0),
}
"""Strategies for members and parameters by name."""


def messages() -> st.SearchStrategy[Message]:
    """Messages that the contract takes."""
    return st.builds(Message, OWN["user"], OWN["text"])


def spelled(message: Message) -> bytes:
    """The body that posts `message`."""
    return json.dumps({"user": message.user, "text": message.text}, ensure_ascii=False).encode()
