"""The page in a real browser: people see each other, and nothing is lost or shown twice.

Every server is visited by two people. Where it speaks polling one of them listens to events, and another polls long.
What the page alone decides, of which all servers have the same files, is looked at with one server of each transport.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import quote

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from chat.clients import Client
from chat.model import HERE, KEPT, TEXT_LIMIT, USER_LIMIT, Message, page
from chat.sockets.room import Room
from samewire.browser import FAINT, LAUNCH
from samewire.http import ssl_context
from samewire.outcomes import NOT_OURS
from samewire.process import free_port
from samewire.target import Target
from samewire.testbed import Testbed

pytestmark = [pytest.mark.layer("browser"), pytest.mark.timeout(180)]
once = pytest.mark.page
listening = pytest.mark.transports("polling")
WAYS = {"long-polling": "Long polling", "events": "Server-sent events"}
"""What one may choose besides polling, by its name in an address."""

TELEPHONE, DESKTOP = (360, 740), (1280, 800)
PATIENCE = 20_000
"""Milliseconds for what must come by itself, on a machine that is busy with other tests."""
expect.set_options(timeout=PATIENCE)

CROWD = 40
READERS = 3
"""So many of the crowd are pages."""
FLOOD = 80
"""Events at once, of which a server takes 50 in a second. The page itself waits for each to be answered."""
KEEP_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...of) { super(...of); window.sockets.push(this); }
};
"""

