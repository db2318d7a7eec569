"""The site in a real browser, from its files, offline: narrow and wide, light and dark, with its search."""

from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from samewire.browser import LAUNCH
from samewire.digests import source_files
from samewire.manifest import find_servers
from samewire.paths import CHECKOUT
from samewire.site import findings
from samewire.site.places import Places, html_of

WIDTHS = (360, 800, 1280)


def _kinds() -> dict[str, str]:
    """A page of each kind."""
    places = Places(CHECKOUT, source_files(CHECKOUT))
    markdown = {path.relative_to(CHECKOUT).parent.as_posix(): path for path in places.files if path.suffix == ".md"}
    folders = [
        folder for folder in ("docs/how-to", "docs/explanation", "docs/decisions", "docs/models", "docs/labs")
        if folder in markdown
    ]  # fmt: skip
    found = {folder: html_of(places.of(markdown[folder])).as_posix() for folder in folders}
    found |= {"server": f"{find_servers()[0].id}/index.html", "code": "docs/steps.toml.html"}
    found |= {"front": "index.html", "README": "about.html", "command": "docs/reference/command.html"}
    found |= {"services": "services/index.html", "service": f"services/{find_servers()[0].service}.html"}
    found |= {"idioms": "docs/idioms/index.html", "idiom": "docs/idioms/server.stop.html"}
    found |= {"atlas": findings.ATLAS.as_posix(), "ledger": findings.LEDGER.as_posix()}
    found |= {"findings": "bench/records/index.html", "reports": "reports/index.html"}
    if name := next(iter(findings.races()), ""):
        found["report"] = findings.report_of(name).as_posix()
    return found


KINDS = _kinds()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, site):
    """Opens a page from its file. On the way out no request has left the site and the console has stayed empty."""
    contexts, trouble = [], []

    def open_page(name: str, **options):
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("request", lambda request: trouble.append(request.url) if _leaves(request.url, site) else None)
        page.on("requestfailed", lambda request: trouble.append(f"failed: {request.url}"))
        path, sign, anchor = name.partition("#")
        page.goto(f"{(site / path).as_uri()}{sign}{anchor}")
        page.evaluate("document.fonts.ready")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


def _leaves(url: str, site: Path) -> bool:
    return not url.startswith((site.as_uri(), "data:", "blob:", "about:"))


@pytest.mark.parametrize("name", KINDS.values(), ids=KINDS)
def test_a_page_fits_at_each_width(open_page, tmp_path, name):
    page = open_page(name)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.screenshot(path=tmp_path / f"{width}.png")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("h1").first.is_visible()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_search_finds_what_pages_say(open_page, width):
    page = open_page("index.html", viewport={"width": width, "height": 800})
    if width < 1000:
        page.locator("label[for=__search]").first.click()
    page.get_by_role("textbox", name="Search").press_sequentially("virtual threads")
    # Each letter brings other results.
    expect(page.locator(".md-search-result__item").first).to_contain_text("virtual threads", ignore_case=True)
    page.locator(".md-search-result__link").first.click()
    page.wait_for_function("!location.pathname.endsWith('/index.html') || location.search")
    assert page.locator("article mark").first.inner_text().lower() in ("virtual", "threads", "virtual threads")


def test_the_theme_is_the_system_s_and_can_be_chosen(open_page):
    page = open_page("index.html", color_scheme="dark")
    assert _lightness(page) < 0.2
    assert _lightness(open_page("index.html", color_scheme="light")) > 0.9
    for lightness in (True, False):
        page.locator("label[title]:visible").filter(has=page.locator("svg")).and_(
            page.locator("[for^=__palette]")
        ).first.click()
        assert (_lightness(page) > 0.5) == lightness
    assert page.evaluate("document.fonts.check('1rem \"Source Sans 3\"')")


def _lightness(page) -> float:
    red, green, blue = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")[:3]
    return (red + green + blue) / 3 / 255


def test_two_stacks_stand_side_by_side_from_1000_pixels_on(open_page):
    page = open_page("index.html", viewport={"width": 1000, "height": 800})
    first, second = (box.bounding_box() for box in page.locator(".samewire-pair > div").all())
    assert abs(first["y"] - second["y"]) < 1
    page.set_viewport_size({"width": 999, "height": 800})
    first, second = (box.bounding_box() for box in page.locator(".samewire-pair > div").all())
    assert first["y"] + first["height"] <= second["y"] + 1


def test_a_link_to_a_line_shows_it(open_page):
    page = open_page("docs/steps.toml.html#__codelineno-0-60", viewport={"width": 1280, "height": 800})
    box = page.locator("[id='__codelineno-0-60']").bounding_box()
    assert 0 <= box["y"] <= 800


def test_from_every_section_another_is_a_click_away(open_page):
    page = open_page("index.html", viewport={"width": 1280, "height": 800})
    tabs = page.locator(".md-tabs__link")
    titles = [text.strip() for text in tabs.all_inner_texts()]
    assert titles[:2] == ["Home", "Services"]
    assert page.evaluate("document.querySelector('.md-tabs__list').scrollWidth") <= 1280
    for title in titles[1:]:
        page.locator(".md-tabs__link", has_text=title).first.click()
        assert page.locator(".md-tabs__item--active").inner_text().strip() == title
