import sys

import pytest
from rich.console import Console

from samewire import checks
from samewire.build import BuildError
from samewire.checks import Check, static
from samewire.checks import races as small
from samewire.manifest import find_servers


def test_what_failed_is_told_once_more_at_the_end(monkeypatch, capsys) -> None:
    told = "\n".join(["pytest   (in harness)", *(f"line {number}" for number in range(30)), "E  assert [1] == [2]"])
    monkeypatch.setattr(checks, "run_all", lambda console, jobs: [Check("lint", 1.0), Check("unit tests", 2.0, told)])
    monkeypatch.setattr(checks, "_judge", lambda *_, **__: Check("contract suite", 3.0))
    monkeypatch.setattr(checks, "race_all", lambda *_: [Check("race", 4.0, "exit status 1")])
    assert checks.test_all(Console(width=80), again=False, seed=1) == 1
    end = capsys.readouterr().out.splitlines()[-16:]
    assert end[0] == "✗ unit tests"
    assert end[1:13] == [*(f"line {number}" for number in range(19, 30)), "E  assert [1] == [2]"]
    assert end[13:] == ["✗ race", "exit status 1", "checks: 2 passed, 2 failed"]


def test_a_command_that_fails_is_shown_and_its_last_lines_are_kept(capsys) -> None:
    program = "import sys; [print(n) for n in range(99)]; print('[no] good', file=sys.stderr); sys.exit(3)"
    with pytest.raises(BuildError, match=r"^exit status 3\n(\d+\n){11}\[no\] good\n$"):
        small.run_and_show(Console(width=80), [sys.executable, "-uc", program], [])
    assert capsys.readouterr().out.splitlines() == [*map(str, range(99)), "[no] good"]


def test_a_copy_has_what_is_built_but_not_what_races_write(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(static, "CHECKOUT", tmp_path)
    monkeypatch.setattr(static, "BENCH", tmp_path / "bench")
    assert static._ignore_changing(str(tmp_path), [".samewire", "bench"]) == {".samewire", "__pycache__"}
    assert static._ignore_changing(str(tmp_path / "bench"), ["results"]) == {"results", "__pycache__"}
    assert static._ignore_changing(str(tmp_path / "servers-node/a"), ["results", "target"]) == {"__pycache__"}


def test_races_side_by_side_have_two_cores_each() -> None:
    assert small.lanes({3, 1, 2, 0}) == 2 * [frozenset({0, 1}), frozenset({2, 3})]
    assert small.lanes({0, 1, 4}) == 2 * [frozenset({0, 1})]
    assert small.lanes({7}) == 2 * [frozenset({7})]


def test_the_longest_race_in_small_comes_first() -> None:
    races = small.small_races(find_servers(), 1)
    assert [race.load_s for race in races] == sorted((race.load_s for race in races), reverse=True)
    for race in races:
        assert {server.id for server in race.racing} <= {server.id for server in race.servers}
        most = len(race.servers) if race.name == small.MAIN_RACE else 1 if race.experiment.floor else 2
        assert len(race.racing) == min(most, len(race.servers))


def test_the_same_seed_draws_the_same_servers() -> None:
    def drawn(seed: int) -> list[list[str]]:
        return [[server.id for server in race.racing] for race in small.small_races(find_servers(), seed)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_a_browser_looks_at_a_report_of_each_kind_of_load() -> None:
    races = small.small_races(find_servers(), 1)
    kinds = {race.name: race.experiment.workload.kind for race in races}
    shown = small.looked_at(races, 1)
    assert {kinds[name] for name in shown} == set(kinds.values())
    assert len(shown) <= len(set(kinds.values())) + 1
    if small.MAIN_RACE in kinds:
        assert small.MAIN_RACE in shown
    assert any(small.looked_at(races, 1) != small.looked_at(races, seed) for seed in range(2, 9))
