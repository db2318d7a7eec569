"""The site: what becomes of links, lists, code and records; and what is told when something leads nowhere."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from threading import Thread

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from samewire.attack import shown as shown_attacks
from samewire.digests import source_files
from samewire.idioms import load_steps
from samewire.manifest import find_servers
from samewire.paths import CHECKOUT, RECORDS, STATE
from samewire.report import kept
from samewire.site import check, findings
from samewire.site.build import build
from samewire.site.dialect import adapted, with_links
from samewire.site.examples import examples
from samewire.site.front import front_page, shown
from samewire.site.places import FRONT, DeadLinkError, Places, html_of
from samewire.site.servers import facts
from samewire.site.services import find_services
from samewire.site.staging import generated

PAGES = [path for path in source_files(CHECKOUT) if path.suffix == ".md"]
BUILT = STATE / "site/tests"
# Those of idioms are other ones on the site.
OWN = [path for path in PAGES if not path.is_relative_to(CHECKOUT / "docs/idioms")]


@pytest.fixture
def places():
    return Places(CHECKOUT, source_files(CHECKOUT))


@pytest.fixture(scope="module")
def generated_now():
    return generated()


def _parsed(path: Path) -> LexborHTMLParser:
    return LexborHTMLParser(path.read_text())


# The site of this checkout


def test_every_link_leads_somewhere_and_every_page_is_reached(site):
    assert check.problems(site, {}) == []


def test_the_same_files_are_not_built_twice(site):
    build(BUILT)
    assert not build(BUILT)


def test_every_markdown_file_has_its_page(site, places):
    assert [path for path in PAGES if not (site / html_of(places.of(path))).exists()] == []


@pytest.mark.parametrize("page", OWN, ids=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_lists_tables_and_code_are_those_that_a_repository_shows(site, places, generated_now, page):
    text = generated_now.get(page) or page.read_text()
    servers = find_servers()
    if server := next((one for one in servers if one.folder == page.parent), None):
        text += facts(server, servers, load_steps(), places.of(page))
    shown = MarkdownIt("commonmark").enable("table").render(text)
    made = _parsed(site / html_of(places.of(page))).css_first("article")
    for tag in ("li", "ol", "ul", "pre", "tr", "td", "blockquote", "h2", "h3", "img"):
        ours = [node for node in made.css(tag) if "linenos" not in (node.attributes.get("class") or "")]
        assert len(ours) == len(LexborHTMLParser(shown).css(tag)), tag
    # What is code, such as a pipe in a table.
    assert [node.text().split() for node in made.css("code")] == [
        node.text().split() for node in LexborHTMLParser(shown).css("code")
    ]


def test_the_page_of_a_server_has_its_code_its_own_answers_and_its_attacks(site):
    server = next(one for one in find_servers() if (one.folder / "attacks.yaml").exists())
    page = _parsed(site / server.id / "index.html")
    titles = [title.text().removesuffix("¶") for title in page.css("h2")]
    assert titles[-4:] == [
        "What it passes", "Its code beside that of other stacks", "Where it answers in its own way", "Hostile clients",
    ]  # fmt: skip
    own, attacks = page.css("details")
    assert own.css("tbody tr")
    assert len(attacks.css("tbody tr")) == len(shown_attacks.of_server(server)) > 10


def test_the_front_page_has_a_table_two_snippets_and_a_chart_with_its_record(site):
    front = _parsed(site / "index.html")
    linked = {link.attributes.get("href") for link in front.css("article a")}
    assert {f"{server.id}/index.html" for server in find_servers()} <= linked
    snippets = front.css(".samewire-pair > div")
    assert len(snippets) == 2
    assert all(snippet.css_first("pre code") for snippet in snippets)
    newest = next(name for name, race in findings.races().items() if race.data["experiment"]["name"] == "shortener")
    assert len(front.css(".samewire-chart tbody tr")) == len(shown(findings.races()[newest]))
    assert {f"bench/records/{newest}.json.gz", f"reports/{newest}/index.html"} <= linked
    facts = findings.machine(findings.races()[newest])
    assert facts in front.css_first("article").text()


def test_every_kept_race_has_its_report_with_date_machine_and_record(site):
    index = _parsed(site / "reports/index.html")
    rows = {row.css("a")[-1].text(): row for row in index.css("article tbody tr")}
    assert rows.keys() == set(kept.names_in(RECORDS))
    for name, row in rows.items():
        assert (site / "reports" / name / "index.html").exists()
        assert (site / f"bench/records/{name}.json.gz").read_bytes() == kept.file_of(name).read_bytes()
        race = findings.races()[name]
        assert findings.machine(race) in row.text()
        assert race.data["started_at"][:4] in row.text()


def test_reports_and_the_ledger_lead_to_servers_and_back(site):
    page = _parsed(site / findings.LEDGER)
    links = [link.attributes["href"] for link in page.css("a[href]")]
    assert "../../index.html" in links
    assert any(re.fullmatch(r"\.\./\.\./servers-\w+/[\w-]+/index\.html", link) for link in links)


def test_code_has_its_page_with_numbered_lines(site):
    code = _parsed(site / "docs/steps.toml.html")
    assert code.css_first("#__codelineno-0-1")
    assert "#region" in code.css_first("article pre code").text()


@pytest.mark.parametrize("service", find_services())
def test_a_service_page_has_its_servers_and_an_example_of_each_operation(site, service):
    page = _parsed(site / f"services/{service}.html")
    own = [server for server in find_servers() if server.service == service]
    assert len(page.css("article tbody tr")) == len(own)
    text = page.css_first("article").text()
    assert all(one.summary in text and one.command in text for one in examples(service))


# Examples


class _Recorder(BaseHTTPRequestHandler):
    def _record(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.command, self.path, self.headers.get("Content-Type", ""), body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _record

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("service", find_services())
def test_a_shell_sends_what_an_example_says(service, tmp_path):
    given = examples(service)
    assert given
    with ThreadingHTTPServer(("127.0.0.1", 0), _Recorder) as server:
        server.seen = []
        Thread(target=server.serve_forever, daemon=True).start()
        variables = {name.upper(): f"value-of-{name}" for one in given for name in one.given}
        for one in given:
            environment = os.environ | variables | {"URL": f"http://127.0.0.1:{server.server_port}"}
            subprocess.run(["bash", "-euc", one.command], cwd=tmp_path, env=environment, check=True, timeout=30,
                           capture_output=True)  # fmt: skip
        server.shutdown()
    assert len(server.seen) == len(given)
    for one, (method, path, kind, body) in zip(given, server.seen, strict=True):
        assert "$" not in path
        if "--data-binary" in one.command and "json" in kind:
            json.loads(body)
        if " -F " in one.command:
            assert kind.startswith("multipart/form-data")
        assert method == (re.search(r"-X (\w+)", one.command) or [0, "POST" if body else "GET"])[1]


# What is told of what is wrong


@pytest.fixture
def copy(tmp_path):
    """The files of this checkout in another folder, to be changed; those that are not are links."""
    for path in source_files(CHECKOUT):
        link = tmp_path / "checkout" / path.relative_to(CHECKOUT)
        link.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, link)
    return tmp_path / "checkout"


def _samewire(checkout: Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = os.environ | {"SAMEWIRE_CHECKOUT": str(checkout)}
    argv = [sys.executable, "-m", "samewire.cli", *arguments]
    return subprocess.run(argv, cwd=checkout, env=environment, capture_output=True, text=True, timeout=300)


def test_a_dead_link_in_a_file_ends_it_with_file_and_link(copy):
    page = copy / "docs/how-to/read-a-failure.md"
    text = page.read_text()
    page.unlink()
    page.write_text(f"{text}\nSee [nothing](no-such-page.md).\n")
    done = _samewire(copy, "site")
    assert done.returncode == 1
    number = text.count("\n") + 2
    assert f"docs/how-to/read-a-failure.md:{number}: no-such-page.md: no such file" in done.stderr
    assert not (copy / "docs/site/index.html").exists()


def test_without_records_the_page_of_reports_says_so(places, monkeypatch):
    monkeypatch.setattr(findings, "races", dict)
    assert "No race is kept." in findings.index(places)


def _write(folder: Path, **pages: str) -> None:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text)


def test_dead_links_orphans_and_what_comes_from_elsewhere_are_told(tmp_path):
    _write(
        tmp_path,
        index='<a href="a.html#there">a</a> <a href="https://example.org/">out</a> <a href="#top">up</a>',
        a='<h2 id="there">x</h2> <a href="b.html">b</a> <a href="index.html#nowhere">i</a> <a href="c%20d.txt">c</a>'
        '<script src="https://example.org/x.js"></script> <img src="none.png"> <img src="data:,">',
        orphan='<a href="index.html">index</a>',
    )
    (tmp_path / "c d.txt").touch()
    assert check.problems(tmp_path, {"a.html": "docs/a.md"}) == [
        "docs/a.md: https://example.org/x.js: is loaded from elsewhere",
        "docs/a.md: none.png: no such file",
        "docs/a.md: b.html: no such page",
        "docs/a.md: index.html#nowhere: no such heading or line",
        "orphan.html: no link leads to its page orphan.html",
    ]


# Parts


def test_lists_and_tables_are_those_of_python_markdown():
    lists = "Some text\n- one\n  more\n\n  ```\n  code\n  ```\n1. first\n\n   1. inner\n      more\n\n"
    assert adapted(lists + "| a | b |\n|---|---|\n| `x\\|y` | z |\n") == (
        "Some text\n\n- one\n    more\n\n    ```\n    code\n    ```\n\n1. first\n\n    1. inner\n        more\n\n"
        "| a | b |\n|---|---|\n| `x|y` | z |\n"
    )


def test_links_are_led_but_for_those_in_code_and_those_that_leave():
    def lead(target):
        if target == "dead.md":
            raise DeadLinkError("no such file")
        return f"led/{target}"

    text = "[a](b.md#c) `[x](y)` [`t`](u.py)\n```\n[x](y)\n```\n[o](https://o.example) [s](#same) ![p](p.png)\n"
    led, dead = with_links(f"{text}[d](dead.md)\n", lead)
    assert led == (
        "[a](led/b.md#c) `[x](y)` [`t`](led/u.py)\n```\n[x](y)\n```\n"
        "[o](https://o.example) [s](#same) ![p](led/p.png)\n[d](dead.md)\n"
    )
    assert dead == ["6: dead.md: no such file"]


def test_places_are_those_of_the_checkout(tmp_path):
    for name in ("README.md", "docs/a.md", "docs/x/b.py", "docs/p.png", "src/README.md", "src/big.csv", "src/.dot"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1\n" * (200_000 if "big" in name else 1))
    places = Places(tmp_path, source_files(tmp_path))
    source, page = tmp_path / "docs/a.md", PurePosixPath("docs/a.md")
    assert places.lead("../README.md#x", source, page) == "../about.md#x"
    assert places.lead("x/b.py#L3", source, page) == "x/b.py.md#__codelineno-0-3"
    assert places.lead("x", source, page) == "x/index.md"
    assert places.lead("../src/", source, page) == "../src/README.md"
    assert places.lead("p.png", source, page) == "p.png"
    assert places.lead("../src/big.csv", source, page) == "../src/big.csv"
    assert places.lead("../src/.dot", source, page) == "../src/.dot.md"
    assert places.address(tmp_path / "docs/x/b.py", 3, page) == "x/b.py.html#__codelineno-0-3"
    assert places.address(tmp_path / "src", None, page) == "../src/index.html"
    for dead in ("no.md", "../../outside.md"):
        with pytest.raises(DeadLinkError, match="no such file"):
            places.lead(dead, source, page)


@pytest.mark.parametrize("keep", ["none", "one", "no records"])
def test_the_front_page_leaves_out_what_is_not_there(places, monkeypatch, keep):
    servers = find_servers()
    if keep == "no records":
        monkeypatch.setattr(findings, "races", dict)
    else:
        servers = servers[:1] if keep == "one" else []
    text = front_page(servers, load_steps(), places)
    assert ("One step, two stacks" in text) == (keep == "no records")
    assert ("One race" in text) == (keep != "no records")
    assert Counter(re.findall(r"servers-\w+/[\w-]+/README\.md", text)).keys() >= {
        f"{one.id}/README.md" for one in servers
    }
    assert PurePosixPath("index.md") == FRONT


def test_the_site_is_shown_on_loopback_until_ctrl_c(site):
    argv = [sys.executable, "-m", "samewire.cli", "site", "--serve", "--port", "0", "--folder", str(BUILT)]
    with subprocess.Popen(argv, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as shown:
        address = next(found[0] for line in shown.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+/", line)))
        with urllib.request.urlopen(address, timeout=10) as answer:
            assert b"Samewire" in answer.read()
        shown.send_signal(signal.SIGINT)
        assert shown.wait(10) == 0
