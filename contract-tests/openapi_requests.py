"""Requests generated from a service's `openapi.yaml`: valid ones, and the errors that it names.

An operation's schemas say what is valid. A named error is a valid request with one thing wrong, so that its status is
known without a model: 400 a body or parameter that breaks its schema, 413 a body over its limit (`x-maximum-bytes` of
the request body), 415 another media type.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from hypothesis import strategies as st
from request_strategies import Sent, framings

from samewire.contract.services import openapi
from samewire.http import Request

OTHER_TYPES = ("text/plain", "application/xml", "text/html", "application/octet-stream")
MALFORMED = (b"{", b"[", b'"', b"{]", b'{"a":}', b"nonsense", b"{'a':1}", b'{"a":1,}', b"<a/>")

Strategies = Mapping[str, st.SearchStrategy[Any]]


@dataclass(frozen=True)
class Operation:
    """One operation of the document, its references resolved."""

    id: str
    method: str
    path: str
    query: Mapping[str, dict] = field(default_factory=dict)
    """Name of a query parameter → its schema."""
    required: frozenset[str] = frozenset()
    """The names of query parameters that must be there."""
    body: dict | None = None
    """The schema of the JSON body."""
    body_limit: int | None = None
    """Bytes."""
    statuses: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Call:
    """A request, and what it is by the document."""

    operation: Operation
    sent: Sent
    query: Mapping[str, Any] = field(default_factory=dict)
    """The parameters that are given."""
    body: Any = None
    """The value of the JSON body."""
    error: int | None = None
    """The status of the error that it must get; None for a valid request."""

    def at(self, **segments: object) -> Sent:
        """The request with the parameters of its path filled in."""
        path = self.sent.request.path
        for name, value in segments.items():
            path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        return replace(self.sent, request=replace(self.sent.request, path=path))


@cache
def operations(service: str) -> Mapping[str, Operation]:
    """The operations of a service by their ids."""
    document = openapi(service)
    found = {}
    for path, item in document["paths"].items():
        for method, one in item.items():
            if method == "parameters" or method.startswith("x-"):
                continue
            both = [_resolved(each, document) for each in [*item.get("parameters", ()), *one.get("parameters", ())]]
            query = {each["name"]: _resolved(each["schema"], document) for each in both if each["in"] == "query"}
            required = {each["name"] for each in both if each["in"] == "query" and each.get("required")}
            request = _resolved(one.get("requestBody", {}), document)
            media = request.get("content", {}).get("application/json")
            found[one["operationId"]] = Operation(
                one["operationId"], method.upper(), path, query, frozenset(required),
                _resolved(media["schema"], document) if media else None,
                request.get("x-maximum-bytes"), frozenset(int(status) for status in one["responses"]),
            )  # fmt: skip
    return found


def _resolved(value: Any, document: dict) -> Any:
    """`value` with every reference replaced by what it names."""
    if isinstance(value, list):
        return [_resolved(each, document) for each in value]
    if not isinstance(value, dict):
        return value
    if reference := value.get("$ref"):
        target = document
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]
        return _resolved(target, document)
    return {name: _resolved(each, document) for name, each in value.items()}


# --- values


def values(schema: dict) -> st.SearchStrategy[Any]:
    """Values that a simple schema allows; one with a pattern needs a strategy of the service's own."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema["type"]
    if kind == "integer":
        low, high = schema.get("minimum", -(2**31)), schema.get("maximum", 2**31)
        return st.one_of(st.integers(low, high), st.sampled_from([low, high]))
    if kind == "boolean":
        return st.booleans()
    if kind == "string" and "pattern" not in schema:
        return st.text(min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 20))
    raise ValueError(f"say how such values are made: {schema}")


def wrong_values(schema: dict) -> st.SearchStrategy[Any]:
    """Values of another type, or out of the range that a schema gives; never null."""
    kind = schema["type"]
    others = {
        "string": [5, 0, True, [], {}, ["a"]],
        "boolean": ["true", "", 0, 1, [], {}],
        "integer": ["five", True, [], {}, 1.5],
    }
    wrong = list(others[kind])
    if "minLength" in schema and schema["minLength"] > 0:
        wrong.append("")
    if "maxLength" in schema:
        wrong += ["a" * (schema["maxLength"] + 1), "a" * (schema["maxLength"] + 1000)]
    wrong += _out_of_range(schema)
    return st.sampled_from(wrong)


def _out_of_range(schema: dict) -> list[int]:
    beyond = [schema["minimum"] - 1] if "minimum" in schema else []
    return beyond + ([schema["maximum"] + 1] if schema.get("maximum", 2**53) < 2**53 - 1 else [])


# --- calls


def _members(schema: dict, own: Strategies) -> st.SearchStrategy[dict]:
    """Objects that a schema allows, without members that it does not name."""
    given = {name: own[name] if name in own else values(each) for name, each in schema["properties"].items()}
    required = {name: given.pop(name) for name in schema.get("required", ())}
    return st.fixed_dictionaries(required, optional=given)


def _queries(operation: Operation, own: Strategies) -> st.SearchStrategy[dict]:
    given = {name: own[name] if name in own else values(schema) for name, schema in operation.query.items()}
    required = {name: given.pop(name) for name in operation.required}
    return st.fixed_dictionaries(required, optional=given)


