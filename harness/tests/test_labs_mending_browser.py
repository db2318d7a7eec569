"""A lab in which a fault is mended, in a real browser, with the real suite, from the fault to the page to hand in."""

import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from playwright.sync_api import expect, sync_playwright

from samewire.browser import FAINT, LAUNCH
from samewire.labs.mending.attempt import ATTEMPTS
from samewire.labs.mending.declaration import HIGHEST_SEED, find_mendings, load
from samewire.manifest import find_servers
from samewire.toolchains import missing

WIDE = """() => document.documentElement.scrollWidth > document.documentElement.clientWidth"""
SUITE_MS = 240_000


@pytest.fixture(scope="module")
def planted():
    """A lab, a fault in the server that needs least, and a seed that chooses it and that nobody has used."""
    servers = find_servers()
    for lab in map(load, find_mendings()):
        able = lab.able(servers)
        if not able or missing(["postgresql"]):
            continue
        # One client meets it: the suite finds it surely.
        fault, _ = min(able, key=lambda one: (one[0].kind != "off by one", len(one[1].needs), one[0].name))
        used = {path.name for path in (ATTEMPTS / lab.name).glob("*")}
        seeds = (seed for seed in range(HIGHEST_SEED, 0, -1) if str(seed) not in used)
        seed = next(seed for seed in seeds if lab.drawn(servers, seed)[0] == fault)
        yield lab, fault, seed
        shutil.rmtree(ATTEMPTS / lab.name / str(seed), ignore_errors=True)
        return
    pytest.skip("no fault can be planted here")


@pytest.fixture(scope="module")
def address():
    """Where the labs are served by the command itself."""
    served = subprocess.Popen(
        [sys.executable, "-m", "samewire.cli", "lab", "--serve", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    found = re.search(r"http://127\.0\.0\.1:\d+", served.stdout.readline())
    assert found
    yield found[0]
    served.send_signal(signal.SIGINT)
    output, _ = served.communicate(timeout=60)
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


@pytest.mark.timeout(600)
def test_from_the_fault_to_hand_in_by_the_keyboard_alone(open_page, planted, tmp_path):
    lab, fault, seed = planted
    page = open_page()
    _reach(page, f'a[href="/labs/{lab.name}"]')
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(lab.title)
    expect(page.locator("#plants")).to_be_enabled()
    _reach(page, '[name="seed"]')
    page.keyboard.type(str(seed))
    page.keyboard.press("Enter")
    expect(page.locator("#first")).to_be_focused(timeout=SUITE_MS)
    assert fault.server in page.locator("#planted").inner_text()

    # The suite finds it.
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_have_attribute("data-status", "red", timeout=SUITE_MS)
    expect(page.locator("#problem")).to_be_hidden()
    failed = page.locator("#said strong").all_inner_texts()
    assert {name.removeprefix("test_").replace("_", " ") for name in fault.found_by} & {*failed}
    expect(page.locator("#first")).to_be_disabled()
    expect(page.locator("#mending")).to_be_hidden()

    # A prediction comes before a change.
    _reach(page, '[name="kind"]')
    kinds = [kind.name for kind in lab.kinds]
    for _ in range(kinds.index(fault.kind)):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    _reach(page, '#prediction [name="file"]')
    page.keyboard.type(fault.files[0])
    _reach(page, "#prediction button")
    page.keyboard.press("Enter")
    expect(page.locator("#predicted")).to_have_text(f"You expect: {fault.kind}, in {fault.files[0]}.")
    _reach(page, "#code")
    expect(page.locator("#code")).to_have_value(re.compile(re.escape(fault.changes[0].wrong.strip())))
    text = page.locator("#code").input_value()
    for change in fault.changes:
        assert change.file == fault.files[0]
        text = text.replace(change.wrong, change.right)
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)
    _reach(page, "#again")
    page.keyboard.press("Enter")

    # The suite finds it no more.
    expect(page.locator("#found")).to_be_visible(timeout=SUITE_MS)
    expect(page.locator("#result")).to_be_focused()
    expect(page.locator("#status")).to_have_attribute("data-status", "green")
    verdict = page.locator("#verdict").inner_text()
    assert f"You named the kind: {fault.kind}. You named the file, {fault.files[0]}." in verdict
    assert page.locator("#reasons li").count() == 3
    assert page.locator("#diff").inner_text().startswith("diff --git")
    _reach(page, "#words")
    page.keyboard.type("It was not whole.")
    for button, end, told in (("#markdown", "md", "> It was not whole."), ("#html", "html", "It was not whole.")):
        _reach(page, button)
        with page.expect_download() as saved:
            page.keyboard.press("Enter")
        saved.value.save_as(tmp_path / end)
        assert saved.value.suggested_filename == f"{lab.name}.{end}"
        assert told in (tmp_path / end).read_text()
        assert fault.found_by[0] in (tmp_path / end).read_text() or len(fault.found_by) > 1


@pytest.mark.parametrize("width", [360, 800, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_can_be_read(open_page, planted, width, scheme):
    lab, _, _ = planted
    page = open_page(f"/labs/{lab.name}", viewport={"width": width, "height": 800}, color_scheme=scheme)
    # All that a run shows, too.
    page.evaluate("() => { for (const one of document.querySelectorAll('[hidden]')) { one.hidden = false; } }")
    assert not page.evaluate(WIDE)
    assert page.evaluate(FAINT) == []