LONG_NAME = "😀" * (USER_LIMIT // 2)
"""As long as a name may be on every stack, be it that it counts code points or UTF-16 units."""
HOSTILE = (
    "<script>window.ran = true</script>",
    "<img src=x onerror='window.ran = true'>",
    '"><svg/onload=window.ran=true>',
    "</li></ol><h1>big</h1>",
    "&lt;b&gt; &amp; <b>bold</b>",
    "javascript:window.ran=true",
    "{{7*7}} ${7*7} #{7*7}",
    "\u202eright to left",
    "  two  blanks  ",
    "日本語 😀 e\u0301",
    "W" * TEXT_LIMIT,
)

UNREACHABLE = (
    "net::ERR_CONNECTION_",
    "net::ERR_EMPTY_RESPONSE",
    "net::ERR_INCOMPLETE_CHUNKED_ENCODING",
    "net::ERR_SOCKET_NOT_CONNECTED",
    "WebSocket connection to",
)
"""What a browser says of a server that is away, whatever a page does."""


@dataclass
class Person:
    """Somebody before a page."""

    page: Page
    trouble: list[str] = field(default_factory=list)

    async def join(self, name: str) -> Self:
        """Come in."""
        await self.page.get_by_label("Your name").fill(name)
        await self.page.get_by_role("button", name="Join").click()
        await expect(self.page.get_by_label("Message", exact=True)).to_be_focused()
        await self.is_connected()
        return self

    async def say(self, text: str) -> None:
        """Send a message; it is there when this returns."""
        shown = self.page.locator("#messages .own .text", has_text=text)
        # In the same room, another test may have said the same.
        before = await shown.count()
        await self.page.get_by_label("Message", exact=True).fill(text)
        await self.page.keyboard.press("Enter")
        await expect(shown).to_have_count(before + 1)

    async def reads(self) -> list[dict[str, Any]]:
        """The messages that are shown, from top to bottom."""
        return await self.page.eval_on_selector_all(
            "#messages > li",
            """items => items.map(one => ({
                id: Number(one.dataset.id),
                user: one.querySelector('.user').textContent,
                text: one.querySelector('.text').textContent,
            }))""",
        )

    async def reads_all(self, said: Sequence[dict[str, Any]]) -> None:
        """What was said last is there in the end, in this order and each message once."""
        last = self.page.locator("#messages > li").last
        await expect(last).to_have_attribute("data-id", str(said[-1]["id"]))
        # One that comes twice, or late, comes with the next answer or batch.
        await asyncio.sleep(0.6)
        assert (await self.reads())[-len(said) :] == list(said)

    async def sees(self, *names: str) -> None:
        """These are here, and nobody else."""
        await expect(self.page.locator("#users .user")).to_have_text([*names])
        await expect(self.page.get_by_role("heading", name=f"Here now: {len(names)}")).to_be_visible()

    async def is_connected(self) -> None:
        """The page says so."""
        await expect(self.page.locator("#state")).to_have_text("Connected")

    async def has_lost_the_connection(self) -> None:
        """The page says so."""
        await expect(self.page.locator("#state")).to_have_text("Connection lost. Trying again …")


@dataclass
class People:
    """Pages of one browser, all at the same address."""

    browser: Browser
    url: str
    all: list[Person] = field(default_factory=list)

    async def open(
        self, size: tuple[int, int] = DESKTOP, scheme: Any = "light", way: str = "", **options: Any
    ) -> Person:
        """Somebody with a browser of their own, before they join."""
        width, height = size
        viewport: Any = {"width": width, "height": height}
        context = await self.browser.new_context(color_scheme=scheme, viewport=viewport, **options)
        person = Person(await context.new_page())
        page, trouble = person.page, person.trouble
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("dialog", lambda dialog: trouble.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda one: None if one.url.startswith(self.url) else trouble.append(one.url),
        )
        await page.add_init_script(KEEP_SOCKETS)
        await page.goto(f"{self.url}/?transport={way}" if way else self.url)
        self.all.append(person)
        return person

    async def join(self, name: str, *options: Any, **more: Any) -> Person:
        """Somebody who has joined."""
        return await (await self.open(*options, **more)).join(name)


@asynccontextmanager
async def people(url: str, *, may_be_away: bool = False) -> AsyncIterator[People]:
    """A browser; in the end its pages have asked nobody else for anything, and nothing was complained about."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**LAUNCH)
        everybody = People(browser, url)
        yield everybody
        await browser.close()
    trouble = [one for person in everybody.all for one in person.trouble]
    assert not [one for one in trouble if not (may_be_away and any(known in one for known in UNREACHABLE))]


def post(target: Target, said: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Post messages over HTTP, one after the other; as they are in the room."""
    taken = []
    with Client(target) as client:
        for user, text in said:
            taken.append({"id": client.post(Message(user, text)), "user": user, "text": text})
    return taken


# --- two people

SAME_DOCUMENT = """async expected => {
    const parsed = text => {
        const page = new DOMParser().parseFromString(text, 'text/html');
        const texts = page.createTreeWalker(page, NodeFilter.SHOW_TEXT), blank = [];
        while (texts.nextNode()) if (!texts.currentNode.data.trim()) blank.push(texts.currentNode);
        blank.forEach(one => one.remove());
        return page;
    };
    return parsed(expected).isEqualNode(parsed(await (await fetch('/')).text()));
}"""
"""Whether the page is the document that is expected: white space between elements is the template's."""


async def test_two_people(room: Room) -> None:
    start = await room.last()
    async with people(room.target.url) as everybody:
        ana = await everybody.open(TELEPHONE, "light")
        assert await ana.page.evaluate(SAME_DOCUMENT, page(room.transport)), "another document than golden/index.html"
        await joins_by_keyboard(ana, "ana")
        await ana.sees("ana")
        polling = room.transport == "polling"
        bia = await everybody.open(DESKTOP, "dark", "events" if polling else "")
        streams = []
        bia.page.on("request", lambda one: streams.append(one.url) if "/events" in one.url else None)
        await bia.join("bia")
        for person in (ana, bia):
            await person.sees("ana", "bia")

        for number in range(3):
            await ana.say(f"{number} from ana")
            await bia.say(f"{number} from bia")
            await asyncio.to_thread(post, room.target, [("rui", f"{number} over HTTP")])
        said = await room.messages(start)
        assert len(said) == 10
        for person in (ana, bia):
            await person.reads_all(said)

        await markup_is_text(room, ana, bia)
        await looks_well(ana)
        await looks_well(bia)
        if polling:
            await one_who_polls_long(everybody, room, ana, bia)
        assert len(streams) == polling, f"one stream of events: {streams}"
        await bia.page.close()
        await ana.sees("ana")


async def one_who_polls_long(everybody: People, room: Room, *others: Person) -> None:
    """Chooses to, and is one of the others."""
    caio = await everybody.open(TELEPHONE, "dark")
    ways = caio.page.get_by_label("How messages come")
    await expect(ways.get_by_role("option")).to_have_text(["Polling", *WAYS.values()])
    await expect(ways).to_have_value("polling")
    await ways.select_option(WAYS["long-polling"])
    await looks_well(caio)
    asked = []
    caio.page.on("request", lambda one: asked.append(one.url))
    await caio.join("caio")
    for person in (*others, caio):
        await person.sees("ana", "bia", "caio")
    start = await room.last()
    await caio.say("by long polling")
    await others[-1].say("by an event")
    said = await room.messages(start)
    for person in (*others, caio):
        await person.reads_all(said)
    assert any("wait=20" in url for url in asked), f"nothing waits: {asked}"
    await caio.page.close()
    # Some stacks learn that somebody has left who waits for a message only when there is one.
    await room.post("nobody", "That is all.")


async def joins_by_keyboard(person: Person, name: str) -> None:
    """Nothing but keys, and one sees where one is."""
    page, keyboard = person.page, person.page.keyboard
    focused = "(document.activeElement.labels?.[0] ?? document.activeElement).textContent"
    outline = "getComputedStyle(document.activeElement).outlineStyle"

    await expect(page.get_by_label("Your name")).to_be_focused()
    await keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_have_text("Please enter a name.")
    await keyboard.type(name)
    await expect(page.get_by_role("alert")).to_be_empty()
    await keyboard.press("Tab")
    assert [await page.evaluate(focused), await page.evaluate(outline)] == [
        "Join",
        "solid",
    ]
    await keyboard.press("Enter")
    await person.is_connected()
    await expect(page.get_by_label("Message", exact=True)).to_be_focused()

    await keyboard.press("Shift+Tab")
    await expect(page.get_by_role("log", name="Messages")).to_be_focused()
    assert await page.evaluate(outline) == "solid"
    await keyboard.press("Tab")
    assert [await page.evaluate(focused), await page.evaluate(outline)] == [
        "Message",
        "solid",
    ]
    await keyboard.type("by keyboard")
    await keyboard.press("Tab")
    assert [await page.evaluate(focused), await page.evaluate(outline)] == [
        "Send",
        "solid",
    ]
    await keyboard.press("Enter")
    await expect(page.locator("#messages .own .text").last).to_have_text("by keyboard")


async def markup_is_text(room: Room, *readers: Person) -> None:
    """Names and messages are shown as they are, and nothing in them runs."""
    said = await asyncio.to_thread(post, room.target, [(text[:USER_LIMIT], text) for text in HOSTILE])
    tags = "elements => [...new Set(elements.map(one => one.tagName))].sort()"
    for reader in readers:
        await reader.reads_all(said)
        assert await reader.page.eval_on_selector_all("#messages *", tags) == [
            "BDI",
            "LI",
            "P",
            "SPAN",
        ]
        assert await reader.page.evaluate("window.ran") is None
    hostile = HOSTILE[1][:USER_LIMIT]
    here = asyncio.create_task(stays(room, hostile))
    for reader in readers:
        await expect(reader.page.locator("#users .user", has_text=hostile)).to_have_text(hostile)
        assert await reader.page.eval_on_selector_all("#users *", tags) == [
            "BDI",
            "LI",
            "SPAN",
        ]
        assert await reader.page.evaluate("window.ran") is None
    here.cancel()
    with suppress(asyncio.CancelledError):
        await here
    for reader in readers:
        await reader.sees("ana", "bia")


async def stays(room: Room, name: str) -> None:
    """Be here under this name until cancelled."""
    if room.transport == "polling":
        while True:
            await room.get(f"/messages?after={2**53 - 1}&user={quote(name)}")
            await asyncio.sleep(HERE / 4)
    client = await room.join(name)
    try:
        await client.closed
    finally:
        await client.leave()


async def looks_well(person: Person) -> None:
    """It fits the screen, and its colours are legible and those of the scheme."""
    page = person.page
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, "it is wider than the screen"
    assert await page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0, "only the messages scroll"
    assert await page.evaluate(FAINT) == []
    dark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    channels = await page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert max(channels) < 64 if dark else min(channels) > 192, f"{'dark' if dark else 'light'}: {channels}"


# --- many people


@once
async def test_a_full_room(room: Room) -> None:
    history = await asyncio.to_thread(post, room.target, [("rui", f"long ago {number}") for number in range(KEPT)])
    start = history[-1]["id"]
    names = [f"person {number:02}" for number in range(CROWD)]
    others = names[READERS:]
    async with people(room.target.url) as everybody:
        staying = [asyncio.create_task(stays(room, name)) for name in others]
        readers = [await everybody.join(name, TELEPHONE) for name in names[:READERS]]
        for reader in readers:
            await reader.sees(*names)
        messages = [[(name, f"{turn} from {name}") for name in others] for turn in range(2)]
        posting = [asyncio.to_thread(post, room.target, said) for said in messages]
        saying = [reader.say(f"from reader {number}") for number, reader in enumerate(readers)]
        await asyncio.gather(*posting, *saying)
        said = await room.messages(start)
        assert len(said) == 2 * len(others) + READERS
        for reader in readers:
            await reader.reads_all(said)
        for one in staying:
            one.cancel()
        await asyncio.gather(*staying, return_exceptions=True)
        await readers[0].sees(*names[:READERS])
        for reader in readers[1:]:
            await reader.page.close()
        await a_long_list_stays_where_the_reader_is(room, readers[0])


async def a_long_list_stays_where_the_reader_is(room: Room, reader: Person) -> None:
    """Whoever reads what is older is not disturbed by what is new, and the newest 1,000 are kept."""
    page = reader.page
    at_the_end = "log => log.scrollHeight - log.scrollTop - log.clientHeight <= 1"
    log, newest = page.locator("#log"), page.locator("#newest")
    assert await log.evaluate(at_the_end)

    # A busy browser tells the page late that it was scrolled: here not before the messages have come.
    await page.evaluate("window.addEventListener('scroll', window.late = one => one.stopPropagation(), true)")
    await log.evaluate("log => log.scrollTo(0, log.scrollHeight / 2)")
    read = """log => [...log.querySelectorAll('li')].map(one => one.getBoundingClientRect())
        .findIndex(box => box.top > log.getBoundingClientRect().top)"""
    item = page.locator("#messages > li").nth(await log.evaluate(read))
    text = await item.locator(".text").text_content()
    place = (await item.bounding_box() or {}).get("y")
    said = await asyncio.to_thread(post, room.target, [("rui", f"new {number}") for number in range(20)])
    await expect(newest).to_have_text("20 new messages")
    item = page.locator("#messages > li", has=page.get_by_text(text or "", exact=True))
    assert (await item.bounding_box() or {}).get("y") == pytest.approx(place, abs=2), "what one reads has moved"
    await page.evaluate("window.removeEventListener('scroll', window.late, true)")

    await newest.click()
    await expect(newest).to_be_hidden()
    assert await log.evaluate(at_the_end)
    await expect(page.get_by_label("Message", exact=True)).to_be_focused()
    await reader.reads_all(said)
    shown = await reader.reads()
    assert shown == (await room.messages())
    assert len(shown) == KEPT


# --- connections that are lost


class Line:
    """A line to a server that can be cut."""

    def __init__(self, target: Target) -> None:
        self._target, self._port = target, free_port()
        self._server: asyncio.Server | None = None
        self._ends: list[asyncio.StreamWriter] = []
        self.url = f"http://127.0.0.1:{self._port}"

    async def mend(self) -> None:
        """Take connections."""
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self._port)

    def cut(self) -> None:
        """End all connections and take no more."""
        assert self._server
        self._server.close()
        for end in self._ends:
            end.transport.abort()
        self._ends.clear()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = self._target
        other_reader, other_writer = await asyncio.open_connection(target.host, target.port, ssl=ssl_context(target))
        self._ends += [writer, other_writer]

        async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            with suppress(OSError):
                while data := await source.read(65_536):
                    sink.write(data)
                    await sink.drain()
            sink.close()

        await asyncio.gather(copy(reader, other_writer), copy(other_reader, writer))


