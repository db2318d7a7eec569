"""Which tests are collected: those of the services, servers and layers that are judged, and in which order they run."""

import gc
from itertools import zip_longest
from pathlib import Path

import pytest

from samewire.outcomes import LAYERS, NO_UPSTREAMS, NOT_OURS, SUITE
from samewire.pytest_plugin.selection import for_service, judged_by, selected, service_of

_LAST_LIFE = 0.4
"""The share of all other tests before which the last of `life` begin."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that say which tests are collected."""
    group = parser.getgroup("samewire")
    group.addoption("--layer", action="append", default=[], metavar="LAYER", help=f"only these of {', '.join(LAYERS)}")
    group.addoption("--faults", action="store_true", help="also judge the suite, where servers are named")


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers, and look for no garbage until the tests run."""
    # Nearly everything is kept until then: to look takes a fifth of the time.
    gc.disable()
    config.addinivalue_line("markers", f"layer(name): the layer of the suite, one of {', '.join(LAYERS)}")
    config.addinivalue_line("markers", "alone: takes the server away from all others, so it has a session of its own")
    config.addinivalue_line("markers", "waits: mostly waits, and so begins early, beside others that compute")
    config.addinivalue_line("markers", "stores(*names): only for servers that keep their records in one of these")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """What was collected stays as long as the process: no search for garbage need look at it."""
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests of services of which no server was chosen."""
    service = service_of(collection_path)
    return True if service and service not in {one.service for one in selected(config)} else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each server; a module with a `pytest_generate_tests` of its own does that itself."""
    if hasattr(metafunc.module, "pytest_generate_tests"):
        return
    chosen = for_service(metafunc.config, metafunc.definition.path)
    if stores := metafunc.definition.get_closest_marker("stores"):
        chosen = [one for one in chosen if one.server and one.server.store in stores.args]
    if "target" in metafunc.fixturenames:
        metafunc.parametrize("target", [one.name for one in chosen], indirect=True, scope="session")
    not_ours = pytest.mark.skip(reason=NOT_OURS)
    if "judged" in metafunc.fixturenames:
        without = pytest.mark.skip(reason=NO_UPSTREAMS)
        able = metafunc.config.getoption("--upstream-port")
        names = [pytest.param(one.name, marks=() if one.server or able else without) for one in chosen]
        metafunc.parametrize("judged", names, indirect=True, scope="session")
    if "server" in metafunc.fixturenames:
        names = [pytest.param(one.name, marks=() if one.server else not_ours) for one in chosen]
        metafunc.parametrize("server", names, indirect=True, scope="session")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note on every test its layer and the servers that it judges; those that mostly wait come first."""
    wanted, kept = config.getoption("--layer"), []
    some = config.getoption("--servers") or config.getoption("--url")
    if not wanted and some and not config.getoption("--faults"):
        # Faults judge the suite and not a server: they belong to a run over all servers.
        wanted = [layer for layer in LAYERS if layer != "faults"]
    for item in items:
        marker = item.get_closest_marker("layer")
        one = judged_by(item)
        for_nobody = one is not None and not isinstance(one, str)  # pytest's mark for an empty list of parameters
        if not for_nobody and (not wanted or (marker and marker.args[0] in wanted)):
            kept.append(item)
        if not marker:
            continue
        names = [one] if one else [chosen.name for chosen in for_service(config, item.path)]
        if marker.args[0] == "faults":
            names = [SUITE]
        item.user_properties += [("layer", marker.args[0]), ("servers", names)]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = _simple_ones_first(kept) if config.getoption("maxfail") == 1 else _long_ones_first(kept)


def _simple_ones_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """In the order in which somebody writes a server, as the run ends with the first failure: /healthz, single requests
    and their answers, other tests of cases, then the other layers.
    """

    def place(item: pytest.Item) -> tuple:
        layer = dict(item.user_properties).get("layer", LAYERS[-1])
        return LAYERS.index(layer), item.path.name != "test_cases.py", "health/" not in item.nodeid, _effort(item)

    return sorted(items, key=place)


def _effort(item: pytest.Item) -> tuple[bool, int, int]:
    """What a case asks of a server: many clients at once, the number of steps, and of header fields beside the type."""
    examples = getattr(getattr(item, "callspec", None), "params", {}).get("examples")
    if not examples:
        return True, 0, 0
    steps = examples[0].steps
    fields = sum(name != "Content-Type" for step in steps for name, _ in step.request.headers)
    return examples[0].clients > 1, len(steps), fields


def _long_ones_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """Long tests first, and of `life`, which mostly wait, two at a time, so that others compute beside them.

    Each is followed by a short one: workers begin with two at a time, and so none gets two long ones.
    """
    kinds: dict[str, list[pytest.Item]] = {"life": [], "differential": [], "waits": [], "short": []}
    for item in items:
        layer = dict(item.user_properties).get("layer", "")
        kinds[layer if layer in kinds else "waits" if item.get_closest_marker("waits") else "short"].append(item)
    life, beside = kinds["life"], kinds["short"][: len(kinds["life"])]
    others = _in_turn(kinds["differential"], [*kinds["waits"], *kinds["short"][len(life) :]])
    # Even: whole turns of a long one and a short one.
    apart = 2 * max(1, int(_LAST_LIFE * len(others) / max(1, len(life))))
    ordered = []
    for first in range(0, len(life), 2):
        ordered += _in_turn(life[first : first + 2], _taken(beside or others, 2)) + _taken(others, apart)
    return ordered + others


def _taken(items: list[pytest.Item], number: int) -> list[pytest.Item]:
    """The first `number` items, taken from the list."""
    taken = items[:number]
    del items[:number]
    return taken


def _in_turn(*lists: list[pytest.Item]) -> list[pytest.Item]:
    return [item for turn in zip_longest(*lists) for item in turn if item is not None]
