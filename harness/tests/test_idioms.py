import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from samewire.containers.compose import out_of_date
from samewire.idioms import IdiomsError, files, load_steps, site_pages
from samewire.idioms.pages import FOLDER, INDEX
from samewire.idioms.regions import find_regions
from samewire.idioms.steps import Step, collect, pages_of
from samewire.manifest import Server, find_servers
from samewire.paths import CONTRACTS, HARNESS

SERVERS, STEPS = find_servers(), load_steps()
# Two made-up ones.
ONE = Step("a.one", "One", "The first.", "It differs. It has to.", "all")
TWO = Step("a.two", "Two", "The second.", "It differs, too. It has to.", ["todo"])
each_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)


def _made(folder, service="shortener"):
    folder.mkdir(exist_ok=True)
    return Server(
        id=f"servers-node/{folder.name}", folder=folder, service=service, language="TypeScript", store="memory",
        concurrency="event-loop", stack={"node:http": "HTTP server"}, needs=(), build=(), run=("true",),
    )  # fmt: skip


@pytest.fixture
def server(tmp_path):
    return _made(tmp_path / "x")


def _mark(server, text, name="main.ts", step="a.one"):
    (server.folder / name).write_text(f"// #region {step}\n{text}\n// #endregion {step}\n")


def _address(path: Path, line: int) -> str:
    return f"https://code.test/{path.name}#{line}"


def _entries(page):
    return [entry for entries in page.services.values() for entry in entries]


# Regions


def test_a_region_is_the_code_between_its_markers_without_indentation(tmp_path):
    (tmp_path / "main.ts").write_text("x\n  // #region a.one\n  if (y) {\n    z();\n  }\n  // #endregion a.one\n")
    regions, problems = find_regions(tmp_path)
    assert not problems
    (region,) = regions["a.one"]
    assert region.code == "if (y) {\n  z();\n}"
    assert region.line == 3


def test_a_region_begins_where_its_code_does(tmp_path):
    (tmp_path / "main.ts").write_text("x\f\n// #region a.one\n\n  \ny();\n\n// #endregion a.one\n")
    (region,) = find_regions(tmp_path)[0]["a.one"]
    assert (region.line, region.code) == (5, "y();")


def test_markers_of_other_regions_are_no_code(tmp_path):
    (tmp_path / "main.ts").write_text(
        "// #region a.one\nx();\n// #region a.two\ny();\n// #endregion a.one\nz();\n// #endregion a.two\n"
    )
    regions, _ = find_regions(tmp_path)
    assert {name: region.code for name, (region,) in regions.items()} == {"a.one": "x();\ny();", "a.two": "y();\nz();"}


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("# #region a.one", "# #endregion a.one"),
        ("/* #region a.one */", "/* #endregion a.one */"),
        ("<!-- #region a.one -->", "<!-- #endregion a.one -->"),
        ("<!--/* #region a.one */-->", "<!--/* #endregion a.one */-->"),
        ("{# #region a.one #}", "{#- #endregion a.one -#}"),
        ("{#\n#region a.one\n#}", "{#\n#endregion a.one\n#}"),
        ("{{! #region a.one }}", "{{!-- #endregion a.one --}}"),
        ("{{! What it is. #region a.one\n}}", "{{! #endregion a.one\n}}"),
        ("//- #region a.one", "//- #endregion a.one"),
    ],
)
def test_markers_in_the_comments_of_other_languages_and_of_templates(tmp_path, begin, end):
    code = "<p>{# not a marker #}</p>\n\n<p>{{! #region }}</p>"
    (tmp_path / "page").write_text(f"<html>\n{begin}\n{code}\n{end}\n</html>\n")
    regions, problems = find_regions(tmp_path)
    assert not problems
    (region,) = regions["a.one"]
    assert region.code == code
    assert region.line == 3 + begin.count("\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no region a.one"),
        ("// #region a.one\n", r"main\.ts:1: region a\.one is not closed"),
        ("// #endregion a.one\n", r"main\.ts:1: #endregion a\.one without"),
        ("// #region a.one\n" * 2 + "// #endregion a.one\n", r"main\.ts:2: region a\.one inside itself"),
        ("// #region a.onne\n// #endregion a.onne\n", r"a\.onne is not declared"),
    ],
)
def test_regions_that_are_missing_in_themselves_or_unclosed_are_errors(server, text, problem):
    (server.folder / "main.ts").write_text(text)
    with pytest.raises(IdiomsError, match=problem):
        collect([server], [ONE, TWO])


