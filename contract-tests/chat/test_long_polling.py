"""Long polling: an answer comes with the next message or when its time is over, and no message is missed."""

import pytest

from chat.listening import checks
from chat.sockets.room import Room
from samewire.target import Target

pytestmark = [pytest.mark.layer("cases"), pytest.mark.transports("polling"), pytest.mark.timeout(120)]


def test_news_come_at_once(target: Target) -> None:
    checks.news_come_at_once(target)
    checks.what_is_there_is_told_at_once(target)


@pytest.mark.waits
def test_silence_has_its_time(target: Target) -> None:
    checks.silence_has_its_time(target)


def test_bad_questions(target: Target) -> None:
    checks.bad_questions_are_refused(target)


def test_twenty_wait_while_ten_post(room: Room) -> None:
    checks.everybody_hears_everything(room.target, checks.polling)
