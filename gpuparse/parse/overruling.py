"""Where the parser may overrule the tagger: the most probable sequences of tags are parsed, and the cheapest wins.

    cost in all = cost of the tree + TAG_WEIGHT * cost of the tags + NO_CLAUSE, where no clause is over the sentence

The cost of tags is the logarithm of how many times as probable the tagger's best sequence is. Sequences are parsed in
the order of that, until it alone is no less than the least cost in all: mostly there is no second.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuparse.errors import UsageError
from gpuparse.options import TAG_SEQUENCES, SearchOptions
from gpuparse.parse.search.parser import Parser, Result
from gpuparse.tag import Tagger, TagSequence
from gpuparse.tag.lattice import LONGEST
from gpuparse.trees import Language, Sentence, Token

# The best by F1 on half of the documents of GUM's and MASC's development sets, sentences of at most 40 words, with the
# bundled English model: of weights from 1/4 to 2, and charges from 0 to 3. docs/performance.md has what they bring.
TAG_WEIGHT = 1.0
NO_CLAUSE = 2.0
CLAUSES = frozenset({"S", "SINV", "SQ", "SBARQ"})  # in a treebank that has none of these labels, trees alone decide


class Searches:
    """One search after the other, as they are asked for, in the same memory; none is taken before the first."""

    def __init__(self, parser: Parser, options: SearchOptions) -> None:
        self._waiting: deque[Sequence[Token]] = deque()
        sentences = iter(self._waiting.popleft, None)  # asked for the next one only when a result is
        self._results = parser.parse(sentences, replace(options, batch=1))

    def result_of(self, tokens: Sequence[Token]) -> Result:
        """The parse of the tokens that preparation kept of a sentence."""
        self._waiting.append(tokens)
        return next(self._results)


class _Contender(NamedTuple):
    """A sequence of tags and its parse."""

    cost: float  # in all
    sentence: Sentence
    result: Result
    sequence: TagSequence | None  # None: the tagger's own


@dataclass(frozen=True)
class Overruler:
    """Looks for better tags than the tagger's."""

    tagger: Tagger
    language: Language
    sequences: int  # parsed at most, for each sentence

    @classmethod
    def of(
        cls, tagger: Tagger | None, language: Language, sequences: int | None, options: SearchOptions
    ) -> Overruler | None:
        """None where one sequence is all that is to be parsed; by default that is so where several can't be."""
        if sequences is None:
            sequences = 1 if tagger is None or options.max_min else TAG_SEQUENCES
        if sequences < 1:
            raise UsageError(f"tags: at least 1 sequence is parsed, not {sequences}.")
        if sequences == 1:
            return None
        if tagger is None:
            raise UsageError("several sequences of tags: the model has no tagger.")
        if options.max_min:
            raise UsageError("several sequences of tags are compared by their costs, which --max-min does not add up.")
        return cls(tagger, language, sequences)

    def settle(self, searches: Searches, sentence: Sentence, result: Result) -> tuple[Sentence, Result]:
        """The sentence with the tags that win, and their parse; it is given with the tagger's own and theirs.

        The partial parses of all sequences count as scored.
        """
        if not sentence.odds or math.isnan(result.cost) or len(sentence.tokens) > LONGEST:
            return sentence, result
        best = _Contender(_cost(result, 0.0), sentence, result, None)
        scored = result.scored
        for rival, sequence in self._rivals(sentence):
            if TAG_WEIGHT * sequence.cost >= best.cost:
                break
            other = searches.result_of([rival.tokens[index] for index in rival.kept])
            scored += other.scored
            cost = _cost(other, sequence.cost)
            if cost < best.cost:
                best = _Contender(cost, rival, other, sequence)
        return self._with_odds(best), replace(best.result, scored=scored)

    def _rivals(self, sentence: Sentence) -> Sequence[tuple[Sentence, TagSequence]]:
        """The sentence with other tags; one that the tagger did not choose stays. No word becomes punctuation, and no
        punctuation a word.
        """
        punctuation = self.language.raised | self.language.quotes
        words = [token.word for token in sentence.tokens]
        rivals, known = [], {sentence.tokens}
        for sequence in self.tagger.rank(words, self.sequences):
            tokens = tuple(
                token if odds.runner_up is None or punctuation & {token.tag, tag} else Token(token.word, tag)
                for token, odds, tag in zip(sentence.tokens, sentence.odds, sequence.tags, strict=True)
            )
            if tokens not in known:
                known.add(tokens)
                rivals.append((replace(sentence, tokens=tokens), sequence))
        return rivals

    def _with_odds(self, best: _Contender) -> Sentence:
        """The sentence that won, each tag with the odds that the tagger gives it."""
        if best.sequence is None:
            return best.sentence
        words = [token.word for token in best.sentence.tokens]
        anew = self.tagger.judge(words, best.sequence.tags).odds
        chosen = zip(best.sentence.tokens, best.sequence.tags, best.sentence.odds, anew, strict=True)
        odds = (before if before.runner_up is None or token.tag != tag else now for token, tag, before, now in chosen)
        return replace(best.sentence, odds=tuple(odds))


def _cost(result: Result, tag_cost: float) -> float:
    tree = result.tree
    covered = len(tree) > 1 and tree.words[1] is None and tree.ends[1] == len(tree)
    is_clause = covered and tree.labels[1] in CLAUSES
    return result.cost + TAG_WEIGHT * tag_cost + (0.0 if is_clause else NO_CLAUSE)
