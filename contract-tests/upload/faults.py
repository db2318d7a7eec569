"""The faults that an upload server may have besides the general ones."""

import re
from urllib.parse import unquote

from faults.changes import (
    added,
    asked,
    asked_at,
    emptied,
    header_left_out,
    headers_changed,
    json_changed,
    json_of,
    path_of,
    problem,
    reply,
)
from faults.proxy import Exchange, Fault, Reply, fault

FAULTS: list[Fault] = []

NOT_HERE = {"header-missing": "no answer has Location"}

_UPLOAD = re.compile("/uploads/[^/]+")
_DELIMITER = b"------samewire"
"""As the cases write it."""


def _uploaded(exchange: Exchange) -> list[dict]:
    """The files that were just uploaded; none if nothing was."""
    return json_of(exchange.response)["files"] if exchange.response.status == 201 else []


def _with_files(exchange: Exchange, files: list[dict]) -> Reply | None:
    """The answer to an upload with other files in it."""
    return json_changed(exchange, lambda value: {"files": files}) if _uploaded(exchange) else None


def _is_file(exchange: Exchange) -> bool:
    """Whether the answer is a file."""
    return exchange.response.status == 200 and bool(_UPLOAD.fullmatch(path_of(exchange)))


# ------------------------------------------------------------------------------------------------- names and sizes


@fault(FAULTS)
def names_in_latin_1(exchange: Exchange) -> Reply | None:
    """Names read as Latin-1."""
    files = [file | {"name": file["name"].encode().decode("latin-1")} for file in _uploaded(exchange)]
    return _with_files(exchange, files)


@fault(FAULTS)
def names_decoded(exchange: Exchange) -> Reply | None:
    """Names percent-decoded as a whole."""
    return _with_files(exchange, [file | {"name": unquote(file["name"])} for file in _uploaded(exchange)])


@fault(FAULTS)
def names_trimmed(exchange: Exchange) -> Reply | None:
    """Blanks around names trimmed."""
    return _with_files(exchange, [file | {"name": file["name"].strip()} for file in _uploaded(exchange)])


@fault(FAULTS)
def sizes_with_the_line_end(exchange: Exchange) -> Reply | None:
    """The line end before the boundary counted."""
    return _with_files(exchange, [file | {"size": file["size"] + 2} for file in _uploaded(exchange)])


@fault(FAULTS)
def sizes_as_texts(exchange: Exchange) -> Reply | None:
    """Sizes as texts."""
    return _with_files(exchange, [file | {"size": str(file["size"])} for file in _uploaded(exchange)])


@fault(FAULTS)
def ids_of_version_1(exchange: Exchange) -> Reply | None:
    """Ids of a UUID's version 1, by the clock."""
    files = [file | {"id": file["id"][:14] + "1" + file["id"][15:]} for file in _uploaded(exchange)]
    return _with_files(exchange, files)


@fault(FAULTS)
def files_in_another_order(exchange: Exchange) -> Reply | None:
    """Files in another order than their parts."""
    return _with_files(exchange, _uploaded(exchange)[::-1])


# ------------------------------------------------------------------------------------------------------------- files


@fault(FAULTS)
def file_with_the_line_end(exchange: Exchange) -> Reply | None:
    """The line end before the boundary kept in the file."""
    if not _is_file(exchange) or exchange.request.method != "GET":
        return None
    return reply(exchange.response, body=exchange.response.body + b"\r\n")


@fault(FAULTS)
def file_of_the_same_name(exchange: Exchange) -> Reply | None:
    """A file overwritten by the next of its name."""
    kept = exchange.memory.setdefault("kept", {})
    for file in _uploaded(exchange):
        kept[file["name"]] = file["id"]
        exchange.memory[f"/uploads/{file['id']}"] = file["name"]
    name = exchange.memory.get(path_of(exchange))
    # Only what reads is asked again: a second DELETE would change the server.
    if name is None or exchange.request.method != "GET":
        return None
    return asked_at(exchange, f"/uploads/{kept[name]}")


@fault(FAULTS)
def deleted_file_there(exchange: Exchange) -> Reply | None:
    """A file that was deleted still there."""
    if _is_file(exchange) and exchange.request.method == "GET":
        exchange.memory[path_of(exchange)] = exchange.response
    known = exchange.memory.get(path_of(exchange)) if exchange.request.method == "GET" else None
    return [known.raw] if known and exchange.response.status == 404 else None


@fault(FAULTS)
def deleted_twice(exchange: Exchange) -> Reply | None:
    """DELETE of what is not there answered with 204."""
    if (
        exchange.request.method != "DELETE"
        or exchange.response.status != 404
        or not _UPLOAD.fullmatch(path_of(exchange))
    ):
        return None
    return emptied(exchange.response, 204)


@fault(FAULTS)
def disposition_missing(exchange: Exchange) -> Reply | None:
    """No Content-Disposition."""
    return header_left_out(exchange, "content-disposition")