@once
async def test_a_lost_connection(room: Room) -> None:
    await a_connection_is_lost(room)


@once
@listening
async def test_a_lost_stream(room: Room) -> None:
    await a_connection_is_lost(room, "events")


async def a_connection_is_lost(room: Room, way: str = "") -> None:
    """Twice, and nothing that is said meanwhile."""
    line = Line(room.target)
    await line.mend()
    start = await room.last()
    async with people(line.url, may_be_away=True) as everybody:
        ana = await everybody.join("ana", TELEPHONE, "dark", way, reduced_motion="reduce")
        text = ana.page.get_by_label("Message", exact=True)
        await ana.say("before")
        for round_ in range(2):
            line.cut()
            await ana.has_lost_the_connection()
            moving = "getComputedStyle(document.querySelector('#state'), '::before').animationName"
            assert await ana.page.evaluate(moving) == "none", "it moves, and was asked not to"
            await looks_well(ana)
            await asyncio.to_thread(
                post,
                room.target,
                [("rui", f"{round_} {number} missed") for number in range(5)],
            )

            await text.fill("still here")
            await ana.page.keyboard.press("Enter")
            await expect(ana.page.get_by_role("alert")).to_have_text(
                "Not sent yet. Try again once there is a connection."
            )
            await expect(text).to_have_value("still here")

            await line.mend()
            await ana.is_connected()
            await expect(ana.page.locator("#notice")).to_have_text("Connected again. Nothing is missing.")
            await ana.reads_all(await room.messages(start))
            await ana.page.keyboard.press("Enter")
            await expect(text).to_have_value("")
            await expect(ana.page.get_by_role("alert")).to_be_empty()
            await asyncio.to_thread(post, room.target, [("rui", f"{round_} after")])
            await asyncio.sleep(0.1)
            said = await room.messages(start)
            assert [one["text"] for one in said].count("still here") == round_ + 1
            await ana.reads_all(said)
        line.cut()
    await room.post("nobody", "That is all.")


