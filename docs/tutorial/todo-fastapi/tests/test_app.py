"""The rules that need no database: here PostgreSQL is away."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from app.limits import MAX_BODY_BYTES
from app.main import create_app
from app.settings import Settings


@pytest.fixture
def client() -> Iterator[TestClient]:
    settings = Settings(port=8080, postgres_url="postgres://nobody@127.0.0.1:1/none")
    with TestClient(create_app(settings)) as client:
        yield client


def test_is_unavailable_while_the_database_is_away(client: TestClient) -> None:
    for answer in (client.get("/healthz"), client.post("/todos", json={"title": "a"})):
        assert answer.status_code == 503
        assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "todo",
    [
        {},
        [],
        {"title": ""},
        {"title": "  "},
        {"title": "a" * 201},
        {"title": "a\0"},
        {"title": 5},
        {"title": "a", "completed": 1},
    ],
)
def test_refuses_a_todo_that_breaks_a_rule(client: TestClient, todo: object) -> None:
    answer = client.post("/todos", json=todo)
    assert answer.status_code == 400
    assert answer.json().keys() == {"title", "status", "detail"}


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=a", "after=-1"])
def test_refuses_a_page_out_of_range(client: TestClient, query: str) -> None:
    assert client.get(f"/todos?{query}").status_code == 400


def test_takes_json_alone(client: TestClient) -> None:
    answer = client.post(
        "/todos", content='{"title":"a"}', headers={"Content-Type": "text/plain"}
    )
    assert answer.status_code == 415


@pytest.mark.parametrize(("over", "status"), [(0, 503), (1, 413)])
def test_limits_a_body(client: TestClient, over: int, status: int) -> None:
    body = '{"title":"a"}'.ljust(MAX_BODY_BYTES + over)
    answer = client.post(
        "/todos", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == status


@pytest.mark.parametrize("port", ["", "0", "65536", "80a"])
def test_names_a_setting_that_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, port: str
) -> None:
    monkeypatch.setenv("PORT", port)
    with pytest.raises(ValidationError, match="port"):
        Settings(postgres_url="postgres://nobody@127.0.0.1:1/none")
