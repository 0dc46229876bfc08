"""Images of trees: they are well-formed, show every node once, and let no text lie over another."""

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.trees import Token, Tree, parse_tree
from gpuparse.trees.svg import GAP, LABEL_HEIGHT, ROW_HEIGHT, draw_svg, place_nodes
from gpuparse.trees.tree import UNPARSED, Span

SVG = "{http://www.w3.org/2000/svg}"
TREES = [
    "(S (NP (NNP Ann)) (VP (VBZ sings) (NP (NNS hymns))))",
    "(TOP (AVERYLONGLABELINDEED (NN a)) (ANOTHERVERYLONGLABEL (NN b)) (NN Donaudampfschifffahrtsgesellschaft))",
    "(NN dog)",
]


def texts_of(image: str) -> list[str | None]:
    return [element.text for element in ElementTree.fromstring(image).iter(f"{SVG}text")]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Binary cuts of some words, with unary nodes and labels of any length."""
    tokens = [Token(word, "NN") for word in draw(st.lists(st.text("aWi漢", min_size=1, max_size=30), min_size=1))]
    spans: list[Span] = []
    pending = [(0, len(tokens))]
    while pending:
        start, end = pending.pop()
        spans.append(Span(draw(st.text("XiW", min_size=1, max_size=20)), start, end))
        if draw(st.booleans()):
            spans.append(Span("UNARY", start, end))
        if end - start > 1:
            cut = draw(st.integers(start + 1, end - 1))
            pending += [(cut, end), (start, cut)]
    return Tree.from_spans(spans, tokens)


@pytest.mark.parametrize("brackets", TREES)
def test_every_label_tag_and_word_is_in_the_image_once(brackets: str) -> None:
    tree = parse_tree(brackets)
    expected = sorted([*tree.labels, *(token.word for token in tree.tokens())])
    assert sorted(str(text) for text in texts_of(draw_svg(tree))) == expected


@settings(max_examples=40, deadline=None)
@given(trees())
def test_texts_of_a_row_never_overlap_and_stay_in_the_image(tree: Tree) -> None:
    placement = place_nodes(tree)
    for row in set(placement.rows):
        there = sorted(
            (placement.middles[v], placement.widths[v]) for v in range(len(tree)) if placement.rows[v] == row
        )
        for (x, width), (next_x, next_width) in pairwise(there):
            assert x + width / 2 + GAP <= next_x - next_width / 2 + 1e-6
        assert all(width / 2 <= x <= placement.width - width / 2 for x, width in there)


@settings(max_examples=40, deadline=None)
@given(trees())
def test_a_node_stands_over_its_own_words(tree: Tree) -> None:
    placement, before = place_nodes(tree), tree.tokens_before()
    terminals = [v for v, word in enumerate(tree.words) if word is not None]
    for node in range(len(tree)):
        first, last = terminals[before[node]], terminals[before[tree.ends[node]] - 1]
        if placement.widths[node] <= placement.middles[last] - placement.middles[first]:
            assert placement.middles[first] <= placement.middles[node] <= placement.middles[last]


def test_rows_have_room_for_a_label_and_an_edge() -> None:
    assert LABEL_HEIGHT + 20 <= ROW_HEIGHT


def test_signs_of_markup_are_escaped_and_control_characters_replaced() -> None:
    tree = Tree(["S<&>", 'N"N'], [None, "<script>\x1b\x00"], [2, 2])
    image = draw_svg(tree, {0: {"aria-label": '"quoted" <S>'}})
    assert "<script>" not in image
    assert "<script>\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}" in texts_of(image)
    assert [g.get("aria-label") for g in ElementTree.fromstring(image).iter(f"{SVG}g")][1] == '"quoted" <S>'


def test_a_sentence_without_a_parse_has_an_image() -> None:
    assert texts_of(draw_svg(UNPARSED)) == ["()"]


def test_depth_is_no_limit() -> None:
    depth = 10_000
    tree = Tree(["X"] * depth + ["NN"], [None] * depth + ["deep"], [depth + 1] * (depth + 1))
    assert draw_svg(tree).count("<text") == depth + 2
