"""The pages of the models of concurrency: their parts, tables that follow from manifests, figures of kept records."""

import gzip
import json
import re
import shutil
import statistics
from dataclasses import replace

import pytest
from synthetic_run import synthetic_run

from samewire.containers.compose import out_of_date
from samewire.manifest import Server, Variant, find_servers
from samewire.models import costs, lanes, pages, tables
from samewire.models.pages import PageError
from samewire.paths import CHECKOUT, CONTRACTS, RECORDS
from samewire.race.entrants import Entrant, Selector
from samewire.race.metrics import metric
from samewire.report import kept

MODELS = lanes.load()
SERVERS = find_servers()
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda one: one.term)


def _server(folder, concurrency="event-loop", **about):
    given = {
        "service": "todo", "language": "Java", "store": "memory", "stack": {"Tomcat": "HTTP server"},
        "needs": (), "build": (), "run": ("true",),
    }  # fmt: skip
    return Server(id=folder, folder=CHECKOUT / folder, concurrency=concurrency, **given | about)


# The pages


@pytest.fixture(scope="module")
def written():
    return pages.written()


def test_the_files_are_as_their_data_say(written):
    assert not out_of_date(written), "run: samewire models"


@each_model
def test_a_page_has_all_its_parts_in_order(model):
    text = (lanes.PAGES / model.page).read_text()
    assert re.findall(r"^##? (.*)$", text, re.MULTILINE) == [
        model.title, "What happens to one request", "What happens to the hundredth at once", "What it costs",
        "Where it fails", "What to look for in the code", "The lab", "Five questions",
    ]  # fmt: skip
    assert re.findall(r"<summary>(\d)\. ", text) == ["1", "2", "3", "4", "5"]
    assert {one.file for one in model.drawings} == set(re.findall(r"!\[[^\]]+\]\(([\w-]+\.svg)\)", text))
    assert re.search(r"\]\(\.\./labs/[\w-]+\.md\)", text.partition("## The lab")[2])


def test_every_term_of_manifests_is_a_model():
    schema = json.loads((CONTRACTS / "schema/server.schema.json").read_text())
    assert [model.term for model in MODELS] == schema["$defs"]["concurrency"]["enum"]


def test_stale_pages_and_drawings_are_told(tmp_path):
    folder = shutil.copytree(lanes.PAGES, tmp_path / "models")
    current = pages.written(folder)
    assert not out_of_date(current)
    page, picture, old = folder / "actors.md", folder / "actors.svg", folder / "gone.svg"
    page.write_text(page.read_text().replace("<!-- servers -->\n", "<!-- servers -->\nanother server\n"))
    picture.write_text(picture.read_text().replace("blocked", "runs").replace("waits", "runs"))
    old.write_text("<svg/>")
    assert set(out_of_date(pages.written(folder))) == {page, picture, old}
    assert pages.written(folder)[page] == current[page]


@pytest.mark.parametrize(
    ("old", "new"),
    [("<!-- figures -->", "<!-- figure -->"), ("<!-- /figures -->", ""), ("\n## ", "\n<!-- figures -->\n## ")],
)
def test_a_page_without_a_place_for_a_block_is_an_error(tmp_path, old, new):
    page = tmp_path / "actors.md"
    page.write_text((lanes.PAGES / "actors.md").read_text().replace(old, new))
    with pytest.raises(PageError, match=r"actors\.md: needs the lines <!-- figures --> and <!-- /figures --> once"):
        pages.fill(page, {"servers": "", "figures": "", "limits": ""})


def test_a_page_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(PageError, match=r"new\.md: No such file"):
        pages.fill(tmp_path / "new.md", {})


# The tables


def test_every_server_and_variant_is_in_the_cell_of_its_service_and_model():
    made = tables.across_services(MODELS, SERVERS).splitlines()
    rows = [line.strip("| ").split(" | ") for line in made if "|" in line]
    header, _, *body = rows
    terms = [re.search(r"\((.*)\.md\)", cell)[1] for cell in header[1:]]
    cells = {
        (re.match(r"\[(.*?)\]", row[0])[1], term, place)
        for row in body
        for term, cell in zip(terms, row[1:], strict=True)
        for place in re.findall(r"\[(.*?)\]\(\.\./\.\./(.*?)/README\.md\)", cell)
    }
    varied = [(one, name) for one in SERVERS for name, about in one.variants.items() if about.concurrency]
    expected = [*SERVERS, *(server.in_variant(name) for server, name in varied)]
    assert varied
    assert cells == {(one.service, one.concurrency, (_shown(one), one.id)) for one in expected}


