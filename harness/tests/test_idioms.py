import pytest

from samewire.idioms import IdiomsError, Step, collect, find_regions, load_steps, write_pages
from samewire.manifest import Server, find_servers

STEPS = [Step("a.one", "One", "The first.", "all"), Step("a.two", "Two", "The second.", ["todo"])]


@pytest.fixture
def server(tmp_path):
    return Server(
        id="servers-node/x", folder=tmp_path, service="shortener", language="TypeScript", store="memory",
        concurrency="event-loop", stack={"node:http": "HTTP server"}, needs=(), build=(), run=("true",),
    )  # fmt: skip


def test_a_region_is_the_code_between_its_markers_without_indentation(tmp_path):
    (tmp_path / "main.ts").write_text("x\n  // #region a.one\n  if (y) {\n    z();\n  }\n  // #endregion a.one\n")
    regions, problems = find_regions(tmp_path)
    assert not problems
    (region,) = regions["a.one"]
    assert region.code == "if (y) {\n  z();\n}"
    assert region.line == 3


def test_a_step_may_have_a_region_in_each_of_several_files(server, tmp_path):
    for name in ("routes.ts", "store.ts"):
        (server.folder / name).write_text(f"// #region a.one\n{name[:-3]}();\n// #endregion a.one\n")
    page, _ = write_pages([server], STEPS, tmp_path / "pages")
    assert page.read_text().index("routes.ts, line 2") < page.read_text().index("store.ts, line 2")


def test_markers_in_other_comment_syntaxes(tmp_path):
    (tmp_path / "run.sh").write_text("# #region a.one\nexec x\n# #endregion a.one\n")
    (tmp_path / "web.xml").write_text("<!-- #region a.two -->\n<x/>\n<!-- #endregion a.two -->\n")
    assert set(find_regions(tmp_path)[0]) == {"a.one", "a.two"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no region a.one"),
        ("// #region a.one\n", r"main\.ts:1: region a\.one is not closed"),
        ("// #endregion a.one\n", r"main\.ts:1: #endregion a\.one without"),
        ("// #region a.one\n// #endregion a.one\n" * 2, r"main\.ts:3: a second region a\.one"),
        ("// #region a.onne\n// #endregion a.onne\n", r"a\.onne is not declared"),
    ],
)
def test_regions_that_are_missing_twice_in_a_file_or_unclosed_are_errors(server, text, problem):
    (server.folder / "main.ts").write_text(text)
    with pytest.raises(IdiomsError, match=problem):
        collect([server], STEPS)


def test_code_is_escaped_in_the_page(server, tmp_path):
    (server.folder / "main.ts").write_text("// #region a.one\nconst x = '<script>';\n// #endregion a.one\n")
    page, _ = write_pages([server], STEPS, tmp_path / "pages")
    assert "<script>" not in page.read_text()
    assert "&lt;script&gt;" in page.read_text()


def test_every_server_of_the_checkout_has_every_step_of_its_service(tmp_path):
    servers = find_servers()
    pages = write_pages(servers, load_steps(), tmp_path)
    assert all(server.id in pages[0].read_text() for server in servers)
