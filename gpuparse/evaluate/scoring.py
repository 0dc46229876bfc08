"""The score of one sentence: what EVALB finds when it lays a test tree over a gold tree.

A tree is reduced to what counts (words, tags, labelled spans over the words left); then brackets are matched one to
one, and a test bracket is crossing if it overlaps some gold bracket and neither holds the other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from enum import IntEnum
from itertools import accumulate
from typing import NamedTuple

from gpuparse.evaluate.figures import BracketCounts, percent
from gpuparse.evaluate.parameters import COLLINS, ScoringRules
from gpuparse.trees.tree import ESCAPES, TOP, Tree

WordRange = tuple[int, int]  # the words from one place to another
ANY = "(any)"  # the label of every bracket when brackets are compared without labels


class ScoreStatus(IntEnum):
    """Whether a sentence was scored; the numbers are EVALB's."""

    VALID = 0
    ERROR = 1  # the words differ: in no total
    SKIPPED = 2  # the test tree has no words, so it was not parsed: in no total


class Brackets(NamedTuple):
    """The words and brackets of a tree that count."""

    length: int  # words, with punctuation: all but those deleted for length
    words: list[str]  # the words left after deletion, and their tags
    tags: list[str]
    labels: list[str]  # of the brackets left after deletion, in pre-order
    spans: list[WordRange]  # of the same, in words left


class SentenceScore(NamedTuple):
    """One line of EVALB's output, and the labels behind its counts."""

    id: int
    length: int
    status: ScoreStatus
    matched: int = 0
    gold: int = 0
    test: int = 0
    crossing: int = 0
    words: int = 0
    correct_tags: int = 0
    problem: str = ""  # why the sentence is an error or skipped
    gold_labels: tuple[str, ...] = ()
    test_labels: tuple[str, ...] = ()
    matched_labels: tuple[str, ...] = ()

    @property
    def counts(self) -> BracketCounts:
        """How many match, with recall and precision."""
        return BracketCounts(self.matched, self.gold, self.test)

    @property
    def tag_accuracy(self) -> float:
        """Correct tags in percent of words."""
        return percent(self.correct_tags, self.words)

    @property
    def complete(self) -> bool:
        """Whether the brackets of gold and test are the same."""
        return self.matched == self.gold == self.test


