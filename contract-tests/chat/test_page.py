"""The page as it is delivered, and its files byte for byte; test_browser.py looks at it in a browser."""

import re

import pytest

from chat import model
from chat.clients import right
from samewire.http import Request, connect, exchange
from samewire.target import Target

pytestmark = pytest.mark.layer("cases")


def test_the_page_says_the_transport_of_the_manifest(target: Target) -> None:
    request = Request("GET", "/")
    body = right(request, exchange(target, request)).body.decode()
    [transport] = re.findall("data-transport=[\"']?([a-z.-]+)", body)
    assert transport in model.TRANSPORTS
    if target.server:
        told = target.server.transport
        assert transport == told, f"the page of {target.name} says {transport!r}, its server.toml {told!r}"


def test_the_files(target: Target) -> None:
    with connect(target) as connection:
        for method in ("GET", "HEAD"):
            for name in (*model.ASSETS, "nothing.js"):
                request = Request(method, f"/assets/{name}")
                right(request, connection.exchange(request))


def test_there_are_no_other_files() -> None:
    """What the contract lists is what is there, so that nobody serves a file that the suite does not know."""
    assert {path.name for path in model.ASSETS_FOLDER.iterdir()} == {*model.ASSETS}


def test_the_page_asks_for_nothing_else() -> None:
    """Every address in the page is that of a file, and its script is in a file: the policy allows no other."""
    page = model.page("polling")
    addresses = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert addresses
    assert {address.removeprefix("/assets/") for address in addresses} <= {*model.ASSETS}
    assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", page)
