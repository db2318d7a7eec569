"""Server-sent events: first what was said, then each message as it comes; each once, however often one comes back."""

import pytest

from chat.listening import checks
from chat.listening.clients import Stream
from chat.sockets.room import Room
from samewire.target import Target

pytestmark = [pytest.mark.layer("cases"), pytest.mark.transports("polling"), pytest.mark.timeout(120)]


def test_what_was_said_comes_first(target: Target) -> None:
    checks.what_was_said_comes_first(target)


def test_each_new_message_is_told_at_once(target: Target) -> None:
    checks.each_new_message_is_told_at_once(target)


def test_who_comes_back_misses_nothing(target: Target) -> None:
    checks.who_comes_back_misses_nothing(target)


def test_head(target: Target) -> None:
    checks.head_has_no_body(target)


def test_twenty_listen_while_ten_post(room: Room) -> None:
    checks.everybody_hears_everything(room.target, Stream)
