"""Hypothesis strategies for what `openapi.yaml` says of todos in words: titles, and ids that no todo has."""

from hypothesis import strategies as st
from openapi_requests import operations, spelled

from todo.model import LARGEST, Todo

OPERATIONS = operations("todo")
LIST, MAKE, READ, REPLACE, CHANGE, DELETE = (
    OPERATIONS[id_] for id_ in ("listTodos", "createTodo", "readTodo", "replaceTodo", "changeTodo", "deleteTodo")
)

NOBODYS = 2**52
"""No test gets so far as to make a todo of this id."""

WHOLE = (
    "milk",
    "Käse",
    "牛乳",
    "молоко",
    "🥛 milk",
    'a "b" \\ / \' <b>&amp;</b>',
    "two\nlines",
    " padded ",
    "%00 ${a}",
    "null",
)


def titles() -> st.SearchStrategy[str]:
    """Titles that any server takes: letters of any script among other characters, at most 200 UTF-16 units."""
    text = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=90)
    long = st.sampled_from(["a" * 200, "é" * 200, "牛" * 200, "a" + "b " * 99])
    return st.one_of(st.sampled_from(WHOLE), st.tuples(text, st.sampled_from("aé牛1")).map("".join), long)


OWN = {"title": titles(), "after": st.integers(NOBODYS, LARGEST)}
"""Strategies for members and parameters by name; lists begin after all todos that other tests may have made."""


def nobodys_ids() -> st.SearchStrategy[int]:
    """Good ids that no todo has."""
    return st.one_of(st.sampled_from([LARGEST, NOBODYS]), st.integers(NOBODYS, LARGEST))


def todos() -> st.SearchStrategy[Todo]:
    """Todos that the contract takes."""
    return st.builds(Todo, titles(), st.booleans())


def spelled_todo(todo: Todo) -> bytes:
    """The body that makes `todo` or puts it in another's place."""
    return spelled({"title": todo.title, "completed": todo.completed})
