"""Pages of lists that are known to the last item: every server is started on an empty database of its own."""

import json
from collections.abc import Iterator

import psycopg
import pytest
from request_strategies import JSON

from samewire.contract.compare import side_by_side
from samewire.http import Connection, Request, Response, connect
from samewire.manifest import Server
from samewire.target import Target
from samewire.testbed import Testbed
from todo import model
from todo.model import Todo
from todo.strategies import spelled_todo as spelled

pytestmark = [pytest.mark.layer("cases"), pytest.mark.timeout(180)]


class Service:
    """A running server with what it must hold."""

    def __init__(self, target: Target, connection: Connection) -> None:
        self.target, self._connection = target, connection
        self.todos: dict[int, Todo] = {}

    def ask(self, method: str, path: str, todo: Todo | None = None) -> Response:
        """The answer to a request, judged by the contract."""
        request = Request(method, path, JSON if todo else (), spelled(todo) if todo else None)
        response = self._connection.exchange(request)
        fresh = model.fresh_id(response)
        expected = model.answer(request, self.todos, fresh or model.NOT_MADE)
        if problems := model.problems_of(request, expected, response):
            shown = side_by_side(request, {"the contract": expected, "the server": response}, url=self.target.url)
            pytest.fail("\n".join([*problems, "", shown]), pytrace=False)
        self.todos = model.held_after(request, self.todos, fresh or model.NOT_MADE)
        return response

    def walk(self, limit: str = "") -> list[list[int]]:
        """The ids of all pages, from the first to the last."""
        pages, after = [], 0
        while after is not None:
            page = json.loads(self.ask("GET", f"/todos?after={after}{limit}").body)
            pages.append([item["id"] for item in page["items"]])
            after = page["next"]
        return pages


@pytest.fixture
def database(testbed: Testbed) -> str:
    return testbed.new_database("todo", "postgresql")


@pytest.fixture
def service(testbed: Testbed, server: Server, database: str) -> Iterator[Service]:
    running = testbed.start(server, database=database)
    try:
        with connect(running.target) as connection:
            yield Service(running.target, connection)
    finally:
        running.stop()


def test_pages(service: Service, database: str) -> None:
    """From an empty table to more than two of the largest pages, with gaps, after changes and deletions."""
    assert service.walk() == [[]]
    service.ask("HEAD", "/todos")
    for number in range(1, 5):
        service.ask("POST", "/todos", Todo(f'{number} \u725b \U0001f600 \\ " \n', completed=number % 2 == 0))
        service.ask("GET", "/todos")
        service.ask("GET", f"/todos?limit={number}")
        service.ask("GET", f"/todos?limit={number + 1}")
    one, two, three, four = service.todos

    # A full page has a next only if there is more after it.
    assert service.walk("&limit=1") == [[one], [two], [three], [four]]
    assert service.walk("&limit=2") == [[one, two], [three, four]]
    assert service.walk("&limit=3") == [[one, two, three], [four]]
    assert service.walk("&limit=4") == service.walk("&limit=5") == service.walk() == [[one, two, three, four]]

    # Changes keep the order, deletions leave a gap, and after need not be an id that there is.
    service.ask("PUT", f"/todos/{one}", Todo("changed", completed=True))
    service.ask("DELETE", f"/todos/{two}")
    service.ask("GET", f"/todos?after={two}")
    service.ask("GET", f"/todos?after={one}&limit=1")
    service.ask("DELETE", f"/todos/{four}")
    service.ask("GET", "/todos?limit=2")
    service.ask("GET", f"/todos?after={three}")
    service.ask("GET", f"/todos?after={four + 1000}")
    assert service.walk("&limit=1") == [[one], [three]]

    # 50 unless limit says otherwise, and 100 at most.
    while len(service.todos) < 50:
        service.ask("POST", "/todos", Todo("a" * (len(service.todos) + 1)))
    assert [len(page) for page in service.walk()] == [50]
    service.ask("HEAD", "/todos")
    service.ask("POST", "/todos", Todo("the 51st"))
    assert [len(page) for page in service.walk()] == [50, 1]
    while len(service.todos) < 101:
        service.ask("POST", "/todos", Todo("\U0001f600" * 100))
    assert [len(page) for page in service.walk()] == [50, 50, 1]
    assert [len(page) for page in service.walk("&limit=100")] == [100, 1]
    assert [len(page) for page in service.walk("&limit=99")] == [99, 2]
    service.ask("DELETE", f"/todos/{max(service.todos)}")
    assert [len(page) for page in service.walk("&limit=100")] == [100]


def test_large_ids(service: Service, database: str) -> None:
    """No id loses a digit, up to the largest that every JSON library reads as it is."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"alter table todos alter column id restart with {model.LARGEST - 2}")
    for number in range(3):
        service.ask("POST", "/todos", Todo(f"number {number}"))
    first, second, last = service.todos
    assert last == model.LARGEST
    for id_ in service.todos:
        service.ask("GET", f"/todos/{id_}")
        service.ask("PUT", f"/todos/{id_}", Todo("changed"))
    service.ask("GET", f"/todos?after={first}&limit=1")
    assert service.walk("&limit=2") == [[first, second], [last]]
    service.ask("DELETE", f"/todos/{second}")
    service.ask("GET", f"/todos/{second}")
    service.ask("GET", "/todos")
