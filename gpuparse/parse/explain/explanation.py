"""What an explanation holds: the tree of a sentence, and for each constituent why it is there and what lost to it.

Positions are those of the input's tokens, half-open: a constituent covers the tokens `start .. end-1`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from gpuparse.parse.parsed_tree import ParsedTree
from gpuparse.parse.search.parser import Outcome


@dataclass(frozen=True)
class ExplainedToken:
    """A token of the input, and what the parser could make of it."""

    word: str
    tag: str
    seen: bool  # False: preparation set it aside (quotes, outer punctuation), and it was put back into the tree
    known_word: bool  # whether the word occurred in training; if not, only the tag counts
    known_tag: bool
    tag_odds: float | None = None  # how sure the tagger is of the tag; None if it was given
    runner_up_tag: str | None = None  # the most probable other tag
    runner_up_odds: float | None = None


@dataclass(frozen=True)
class FiredRule:
    """A rule that holds, and what it adds to the score."""

    weight: float
    rule: str  # as the model names it: `first1.headtag=DT and not len(children)>3`
    conditions: tuple[str, ...]  # the same in sentences, the most informative first; none: it always holds


@dataclass(frozen=True)
class Fact:
    """An atomic feature that holds, and its effect: the score, less what it would be if the feature did not hold."""

    effect: float
    feature: str  # `first1.headtag=DT`
    english: str


@dataclass(frozen=True)
class RuleDifference:
    """A rule that fires for only one of a rival and the constituent, and what that does to the rival's score."""

    effect: float  # the weight; its negative where it is the rival that lacks the rule
    rule: str
    conditions: tuple[str, ...]
    lacking: bool  # the rule held for the constituent and not for the rival


@dataclass(frozen=True)
class Others:
    """Rules that are not listed one by one."""

    number: int
    weight: float  # their sum


class Doubt(StrEnum):
    """How doubtful a constituent is, by the classifier's confidence."""

    NONE = "none"
    SOME = "some"  # less than 90 %
    MUCH = "much"  # less than 50 %, or never inferred


class RivalKind(StrEnum):
    """How a rival differs from the constituent that was built."""

    LABEL = "label"  # the same children, another label
    SPAN = "span"  # other children, some of the same words
    ELSEWHERE = "elsewhere"  # other words; under r2l and l2r the constituent could then never be built


@dataclass(frozen=True)
class Rival:
    """An inference that the same state allowed and that was not made."""

    kind: RivalKind
    label: str
    start: int
    end: int
    text: str
    children: tuple[str, ...]  # their labels
    score: float
    cost: float
    facts: tuple[Fact, ...]  # the most harmful first
    differences: tuple[RuleDifference, ...]  # harm first; all rules of the rival if its label is another
    others: Others


@dataclass(frozen=True)
class Constituent:
    """A node of the tree and the inference that built it.

    The TOP that is put over the pieces of an unfinished parse was never inferred: it has no step and no score.
    """

    node: int  # in the explained tree
    label: str
    start: int
    end: int
    text: str
    children: tuple[str, ...]  # labels of the children that the parser saw
    head: str  # the head word
    step: int | None  # which inference it was, from 1
    score: float | None
    cost: float
    facts: tuple[Fact, ...]  # those of the greatest effect first
    rules: tuple[FiredRule, ...]  # the heaviest first
    others: Others  # with these the weights add up to the score
    rivals: tuple[Rival, ...]  # the best first

    @property
    def confidence(self) -> float:
        """How sure the classifier is, from 0 to 1: `1 / (1 + exp(-score))`, whose negative logarithm is the cost."""
        return math.exp(-self.cost)

    @property
    def doubt(self) -> Doubt:
        """Whether a reader should look twice."""
        if self.score is None or self.confidence < 0.5:
            return Doubt.MUCH
        return Doubt.SOME if self.confidence < 0.9 else Doubt.NONE


@dataclass(frozen=True)
class Explanation:
    """A parse and its reasons."""

    tokens: tuple[ExplainedToken, ...]
    parsed: ParsedTree  # its cost is the sum of the constituents', under max-min their greatest
    greedy_is_optimal: bool
    strategy: str
    lambda_: float
    constituents: tuple[Constituent, ...]  # in the order of the tree's nodes

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no tree is cheaper."""
        return self.parsed.status == Outcome.OPTIMAL

    def as_json(self) -> dict[str, Any]:
        """The explanation for programs."""
        return {
            "tokens": [asdict(token) for token in self.tokens],
            "status": self.parsed.status,
            "cost": self.parsed.cost,
            "scored": self.parsed.scored,
            "greedy_is_optimal": self.greedy_is_optimal,
            "strategy": self.strategy,
            "constituents": [asdict(constituent) for constituent in self.constituents],
            "lambda": self.lambda_,
            "tree": str(self.parsed.tree),
            "optimal": self.optimal,
        }
