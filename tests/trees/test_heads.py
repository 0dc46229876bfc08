"""Head children by hand, on known examples, and on every node of the treebank."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from gpuparse.trees import Language, Tree, head_child, load_language, parse_language, parse_tree, prepare, read_trees

ENGLISH = load_language()


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", "DT JJ NN", 2),
        ("NP", "DT NN NN", 2),
        ("NP", "DT NN POS", 2),
        ("NP", "NP NN", 1),
        ("NP", "NNP NN SBAR", 1),
        ("NP", "NN JJR", 1),  # of the labels of one step the first met from the right
        ("NP", "NP PP", 0),
        ("NP", "NP , NP", 0),
        ("NP", "DT $ CD", 1),
        ("NP", "DT ADJP CD", 1),
        ("NP", "CD JJ", 0),
        ("NP", "DT JJ JJS", 2),
        ("NP", "PRP", 0),
        ("NP", "DT", 0),
        ("NP", "EX DT ,", 1),  # the last child, but punctuation is never a head
        ("NX", "NN POS", 1),
        ("NX", "JJ NN", 1),
        ("NP", "NN CC NN", 0),
        ("NP", "NP , NP , CC NP", 0),
        ("NP", "DT NN , CC NN", 1),
        ("NP", "CC NN", 1),  # no child before the conjunction
        ("NP", ", CC NN", 2),  # nothing but punctuation before it
        ("NP", "JJ CC JJ NN", 3),
        ("PP", "IN NP", 0),
        ("PP", "ADVP IN NP", 1),
        ("PP", "TO NP", 0),
        ("PP", "IN CC IN NP", 0),
        ("PP", "NP PP", 1),
        ("VP", "MD RB VP", 0),
        ("VP", "VBD VP", 0),
        ("VP", "VP CC VP", 0),
        ("VP", "VP , CC VP", 0),
        ("VP", "TO VP", 0),
        ("VP", "ADVP VBZ NP", 1),
        ("VP", "VB VBD", 1),  # VBD stands before VB in the list
        ("VP", "ADVP PP", 0),
        ("VP", ", ADVP PP", 1),
        ("S", "NP VP", 1),
        ("S", "NP ADJP", 1),
        ("S", "S CC S", 0),
        ("S", "S : S", 0),
        ("S", "PP NP VP", 2),
        ("SBAR", "IN S", 0),
        ("SBAR", "WHNP S", 0),
        ("SBAR", "S WHNP", 1),
        ("SBARQ", "WHNP SQ", 1),
        ("SINV", "VP VBD NP", 1),
        ("SQ", "VBD NP VP", 0),
        ("QP", "RBR IN CD", 1),
        ("QP", "$ CD CD", 0),
        ("QP", "CD CD", 0),
        ("ADJP", "RB JJ PP", 1),
        ("ADVP", "RB RB", 1),
        ("LST", "LS :", 0),
        ("LST", ": :", 1),  # something has to be the head
        ("FRAG", "NP ADVP", 1),
        ("INTJ", "UH UH", 0),
        ("TOP", "S", 0),
        ("NEW", ", UH NP .", 1),
        ("NEW", "NP CC VP", 0),
    ],
)
def test_the_head_child(label: str, children: str, head: int) -> None:
    assert head_child(ENGLISH, label, children.split()) == head


def test_a_label_without_a_rule_takes_the_end_that_the_language_sets() -> None:
    rightmost = parse_language('[default]\nfrom = "right"\n[punctuation]\nraised = [","]')
    assert head_child(rightmost, "NP", ["A", "B", ","]) == 1


def test_conjunctions_are_those_of_the_language() -> None:
    german = parse_language('[default]\nfrom = "right"\n[tags]\nconjunctions = ["KON", "CJ"]')
    assert [head_child(german, "NP", f"A {tag} B".split()) for tag in ("KON", "CJ", "CC", "X")] == [0, 0, 2, 2]


def head_terminals(language: Language, tree: Tree) -> list[int]:
    """For each node of a tree the node of its head word; a terminal's is itself."""
    heads = list(range(len(tree)))
    for node in range(len(tree) - 1, -1, -1):  # children before their parents
        children = list(tree.children(node))
        if children:
            child_labels = [tree.labels[child] for child in children]
            heads[node] = heads[children[head_child(language, tree.labels[node], child_labels)]]
    return heads


def test_the_head_word_of_a_node_is_that_of_its_head_child() -> None:
    tree = parse_tree(
        "(TOP (S (NP (NP (DT the) (NN man) (POS 's)) (NN dog)) (VP (MD can) (VP (VB run) (PP (IN to) (NP (PRP us)))))))"
    )
    heads = [tree.words[head] for head in head_terminals(ENGLISH, tree)]
    assert [
        (label, head) for label, word, head in zip(tree.labels, tree.words, heads, strict=True) if word is None
    ] == [
        ("TOP", "can"),
        ("S", "can"),
        ("NP", "dog"),
        ("NP", "'s"),
        ("VP", "can"),
        ("VP", "run"),
        ("PP", "to"),
        ("NP", "us"),
    ]


def test_a_deep_tree_has_heads() -> None:
    tree = parse_tree("(X " * 10_000 + "(NN deep)" + ")" * 10_000)
    assert head_terminals(ENGLISH, tree) == [10_000] * 10_001


@pytest.mark.gum
def test_every_node_of_gum_has_a_head_below_it_and_none_is_punctuation_without_need(gum: Path) -> None:
    for tree in read_trees(gum / "dev"):
        prepared = prepare(tree, ENGLISH).tree
        assert prepared is not None
        for node, head in enumerate(head_terminals(ENGLISH, prepared)):
            assert node <= head < prepared.ends[node]
            assert prepared.words[head] is not None
            if prepared.words[node] is None:
                assert prepared.labels[head] not in ENGLISH.raised


def _states(examples: list[dict[str, Any]], tags: list[str]) -> Iterator[tuple[list[str], list[dict[str, Any]]]]:
    """The frontier of each state on a sentence's path, in labels, with the examples there."""
    frontier = tags
    for _, group in groupby(examples, key=lambda example: example["state"]):
        state = list(group)
        yield frontier, state
        correct = [example for example in state if example["correct"]]
        if correct:
            first, last = correct[0]["children"]
            frontier = [*frontier[:first], correct[0]["label"], *frontier[last + 1 :]]
        else:  # the NP of six children of the fourth tree
            first = frontier.index("PDT")
            frontier = [*frontier[:first], "NP", *frontier[first + 6 :]]


@pytest.mark.parametrize("strategy", ["r2l", "l2r"])
def test_the_heads_of_all_known_examples_are_as_given(known_examples: Path, strategy: str) -> None:
    trees = list(read_trees(known_examples / "prepared"))
    lines = (known_examples / f"{strategy}.jsonl").read_text(encoding="utf-8").splitlines()
    for sentence, group in groupby(map(json.loads, lines), key=lambda example: example["sentence"]):
        tags = [token.tag for token in trees[sentence].tokens()]
        for frontier, examples in _states(list(group), tags):
            for example in examples:
                first, last = example["children"]
                head = first + head_child(ENGLISH, example["label"], frontier[first : last + 1])
                assert head == example["head"], (example["label"], frontier[first : last + 1])