@once
async def test_a_server_that_starts_again(room: Room, testbed: Testbed) -> None:
    await a_server_starts_again(room, testbed)


@once
@listening
async def test_a_server_that_starts_again_for_who_listens(room: Room, testbed: Testbed) -> None:
    await a_server_starts_again(room, testbed, *WAYS)


async def a_server_starts_again(room: Room, testbed: Testbed, *ways: str) -> None:
    """Under the eyes of two people, who then are in a new room."""
    server = room.target.server
    if not server or not room.running:
        pytest.skip(NOT_OURS)
    async with people(room.target.url, may_be_away=True) as everybody:
        way, other = ways or ("", "")
        ana, bia = await everybody.join("ana", TELEPHONE, way=way), await everybody.join("bia", way=other)
        await ana.say("in the old room")
        await bia.say("there, too")
        await asyncio.to_thread(room.running.kill)
        for person in (ana, bia):
            await person.has_lost_the_connection()
        await ana.page.get_by_label("Message", exact=True).fill("in the new room")
        await ana.page.keyboard.press("Enter")
        await expect(ana.page.get_by_label("Message", exact=True)).to_have_value("in the new room")

        port = str(room.target.port)
        room.running = await asyncio.to_thread(lambda: testbed.start(server, env={"PORT": port}))
        room.target = room.running.target
        for person in (ana, bia):
            await person.is_connected()
            await person.sees("ana", "bia")
        await expect(ana.page.locator("#notice")).to_have_text("The server has started again. This is a new room.")
        assert await ana.reads() == []
        await expect(ana.page.get_by_text("Nothing has been said yet.")).to_be_visible()
        await expect(ana.page.get_by_label("Message", exact=True)).to_have_value("in the new room")
        await ana.page.keyboard.press("Enter")
        await bia.page.wait_for_selector("#messages li")
        await bia.say("here, too")
        said = await room.messages()
        assert [(one["id"], one["text"]) for one in said] == [
            (1, "in the new room"),
            (2, "here, too"),
        ]
        for person in (ana, bia):
            await person.reads_all(said)
            assert await person.reads() == said, "something of the old room is left"
    await room.post("nobody", "That is all.")


