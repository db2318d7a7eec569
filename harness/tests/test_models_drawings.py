"""The drawings of the models of concurrency: what is in them, and whether they can be read on a telephone."""

import json
import re
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest
from playwright.sync_api import sync_playwright

from samewire.browser import LAUNCH
from samewire.models import drawing, lanes
from samewire.models.lanes import LanesError, Message, Span

DRAWINGS = [one for model in lanes.load() for one in model.drawings]
SVG = "{http://www.w3.org/2000/svg}"
NARROW = 360
SMALLEST = 10
CONTRAST = 4.5
"""Of text, by WCAG's level AA."""

each_drawing = pytest.mark.parametrize("drawn", DRAWINGS, ids=lambda one: one.file)


def _bars(root):
    """Each lane's bars as (class, left, right), by the lane's name."""
    names = [one for one in root.iter(f"{SVG}text") if one.get("class") == "lane"]
    found = {name.text: [] for name in names}
    for bar in root.iter(f"{SVG}rect"):
        if bar.get("rx") and bar.get("width") != "14":  # no paper, no legend
            above = [name for name in names if float(name.get("y")) < float(bar.get("y"))]
            left = float(bar.get("x"))
            found[above[-1].text].append((bar.get("class"), left, left + float(bar.get("width"))))
    return found


@each_drawing
def test_each_span_is_drawn_in_its_lane_at_its_time(drawn):
    bars = _bars(ElementTree.fromstring(drawing.svg(drawn)))
    assert list(bars) == list(drawn.lanes)
    for lane in drawn.lanes:
        spans = [span for span in drawn.spans if span.lane == lane]
        assert [kind for kind, _, _ in bars[lane]] == [span.kind for span in spans]
        for span, (_, left, right) in zip(spans, bars[lane], strict=True):
            per_time = (drawing.WIDTH - 24) / drawn.end
            assert left == pytest.approx(12 + span.start * per_time, abs=0.1)
            assert right == pytest.approx(12 + span.end * per_time, abs=0.2)


@each_drawing
def test_each_message_goes_from_its_sender_to_its_receiver(drawn):
    root = ElementTree.fromstring(drawing.svg(drawn))
    lines = [one for one in root.iter(f"{SVG}line") if one.get("class") == "message"]
    assert len(lines) == len(drawn.messages)
    for line, message in zip(lines, drawn.messages, strict=True):
        down = drawn.lanes.index(message.receiver) > drawn.lanes.index(message.sender)
        assert (float(line.get("y2")) > float(line.get("y1"))) == down


@each_drawing
def test_a_drawing_says_in_words_what_it_shows(drawn):
    root = ElementTree.fromstring(drawing.svg(drawn))
    assert root.find(f"{SVG}title").text == drawn.title
    assert root.find(f"{SVG}desc").text == drawn.text
    assert root.get("aria-labelledby") == "title text"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        yield browser
        browser.close()


_MEASURE = """() => {
  const box = one => {
    const {left, right, top, bottom} = one.getBoundingClientRect();
    return {left, right, top, bottom};
  };
  const texts = [...document.querySelectorAll('text')].map(one => {
    const bar = one.previousElementSibling, style = getComputedStyle(one);
    return {text: one.textContent, kind: one.getAttribute('class'), fill: style.fill,
            size: one.getScreenCTM().a * parseFloat(style.fontSize),
            bar: bar.tagName === 'rect' ? getComputedStyle(bar).fill : '', box: box(one), in: box(bar)};
  });
  const colour = name => getComputedStyle(document.querySelector('svg')).getPropertyValue(name);
  return {texts, all: box(document.querySelector('svg')), paper: colour('--paper'), held: colour('--held')};
}"""


def _inside(inner, outer):
    return inner["left"] >= outer["left"] - 0.5 and inner["right"] <= outer["right"] + 0.5


def _apart(a, b):
    beside = a["right"] <= b["left"] or b["right"] <= a["left"]
    return beside or a["bottom"] <= b["top"] or b["bottom"] <= a["top"]


