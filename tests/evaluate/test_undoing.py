"""Preparation and its undoing cost no bracket that a parser could find."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuparse.evaluate import TreeScorer
from gpuparse.trees import Tree, load_language, prepare, read_trees, restore, strip


def repeated_brackets(scorer: TreeScorer, tree: Tree) -> int:
    """How many brackets have the label and span of another one."""
    _, _, _, labels, spans = scorer.brackets(tree)
    names = ["ADVP" if label == "PRT" else label for label in labels]
    return len(names) - len(set(zip(names, spans, strict=True)))


@pytest.mark.gum
def test_a_restored_tree_matches_the_original_in_all_brackets_that_preparation_kept(gum: Path) -> None:
    """Every bracket of the prepared tree is found again in the original, with nothing beside it.

    The original may have more brackets, for one reason only: step 6 of preparation removes unary projections to self
    (an NP that is all of an NP), and what is removed there is not put back. Raised punctuation moves no bracket that
    the scorer sees, since it deletes punctuation.
    """
    language = load_language()
    scorer = TreeScorer()
    for number, tree in enumerate(read_trees([gum / "train", gum / "dev"]), 1):
        prepared = prepare(tree, language)
        if prepared.tree is None:  # nothing but punctuation: no word, so nothing to score
            continue
        original, restored = strip(tree), restore(prepared.tree, prepared.sentence)
        alone = scorer.score(number, prepared.tree, prepared.tree)
        again = scorer.score(number, original, restored)
        assert again.matched == again.test == alone.matched, str(tree)
        assert again.gold - alone.gold == repeated_brackets(scorer, original), str(tree)
        assert again.correct_tags == again.words