# Steps


@each_step
def test_what_differs_is_said_in_two_sentences_under_25_words_and_names_no_server(step):
    sentences = re.split(r"(?<=[.!?]) ", re.sub(r"`[^`]*`", "`code`", step.differs))
    assert len(sentences) == 2
    assert all(sentence.endswith(".") and len(sentence.split()) < 25 for sentence in sentences)
    assert not [server.id for server in SERVERS if server.folder.name in step.differs]


def test_a_step_that_lacks_something_is_an_error_that_says_what(tmp_path):
    (tmp_path / "steps.toml").write_text('["a.one"]\ntitle = "One"\ntext = "The first."\nservices = "all"\n')
    with pytest.raises(IdiomsError, match=r"steps\.toml: \[a\.one\] has to have differs, services, text, title"):
        load_steps(tmp_path / "steps.toml")


def test_a_step_of_some_transports_concerns_the_chats_that_have_one(server, tmp_path):
    (tmp_path / "steps.toml").write_text(
        '["a.one"]\ntitle = "One"\ntext = "The first."\ndiffers = "It differs."\nservices = ["chat"]\n'
        'transports = ["polling"]\n'
    )
    (step,) = load_steps(tmp_path / "steps.toml")
    chats = [replace(server, service="chat", transport=transport) for transport in ("polling", "socket.io")]
    assert [step.concerns(one) for one in (*chats, server)] == [True, False, False]


# Pages


def test_the_pages_are_as_the_code_says():
    assert not out_of_date(files(SERVERS, STEPS)), "run: samewire idioms"


def test_every_server_of_the_checkout_is_on_the_page_of_every_step_of_its_service():
    texts = {path.name: text for path, text in files(SERVERS, STEPS).items()}
    for step in STEPS:
        missing = [one.id for one in SERVERS if step.concerns(one) and f"# {one.id}\n" not in texts.get(step.page, "")]
        assert not missing, step.name


def test_a_link_leads_to_the_line_on_which_the_code_begins():
    link_and_code = re.compile(r"^\[`.*`, line \d+\]\((.*)#L(\d+)\)\n\n`{3,}.*\n(.*)\n", re.MULTILINE)
    shown = 0
    for path, text in files(SERVERS, STEPS).items():
        for target, number, first in link_and_code.findall(text or ""):
            line = (path.parent / target).read_text().split("\n")[int(number) - 1]
            assert line.strip() == first.strip(), f"{path.name}: {target}#L{number}"
            shown += 1
    assert shown == sum(len(one.regions) for page in pages_of(SERVERS, STEPS) for one in _entries(page))


def test_a_step_may_have_a_region_in_each_of_several_files(server, tmp_path):
    for name in ("routes.ts", "store.ts"):
        _mark(server, f"{name[:-3]}();", name)
    text = files([server], [ONE], tmp_path / "pages")[tmp_path / "pages/a.one.md"]
    assert "[`routes.ts`, line 2](../x/routes.ts#L2)\n\n```typescript\nroutes();\n```\n\n[`store.ts`, line 2]" in text


def test_servers_are_grouped_by_service_where_a_step_is_for_several(tmp_path):
    servers = [_made(tmp_path / "a", "todo"), _made(tmp_path / "b"), _made(tmp_path / "c", "todo")]
    for one in servers:
        _mark(one, f"{one.folder.name}();")
    text = files(servers, [ONE], tmp_path / "pages")[tmp_path / "pages/a.one.md"]
    assert re.findall(r"^#+ .*", text, re.MULTILINE) == [
        "# One", "## shortener", "### servers-node/b", "## todo", "### servers-node/a", "### servers-node/c",
    ]  # fmt: skip
    assert "[shortener](#shortener) · [todo](#todo)" in text


def test_pages_link_the_steps_before_and_after(tmp_path):
    servers = [_made(tmp_path / "x", "todo")]
    for step in (ONE, TWO):
        _mark(servers[0], "y();", f"{step.name}.ts", step.name)
    texts = {path.name: text for path, text in files(servers, [ONE, TWO], tmp_path / "pages").items()}
    assert "[Two](a.two.md) →" in texts["a.one.md"]
    assert "← [One](a.one.md)" in texts["a.two.md"]
    assert "→" not in texts["a.two.md"]
    assert texts[INDEX].index("[One](a.one.md)") < texts[INDEX].index("[Two](a.two.md)")