def _shown(server):
    """`java/spring:virtual-threads`, worked out by hand."""
    language, folder = server.id.split("/")
    name = f"{language.removeprefix('servers-')}/{folder.removeprefix(f'{server.service}-')}"
    return f"{name}:{server.variant}" if server.variant else name


def test_a_server_that_is_gone_is_on_no_page(written):
    gone = next(one for one in SERVERS if one.service == "todo")
    rest = pages.written(servers=[one for one in SERVERS if one is not gone])
    assert sum(f"{gone.id}/README.md" in text for text in written.values()) > 1
    assert not [path for path, text in rest.items() if f"{gone.id}/README.md" in text]


def test_a_model_without_servers_says_so():
    only = [_server("servers-java/todo-a", "actors")]
    assert "| service | [actors](actors.md) |" in tables.across_services(MODELS, only)
    assert "[event loop](event-loop.md)" in tables.across_services(MODELS, only).splitlines()[-1]
    event_loop = next(model for model in MODELS if model.term == "event-loop")
    assert tables.of_model(event_loop, only) == "No server here works by this model."


def test_what_changes_with_the_model_follows_from_the_manifests():
    varied = _server(
        "servers-java/todo-a", "thread-per-request",
        variants={"virtual-threads": Variant("x", {"A": "1"}, concurrency="virtual-threads")},
    )  # fmt: skip
    other = _server(
        "servers-node/todo-b", "event-loop", language="TypeScript",
        stack={"node:http": "HTTP server", "pg": "database driver", "zod": "validation"},
    )  # fmt: skip
    near = _server("servers-java/todo-c", "event-loop", stack={"netty": "HTTP server"})
    assert tables.differences(varied, varied.in_variant("virtual-threads")) == ()
    assert tables.differences(varied, other) == ("language", "HTTP server", "database driver", "the rest of the stack")
    header, _, *made = tables.comparisons(MODELS, [varied, other]).splitlines()
    assert header.count("|") == made[0].count("|")
    assert made[0] == "| Thread per request · virtual threads | todo | all | – | – | – | – |"
    assert made[1] == "| Thread per request · event loop | todo | – | all | all | all | – |"
    # The pair that differs least counts.
    made = tables.comparisons(MODELS, [varied, other, near]).splitlines()
    assert "| Thread per request · event loop | todo | – | – | all | – | – |" in made
    # What is served another way is farther away than any other one.
    elsewhere = replace(near, id="servers-java/todo-d", store="files", stack=dict(varied.stack))
    assert made == tables.comparisons(MODELS, [varied, other, near, elsewhere]).splitlines()


def test_limits_are_those_of_the_manifests():
    server = _server(
        "servers-java/todo-a",
        limits={
            "connections/idle": "It serves ten clients (MAX). A time-out ends one.",
            "connections/body": "It serves ten clients (MAX). Another time-out ends one.",
            "pipelines/unread": "It reads all at once; the next one is refused.",
        },
    )
    event_loop, actors = (next(model for model in MODELS if model.term == term) for term in ("event-loop", "actors"))
    assert tables.limits(event_loop, [server]).splitlines()[2:] == [
        "| It reads all at once | pipelines: unread | [todo-a](../../servers-java/todo-a) |",
        "| It serves ten clients (MAX) | connections: body, idle | [todo-a](../../servers-java/todo-a) |",
    ]
    assert "name no limit" in tables.limits(actors, [server])


def test_experiments_select_by_the_model_of_the_server_whatever_the_variant():
    varied = [(one, name) for one in SERVERS for name, about in one.variants.items() if about.concurrency]
    for server, name in varied:
        assert server.in_variant(name).concurrency == server.variants[name].concurrency != server.concurrency
        for concurrency in (server.concurrency, server.variants[name].concurrency):
            selector = Selector((("concurrency", concurrency), ("variant", name)))
            assert selector.matches(Entrant(server, name)) == (concurrency == server.concurrency)


# The figures


def _numbers(cell):
    """The sign, and the numbers of a cell."""
    sign, *_ = re.match(r"([≥≤~]?)", cell).groups()
    return sign, [float(one.replace(",", "").replace("−", "-")) for one in re.findall(r"[−\d][\d,.]*", cell)]


