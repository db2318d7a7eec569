import csv
import shutil
import tomllib
from collections import defaultdict
from dataclasses import replace

import pytest

from samewire.manifest import Server, Variant
from samewire.race.entrants import AnyOf, Entrant, Selector
from samewire.race.experiment import EXPERIMENTS, PROFILES, PUBLISHED, ExperimentError, find_experiments, load

SHORTENER = (EXPERIMENTS / "shortener.toml").read_text()


def _server(**fields):
    given = {"language": "TypeScript", "store": "postgresql", "concurrency": "event-loop"} | fields
    stack = {"node:http": "HTTP server", "pg": "database driver"}
    return Entrant(Server("servers-node/x", None, "shortener", stack=stack, needs=(), build=(), run=("x",), **given))


@pytest.mark.parametrize("name", find_experiments())
def test_every_experiment_of_the_checkout_loads(name):
    experiment = load(name)
    assert tuple(experiment.profiles) == PROFILES
    assert experiment.profile("quick").rounds >= 5
    assert all(finding.published for finding in experiment.findings)
    assert len({finding.id for finding in experiment.findings}) == len(experiment.findings)


def test_the_paper_profile_is_the_load_of_the_study():
    experiment = load("shortener")
    paper = experiment.profile("paper")
    assert (paper.links, paper.ramp_up_s, paper.hold_s, paper.ramp_down_s) == (1_000_000, 5, 45, 10)
    assert (experiment.workload.users, experiment.workload.list_length) == (40, 2007)


def test_published_values_come_from_the_studys_table():
    findings = {finding.id: finding for finding in load("shortener").findings}
    assert findings["lowest-latency"].published == "node + mongodb: 27 ms; apache-php + postgresql: 190 ms"


def test_published_values_of_one_row_name_their_columns():
    findings = {finding.id: finding for finding in load("compression").findings}
    assert findings["a-third-at-500"].published == (
        "/randoms/sync count=500, gzip: 1,800 bytes; /randoms/sync count=500, identity: 5,300 bytes"
    )


def test_published_values_have_the_unit_of_their_row():
    findings = {finding.id: finding for finding in load("chat").findings}
    assert findings["larger-sends-by-polling"].published == (
        "send bytes mean, ajax: 772.25 bytes; send bytes mean, websocket: 113.78 bytes"
    )
    assert findings["more-cpu-by-websocket"].published == "cpu: higher"


SET_UP = {"users", "requests_per_user", "requests_total", "note", "unit", "disk"}
"""Columns that tell how a study measured, not what."""


def _cited():
    """The facts that findings cite, by the table of the study."""
    cited = defaultdict(list)
    for path in EXPERIMENTS.glob("*.toml"):
        content = tomllib.loads(path.read_text())
        published = content["study"]["published"]
        for table in [published] if isinstance(published, str) else published:
            cited[table] += [fact for finding in content["findings"] for fact in finding["published"]]
    return cited


