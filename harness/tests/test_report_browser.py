"""The report in a real browser: offline, in both themes, on narrow and wide screens."""

import gzip
import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from synthetic_run import synthetic_conversation, synthetic_run, synthetic_uploads, write_synthetic_run

from samewire.browser import FAINT, LAUNCH
from samewire.report import seconds
from samewire.report.model import load
from samewire.report.page import write

# The smallest extent of any chart, in pixels.
SMALLEST = """() => Math.min(...[...document.querySelectorAll('.plot > svg, svg.strip')].flatMap(
  svg => [svg.getBoundingClientRect().width, svg.getBoundingClientRect().height]))"""


# Labels of ticks below a chart that overlap the next one.
OVERLAPPING = """() => [...document.querySelectorAll('.plot > svg')].flatMap(svg => {
  const labels = [...svg.querySelectorAll('.tick.middle')]
    .map(label => [label.textContent, label.getBoundingClientRect()]);
  return labels.flatMap(([text, box], i) => labels.slice(i + 1)
    .filter(([, next]) => Math.abs(box.y - next.y) < 1 && box.left < next.right && next.left < box.right)
    .map(([other]) => `${text} ${other}`));
})"""

REAL = os.environ.get("SAMEWIRE_REPORT")


MADE_UP = [synthetic_run, synthetic_conversation, synthetic_uploads]


@pytest.fixture(scope="module", params=[Path(REAL)] if REAL else MADE_UP)
def report(request, tmp_path_factory) -> Path:
    """A synthetic one of each kind; `make test` sets $SAMEWIRE_REPORT to look at that of the race it has run, too."""
    if REAL:
        return request.param
    return write(write_synthetic_run(tmp_path_factory.mktemp("run"), make=request.param))


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, report):
    """Opens the report, as a file or as if from a server.

    On the way out no request has left it and the console has stayed empty.
    """
    contexts, trouble = [], []

    def open_page(served=False, **options):
        address = "http://report.test/" if served else report.as_uri()
        context = browser.new_context(offline=True, **options)
        if served:
            context.route(address, lambda route: route.fulfill(path=report))
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("request", lambda request: trouble.append(request.url) if _leaves(request.url, address) else None)
        page.goto(address)
        page.evaluate("document.fonts.ready")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


