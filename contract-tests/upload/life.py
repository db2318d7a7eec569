"""The upload's requests for the life layer: work that leaves nothing, and what stores something."""

import json
from collections.abc import Mapping

from samewire.http import Request, Response
from upload import model
from upload.forms import TYPE, form, upload

HEALTH = Request("GET", "/healthz")

ASKING = (
    upload(("a", b"a" * 2_000), ("b", b""), ("c", b"too many")),
    Request("GET", "/"),
    Request("POST", "/uploads", TYPE, form(("a", b"a" * 2_000))[:-1_000]),
    Request("HEAD", "/uploads/00000000-0000-4000-8000-000000000000"),
    Request("POST", "/uploads", (("Content-Type", "text/plain"),), b"{"),
    upload(("a", b"a"), field="other"),
    HEALTH,
)
"""Work, on the disk too, that leaves nothing behind."""

NOT_ASKING = ()
"""What must be answered as ever while a dependency is away: there is none."""

MAKES = True
DURABLE = True


def making(number: int) -> Request:
    """A request that stores something; the same for the same number."""
    return upload((f"{number}.txt", f"content of {number}\r\n".encode() * 100))


def made(response: Response) -> str | None:
    """What a response has stored, as a name that nothing else may have; None if it has stored nothing."""
    return next(iter(model.fresh_ids(response)), None)


def asking_for(response: Response) -> tuple[Request, Mapping[str, bytes]]:
    """A request for what `response` has stored, and the data with which `judge` knows the answer."""
    id_ = made(response)
    assert id_
    name = json.loads(response.body)["files"][0]["name"]
    return Request("GET", f"/uploads/{id_}"), {id_: model.files_of(making(int(name.removesuffix(".txt"))))[0].content}