def _row(record, made, server):
    """What the page shows of a server in a record: heading of a column → cell."""
    part = made.partition(f"{record}.json.gz")[2].partition("[Record]")[0]
    lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    shown = next((line for line in lines if line[0].startswith(tables.link(server))), None)
    return dict(zip(lines[0][1:], shown[1:], strict=True)) if shown else {}


def test_figures_are_those_of_the_records():
    there, compared = {server.id: server for server in SERVERS}, 0
    newest = {}
    for name in kept.names_in(RECORDS):
        run = json.loads(gzip.decompress(kept.file_of(name).read_bytes()))
        if not run["experiment"].get("same"):
            newest[run["experiment"]["name"]] = (name, run)
    for name, run in newest.values():
        for about in run["servers"]:
            server, variant = there.get(re.split("[:@#]", about["id"])[0]), about.get("variant", "")
            if server is None or about.get("load") or (variant and variant not in server.variants):
                continue
            server = server.in_variant(variant)
            shown = _row(name, (lanes.PAGES / f"{server.concurrency}.md").read_text(), server)
            for key in ("throughput_rps", "cpu_us_per_request", "threads_peak", "pss_peak_bytes"):
                values = [one["metrics"].get(key) for one in run["runs"] if one["server"] == about["id"]]
                values = [value * metric(key).scale for value in values if value is not None]
                heading = ", ".join(filter(None, (metric(key).name, metric(key).unit)))
                if heading not in shown or not values:
                    continue
                sign, numbers = _numbers(shown[heading])
                bound = about.get("bounds", {}).get(key, "")
                assert sign == ("~" if len(bound) > 1 else bound), (about["id"], key)
                expected = [statistics.median(values), min(values), max(values)]
                assert numbers == pytest.approx(expected[: len(numbers)], rel=0.01), (about["id"], key)
                compared += 1
    assert compared or not newest


@pytest.fixture
def records(tmp_path):
    """Two records of an experiment: the newer has a bound, a server that was not steady, and servers on a stand-in."""

    def keep(day, rounds, change=lambda run: None):
        run = synthetic_run(rounds=rounds)
        change(run)
        folder = tmp_path / f"2026010{day}T000000Z-shortener-quick"
        folder.mkdir()
        (folder / "run.json").write_text(json.dumps(run))
        kept.keep(folder, tmp_path / "records")

    def change(run):
        run["servers"][0]["bounds"] = {"throughput_rps": "≥"}
        first = next(one for one in run["runs"] if one["server"] == run["servers"][0]["id"])
        first["warming"] = {"seconds": 9.0, "steady": False, "windows": []}

    keep(1, rounds=1)
    keep(2, 3, change)
    return tmp_path / "records"


def test_a_bound_is_shown_as_one_and_doubts_are_told(records):
    event_loop = next(model for model in MODELS if model.term == "event-loop")
    servers = [
        _server("servers-node/shortener-pg", service="shortener"),
        _server("servers-node/shortener-mongodb", service="shortener", store="mongodb"),
    ]
    made = costs.figures(event_loop, servers, costs.newest(records))
    (on_pg,) = [line for line in made.splitlines() if "shortener-pg/" in line]
    (on_stand_in,) = [line for line in made.splitlines() if "shortener-mongodb/" in line]
    assert "| ≥ " in on_pg
    assert "not steady" in on_pg
    assert "on a stand-in, not ranked" in on_stand_in
    assert "20260102T000000Z" in made, "the newest record"
    assert "20260101T000000Z" not in made
    # Those of servers that are not there, or of another model, are left out.
    assert "netty" not in made
    assert costs.figures(MODELS[0], servers, costs.newest(records)) == "No kept record has a server of this model."


def test_terms_of_the_glossary_are_in_order():
    text = (CHECKOUT / "docs/glossary.md").read_text()
    terms = [term.lower() for term in re.findall(r"^## (.*)$", text, re.MULTILINE)]
    assert terms == sorted(set(terms))
    for entry in re.split(r"^## .*$", text, flags=re.MULTILINE)[1:]:
        assert 1 <= len(re.findall(r"[.?](?=\s|$)", entry)) <= 2, entry


@each_model
def test_a_page_links_a_term_where_it_comes_first(model):
    links = re.findall(r"glossary\.md#([\w-]+)\)", (lanes.PAGES / model.page).read_text().partition("## Five")[0])
    assert links
    assert len(links) == len(set(links))
