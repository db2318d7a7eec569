"""What must be true of long polling and of server-sent events, on a server to which others may write meanwhile."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Barrier
from uuid import uuid4

from chat import model
from chat.clients import Client, right, users_of
from chat.listening.clients import EARLY, PROMPT, SILENCE, Listener, Poller, Stream, ask, head_problems, path_of
from chat.model import EMPTY, HERE, LARGEST, LATE, USER_LIMIT, Message
from samewire.contract.wire import says_close
from samewire.http import Request, connect, exchange
from samewire.target import Target

LISTENERS = 20
"""As many as every server holds."""
POSTERS, EACH = 10, 15
WAITING = 0.3
"""Seconds in which a question has reached the server."""


def last_of(target: Target) -> int:
    """The room's last id."""
    with Client(target) as client:
        return client.read(EMPTY, LARGEST).last


def post(target: Target, text: str = "oi") -> int:
    """The id of a message that is posted."""
    with Client(target) as client:
        return client.post(Message("ana", text))


# --- long polling


def news_come_at_once(target: Target) -> None:
    """Who waits is answered with the next message, and not before it."""
    last, text = last_of(target), f"news {uuid4()}"

    def hear(_: int) -> float:
        after = last
        with Client(target) as client:
            while True:
                room = ask(client, after, 20)
                if any(message.text == text for message in room.messages.values()):
                    return time.monotonic()
                after = room.last

    with ThreadPoolExecutor(5) as pool:
        hearing = [pool.submit(hear, number) for number in range(5)]
        time.sleep(WAITING)
        post(target, text)
        posted = time.monotonic()
        late = max(one.result() for one in hearing) - posted
    assert late <= PROMPT, f"{target.name}: who waits is told {late:.1f} s after a message was posted"


def silence_has_its_time(target: Target) -> None:
    """Without a message above `after` an empty answer comes when its time is over; no other message ends it."""

    def ask_once(after: int, wait: int, user: str | None) -> None:
        with Client(target) as client:
            room = ask(client, after, wait, user)
        assert not room.messages, f"{target.name}: messages after {after}"

    questions = [(LARGEST, 2, None), (LARGEST, 1, "ana"), (LARGEST - 1, 1, None), (LARGEST, 0, None)]
    with ThreadPoolExecutor(len(questions)) as pool:
        asking = [pool.submit(ask_once, *one) for one in questions]
        time.sleep(WAITING)
        post(target)
        for one in asking:
            one.result()


def what_is_there_is_told_at_once(target: Target) -> None:
    """However long one would wait."""
    id_ = post(target)
    with Client(target) as client:
        for after, wait in ((id_ - 1, 20), (id_ - 1, 1), (0, 20)):
            sent = time.monotonic()
            room = ask(client, after, wait)
            assert id_ in room.messages, f"{target.name}: message {id_} is missing after {after}"
            assert time.monotonic() - sent <= PROMPT, f"{target.name}: an answer that need not wait has waited"


def bad_questions_are_refused(target: Target) -> None:
    """With 400, at once."""
    long = "a" * (USER_LIMIT + 1)
    for path, several in {
        "/messages": ("wait=-1", "wait=21", "wait=abc", "wait=1.5", "wait=20&after=-1", f"wait=20&user={long}"),
        "/events": ("after=-1", "after=abc", "after=1.5", f"user={long}", "after=0&user=ana%0A"),
    }.items():
        for query in several:
            request = Request("GET", f"{path}?{query}")
            problems = model.problems_of(request, model.problem(400), exchange(target, request, PROMPT))
            assert not problems, f"{target.name}: GET {request.path}: {problems[0]}"


# --- server-sent events


def what_was_said_comes_first(target: Target) -> None:
    """From the message that the client names, or from the first that is kept."""
    ids = [post(target, f"said {number}") for number in range(3)]
    with Client(target) as client:
        room = client.read(EMPTY, LARGEST).id
    for after, back_from in (
        (None, None),
        (0, None),
        (ids[0], None),
        (ids[2], ids[0]),
        (0, ids[1]),
        (LARGEST, ids[1]),
        (None, 0),
    ):
        with Stream(target, after, back_from=back_from) as stream:
            stream.hears(ids[2])
            assert stream.room == room, f"{target.name}: the room is {stream.room}, and not {room}"
            assert stream.last >= ids[2], f"{target.name}: the last id is {stream.last}, and {ids[2]} was given"


def each_new_message_is_told_at_once(target: Target) -> None:
    """To all who listen for it, and to nobody else."""
    with Stream(target, last_of(target)) as one, Stream(target) as other, Stream(target, LARGEST) as none:
        for number in range(5):
            id_ = post(target, f"new {number}")
            for stream in (one, other):
                stream.hears(id_)
        assert none.wait_for(lambda: True)


