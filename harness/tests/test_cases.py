import json
import re
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import jsonschema
import pytest
import yaml

from samewire.contract import cases
from samewire.contract.compare import ANY
from samewire.contract.files import ContractError
from samewire.http import Request
from samewire.paths import CONTRACTS
from samewire.target import Target


@pytest.fixture
def loading(tmp_path: Path) -> Callable[[str], list[cases.Case]]:
    """Loads cases written in a test, with two answers to choose from."""
    shutil.copytree(CONTRACTS / "schema", tmp_path / "schema")
    folder = tmp_path / "demo" / "cases"
    folder.mkdir(parents=True)
    (tmp_path / "demo" / "answers.yaml").write_text(
        "answers:\n"
        "  gone: { empty: { status: 404 } }\n"
        '  made: { json: { status: 201, headers: { Location: "/${id}" }, value: { id: "${id}", name: "${name}" } } }\n'
    )

    def load(text: str) -> list[cases.Case]:
        (folder / "theme.yaml").write_text(f"about: cases of a test\ncases:\n{text}")
        cases.load.cache_clear()
        return list(cases.load("demo", tmp_path))

    yield load
    cases.load.cache_clear()


@contextmanager
def answering(*answers: bytes) -> Iterator[Target]:
    """A server that gives these answers, one for each request; then closes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            client, _ = listener.accept()
            with client:
                for answer in answers:
                    if not client.recv(65_536):
                        return
                    client.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield Target("fake", "demo", f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread.join()


def answer(status: int, body: bytes = b"", **headers: str) -> bytes:
    fields = {"Content-Length": str(len(body))} | headers
    lines = [f"HTTP/1.1 {status} X", *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


HEALTHY = answer(200, b'{"status":"ok"}', Content_Type="application/json")
LOOKUP = "  - { id: a, why: because it is so, send: GET /x, expect: gone }\n"


def test_short_form(loading) -> None:
    (case,) = loading(LOOKUP)
    assert (case.id, case.group, case.service) == ("theme/a", "theme/a", "demo")
    (step,) = case.steps
    assert step.request == Request("GET", "/x")
    assert step.answer.response({}, "GET").headers == ()


def test_examples_and_let(loading) -> None:
    first, second = loading("""
  - id: a
    why: because it is so
    let: { path: "/${name}/${n}", long: [x, { repeat: "${name}", times: "${n}" }] }
    examples: { one: { name: e, n: 2 }, two: { name: f, n: 3 } }
    send: { request: "GET ${path}", headers: [["${name}", "${long}"]], json: { a: ["${n}", "${long}"] } }
    expect: gone
""")
    assert (first.id, second.id, first.group) == ("theme/a[one]", "theme/a[two]", "theme/a")
    assert second.steps[0].request == Request(
        "GET", "/f/3", (("f", "xfff"), ("Content-Type", "application/json")), b'{"a":[3,"xfff"]}'
    )


def test_bodies(loading) -> None:
    (case,) = loading(r"""
  - id: a
    why: because it is so
    steps:
      - { send: { request: POST /, text: "\u00e9" }, expect: gone }
      - { send: { request: POST /, bytes: "\u00e9" }, expect: gone }
      - { send: { request: POST /, json: "é/\"\n" }, expect: gone }
      - { send: { request: POST /, headers: { content-type: x/y }, json: 1 }, expect: gone }
      - { send: { request: POST /, text: abcde, chunked: 2 }, expect: gone }
      - { send: { request: POST /, text: "" }, expect: gone }
      - { send: POST /, expect: gone }
""")
    bodies = [step.request.body for step in case.steps]
    assert bodies == ["é".encode(), b"\xe9", r'"é/\"\n"'.encode(), b"1", b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", b"", None]
    assert case.steps[3].request.headers == (("content-type", "x/y"),)
    assert case.steps[4].request.headers == (("Transfer-Encoding", "chunked"),)


def test_kinds_of_answers(loading) -> None:
    (case,) = loading("""
  - id: a
    why: because it is so
    steps:
      - { send: GET /, expect: { problem: { status: 422, headers: { Allow: GET } } } }
      - { send: HEAD /, expect: { json: { status: 200, value: { a: é } } } }
      - { send: GET /, expect: { exactly: { status: 200, headers: { X: "1" }, text: hello } } }
      - { send: GET /, expect: { status: { status: 200 } } }
