"""How many of a hundred plain sentences the bundled model parses as a linguist would."""

from __future__ import annotations

import re
from pathlib import Path

from gpuparse import load
from gpuparse.trees import Tree, parse_tree

SENTENCES = Path(__file__).resolve().parents[1] / "data" / "plain-english.mrg"
RIGHT = 65  # at least


def trees() -> list[Tree]:
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    return [parse_tree(line) for line in lines if not line.startswith(";")]


def as_typed(tree: Tree) -> str:
    """The sentence as a person types it."""
    return re.sub(r" (n't|'s|[.,?!])", r"\1", " ".join(token.word for token in tree.tokens()))


def constituents(tree: Tree) -> list[tuple[str, int, int]]:
    """Without the root; a particle counts as an adverb, as in EVALB."""
    return sorted(("ADVP" if span.label == "PRT" else span.label, *span[1:]) for span in tree.spans()[1:])


def test_there_are_a_hundred_sentences_and_no_two_are_the_same() -> None:
    assert len({as_typed(tree) for tree in trees()}) == len(trees()) == 100


def test_most_of_them_are_parsed_without_a_mistake() -> None:
    parser = load()
    parsed = [parser.parse(as_typed(tree)).tree for tree in trees()]
    assert sum(constituents(one) == constituents(gold) for one, gold in zip(parsed, trees(), strict=True)) >= RIGHT
