"""Hypothesis strategies for calls of the raytracer, none of which is much work."""

from dataclasses import replace

from hypothesis import strategies as st
from openapi_requests import Call, operations, valid

RENDER = operations("raytracer")["render"]

WIDE = {"width": st.integers(1, 120), "height": st.integers(1, 40)}
HIGH = {"width": st.integers(1, 40), "height": st.integers(1, 120)}


def pictures() -> st.SearchStrategy[Call]:
    """Valid calls for small pictures, a few of them with HEAD."""
    small = st.one_of(valid(RENDER, WIDE), valid(RENDER, HIGH))
    return st.builds(_with_method, small, st.sampled_from(["GET", "GET", "GET", "HEAD"]))


def _with_method(call: Call, method: str) -> Call:
    return replace(call, sent=replace(call.sent, request=replace(call.sent.request, method=method)))