""")
    problem, head, exact, alone = (step.answer.response({}, step.request.method) for step in case.steps)
    assert json.loads(problem.body)["status"] == 422
    assert [name for name, _ in problem.headers] == ["Content-Type", "Allow"]
    assert (head.body, head.values("Content-Type")) == (b"", ["application/json"])
    assert (exact.headers, exact.body) == ((("X", "1"),), b"hello")
    assert (alone.headers, alone.body) == ((), ANY)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("  - { id: a, why: because it is so, send: GET /, expect: nothing }", "there is no answer nothing"),
        ("  - { id: a, why: because it is so, send: GET /, expect: made }", "nothing is called id"),
        ("  - { id: a, why: because it is so, send: GET /, expect: { gone: { x: 1 } } }", "answer gone has no x"),
        ('  - { id: a, why: because it is so, send: "GET /${x}", expect: gone }', "nothing is called x"),
        ("  - { id: a, why: because it is so, send: { request: GET /, txt: a }, expect: gone }", "txt"),
        ("  - { id: a, why: because it is so, send: { request: GET /, text: a, json: 1 }, expect: gone }", "one body"),
        ("  - { id: a, why: because it is so, send: GET /, expect: { empty: { status: 404, more: 1 } } }", "more"),
        ("  - { id: a, why: because it is so, send: GET /, expect: gone, steps: [] }", "steps"),
        ("  - { id: a, why: because it is so, send: GET / }", "expect"),
        ("  - { id: a, send: GET /, expect: gone }", "why"),
        ("  - { id: a b, why: because it is so, send: GET /, expect: gone }", "a b"),
        (LOOKUP + LOOKUP, "case 'theme/a' comes twice"),
    ],
)
def test_a_wrong_case_is_an_error(loading, text: str, said: str) -> None:
    with pytest.raises(ContractError, match=re.escape(said)):
        loading(text)


def test_right_answer(loading) -> None:
    (case,) = loading(LOOKUP)
    with answering(answer(404), HEALTHY) as target:
        assert cases.run(case, target) == []


def test_wrong_answer_is_reported_whole(loading) -> None:
    (case,) = loading(LOOKUP)
    with answering(answer(200, b"hi", X_A="1"), HEALTHY) as target:
        failures = cases.run(case, target)
        text = cases.report(case, target, failures)
    (failure,) = failures
    assert [problem.partition(":")[0] for problem in failure.problems] == ["status", "body"]
    assert text.startswith("demo case theme/a fails on fake\nwhy: because it is so\n")
    assert f"curl -i --globoff --path-as-is {target.url}/x" in text
    assert "≠ HTTP/1.1 404 Not Found" in text


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ((answer(404) + b"x", HEALTHY), "1 bytes after the end"),
        ((answer(404), b"x" + HEALTHY), "afterwards: not a status line"),
        ((answer(404), answer(503)), "afterwards: status 503"),
        ((b"",), "no answer: connection closed"),
        ((b"HTTP/1.1 404 No",), "no answer: connection closed; received"),
        ((b"no HTTP",), "no answer: not a status line"),
    ],
)
def test_wrong_in_other_ways(loading, answers: tuple[bytes, ...], said: str) -> None:
    (case,) = loading(LOOKUP)
    with answering(*answers) as target:
        problems = [problem for failure in cases.run(case, target) for problem in failure.problems]
    assert said in problems[0]


def test_a_connection_may_be_closed_after_an_answer(loading) -> None:
    (case,) = loading(LOOKUP)
    with answering(answer(404)) as target:
        assert cases.run(case, target) == []


BOUND = """
  - id: a
    why: because it is so
    bind: { id: "[a-z]{3}", other: "[a-z]{3}" }
    steps:
      - { send: POST /, expect: { made: { name: x } } }
      - { send: "GET /${id}", expect: { made: { name: "${other}" } } }
"""


def made(place: str, id_: str, name: str) -> bytes:
    body = f'{{"id":"{id_}","name":"{name}"}}'.encode()
    return answer(201, body, Location=place, Content_Type="application/json")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (made("/abc", "abc", "x"), made("/abc", "abc", "xyz"), None),
        (made("/abc", "abc", "x"), made("/abc", "abc", "abc"), "chosen more than once by the server: abc"),
        (made("/abc", "abd", "x"), b"", 'body: id is "abd" instead of "abc"'),
        (made("/ABC", "ABC", "x"), b"", "id: no value that matches [a-z]{3}"),
        (made("/abc", "abc", "x"), made("/abd", "abd", "xyz"), "Location: contract '/abc', server '/abd'"),
    ],
)
def test_bound_values(loading, first: bytes, second: bytes, said: str | None) -> None:
    (case,) = loading(BOUND)
    with answering(first, second, HEALTHY) as target:
        problems = [problem for failure in cases.run(case, target) for problem in failure.problems]
    assert any(said in problem for problem in problems) if said else problems == []


def test_bound_number(loading) -> None:
    """A number is bound without quotation marks, and may be bound as it is anywhere else."""
    (case,) = loading("""
  - id: a
    why: because it is so
    bind: { id: { number: "[1-9][0-9]*" } }
    steps:
      - { send: POST /, expect: { made: { name: "${id}x" } } }
      - { send: "GET /${id}", expect: { json: { status: 200, value: ["${id}"] } } }
