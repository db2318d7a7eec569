"""The idiom pages of the site in a real browser, as files: columns, tabs, what is chosen, without JavaScript."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import sync_playwright

from samewire.browser import LAUNCH
from samewire.idioms import site_pages
from samewire.idioms.steps import Step
from samewire.manifest import Server
from samewire.paths import HARNESS

ASSETS = HARNESS / "src/samewire/site/assets"
# Folders of made-up servers by service. The code of each has a line that is longer than any window is wide.
SERVICES = {"chat": ["a", "b", "c", "d", "e"], "todo": ["f", "g"]}
BY_SERVICE = [[f"servers-x/{name}" for name in names] for names in SERVICES.values()]
STEP = Step("a.one", "One", "The first.", "It differs. It has to.", "all")

# The stacks that are shown, with left edge and width in pixels.
COLUMNS = """() => [...document.querySelectorAll('.idioms-stack')].filter(one => one.checkVisibility()).map(one => {
  const box = one.getBoundingClientRect();
  return [one.querySelector('h2').textContent, Math.round(box.left), Math.round(box.width)];
})"""
SIDEWAYS = "() => document.documentElement.scrollWidth > innerWidth"


def _made(folder, service):
    folder.mkdir()
    (folder / "main.ts").write_text(f"// #region a.one\nconst x = '{'long ' * 500}';\n// #endregion a.one\n")
    return Server(
        id=f"servers-x/{folder.name}", folder=folder, service=service, language="TypeScript", store="memory",
        concurrency="event-loop", stack={"node:http": "HTTP server"}, needs=(), build=(), run=("true",),
    )  # fmt: skip


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """The page as it is in the site, but for the theme."""
    root = tmp_path_factory.mktemp("site")
    servers = [_made(root / name, service) for service, names in SERVICES.items() for name in names]
    text = site_pages(servers, [STEP], lambda path, line: f"https://code.test/{path.name}#{line}")["a.one.md"]
    stacks = re.search(r'<div class="idioms">.*</div>\n', text, re.DOTALL)[0]
    file = root / "step.html"
    beside = '<p><a href="other.html">Other</a></p>'
    file.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><link rel="stylesheet" href="{ASSETS / "idioms.css"}">'
        f'<script src="{ASSETS / "idioms.js"}"></script><body>{beside}{stacks}{beside}'
    )
    return file


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, page_file):
    """Opens the page. On the way out it has had no error."""
    contexts, trouble = [], []

    def open_page(width, fragment="", **options):
        contexts.append(browser.new_context(offline=True, viewport={"width": width, "height": 800}, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(page_file.as_uri() + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not trouble


@pytest.mark.parametrize(("width", "most"), [(1000, 2), (1280, 3), (1920, 4)])
def test_all_stacks_of_one_service_stand_side_by_side_at_first(open_page, width, most):
    page = open_page(width)
    columns = page.evaluate(COLUMNS)
    assert [name for name, _, _ in columns] == BY_SERVICE[0]
    assert 1 < len({left for _, left, _ in columns}) <= most
    widths = [width for _, _, width in columns]
    assert max(widths) - min(widths) <= 1
    assert not page.get_by_role("tab").count()
    assert not page.evaluate(SIDEWAYS)


def test_the_choice_is_in_the_address_and_goes_with_the_links(open_page):
    page = open_page(1280)
    page.get_by_label(BY_SERVICE[0][0].rpartition("/")[2], exact=True).uncheck()
    left = BY_SERVICE[0][1:]
    assert [name for name, _, _ in page.evaluate(COLUMNS)] == left
    assert page.url.endswith(f"#show={','.join(left)}")
    page.reload()
    assert [name for name, _, _ in page.evaluate(COLUMNS)] == left
    assert {link.evaluate("link => link.hash") for link in page.get_by_role("link", name="Other").all()} == {
        f"#show={','.join(left)}"
    }


def test_one_step_leads_to_the_stacks_of_another_service(open_page):
    page = open_page(1280)
    before = page.evaluate("history.length")
    page.get_by_role("button", name="Only todo", exact=True).click()
    assert [name for name, _, _ in page.evaluate(COLUMNS)] == BY_SERVICE[1]
    # The way back leads to the page before, not through choices.
    assert page.evaluate("history.length") == before


def test_names_in_the_address_that_nobody_has_choose_nothing(open_page):
    page = open_page(1280, "#show=servers-x/none")
    assert [name for name, _, _ in page.evaluate(COLUMNS)] == BY_SERVICE[0]


@pytest.mark.parametrize("width", [390, 999])
def test_in_a_narrow_window_the_stacks_are_tabs_for_the_keyboard_too(open_page, width):
    page = open_page(width)
    tabs = page.get_by_role("tab")
    assert tabs.all_text_contents() == [name.rpartition("/")[2] for name in BY_SERVICE[0]]
    tabs.first.focus()
    for key, expected in (("ArrowRight", 1), ("End", -1), ("ArrowRight", 0), ("ArrowLeft", -1), ("Home", 0)):
        page.keyboard.press(key)
        name = BY_SERVICE[0][expected]
        assert [shown for shown, _, _ in page.evaluate(COLUMNS)] == [name]
        assert page.evaluate("document.activeElement.textContent") == name.rpartition("/")[2]
        assert page.get_by_role("tab", selected=True).count() == 1
        # The panel has the name of its tab.
        assert page.get_by_role("tabpanel", name=name.rpartition("/")[2], exact=True).count() == 1
    assert not page.evaluate(SIDEWAYS)


def test_tabs_become_columns_when_the_window_grows(open_page):
    page = open_page(999)
    assert len(page.evaluate(COLUMNS)) == 1
    page.set_viewport_size({"width": 1000, "height": 800})
    page.wait_for_function(f"({COLUMNS})().length === {len(BY_SERVICE[0])}")
    assert not page.get_by_role("tabpanel").count()


@pytest.mark.parametrize("width", [390, 1280])
def test_without_javascript_all_stacks_are_below_one_another(open_page, width):
    page = open_page(width, java_script_enabled=False)
    sections = page.locator(".idioms-stack")
    boxes = [section.bounding_box() for section in sections.all()]
    assert len(boxes) == len([*BY_SERVICE[0], *BY_SERVICE[1]])
    assert all(above["y"] + above["height"] <= below["y"] for above, below in pairwise(boxes))
    assert len({box["x"] for box in boxes}) == 1
    assert not page.locator("form").is_visible()
    assert boxes[0]["width"] <= width
