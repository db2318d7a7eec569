"""The page in a real browser: it uploads two files, shows how far it is, and what came of it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from samewire.browser import FAINT, LAUNCH
from samewire.http import Request, exchange
from samewire.target import Target
from upload import model

pytestmark = pytest.mark.layer("browser")

LARGE, SMALL = bytes(range(256)) * 8_000, b"hello"
SLOW = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 2_000_000}
"""A line over which the large file takes a second."""

RECORD_PROGRESS = """() => {
  window.shown = [];
  const bar = document.querySelector('progress');
  const look = () => {
    if (bar.checkVisibility()) window.shown.push([bar.value, document.querySelector('output').textContent]);
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        yield browser
        browser.close()


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser, target: Target) -> Iterator[Page]:
    """The page of a server, opened; in the end it has asked nobody else for anything and the console is empty."""
    trouble: list[str] = []
    context = browser.new_context(color_scheme=request.param, viewport={"width": 400, "height": 800})
    page = context.new_page()
    page.on("console", lambda message: trouble.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("request", lambda one: None if one.url.startswith((target.url, "data:")) else trouble.append(one.url))
    page.goto(target.url)
    yield page
    context.close()
    assert not trouble


def test_the_bytes_of_the_page(target: Target) -> None:
    for method in ("GET", "HEAD"):
        request = Request(method, "/")
        assert not model.judge(request, exchange(target, request))


def test_upload_of_two_files(page: Page, target: Target) -> None:
    progress = page.get_by_role("progressbar", name="Uploading")
    expect(progress).to_be_hidden()
    page.get_by_label("Choose files").set_input_files([
        {"name": "large ünï.bin", "mimeType": "application/octet-stream", "buffer": LARGE},
        {"name": "small 1.txt", "mimeType": "text/plain", "buffer": SMALL},
    ])  # fmt: skip
    chosen = page.get_by_role("list", name="Chosen files").get_by_role("listitem")
    expect(chosen).to_have_text(["large ünï.bin2 MB", "small 1.txt5 bytes"])
    assert page.evaluate(FAINT) == []

    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW)
    page.evaluate(RECORD_PROGRESS)
    page.get_by_role("button", name="Upload").click()
    expect(progress).to_be_visible()
    assert page.evaluate(FAINT) == []
    expect(progress).to_be_hidden(timeout=20_000)
    shown = page.evaluate("window.shown")
    steps = [value for value, _ in shown]
    assert steps == sorted(steps), f"the progress bar went back: {steps}"
    assert len({value for value in steps if 0 < value < 100}) >= 3, f"no progress was to be seen: {steps}"
    assert all(text == f"{value:.0f} %" for value, text in shown)

    links = page.locator("section").get_by_role("link")
    expect(links).to_have_count(2)
    expect(page.get_by_role("alert")).to_be_empty()
    expect(chosen).to_have_count(0)
    assert page.evaluate(FAINT) == []
    for name, content in {"large ünï.bin": LARGE, "small 1.txt": SMALL}.items():
        with page.expect_download() as download:
            links.filter(has_text=name).click()
        assert download.value.path().read_bytes() == content

    ids = [link.get_attribute("href") for link in links.all()]
    page.get_by_role("button", name="Delete large").click()
    expect(links).to_have_count(1)
    page.get_by_role("button", name="Delete small").click()
    expect(links).to_have_count(0)
    assert [exchange(target, Request("GET", id_ or "")).status for id_ in ids] == [404, 404]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it is wider than a telephone"


def test_three_files_are_refused(page: Page) -> None:
    files = [{"name": f"{number}.txt", "mimeType": "text/plain", "buffer": SMALL} for number in range(3)]
    page.get_by_label("Choose files").set_input_files(files)
    expect(page.get_by_role("alert")).to_have_text("At most 2 files, please.")
    assert page.evaluate(FAINT) == []
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("progressbar")).to_be_hidden()
    expect(page.locator("section")).to_be_hidden()


def test_an_upload_can_be_cancelled(page: Page) -> None:
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW | {"uploadThroughput": 100_000})
    page.get_by_label("Choose files").set_input_files([
        {"name": "large.bin", "mimeType": "application/octet-stream", "buffer": LARGE},
    ])  # fmt: skip
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("progressbar")).to_be_hidden()
    expect(page.get_by_role("button", name="Upload")).to_be_enabled()
    expect(page.get_by_role("list", name="Chosen files").get_by_role("listitem")).to_have_count(1)
