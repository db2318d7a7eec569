"""Hypothesis strategies for calls of the randoms, none of which is much work."""

from dataclasses import replace

from hypothesis import strategies as st
from openapi_requests import Call, operations, valid

OPERATIONS = operations("randoms")
DRAWS = (OPERATIONS["draw"], OPERATIONS["drawInline"])

OWN = {"count": st.integers(0, 300) | st.integers(0, 20_000)}
"""Few draws take the place of many."""

ACCEPTED = ("", "", "identity", "gzip", "gzip, deflate")


@st.composite
def results(draw: st.DrawFn) -> Call:
    """A valid call for a result, of sizes on both sides of what is coded; a count that is not given is the largest."""
    call = draw(valid(draw(st.sampled_from(DRAWS)), OWN).filter(lambda one: "count" in one.query))
    accepted = draw(st.sampled_from(ACCEPTED))
    request = replace(
        call.sent.request,
        method=draw(st.sampled_from(["GET", "GET", "HEAD"])),
        headers=(("Accept-Encoding", accepted),) if accepted else (),
    )
    return replace(call, sent=replace(call.sent, request=request))
