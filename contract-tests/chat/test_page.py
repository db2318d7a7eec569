"""The page and its files, byte for byte; in a browser test_browser.py looks at them."""

import re

import pytest

from chat import model
from chat.clients import right
from samewire.http import Request, connect, exchange
from samewire.target import Target

pytestmark = pytest.mark.layer("cases")

CONDITIONS = (("If-None-Match", "*"), ("If-Modified-Since", "Fri, 31 Dec 2100 23:59:59 GMT"), ("Range", "bytes=0-9"))
CODINGS = (("Accept-Encoding", "gzip, deflate, br, zstd"),)


def test_the_bytes_of_the_page(target: Target) -> None:
    with connect(target) as connection:
        for headers in ((), CONDITIONS, CODINGS):
            for path in ("/", "/?room=1"):
                request = Request("GET", path, headers)
                right(request, connection.exchange(request))


def test_the_transport_is_one_of_three_and_that_of_the_manifest(target: Target) -> None:
    body = exchange(target, Request("GET", "/")).body.decode()
    transport = re.findall(r'data-transport="([^"]*)"', body)[0]
    assert transport in model.TRANSPORTS
    if target.server:
        told = target.server.transport
        assert transport == told, f"the page of {target.name} says {transport!r}, its server.toml {told!r}"
    assert "$transport" not in body


@pytest.mark.parametrize("name", model.ASSETS)
def test_the_bytes_of_an_asset(target: Target, name: str) -> None:
    encoded = "".join(f"%{ord(character):02x}" for character in name)
    with connect(target) as connection:
        for headers in ((), CONDITIONS, CODINGS):
            for path in (f"/assets/{name}", f"/assets/{name}?v=1", f"/assets/{encoded}"):
                request = Request("GET", path, headers)
                right(request, connection.exchange(request))


def test_there_are_no_other_files() -> None:
    """What the contract lists is what is there, so that nobody serves a file that the suite does not know."""
    assert {path.name for path in model.ASSETS_FOLDER.iterdir()} == {*model.ASSETS}


def test_the_page_asks_for_nothing_else() -> None:
    """Every address in the page is that of an asset, and its script is in a file: the policy allows no other."""
    page = model.page("polling").decode()
    addresses = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert addresses
    assert {address.removeprefix("/assets/") for address in addresses} <= {*model.ASSETS}
    assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", page)
