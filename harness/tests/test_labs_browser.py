"""A lab in a real browser, with real servers: from the question to the page to hand in, by the keyboard alone."""

import re
import signal
import subprocess
import sys

import pytest
from playwright.sync_api import expect, sync_playwright

from samewire.browser import FAINT, LAUNCH
from samewire.labs import LabError
from samewire.labs.lab import find_labs, load
from samewire.manifest import find_servers
from samewire.toolchains import missing

WIDE = """() => document.documentElement.scrollWidth > document.documentElement.clientWidth"""
LONGEST_MS = 120_000


@pytest.fixture(scope="module")
def lab():
    """The lab with the fewest subjects of those that can run here."""
    able = []
    for one in map(load, find_labs()):
        try:
            able.append((len(one.trials(find_servers(), one.values())[0]), one.name))
        except LabError:
            continue
    if not able or missing(["jdk", "maven"]):
        pytest.skip("no lab can run here")
    return load(min(able)[1])


@pytest.fixture(scope="module")
def address():
    """Where the labs are served, in small, by the command itself."""
    served = subprocess.Popen(
        [sys.executable, "-m", "samewire.cli", "lab", "--serve", "--small", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    found = re.search(r"http://127\.0\.0\.1:\d+", served.stdout.readline())
    assert found
    yield found[0]
    served.send_signal(signal.SIGINT)
    output, _ = served.communicate(timeout=30)
    assert "Traceback" not in output, output


@pytest.fixture
def open_page(address):
    """Opens a page; on the way out the console has stayed empty and nothing was asked elsewhere."""
    trouble = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)

        def open_page(path="/", **options):
            page = browser.new_context(**options).new_page()
            page.on("console", lambda message: trouble.append(f"console: {message.text}"))
            page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
            page.on("request", lambda request: _note_stranger(request.url, address, trouble))
            page.goto(address + path)
            return page

        yield open_page
        browser.close()
    assert trouble == []


def _note_stranger(url, address, trouble):
    if not url.startswith((address, "blob:", "data:")):
        trouble.append(url)


def _reach(page, selector):
    """Move the focus by the Tab key to an element. Fails if that does not come to it."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not lead to {selector}")


def test_from_start_to_hand_in_by_the_keyboard_alone(open_page, lab, tmp_path):
    page = open_page()
    _reach(page, f'a[href="/labs/{lab.name}"]')
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(lab.title)
    assert page.locator(".beside article").count() >= 1
    expect(page.locator("#start")).to_be_disabled()
    _reach(page, '[name="best"]')
    page.keyboard.press("Space")
    _reach(page, '[name="factor"]')
    page.keyboard.type("3")
    expect(page.locator("#prediction button")).to_be_enabled()
    _reach(page, "#prediction button")
    page.keyboard.press("Enter")
    expect(page.locator("#start")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#charts canvas").first).to_be_visible(timeout=LONGEST_MS)
    expect(page.locator("#found")).to_be_visible(timeout=LONGEST_MS)
    expect(page.locator("#problem")).to_be_hidden()
    figures = page.locator("#figures tr")
    assert figures.count() == 1 + page.locator('[name="best"]').count()
    assert re.search(r"\d", figures.nth(1).inner_text())
    assert page.locator("#now td", has_text=re.compile(r"^[\d.,]+$")).count() >= 2
    assert page.locator("#reasons dt").count() == 3
    assert page.locator("#intervals circle").count() >= 1
    _reach(page, "#words")
    page.keyboard.type("It waits.")
    for button, end, told in (("#markdown", "md", "> It waits."), ("#html", "html", "It waits.")):
        _reach(page, button)
        with page.expect_download() as saved:
            page.keyboard.press("Enter")
        saved.value.save_as(tmp_path / end)
        assert saved.value.suggested_filename == f"{lab.name}.{end}"
        assert told in (tmp_path / end).read_text()
    # A knob that is turned asks for a new prediction.
    page.locator("#knobs select").first.select_option(index=0)
    page.locator("#next button").first.click()
    expect(page.locator("#start")).to_be_disabled()
    expect(page.locator("#prediction")).to_be_visible()


def test_a_lab_can_be_stopped(open_page, lab):
    page = open_page(f"/labs/{lab.name}")
    page.locator('[name="best"]').first.check()
    page.locator('[name="factor"]').fill("2")
    page.locator("#prediction button").click()
    page.locator("#start").click()
    page.locator("#stop").click()
    expect(page.locator("#problem")).to_have_text("stopped", timeout=LONGEST_MS)
    expect(page.locator("#start")).to_be_enabled()


@pytest.mark.parametrize("width", [360, 800, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_can_be_read(open_page, lab, width, scheme):
    for path in ("/", f"/labs/{lab.name}"):
        page = open_page(path, viewport={"width": width, "height": 800}, color_scheme=scheme)
        assert not page.evaluate(WIDE), path
        assert page.evaluate(FAINT) == []
