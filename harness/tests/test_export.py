"""Cases in the words of other tools; what can be run is run, against a real server."""

import json
import re
import shutil
import subprocess

import psycopg
import pytest
import yaml
from click.testing import CliRunner

from samewire.cli import main
from samewire.conformance.export import FORMATS, NotExportable, find
from samewire.contract import cases
from samewire.contract.services import services
from samewire.datasets import dataset
from samewire.manifest import SelectionError, find_servers, least_demanding
from samewire.paths import CONTRACTS
from samewire.testbed import LINKS, Testbed

URL = "http://127.0.0.1:8080"


@pytest.mark.parametrize("service", services())
@pytest.mark.parametrize("form", FORMATS)
def test_every_case_is_written_or_refused_with_a_way_out(service, form) -> None:
    refused = []
    for case in cases.load(service):
        try:
            text = FORMATS[form](case, URL)
        except NotExportable as error:
            refused.append(str(error))
            continue
        assert form == "curl" or not re.search(r"\$\{[a-z]", text)
        if form == "har":
            assert len(json.loads(text)["log"]["entries"]) == len(case.steps)
        if form == "openapi-example":
            assert yaml.safe_load(text)["paths"]
    assert form in ("http", "hurl") or not refused
    assert all("--curl" in told for told in refused)
    # A file of text cannot hold the line ends of a form.
    assert len(refused) < 0.2 * len(cases.load(service)) or (service, form) == ("upload", "http")


def test_a_case_is_found_by_its_id_its_group_and_with_its_service() -> None:
    assert find("todo/delete/deleted").id == "delete/deleted"
    assert find("delete/only-that-one").service == "todo"
    several = next(case for case in cases.load("shortener") if "[" in case.id)
    assert find(f"shortener/{several.id}") == several
    assert find(f"shortener/{several.group}").group == several.group


@pytest.mark.parametrize(
    ("name", "told"), [("health/healthy", "several services have"), ("todo/no/such", "no case is called")]
)
def test_a_name_that_is_not_one_case_is_told(name, told) -> None:
    with pytest.raises(SelectionError, match=told):
        find(name)


def test_what_the_server_chose_is_captured_and_sent_again() -> None:
    case = find("todo/delete/deleted")
    hurl = FORMATS["hurl"](case, URL)
    assert 'HTTP 201\n[Captures]\nid: jsonpath "$.id"\n[Asserts]\n' in hurl
    assert 'header "Location" == "/todos/{{id}}"\n' in hurl
    assert 'jsonpath "$.title" == "milk"\n' in hurl
    assert f"DELETE {URL}/todos/{{{{id}}}}\nHTTP 204\n" in hurl
    assert (
        'HTTP 404\n[Asserts]\nheader "Content-Type" startsWith "application/problem+json"\njsonpath "$.status" == 404\n'
        in hurl
    )
    http = FORMATS["http"](case, URL)
    assert "@id = {{step1.response.body.$.id}}\n" in http
    assert "DELETE {{base}}/todos/{{id}}\n" in http


def test_an_example_stands_at_its_operation() -> None:
    paths = yaml.safe_load(FORMATS["openapi-example"](find("todo/delete/deleted"), URL))["paths"]
    post = paths["/todos"]["post"]
    examples = post["requestBody"]["content"]["application/json"]["examples"]
    assert examples["delete-deleted-1"]["value"] == {"title": "milk"}
    assert "404" in paths["/todos/{id}"]["get"]["responses"]


def test_a_script_of_curl_says_what_body_must_come_and_which_examples_there_are() -> None:
    lines = FORMATS["curl"](find("todo/delete/deleted"), URL).splitlines()
    assert '# and {"id":<id>,"title":"milk","completed":false}' in lines
    assert "# and a problem (RFC 9457): status 404, title and detail in the server's own words" in lines
    several = next(case for case in cases.load("todo") if case.id.endswith("]"))
    first = FORMATS["curl"](find(f"todo/{several.group}"), URL).splitlines()
    assert first[1].startswith("# One of ")
    assert f"{several.group}[" in first[1]