def spelled(value: Any) -> bytes:
    """A JSON text in its plainest form."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _spellings() -> st.SearchStrategy[Any]:
    """Ways in which ordinary libraries write JSON."""
    return st.sampled_from(
        [spelled, lambda value: json.dumps(value).encode(), lambda value: json.dumps(value, indent=2).encode()]
    )


def _sent(operation: Operation, query: Mapping[str, Any], body: bytes | None, media_type: str, chunks: Any) -> Sent:
    path = operation.path + (f"?{urlencode(query)}" if query else "")
    fields = (("Content-Type", media_type),) if body is not None else ()
    return Sent(Request(operation.method, path, fields, body), chunks)


JSON_TYPES = ("application/json", "application/json", "application/json; charset=utf-8")


@st.composite
def valid(draw: st.DrawFn, operation: Operation, own: Strategies | None = None) -> Call:
    """A valid call; `own` has strategies for members and parameters by name."""
    query = draw(_queries(operation, own or {}))
    if operation.body is None:
        return Call(operation, _sent(operation, query, None, "", None), query)
    body = draw(_members(operation.body, own or {}))
    text = draw(_spellings())(body)
    media_type, chunks = draw(st.sampled_from(JSON_TYPES)), draw(framings())
    return Call(operation, _sent(operation, query, text, media_type, chunks), query, body)


@st.composite
def erroneous(draw: st.DrawFn, operation: Operation, own: Strategies | None = None) -> Call:
    """A call that must get an error which the document names for the operation."""
    call = draw(valid(operation, own))
    ways = []
    if 400 in operation.statuses:
        ways += [_bad_parameter] if any(_wrong_texts(each) for each in operation.query.values()) else []
        ways += [_malformed, _no_object, _bad_member, _bad_member] if operation.body is not None else []
        ways += [_member_missing] if operation.body is not None and operation.body.get("required") else []
        ways += [_parameter_missing] if operation.required else []
    ways += [_other_type] if 415 in operation.statuses else []
    ways += [_too_large] if 413 in operation.statuses and operation.body_limit else []
    return draw(draw(st.sampled_from(ways))(call))


def has_errors(operation: Operation) -> bool:
    """Whether `erroneous` knows a way to call it wrongly."""
    body = operation.body is not None
    return (400 in operation.statuses and (body or bool(operation.query))) or (415 in operation.statuses and body)


def _wrong_texts(schema: dict) -> list[str]:
    """Texts of a parameter that its schema does not allow, as a client may well send them."""
    if "enum" in schema:
        return ["nonsense"]
    if schema["type"] == "integer":
        return ["five", "a1", *map(str, _out_of_range(schema))]
    return ["a" * (schema["maxLength"] + 1)] if "maxLength" in schema else []


def _with_body(call: Call, body: bytes, error: int, media_type: str = "application/json") -> Call:
    return replace(call, sent=_sent(call.operation, call.query, body, media_type, call.sent.chunks), error=error)


@st.composite
def _bad_parameter(draw: st.DrawFn, call: Call) -> Call:
    name = draw(st.sampled_from([name for name, each in call.operation.query.items() if _wrong_texts(each)]))
    query = {**call.query, name: draw(st.sampled_from(_wrong_texts(call.operation.query[name])))}
    body = call.sent.request.body
    return replace(call, sent=_sent(call.operation, query, body, "application/json", None), query=query, error=400)


@st.composite
def _parameter_missing(draw: st.DrawFn, call: Call) -> Call:
    gone = draw(st.sampled_from(sorted(call.operation.required)))
    query = {name: value for name, value in call.query.items() if name != gone}
    return replace(call, sent=_sent(call.operation, query, call.sent.request.body, "", None), query=query, error=400)


def _malformed(call: Call) -> st.SearchStrategy[Call]:
    text = call.sent.request.body or b""
    return st.sampled_from([*MALFORMED, text[:-1], text + b"}", text + text]).map(
        lambda body: _with_body(call, body, 400)
    )


def _no_object(call: Call) -> st.SearchStrategy[Call]:
    return st.sampled_from([b"[]", b"5", b'"a"', b"true", b"null", b"[{}]"]).map(
        lambda body: _with_body(call, body, 400)
    )


@st.composite
def _bad_member(draw: st.DrawFn, call: Call) -> Call:
    name = draw(st.sampled_from(sorted(call.operation.body["properties"])))
    value = draw(wrong_values(call.operation.body["properties"][name]))
    return _with_body(call, spelled({**call.body, name: value}), 400)


@st.composite
def _member_missing(draw: st.DrawFn, call: Call) -> Call:
    gone = draw(st.sampled_from(sorted(call.operation.body["required"])))
    return _with_body(call, spelled({name: value for name, value in call.body.items() if name != gone}), 400)


def _other_type(call: Call) -> st.SearchStrategy[Call]:
    return st.sampled_from(OTHER_TYPES).map(lambda kind: _with_body(call, call.sent.request.body or b"", 415, kind))


def _too_large(call: Call) -> st.SearchStrategy[Call]:
    limit = call.operation.body_limit or 0
    return st.sampled_from([limit + 1, limit + 100]).map(
        lambda size: _with_body(call, (call.sent.request.body or b"").ljust(size), 413)
    )
