"""The page in a real browser: titles are text, whatever is in them, and the image is there."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, sync_playwright

from report import model
from report.conftest import Scene
from report.strategies import MARKUP
from report.upstreams import JSON, message, playing
from samewire.browser import LAUNCH

pytestmark = pytest.mark.layer("browser")

TITLES = (*MARKUP, "Röck & Röll", "日本語 😀", "  two  spaces ", "a\ttab", "\u202eright to left", "W" * 200)


@contextmanager
def opened(url: str) -> Iterator[Page]:
    """The page; in the end nothing has run, been asked for elsewhere or been complained about."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        page, trouble = browser.new_page(viewport={"width": 380, "height": 700}), []
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("request", lambda request: trouble.append(request.url) if _is_elsewhere(request.url, url) else None)
        # The browser's own wish for an icon is not the page's.
        page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
        page.goto(url)
        yield page
        page.wait_for_load_state("networkidle")
        browser.close()
    assert not trouble, trouble


def _is_elsewhere(url: str, page: str) -> bool:
    return url != page and not url.startswith("data:") and not url.endswith("/favicon.ico")


def test_the_page_in_chromium(scene: Scene) -> None:
    rows = [{"id": 1 + n, "title": title, "completed": n % 3 == 0} for n, title in enumerate(TITLES)]
    scene.upstreams.answer(todo=playing(message(json.dumps({"items": rows, "next": None}).encode(), JSON)))
    with opened(f"{scene.target.url}/report") as page:
        titles_are_text(page)
        numbers_and_states_are_right(page)
        image_is_there(page)
        narrow_screen_is_enough(page)
        colours_follow_the_scheme(page)


def titles_are_text(page: Page) -> None:
    shown = page.eval_on_selector_all("tbody tr td:nth-child(2)", "cells => cells.map(cell => cell.textContent)")
    assert shown == list(TITLES)
    within = page.eval_on_selector_all("tbody *", "all => [...new Set(all.map(one => one.tagName))].sort()")
    assert within == ["TD", "TR"], "a title has become an element"


def numbers_and_states_are_right(page: Page) -> None:
    completed = len(TITLES[::3])
    share = model.percentage(completed, len(TITLES))
    numbers = page.locator("dd").all_text_contents()
    assert numbers == [str(len(TITLES)), str(completed), str(len(TITLES) - completed), f"{share}%"]
    states = page.locator("tbody td:nth-child(3)").all_text_contents()
    assert states == ["open" if number % 3 else "completed" for number in range(len(TITLES))]
    assert page.locator("progress").evaluate("bar => bar.position") == pytest.approx(share / 100)


def image_is_there(page: Page) -> None:
    image = page.get_by_alt_text("Spheres on a checkered plane")
    image.evaluate("image => image.decode()")
    assert image.evaluate("image => [image.naturalWidth, image.naturalHeight]") == list(model.SIZE)


def narrow_screen_is_enough(page: Page) -> None:
    too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert too_wide <= 0, f"{too_wide} pixels beyond a screen of 380"


def colours_follow_the_scheme(page: Page) -> None:
    for scheme, colour in (("light", "rgb(0, 0, 0)"), ("dark", "rgb(255, 255, 255)")):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("getComputedStyle(document.body).color") == colour, scheme
