"""How to try a service with curl: requests of its cases, one for each operation of its contract."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from samewire.contract import cases
from samewire.contract.services import openapi
from samewire.http import Request

_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
_FILE = re.compile(
    rb'name="(?P<field>[^"]+)"; filename="(?P<name>[\w.-]+)"\r\n(?:[^\r\n]+\r\n)*\r\n(?P<content>[ -~]+)\r\n--'
)
"""A file of a form, if a shell can write it: one line of printable ASCII."""
_URL = "http://url.invalid"
_LONGEST = 200  # bytes of a body that is shown


@dataclass(frozen=True)
class Example:
    """One operation: what it does, commands, and the answer in a line. `given` are names of values to fill in."""

    summary: str
    command: str
    answer: str
    given: tuple[str, ...]


def examples(service: str) -> list[Example]:
    """An example of each operation of a service, in the contract's order. Raises ContractError.

    Operations of which no case has a good answer are asked by the contract's least parameters.
    """
    contract = openapi(service)
    operations = list(_operations(contract["paths"]))
    played = [
        (len(_names(step.request)), number, step)
        for case in cases.load(service)
        if case.clients == 1
        for number, step in enumerate(case.steps)
        if step.answer and step.answer.status < 400 and _is_simple(step.request) and step.pieces == 1
    ]
    found = []
    for method, template, about in operations:
        fitting = [one for one in played if _operation_of(one[2].request, operations) == (method, template)]
        if fitting:
            # As few values to fill in as possible, then as early in its case: min keeps the first of several.
            step = min(fitting, key=lambda one: one[:2])[2]
            given = dict(zip(_names(step.request), re.findall(r"\{(\w+)\}", template), strict=False))
            command = _curl(step.request, given)
            if "image/png" in about["responses"][str(step.answer.status)].get("content", {}):
                # No terminal shows it.
                command = command.replace("curl -i", "curl -D - -o picture.png")
            found.append(Example(about["summary"], command, _told(step.answer, given), tuple(given.values())))
        elif method == "GET":
            request = Request("GET", template + _query(about))
            status = min(about["responses"])
            found.append(Example(about["summary"], _curl(request, {}), f"{status} {cases.title(int(status))}", ()))
    return found


def _operations(paths: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for template, operations in paths.items():
        for method, about in operations.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield method.upper(), template, about


def _operation_of(request: Request, operations: list[tuple[str, str, Any]]) -> tuple[str, str] | None:
    """Of several templates that match a path, as `/healthz` does `/{hash}`, the one with the fewest parameters."""
    path = request.path.partition("?")[0]
    matching = [
        (method, template)
        for method, template, _ in operations
        if method == request.method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)
    ]
    return min(matching, key=lambda one: one[1].count("{"), default=None)


def _is_simple(request: Request) -> bool:
    body = request.body or b""
    if request.has("Transfer-Encoding") or b"${" in body:
        return False
    return len(body) <= _LONGEST or bool(_FILE.search(body))


def _names(request: Request) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(request.path)))


def _query(about: Mapping[str, Any]) -> str:
    """The parameters that an operation requires, the least that the contract allows."""
    required = [one for one in about.get("parameters", ()) if one.get("required") and one["in"] == "query"]
    told = "&".join(f"{one['name']}={one['schema'].get('minimum', '')}" for one in required)
    return f"?{told}" if told else ""


def _curl(request: Request, given: Mapping[str, str]) -> str:
    """The commands; the server's address, and values by their names in the contract, are variables of the shell."""
    request = cases.bound_request(request, {name: f"${known.upper()}" for name, known in given.items()})
    if files := list(_FILE.finditer(request.body or b"")):
        texts = [{key: value.decode() for key, value in file.groupdict().items()} for file in files]
        written = [f"printf %s {shlex.quote(one['content'])} > {one['name']}" for one in texts]
        forms = " ".join(f"-F '{one['field']}=@{one['name']}'" for one in texts)
        return "\n".join([*written, f'curl -i {forms} "$URL{request.path}"'])
    command = request.as_curl(_URL).replace(" --globoff --path-as-is", "")
    return re.sub(rf"'?{re.escape(_URL)}([^\s']*)'?", r'"$URL\1"', command)


def _told(answer: cases.Answer, given: Mapping[str, str]) -> str:
    """`201 Created; Location: /$HASH; {"hash":"$HASH"}`, as far as it is short."""
    fields = [f"{name}: {value}" for name, value in answer.headers if name.lower() != "content-type"]
    parts = [part for part in (*fields, answer.text or "") if part and len(part) <= _LONGEST and part.isprintable()]
    told = "; ".join([f"{answer.status} {cases.title(answer.status)}", *parts])
    return _PLACEHOLDER.sub(lambda name: f"${given.get(name[1], name[1]).upper()}", told)
