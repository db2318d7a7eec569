"""A case of the contract in the words of other tools: curl, files of REST Client, Hurl, HAR, examples of OpenAPI.

Each step becomes a request and the answer that must come. A value that the server chooses has the same name everywhere:
it is taken from the first answer that shows it.
"""

import base64
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import metadata
from typing import Any

import yaml

from samewire.contract import cases
from samewire.contract.cases import Answer, Case, Step
from samewire.contract.compare import PROBLEM
from samewire.contract.services import openapi, services
from samewire.http import Request, Response
from samewire.manifest import SelectionError

_PLACEHOLDER = re.compile(r"\$\{([a-z][a-z0-9_]*)\}")
_MEMBER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_TARGET = re.compile(r"/[\w.~:@!$&'()*+,;=%/?{}-]*", re.ASCII)


class NotExportable(Exception):
    """A format cannot say what a case sends. The message says what, and which format can."""


def find(name: str) -> Case:
    """The case called `service/theme/id[example]`; without the service, or the example, if no other is called so.

    The first example is taken where there are several. Raises SelectionError.
    """
    found = {
        service: [case for case in cases.load(service) if name.removeprefix(f"{service}/") in (case.id, case.group)]
        for service in services()
        if name.count("/") == 1 or name.startswith(f"{service}/")
    }
    found = {service: examples for service, examples in found.items() if examples}
    if not found:
        raise SelectionError(f"no case is called {name!r}: it is SERVICE/THEME/ID, as todo/delete/deleted")
    if len(found) > 1:
        raise SelectionError(f"several services have {name}: say {' or '.join(f'{one}/{name}' for one in found)}")
    return next(iter(found.values()))[0]


def curl(case: Case, url: str) -> str:
    """A script for a shell: a command for each step, and above it what must come."""
    lines = _heading(case)
    for number, step in enumerate(case.steps, 1):
        expected = _expected_body(step)
        # Between single quotes a shell fills nothing in.
        command = _PLACEHOLDER.sub(lambda match: f"'\"${match[1]}\"'", step.request.as_curl(url))
        lines += ["", *_told(case, number), *expected]
        if not (new := _new(case, number)):
            lines.append(f"{command}; echo")
            continue
        lines += [f"answer=$({command})", """printf '%s\\n' "$answer\""""]
        for name, place in new.items():
            before = f'.*"{_last_member(place)}": ?"?' if place.startswith("$") else _before(step.answer, place, name)
            found = shlex.quote(f"s|{before}({case.bind[name]}).*|\\1|p")
            lines.append(f"""{name}=$(printf '%s\\n' "$answer" | tr -d '\\r' | sed -nE {found} | head -n 1)""")
    return "\n".join([*lines, ""])


def http(case: Case, url: str) -> str:
    """A `.http` file, as the extension REST Client and editors of JetBrains read it."""
    lines = [*_heading(case), f"@base = {url}"]
    for number in range(1, len(case.steps) + 1):
        request = _plain(case, number)
        lines += ["", f"### {case.service} {case.id}, step {number} of {len(case.steps)}", *_told(case, number)]
        lines += [f"# @name step{number}", f"{request.method} {{{{base}}}}{_braces(request.path)}"]
        lines += [f"{name}: {_braces(value)}" for name, value in request.headers]
        if request.body is not None:
            lines += ["", _braces(_text(case, number))]
        for name, place in _new(case, number).items():
            source = f"body.{place}" if place.startswith("$") else f"headers.{place}"
            lines += ["", f"@{name} = {{{{step{number}.response.{source}}}}}"]
    return "\n".join([*lines, ""])