def _luminance(colour):
    if colour.strip().startswith("#"):
        channels = [int(colour.strip()[at : at + 2], 16) for at in (1, 3, 5)]
    else:
        channels = [float(number) for number in re.findall(r"[\d.]+", colour)[:3]]
    linear = [c / 12.92 if (c := one / 255) <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for one in channels]
    return sum(share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(a, b):
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_drawings_can_be_read_on_a_telephone(browser, scheme):
    page = browser.new_page(viewport={"width": NARROW, "height": 800}, color_scheme=scheme)
    for drawn in DRAWINGS:
        svg = drawing.svg(drawn).replace("<svg ", '<svg style="width: 100%; height: auto" ', 1)
        page.set_content(f'<body style="margin: 0">{svg}</body>')
        found = page.evaluate(_MEASURE)
        where = f"{drawn.file}, {scheme}"
        for one in found["texts"]:
            assert _inside(one["box"], found["all"]), f"{where}: {one['text']!r} is beyond the edge"
            assert one["size"] >= SMALLEST, f"{where}: {one['text']!r} is too small"
            in_bar = one["kind"] in lanes.KINDS
            assert not in_bar or _inside(one["box"], one["in"]), f"{where}: {one['text']!r} is beyond its span"
            behind = (found["held"] if one["kind"] == lanes.BLOCKED else one["bar"]) if in_bar else found["paper"]
            assert _contrast(one["fill"], behind) >= CONTRAST, f"{where}: {one['text']!r} has too little contrast"
        names = [one for one in found["texts"] if one["kind"] not in lanes.KINDS]
        for a, b in combinations(names, 2):
            assert _apart(a["box"], b["box"]), f"{where}: {a['text']!r} and {b['text']!r} overlap"
    page.close()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"spans": (Span("thread 9", "runs", 0, 1, ""),)}, "no lane is called 'thread 9'; there are: client A"),
        ({"spans": (Span("client A", "sleeps", 0, 1, ""),)}, "'sleeps' is none of runs, blocked, waits"),
        ({"spans": (Span("client A", "runs", 2, 1, ""),)}, "before it ends"),
        ({"spans": (Span("client A", "runs", 0, 2, ""), Span("client A", "waits", 1, 3, ""))}, "ends at 2"),
        ({"messages": (Message(1, "client A", "nobody"),)}, "message at 1: no lane is called 'nobody'"),
        ({"messages": (Message(1, "client A", "client A"),)}, "sends it to itself"),
    ],
)
def test_a_mistake_in_the_data_is_an_error_that_names_the_place(tmp_path, changed, message):
    about = {
        "lanes": ("client A",), "spans": (Span("client A", "runs", 0, 1, ""),), "messages": (),
    } | changed  # fmt: skip

    def rows(key, *fields):
        return [[getattr(one, field) for field in fields] for one in about[key]]

    text = [
        "[m]", 'title = "M"', "[m.drawings.one]", 'title = "T"', 'text = "x"', f"lanes = {json.dumps(about['lanes'])}",
        f"spans = {json.dumps(rows('spans', 'lane', 'kind', 'start', 'end', 'label'))}",
        f"messages = {json.dumps(rows('messages', 'at', 'sender', 'receiver'))}",
    ]  # fmt: skip
    path = tmp_path / "lanes.toml"
    path.write_text("\n".join(text))
    with pytest.raises(LanesError, match=re.escape(message)) as raised:
        lanes.load(path)
    assert str(raised.value).startswith("docs/models/lanes.toml: m.drawings.one: ")


def test_a_label_that_does_not_fit_is_an_error():
    drawn = replace(DRAWINGS[0], spans=(*DRAWINGS[0].spans[:-1], replace(DRAWINGS[0].spans[-1], label="x" * 60)))
    with pytest.raises(LanesError, match=r"is too long for its span of lane .*: \d+ characters fit"):
        drawing.svg(drawn)
