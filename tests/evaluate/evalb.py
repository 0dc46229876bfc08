"""EVALB the slow and plain way: every gold bracket against every test bracket, as its own source does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuparse.evaluate import ScoringRules
from gpuparse.trees import Tree


class Bracket(NamedTuple):
    label: str
    start: int
    end: int


class Reading(NamedTuple):
    words: list[str]
    tags: list[str]
    brackets: list[Bracket]


def read(tree: Tree, rules: ScoringRules) -> Reading:
    words: list[str] = []
    tags: list[str] = []
    brackets: list[Bracket] = []

    def visit(node: int) -> None:
        label, word = tree.labels[node], tree.words[node]
        if word is not None:
            if label not in rules.deleted:
                words.append(word)
                tags.append(label)
            return
        place, start = len(brackets), len(words)
        brackets.append(Bracket(label, start, start))
        for child in tree.children(node):
            visit(child)
        brackets[place] = Bracket(label, start, len(words))

    visit(0)
    return Reading(words, tags, list(left(brackets, rules)))


def left(brackets: list[Bracket], rules: ScoringRules) -> Iterator[Bracket]:
    for label, start, end in brackets:
        for place, character in enumerate(label):
            if character in "-=":
                label = label[:place]
                break
        if start < end and not any(same(label, other, rules.equal_labels) for other in rules.deleted):
            yield Bracket(label, start, end)


def same(one: str, other: str, pairs: tuple[tuple[str, str], ...]) -> bool:
    return one == other or any(pair in ((one, other), (other, one)) for pair in pairs)


def counts(gold_tree: Tree, test_tree: Tree, rules: ScoringRules) -> tuple[int, ...]:
    """Status, matched, gold and test brackets, crossing, words, correct tags."""
    gold, test = read(gold_tree, rules), read(test_tree, rules)
    if not test.words:
        return (2, 0, 0, 0, 0, 0, 0)
    if len(gold.words) != len(test.words) or not all(
        same(*pair, rules.equal_words) for pair in zip(gold.words, test.words, strict=True)
    ):
        return (1, 0, 0, 0, 0, 0, 0)
    taken: set[int] = set()
    for bracket in gold.brackets:
        for place, other in enumerate(test.brackets):
            if (
                place not in taken
                and bracket[1:] == other[1:]
                and (not rules.labeled or same(bracket.label, other.label, rules.equal_labels))
            ):
                taken.add(place)
                break
    crossing = sum(any(cross(bracket, other) for bracket in gold.brackets) for other in test.brackets)
    correct = sum(same(*pair, rules.equal_labels) for pair in zip(gold.tags, test.tags, strict=True))
    return (0, len(taken), len(gold.brackets), len(test.brackets), crossing, len(gold.words), correct)


def cross(one: Bracket, other: Bracket) -> bool:
    return one.start < other.start < one.end < other.end or other.start < one.start < other.end < one.end
