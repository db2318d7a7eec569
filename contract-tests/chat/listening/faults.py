"""What servers do wrong with those who listen by long polling, or to server-sent events; the checks notice it."""

import json
import re
from collections.abc import Callable
from dataclasses import replace

from faults.changes import header_left_out, headers_changed, values_changed
from faults.proxy import Exchange, Fault, Reply, asked_instead, chunk, fault

from chat.listening import checks
from chat.listening.clients import PROMPT, noticed
from samewire.http import Request

LISTENING: list[Fault] = []

POLLING = {"transport": "polling"}
LATE = PROMPT + 1


def _without(request: Request, path: str, parameter: str) -> Request | None:
    """The request without a parameter; None if it is for another path, or has no such parameter."""
    changed = re.sub(rf"([?&]){parameter}=[^&]*&?", r"\1", request.path).rstrip("?&")
    return replace(request, path=changed) if request.path.startswith(path) and changed != request.path else None


# ------------------------------------------------------------------------------------------------------ long polling


@asked_instead(LISTENING, judge=noticed(checks.silence_has_its_time), **POLLING)
def wait_ignored(request: Request) -> Request | None:
    """No answer waits."""
    return _without(request, "/messages", "wait")


@asked_instead(LISTENING, judge=noticed(checks.silence_has_its_time), **POLLING)
def wait_cut_short(request: Request) -> Request | None:
    """No answer waits for more than a second."""
    path = re.sub("wait=([2-9]|1[0-9]|20)", "wait=1", request.path)
    return replace(request, path=path) if path != request.path else None


@fault(LISTENING, judge=noticed(checks.what_is_there_is_told_at_once), **POLLING)
def news_told_late(exchange: Exchange) -> Reply | None:
    """An answer that has waited, or that need not wait, told late."""
    news = b'"messages":[{' in exchange.response.body and "wait=" in exchange.request.path
    return [LATE, exchange.response.raw] if news else None


@fault(LISTENING, judge=noticed(checks.bad_questions_are_refused), **POLLING)
def longer_waits_taken(exchange: Exchange) -> Reply | None:
    """A wait of more than 20 s taken for one of 20 s."""
    return values_changed(exchange, lambda name, value: "20" if (name, value) == ("wait", "21") else value)


@asked_instead(LISTENING, judge=noticed(checks.listeners_are_present), **POLLING)
def nobody_present_while_waiting(request: Request) -> Request | None:
    """A user who waits is not present."""
    return _without(request, "/messages", "user") if "wait=" in request.path else None


# ------------------------------------------------------------------------------------------------ server-sent events


def _each(exchange: Exchange, change: Callable[[bytes], list[bytes]], what: bytes = b"id:") -> Reply | None:
    """What becomes of an event of a stream that has this in it, as a list of events; None for anything else."""
    event = exchange.response.body
    if exchange.response.framing != "stream" or what not in event:
        return None
    chunked = bool(exchange.response.values("Transfer-Encoding"))
    return [chunk(one) if chunked else one for one in change(event)]


def _room_changed(exchange: Exchange, change: Callable[[dict], dict]) -> Reply | None:
    """The first event with another value."""

    def changed(event: bytes) -> list[bytes]:
        value = json.loads(re.search(rb"^data: ?(.*)$", event, re.M)[1])
        return [b"event: room\ndata: %b\n\n" % json.dumps(change(value)).encode()]

    return _each(exchange, changed, b"event:")


@fault(LISTENING, judge=noticed(checks.head_has_no_body), **POLLING)
def stream_as_plain_text(exchange: Exchange) -> Reply | None:
    """Events served as text/plain."""
    return headers_changed(exchange, "content-type", lambda value: value.replace("event-stream", "plain"))


@fault(LISTENING, judge=noticed(checks.head_has_no_body), **POLLING)
def stream_may_be_cached(exchange: Exchange) -> Reply | None:
    """No Cache-Control."""
    return header_left_out(exchange, "cache-control")


@asked_instead(LISTENING, judge=noticed(checks.head_has_no_body), **POLLING)
def head_streams(request: Request) -> Request | None:
    """HEAD answered with events."""
    is_head = request.method == "HEAD" and request.path.startswith("/events")
    return replace(request, method="GET") if is_head else None


@asked_instead(LISTENING, judge=noticed(checks.bad_questions_are_refused), **POLLING)
def bad_after_of_events_ignored(request: Request) -> Request | None:
    """A bad after taken for none."""
    return _without(request, "/events", "after") if "after=-1" in request.path else None


@fault(LISTENING, judge=noticed(checks.what_was_said_comes_first), **POLLING)
def no_room_first(exchange: Exchange) -> Reply | None:
    """No event that tells the room."""
    return _each(exchange, lambda _: [], b"event:")