""")
    body = b'{"id":5,"name":"5x"}'
    first = answer(201, body, Location="/5", Content_Type="application/json")
    with answering(first, answer(200, b"[5]", Content_Type="application/json"), HEALTHY) as target:
        assert cases.run(case, target) == []


# ------------------------------------------------------------------------------- a service's files among themselves

ELSEWHERE = {
    "chat": {
        "GET /assets/{name} 404": "cases/errors.yaml",
        "GET /events 200": "test_events.py",
        "GET /events 400": "test_long_polling.py",
    },
    "randoms": {"GET /info 200": "test_info.py", "GET /randoms 503": "test_draws.py"},
    "raytracer": {"GET /render 503": "test_pixels.py"},
    "report": dict.fromkeys(["GET /report 200", "GET /report 502", "GET /report 504"], "test_upstreams.py"),
    "shortener": {},
    "todo": {"GET /todos 200": "test_lists.py"},
    "upload": dict.fromkeys(["POST /uploads 413", "POST /uploads 507"], "test_folder.py"),
}
"""What no case asks for, and the tests that show it."""

AWAY = " 503"
"""What is answered while a dependency is away: the life layer shows it."""

EXAMPLES = ("1", "dktPz4", "5f0c9d2e-7f5f-4c55-9a0e-1f8f1b0d7c11")
"""Values that a server may choose."""


@pytest.fixture(params=sorted(path.parent.name for path in CONTRACTS.glob("*/openapi.yaml")))
def service(request: pytest.FixtureRequest) -> str:
    """Every service."""
    return request.param


def test_every_answer_has_a_case(service: str) -> None:
    expected = {step.answer.name for case in cases.load(service) for step in case.steps}
    assert cases.answers(service).keys() <= expected
    for name in ELSEWHERE[service].values():
        assert (CONTRACTS / service / name).is_file()


def test_cases_and_openapi_agree(service: str) -> None:
    """Each request of a case is one of the document's, and each response of the document has a case."""
    api = Api(service)
    shown = set()
    for case in cases.load(service):
        for step in case.steps:
            template = api.template(step.request.path)
            status = step.answer.status
            if template is None:
                assert status == 404, f"{case.id}: {step.request.path} is no path of the document"
                continue
            method = "get" if step.request.method == "HEAD" else step.request.method.lower()
            operation = api.paths[template].get(method)
            assert operation, f"{case.id}: the document has no {method} {template}"
            assert str(status) in operation["responses"], case.id
            shown.add(f"{method.upper()} {template} {status}")
            api.check(operation["responses"][str(status)], step, case)
    stated = {
        f"{method.upper()} {template} {status}"
        for template, item in api.paths.items()
        for method, operation in item.items()
        if method != "parameters" and not method.startswith("x-")
        for status in operation["responses"]
    }
    unshown = {one for one in stated - shown if not one.endswith(AWAY)}
    assert unshown <= ELSEWHERE[service].keys()


class Api:
    """The OpenAPI document, with what the agreement of cases and document needs."""

    def __init__(self, service: str) -> None:
        self.document = yaml.safe_load((CONTRACTS / service / "openapi.yaml").read_text())
        self.paths = self.document["paths"]

    def template(self, target: str) -> str | None:
        """The path of the document that a request target is for; those without a parameter win."""
        path = re.sub("%[0-9A-Fa-f]{2}", lambda code: _decoded(code[0]), target.partition("?")[0])
        for template in sorted(self.paths, key=lambda template: "{" in template):
            if re.fullmatch(re.sub(r"\{.*?\}", f"({self._segment(template)})", template), path, re.DOTALL):
                return template
        return None

    def _segment(self, template: str) -> str:
        """What the parameter of a path may be."""
        stated = self.paths[template]
        for parameter in [*stated.get("parameters", ()), *stated.get("get", {}).get("parameters", ())]:
            parameter = self._resolved(parameter)
            if parameter["in"] == "path" and "enum" in parameter["schema"]:
                return "|".join(map(re.escape, parameter["schema"]["enum"]))
        return "[^/]+"

    def check(self, response: dict, step: cases.Step, case: cases.Case) -> None:
        """The answer's header fields are those of the document, its body is of the schema."""
        response = self._resolved(response)
        values = {name: next(one for one in EXAMPLES if re.fullmatch(kind, one)) for name, kind in case.bind.items()}
        complete = step.answer.response(values, "GET")
        fields = {name: self._resolved(field) for name, field in response.get("headers", {}).items()}
        given = {name: value for name, value in complete.headers if name != "Content-Type"}
        needed = {name for name, field in fields.items() if field.get("required")}
        assert needed <= given.keys() <= fields.keys(), case.id
        for name, value in given.items():
            self._validate(fields[name]["schema"], int(value) if value.isdecimal() else value)
        media, types = response.get("content", {}), complete.values("Content-Type")
        assert set(types) <= media.keys(), case.id
        assert bool(types) == bool(media) or step.answer.text is None, case.id
        if types and step.request.method != "HEAD" and complete.body != ANY:
            body = json.loads(complete.body) if types[0].endswith("json") else complete.body.decode()
            self._validate(media[types[0]]["schema"], body)

    def _validate(self, schema: dict, value: object) -> None:
        jsonschema.Draft202012Validator({**schema, "components": self.document["components"]}).validate(value)

    def _resolved(self, value: dict) -> dict:
        if "$ref" not in value:
            return value
        part = self.document
        for name in value["$ref"].removeprefix("#/").split("/"):
            part = part[name]
        return part


def _decoded(code: str) -> str:
    """One percent-encoded octet; a decoded slash would be no separator, and no case has one."""
    return chr(int(code[1:], 16))
