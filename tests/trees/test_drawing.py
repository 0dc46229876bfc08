"""Trees as people see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuparse.trees import UNPARSED, Tree, parse_tree, read_trees
from gpuparse.trees.synthetic import synthetic_treebank

FARM = parse_tree(
    "( (S (NP-SBJ (PRP They)) (VP (VBD sold) (NP (NP (DT the) (NN house)) (PP (IN of) (NP (NNP Ann))))) (. .)))"
)


def test_a_tree_that_fits_is_indented_on_one_line() -> None:
    assert FARM.indented(width=200) == str(FARM)


def test_a_node_that_does_not_fit_has_its_children_on_lines_of_their_own() -> None:
    assert FARM.indented(width=65).splitlines() == [
        "(",
        "  (S",
        "    (NP-SBJ (PRP They))",
        "    (VP",
        "      (VBD sold)",
        "      (NP (NP (DT the) (NN house)) (PP (IN of) (NP (NNP Ann)))))",
        "    (. .)))",
    ]


def test_indented_trees_read_back_at_any_width() -> None:
    for tree in [*synthetic_treebank(100), UNPARSED, parse_tree("(UH Yes)")]:
        for width in (0, 30, 80):
            assert parse_tree(tree.indented(width)) == tree


def test_a_bracket_in_a_label_is_escaped_when_indented() -> None:
    tree = Tree(["(", "NN"], [None, ")"], [2, 2])
    assert tree.indented(0) == "(-LRB-\n  (NN -RRB-))"


def test_a_tree_is_drawn_as_an_outline() -> None:
    assert FARM.drawn().splitlines() == [
        "() ─ S",
        "├─ NP-SBJ ─ PRP They",
        "├─ VP",
        "│  ├─ VBD sold",
        "│  └─ NP",
        "│     ├─ NP",
        "│     │  ├─ DT the",
        "│     │  └─ NN house",
        "│     └─ PP",
        "│        ├─ IN of",
        "│        └─ NP ─ NNP Ann",
        "└─ . .",
    ]


def test_a_terminal_alone_and_a_sentence_without_a_parse_are_drawn() -> None:
    assert parse_tree("(UH Yes)").drawn() == "UH Yes"
    assert UNPARSED.drawn() == "()"


def test_a_deep_tree_is_drawn() -> None:
    tree = parse_tree("(X " * 10_000 + "(NN deep)" + ")" * 10_000)
    assert tree.drawn().endswith("X ─ NN deep")
    assert tree.indented(10**6) == str(tree)


@pytest.mark.gum
def test_drawings_of_sentences_of_thirty_words_stay_within_a_hundred_columns(gum: Path) -> None:
    drawings = [tree.drawn() for tree in read_trees(gum / "dev") if len(tree.tokens()) <= 30]
    assert all(len(line) <= 100 for drawing in drawings for line in drawing.splitlines())
