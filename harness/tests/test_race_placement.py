import os

import pytest

from samewire.race.placement import pinned, place


@pytest.mark.parametrize(
    ("available", "server", "database", "generator"),
    [
        ({0}, {0}, {0}, {0}),
        ({0, 1}, {0}, {1}, {1}),
        ({2, 5, 7}, {2}, {5}, {7}),
        ({0, 1, 2, 3}, {0}, {1, 2}, {3}),
    ],
)
def test_place(available, server, database, generator):
    placement = place(1, available=available)
    assert (placement.server, placement.database, placement.generator) == (server, database, generator)


def test_shared_cores_are_told():
    assert "too few cores" in place(1, available={0}).warnings()[0]
    assert place(1, available={0, 1}).warnings() == ["database and generator share core 1"]
    assert place(1, available={0, 1}).warnings(database=False) == []
    assert place(1, available={0, 1, 2}).warnings() == []


def test_a_server_of_two_cores():
    assert place(2, available={0, 1, 2, 3}).as_dict() == {"server": [0, 1], "database": [2], "generator": [3]}


def test_pinned_gives_the_cores_back():
    before = os.sched_getaffinity(0)
    with pinned(frozenset({min(before)})):
        assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before


def test_a_server_may_use_a_part_of_its_cores():
    placement = place(2, 0.25, available={0, 1, 2})
    assert (placement.server_share, placement.server_capacity) == (0.25, 0.5)
    assert place(1, 0.5, available={0}).server_capacity == 0.5