# --- what is refused


@once
async def test_what_is_refused(room: Room) -> None:
    async with people(room.target.url, may_be_away=True) as everybody:
        ana = await everybody.open(TELEPHONE)
        await a_long_name_is_refused(ana)
        if room.transport != "polling":
            await a_name_that_is_taken_is_refused(room, ana)
        await ana.join(LONG_NAME)
        await ana.sees(LONG_NAME)
        await a_long_text_is_refused(room, ana)
        if room.transport != "polling":
            await a_flood_is_refused(room, ana)


async def a_long_name_is_refused(person: Person) -> None:
    """So is none; in words."""
    name, alert = person.page.get_by_label("Your name"), person.page.get_by_role("alert")
    await name.fill("😀" * (USER_LIMIT + 1))
    await person.page.keyboard.press("Enter")
    await expect(alert).to_have_text(f"A name has at most {USER_LIMIT} characters.")
    await expect(name).to_be_focused()
    assert await person.page.evaluate(FAINT) == []
    await name.fill(" \t ")
    await person.page.keyboard.press("Enter")
    await expect(alert).to_have_text("Please enter a name.")


async def a_name_that_is_taken_is_refused(room: Room, person: Person) -> None:
    """In the server's words."""
    other = await room.join("ana")
    await person.page.get_by_label("Your name").fill("ana")
    await person.page.keyboard.press("Enter")
    await expect(person.page.get_by_role("alert")).to_have_text("Name already taken.")
    await expect(person.page.get_by_label("Your name")).to_be_focused()
    await other.leave()