def hurl(case: Case, url: str) -> str:
    """A file for `hurl --test`: requests, captured values, asserts on status, fields and members."""
    lines = _heading(case)
    for number, step in enumerate(case.steps, 1):
        request = _plain(case, number)
        lines += ["", *_told(case, number), f"{request.method} {url}{_braces(request.path)}"]
        lines += [f"{name}: {_braces(value)}" for name, value in request.headers]
        if request.body is not None:
            lines.append(_hurl_body(case, number))
        if step.answer is None:
            continue
        lines.append(f"HTTP {step.answer.status}")
        if new := _new(case, number):
            lines.append("[Captures]")
        for name, place in new.items():
            query = f'jsonpath "{place}"' if place.startswith("$") else f'header "{place}"'
            before = "" if place.startswith("$") else _before(step.answer, place, name).partition(": ")[2]
            lines.append(f"{name}: {query}" + (f' replaceRegex "^{before}" ""' if before else ""))
        _without_braces(step.answer.text or "", case, number)
        if asserts := list(_hurl_asserts(step.answer, request.method)):
            lines += ["[Asserts]", *asserts]
    return "\n".join([*lines, ""])


def har(case: Case, url: str) -> str:
    """An HTTP archive (HAR 1.2) of the requests and of the answers that the contract asks for; no time was measured."""
    entries = []
    for step in case.steps:
        request = replace(step.request, path=_named(step.request.path))
        answer = step.answer.response({}, request.method) if step.answer else None
        entries.append({
            "startedDateTime": "1970-01-01T00:00:00Z", "time": 0, "cache": {},
            "timings": {"send": 0, "wait": 0, "receive": 0},
            "request": _har_request(request, url), "response": _har_response(answer),
        })  # fmt: skip
    creator = {"name": "samewire", "version": metadata.version("samewire")}
    log = {"version": "1.2", "creator": creator, "comment": f"{case.service} {case.id}: {case.why}", "entries": entries}
    return json.dumps({"log": log}, indent=2, ensure_ascii=False) + "\n"


def openapi_example(case: Case, _: str) -> str:
    """Examples of OpenAPI for the operations of the steps: of the bodies that are sent, and of those that come."""
    paths: dict[str, Any] = {}
    for number, step in enumerate(case.steps, 1):
        name, request = re.sub(r"\W+", "-", f"{case.id}-{number}").strip("-"), step.request
        operation = paths.setdefault(_template(case.service, request.path), {}).setdefault(request.method.lower(), {})
        if request.body is not None and (kind := _type(request)):
            example = {"summary": case.why, "value": _value(request.body)}
            operation.setdefault("requestBody", {"content": {}})["content"].setdefault(kind, {"examples": {}})[
                "examples"
            ][name] = example
        if step.answer and step.answer.text and request.method != "HEAD":
            kind = next((value for field, value in step.answer.headers if field == "Content-Type"), "text/plain")
            responses = operation.setdefault("responses", {})
            content = responses.setdefault(str(step.answer.status), {"content": {}})["content"]
            value = step.answer.value if step.answer.value is not None else _value(step.answer.text.encode())
            content.setdefault(kind, {"examples": {}})["examples"][name] = {"summary": case.why, "value": value}
    return _named(yaml.safe_dump({"paths": paths}, sort_keys=False, allow_unicode=True))


FORMATS: Mapping[str, Callable[[Case, str], str]] = {
    "curl": curl,
    "http": http,
    "hurl": hurl,
    "har": har,
    "openapi-example": openapi_example,
}
"""The name of a format → what writes a case in it, for a server at a URL."""


def _heading(case: Case) -> list[str]:
    others = [one.id for one in cases.load(case.service) if one.group == case.group and one.id != case.id]
    shown = f"{', '.join(others[:4])}{', …' if len(others) > 4 else ''}"
    hint = [f"# One of {len(others) + 1} examples. The others: {shown}"] if others else []
    several = [f"# {case.clients} clients do it at once; here it is one."] if case.clients > 1 else []
    return [f"# {case.service} {case.id}: {case.why}", *hint, *several]


