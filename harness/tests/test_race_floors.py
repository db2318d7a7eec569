"""The least programs of stacks: whose they are, that they race with these, and that they answer as these do."""

import http.client
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from samewire.build import build
from samewire.manifest import Server, find_servers, least_demanding
from samewire.race.comparisons import Figures
from samewire.race.entrants import Entrant, Selector
from samewire.race.experiment import FLOOR, find_experiments, load
from samewire.race.findings import judge
from samewire.race.floors import FloorError, find_floors, floor_of
from samewire.race.recorded import figures_of
from samewire.testbed import Testbed

FLOORS = {one.folder.name: one for one in find_floors()}
SERVERS = [one for one in find_servers() if one.service in ("shortener", "todo")]


def _server(name, **stack):
    return Server(f"servers-x/{name}", None, "todo", "Java", "postgresql", "", stack, (), (), ("x",))


def _floor(name, **stack):
    return replace(FLOORS["spring-jdbc"], id=f"bench/floor/{name}", stack=stack, measures="lookup")


FULL = _server("full", http="HTTP server", web="web framework", db="database driver", log="logging")
BARE = _server("bare", http="HTTP server", db="database driver")
OTHER = _server("other", other="HTTP server")
OF_FULL, OF_BARE = (
    _floor("web-db", http="HTTP server", web="web framework", db="database driver"),
    _floor("db", http="HTTP server", db="database driver"),
)


def test_the_floor_of_a_server_is_the_program_that_shares_most_of_its_stack():
    assert floor_of(FULL, [OF_BARE, OF_FULL]) is OF_FULL
    assert floor_of(BARE, [OF_BARE, OF_FULL]) is OF_BARE
    assert floor_of(OTHER, [OF_BARE, OF_FULL]) is None
    assert floor_of(replace(BARE, language="Scala"), [OF_BARE]) is None


def test_servers_with_a_floor_race_with_it_and_others_do_not(monkeypatch):
    monkeypatch.setattr("samewire.race.experiment.find_floors", lambda: [OF_BARE, OF_FULL, FLOORS["express"]])
    entrants = load("floor-todo").entrants([FULL, OTHER, replace(FULL, id="servers-x/again")])
    assert [one.id for one in entrants] == [FULL.id, "servers-x/again", OF_FULL.id]
    assert [one.is_floor for one in entrants] == [False, False, True]
    assert entrants[2].server.service == "todo"


def test_no_selector_means_a_floor():
    assert not Selector(()).matches(Entrant(OF_FULL))
    assert Selector(()).matches(Entrant(FULL))


def _figures(**costs):
    entrants = {one.id: Entrant(one) for one in (FULL, BARE, OF_FULL, OF_BARE)}
    values = {
        id_: {"cpu_us_per_request": dict(enumerate(costs[id_.rpartition("/")[2].replace("-", "_")], 1))}
        for id_ in entrants
    }
    return Figures(entrants, dict.fromkeys(entrants, True), values)


@pytest.mark.parametrize(("bare", "verdict"), [([25, 26, 25], "holds"), ([60, 61, 60], "does not hold")])
def test_each_server_is_held_to_its_own_floor(bare, verdict):
    (finding,) = load("floor-todo").findings
    assert finding.compare == FLOOR
    row = judge(finding, _figures(full=[100, 101, 102], web_db=[90, 90, 91], bare=bare, db=[24, 24, 24]))
    assert row.verdict == verdict
    if verdict != "holds":
        assert row.ours.text.startswith(f"{BARE.id} to {OF_BARE.id}: 2.5")


def test_without_a_floor_nothing_is_tested():
    (finding,) = load("floor-todo").findings
    row = judge(finding, Figures({FULL.id: Entrant(FULL)}, {FULL.id: True}, {}))
    assert (row.verdict, row.why) == ("not tested", "no server in this race has a floor")


def test_floors_are_there_again_when_a_record_is_read():
    floor = FLOORS["express-pg"].id
    run = {
        "servers": [{"id": floor, "ranked": True, "floor": "0"}],
        "runs": [{"server": floor, "round": 1, "metrics": {"x": 1.0}}],
    }
    assert figures_of(run, []).rounds(floor, "x") == {1: 1.0}


def test_a_broken_floor_is_told(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x/floor.toml").write_text('measures = "sleep"\n')
    with pytest.raises(FloorError, match=r"x/floor\.toml"):
        find_floors(tmp_path, tmp_path)


@pytest.mark.parametrize("server", SERVERS, ids=lambda one: one.id)
def test_a_floor_asks_the_database_of_its_server(server):
    floor = floor_of(server, [one for one in FLOORS.values() if one.measures == "lookup"])
    assert floor is None or floor.store == server.store


@pytest.mark.parametrize("name", [name for name in find_experiments() if load(name).floor])
def test_a_floor_answers_as_its_server_does(name):
    """The server that needs least of those that are here, and its floor; what the load generator asks first."""
    experiment = load(name)
    taking = [one.server for one in experiment.entrants(find_servers())]
    servers = [one for one in taking if one.id.startswith("servers-")]
    if not servers:
        pytest.skip("no server here has a floor")
    server = least_demanding(servers)
    floor = floor_of(server, [one for one in taking if one.id.startswith("bench/")])
    build(floor)
    profile = experiment.profile("smoke")
    path, *_ = experiment.workload.lists(profile, 1)[0][0]
    with Testbed() as testbed:
        database = (
            testbed.new_database(server.service, server.store, profile.links, profile.links) if profile.links else None
        )
        answers = [
            _answer(testbed.start(one, healthz=one is server, database=database, env={"SERVICE": server.service}), path)
            for one in (server, floor)
        ]
    assert answers[0] == answers[1]


def _answer(running, path) -> SimpleNamespace:
    """What a client relies on of the answer to a GET, or to a form with one small file: status, Location, JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", running.target.port, timeout=10)
    if path == "/uploads":
        form = b'--x\r\nContent-Disposition: form-data; name="files[]"; filename="a"\r\n\r\nabc\r\n--x--\r\n'
        connection.request("POST", path, form, {"Content-Type": "multipart/form-data; boundary=x"})
        return SimpleNamespace(status=connection.getresponse().status)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    return SimpleNamespace(status=answer.status, location=answer.getheader("Location"), body=json.loads(body or "null"))