async def a_long_text_is_refused(room: Room, person: Person) -> None:
    """It stays in the box. What can be mended is mended: line breaks become blanks."""
    start = await room.last()
    text, keyboard = person.page.get_by_label("Message", exact=True), person.page.keyboard
    for content in ("", " \n\t "):
        await text.fill(content)
        await keyboard.press("Enter")
    await text.fill("😀" * (TEXT_LIMIT + 3))
    await keyboard.press("Enter")
    await expect(person.page.get_by_role("alert")).to_have_text(
        f"A message has at most {TEXT_LIMIT} characters; this one has 3 too many."
    )
    await expect(text).to_have_value("😀" * (TEXT_LIMIT + 3))
    await looks_well(person)
    long = "😀" * (TEXT_LIMIT // 2)
    await text.fill(long)
    await keyboard.press("Enter")
    await expect(text).to_have_value("")
    await text.fill("two\nlines\tand\u0085more")
    await keyboard.press("Enter")
    await expect(person.page.locator("#messages .own .text").last).to_have_text("two lines and more")
    said = await room.messages(start)
    assert [one["text"] for one in said] == [long, "two lines and more"]
    await person.reads_all(said)


async def a_flood_is_refused(room: Room, person: Person) -> None:
    """The server drops who floods; the page says so and comes back."""
    await person.page.evaluate(
        """several => {
            for (let number = 0; number < several; number++) sockets.at(-1).send('42["flood"]');
        }""",
        FLOOD,
    )
    words = re.compile(r"The server has closed the connection\.|Connected again\.")
    await expect(person.page.locator("#notice")).to_have_text(words)
    await person.is_connected()
    await person.sees(LONG_NAME)
    start = await room.last()
    await person.say("back again")
    await person.reads_all(await room.messages(start))