def _leaves(url: str, address: str) -> bool:
    return url != address and not url.startswith("data:")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_fits_and_is_legible(open_page, tmp_path, scheme):
    page = open_page(color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert page.evaluate(FAINT) == []
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.screenshot(path=tmp_path / f"{scheme}-{width}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(SMALLEST) >= 10


def test_sections_figures_and_tables_are_named(open_page, report):
    page = open_page()
    race = load(report.parent)
    for name in ("Results", *_charts(race), "Resources", "Conformance", "Data"):
        assert page.get_by_role("region", name=name, exact=True).is_visible()
    # Each group, the ranked one and those on a stand-in, has a table, and a panel in each chart.
    groups = len(race.groups)
    assert _results(page).count() == groups
    assert page.get_by_role("img").count() == sum(_charts(race).values()) * groups
    assert page.locator("h1").count() == 1
    assert page.locator("table:not(:has(> caption))").count() == 0
    assert page.locator("th:not([scope])").count() == 0
    assert page.evaluate("document.fonts.check('1rem \"Source Sans 3\"')")


def test_the_theme_can_be_changed_by_keyboard_and_is_remembered(open_page):
    # Of a file, a Chromium on a busy machine has forgotten now and then at the reload what it stored just before.
    page = open_page(served=True, color_scheme="light")
    light = _paper(page)
    toggle = page.get_by_role("button", name="Dark theme")
    assert toggle.get_attribute("aria-pressed") == "false"
    toggle.press("Enter")
    dark = _paper(page)
    assert dark != light
    page.reload()
    assert _paper(page) == dark
    assert toggle.get_attribute("aria-pressed") == "true"
    toggle.click()
    assert _paper(page) == light


def test_without_script_the_content_is_there_and_follows_the_system(open_page, report):
    page = open_page(java_script_enabled=False, color_scheme="dark")
    race = load(report.parent)
    for name in _charts(race):
        assert page.get_by_role("heading", name=name).is_visible()
    assert page.locator(".plot > svg").count() == sum(_charts(race).values()) * len(race.groups)
    assert not page.locator("#theme").is_visible()


def test_the_widest_table_can_be_scrolled_by_keyboard(open_page):
    page = open_page(viewport={"width": 360, "height": 800})
    _results(page).first.focus()
    page.keyboard.press("ArrowRight")
    page.evaluate("""() => new Promise(scrolled => {
      const look = () => document.activeElement.scrollLeft > 0 ? scrolled() : requestAnimationFrame(look);
      look();
    })""")


def test_data_can_be_downloaded_from_the_page(open_page, report):
    page = open_page()
    with page.expect_download() as download:
        page.get_by_role("link", name="summary.csv").click()
    content = download.value.path().read_bytes()
    if download.value.suggested_filename.endswith(".gz"):
        content = gzip.decompress(content)
    assert content == report.with_name("summary.csv").read_bytes()


def test_labels_below_a_chart_do_not_overlap(open_page):
    page = open_page()
    for width in (360, 900, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(OVERLAPPING) == []


@pytest.mark.parametrize("width", [360, 390])
def test_on_a_phone_findings_are_cards_and_nothing_but_tables_of_figures_scrolls(open_page, report, width):
    page = open_page(viewport={"width": width, "height": 800})
    race = load(report.parent)
    if not race.findings:
        pytest.skip("this race has no findings")
    assert page.evaluate("(name => { const e = document.querySelector(name); return e.scrollWidth - e.clientWidth; })"
                         "('.scroll:has(.findings)')") == 0  # fmt: skip
    cards = page.locator(".findings").get_by_role("row")
    assert cards.count() == len(race.findings)
    for card in cards.all():
        left, right = (card.evaluate(f"card => card.getBoundingClientRect().{side}") for side in ("left", "right"))
        assert 0 <= left < right <= width
        assert min(cell.bounding_box()["width"] for cell in card.locator("> *").all()) > 0.8 * (right - left)
        name, verdict, *_ = sorted(card.locator("> *").all(), key=lambda part: part.bounding_box()["y"])
        assert name.evaluate("cell => cell.tagName") == "TH"
        assert verdict.get_attribute("data-name") == "Verdict"


@pytest.mark.parametrize("width", [360, 390])
def test_on_a_phone_matrices_fit(open_page, width):
    page = open_page(viewport={"width": width, "height": 800})
    race = load(Path(REAL).parent) if REAL else None
    if race and not any(race.pairs(metric) for metric in race.compared):
        pytest.skip("no two entrants of this race can be compared: on a stand-in, or different in two things")
    assert page.locator(".matrix").count() > 0
    assert page.locator(".ratio.undecided").first.is_visible()
    cut = "all => all.filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth).map(e => e.textContent)"
    assert page.locator(".matrix td").evaluate_all(cut) == []
    assert max(page.locator(".matrix").evaluate_all("all => all.map(e => e.getBoundingClientRect().right)")) <= width


def test_links_to_code_are_there_only_where_the_code_is(browser, tmp_path):
    server = "servers-node/shortener-pg"
    (tmp_path / "checkout" / server).mkdir(parents=True)
    report = write(write_synthetic_run(tmp_path / "checkout/bench/results/run 1"), checkout=tmp_path / "checkout")
    mailed = tmp_path / "report.html"
    mailed.write_bytes(report.read_bytes())
    page = browser.new_page()
    page.goto(mailed.as_uri())
    name = page.locator("#results a.code")
    assert name.get_attribute("href") is None
    assert name.get_attribute("title") == f"Its code: {server}"
    page.goto(report.as_uri())
    name.click()
    page.wait_for_url(f"{(tmp_path / 'checkout' / server).as_uri()}/")
    page.close()


def _charts(race):
    """Sections with charts of lines or points, and how many of those each has for one group."""
    if race.samples:
        by_sample = {race.kind.sample.heading: len(race.kind.by_sample)}
        varies = "latency_cv" in dict(race.kind.by_sample)
        return by_sample | ({"Context switches and variability": 1} if varies else {})
    # As many quantities as were read every second: of made-up races fewer than of real ones.
    read = len(seconds.used(race)) // len(race.groups)
    return {f"{race.kind.rate} over time": 1, "Latency distribution": 1, "Resources over time": read}


def _results(page):
    """The main tables: of the ranked servers, and of those on each stand-in."""
    return page.get_by_role("region", name=re.compile("^(Ranked|Not ranked)"))


def _paper(page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")
