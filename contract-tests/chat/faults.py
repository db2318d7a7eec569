"""The faults that a chat server may have besides the general ones, those of JSON bodies and those of parameters.

What messages there are and who is present, others decide as well: `test_messages.py` and `test_presence.py` have rooms
of their own. Nor do cases see the bodies of the page and its files, as `test_page.py` does.
"""

import re
import unicodedata
from uuid import uuid4

from faults.bodies import JSON_BODIES, limits_of_length, unknown_members_ignored
from faults.changes import (
    asked_with_json,
    asked_with_parameters,
    header_left_out,
    headers_changed,
    json_changed,
    json_of,
    parameters_of,
    problem,
)
from faults.parameters import PARAMETERS, empty_values_ignored
from faults.proxy import Exchange, Fault, Reply, fault

from chat import model
from chat.listening.faults import LISTENING
from samewire.http import Request, exchange
from samewire.target import Target

FAULTS: list[Fault] = [*JSON_BODIES, *PARAMETERS, *LISTENING]

NOT_HERE = {
    "header-missing": "no answer has Location",
}

_CONTROL = "[\0-\x1f\x7f-\x9f]"


def _sent(exchange: Exchange, name: str) -> str:
    """A member of the message that is sent; empty if there is none."""
    message = json_of(exchange.request)
    value = message.get(name) if isinstance(message, dict) else None
    return value if isinstance(value, str) else ""


def _stored_as(exchange: Exchange, user: str, text: str) -> Reply | None:
    """The answer to a message with these, where they are others than those that were sent."""
    if (user, text) == (_sent(exchange, "user"), _sent(exchange, "text")):
        return None
    return asked_with_json(exchange, {"user": user, "text": text})


def _posted(exchange: Exchange, **members: object) -> Reply | None:
    """The answer to a message that was taken, with other members."""
    return json_changed(exchange, lambda value: value | members) if exchange.response.status == 201 else None


# ------------------------------------------------------------------------------------------------------------ a room


@fault(FAULTS)
def id_given_again(exchange: Exchange) -> Reply | None:
    """The same id for every message."""
    return _posted(exchange, id=1)


@fault(FAULTS)
def id_as_a_string(exchange: Exchange) -> Reply | None:
    """The id a string."""
    return _posted(exchange, id=str((json_of(exchange.response) or {}).get("id")))


@fault(FAULTS)
def ids_from_zero(exchange: Exchange) -> Reply | None:
    """Ids that begin with 0, as places in a list do."""
    return _posted(exchange, id=0)


@fault(FAULTS)
def room_missing(exchange: Exchange) -> Reply | None:
    """No room in the answers."""
    return json_changed(exchange, lambda value: {name: each for name, each in value.items() if name != "room"})


@fault(FAULTS)
def room_for_each_answer(exchange: Exchange) -> Reply | None:
    """Another room in every answer."""
    return json_changed(exchange, lambda value: value | {"room": str(uuid4())} if "room" in value else value)


@fault(FAULTS)
def room_in_capitals(exchange: Exchange) -> Reply | None:
    """The room in capitals."""
    return json_changed(exchange, lambda value: value | {"room": value["room"].upper()} if "room" in value else value)


@fault(FAULTS)
def last_as_it_was_asked(exchange: Exchange) -> Reply | None:
    """The last id no other than `after` where nothing is new."""
    after = re.search("after=([0-9]+)", exchange.request.path)
    if not after:
        return None
    return json_changed(exchange, lambda value: value | {"last": int(after[1])} if "last" in value else value)


@fault(FAULTS)
def last_of_the_list(exchange: Exchange) -> Reply | None:
    """The last id null where nothing is new."""
    return json_changed(exchange, lambda value: value | {"last": None} if "last" in value else value)


# ---------------------------------------------------------------------------------------------------- names and texts


@fault(FAULTS)
def text_trimmed(exchange: Exchange) -> Reply | None:
    """Spaces around a text trimmed."""
    return _stored_as(exchange, _sent(exchange, "user"), _sent(exchange, "text").strip())


@fault(FAULTS)
def user_trimmed(exchange: Exchange) -> Reply | None:
    """Spaces around a name trimmed."""
    return _stored_as(exchange, _sent(exchange, "user").strip(), _sent(exchange, "text"))


