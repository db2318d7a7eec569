"""In which order the suite's tests run, and which of them are for a service."""

from dataclasses import dataclass, field

import pytest

from samewire.manifest import Server, Variant
from samewire.paths import CONTRACTS
from samewire.pytest_plugin.collection import _long_ones_first
from samewire.pytest_plugin.reporting import _outcomes_of
from samewire.pytest_plugin.selection import Selected, service_of


@dataclass(eq=False)
class Item:
    """As much of a test as its place in the order depends on."""

    layer: str
    waits: bool = False
    user_properties: list[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        self.user_properties = [("layer", self.layer)]

    def get_closest_marker(self, name: str) -> bool:
        return self.waits and name == "waits"


def items(layer: str, number: int) -> list[Item]:
    return [Item(layer) for _ in range(number)]


def test_two_of_life_begin_at_once_and_others_compute_beside_them() -> None:
    life, differential, short, waits = items("life", 4), items("differential", 3), items("wire", 60), Item("wire", True)
    ordered = _long_ones_first([*short, waits, *differential, *life])
    assert sorted(map(id, ordered)) == sorted(map(id, [*life, *differential, *short, waits]))
    assert ordered[:4] == [life[0], short[0], life[1], short[1]]
    assert ordered[4:10] == [differential[0], waits, differential[1], short[4], differential[2], short[5]]
    third, fourth = map(ordered.index, life[2:])
    assert len(ordered) * 0.1 < third == fourth - 2 < len(ordered) * 0.5


def test_no_two_of_life_follow_each_other_while_there_are_others():
    life, differential = items("life", 5), items("differential", 5)
    ordered = [one.layer for one in _long_ones_first([*life, *differential])]
    assert ordered == ["life", "differential"] * 2 + ["differential"] * 2 + ["life", "differential"] + ["life"] * 2


@pytest.mark.parametrize(("life", "differential", "short"), [(0, 0, 0), (0, 2, 3), (5, 0, 0), (3, 1, 2), (1, 0, 9)])
def test_no_test_is_lost_or_doubled(life, differential, short):
    several = [*items("life", life), *items("differential", differential), *items("cases", short)]
    assert sorted(map(id, _long_ones_first(several))) == sorted(map(id, several))


def test_folders_and_modules_of_a_service_are_for_it_alone() -> None:
    assert service_of(CONTRACTS / "todo") == service_of(CONTRACTS / "todo/test_lists.py") == "todo"
    assert service_of(CONTRACTS / "test_wire.py") == service_of(CONTRACTS / "wire") == service_of(CONTRACTS) == ""


def test_what_came_of_a_servers_variants_came_of_the_server() -> None:
    variants = {"batched": Variant("", {}, "socket.io-batched")}
    server = Server(
        "servers-a/x", CONTRACTS, "chat", "", "memory", "", {}, needs=(), build=(), run=("x",), variants=variants
    )
    chosen = [Selected(one.name, "chat", one) for one in (server, server.in_variant("batched"))]
    outcomes = {
        "servers-a/x": {"cases": {"passed": 3}, "wire": {"passed": 1}},
        "servers-a/x:batched": {"cases": {"passed": 2, "failed": 1}},
        "servers-b/y": {"cases": {"failed": 9}},
    }
    assert _outcomes_of(server, chosen, outcomes) == {"cases": {"passed": 5, "failed": 1}, "wire": {"passed": 1}}