def _told(case: Case, number: int) -> list[str]:
    """The step, and the answer that must come, as a comment."""
    answer = case.steps[number - 1].answer
    status = f"{answer.status} {cases.title(answer.status)}" if answer else "the server's own answer"
    fields = [f"{name}: {_named(value)}" for name, value in answer.headers] if answer else []
    return [f"# step {number} of {len(case.steps)} expects {'; '.join([status, *fields])}"]


def _expected_body(step: Step) -> list[str]:
    """The body that must come, as comments; none where the contract leaves it to the server."""
    answer = step.answer
    if answer is None or step.request.method == "HEAD" or not answer.text:
        return []
    if dict(answer.headers).get("Content-Type") == PROBLEM:
        return [f"# and a problem (RFC 9457): status {answer.status}, title and detail in the server's own words"]
    shown = _named(answer.text)
    return [f"# and {line}" if number == 0 else f"#     {line}" for number, line in enumerate(shown.splitlines()[:20])]


def _shown(answer: Answer | None) -> Iterator[tuple[str, str]]:
    """Name and place of each value that a server chooses: a JSONPath, or the name of a header field."""
    if answer is None:
        return
    if answer.value is not None:
        for place, value in _leaves(answer.value, "$"):
            if isinstance(value, str) and (whole := _PLACEHOLDER.fullmatch(value)):
                yield whole[1], place
    for field, value in answer.headers:
        yield from ((name, field) for name in _PLACEHOLDER.findall(value))


def _new(case: Case, number: int) -> dict[str, str]:
    """Name → place of the values that the answer to this step is the first to show."""
    before = {name for step in case.steps[: number - 1] for name, _ in _shown(step.answer)}
    new: dict[str, str] = {}
    for name, place in _shown(case.steps[number - 1].answer):
        if name not in before:
            new.setdefault(name, place)
    return new


def _before(answer: Answer | None, field: str, name: str) -> str:
    """`Field: ` and what stands before a value in it, as a regular expression."""
    value = next(value for one, value in answer.headers if one == field) if answer else ""
    return re.escape(f"{field}: {value.partition('${' + name + '}')[0]}").replace("\\ ", " ")


def _last_member(place: str) -> str:
    return re.findall(r"\w+", place)[-1]


def _plain(case: Case, number: int) -> Request:
    """The request of a step, if a client that frames it itself can send it. Raises NotExportable."""
    step = case.steps[number - 1]
    request = step.request
    framed = request.has("Transfer-Encoding") or request.has("Content-Length")
    if framed or step.pieces > 1 or not _PLAIN_TARGET.fullmatch(request.path):
        raise NotExportable(
            f"{case.service} {case.id}: step {number} has a framing or a target of its own, which only --curl can send"
        )
    return request


def _text(case: Case, number: int) -> str:
    """The body of a step as text. Raises NotExportable."""
    try:
        text = (case.steps[number - 1].request.body or b"").decode()
    except UnicodeDecodeError:
        text = "\0"
    if any(not character.isprintable() and character not in "\n\t" for character in text):
        raise NotExportable(f"{case.service} {case.id}: the body of step {number} is no text, which --curl can send")
    return _without_braces(text, case, number)


def _without_braces(text: str, case: Case, number: int) -> str:
    """The text, if it has no `{{`, which these formats fill in. Raises NotExportable."""
    if "{{" in text:
        raise NotExportable(
            f"{case.service} {case.id}: step {number} has {{{{ in a text, which only --curl leaves alone"
        )
    return text


def _braces(text: str) -> str:
    """`{{name}}` in place of `${name}`."""
    return _PLACEHOLDER.sub(r"{{\1}}", text)


def _hurl_body(case: Case, number: int) -> str:
    body = case.steps[number - 1].request.body or b""
    if not _PLACEHOLDER.search(body.decode("latin-1")):
        return f"base64,{base64.b64encode(body).decode()};" if not _is_simple(body) else f"`{body.decode()}`"
    return f"`{_braces(_text(case, number))}`"