class TreeScorer:
    """Scores pairs of trees under one set of rules.

    >>> from gpuparse.trees.brackets import parse_trees
    >>> gold, test = parse_trees("(TOP (S (NP (NNP Ann)) (VP (VBZ sings)))) (TOP (S (NP (NNP Ann)) (VBZ sings)))", "")
    >>> score = TreeScorer().score(1, gold, test)
    >>> score.matched, score.gold, score.test
    (2, 3, 2)
    """

    def __init__(self, rules: ScoringRules = COLLINS) -> None:
        self.rules = rules
        self._equal_labels = _both_ways(rules.equal_labels)
        self._equal_words = _both_ways(rules.equal_words)
        self._cut = re.compile("|".join(map(re.escape, rules.cut)) or "(?!)")  # which is found nowhere
        self._bracket_labels: dict[str, str | None] = {}

    def score(self, number: int, gold: Tree, test: Tree) -> SentenceScore:
        """The score of the sentence with this number."""
        of_gold = self.brackets(gold)
        of_test = self.brackets(test, self._kept_by_gold(gold, test) if self.rules.by_tokens else None)
        if not of_test.words:
            problem = "the test tree has no words"
            return SentenceScore(number, of_gold.length, ScoreStatus.SKIPPED, problem=problem)
        problem = self._difference(of_gold.words, of_test.words)
        if problem:
            return SentenceScore(number, of_gold.length, ScoreStatus.ERROR, problem=problem)
        matched = self._match(of_gold, of_test)
        return SentenceScore(
            id=number,
            length=of_gold.length,
            status=ScoreStatus.VALID,
            matched=len(matched),
            gold=len(of_gold.labels),
            test=len(of_test.labels),
            crossing=count_crossing(of_gold.spans, of_test.spans, len(of_gold.words)),
            words=len(of_gold.words),
            correct_tags=sum(map(self._same_label, of_gold.tags, of_test.tags)),
            gold_labels=tuple(of_gold.labels),
            test_labels=tuple(of_test.labels),
            matched_labels=tuple(matched),
        )

    def _kept_by_gold(self, gold: Tree, test: Tree) -> list[bool]:
        """Whether each token of the test tree counts: if the gold token in its place does; traces have no place."""
        deleted, traces = self.rules.deleted, self.rules.traces
        kept = iter([token.tag not in deleted for token in gold.tokens() if token.tag not in traces])
        return [token.tag not in traces and next(kept, True) for token in test.tokens()]

    def brackets(self, tree: Tree, kept: Sequence[bool] | None = None) -> Brackets:
        """The words and brackets of a tree that count; `kept` says which tokens do, by default their tags decide."""
        deleted, not_counted = self.rules.deleted, self.rules.deleted_for_length
        tokens = tree.tokens()
        if kept is None:
            kept = [token.tag not in deleted for token in tokens]
        left = [token for token, counts in zip(tokens, kept, strict=True) if counts]
        counting = iter(kept)
        # before[v]: how many of the words left come before node v
        before = [0, *accumulate(word is not None and next(counting) for word in tree.words)]
        labels, spans = [], []
        for node, (label, word) in enumerate(zip(tree.labels, tree.words, strict=True)):
            start, end = before[node], before[tree.ends[node]]
            if word is not None or start == end:
                continue
            # The root is TOP, however a treebank spells it: EVALB knows only TOP, and would count ROOT as a bracket.
            if node == 0 and label in self.rules.roots and label not in deleted:
                label = TOP
            name = self._bracket_label(label)
            if name is not None:
                labels.append(name)
                spans.append((start, end))
        return Brackets(
            length=sum(token.tag not in not_counted for token in tokens),
            words=[token.word.translate(ESCAPES) for token in left],  # as the parser wrote them
            tags=[token.tag for token in left],
            labels=labels,
            spans=spans,
        )

    def _bracket_label(self, label: str) -> str | None:
        """A bracket's label without function tags and indices (EVALB cuts it at the first - or =); None if deleted."""
        if label not in self._bracket_labels:
            name: str | None = self._cut.split(label, 1)[0]
            if any(self._same_label(name, other) for other in self.rules.deleted):
                name = None
            elif not self.rules.labeled:
                name = ANY
            self._bracket_labels[label] = name
        return self._bracket_labels[label]

    def _same_label(self, label: str | None, other: str | None) -> bool:
        return label == other or (label, other) in self._equal_labels

    def _difference(self, gold: Sequence[str], test: Sequence[str]) -> str:
        """How the words differ; empty if they do not."""
        if len(gold) != len(test):
            return f"gold has {len(gold)} words and test {len(test)}, punctuation aside"
        for number, (word, other) in enumerate(zip(gold, test, strict=True), 1):
            if word != other and (word, other) not in self._equal_words:
                return f"word {number}, punctuation aside, is {word!r} in gold and {other!r} in test"
        return ""

    def _match(self, gold: Brackets, test: Brackets) -> list[str]:
        """The labels of the gold brackets that are matched, each with the first test bracket that is free."""
        free: defaultdict[WordRange, list[str]] = defaultdict(list)
        for label, span in zip(test.labels, test.spans, strict=True):
            free[span].append(label)
        matched = []
        for label, span in zip(gold.labels, gold.spans, strict=True):
            for place, other in enumerate(free.get(span, ())):
                if self._same_label(label, other):
                    del free[span][place]
                    matched.append(label)
                    break
        return matched


def count_crossing(gold: Sequence[WordRange], test: Sequence[WordRange], words: int) -> int:
    """How many test brackets cross some gold bracket.

    The gold brackets around a gap between two words are nested. A test bracket that starts in the gap crosses one of
    them if it ends after the end of the innermost; one that ends in the gap, if it starts before the innermost's start.

    >>> count_crossing([(0, 3), (1, 3)], [(0, 3), (0, 2)], 3)
    1
    """
    start_of = [-1] * (words + 1)  # of the innermost gold bracket around each gap: its start
    end_of = [words + 1] * (words + 1)  # and its end
    for start, end in dict.fromkeys(gold):  # outer before inner
        inside = end - start - 1
        start_of[start + 1 : end] = [start] * inside
        end_of[start + 1 : end] = [end] * inside
    return sum(end_of[start] < end or start_of[end] > start for start, end in test)


def _both_ways(pairs: Sequence[tuple[str, str]]) -> frozenset[tuple[str | None, str | None]]:
    return frozenset(pairs) | frozenset((second, first) for first, second in pairs)
