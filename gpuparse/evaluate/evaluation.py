"""The evaluation of a test treebank against a gold one: the scores of its sentences, and every view of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gpuparse.errors import ScoringError
from gpuparse.evaluate.figures import BracketCounts, printed
from gpuparse.evaluate.parameters import COLLINS, ScoringRules
from gpuparse.evaluate.scoring import ScoreStatus, SentenceScore, TreeScorer
from gpuparse.evaluate.summary import Summary, summarise, summarise_labels, summarise_lengths
from gpuparse.trees.tree import Tree


@dataclass(frozen=True)
class Evaluation:
    """The scores of the sentences of a treebank under one set of rules."""

    scores: list[SentenceScore]
    rules: ScoringRules

    @cached_property
    def overall(self) -> Summary:
        """The totals of all sentences."""
        return summarise(self.scores)

    @cached_property
    def short(self) -> Summary:
        """The totals of the sentences no longer than the rules' cutoff (by default 40 words)."""
        return summarise(score for score in self.scores if score.length <= self.rules.cutoff)

    @cached_property
    def by_label(self) -> dict[str, BracketCounts]:
        """The bracket counts of each label."""
        return summarise_labels(self.scores, self.rules)

    @cached_property
    def by_length(self) -> dict[str, Summary]:
        """The totals of each range of sentence lengths."""
        return summarise_lengths(self.scores)

    def with_status(self, status: ScoreStatus) -> list[SentenceScore]:
        """The sentences with this status."""
        return [score for score in self.scores if score.status == status]

    def warning(self) -> str:
        """What a reader must know before trusting the figures; empty if every sentence was scored.

        >>> from gpuparse.trees.tree import UNPARSED, Tree
        >>> evaluate([Tree(["TOP", "NNP"], [None, "Ann"], [2, 2])], [UNPARSED]).warning()
        '1 of 1 sentences could not be scored and is in no figure; sentence 1: the test tree has no words'
        """
        missing = [score for score in self.scores if score.status != ScoreStatus.VALID]
        if not missing:
            return ""
        share = f"{len(missing)} of {len(self.scores)} sentences could not be scored and "
        first = f"{'is' if len(missing) == 1 else 'are'} in no figure; sentence {missing[0].id}: {missing[0].problem}"
        advice = "; --by-tokens scores those where only the tags of punctuation differ"
        errors = any(score.status == ScoreStatus.ERROR for score in missing)
        return share + first + (advice if errors and not self.rules.by_tokens else "")

    def as_json(self, per_sentence: bool = False) -> dict[str, Any]:
        """Everything, by name, with percentages as EVALB prints them."""
        answer: dict[str, Any] = {
            **self.overall.figures(),
            f"max{self.rules.cutoff}": self.short.figures(),
            "by_label": {label: counts.figures() for label, counts in self.by_label.items()},
            "by_length": {lengths: summary.figures() for lengths, summary in self.by_length.items()},
            "rules": str(self.rules),
            "warning": self.warning() or None,
            "not_scored": self.not_scored_as_json(),
        }
        if per_sentence:
            answer["per_sentence"] = [_sentence_as_json(score) for score in self.scores]
        return answer

    def not_scored_as_json(self) -> list[dict[str, Any]]:
        """The error and skipped sentences, each with its problem."""
        return [
            {"id": score.id, "status": int(score.status), "problem": score.problem}
            for score in self.scores
            if score.status != ScoreStatus.VALID
        ]


def _sentence_as_json(score: SentenceScore) -> dict[str, Any]:
    return {
        "id": score.id,
        "length": score.length,
        "status": int(score.status),
        "recall": printed(score.counts.recall),
        "precision": printed(score.counts.precision),
        "matched": score.matched,
        "gold": score.gold,
        "test": score.test,
        "crossing": score.crossing,
        "words": score.words,
        "correct_tags": score.correct_tags,
        "tag_accuracy": printed(score.tag_accuracy),
    }


def evaluate(
    gold: Sequence[Tree], test: Sequence[Tree], rules: ScoringRules = COLLINS, numbers: Iterable[int] | None = None
) -> Evaluation:
    """Score each test tree against the gold tree in its place; `numbers` are the sentences to score (all: 1, 2, ...).

    >>> from gpuparse.trees.tree import Tree
    >>> tree = Tree(["TOP", "NP", "NNP"], [None, None, "Ann"], [3, 3, 3])
    >>> evaluate([tree], [tree]).overall.f1
    100.0
    """
    if len(gold) != len(test):
        raise ScoringError(
            f"There are {len(gold)} gold trees and {len(test)} test trees; give one test tree, or (()) for "
            "a sentence that was not parsed, for each gold tree."
        )
    scorer = TreeScorer(rules)
    if numbers is None:
        numbers = range(1, len(gold) + 1)
    scores = [scorer.score(number, gold[number - 1], test[number - 1]) for number in numbers]
    _check_errors(scores, rules)
    return Evaluation(scores, rules)


def _check_errors(scores: list[SentenceScore], rules: ScoringRules) -> None:
    """EVALB gives up on the error after the first one beyond MAX_ERROR."""
    errors = [score for score in scores if score.status == ScoreStatus.ERROR]
    if rules.max_errors is not None and len(errors) > rules.max_errors + 1:
        raise ScoringError(
            f"The words of {len(errors)} sentences differ between gold and test, more than {rules.name} allows "
            f"(MAX_ERROR {rules.max_errors}); the first is sentence {errors[0].id}: {errors[0].problem}."
        )