def _is_simple(body: bytes) -> bool:
    """Whether a text between backticks in Hurl is just these bytes."""
    return re.fullmatch(rb"[ -_a-z|~{}]*", body) is not None and b"{{" not in body and b"\\" not in body


def _hurl_asserts(answer: Answer, method: str) -> Iterator[str]:
    """All that the contract says of an answer. Raises NotExportable."""
    kind = dict(answer.headers).get("Content-Type")
    for field, value in answer.headers:
        # A media type may have a parameter.
        compared = "startsWith" if field == "Content-Type" else "=="
        yield f"header {json.dumps(field)} {compared} {json.dumps(_braces(value))}"
    if method == "HEAD" or answer.text is None:
        return
    if answer.value is not None:
        yield from (
            f"jsonpath {json.dumps(place)} {_hurl_compared(value)}" for place, value in _leaves(answer.value, "$")
        )
    elif kind == PROBLEM:
        yield f'jsonpath "$.status" == {answer.status}'
        yield from (f'jsonpath "$.{member}" isString' for member in ("title", "detail"))
    elif answer.text == "":
        yield "bytes count == 0"
    else:
        yield f"body == {json.dumps(_braces(answer.text), ensure_ascii=False)}"


def _hurl_compared(value: Any) -> str:
    """How Hurl compares a leaf of JSON with its value, or with the one that was captured."""
    if isinstance(value, list | dict):
        return "isEmpty"
    if isinstance(value, str) and (whole := _PLACEHOLDER.fullmatch(value)):
        return f"== {{{{{whole[1]}}}}}"
    return f"== {json.dumps(_braces(value) if isinstance(value, str) else value, ensure_ascii=False)}"


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """JSONPath and value of all that has no members: texts, numbers, and empty lists and objects."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _leaves(each, f"{place}.{key}" if _MEMBER.fullmatch(key) else f"{place}['{key}']")
    elif isinstance(value, list) and value:
        for index, each in enumerate(value):
            yield from _leaves(each, f"{place}[{index}]")
    else:
        yield place, value


def _named(text: str) -> str:
    """`<name>` in place of `${name}`."""
    return _PLACEHOLDER.sub(r"<\1>", text)


def _har_request(request: Request, url: str) -> dict[str, Any]:
    told: dict[str, Any] = {
        "method": request.method, "url": url + request.path, "httpVersion": "HTTP/1.1", "cookies": [],
        "headers": [{"name": name, "value": _named(value)} for name, value in request.headers], "queryString": [],
        "headersSize": -1, "bodySize": len(request.body or b""),
    }  # fmt: skip
    if request.body is not None:
        told["postData"] = {"mimeType": _type(request), "text": _named(request.body.decode("utf-8", "replace"))}
    return told


def _har_response(answer: Response | None) -> dict[str, Any]:
    body = answer.body if answer and isinstance(answer.body, bytes) else b""
    kind = next(iter(answer.values("Content-Type")), "") if answer else ""
    return {
        "status": answer.status if answer else 0, "statusText": answer.reason if answer else "", "cookies": [],
        "httpVersion": "HTTP/1.1", "headersSize": -1, "bodySize": -1, "redirectURL": "",
        "headers": [{"name": name, "value": _named(value)} for name, value in answer.headers] if answer else [],
        "content": {"size": len(body), "mimeType": kind, "text": body.decode("utf-8", "replace")},
    }  # fmt: skip


def _type(request: Request) -> str:
    return next((value for name, value in request.headers if name.lower() == "content-type"), "")


def _value(body: bytes) -> Any:
    """What an example shows of a body: the value of JSON, else text."""
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")


def _template(service: str, target: str) -> str:
    """The contract's path for a target, such as `/todos/{id}`; the target's own path where the contract has none."""
    path = target.partition("?")[0]
    paths = openapi(service)["paths"]
    # Those without parameters first: `/links` is no hash.
    for template in sorted(paths, key=lambda one: one.count("{")):
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), path):
            return template
    return path