@fault(LISTENING, judge=noticed(checks.what_was_said_comes_first), **POLLING)
def room_has_an_id(exchange: Exchange) -> Reply | None:
    """The event that tells the room has an id, from which a client would go on."""
    return _each(exchange, lambda event: [b"id: 0\n" + event], b"event:")


@fault(LISTENING, judge=noticed(checks.what_was_said_comes_first), **POLLING)
def room_without_last(exchange: Exchange) -> Reply | None:
    """No last id in the event that tells the room."""
    return _room_changed(exchange, lambda value: {"room": value["room"]})


@fault(LISTENING, judge=noticed(checks.what_was_said_comes_first), **POLLING)
def room_always_empty(exchange: Exchange) -> Reply | None:
    """The last id 0, whatever there is."""
    return _room_changed(exchange, lambda value: value | {"last": 0})


@asked_instead(LISTENING, judge=noticed(checks.what_was_said_comes_first), **POLLING)
def after_of_events_ignored(request: Request) -> Request | None:
    """All messages told, whatever the client has."""
    return _without(request, "/events", "after")


@asked_instead(LISTENING, judge=noticed(checks.who_comes_back_misses_nothing), **POLLING)
def last_event_id_ignored(request: Request) -> Request | None:
    """Who comes back is told again what it was told before."""
    kept = tuple(field for field in request.headers if field[0].lower() != "last-event-id")
    return replace(request, headers=kept) if kept != request.headers else None


@asked_instead(LISTENING, judge=noticed(checks.who_comes_back_misses_nothing), **POLLING)
def only_new_messages_to_who_comes_back(request: Request) -> Request | None:
    """Who comes back is not told what it has missed."""
    kept = tuple(field for field in request.headers if field[0].lower() != "last-event-id")
    later = (*kept, ("Last-Event-ID", str(2**53 - 1)))
    return replace(request, headers=later) if kept != request.headers else None


@fault(LISTENING, judge=noticed(checks.each_new_message_is_told_at_once), **POLLING)
def ids_missing(exchange: Exchange) -> Reply | None:
    """Events without their ids."""
    return _each(exchange, lambda event: [re.sub(rb"(?m)^id:.*\n", b"", event)])


@fault(LISTENING, judge=noticed(checks.each_new_message_is_told_at_once), **POLLING)
def messages_have_a_name(exchange: Exchange) -> Reply | None:
    """Messages as events of a name of their own, which no `onmessage` hears."""
    return _each(exchange, lambda event: [b"event: chat\n" + event])


@fault(LISTENING, judge=noticed(checks.each_new_message_is_told_at_once), **POLLING)
def message_told_twice(exchange: Exchange) -> Reply | None:
    """Each message told twice."""
    return _each(exchange, lambda event: [event, event])


@fault(LISTENING, judge=noticed(checks.each_new_message_is_told_at_once), **POLLING)
def message_left_out(exchange: Exchange) -> Reply | None:
    """Every third message told to nobody."""
    return _each(exchange, lambda event: [] if re.search(rb"(?m)^id: ?[0-9]*[0369]$", event) else [event])


@fault(LISTENING, judge=noticed(checks.each_new_message_is_told_at_once), **POLLING)
def message_out_of_order(exchange: Exchange) -> Reply | None:
    """Each message told after the next one."""
    told, stream = _each(exchange, lambda event: [event]), id(exchange.request)
    if told and stream not in exchange.memory:
        exchange.memory[stream] = told
        return []
    return told and told + exchange.memory.pop(stream)


@fault(LISTENING, judge=noticed(checks.each_new_message_is_told_at_once), **POLLING)
def stream_ends_after_a_message(exchange: Exchange) -> Reply | None:
    """The stream ended after a message, as a long poll."""
    told = _each(exchange, lambda event: [event])
    return [*told, None] if told else None


@fault(LISTENING, judge=noticed(checks.each_new_message_is_told_at_once), **POLLING)
def messages_told_late(exchange: Exchange) -> Reply | None:
    """Each message told seconds later."""
    told = _each(exchange, lambda event: [event])
    return [LATE, *told] if told else None


@fault(LISTENING, judge=noticed(checks.comments_come), **POLLING)
def no_comments(exchange: Exchange) -> Reply | None:
    """Nothing said while there is nothing to say."""
    return _each(exchange, lambda _: [], b":") if exchange.response.body.startswith(b":") else None


@asked_instead(LISTENING, judge=noticed(checks.listeners_are_present), **POLLING)
def nobody_present_who_listens(request: Request) -> Request | None:
    """A user who listens is not present."""
    return _without(request, "/events", "user")
