"""The page of an explanation: complete, safe, and usable by mouse and keys in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gpuparse.kernels import cpu
from gpuparse.options import Strategy
from gpuparse.parse.explain import Explainer, Explanation
from gpuparse.parse.explain.page import page
from gpuparse.trees import Token, load_language, prepare_tokens
from tests.parse.explain.chromium import PROGRAMS, Chromium, find_chromium
from tests.small_model import small_model

SENTENCE = "the/DT dog/NN saw/VBD the/DT man/NN with/IN a/DT telescope/NN ./."
WIDE = " ".join(["the/DT Donaudampfschifffahrtsgesellschaft/NN saw/VBD"] * 8)


def explanation_of(text: str) -> Explanation:
    tokens = [Token(*piece.rsplit("/", 1)) for piece in text.split()]
    explainer = Explainer(small_model(60, Strategy.r2l, max_trees=8), cpu)
    return explainer.explain(prepare_tokens(tokens, load_language()))


class Outline(HTMLParser):
    """The elements of a page, with a check that each is closed."""

    VOID = ("meta", "link", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_constituent_is_a_tree_item_with_reasons_of_its_own() -> None:
    explanation = explanation_of(SENTENCE)
    outline = Outline(page([explanation]))
    items = [attributes for tag, attributes in outline.elements if attributes.get("role") == "treeitem"]
    articles = [attributes["id"] for tag, attributes in outline.elements if tag == "article"]
    assert len(items) == len(explanation.constituents) > 3
    assert [item["aria-controls"] for item in items] == articles
    assert len(set(articles)) == len(articles)


def test_the_page_names_no_other_place() -> None:
    text = page([explanation_of(SENTENCE)])
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}  # a name, never asked for
    assert "default-src 'none'" in text


def test_words_that_look_like_markup_or_like_places_of_the_frame_are_only_words() -> None:
    text = page([explanation_of("<script>alert(1)</script>/NN {{sentences}}/NN '\"&/NN barked/VBD")])
    outline = Outline(text)
    assert [tag for tag, _ in outline.elements].count("script") == 1
    assert text.count("<section class='sentence'") == 1
    assert ">{{sentences}}</text>" in text


def test_several_sentences_share_a_page_and_no_names() -> None:
    outline = Outline(page([explanation_of(SENTENCE), explanation_of("dogs/NNS barked/VBD"), explanation_of("./.")]))
    names = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(names) == len(set(names))
    assert sum(attributes.get("class") == "sentence" for _, attributes in outline.elements) == 3


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    program = find_chromium()
    if program is None:
        pytest.skip(f"no browser to try the page in: none of {', '.join(PROGRAMS)} is on the path")
    with Chromium(program) as running:
        yield running


@pytest.fixture
def opened(browser: Chromium, tmp_path: Path) -> Chromium:
    path = tmp_path / "why.html"
    path.write_text(page([explanation_of(SENTENCE)]), encoding="utf-8")
    browser.requests.clear()
    browser.complaints.clear()
    browser.open(path)
    return browser


def shown(browser: Chromium) -> list[str]:
    """The headings of the reasons that are to be seen."""
    return browser.value("[...document.querySelectorAll('article')].filter(a => a.offsetHeight).map(a => a.ariaLabel)")


def focused(browser: Chromium) -> str | None:
    return browser.value("document.activeElement.getAttribute('aria-label')")


def test_a_click_shows_the_reasons_of_the_constituent_and_no_others(opened: Chromium) -> None:
    explanation = explanation_of(SENTENCE)
    assert len(shown(opened)) == 1
    for constituent in explanation.constituents:
        opened.click(f".constituent[data-node='{constituent.node}']")
        assert shown(opened) == [f"Reasons for {constituent.label}: {constituent.text}"]
        marked = opened.value("[...document.querySelectorAll('.terminal.within .word')].map(w => w.textContent)")
        assert " ".join(marked) == constituent.text


def test_the_keys_walk_the_tree_and_the_reasons_follow(opened: Chromium) -> None:
    top, second = explanation_of(SENTENCE).constituents[:2]
    opened.press("Tab")
    assert opened.value("document.activeElement.getAttribute('role')") == "treeitem"
    opened.press("Home")
    assert shown(opened) == [f"Reasons for {top.label}: {top.text}"]
    opened.press("ArrowDown")
    assert shown(opened) == [f"Reasons for {second.label}: {second.text}"]
    assert (focused(opened) or "").startswith(f"{second.label}: {second.text}")
    opened.press("ArrowDown")
    first_below = shown(opened)
    opened.press("ArrowRight")
    assert shown(opened) != first_below
    opened.press("ArrowLeft")
    assert shown(opened) == first_below
    opened.press("ArrowUp")
    assert shown(opened) == [f"Reasons for {second.label}: {second.text}"]
    opened.press("Enter")
    assert focused(opened) == f"Reasons for {second.label}: {second.text}"
    opened.press("Escape")
    assert opened.value("document.activeElement.getAttribute('aria-selected')") == "true"


def test_the_focus_can_be_seen(opened: Chromium) -> None:
    style = "getComputedStyle(document.querySelector('.constituent[aria-selected=true] rect')).stroke"
    before = opened.value(style)
    opened.press("Tab")
    assert opened.value(style) != before


def test_one_constituent_is_in_the_tab_order_and_rivals_are_too(opened: Chromium) -> None:
    assert opened.value("document.querySelectorAll('.constituent[tabindex=\"0\"]').length") == 1
    opened.press("Tab")
    opened.press("Tab")
    assert opened.value("document.activeElement.tagName") == "SUMMARY"


def test_nothing_is_asked_of_the_network_and_nothing_goes_wrong(opened: Chromium) -> None:
    opened.click(".constituent")
    opened.press("Enter")
    opened.click(".reasons article:not([hidden]) .rival summary")
    assert all(address.startswith(("file:", "data:")) for address in opened.requests)
    assert len([address for address in opened.requests if address.startswith("file:")]) == 1
    assert opened.complaints == []


def test_a_dark_page_is_dark(opened: Chromium) -> None:
    def brightness() -> int:
        return sum(map(int, re.findall(r"\d+", opened.value("getComputedStyle(document.body).backgroundColor"))[:3]))

    opened.prefer("dark")
    dark = brightness()
    opened.prefer("light")
    assert dark < 200 < 600 < brightness()


def test_texts_do_not_overlap_and_a_wide_tree_scrolls_in_its_own_frame(browser: Chromium, tmp_path: Path) -> None:
    path = tmp_path / "wide.html"
    path.write_text(page([explanation_of(WIDE)]), encoding="utf-8")
    browser.open(path)
    boxes = browser.value(
        "[...document.querySelectorAll('svg text')].map(t => t.getBBox()).map(b => [b.x, b.y, b.width, b.height])"
    )
    for number, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, other_width, other_height in boxes[:number]:
            apart = x >= other_x + other_width or other_x >= x + width
            assert apart or y >= other_y + other_height - 3 or other_y >= y + height - 3
    assert browser.value("document.querySelector('.tree').scrollWidth > document.querySelector('.tree').clientWidth")
    assert browser.value("document.documentElement.scrollWidth <= window.innerWidth")
