"""How many of a hundred plain sentences the bundled model parses as a linguist would."""

from __future__ import annotations

import re
from pathlib import Path

from gpuparse import load
from gpuparse.evaluate import ScoreStatus, evaluate
from gpuparse.trees import Tree, parse_tree

SENTENCES = Path(__file__).resolve().parents[1] / "data" / "plain-english.mrg"
# At least; for another model: python -c "from tests.pretrained.test_plain_english import *; print(exactly_right())"
RIGHT = 87


def trees() -> list[Tree]:
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    return [parse_tree(line) for line in lines if not line.startswith(";")]


def as_typed(tree: Tree) -> str:
    """The sentence as a person types it."""
    return re.sub(r" (n't|'s|[.,?!])", r"\1", " ".join(token.word for token in tree.tokens()))


def exactly_right() -> int:
    """How many of them the bundled model parses without a mistake, as `gpuparse eval` sees it."""
    parser = load()
    parsed = [parser.parse(as_typed(tree)).tree for tree in trees()]
    return sum(score.status is ScoreStatus.VALID and score.complete for score in evaluate(trees(), parsed).scores)


def test_there_are_a_hundred_sentences_and_no_two_are_the_same() -> None:
    assert len({as_typed(tree) for tree in trees()}) == len(trees()) == 100


def test_most_of_them_are_parsed_without_a_mistake() -> None:
    assert exactly_right() >= RIGHT