@fault(FAULTS)
def text_normalised(exchange: Exchange) -> Reply | None:
    """A text normalised."""
    return _stored_as(exchange, _sent(exchange, "user"), unicodedata.normalize("NFC", _sent(exchange, "text")))


@fault(FAULTS)
def text_escaped(exchange: Exchange) -> Reply | None:
    """A text escaped for HTML."""
    return _posted(exchange, text=_sent(exchange, "text").replace("<", "&lt;"))


@fault(FAULTS)
def user_in_bytes(exchange: Exchange) -> Reply | None:
    """The limit of a name counted in bytes."""
    if exchange.response.status != 201 or len(_sent(exchange, "user").encode()) <= 32:
        return None
    return problem(exchange, 400, "user must be a string of 1 to 32 characters.")


@fault(FAULTS)
def control_characters_taken(exchange: Exchange) -> Reply | None:
    """Control characters taken in a text."""
    if exchange.response.status != 400:
        return None
    return _stored_as(exchange, _sent(exchange, "user"), re.sub(_CONTROL, "?", _sent(exchange, "text")))


@fault(FAULTS)
def c1_controls_taken(exchange: Exchange) -> Reply | None:
    """U+0080 to U+009F taken in a name."""
    if exchange.response.status != 400:
        return None
    return _stored_as(exchange, re.sub("[\x80-\x9f]", "?", _sent(exchange, "user")), _sent(exchange, "text"))


@fault(FAULTS)
def blanks_refused(exchange: Exchange) -> Reply | None:
    """A text of blanks alone refused."""
    if exchange.response.status != 201 or _sent(exchange, "text").strip():
        return None
    return problem(exchange, 400, "text must be a string of 1 to 500 characters.")


@fault(FAULTS)
def other_members_ignored(exchange: Exchange) -> Reply | None:
    """Members that nobody knows ignored."""
    return unknown_members_ignored(exchange, "user", "text")


@fault(FAULTS)
def numbers_as_texts(exchange: Exchange) -> Reply | None:
    """A number taken for a text."""
    message = json_of(exchange.request)
    text = message.get("text") if isinstance(message, dict) else None
    return asked_with_json(exchange, message | {"text": str(text)}) if isinstance(text, int | float) else None


limits_of_length(FAULTS, 65_536)


# -------------------------------------------------------------------------------------------------------- parameters


@fault(FAULTS)
def empty_parameters_ignored(exchange: Exchange) -> Reply | None:
    """An empty after or user taken for none."""
    return empty_values_ignored(exchange, "after", "user")


@fault(FAULTS)
def after_without_end(exchange: Exchange) -> Reply | None:
    """An after of more than 64 bits taken."""
    long = [pair for pair in parameters_of(exchange) if re.fullmatch("after=[1-9][0-9]{18,}", pair)]
    return asked_with_parameters(exchange, ["after=9007199254740991"]) if long else None


@fault(FAULTS)
def user_not_judged(exchange: Exchange) -> Reply | None:
    """A name in the query taken whatever it is."""
    if b"user must" not in exchange.response.body or exchange.request.method != "GET":
        return None
    return asked_with_parameters(exchange, ["user=ana", *parameters_of(exchange)])


# ---------------------------------------------------------------------------------------------------------- the page


@fault(FAULTS)
def policy_missing(exchange: Exchange) -> Reply | None:
    """No Content-Security-Policy."""
    return header_left_out(exchange, "content-security-policy")


@fault(FAULTS)
def policy_weaker(exchange: Exchange) -> Reply | None:
    """A policy that allows scripts in the page."""
    return headers_changed(exchange, "content-security-policy", lambda value: f"{value}; script-src 'unsafe-inline'")


def _by_the_files(target: Target) -> str | None:
    """The first file of the page to notice, with what it noticed."""
    for name in model.ASSETS:
        request = Request("GET", f"/assets/{name}")
        if problems := model.judge(request, exchange(target, request)):
            return f"{name}: {problems[0]}"
    return None


@fault(FAULTS, judge=_by_the_files)
def old_type_of_scripts(exchange: Exchange) -> Reply | None:
    """Scripts served as application/javascript."""
    return headers_changed(exchange, "content-type", lambda value: value.replace("text/java", "application/java"))
