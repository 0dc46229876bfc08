"""Totals over sentences, with EVALB's definitions: error and skipped sentences are counted and left out of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from gpuparse.evaluate.figures import BracketCounts, Figures, percent, printed
from gpuparse.evaluate.parameters import ScoringRules
from gpuparse.evaluate.scoring import ScoreStatus, SentenceScore


@dataclass(frozen=True)
class Summary(BracketCounts):
    """The totals of a set of sentences."""

    sentences: int
    errors: int
    skipped: int
    complete: int  # sentences whose brackets all match
    exact: int  # of those, the ones whose tags are all correct too
    crossing: int
    without_crossing: int
    with_few_crossing: int  # 2 or less
    words: int
    correct_tags: int

    @property
    def valid(self) -> int:
        """The number of sentences that the measures are computed over."""
        return self.sentences - self.errors - self.skipped

    @property
    def average_crossing(self) -> float:
        """Crossing brackets per sentence."""
        return self.crossing / self.valid if self.valid else 0.0

    def figures(self) -> Figures:
        """EVALB's figures by name, rounded as it prints them."""
        return {
            "sentences": self.sentences,
            "errors": self.errors,
            "skipped": self.skipped,
            "valid": self.valid,
            "recall": printed(self.recall),
            "precision": printed(self.precision),
            "f1": printed(self.f1),
            "complete_match": printed(percent(self.complete, self.valid)),
            "exact_match": printed(percent(self.exact, self.valid)),
            "average_crossing": printed(self.average_crossing),
            "no_crossing": printed(percent(self.without_crossing, self.valid)),
            "two_or_less_crossing": printed(percent(self.with_few_crossing, self.valid)),
            "tagging_accuracy": printed(percent(self.correct_tags, self.words)),
        }


def summarise(scores: Iterable[SentenceScore]) -> Summary:
    """The totals of these sentences.

    >>> valid = SentenceScore(1, 5, ScoreStatus.VALID, matched=3, gold=4, test=4)
    >>> summary = summarise([valid, SentenceScore(2, 9, ScoreStatus.SKIPPED)])
    >>> summary.valid, summary.recall
    (1, 75.0)
    """
    scores = list(scores)
    valid = [score for score in scores if score.status == ScoreStatus.VALID]
    return Summary(
        matched=sum(score.matched for score in valid),
        gold=sum(score.gold for score in valid),
        test=sum(score.test for score in valid),
        sentences=len(scores),
        errors=sum(score.status == ScoreStatus.ERROR for score in scores),
        skipped=sum(score.status == ScoreStatus.SKIPPED for score in scores),
        complete=sum(score.complete for score in valid),
        exact=sum(score.complete and score.correct_tags == score.words for score in valid),
        crossing=sum(score.crossing for score in valid),
        without_crossing=sum(score.crossing == 0 for score in valid),
        with_few_crossing=sum(score.crossing <= 2 for score in valid),
        words=sum(score.words for score in valid),
        correct_tags=sum(score.correct_tags for score in valid),
    )


def summarise_labels(scores: Iterable[SentenceScore], rules: ScoringRules) -> dict[str, BracketCounts]:
    """The bracket counts of each label, the most frequent in gold first; equal labels are counted under one name.

    >>> labels = {"gold_labels": ("S", "NP"), "test_labels": ("S",), "matched_labels": ("S",)}
    >>> score = SentenceScore(1, 5, ScoreStatus.VALID, matched=1, gold=2, test=1, **labels)
    >>> from gpuparse.evaluate.parameters import COLLINS
    >>> summarise_labels([score], COLLINS)["S"]
    BracketCounts(matched=1, gold=1, test=1)
    """
    names = _names(rules)
    gold, test, matched = Counter[str](), Counter[str](), Counter[str]()
    for score in scores:
        for count, labels in ((gold, score.gold_labels), (test, score.test_labels), (matched, score.matched_labels)):
            count.update(names.get(label, label) for label in labels)
    order = sorted(gold | test, key=lambda label: (-gold[label], label))
    return {label: BracketCounts(matched[label], gold[label], test[label]) for label in order}


def _names(rules: ScoringRules) -> dict[str, str]:
    """For each label that equals another, the name that all of its equals share: the first of them in the rules."""
    names: dict[str, str] = {}
    for first, second in rules.equal_labels:
        kept, gone = names.setdefault(first, first), names.setdefault(second, second)
        names = {label: kept if name == gone else name for label, name in names.items()}
    return names


def summarise_lengths(scores: Iterable[SentenceScore], width: int = 10) -> dict[str, Summary]:
    """The totals by sentence length, in ranges of `width` words.

    >>> list(summarise_lengths([SentenceScore(1, 17, ScoreStatus.VALID), SentenceScore(2, 4, ScoreStatus.VALID)]))
    ['0-10', '11-20']
    """
    ranges: dict[int, list[SentenceScore]] = {}
    for score in scores:
        ranges.setdefault(max(score.length - 1, 0) // width, []).append(score)
    return {
        f"{place * width + 1 if place else 0}-{(place + 1) * width}": summarise(ranges[place])
        for place in sorted(ranges)
    }