@fault(FAULTS)
def disposition_inline(exchange: Exchange) -> Reply | None:
    """A file that the browser shows."""
    return headers_changed(exchange, "content-disposition", lambda value: "inline")


@fault(FAULTS)
def disposition_with_a_name(exchange: Exchange) -> Reply | None:
    """A Content-Disposition with a file name."""
    return headers_changed(exchange, "content-disposition", lambda value: f'{value}; filename="file"')


@fault(FAULTS)
def files_sniffed(exchange: Exchange) -> Reply | None:
    """No X-Content-Type-Options."""
    return header_left_out(exchange, "x-content-type-options")


@fault(FAULTS)
def type_of_the_client(exchange: Exchange) -> Reply | None:
    """A file with the type that its part had."""
    return headers_changed(exchange, "content-type", lambda value: value.replace("octet-stream", "pdf"))


@fault(FAULTS)
def ranges_offered(exchange: Exchange) -> Reply | None:
    """Accept-Ranges with a file."""
    return reply(added(exchange.response, "Accept-Ranges", "bytes")) if _is_file(exchange) else None


@fault(FAULTS)
def ids_as_a_parser_reads_them(exchange: Exchange) -> Reply | None:
    """An id found in braces, as by a parser of UUIDs."""
    return asked_at(exchange, path_of(exchange).replace("%7B", "").replace("%7D", ""))


@fault(FAULTS)
def id_trimmed(exchange: Exchange) -> Reply | None:
    """A space after an id trimmed."""
    is_id = re.fullmatch("/uploads/[0-9a-f-]{36}%20", path_of(exchange))
    return asked_at(exchange, path_of(exchange).removesuffix("%20")) if is_id else None


@fault(FAULTS)
def no_id_is_bad(exchange: Exchange) -> Reply | None:
    """What is no id answered with 400."""
    is_id = re.fullmatch("/uploads/[0-9a-f-]{36}", path_of(exchange))
    if is_id or exchange.response.status != 404 or not _UPLOAD.fullmatch(path_of(exchange)):
        return None
    return problem(exchange, 400, "id must be a UUID.")


# ------------------------------------------------------------------------------------------------------------- parts


@fault(FAULTS)
def third_file_dropped(exchange: Exchange) -> Reply | None:
    """A third file dropped without a word."""
    before, *parts = (exchange.request.body or b"").split(_DELIMITER + b"\r\n")
    if exchange.response.status != 400 or len(parts) < 3:
        return None
    return asked(exchange, body=(_DELIMITER + b"\r\n").join([before, *parts[:2]]) + _DELIMITER + b"--\r\n")


@fault(FAULTS)
def any_field_taken(exchange: Exchange) -> Reply | None:
    """Files taken from a field of any name."""
    body = exchange.request.body or b""
    if exchange.response.status != 400 or b'; filename="a"' not in body:
        return None
    return asked(exchange, body=re.sub(rb' name="[^"]*"', b' name="files[]"', body))


@fault(FAULTS)
def empty_file_is_none(exchange: Exchange) -> Reply | None:
    """An empty file refused."""
    is_empty = any(file["size"] == 0 for file in _uploaded(exchange))
    return problem(exchange, 400, "At least one file is required.") if is_empty else None


@fault(FAULTS)
def end_not_needed(exchange: Exchange) -> Reply | None:
    """A body taken without its closing delimiter."""
    body = exchange.request.body or b""
    if exchange.response.status != 400 or not body.startswith(_DELIMITER) or _DELIMITER + b"--" in body:
        return None
    return asked(exchange, body=body + b"\r\n" + _DELIMITER + b"--\r\n")


@fault(FAULTS)
def preamble_refused(exchange: Exchange) -> Reply | None:
    """A body refused that does not begin with its boundary."""
    begins = (exchange.request.body or b"").startswith(b"--")
    return problem(exchange, 400, "No boundary.") if _uploaded(exchange) and not begins else None


@fault(FAULTS)
def parameter_names_with_case(exchange: Exchange) -> Reply | None:
    """Names of a part's parameters compared with regard to case."""
    if not _uploaded(exchange) or b"FILENAME=" not in (exchange.request.body or b""):
        return None
    return problem(exchange, 400, "At least one file is required.")


@fault(FAULTS)
def any_media_type_taken(exchange: Exchange) -> Reply | None:
    """Multipart taken whatever its Content-Type is."""
    if exchange.response.status != 415:
        return None
    return asked(exchange, headers=(("Content-Type", "multipart/form-data; boundary=----samewire"),))


@fault(FAULTS)
def boundary_not_judged(exchange: Exchange) -> Reply | None:
    """500 where there is no boundary."""
    types = [value for name, value in exchange.request.headers if name.lower() == "content-type"]
    if exchange.response.status != 400 or "boundary" in "".join(types):
        return None
    return problem(exchange, 500, "Internal server error.")
