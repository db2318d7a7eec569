"""Which servers work by which model of concurrency, and what else changes from one to another: tables in Markdown."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

from samewire.manifest import Server
from samewire.models.lanes import Model
from samewire.report.entrants import short_names

_UP = "../.."
"""From docs/models to the top of the checkout."""
_NOTHING = "–"
_ROLES = ("HTTP server", "web framework", "database driver", "HTTP client")
"""The parts of a stack that are told by their names; other ones together."""
_PARTS: Mapping[str, set[str]] = {
    "the language": {"language"},
    "HTTP server or framework": {"HTTP server", "web framework"},
    "driver or HTTP client": {"database driver", "HTTP client"},
    "transport or database": {"transport", "store"},
}
"""What may change together with the model, and the differences that count as that."""


def by_model(servers: Iterable[Server]) -> list[Server]:
    """The servers, each followed by those of its variants that work by a model of their own."""
    return [
        one
        for server in servers
        for one in (server, *(server.in_variant(name) for name, about in server.variants.items() if about.concurrency))
    ]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *([cell.replace("|", "&#124;") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page_of(server: Server) -> str:
    """Where a server is described, from the top of the checkout: its README, or its folder as long as it has none."""
    return f"{server.id}/README.md" if (server.folder / "README.md").exists() else server.id


def link(server: Server) -> str:
    """The short name of a server, or of one of its variants, as a link to the server's page."""
    return _linked(server, short_names([server.name], server.service)[server.name])


def _linked(server: Server, name: str) -> str:
    return f"[{name}]({_UP}/{page_of(server)})"


def _contract(service: str) -> str:
    return f"[{service}]({_UP}/contract-tests/{service}/README.md)"


def _page(model: Model) -> str:
    return f"[{_small(model)}]({model.page})"


def _small(model: Model) -> str:
    """Its title inside a line."""
    return model.title[0].lower() + model.title[1:]


def _used(models: Iterable[Model], servers: Iterable[Server]) -> list[Model]:
    terms = {server.concurrency for server in servers}
    return [model for model in models if model.term in terms]


def across_services(models: Sequence[Model], servers: Iterable[Server]) -> str:
    """Services down, models across; then the models by which no server works."""
    servers = by_model(servers)
    used = _used(models, servers)
    rows = []
    for service in sorted({server.service for server in servers}):
        cells = (
            [link(one) for one in servers if (one.service, one.concurrency) == (service, model.term)] for model in used
        )
        rows.append([_contract(service), *("<br>".join(cell) or _NOTHING for cell in cells)])
    drawn = table(["service", *map(_page, used)], rows)
    if rest := [_page(model) for model in models if model not in used]:
        drawn += f"\n\nNo server here works by these: {', '.join(rest)}."
    return drawn


def of_model(model: Model, servers: Iterable[Server]) -> str:
    """The servers that work by a model, by service."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in by_model(servers):
        if one.concurrency == model.term:
            found[one.service].append(link(one))
    if not found:
        return "No server here works by this model."
    return table(["service", "servers"], ([_contract(service), ", ".join(found[service])] for service in sorted(found)))


def comparisons(models: Sequence[Model], servers: Iterable[Server]) -> str:
    """Of every two models: in which services they can be compared, and in which of these other things change, too.

    Of the pairs of servers in a service those count that differ least.
    """
    servers = by_model(servers)
    rows = []
    for a, b in combinations(_used(models, servers), 2):
        least = {}
        for service in sorted({server.service for server in servers}):
            of_a, of_b = (
                [one for one in servers if (one.service, one.concurrency) == (service, model.term)] for model in (a, b)
            )
            if of_a and of_b:
                least[service] = min((differences(x, y) for x, y in product(of_a, of_b)), key=_distance)
        if least:
            alone = [service for service, changed in least.items() if not changed]
            parts = ([service for service, changed in least.items() if part & {*changed}] for part in _PARTS.values())
            cells = ("all" if there and len(there) == len(least) else ", ".join(there) for there in (alone, *parts))
            rows.append([f"{a.title} · {_small(b)}", ", ".join(least), *(cell or _NOTHING for cell in cells)])
    return table(["models", "compared in", "nothing else changes in", *(f"{part} changes in" for part in _PARTS)], rows)


def _distance(changed: Sequence[str]) -> tuple[bool, int]:
    """What differs in what it talks to or how is farther away than any other one."""
    return bool({"store", "transport"} & {*changed}), len(changed)


def differences(a: Server, b: Server) -> tuple[str, ...]:
    """What is another beside the model of concurrency; nothing if both are one server."""
    if a.id == b.id:
        return ()
    roles = {role for server in (a, b) for role in server.stack.values()}
    changed = [role for role in roles if _in_role(a, role) != _in_role(b, role)]
    fields = [name for name in ("language", "store", "transport") if getattr(a, name) != getattr(b, name)]
    rest = ["the rest of the stack"] if set(changed) - set(_ROLES) else []
    return (*fields, *(role for role in _ROLES if role in changed), *rest)


def _in_role(server: Server, role: str) -> set[str]:
    return {name for name, its in server.stack.items() if its == role}


def limits(model: Model, servers: Iterable[Server]) -> str:
    """What is full while others wait, as the manifests say under [limits]: which attacks fill it, and of which servers.

    Attacks are judged on servers as they are, so variants have none.
    """
    attacks: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    links: dict[str, dict[str, None]] = defaultdict(dict)
    for server in servers:
        if server.concurrency == model.term:
            for row, text in server.limits.items():
                limit = re.split(r"[.;] ", text.rstrip("."))[0]
                kind, _, name = row.partition("/")
                attacks[limit][kind][name] = None
                links[limit][_linked(server, server.folder.name)] = None
    if not attacks:
        return "The manifests of these servers name no limit for an attack. Attacks run on servers, not on variants."
    rows = ([limit, _attacks(kinds), ", ".join(links[limit])] for limit, kinds in sorted(attacks.items()))
    return table(["what is full while others wait", "attacks that fill it", "servers"], rows)


def _attacks(kinds: Mapping[str, Iterable[str]]) -> str:
    return "; ".join(f"{kind}: {', '.join(sorted(names))}" for kind, names in sorted(kinds.items()))