def test_a_contract_and_the_rules_for_all_are_printed() -> None:
    runner = CliRunner()
    for service, file in (("", "README.md"), ("todo", "todo/README.md")):
        assert runner.invoke(main, ["contract", service]).output == (CONTRACTS / file).read_text()
    assert runner.invoke(main, ["contract", "randoms", "--sql"]).exit_code == 2


def test_a_database_is_filled_by_the_script_of_a_contract() -> None:
    with Testbed(brief=True) as testbed, psycopg.connect(testbed.new_database("todo", "postgresql")) as connection:
        connection.execute(CliRunner().invoke(main, ["contract", "shortener", "--sql"]).output)
        filled = list(connection.execute("select hash, url from links"))
    assert sorted(filled) == sorted(dataset("shortener", LINKS).rows())


def test_the_command_writes_the_form_that_is_asked_for() -> None:
    runner = CliRunner()
    assert runner.invoke(main, ["export", "todo/delete/deleted"]).output.startswith("# todo delete/deleted: 204")
    assert json.loads(runner.invoke(main, ["export", "todo/delete/deleted", "--har"]).output)["log"]["version"] == "1.2"
    assert "http://x:1/todos" in runner.invoke(main, ["export", "todo/delete/deleted", "--url", "http://x:1/"]).output


def test_a_script_of_curl_runs_from_the_first_step_to_the_last() -> None:
    able = [server for server in find_servers() if server.service == "todo"]
    with Testbed(brief=True) as testbed:
        url = testbed.start(least_demanding(able)).target.url
        for name in ("todo/delete/deleted", "todo/delete/only-that-one"):
            case = find(name)
            done = subprocess.run(
                ["bash", "-eu", "-c", FORMATS["curl"](case, url)], capture_output=True, text=True, timeout=30
            )
            statuses = [int(status) for status in re.findall(r"^HTTP/1.1 (\d+)", done.stdout, re.MULTILINE)]
            assert statuses == [step.answer.status for step in case.steps], done.stdout + done.stderr


def test_the_contract_is_printed_as_prose_as_a_document_and_by_its_cases() -> None:
    runner = CliRunner()
    assert runner.invoke(main, ["contract", "todo"]).output == (CONTRACTS / "todo/README.md").read_text()
    assert yaml.safe_load(runner.invoke(main, ["contract", "todo", "--openapi"]).output)["info"]["title"] == "Todo"
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", runner.invoke(main, ["contract", "todo", "--version"]).output)
    named = runner.invoke(main, ["contract", "todo", "--cases"]).output
    assert "todo/delete/deleted: 204 without a body, and then it is gone\n" in named
    assert runner.invoke(main, ["contract", "nothing"]).exit_code == 2


def test_hurl_compares_empty_lists_and_whole_texts() -> None:
    asserts = {line for case in cases.load("todo") if not case.id.startswith("errors") for line in _lines("hurl", case)}
    assert 'jsonpath "$.items" isEmpty' in asserts
    assert 'jsonpath "$.next" == null' in asserts


def _lines(form, case):
    try:
        return FORMATS[form](case, URL).splitlines()
    except NotExportable:
        return []


def test_what_several_clients_do_at_once_is_told() -> None:
    case = next(case for case in cases.load("todo") if case.clients > 1)
    for form in ("curl", "http", "hurl"):
        assert f"{case.clients} clients do it at once; here it is one." in FORMATS[form](case, URL)


@pytest.mark.skipif(not shutil.which("hurl"), reason="hurl is missing")
@pytest.mark.parametrize("service", [name for name in services() if name in ("randoms", "shortener", "todo")])
@pytest.mark.timeout(120)
def test_hurl_itself_finds_every_case_right(service, tmp_path) -> None:
    able = [server for server in find_servers() if server.service == service]
    with Testbed(brief=True) as testbed:
        url = testbed.start(least_demanding(able)).target.url
        files = []
        for number, case in enumerate(cases.load(service)):
            try:
                text = FORMATS["hurl"](case, url)
            except NotExportable:
                continue
            files.append(tmp_path / f"{number:03}-{case.id.replace('/', '-')}.hurl")
            files[-1].write_text(text)
        done = subprocess.run(["hurl", "--test", "--jobs", "1", *files], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Executed files:    {len(files)}" in done.stderr