def test_a_fence_is_longer_than_any_in_the_code(server, tmp_path):
    _mark(server, "/*\n```\n*/")
    text = files([server], [ONE], tmp_path / "pages")[tmp_path / "pages/a.one.md"]
    assert "\n````typescript\n/*\n```\n*/\n````\n" in text


def test_a_step_that_no_server_has_left_has_no_page_and_no_neighbours(server, tmp_path):
    _mark(server, "y();")
    texts = {path.name: text for path, text in files([server], [ONE, TWO], tmp_path / "pages").items()}
    assert texts.keys() == {"a.one.md", INDEX}
    assert not [text for text in texts.values() if "a.two" in text]


@pytest.fixture
def checkout(tmp_path):
    """A small checkout: one server with one step."""
    folder = tmp_path / "checkout"
    server = folder / "servers-node/x-y"
    server.mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "docs/steps.toml").write_text(
        '["a.one"]\ntitle = "One"\ntext = "The first."\ndiffers = "It differs. It has to."\nservices = "all"\n'
    )
    (folder / "contract-tests").symlink_to(CONTRACTS)
    # The manifest of any server will do.
    shutil.copy(SERVERS[0].folder / "server.toml", server)
    (server / "main.ts").write_text("// #region a.one\none();\n// #endregion a.one\n")
    return folder


def _idioms(checkout, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "samewire.cli", "idioms", *arguments],
        cwd=HARNESS, env=os.environ | {"SAMEWIRE_CHECKOUT": str(checkout)}, capture_output=True, text=True,
    )  # fmt: skip


def test_the_command_tells_pages_that_are_out_of_date_and_mends_them(checkout):
    page, gone = checkout / "docs/idioms/a.one.md", checkout / "docs/idioms/a.none.md"
    told = _idioms(checkout, "--check")
    assert (told.returncode, page.exists()) == (1, False)
    assert "out of date: docs/idioms/a.one.md, docs/idioms/README.md. Run: samewire idioms" in told.stderr
    assert _idioms(checkout).returncode == 0
    assert "one();" in page.read_text()
    assert (_idioms(checkout, "--check").returncode, _idioms(checkout).stdout) == (0, "")

    (checkout / "servers-node/x-y/main.ts").write_text("// #region a.one\ntwo();\n// #endregion a.one\n")
    gone.write_text("of a step that is no more")
    os.link(page, checkout / "copy")
    assert "out of date: docs/idioms/a.one.md, docs/idioms/a.none.md." in _idioms(checkout, "--check").stderr
    assert _idioms(checkout).returncode == 0
    assert ("two();" in page.read_text(), gone.exists()) == (True, False)
    # What was the same file, in a checkout of which this is a copy, is as it was.
    assert "one();" in (checkout / "copy").read_text()


# Pages of the site


def test_a_page_of_the_site_has_the_code_of_each_server_once():
    texts = site_pages(SERVERS, STEPS, _address)
    for page in pages_of(SERVERS, STEPS):
        sections = re.findall(r"<section [^>]*>\n<h2>(.*?)</h2>\n(.*?)</section>", texts[page.step.page], re.DOTALL)
        entries = _entries(page)
        assert [name for name, _ in sections] == [one.server.id for one in entries]
        for entry, (_, html) in zip(entries, sections, strict=True):
            blocks = re.findall(r"<pre>(.*?)</pre>", html, re.DOTALL)
            shown = [unescape(re.sub(r"<[^>]*>", "", block)) for block in blocks]
            assert [code.strip("\n") for code in shown] == [one.code for one in entry.regions]
            addresses = [_address(one.path, one.line) for one in entry.regions]
            assert re.findall(r'<a href="(.*?)">', html) == addresses


def test_code_and_addresses_are_escaped_on_the_site(server):
    _mark(server, "const x = '<script>&amp;';")
    text = site_pages([server], [ONE], lambda path, line: f'https://code.test/"><script>{line}')["a.one.md"]
    assert "<script>" not in text
    assert "&lt;script&gt;&amp;amp;" in text


def test_the_site_has_the_same_pages_as_the_folder():
    assert site_pages(SERVERS, STEPS, _address).keys() == {path.name for path in FOLDER.iterdir()}
