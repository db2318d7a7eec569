"""A hundred clients at the same time lose no update: what each was told is what is there afterwards."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import pytest
from openapi_requests import spelled as spelled_members
from request_strategies import JSON

from samewire.http import Connection, Request, Response, connect, exchange
from samewire.target import Target
from todo import model
from todo.model import Todo
from todo.strategies import spelled_todo as spelled

pytestmark = [pytest.mark.layer("cases"), pytest.mark.timeout(180)]

CLIENTS = 100

Result = TypeVar("Result")


def at_once(target: Target, client: Callable[[Connection, int], Result], clients: int = CLIENTS) -> list[Result]:
    """What each of the clients has to say; they connect, then begin together."""
    start = threading.Barrier(clients)

    def run(number: int) -> Result:
        with connect(target, 30) as connection:
            start.wait(30)
            return client(connection, number)

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(run, range(clients)))


def make(target: Target, todo: Todo) -> int:
    """A new todo's id."""
    id_ = model.fresh_id(exchange(target, Request("POST", "/todos", JSON, spelled(todo))))
    assert id_
    return id_


def todo_in(response: Response) -> Todo:
    assert response.status in (200, 201), response
    item = json.loads(response.body)
    return Todo(item["title"], item["completed"])


def todo_of(target: Target, id_: int) -> Todo:
    return todo_in(exchange(target, Request("GET", f"/todos/{id_}")))


def test_every_post_makes_a_todo(target: Target) -> None:
    def client(connection: Connection, number: int) -> dict[int, Todo]:
        made = {}
        for turn in range(3):
            todo = Todo(f"client {number}, turn {turn}", completed=turn % 2 == 0)
            request = Request("POST", "/todos", JSON, spelled(todo))
            response = connection.exchange(request)
            assert model.judge(request, response) == []
            id_ = model.fresh_id(response)
            assert id_
            made[id_] = todo
        assert all(one < other for one, other in pairwise(made))
        return made

    several = at_once(target, client)
    todos = {id_: todo for made in several for id_, todo in made.items()}
    assert len(todos) == 3 * CLIENTS, "an id was given twice"
    # All of them are in the list, however it is cut into pages, among others' todos.
    after: int | None = min(todos) - 1
    while after is not None:
        request = Request("GET", f"/todos?after={after}&limit=100")
        response = exchange(target, request)
        assert model.judge(request, response, todos) == []
        after = json.loads(response.body)["next"]
    for id_ in todos:
        request = Request("DELETE", f"/todos/{id_}")
        assert model.judge(request, exchange(target, request), todos) == []


def test_patches_of_different_members_are_both_kept(target: Target) -> None:
    """Half of the clients write the title, half completed; neither ever takes back what the other wrote."""
    id_ = make(target, Todo("nobody", completed=False))

    def client(connection: Connection, number: int) -> list[Todo]:
        seen = []
        for turn in range(5):
            members = {"completed": True} if number % 2 else {"title": f"client {number}, turn {turn}"}
            seen.append(todo_in(connection.exchange(Request("PATCH", f"/todos/{id_}", JSON, spelled_members(members)))))
            assert getattr(seen[-1], *members) == next(iter(members.values())), "an answer without its own change"
        return seen

    several = at_once(target, client)
    last = todo_of(target, id_)
    assert last.completed, "completed was lost: a write of the title brought an older value back"
    titles = {todo.title for number, seen in enumerate(several) if number % 2 == 0 for todo in seen}
    assert last.title in titles, "the title was lost: a write of completed brought an older value back"
    last_turns = {f"client {number}, turn 4" for number in range(0, CLIENTS, 2)}
    assert last.title in last_turns, "a title from before the last turns: a write was lost"


@pytest.mark.parametrize("empty", [False, True], ids=["one-member", "empty"])
def test_a_patch_brings_nothing_back(target: Target, empty: bool) -> None:
    """One client writes the title again and again and finds it each time, whatever many others patch beside it."""
    id_ = make(target, Todo("turn -1", completed=False))
    clients, over = 20, threading.Event()
    patches = [0] * clients

    def others_patch() -> bool:
        return all(patches[1:])

    def client(connection: Connection, number: int) -> None:
        while number and not over.is_set():
            body = b"{}" if empty else spelled_members({"completed": patches[number] % 2 == 0})
            todo_in(connection.exchange(Request("PATCH", f"/todos/{id_}", JSON, body)))
            patches[number] += 1
        if number:
            return
        try:
            # On a busy machine a client may begin late: it takes more turns then.
            while patches[0] < 100 or (not others_patch() and patches[0] < 10_000):
                title = f"turn {patches[0]}"
                body = spelled_members({"title": title})
                written = todo_in(connection.exchange(Request("PATCH", f"/todos/{id_}", JSON, body)))
                found = todo_in(connection.exchange(Request("GET", f"/todos/{id_}")))
                assert (written.title, found.title) == (title, title), "an update was lost"
                patches[0] += 1
        finally:
            over.set()

    at_once(target, client, clients)
    assert others_patch(), f"patches of each client: {patches}"


def test_puts_leave_one_of_the_states_whole(target: Target) -> None:
    """Title and completed always come from the same PUT, in every answer and at the end."""
    id_ = make(target, Todo("start", completed=False))
    states = {number: Todo(f"client {number}", completed=number % 3 == 0) for number in range(CLIENTS)}

    def client(connection: Connection, number: int) -> list[Todo]:
        mine, found = states[number], []
        for _ in range(3):
            body = spelled(mine)
            assert todo_in(connection.exchange(Request("PUT", f"/todos/{id_}", JSON, body))) == mine
            found.append(todo_in(connection.exchange(Request("GET", f"/todos/{id_}"))))
        return found

    whole = set(states.values())
    found = [todo for several in at_once(target, client) for todo in several]
    assert set(found) <= whole, "half of one PUT and half of another"
    assert todo_of(target, id_) in whole


def test_one_delete_of_many_finds_it(target: Target) -> None:
    """Of all who delete the same todo one is told 204 and the others 404; no PUT or PATCH makes it again."""
    id_ = make(target, Todo("doomed"))
    todos = {id_: Todo("doomed")}
    deleting = Request("DELETE", f"/todos/{id_}")
    writing = Request("PUT", f"/todos/{id_}", JSON, spelled(Todo("saved", completed=True)))
    changing = Request("PATCH", f"/todos/{id_}", JSON, b"{}")

    def client(connection: Connection, number: int) -> int:
        request = (deleting, deleting, writing, changing)[number % 4]
        response = connection.exchange(request)
        assert response.status in (404, 204 if request == deleting else 200)
        if response.status != 200:
            assert model.judge(request, response, todos if response.status == 204 else {}) == []
        return response.status

    assert at_once(target, client).count(204) == 1
    assert exchange(target, Request("GET", f"/todos/{id_}")).status == 404