def who_comes_back_misses_nothing(target: Target) -> None:
    """A client that connects again and again, with its Last-Event-ID, is told each message once."""
    start, seen = last_of(target), {}

    def chatter() -> dict[int, Message]:
        with Client(target) as client:
            said = {}
            for number in range(40):
                message = Message("ana", f"{number} while you were away")
                said[client.post(message)] = message
                time.sleep(0.005)
            return said

    with ThreadPoolExecutor(1) as pool:
        posting = pool.submit(chatter)
        over = False
        while not over:
            over = posting.done()
            with Stream(target, start, back_from=max(seen, default=None)) as stream:
                stream.wait_for(lambda: len(stream.messages) >= 3, 0.2)
            assert not seen.keys() & stream.messages.keys(), f"{target.name}: a message has come twice"
            seen |= stream.messages
        said = posting.result()
    with Stream(target, start, back_from=max(seen, default=None)) as stream:
        # Others may have posted as well.
        stream.wait_for(lambda: max(said) in stream.messages or max(said) in seen)
    seen |= stream.messages
    assert [*seen] == [*range(start + 1, max(seen, default=start) + 1)], f"{target.name}: a message was missed"
    assert said.items() <= seen.items(), f"{target.name}: not what was said"


def head_has_no_body(target: Target) -> None:
    """HEAD is answered at once, and its connection goes on."""
    with connect(target, PROMPT) as connection:
        answer = connection.exchange(Request("HEAD", "/events?after=0&user=ana"))
        problems = head_problems(answer)
        assert not problems, f"{target.name}: HEAD /events: {problems[0]}"
        if not says_close(answer):
            request = Request("GET", "/messages")
            right(request, connection.exchange(request))
    request = Request("HEAD", "/events?after=x")
    assert exchange(target, request, PROMPT).status == 400, f"{target.name}: HEAD has not the status of GET"


def comments_come(target: Target) -> None:
    """To who is told nothing else."""
    with Stream(target, LARGEST) as stream:
        heard = stream.wait_for(lambda: stream.comments > 0, SILENCE + 1)
    assert heard, f"{target.name}: no comment within {SILENCE:g} s"


# --- both


def listeners_are_present(target: Target) -> None:
    """While they wait or listen, and for a moment after that; they are gone within their time."""
    number = uuid4().hex[:8]
    waits, vanishes, listens, twice = (f"{name} {number}" for name in ("waits", "vanishes", "listens", "twice"))
    wait, began = 4, time.monotonic()

    def sleep_until(seconds: float) -> None:
        time.sleep(max(0.0, began + seconds - time.monotonic()))

    def here(*names: str, gone: tuple[str, ...] = ()) -> None:
        looked = time.monotonic() - began
        found = {*users_of(target)}
        told = f"{looked:.1f} s after all came, of {waits}, {vanishes}, {listens} and {twice}"
        assert {*names} <= found, f"{target.name}: {sorted({*names} - found)} not here {told}"
        assert not found & {*gone}, f"{target.name}: {sorted(found & {*gone})} still here {told}"

    with ExitStack() as stack:
        waiting, vanishing = (stack.enter_context(connect(target, 2 * wait + PROMPT)) for _ in range(2))
        for connection, user in ((waiting, waits), (vanishing, vanishes)):
            connection.send(Request("GET", path_of("/messages", {"after": LARGEST, "wait": wait, "user": user})))
        with Stream(target, LARGEST, listens), Stream(target, LARGEST, twice):
            stays = stack.enter_context(Stream(target, LARGEST, twice))
            while not {waits, vanishes, listens, twice} <= {*users_of(target)} and time.monotonic() < began + PROMPT:
                time.sleep(0.05)
            here(waits, vanishes, listens, twice)
            vanishing.abort()
            sleep_until(HERE + LATE + WAITING)  # Who has asked without waiting would be gone.
            here(waits, listens, twice)
        left = time.monotonic() - began
        waiting.receive("GET")
        answered = time.monotonic() - began
        sleep_until(answered + HERE / 2)
        here(waits, twice)
        sleep_until(max(left, answered, wait) + HERE + LATE + EARLY)
        here(twice, gone=(waits, vanishes, listens))
        stays.go()


@contextmanager
def polling(target: Target, after: int) -> Iterator[Listener]:
    """Somebody who asks by long polling, and whom a last message sets free."""
    with Poller(target, after) as poller:
        yield poller
        poller.go()
        post(target, "That is all.")


def everybody_hears_everything(target: Target, listen: Callable[[Target, int], object]) -> None:
    """Each of many listeners is told each message once, in order, while many post. Nobody else writes to the room."""
    start, together = last_of(target), Barrier(POSTERS)

    def chatter(number: int) -> dict[int, Message]:
        with Client(target) as client:
            together.wait(60)
            several = [Message(f"poster {number}", f"turn {turn}") for turn in range(EACH)]
            return {client.post(one): one for one in several}

    with ExitStack() as stack:
        listeners = [stack.enter_context(listen(target, start)) for _ in range(LISTENERS)]
        with ThreadPoolExecutor(POSTERS) as pool:
            said = {id_: one for several in pool.map(chatter, range(POSTERS)) for id_, one in several.items()}
        assert sorted(said) == [*range(start + 1, start + POSTERS * EACH + 1)]
        for listener in listeners:
            listener.hears(max(said), 10)
            assert [*listener.messages.items()] == sorted(said.items()), f"{target.name}: not each once, in order"