@pytest.mark.parametrize(("table", "facts"), _cited().items())
def test_every_row_and_column_of_a_studys_table_is_cited_by_a_finding(table, facts):
    lines = [line for line in (PUBLISHED / table).read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    known = {name for fact in facts for name in (fact["column"], *fact.keys() - {"column"})}
    assert rows[0].keys() - known <= SET_UP
    for row in rows:
        told = [name for name, value in row.items() if value and not any(name in fact for fact in facts)]
        cited = any(fact.items() - {("column", fact["column"])} <= row.items() for fact in facts)
        assert cited or not told, row


def test_a_client_of_the_chats_paper_profile_sends_200_messages():
    experiment = load("chat")
    paper, users = experiment.profile("paper"), experiment.workload.users
    assert paper.ramp_up_s / users == paper.ramp_down_s / users == 1
    stay_s = paper.ramp_up_s + paper.hold_s + paper.ramp_down_s / users
    assert stay_s / experiment.workload.message_every_s == 200


def test_selectors_match_manifests():
    assert Selector(()).matches(_server())
    assert Selector((("http_server", "node:http"), ("store", "postgresql"))).matches(_server())
    assert not Selector((("store", "mongodb"),)).matches(_server())
    assert not Selector((("language", "PHP"),)).matches(_server())
    assert Selector((("transport", "polling"),)).matches(_server(transport="polling"))
    assert not Selector((("transport", "socket.io"),)).matches(_server(transport="polling"))
    chat = replace(_server(transport="socket.io").server, variants={"batched": Variant("", {}, "socket.io-batched")})
    batched = Selector((("transport", "socket.io-batched"),))
    assert [batched.matches(Entrant(chat, variant)) for variant in ("", "batched")] == [False, True]
    in_variant = Entrant(_server().server, "log-sync")
    assert [Selector((("variant", ""),)).matches(one) for one in (_server(), in_variant)] == [True, False]
    assert Selector((("variant", "log-sync"), ("store", "postgresql"))).matches(in_variant)
    assert Selector(()).matches(in_variant)


def test_others_may_be_those_of_several_selectors():
    either = AnyOf((Selector((("language", "PHP"),)), Selector((("variant", "blocking"),))))
    entrants = _server(), _server(language="PHP"), Entrant(_server().server, "blocking")
    assert [either.matches(one) for one in entrants] == [False, True, True]
    assert str(either) == "language = PHP or variant = blocking"
    assert any(isinstance(one.others, AnyOf) for one in load("shortener").findings)


def test_a_server_takes_part_with_each_load():
    experiment = load("offloading")
    server = replace(_server().server, service="randoms", variants={"log-sync": Variant("", {})})
    both = replace(experiment, variants=("log-sync",)).entrants([server])
    assert [one.id.removeprefix(server.id) for one in both] == [
        "@offloaded", "@blocking", ":log-sync@offloaded", ":log-sync@blocking",
    ]  # fmt: skip
    assert [str(one.requests[0]) for one in experiment.workloads.values()] == [
        "GET /randoms?count=20000000 → 200", "GET /randoms/sync?count=20000000 → 200",
    ]  # fmt: skip
    assert {one.users for one in experiment.workloads.values()} == {4}
    assert experiment.name == "offloading"
    assert [Selector((("load", "blocking"),)).matches(one) for one in both] == [False, True, False, True]
    assert [one.id for one in experiment.against_itself().entrants([server])] == [f"{server.id}#1", f"{server.id}#2"]


def test_the_output_is_that_of_the_load_and_only_some_servers_take_part():
    experiment = load("loggers")
    assert {name: one.output for name, one in experiment.workloads.items()} == {
        "file": "file",
        "pipe": "pipe",
        "terminal": "terminal",
    }
    node, java = (replace(_server(language=one).server, service="randoms") for one in ("TypeScript", "Java"))
    assert [one.id for one in experiment.entrants([java, node])] == [f"{node.id}@{name}" for name in experiment.loads]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[loads.blocking]", "[loads.blocking]\nthink_time_s = 1", r"\$\.loads\.blocking: .*think_time_s"),
        ("[loads.blocking]", '[loads.blocking]\nkind = "lookups"', r"\$\.loads\.blocking"),
        ("[loads.blocking]", '[loads."b@"]', r"\$\.loads: 'b@'"),
        ("every_ms = 50", "every_ms = 0", r"\$\.workload\.probe\.every_ms"),
        ('load = "blocking"', 'load = "blockin"', r"no load is called 'blockin'"),
        ('compare = "each"\n', 'compare = "each"\nchange = ["blocking", "blockin"]\n', r"no load is called 'blockin'"),
        ('compare = "each"\n', 'compare = "lowest"\nchange = ["blocking", "offloaded"]\n', r"findings\[0\]\.compare"),
        ('compare = "each"\n', 'compare = "each"\nothers_metric = "pss"\n', r"no metric is called 'pss'"),
        (
            'compare = "each"\n',
            'compare = "each"\nreasons = [{ text = "t", metric = "pss", at_most = 1 }]\n',
            "called 'pss'",
        ),
        ('compare = "each"\n', 'compare = "each"\nreasons = [{ text = "t", metric = "cpu_share" }]\n', r"reasons\[0\]"),
    ],
)
def test_what_is_wrong_with_a_load_or_a_probe_is_told(tmp_path, old, new, message):
    content = (EXPERIMENTS / "offloading.toml").read_text()
    (tmp_path / "offloading.toml").write_text(content.replace(old, new, 1))
    with pytest.raises(ExperimentError, match=message):
        load("offloading", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("users = 40", "users = 40\nthink_time_s = 1", r"\$\.workload.*think_time_s"),
        ("at_least = 4.0", "at_least = 4.0\norder = [{}, {}]", r"findings\[1\]"),
        (
            '{ language = "PHP", variant = "connect-each-time" }',
            '{ server = "servers-php/x" }',
            r"findings\[5\]\.subject",
        ),
        ('column = "latency_mean_ms"', 'column = "latency_p50_ms"', "no such fact"),
        ('metric = "pss_peak_bytes"', 'metric = "pss"', "no metric is called 'pss'"),
        ("rounds = 1", "rounds = 0", r"profiles\.smoke\.rounds"),
        ("links = 10_000\n", "", r"profiles\.smoke.*links"),
        ('kind = "lookups"', 'kind = "downloads"', r"\$\.workload\.kind: 'downloads'"),
        ('server = "node", database = "mongodb", column', 'server = "node", column', "no such fact"),
        ('published = "shortener-results.csv"', 'published = "other.csv"', r"other\.csv"),
        ("users = 40", "users = ", "Invalid value"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, old, new, message):
    (tmp_path / "shortener.toml").write_text(SHORTENER.replace(old, new, 1))
    with pytest.raises(ExperimentError, match=message):
        load("shortener", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("path = ", "pth = ", r"\$\.workload\.requests\[0\].*pth"),
        ('path = "/todos"', 'path = "{location}"', r"\$\.workload\.requests\[0\]\.path"),
        ('"DELETE"', '"PURGE"', r"\$\.workload\.requests\[4\]\.method"),
    ],
)
def test_what_is_wrong_with_a_request_is_told(tmp_path, old, new, message):
    content = (EXPERIMENTS / "actors-todo.toml").read_text()
    (tmp_path / "actors-todo.toml").write_text(content.replace(old, new, 1))
    with pytest.raises(ExperimentError, match=message):
        load("actors-todo", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("COMPRESSION_MIN_BYTES", "COMPRESION", r"\$\.settings: not in the contract of randoms: COMPRESION$"),
        ('"gzip"', "1", r"\$\.workload\.requests\[0\]\.headers"),
        ('?count=90"\n', '?count=91"\n', r"no metric is called 'bytes_per_answer of GET /randoms/sync\?count=91'"),
    ],
)
def test_what_is_wrong_with_settings_headers_or_a_metric_by_request_is_told(tmp_path, old, new, message):
    content = (EXPERIMENTS / "compression.toml").read_text()
    (tmp_path / "compression.toml").write_text(content.replace(old, new, 1))
    with pytest.raises(ExperimentError, match=message):
        load("compression", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('samples = "upload-samples.csv"', 'samples = "none.csv"', r"none\.csv"),
        ("files_per_request = 1", "files_per_request = 3", r"\$\.workload\.files_per_request"),
        ("tail_weight = 0.07", "tail_weight = 1.0", r"\$\.workload\.tail_weight"),
        ("users_share = 0.4\n", "", r"profiles\.quick.*users_share"),
        ('samples = ["10"]', 'samples = ["11"]', "no sample is called 11; there are: 1, 2, 3"),
        ('agree = ["switches_per_s"', 'agree = ["threads_peak"', "no metric is called 'threads_peak'"),
        ('correlate = ["switches_per_s", "latency_cv"]', 'correlate = ["latency_cv"]', r"findings\[6\]"),
        ("untested = ", 'metric = "cpu_share"\nuntested = ', r"findings\[11\]"),
    ],
)
def test_what_is_wrong_with_uploads_is_told(tmp_path, old, new, message):
    (tmp_path / "upload.toml").write_text((EXPERIMENTS / "upload.toml").read_text().replace(old, new, 1))
    with pytest.raises(ExperimentError, match=message):
        load("upload", tmp_path)


def test_the_samples_are_those_of_the_study():
    experiment = load("upload")
    workload, paper, smoke = experiment.workload, experiment.profile("paper"), experiment.profile("smoke")
    assert [sample.name for sample in workload.samples] == [str(number) for number in range(1, 11)]
    assert [workload.users_of(sample, paper) for sample in workload.samples] == [1000] * 8 + [400, 25]
    assert workload.users_of(workload.samples[-1], smoke) == 1


def test_a_request_is_told_with_its_headers():
    request = load("compression").workload.requests[2]
    assert str(request) == "GET /randoms/sync?count=90 Accept-Encoding: gzip → 200"


def test_what_is_not_there_is_told_with_what_is(tmp_path):
    shutil.copy(EXPERIMENTS / "shortener.toml", tmp_path)
    with pytest.raises(ExperimentError, match=r"there are: shortener$"):
        load("upload", tmp_path)
    with pytest.raises(ExperimentError, match="there are: smoke, quick, paper"):
        load("shortener").profile("fast")
